#pragma once

#include <vector>

#include "sarrus/model/model.h"

namespace sarrus {

/// All constraint rows of a model (or of some of its joints) at one instant, dense.
///
/// φ = 0 closed; φ̇ = J V + φ_t; φ̈ = J a + γ with everything else in γ.
struct ConstraintValues {
  VecX phi;
  VecX phi_rate;
  VecX gamma;
  VecX motion_rate;  ///< ḟ of prescribed motions, 0 for joint rows
  MatX J;
};

/// The canonical constraint rows, the same for every method: those of every joint, in order, each
/// followed by the rows of the motions prescribed on it.  [constraint-rows]
class ConstraintSystem {
 public:
  /// Where a row comes from.
  struct Origin {
    JointId joint;
    int motion = -1;  ///< index into motions(), or −1 for the joint's own rows
    int row = 0;      ///< of the joint's own rows
  };

  /// The whole model with its prescribed motions.
  explicit ConstraintSystem(const Model& model);

  /// The whole model with these motions instead: none, or more (a held coordinate is one).
  ConstraintSystem(const Model& model, std::vector<PrescribedMotion> motions);

  /// Only these joints with the motions on them, and only the bodies they touch as columns.
  ConstraintSystem(const Model& model, std::vector<JointId> joints,
                   const std::vector<PrescribedMotion>& motions);

  const Model& model() const { return *model_; }
  int rows() const { return static_cast<int>(origins_.size()); }
  int columns() const { return 6 * static_cast<int>(column_bodies_.size()); }
  const std::vector<Origin>& origins() const { return origins_; }
  const std::vector<PrescribedMotion>& motions() const { return motions_; }

  /// First column of a body, or −1 (ground, or not part of this system).
  int column(BodyId body) const { return columns_[body.slot()]; }
  const std::vector<BodyId>& column_bodies() const { return column_bodies_; }

  /// A typical length [m]: angular columns and rows are measured with it.  [constraint-scaling]
  double length() const { return length_; }

  /// 1 for rows in metres, length() for rows in radians: makes all rows lengths.
  const VecX& row_scale() const { return row_scale_; }

  void evaluate(double t, const Configuration& configuration, ConstraintValues& values) const;

  /// Only φ (no matrix).
  void evaluate_positions(double t, const Configuration& configuration, VecX& phi) const;

  /// "joint 'J3'" or "motion 'crank' of joint 'J1'": whose row is the largest in `phi`.
  std::string worst(const VecX& phi) const;

  /// Stacks the velocities of the column bodies, and back.
  VecX velocities(const Configuration& configuration) const;
  void set_velocities(const VecX& V, Configuration& configuration) const;

  /// Moves the column bodies by δ (rotations on the left) and renormalises.
  void displace(const VecX& delta, Configuration& configuration) const;

 private:
  ConstraintSystem(const Model& model, std::vector<JointId> joints, std::vector<BodyId> bodies,
                   std::vector<PrescribedMotion> motions);

  const Model* model_;
  std::vector<JointId> joints_;
  std::vector<Origin> origins_;
  std::vector<int> columns_;
  std::vector<BodyId> column_bodies_;
  std::vector<PrescribedMotion> motions_;
  std::vector<std::vector<int>> motions_of_joint_;  ///< by position in joints_
  VecX row_scale_;
  double length_ = 1;
};

}  // namespace sarrus
