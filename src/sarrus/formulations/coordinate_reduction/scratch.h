#pragma once

#include <cmath>
#include <optional>

#include "sarrus/constraints/kkt.h"
#include "sarrus/formulations/coordinate_reduction/coordinate_reduction.h"
#include "sarrus/formulations/coordinate_reduction/paper.h"
#include "sarrus/formulations/singular_watch.h"

namespace sarrus {

namespace coordinate_reduction {

inline double norm_of(std::span<const double> numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace coordinate_reduction

/// What one thread needs to evaluate one state.
struct CoordinateReduction::Scratch final : Workspace {
  explicit Scratch(const CoordinateReduction& method)
      : solver(method.fronts_, method.executor_),
        q(to_index(method.tree_.nq())),
        v(to_index(method.tree_.nv())),
        v_rate(to_index(method.tree_.nv())),
        displacement(to_index(method.state_.layout().tangent_size()), 0.0),
        state(to_index(method.state_.layout().size()), 0.0),
        moved(to_index(method.state_.layout().size()), 0.0),
        unknowns(to_index(method.fronts_.unknown_count())),
        given(to_index(method.fronts_.closing_row_count())),
        wrenches(6 * method.tree_.bodies().size()),
        kernel_drives(method.drives_.size()),
        tau(to_index(method.tree_.nv())),
        tau_free(to_index(method.fronts_.unknown_count())),
        held(to_index(method.fronts_.unknown_count()), 0),
        needed(method.tree_.bodies().size()) {
    if (method.chained_) chained.emplace(*method.chained_, method.executor_, &solver);
    if (method.options_.paper) paper.emplace(method.model_, method.topology_, method.tree_);
  }

  coordinate_reduction::FrontSolver solver;
  std::optional<coordinate_reduction::FrontSolver> chained;  ///< takes long chains at once
  coordinate_reduction::FrontSolver* last = &solver;         ///< who solved last
  Inputs inputs;                                             ///< of the last solve
  std::vector<double> q, v, v_rate;
  std::vector<double> displacement, state, moved;
  std::vector<double> unknowns;
  std::vector<coordinate_reduction::GivenRow> given;
  std::vector<double> wrenches;
  std::vector<tree::DrivenJoint> drives;
  std::vector<tree::Drive> kernel_drives;
  Configuration configuration;
  bool was_closed = false;  ///< the last projection found the positions closed
  bool located = false;     ///< the configuration is that of q, v
  Loads loads;
  std::vector<double> tau, tau_free;  ///< along the speeds, and along the unknowns
  double supplied_power = 0;
  std::vector<std::int8_t> held;
  bool has_inertia = false;  ///< an open mechanism, in every direction; checked once
  bool holds = false;  ///< the independent unknowns, at the levels of positions and velocities
  std::vector<std::int64_t> chosen;
  std::optional<coordinate_reduction::PaperRecursion> paper;
  std::vector<Vec6> needed, external;
  std::vector<double> no_tau;
  coordinate_reduction::Reactions reactions;
  SingularWatch watch;
};

}  // namespace sarrus
