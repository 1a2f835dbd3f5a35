#include "sarrus/testing/random_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sarrus/testing/random_flexible.h"

namespace sarrus::testing {
namespace {

/// Loads may jump and have corners; motions may not.
TimeFunction random_load(double size, Random& random) {
  const double from = random.uniform(-size, size);
  const double to = random.uniform(-size, size);
  const double at = random.uniform(0.02, 0.15);
  switch (random.below(6)) {
    case 0:
      return from;
    case 1:
      return TimeFunction(TimeFunction::Step{.from = from, .to = to, .at = at});
    case 2:
      return TimeFunction(TimeFunction::Step{from, to, 0.5 * at, 2 * at});
    case 3:
      return TimeFunction(TimeFunction::Ramp{.from = from, .rate = 3 * to, .start = at});
    case 4:
      return TimeFunction(TimeFunction::Sine{.amplitude = from,
                                             .angular_frequency = random.uniform(1, 10),
                                             .phase = random.uniform(0, 6),
                                             .offset = to});
    default:
      return TimeFunction(
          TimeFunction::Table{{-0.1, at, at + 0.2, 1}, {from, to, -from, 0}, random.chance(0.5)});
  }
}

class ForceMaker {
 public:
  ForceMaker(Description& description, const RandomMechanismOptions& options, Random& random)
      : description_(description), options_(options), random_(random) {
    for (const BodyDescription& body : description.bodies) mass_[body.name] = body.mass;
  }

  void run() {
    for (const JointDescription& joint : description_.joints) {
      if (joint_coordinate_names(joint.type).empty()) continue;
      if (options_.forces && random_.chance(0.35)) add_spring(joint);
      if (options_.forces && random_.chance(0.35)) add_friction(joint);
      if (options_.drives && random_.chance(0.35)) add_torque(joint);
      if (options_.drives && random_.chance(0.35)) add_motor(joint);
    }
    if (!options_.forces) return;
    const int count = 1 + random_.below(3);
    for (int i = 0; i < count; ++i) {
      add_point_spring();
      add_applied_force();
      add_applied_torque();
    }
  }

 private:
  /// An inertia that a force along the coordinate would meet [kg or kg m²].
  double size(const JointDescription& joint, const std::string& coordinate) const {
    double mass = 1e300;
    for (const std::string& body : {joint.body_a, joint.body_b})
      if (body != "ground") mass = std::min(mass, mass_.at(body));
    const bool length =
        coordinate == "slide" || coordinate == "x" || coordinate == "y" || coordinate == "z";
    return length ? mass : 0.1 * mass;
  }

  std::string coordinate(const JointDescription& joint) {
    const auto& names = joint_coordinate_names(joint.type);
    return names[static_cast<std::size_t>(random_.below(static_cast<int>(names.size())))];
  }

  const BodyDescription& body() {
    return description_.bodies[static_cast<std::size_t>(
        random_.below(static_cast<int>(description_.bodies.size())))];
  }

  void add(ForceVariant what) {
    description_.add_force(fmt::format("F{}", description_.forces.size() + 1), std::move(what));
  }

  double reference_of(const JointDescription& joint, const std::string& name) const {
    const auto found = joint.reference.find(name);
    return found == joint.reference.end() ? 0.0 : found->second;
  }

  void add_spring(const JointDescription& joint) {
    const std::string name = coordinate(joint);
    const double frequency = random_.uniform(1, 5);
    add(JointSpringDescription{joint.name, name, size(joint, name) * frequency * frequency,
                               reference_of(joint, name) + random_.uniform(-0.5, 0.5)});
  }

  void add_friction(const JointDescription& joint) {
    const std::string name = coordinate(joint);
    const double scale = size(joint, name);
    // A transition wide enough for an integrator to see.
    add(JointFrictionDescription{joint.name, name, scale * random_.uniform(0, 0.5),
                                 scale * random_.uniform(0, 1), random_.uniform(0.1, 0.5)});
  }

  void add_torque(const JointDescription& joint) {
    const std::string name = coordinate(joint);
    add(JointTorqueDescription{joint.name, name, random_load(3 * size(joint, name), random_)});
  }

