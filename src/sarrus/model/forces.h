#pragma once

#include <array>
#include <string>

#include "sarrus/base/ids.h"
#include "sarrus/model/description.h"
#include "sarrus/model/joint.h"

/// Forces and drives of a Model: the descriptions with names resolved and points fixed in bodies.
namespace sarrus {

/// One coordinate of one joint.
struct Freedom {
  JointId joint;
  int index = 0;
};

struct PointSpring {
  std::string name;
  BodyId a, b;
  Vec3 point_a, point_b;  ///< in the bodies' frames, undeformed
  Attachment attachment_a = {}, attachment_b = {};
  double stiffness = 0;
  double damping = 0;
  double rest_length = 0;
};

struct JointSpring {
  std::string name;
  Freedom at;
  double stiffness = 0;
  double rest = 0;
};

struct JointFriction {
  std::string name;
  Freedom at;
  double viscous = 0;
  double coulomb = 0;
  double transition_speed = 0;
};

struct AppliedForce {
  std::string name;
  BodyId body;
  Vec3 point;  ///< in the body's frame, undeformed
  Vec3 direction;
  LoadFrame frame = LoadFrame::kWorld;
  TimeFunction value;
  Attachment attachment = {};
};

struct AppliedTorque {
  std::string name;
  BodyId body;
  Vec3 direction;
  LoadFrame frame = LoadFrame::kWorld;
  TimeFunction value;
  Attachment attachment = {};
};

struct JointTorque {
  std::string name;
  Freedom at;
  TimeFunction value;
};

struct Motor {
  std::string name;
  Freedom at;
  TimeFunction target;
  double stiffness = 0;
  double damping = 0;
};

/// q(t) = value(t): one rheonomic constraint row.
struct PrescribedMotion {
  std::string name;
  Freedom at;
  TimeFunction value;
  bool on_speed =
      false;  ///< its rate is the speed's, not the coordinate's; made by the assembly only
};

/// Draws two frames together along the constraint rows of a joint, as a spring and damper tuned to the
/// inertia that the rows feel: φ̈ = −ω² φ − 2 ζ ω φ̇ while the force stays below its limit.
/// Made by edits only: a grab, or a joint that is not yet closed.  [soft-joint]
struct SoftJoint {
  std::string name;
  Joint joint;  ///< its rows; a grab: spherical, from ground to the body
  bool grabs = false;
  std::array<TimeFunction, 3> target;  ///< of a grab, in the world
  double frequency = 5;                ///< ω / 2π [Hz]
  double damping_ratio = 1;            ///< ζ
  std::optional<double> max_force;     ///< as asked for [N]
  double limit = 0;          ///< that holds: of all rows together, torques over `length` [N]
  double length = 1;         ///< that measures rows in radians [m]
  Mat6 mass = Mat6::Zero();  ///< inverse admittance of the rows, as many as they are
  Vec6 lead = Vec6::Zero();  ///< force that the rows need to stay where they are
  bool tumbles = false;      ///< its bodies turn so fast that rows do not last a step
  Transform X_AF_at(double t) const;  ///< the joint's, or that of the target
  Vec3 target_rate(double t) const;   ///< [m/s]

  /// The rows' values and rates, and the forces along them.
  struct Pull {
    Rows rows;
    VecUpTo6 phi, phi_rate, force;
  };
  /// Between two carriers.
  Pull pull(double t, const Transform& X_a, const Vec6& V_a, const Transform& X_b,
            const Vec6& V_b) const;
};

/// A joint that was cut, with what acted on it; bodies by name, for their numbers change.
struct CutAway {
  Joint joint;
  std::string body_a, body_b;
  std::vector<JointSpring> springs;
  std::vector<JointFriction> frictions;
  std::vector<JointTorque> torques;
  std::vector<Motor> motors;
  std::vector<PrescribedMotion> motions;
};

}  // namespace sarrus
