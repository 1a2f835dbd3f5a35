#include "sarrus/base/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sarrus {
namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

// Letters to change between a and b, or `limit` where they are that many or more. `row` is scratch.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit,
                          std::vector<std::size_t>& row) {
  const std::size_t longer = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  if (longer >= limit) return limit;
  row.resize(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    std::size_t least = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
      least = std::min(least, row[j]);
    }
    if (least >= limit) return limit;
  }
  return row[b.size()];
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  const SourceLocation& at = diagnostic.where;
  std::string text;
  if (!at.file.empty()) text += at.file.text() + ":";
  if (at.line > 0) text += fmt::format("{}:{}:", at.line, at.column);
  if (!text.empty()) text += ' ';
  text += "error: " + diagnostic.what;
  if (!diagnostic.hint.empty()) text += "\n  hint: " + diagnostic.hint;
  return text;
}

ModelError::ModelError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

std::string_view closest(std::string_view word, const std::vector<std::string>& candidates) {
  // A third of the letters may be wrong, but not all; beyond that a suggestion misleads more than it
  // helps.
  std::size_t best = std::min(std::max<std::size_t>(1, word.size() / 3) + 1, word.size());
  std::string_view nearest;
  std::vector<std::size_t> row;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate, best, row);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       std::string_view kind) {
  constexpr std::size_t kListed = 12;
  std::string text;
  if (const auto near = closest(word, candidates); !near.empty())
    text = fmt::format("did you mean '{}'?", near);
  if (candidates.empty()) return fmt::format("there are no {}", kind);
  if (!text.empty() && candidates.size() > kListed) return text;
  const auto shown = std::vector<std::string>(
      candidates.begin(), candidates.begin() + std::min(kListed, candidates.size()));
  if (!text.empty()) text += ' ';
  text += fmt::format("known {}: {}", kind, fmt::join(shown, ", "));
  if (candidates.size() > kListed) text += fmt::format(", … ({} in all)", candidates.size());
  return text;
}

}  // namespace sarrus
