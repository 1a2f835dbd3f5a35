#pragma once

#include <string>

#include "sarrus/base/ids.h"
#include "sarrus/model/description.h"

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
  Vec3 point_a, point_b;  ///< in the bodies' frames
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
  Vec3 point;  ///< in the body's frame
  Vec3 direction;
  LoadFrame frame = LoadFrame::kWorld;
  TimeFunction value;
};

struct AppliedTorque {
  std::string name;
  BodyId body;
  Vec3 direction;
  LoadFrame frame = LoadFrame::kWorld;
  TimeFunction value;
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
};

}  // namespace sarrus
