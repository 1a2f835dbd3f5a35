#pragma once

#include "sarrus/constraints/kkt.h"
#include "sarrus/formulations/modular/body_admittance.h"
#include "sarrus/formulations/modular/subsystem.h"

namespace sarrus::modular {

/// Some bodies with the joints between them, solved inside by orthogonal factors: the joints around
/// see only what the inner ones leave free.  [modular-inner]
class BodiesSubsystem final : public Subsystem {
 public:
  /// `assembled` is a closed pose; the rank of the inner constraints is what it is there.
  /// @throws UsageError when a body that no inner joint holds has no inertia against some motion.
  BodiesSubsystem(const Model& model, std::vector<BodyId> bodies, const Configuration& assembled);

  std::unique_ptr<Subsystem> clone() const override {
    return std::make_unique<BodiesSubsystem>(*this);
  }
  Status respond(const SubsystemMoment& moment, SubsystemResponse& response) override;
  double supplied_power(const VecX& wrenches) override;
  void add_reactions(const VecX& wrenches, std::span<Vec6> reactions) override;

  BodiesSubsystem(const BodiesSubsystem& other);

 private:
  Status factor(double t, const Configuration& configuration);
  void solve_under(const VecX& wrenches);

  const Model* model_;
  std::vector<BodyId> bodies_;
  std::vector<JointId> joints_;
  ConstraintSystem system_;
  int rank_limit_;
  std::vector<int> place_of_column_;  ///< per column body: among bodies_
  std::vector<int> loose_;            ///< among bodies_: without inner joints
  std::vector<BodyAdmittance> loose_admittance_;
  Kkt kkt_;
  ConstraintValues values_;
  std::vector<Mat6> masses_;
  VecX Q_, f_, g_, a_, lambda_;
};

}  // namespace sarrus::modular
