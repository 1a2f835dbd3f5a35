#pragma once

#include <string>

#include "sarrus/io/results/layout.h"
#include "sarrus/model/model.h"

namespace sarrus {

/// What there is to see of a mechanism and how it hangs together, as JSON: bodies with their shapes,
/// joints with their frames, gravity. A body without shapes is drawn as in its picture: a bar between
/// its joints, a ring of bars through three and more, a ball where nothing holds it.
/// Its keys: docs/reference/results.md. `description`: a sentence about it, or none.
std::string scene_json(const Model& model, const Configuration& assembled,
                       const std::string& description = "");

/// What a scene says about the results that belong to it.
struct SceneOutline {
  std::string title;
  std::string description;
  ResultsLayout layout;
};

/// @throws UsageError for a text that is no scene.
SceneOutline read_scene(const std::string& json);

}  // namespace sarrus
