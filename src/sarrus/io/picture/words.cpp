// Views and labels by the words of the command line.

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/picture/picture.h"

namespace sarrus {

void set_view(PictureOptions& options, const std::string& word) {
  options.view.reset();
  options.axonometric = word == "iso";
  if (word == "auto" || word == "iso") return;
  if (word == "x") options.view = Vec3(1, 0, 0);
  if (word == "y") options.view = Vec3(0, -1, 0);  // z up, x to the right
  if (word == "z") options.view = Vec3(0, 0, 1);
  if (options.view) return;
  Vec3 direction;
  const char* at = word.data();
  const char* const end = at + word.size();
  for (Eigen::Index k = 0; k < 3; ++k) {
    const auto [next, error] = std::from_chars(at, end, direction[k]);
    const bool good = error == std::errc() && (k < 2 ? next != end && *next == ',' : next == end);
    if (!good || !std::isfinite(direction[k]))
      throw UsageError(fmt::format(
          "there is no view '{}'\n  hint: auto, iso, x, y, z, or a direction such as 1,-2,0.5",
          word));
    at = next + 1;
  }
  if (!(direction.norm() > 0)) throw UsageError("a view from 0,0,0 has no direction");
  options.view = direction;
}

PictureLabels picture_labels(const std::string& word) {
  if (word == "auto") return PictureLabels::kAuto;
  if (word == "none") return PictureLabels::kNone;
  if (word == "bodies") return PictureLabels::kBodies;
  if (word == "all") return PictureLabels::kAll;
  throw UsageError(fmt::format("there are no labels '{}'\n  hint: {}", word,
                               suggestion(word, {"auto", "none", "bodies", "all"}, "labels")));
}

}  // namespace sarrus
