#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sarrus/base/ids.h"
#include "sarrus/model/configuration.h"
#include "sarrus/model/description.h"
#include "sarrus/model/forces.h"
#include "sarrus/model/joint.h"
#include "sarrus/model/name_index.h"

namespace sarrus {

/// A body of a Model. Body 0 is ground: it never moves.
struct Body {
  std::string name;
  Inertia inertia;              ///< of a flexible one: undeformed
  Transform X_WB;               ///< at the reference pose
  Vec6 V_start = Vec6::Zero();  ///< wished for at t = 0; the assembly makes it consistent
  std::vector<Shape> shapes;
  SourceLocation where;
  std::shared_ptr<const ModalBody> modal = {};  ///< null: the body is rigid
  int first_mode = 0;                           ///< of a flexible one, in Configuration::modes
};

/// A mechanism, checked and indexed. Immutable: an edit makes a new one.
class Model {
 public:
  /// @throws ModelError with every mistake in the description.
  explicit Model(const Description& description);

  const std::string& name() const { return name_; }
  const Vec3& gravity() const { return gravity_; }
  const std::vector<Body>& bodies() const { return bodies_; }  ///< ground first
  const std::vector<Joint>& joints() const { return joints_; }
  const Body& body(BodyId id) const { return bodies_[id.slot()]; }
  const Joint& joint(JointId id) const { return joints_[id.slot()]; }
  int body_count() const { return static_cast<int>(bodies_.size()); }  ///< with ground
  int joint_count() const { return static_cast<int>(joints_.size()); }

  const std::vector<PointSpring>& point_springs() const { return point_springs_; }
  const std::vector<JointSpring>& joint_springs() const { return joint_springs_; }
  const std::vector<JointFriction>& joint_frictions() const { return joint_frictions_; }
  const std::vector<AppliedForce>& applied_forces() const { return applied_forces_; }
  const std::vector<AppliedTorque>& applied_torques() const { return applied_torques_; }
  const std::vector<JointTorque>& joint_torques() const { return joint_torques_; }
  const std::vector<Motor>& motors() const { return motors_; }
  const std::vector<PrescribedMotion>& motions() const { return motions_; }
  const std::vector<SoftJoint>& soft_joints() const { return soft_joints_; }  ///< from edits

  /// Joints that edits have cut and may restore.
  const std::vector<CutAway>& cut_away() const { return cut_away_; }

  /// Bodies that belong together for modular methods, by name.
  const std::vector<SubsystemDescription>& subsystems() const { return subsystems_; }

  /// The same mechanism with other subsystems.
  /// @throws ModelError with every mistake in them.
  Model with_subsystems(std::vector<SubsystemDescription> subsystems) const;

  /// Names of all forces and drives.
  std::vector<std::string> force_names() const;

  /// @throws UsageError when there is none of that name; the message says which name is near.
  BodyId find_body(std::string_view name) const;
  JointId find_joint(std::string_view name) const;

  /// Names of the joint's coordinates, for output and messages.
  const std::vector<std::string>& coordinate_names(JointId id) const {
    return joint_coordinate_names(joint(id).type());
  }

  int freedom_count() const { return freedom_count_; }  ///< coordinates of all joints together

  int mode_count() const { return static_cast<int>(modes_.size()); }  ///< of all bodies together

  /// Names of the flexible bodies.
  std::vector<std::string> flexible_bodies() const;

  /// Times at which a force or drive has a corner, rising: no step straddles one.
  const std::vector<double>& breakpoints() const { return breakpoints_; }

  /// Defaults for a run, from the description.
  const SimulationDescription& simulation() const { return simulation_; }

  /// What is to happen to it, by time.
  const std::vector<TimelineEntry>& timeline() const { return *timeline_; }

  /// The pose as described, with the wished-for velocities; not yet assembled.
  Configuration reference_configuration() const;

 private:
  friend class ModelBuilder;
  friend class ModelEditor;

  Model() = default;
  void collect_breakpoints();

  std::string name_;
  Vec3 gravity_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<PointSpring> point_springs_;
  std::vector<JointSpring> joint_springs_;
  std::vector<JointFriction> joint_frictions_;
  std::vector<AppliedForce> applied_forces_;
  std::vector<AppliedTorque> applied_torques_;
  std::vector<JointTorque> joint_torques_;
  std::vector<Motor> motors_;
  std::vector<PrescribedMotion> motions_;
  std::vector<SoftJoint> soft_joints_;
  std::vector<CutAway> cut_away_;
  std::vector<double> breakpoints_;
  std::vector<SubsystemDescription> subsystems_;
  SimulationDescription simulation_;
  std::shared_ptr<const std::vector<TimelineEntry>> timeline_;  ///< shared by all edited copies
  int freedom_count_ = 0;
  std::vector<double> modes_, mode_rates_;  ///< of flexible bodies, at the start
  NameIndex body_index_;
  NameIndex joint_index_;
};

}  // namespace sarrus
