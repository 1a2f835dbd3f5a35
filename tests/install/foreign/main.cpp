// A user's program: it sees only the installed package.
#include <sarrus/sarrus.h>

#include <cmath>
#include <cstdio>

namespace {

// A point mass on a rod of 1 m, let go from the horizontal: ½ v² = g l when it passes below the pin.
double speed_at_lowest_point() {
  sarrus::Description d;
  d.gravity = {0, -9.81, 0};
  d.add_body({.name = "bob", .mass = 1, .pose = {sarrus::Quat::Identity(), {-1, 0, 0}}});
  d.add_joint({.name = "pin", .body_b = "bob"});
  sarrus::Simulation simulation(sarrus::Model(d), {.tolerance = 1e-10});
  double speed = 0;
  simulation.watch([](double, const sarrus::Configuration& c) { return c.poses[1].p.x(); },
                   sarrus::Direction::kRising,
                   [&](double, const sarrus::Configuration& c) {
                     speed = c.velocities[1].tail<3>().norm();
                     return true;
                   });
  simulation.advance_to(2);
  return speed;
}

}  // namespace

int main() {
  std::printf("sarrus %.*s\n", static_cast<int>(sarrus::kVersion.size()), sarrus::kVersion.data());
  // Ten times the tolerance of the run covers its accumulated error over half a second.
  const bool right = std::abs(speed_at_lowest_point() - std::sqrt(2 * 9.81)) < 1e-8;
  return right && !sarrus::list_scenarios().empty() ? 0 : 1;
}
