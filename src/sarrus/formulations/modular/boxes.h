#pragma once

#include "sarrus/formulations/modular/uzawa.h"

namespace sarrus::modular {

/// A box and what is inside; null where it is a plain rigid body.
struct FilledBox {
  Box box;
  std::unique_ptr<Subsystem> inside;
};

/// The chosen subsystems first, then every other body by itself.
/// @throws UsageError for bodies or kinds that do not exist, and for a body in two subsystems;
///         ModelError, with all of them, for those that a model file describes.
std::vector<FilledBox> make_boxes(const Model& model, const Configuration& assembled,
                                  const UzawaOptions& options, const SubsystemKinds& kinds);

}  // namespace sarrus::modular
