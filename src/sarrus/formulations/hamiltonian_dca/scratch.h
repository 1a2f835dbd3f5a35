#pragma once

#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/hamiltonian_dca/hamiltonian_dca.h"
#include "sarrus/formulations/hamiltonian_dca/lane_solver.h"
#include "sarrus/formulations/singular_watch.h"
#include "sarrus/model/loads.h"

namespace sarrus {

/// Where Discrete::integers keeps whether the next step begins near a singular position.
inline constexpr std::size_t kNearSingular = kSingularNoted + 1;

/// What one thread needs to evaluate one state.
struct HamiltonianDca::Scratch final : Workspace {
  struct Eliminated {
    explicit Eliminated(const HamiltonianDca& method)
        : elimination(method.plan_, method.executor_, method.assembled_), projector(elimination) {
      Regularisation& how = elimination.regularisation();
      how.nominal_ranks = method.nominal_.ranks;
      // [hamilton-singular]  No penalty: what is let go too early is missed beyond a singular position,
      // and a direction that is lost in rounding goes on as the momenta say.
      how.deficient = 0;
      how.penalty = 0;
      how.lost = 1e-14;
      if (method.lanes_)
        lanes = std::make_unique<hamiltonian::LaneSolver>(
            *method.lanes_, method.fast_parts_, method.plan_, method.assembly_,
            static_cast<int>(method.model_.bodies().size()) - 1);
      if (method.is_fast_)
        fast = std::make_unique<augmented_dca::FastPartSolver>(method.fast_parts_, method.plan_,
                                                               method.assembly_);
    }
    Elimination elimination;
    TreeProjector projector;
    std::unique_ptr<augmented_dca::FastPartSolver> fast;
    std::unique_ptr<hamiltonian::LaneSolver> lanes;
  };

  explicit Scratch(const HamiltonianDca& method)
      : eliminated(method.open_ ? nullptr : std::make_unique<Eliminated>(method)),
        open(method.open_ ? method.open_->make_workspace() : nullptr),
        configuration(method.assembled_),
        q(to_index(method.tree_.nq())),
        u(to_index(method.tree_.nv())),
        zeros(u.size(), 0.0),
        momenta(u.size()),
        momentum_rate(u.size()),
        g(to_index(method.system_.rows()), 0.0),
        impulses(method.model_.bodies().size(), Vec6::Zero()),
        Q(impulses),
        carried(impulses),
        carried_rate(carried),
        x(to_index(method.state_.layout().size())) {
    if (method.is_fast_) {
      bodies_at_rest.assign(to_index(body_state::layout(method.model_).size()), 0.0);
      bodies_rates.assign(to_index(body_state::layout(method.model_).tangent_size()), 0.0);
    }
    configuration.velocities.assign(impulses.size(), Vec6::Zero());
  }

  Elimination& elimination() { return eliminated->elimination; }

  hamiltonian::LaneSolver::Inputs lane_inputs(const HamiltonianDca& method,
                                              std::span<const double> state,
                                              const Discrete& discrete) const {
    return {.q = state.data(),
            .p = state.data() + method.momenta_at(),
            .scale = method.scale_.data(),
            .inverse_scale = method.inverse_scale_.data(),
            .joint_inertia = method.joint_inertia_.data(),
            .coordinates = discrete.coordinates.data(),
            .gravity = method.model_.gravity().data()};
  }

  /// Poses and velocities of the joints' speeds in here.
  void write_configuration(const HamiltonianDca& method, std::span<const double> state,
                           const Discrete& discrete, Configuration& to) {
    tree::kinematics(method.tree_, q.data(), u.data(), motion);
    write_tree_state(method, state);
    to.coordinates = discrete.coordinates;
    method.state_.decode(x, motion, to);
  }

  /// Coordinates, speeds and supplied work.
  void write_tree_state(const HamiltonianDca& method, std::span<const double> state) {
    std::copy(q.begin(), q.end(), x.begin());
    std::copy(u.begin(), u.end(), x.begin() + method.tree_.nq());
    x.back() = state.back();
  }

  std::unique_ptr<Eliminated> eliminated;
  std::unique_ptr<Workspace> open;
  Configuration configuration;
  tree::TreeMotion motion;
  std::vector<double> q, u;     ///< with what is prescribed
  std::vector<double> zeros;    ///< per speed
  std::vector<double> momenta;  ///< in their own units
  std::vector<double> momentum_rate;
  std::vector<double> g;                             ///< per row
  std::vector<Vec6> impulses, Q;                     ///< per body of the model
  std::vector<Vec6> carried, carried_rate;           ///< the same
  std::vector<double> bodies_at_rest, bodies_rates;  ///< a state of bodies, and its rates
  hamiltonian::Subtrees sums;
  Loads loads;
  std::vector<double> x;  ///< a state of the tree
  SingularWatch watch;
  bool near_singular = false;  ///< the step of the last stage
};

}  // namespace sarrus
