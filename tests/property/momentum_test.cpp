// Without ground and without outer forces, momentum and angular momentum stay what they were.

#include "property/suite.h"

namespace sarrus::testing {
namespace {

/// The state holds velocities of body frames, whose origins are not mass centres: both momenta are
/// nonlinear in it, and kept to the integrator's tolerance, 1e-10 a step over some hundred steps.
constexpr double kKept = 1e-8;

struct Momentum {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();  ///< about the world's origin
  double size = 0;              ///< sum of the magnitudes, against which a change is judged
  double angular_size = 0;
};

Momentum momentum_of(const Model& model, const Configuration& c) {
  Momentum sum;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Inertia& inertia = model.bodies()[i].inertia;
    const Mat3 R = c.poses[i].R();
    const Vec3 w = c.velocities[i].head<3>();
    const Vec3 v = c.velocities[i].tail<3>() + w.cross(R * inertia.center);
    const Vec3 spin = R * inertia.central * R.transpose() * w;
    const Vec3 orbit = (c.poses[i] * inertia.center).cross(inertia.mass * v);
    sum.linear += inertia.mass * v;
    sum.angular += spin + orbit;
    sum.size += inertia.mass * v.norm();
    sum.angular_size += spin.norm() + orbit.norm();
  }
  return sum;
}

/// A random mechanism cut loose: no joint to ground, no gravity, no forces.
Description adrift(std::uint32_t seed) {
  RandomMechanismOptions options = any_smooth_kind(seed);
  options.bodies = std::max(options.bodies, 3);
  options.forces = options.drives = options.motions = false;
  options.moving = true;
  Description d = random_mechanism(seed, options);
  d.gravity.setZero();
  std::erase_if(d.joints, [](const JointDescription& joint) {
    return joint.body_a == "ground" || joint.body_b == "ground";
  });
  return d;
}

class MomentumTest : public EveryMethod {};

TEST_P(MomentumTest, IsKeptByAMechanismAdrift) {
  for_each_seed(
      Seeds{.first = 90001, .share = 30, .all = 500}.of(GetParam()), [](std::uint32_t seed) {
        const auto subject = taken(adrift(seed), GetParam(), {.rtol = 1e-10, .atol = 1e-10});
        if (!subject) return;
        const Momentum before = momentum_of(subject->model(), subject->motion().configuration);
        subject->advance_to(0.2);
        const Momentum after = momentum_of(subject->model(), subject->motion().configuration);
        EXPECT_LE((after.linear - before.linear).norm(), kKept * before.size);
        EXPECT_LE((after.angular - before.angular).norm(), kKept * before.angular_size);
      });
}

INSTANTIATE_TEST_SUITE_P(Method, MomentumTest, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sarrus::testing
