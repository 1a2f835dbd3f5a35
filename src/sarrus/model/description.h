#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sarrus/base/diagnostics.h"
#include "sarrus/model/joint_type.h"
#include "sarrus/model/modal_body.h"
#include "sarrus/model/time_function.h"
#include "sarrus/spatial/inertia.h"
#include "sarrus/spatial/transform.h"

/// What the user wrote: the same plain structs whether they come from a model file or are filled in
/// C++. `Model` checks them, all at once, and turns them into what the engine runs on.
namespace sarrus {

/// Where an element and its fields stand in a model file; empty when built in C++.
struct Source {
  using Fields = std::map<std::string, SourceLocation, std::less<>>;

  SourceLocation element;
  std::shared_ptr<const Fields> fields;  ///< one map for all the elements of a `repeat`

  /// The field's place, or the element's where the field has none of its own.
  const SourceLocation& at(std::string_view field) const {
    if (fields == nullptr) return element;
    const auto found = fields->find(field);
    return found == fields->end() ? element : found->second;
  }
};

/// Values by coordinate name ("angle", "slide", …; see joint_coordinate_names()).
using CoordinateValues = std::map<std::string, double, std::less<>>;

/// Something to look at; rides along and has no influence on the motion.
struct Shape {
  enum class Kind { kBox, kSphere, kCylinder, kCapsule, kMesh };
  Kind kind = Kind::kBox;
  Vec3 size = Vec3::Zero();  ///< box: edges; sphere: radius; cylinder, capsule: radius, length (z)
  Transform X_BS;            ///< in the body's frame
  std::string color;         ///< "#rrggbb" or empty
  std::string mesh;          ///< file, for kMesh
};

/// How a body deforms; its `mass`, `center_of_mass` and `inertia` are those of the undeformed one.
struct FlexibleDescription {
  ModalData data;
  std::vector<double> deformation;       ///< modal coordinates at the start; empty: none
  std::vector<double> deformation_rate;  ///< their rates
};

struct BodyDescription {
  std::string name;
  double mass = 0;                       ///< [kg]
  Vec3 center_of_mass = Vec3::Zero();    ///< in the body's frame [m]
  Mat3 inertia = Mat3::Zero();           ///< about the mass centre, body axes [kg m²]
  Transform pose;                        ///< of the body's frame, at the reference pose
  std::string relative_to;               ///< body whose frame `pose` is given in; empty: world
  Vec3 angular_velocity = Vec3::Zero();  ///< at the start, world axes [rad/s]
  Vec3 velocity = Vec3::Zero();          ///< of the frame's origin at the start [m/s]
  std::vector<Shape> shapes;
  std::shared_ptr<const FlexibleDescription> flexible;  ///< null: the body is rigid
  Source source;
};

/// What the topology may do with a joint when it opens the loops.
enum class CutPreference { kAuto, kPrefer, kForbid };

/// A joint between two bodies, `body_a` first. Every type may stand anywhere in the graph.
///
/// Placement, one of two ways:
/// - as assembled (`at`, with `axis` …): one frame in the world at the reference pose, fixed from
///   there in both bodies, so the joint is closed by construction;
/// - by `frame_a` and `frame_b`, each in its own body's frame: the assembly closes the gap.
///
/// The joint's z axis is its axis (revolute, prismatic, helical, cylindrical; planar: the normal).
/// A universal joint turns about x first (fixed in body_a), then about y (fixed in body_b).
struct JointDescription {
  std::string name;
  JointType type = JointType::kRevolute;
  std::string body_a = "ground";
  std::string body_b;
  std::string node_a;  ///< of a flexible body_a that the joint sits at; empty: its frame
  std::string node_b;

  Transform at;                      ///< joint frame in the world at the reference pose
  std::optional<Transform> frame_a;  ///< in body_a's frame; both or neither
  std::optional<Transform> frame_b;

