#pragma once

#include "sarrus/base/status.h"
#include "sarrus/constraints/kkt.h"

namespace sarrus {

/// Brings positions and velocities to the constraint manifold with the least change in the kinetic
/// metric, and keeps the factorisation for whoever needs it next (accelerations).
///
/// All scratch lies in here: one a thread.
class Projector {
 public:
  /// `rank_limit`: the nominal rank; `conditioning`: see Kkt::factor.
  Projector(const ConstraintSystem& system, int rank_limit, double conditioning = 0);

  /// Evaluates rows and masses at the configuration and factorises. Right after project_positions
  /// it must be given the same configuration.
  Status factor(double t, const Configuration& configuration);

  /// Position projection: min ‖δ‖_M with φ(x ⊞ δ) = 0, by Newton steps with the Jacobian of the
  /// start, refreshed where they converge slowly. Coordinates follow.  [projection-position]
  Status project_positions(double t, Configuration& configuration);

  /// Velocity projection: min ‖V* − V‖_M with J V* + φ_t = 0. Needs factor() at this pose; leaves
  /// values() with the velocity-dependent terms of the new velocities.  [projection-velocity]
  void project_velocities(double t, Configuration& configuration);

  const ConstraintSystem& system() const { return *system_; }
  const ConstraintValues& values() const { return values_; }
  /// Of the pose factorised last: its smallest pivot over that of generic poses; 0 where the rank falls
  /// below the limit, 1 where no conditioning was given.
  double strength() const;

  Kkt& kkt() { return kkt_; }
  const Kkt& kkt() const { return kkt_; }

  long factorizations = 0;
  long iterations = 0;

 private:
  const ConstraintSystem* system_;
  int rank_limit_;
  double conditioning_;
  Kkt kkt_;
  ConstraintValues values_;
  std::vector<Mat6> masses_;
  std::vector<ModalMass> modal_;  ///< of flexible bodies
  Configuration before_;
  VecX zero_, delta_, lambda_, phi_, V_;
  bool factors_hold_ = false;
};

/// Inertia of the system's bodies and of their modes, where those have columns.
void gather_masses(const ConstraintSystem& system, const Configuration& configuration,
                   std::vector<Mat6>& masses, std::vector<ModalMass>& modal);

/// The status for a free direction without inertia, naming the body.
Status massless_status(const Model& model, BodyId body);

}  // namespace sarrus
