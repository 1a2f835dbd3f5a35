#include "sarrus/testing/same_mechanism.h"

#include <algorithm>

#include "sarrus/testing/random.h"

namespace sarrus::testing {
namespace {

/// Own shuffle: std::shuffle differs between standard libraries.
template <class Element>
void shuffle(std::vector<Element>& elements, Random& random) {
  for (std::size_t i = elements.size(); i > 1; --i)
    std::swap(elements[i - 1],
              elements[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
}

void transform(BodyDescription& body, const Transform& X) {
  // Placed relative to a body that moves along: nothing to do.
  if (body.relative_to.empty() || body.relative_to == "ground") body.pose = X * body.pose;
  body.angular_velocity = X.q * body.angular_velocity;
  body.velocity = X.q * body.velocity;
}

void transform(JointDescription& joint, const Transform& X) {
  joint.at = X * joint.at;
  // Frames in moving bodies stay; ground stays where it was, in the new frame.
  if (joint.frame_a && joint.body_a == "ground") joint.frame_a = X * *joint.frame_a;
  if (joint.frame_b && joint.body_b == "ground") joint.frame_b = X * *joint.frame_b;
}

void transform(ForceVariant& what, const Transform& X) {
  const auto turn = [&X](auto& load) {
    if (load.frame == LoadFrame::kWorld || load.body == "ground")
      load.direction = X.q * load.direction;
  };
  if (auto* spring = std::get_if<PointSpringDescription>(&what)) {
    spring->point_a = X * spring->point_a;
    spring->point_b = X * spring->point_b;
  } else if (auto* force = std::get_if<AppliedForceDescription>(&what)) {
    force->point = X * force->point;
    turn(*force);
  } else if (auto* torque = std::get_if<AppliedTorqueDescription>(&what)) {
    turn(*torque);
  }
}

}  // namespace

Description transformed(const Description& description, const Transform& X) {
  Description result = description;
  result.gravity = X.q * result.gravity;
  for (BodyDescription& body : result.bodies) transform(body, X);
  for (JointDescription& joint : result.joints) transform(joint, X);
  for (ForceDescription& force : result.forces) transform(force.what, X);
  return result;
}

Description reordered(const Description& description, std::uint32_t seed) {
  Random random(seed);
  Description result = description;
  shuffle(result.bodies, random);
  shuffle(result.joints, random);
  shuffle(result.forces, random);
  return result;
}

Description with_other_cuts(const Description& description, std::uint32_t seed) {
  Random random(seed);
  Description result = description;
  for (JointDescription& joint : result.joints)
    joint.cut = random.chance(0.5) ? CutPreference::kPrefer : CutPreference::kAuto;
  return result;
}

Description with_reversals(const Description& description, std::uint32_t seed) {
  Random random(seed);
  Description result = description;
  for (const JointDescription& joint : description.joints)
    if (random.chance(0.5)) result = reversed(result, joint.name);
  return result;
}

}  // namespace sarrus::testing