  double lead = 0;             ///< helical: advance per turn [m]
  CoordinateValues reference;  ///< coordinates at the reference pose; 0 where not named
  CoordinateValues start;      ///< coordinates held by the assembly at t = 0
  /// Held by the assembly at t = 0: rates of coordinates. rx, ry, rz: the relative angular velocity in
  /// the axes of the frame on body_b, which is not the rotation vector's rate.
  CoordinateValues speed;
  CutPreference cut = CutPreference::kAuto;
  Source source;
};

/// A spring and damper between a point of body_a and a point of body_b.
struct PointSpringDescription {
  std::string body_a = "ground";
  std::string body_b;
  std::string node_a;  ///< of a flexible body_a; empty: its frame
  std::string node_b;
  bool at_node_a = false;  ///< the point is the node itself
  bool at_node_b = false;
  Vec3 point_a = Vec3::Zero();  ///< in the world at the reference pose
  Vec3 point_b = Vec3::Zero();
  double stiffness = 0;               ///< [N/m]
  double damping = 0;                 ///< [N s/m]
  std::optional<double> rest_length;  ///< [m]; the length at the reference pose by default
};

/// A spring along one coordinate of a joint: force −stiffness (q − rest).
struct JointSpringDescription {
  std::string joint;
  std::string coordinate;  ///< may be empty where the joint has one coordinate
  double stiffness = 0;    ///< [N m/rad] or [N/m]
  double rest = 0;
};

/// Viscous and smooth Coulomb friction on one speed of a joint:
/// force −viscous v − coulomb tanh(v / transition_speed).
struct JointFrictionDescription {
  std::string joint;
  std::string coordinate;
  double viscous = 0;
  double coulomb = 0;
  double transition_speed = 1e-3;
};

enum class LoadFrame { kWorld, kBody };

/// A force at a point of a body: `direction` (need not be a unit vector) times `value`(t).
struct AppliedForceDescription {
  std::string body;
  std::string node;           ///< of a flexible body; empty: its frame
  bool at_node = false;       ///< the point is the node itself
  Vec3 point = Vec3::Zero();  ///< in the world at the reference pose
  Vec3 direction = Vec3::Zero();
  LoadFrame frame =
      LoadFrame::kWorld;  ///< kBody: `direction` is in the body's axes and turns along
  TimeFunction value = 1.0;
};

/// A torque on a body: `direction` times `value`(t).
struct AppliedTorqueDescription {
  std::string body;
  std::string node;  ///< of a flexible body; empty: its frame
  Vec3 direction = Vec3::Zero();
  LoadFrame frame = LoadFrame::kWorld;
  TimeFunction value = 1.0;
};

/// A force or torque along one speed of a joint, given in time.
struct JointTorqueDescription {
  std::string joint;
  std::string coordinate;
  TimeFunction value;
};

/// A PD motor: force stiffness (target − q) + damping (target rate − q̇).
struct MotorDescription {
  std::string joint;
  std::string coordinate;
  TimeFunction target;
  double stiffness = 0;
  double damping = 0;
};

/// A prescribed motion q(t) = value(t), as a rheonomic constraint.
struct MotionDescription {
  std::string joint;
  std::string coordinate;
  TimeFunction value;
};

/// A force, spring, friction or drive; all of them may act on any joint, closing ones included.
using ForceVariant =
    std::variant<PointSpringDescription, JointSpringDescription, JointFrictionDescription,
                 AppliedForceDescription, AppliedTorqueDescription, JointTorqueDescription,
                 MotorDescription, MotionDescription>;

struct ForceDescription {
  std::string name;
  ForceVariant what;
  Source source;
};

/// Defaults for a run; the command line overrides them. Unset: the program's defaults.
struct SimulationDescription {
  std::optional<std::string> method;
  std::optional<std::string> integrator;
  std::optional<std::string> projection;
  std::optional<double> until;
  std::optional<double> every;
  std::optional<double> step;
  std::optional<double> tolerance;
  Source source;
};

/// Bodies that modular methods take as one black box; other methods do not mind. Bodies in none are one each.
struct SubsystemDescription {
  std::string name;
  std::vector<std::string> bodies;
  std::string kind = "bodies";  ///< or "point-link", or one of the user's own
  int steps = 1;                ///< that it takes within one step of the others, under `multirate`
  Source source;
};

/// One change of a mechanism that is moving. Places and points are those of the moment: what a
/// description calls the reference pose is, in an edit, the present one.
///
/// Takes the joint out, with the forces and drives that act on it; all are kept for `RestoreJoint`.
struct CutJoint {
  std::string joint;
};

/// Puts a joint that was cut back in, with what acted on it: where its two bodies are now, the frame on
/// the first as it was; or `original`: both frames as they were, drawn together by a soft joint that
/// becomes the joint once it is closed.
struct RestoreJoint {
  std::string joint;
  bool original = false;
};

struct AddBody {
  BodyDescription body;
};

/// Placed by `at`: in the world now, closed by construction. By frames in the bodies: drawn together
/// where they are apart.
struct AddJoint {
  JointDescription joint;
};

struct AddForce {
  ForceDescription force;
};

/// With `cascade` everything that uses the element goes, too; without, that is refused.
struct RemoveBody {
  std::string body;
  bool cascade = false;
};
struct RemoveJoint {
  std::string joint;
  bool cascade = false;
};
struct RemoveForce {
  std::string force;
};

/// Another value for a number of an element: "bodies.rod.mass" (the inertia goes with it),
/// "joints.screw.lead", "forces.spring.stiffness", "gravity.z".
struct SetNumber {
  std::string path;
  double value = 0;
};

/// Takes a point of a body and draws it to a target by a soft joint.  [soft-joint]
struct GrabBody {
  std::string name;  ///< of the grab
  std::string body;
  Vec3 point = Vec3::Zero();   ///< in the body's frame
  std::optional<Vec3> target;  ///< in the world; where the point is by default
  double frequency = 5;        ///< at which it follows [Hz]
  double damping_ratio = 1;
  std::optional<double> max_force;  ///< [N]; what gives the point 200 m/s² by default
};

/// The target of a grab goes to another place, in a straight line.
struct MoveGrab {
  std::string grab;
  Vec3 target = Vec3::Zero();
  double duration = 1.0 / 60;  ///< [s]; 0: at once
};

struct ReleaseGrab {
  std::string grab;
};

using EditVariant =
    std::variant<CutJoint, RestoreJoint, AddBody, AddJoint, AddForce, RemoveBody, RemoveJoint,
                 RemoveForce, SetNumber, GrabBody, MoveGrab, ReleaseGrab>;

struct Edit {
  EditVariant what;
  Source source;
};

/// Edits that are made together or not at all.
using Transaction = std::vector<Edit>;

/// What happens to the mechanism at a time of the run.
struct TimelineEntry {
  double at = 0;  ///< [s]
  Transaction edits;
  Source source;
};

struct Description {
  std::string name = "model";
  std::string title;
  Vec3 gravity{0, 0, -9.81};  ///< [m/s²], world
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<ForceDescription> forces;  ///< forces and drives
  std::vector<SubsystemDescription> subsystems;
  SimulationDescription simulation;
  std::vector<TimelineEntry> timeline;  ///< in any order

  /// Each appends and returns the description, for chaining: d.add_body({…}).add_joint({…}).
  Description& add_body(BodyDescription body);
  Description& add_joint(JointDescription joint);
  Description& add_force(std::string name, ForceVariant what);
};

/// "revolute", … and back; nullopt for an unknown word.
std::string_view name_of(JointType type);
std::optional<JointType> joint_type(std::string_view name);
const std::vector<std::string>& joint_type_names();

/// Names of a joint's coordinates, in order: revolute, helical "angle"; prismatic "slide";
/// cylindrical "angle","slide"; universal "angle1","angle2"; planar "x","y","angle";
/// spherical "rx","ry","rz"; free those and "x","y","z"; fixed none.
const std::vector<std::string>& joint_coordinate_names(JointType type);

}  // namespace sarrus
