#pragma once

#include <vector>

#include "sarrus/model/loads.h"
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

  /// The same with every deformation held: modes have no columns.
  static ConstraintSystem with_held_modes(const Model& model,
                                          std::vector<PrescribedMotion> motions);

  /// Only these joints with the motions on them, and only the bodies they touch as columns.
  ConstraintSystem(const Model& model, std::vector<JointId> joints,
                   const std::vector<PrescribedMotion>& motions);

  const Model& model() const { return *model_; }
  int rows() const { return static_cast<int>(origins_.size()); }
  int columns() const { return 6 * static_cast<int>(column_bodies_.size()) + mode_columns_; }
  const std::vector<Origin>& origins() const { return origins_; }
  const std::vector<PrescribedMotion>& motions() const { return motions_; }

  /// First column of a body, or −1 (ground, or not part of this system).
  int column(BodyId body) const { return columns_[body.slot()]; }
  const std::vector<BodyId>& column_bodies() const { return column_bodies_; }

  /// Modes of the flexible ones among them have columns behind all those of bodies.
  struct ModeColumns {
    BodyId body;
    int block = 0;   ///< the body's place among column_bodies()
    int column = 0;  ///< first of its modes
  };
  const std::vector<ModeColumns>& mode_columns() const { return modes_of_bodies_; }

  /// Of columns that make all of them lengths: 1/length() for angular ones, 1 for linear ones; for
  /// modes what moves a node by one metre.
  const VecX& column_scale() const { return column_scale_; }

  /// A typical length [m]: angular columns and rows are measured with it.  [constraint-scaling]
  double length() const { return length_; }

  /// 1 for rows in metres, length() for rows in radians: makes all rows lengths.
  const VecX& row_scale() const { return row_scale_; }

  void evaluate(double t, const Configuration& configuration, ConstraintValues& values) const;

  /// The rows of joint number i of this system are [first_row(i), first_row(i + 1)).
  int first_row(int i) const { return first_rows_[static_cast<std::size_t>(i)]; }

  /// Calls visit(r, row, f) for each row r of joint number i of this system; f is what a prescribed
  /// motion asks of it: φ = row.value − f.value. The row is that of the joint's carriers.
  template <class Visit>
  void visit_rows(int i, double t, const Configuration& configuration, Visit visit) const {
    visit_rows_in(view_of(joint_at(i), configuration), i, t, configuration, visit);
  }

  /// The same without γ of the joint's motion: values and matrices only.
  template <class Visit>
  void visit_rows_at_rest(int i, double t, const Configuration& configuration, Visit visit) const {
    visit_rows_in(view_at_rest(joint_at(i), configuration), i, t, configuration, visit);
  }

  /// The same in a view of the joint that is given.
  template <class Visit>
  void visit_rows_in(const JointView& view, int i, double t, const Configuration& configuration,
                     Visit visit) const;

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
  enum class Modes { kFree, kHeld };
  ConstraintSystem(const Model& model, std::vector<JointId> joints, std::vector<BodyId> bodies,
                   std::vector<PrescribedMotion> motions, Modes modes = Modes::kFree);
  const Joint& joint_at(int i) const { return model_->joint(joints_[static_cast<std::size_t>(i)]); }
  void put_row(int r, BodyId body, const NodeMotion* node, const Vec6& J,
               ConstraintValues& values) const;

  const Model* model_;
  std::vector<JointId> joints_;
  std::vector<Origin> origins_;
  std::vector<int> columns_;
  std::vector<BodyId> column_bodies_;
  std::vector<PrescribedMotion> motions_;
  std::vector<std::vector<int>> motions_of_joint_;  ///< by position in joints_
  std::vector<int> first_rows_;
  std::vector<ModeColumns> modes_of_bodies_;
  std::vector<int> first_mode_columns_;  ///< by body; −1: none. Empty when no body has any
  int mode_columns_ = 0;
  VecX row_scale_;
  VecX column_scale_;
  double length_ = 1;
};

template <class Visit>
void ConstraintSystem::visit_rows_in(const JointView& view, int i, double t, const Configuration& c,
                                     Visit visit) const {
  const auto place = static_cast<std::size_t>(i);
  const Joint& joint = joint_at(i);
  const double* near = c.coordinates.data() + joint.first_freedom;
  int r = first_row(i);
  for (const Row& row : joint.constraint_rows(view, near)) visit(r++, row, TimeFunction::Value{});
  if (motions_of_joint_[place].empty()) return;
  const Rows coordinates = joint.coordinate_rows(view, near);
  for (int m : motions_of_joint_[place]) {
    const PrescribedMotion& motion = motions_[static_cast<std::size_t>(m)];
    if (motion.on_speed)
      visit(r++, joint.speed_rows(view, near)[motion.at.index], motion.value(t));
    else
      visit(r++, coordinates[motion.at.index], motion.value(t));
  }
}

}  // namespace sarrus