  void add_motor(const JointDescription& joint) {
    const std::string name = coordinate(joint);
    const double frequency = random_.uniform(1, 5);
    const double scale = size(joint, name);
    const TimeFunction target = scaled(random_load(0.3, random_), 1, reference_of(joint, name));
    add(MotorDescription{joint.name, name, target, scale * frequency * frequency,
                         scale * random_.uniform(0, 1)});
  }

  void add_point_spring() {
    const BodyDescription& a = body();
    const BodyDescription& b = body();
    const bool to_ground = a.name == b.name || random_.chance(0.4);
    PointSpringDescription spring;
    spring.body_b = b.name;
    spring.point_b = b.pose.p + random_.vector(0.3);
    spring.body_a = to_ground ? "ground" : a.name;
    // Never of length zero, where a spring has no direction.
    spring.point_a = to_ground ? Vec3(b.pose.p + random_.uniform(0.6, 1) * random_.direction())
                               : Vec3(a.pose.p + random_.vector(0.3));
    if ((spring.point_a - spring.point_b).norm() < 0.05) return;
    spring.node_b = random_node(b, spring.point_b, random_);
    if (!to_ground) spring.node_a = random_node(a, spring.point_a, random_);
    // At the node itself, or at a point that the node carries along.
    spring.at_node_b = !spring.node_b.empty() && random_.chance(0.5);
    spring.at_node_a = !spring.node_a.empty() && random_.chance(0.5);
    const double mass = to_ground ? b.mass : std::min(a.mass, b.mass);
    const double frequency = random_.uniform(1, 5);
    spring.stiffness = mass * frequency * frequency;
    spring.damping = random_.chance(0.5) ? mass * random_.uniform(0, 0.5) : 0.0;
    if (random_.chance(0.5)) spring.rest_length = random_.uniform(0, 1);
    add(spring);
  }

  void add_applied_force() {
    const BodyDescription& on = body();
    AppliedForceDescription force;
    force.body = on.name;
    force.point = on.pose.p + random_.vector(0.3);
    force.direction = random_.vector(1);
    force.frame = random_.chance(0.5) ? LoadFrame::kWorld : LoadFrame::kBody;
    force.value = random_load(5 * on.mass, random_);
    force.node = random_node(on, force.point, random_);
    force.at_node = !force.node.empty() && random_.chance(0.5);
    add(force);
  }

  void add_applied_torque() {
    const BodyDescription& on = body();
    AppliedTorqueDescription torque;
    torque.body = on.name;
    torque.direction = random_.vector(1);
    torque.frame = random_.chance(0.5) ? LoadFrame::kWorld : LoadFrame::kBody;
    torque.value = random_load(0.2 * on.mass, random_);
    torque.node = random_node(on, on.pose.p, random_);
    add(torque);
  }

  Description& description_;
  const RandomMechanismOptions& options_;
  Random& random_;
  std::map<std::string, double> mass_;
};

}  // namespace

void add_random_forces(Description& description, const RandomMechanismOptions& options,
                       Random& random) {
  ForceMaker(description, options, random).run();
}

TimeFunction scaled(const TimeFunction& function, double factor, double offset) {
  TimeFunction::Shape shape = function.shape();
  const auto map = [&](double& value) { value = factor * value + offset; };
  if (auto* constant = std::get_if<TimeFunction::Constant>(&shape)) {
    map(constant->value);
  } else if (auto* step = std::get_if<TimeFunction::Step>(&shape)) {
    map(step->from);
    map(step->to);
  } else if (auto* ramp = std::get_if<TimeFunction::Ramp>(&shape)) {
    map(ramp->from);
    ramp->rate *= factor;
  } else if (auto* sine = std::get_if<TimeFunction::Sine>(&shape)) {
    sine->amplitude *= factor;
    map(sine->offset);
  } else if (auto* table = std::get_if<TimeFunction::Table>(&shape)) {
    for (double& value : table->values) map(value);
  }
  return TimeFunction(std::move(shape));
}

}  // namespace sarrus::testing
