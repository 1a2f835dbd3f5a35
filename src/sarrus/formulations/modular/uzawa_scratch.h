#pragma once

// Not for users of uzawa: what one thread needs to evaluate one state.

#include <memory>
#include <optional>
#include <vector>

#include "sarrus/constraints/projector.h"
#include "sarrus/formulations/modular/uzawa.h"
#include "sarrus/formulations/singular_watch.h"
#include "sarrus/model/loads.h"

namespace sarrus::modular {

inline std::size_t slot(int index) { return static_cast<std::size_t>(index); }

struct Uzawa::Scratch final : Workspace {
  explicit Scratch(const Uzawa& method)
      : system(method.interface_),
        solver(method.interface_,
               method.options_.iteration == Iteration::kTree ? method.elimination_.get() : nullptr,
               method.options_, method.least_eigenvalue_),
        projector(method.interface_, method.elimination_.get(), method.options_),
        lambda(method.interface_.links.size(), Vec6::Zero()),
        correction(lambda),
        phi(lambda),
        phi_rate(lambda),
        gamma(lambda),
        motion_rate(lambda),
        a(method.interface_.box_of.size(), Vec6::Zero()) {
    if (method.options_.projection != Projection::kOff &&
        method.model_.joint_count() <= kDenseJoints)
      dense_projector.emplace(method.system_, method.nominal_rank_, method.conditioning_);
    for (const auto& inside : method.subsystems_)
      subsystems.push_back(inside ? inside->clone() : nullptr);
  }

  Configuration configuration;
  Loads loads;
  std::vector<std::unique_ptr<Subsystem>> subsystems;
  InterfaceSystem system;
  InterfaceSolver solver;
  InterfaceSolver projector;
  std::optional<Projector> dense_projector;  ///< where there are few joints
  bool is_projected = false;                 ///< the last stage
  double strength = 1;                       ///< of the pose projected to last
  SingularWatch watch;
  Multipliers lambda, correction;
  Multipliers phi, phi_rate, gamma, motion_rate;
  std::vector<Vec6> a;
  VecX wrenches;
  std::unique_ptr<Multirate> multirate;  ///< made when first needed
  double compliance = 0;                 ///< of the joints, for their drift
  Solved solved;
  bool has_solved = false;
};

}  // namespace sarrus::modular
