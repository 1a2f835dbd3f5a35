#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sarrus {

/// The name of a file, shared by all places in it: a copy takes no memory of its own.
class FileName {
 public:
  FileName() = default;
  FileName(std::string name)  // NOLINT: a file name is a string with cheap copies
      : name_(std::make_shared<const std::string>(std::move(name))) {}
  FileName(const char* name) : FileName(std::string(name)) {}  // NOLINT: as above

  const std::string& text() const {
    static const std::string none;
    return name_ == nullptr ? none : *name_;
  }
  bool empty() const { return text().empty(); }
  friend bool operator==(const FileName& a, std::string_view b) { return a.text() == b; }

 private:
  std::shared_ptr<const std::string> name_;
};

/// A place in a model file; line and column count from 1, 0 means unknown (built in C++).
struct SourceLocation {
  FileName file;
  int line = 0;
  int column = 0;
};

/// One mistake in a model: where it is, what is wrong (with the element's name), how to mend it.
struct Diagnostic {
  SourceLocation where;
  std::string what;
  std::string hint;
};

/// A reader of a hundred messages mends the first ten and tries again.
inline constexpr std::size_t kMostDiagnostics = 100;

/// `file:line:column: error: what` and, on a second line, `  hint: …` where there is one.
std::string to_string(const Diagnostic& diagnostic);

/// The model is wrong. Carries every mistake found, not only the first.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// The caller asked for something that cannot be had; the sentence says what would do.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The candidate nearest to `word` in edit distance, or an empty view when none is near enough to
/// be a likely slip of the pen.
std::string_view closest(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'x'? known: a, b, c" — or only the second part when nothing is close.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       std::string_view kind);

}  // namespace sarrus
