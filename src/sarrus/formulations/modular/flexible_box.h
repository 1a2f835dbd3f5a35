#pragma once

#include "sarrus/formulations/modular/subsystem.h"
#include "sarrus/spatial/dense.h"

namespace sarrus::modular {

/// Nodes of a flexible body that joints sit at, each once, in the order of the joints: its ports beside
/// its frame.
std::vector<const NodeAttachment*> node_ports(const Model& model, BodyId body);

/// A flexible body as a black box. The joints around see how its frame and its nodes respond to wrenches
/// there; the modes are its own.  [modular-flexible]
class FlexibleBox final : public Subsystem {
 public:
  /// @throws UsageError when the body has no inertia against some motion.
  FlexibleBox(const Model& model, BodyId body);

  std::unique_ptr<Subsystem> clone() const override { return std::make_unique<FlexibleBox>(*this); }
  int own_coordinates() const override { return modal().count(); }
  bool starts_from_bodies() const override { return true; }
  Status respond(const SubsystemMoment& moment, SubsystemResponse& response) override;
  void accelerate(const VecX& wrenches, std::span<double> accelerations) override;

 private:
  const ModalBody& modal() const { return *model_->body(body_).modal; }
  bool factor(const double* eta, const Mat3& R);

  const Model* model_;
  BodyId body_;
  std::vector<const NodeAttachment*> ports_;
  MatX P_;     ///< velocities of the ports for those of the frame and the modes
  VecX bias_;  ///< accelerations of the ports that come without those
  MatX mass_;
  VecX force_;
  Cholesky<MatX> factor_;
};

}  // namespace sarrus::modular
