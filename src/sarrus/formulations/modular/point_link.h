#pragma once

#include <array>

#include "sarrus/formulations/modular/subsystem.h"

namespace sarrus::modular {

/// The link of Joli, Séguy and Feng: two nodal masses and a massless rod between them, whose length is
/// held by three iterations with a penalty.  [modular-point-link]
///
///     φ = |r₂ − r₁|² − l²
///
/// In the model it is two point masses joined by a fixed joint; here the joint becomes the length
/// alone, and the coordinates are those of the two nodes. The bodies' frames turn with the rod and not
/// about it.
class PointLink final : public Subsystem {
 public:
  /// @throws UsageError when the bodies are not two point masses joined by a fixed joint.
  PointLink(const Model& model, const std::vector<BodyId>& bodies);

  std::unique_ptr<Subsystem> clone() const override { return std::make_unique<PointLink>(*this); }
  int own_coordinates() const override { return 6; }
  bool starts_from_bodies() const override { return true; }
  void start(const Configuration& configuration, std::span<double> positions,
             std::span<double> velocities) const override;
  void place(std::span<const double> positions, std::span<const double> velocities,
             Configuration& configuration) const override;
  Status respond(const SubsystemMoment& moment, SubsystemResponse& response) override;
  void accelerate(const VecX& wrenches, std::span<double> accelerations) override;
  void add_reactions(const VecX& wrenches, std::span<Vec6> reactions) override;

 private:
  using Mat12x6 = Eigen::Matrix<double, 12, 6>;

  std::array<BodyId, 2> bodies_;
  std::array<double, 2> masses_{};
  JointId rod_;
  int second_ = 0;  ///< which of the two is the rod's body b
  Vec3 direction_;  ///< of the rod, in the first body's axes
  double length_ = 0;

  // Of the last respond().
  Mat12x6 B_;  ///< [ω; v] of both bodies from the nodes' velocities
  Vec6 free_;  ///< accelerations of the nodes
  Mat6 W_;     ///< of the nodes
  std::array<Vec6, 2> loads_;
};

}  // namespace sarrus::modular
