#pragma once

#include <optional>
#include <string>

#include "sarrus/model/model.h"

namespace sarrus {

/// What is written into a picture besides the drawing.
enum class PictureLabels {
  kAuto,    ///< bodies' names where they are few
  kNone,    ///< nothing
  kBodies,  ///< bodies' names
  kAll,     ///< bodies' and joints' names
};

struct PictureOptions {
  /// From where it is seen: a direction in the world. None: a mechanism that lies in a plane is
  /// drawn in it, any other in an axonometric projection in which it overlaps itself little.
  std::optional<Vec3> view;
  bool axonometric = false;  ///< the latter even for what lies in a plane
  PictureLabels labels = PictureLabels::kAuto;
};

/// The mechanism at a configuration as an SVG file: bodies as bars and plates between their joints,
/// a symbol a joint, ground hatched, springs, drives and gravity. Everything is a group with a class
/// (`body`, `joint revolute`, `ground`, `spring`, `drive`, …) and a title that names it. The same
/// arguments give the same bytes; time is that of sorting by depth.
std::string draw_picture(const Model& model, const Configuration& configuration,
                         const PictureOptions& options = {});

/// The options that a word asks for: "auto", "iso", "x", "y", "z" (along that axis), or a direction
/// "1,-2,0.5". @throws UsageError for anything else.
void set_view(PictureOptions& options, const std::string& word);

/// "auto", "none", "bodies", "all". @throws UsageError for anything else.
PictureLabels picture_labels(const std::string& word);

}  // namespace sarrus
