// What is sound is assembled: tangles of any size, with velocities that their joints do not allow.

#include "sarrus/analysis/assembly.h"

#include <fmt/format.h>

#include "property/suite.h"

namespace sarrus::testing {
namespace {

/// Bodies joined at random to earlier ones, and a third as many joints between any two of them; closed
/// where it is described. Larger than random mechanisms, and nothing is drawn anew where it is weak.
Description tangle(std::uint32_t seed, int bodies) {
  Random random(seed * 2654435761u + 23);
  Description d;
  const auto name = [](int i) { return i == 0 ? std::string("ground") : fmt::format("b{}", i); };
  const auto place = [&](int i) { return i == 0 ? Vec3(Vec3::Zero()) : d.bodies[i - 1].pose.p; };
  const auto join = [&](const std::string& joint, int a, int b) {
    constexpr JointType kTypes[] = {
        JointType::kRevolute,  JointType::kPrismatic, JointType::kHelical, JointType::kCylindrical,
        JointType::kUniversal, JointType::kSpherical, JointType::kPlanar,  JointType::kFixed};
    JointDescription j{.name = joint, .type = kTypes[random.below(8)]};
    j.body_a = name(a);
    j.body_b = name(b);
    j.at = {random.rotation(), 0.5 * (place(a) + place(b)) + random.vector(0.2)};
    if (j.type == JointType::kHelical) j.lead = 0.1;
    d.add_joint(j);
  };
  for (int i = 1; i <= bodies; ++i) {
    const int parent = random.below(i);
    BodyDescription body{.name = name(i), .mass = random.log_uniform(0.01, 100)};
    body.inertia = 0.05 * body.mass * Vec3(1, 1.2, 1.5).asDiagonal();
    body.pose = {random.rotation(), place(parent) + random.vector(0.7)};
    body.velocity = random.vector(1);
    body.angular_velocity = random.vector(1);
    d.add_body(body);
    join(fmt::format("J{}", i), parent, i);
  }
  for (int i = 0; i < bodies / 3; ++i) {
    const int a = random.below(bodies);
    join(fmt::format("C{}", i), a, a + 1 + random.below(bodies - a));
  }
  return d;
}

TEST(AssemblyProperty, VelocitiesOfTanglesAreMadeConsistentWhateverTheirSize) {
  // Rates of rows of size ten: rounding, over a weakest direction of 1e-4.
  constexpr double kConsistent = 1e-11;
  for_each_seed({.first = 1, .share = 200, .all = 2000}, [&](std::uint32_t seed) {
    const Model model(tangle(seed, 20 + static_cast<int>(seed % 4) * 30));
    EXPECT_LE(assemble(model, analyse_topology(model), 0).velocity_residual, kConsistent);
  });
}

}  // namespace
}  // namespace sarrus::testing
