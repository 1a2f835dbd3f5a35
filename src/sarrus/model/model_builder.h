#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "sarrus/model/model.h"

namespace sarrus {

/// Turns a Description into a Model, collecting every mistake on the way. Used by Model only.
class ModelBuilder {
 public:
  ModelBuilder(const Description& description, Model& model)
      : description_(description), model_(model) {}

  /// @throws ModelError
  void build();

  /// Replaces the subsystems of a model that is there already.
  /// @throws ModelError
  void regroup();

  /// Adds the bodies, joints and forces of the description to a model that is there already.
  /// @throws ModelError
  void append();

 private:
  void error(const SourceLocation& where, std::string what, std::string hint = {});
  /// Whether there is room for one more message.
  bool may_tell() const { return problems_.size() < kMostDiagnostics; }

  void add_bodies();
  void add_body(const BodyDescription& body);
  void place_relative_bodies();
  void check_body(const BodyDescription& body);
  void make_flexible(const BodyDescription& description, Body& body);
  void add_joints();
  void add_joint(const JointDescription& description);
  bool check_joint(const JointDescription& description, Joint& joint);
  void place_joint(const JointDescription& description, Joint& joint);
  std::vector<Hold> holds(const JointDescription& description, const CoordinateValues& values,
                          std::string_view field);
  void add_forces();
  void check_motions();
  void check_timeline();
  void check_simulation();
  void add_subsystems();
  void collect_breakpoints();

  /// Index of a body, or −1 with an error that names `element`.
  int body_index(const std::string& name, const std::string& element, const SourceLocation& where);

  /// The joint coordinate an element acts on, or an invalid one with an error.
  Freedom freedom(const std::string& joint, const std::string& coordinate,
                  const std::string& element, const Source& source);

  /// Where something sits on a flexible body; X_BP: in the body's frame. Null on rigid ones, and with an
  /// error where there is no such node.
  Attachment attachment(int body, const std::string& node, const Transform& X_BP,
                        const std::string& element, const SourceLocation& where);

  /// A point of a load in its body's frame: given in the world, or that of the node itself.
  Vec3 point_in_body(int body, const std::string& node, bool at_node, const Vec3& in_world) const;

  void check_function(const TimeFunction& function, const std::string& element,
                      const SourceLocation& where);
  void check_not_negative(double number, const std::string& what, const std::string& element,
                          const SourceLocation& where);

  void add_force(const ForceDescription& force, const PointSpringDescription& spring);
  void add_force(const ForceDescription& force, const JointSpringDescription& spring);
  void add_force(const ForceDescription& force, const JointFrictionDescription& friction);
  void add_force(const ForceDescription& force, const AppliedForceDescription& load);
  void add_force(const ForceDescription& force, const AppliedTorqueDescription& load);
  void add_force(const ForceDescription& force, const JointTorqueDescription& torque);
  void add_force(const ForceDescription& force, const MotorDescription& motor);
  void add_force(const ForceDescription& force, const MotionDescription& motion);

  const Description& description_;
  Model& model_;
  std::vector<Diagnostic> problems_;
  bool appends_ = false;
  std::size_t mistakes_ = 0;                   ///< all of them, told or not
  std::vector<std::string> body_names_;        ///< for hints; made when the first one is needed
  std::vector<std::string> joint_names_;       ///< as above
  std::vector<const Source*> motion_sources_;  ///< of the model's motions; null: not from here
};

}  // namespace sarrus
