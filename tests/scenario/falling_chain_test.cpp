// Scenario falling-chain: a chain of 229 rods hung by both ends, one of which is let go.
// Reference: reference.csv; see the scenario's README.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "sarrus/formulations/registry.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

const std::vector<std::string> kSeparations = {"0.255", "0.510", "0.765", "1.019"};

std::string last_rod(const Model& model) { return fmt::format("rod{}", model.body_count() - 1); }

/// From the mass centre of the last rod to the free end, world axes.
Vec3 half_rod(const Model& model, const Transform& pose) {
  const double length = 1.02;
  return pose.q * Vec3(length / (model.body_count() - 1) / 2, 0, 0);
}

/// The curve of the free end for one separation and damping.
struct Curve {
  std::vector<double> t, x, y, speed;

  Curve(const Reference& table, double separation, double damping) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      const auto cell = [&](const char* column) { return table.number(row, column); };
      if (cell("separation") != separation || cell("damping") != damping) continue;
      t.push_back(cell("t"));
      x.push_back(cell("x"));
      y.push_back(cell("y"));
      speed.push_back(std::hypot(cell("vx"), cell("vy")));
    }
  }

  /// Entries before the one with the highest speed.
  std::size_t before_peak() const {
    return static_cast<std::size_t>(std::ranges::max_element(speed) - speed.begin());
  }
};

TEST(FallingChain, HangsBetweenItsEnds) {
  const double kRounding = 1e-13;  // 229 rods, one placed on the other
  for (const std::string& separation : kSeparations)
    for (const char* links : {"2", "20", "229"}) {
      SCOPED_TRACE(fmt::format("{} links, {} m", links, separation));
      const Model model =
          load_model("falling-chain", {{"links", links}, {"separation", separation}});
      const Transform& pose = model.bodies().back().X_WB;
      const Vec3 tip = pose.p + half_rod(model, pose);
      EXPECT_NEAR(tip.x(), std::stod(separation), kRounding);
      EXPECT_NEAR(tip.y(), 0, kRounding);
    }
}

TEST(FallingChain, IsAtRestUntilOneEndIsLetGo) {
  // Accelerations beside 9.81 m/s^2, and beside 400 rad/s^2 of a rod that falls about its end.
  const double kStill = 1e-9;
  Description description = load_model_description("falling-chain", {{"links", "20"}});
  JointDescription second_end;
  second_end.name = "second end";
  second_end.body_b = "rod20";
  second_end.at.p = Vec3(0.255, 0, 0);
  description.add_joint(second_end);
  Simulation simulation((Model(description)));
  const Sample sample = simulation.sample();
  for (const Vec6& a : sample.motion.accelerations) EXPECT_LT(a.norm(), kStill);
}

// From rest the free end moves by a t²/2 + b t⁴ + …: two entries of the table give a. At the larger
// separations the terms beyond are too strong already.
TEST(FallingChain, BeginsToFallAsTheTableDoes) {
  const double kAcceleration = 1e-5;  // the terms beyond, at 5 and 10 ms; ten times what they are
  const Reference table("falling-chain");
  for (const std::string separation : {"0.255", "0.510"}) {
    SCOPED_TRACE(separation);
    const ScenarioRun run = run_scenario(
        "falling-chain", {0}, {.overrides = {{"separation", separation}}, .method = "auto"});
    const BodyMotion rod = body_motion(run, run.last(), last_rod(run.model()));
    const Vec3 a = rod.a + rod.alpha.cross(half_rod(run.model(), rod.pose));
    const Curve curve(table, std::stod(separation), 0);
    const auto from_table = [&](const std::vector<double>& x) {
      return (16 * (x[1] - x[0]) - (x[2] - x[0])) / (6 * curve.t[1] * curve.t[1]);
    };
    EXPECT_NEAR(a.x(), from_table(curve.x), kAcceleration);
    EXPECT_NEAR(a.y(), from_table(curve.y), kAcceleration);
  }
}

struct Fall {
  std::string method, separation, damping;

  bool is_first() const { return separation == kSeparations.front() && damping == "0"; }
};

/// The chain is too long for the dense method, so only for one whose cost grows with the links.
std::vector<Fall> falls() {
  std::vector<Fall> all;
  for (const MethodInfo& method : methods())
    if (method.name == "order-n")
      for (const std::string& separation : kSeparations)
        for (const char* damping : {"0", "2e-5"}) all.push_back({method.name, separation, damping});
  for (const char* separation : {"0.510", "0.765"})
    all.push_back({"hamiltonian-dca", separation, "0"});
  return all;
}

class FallingChain : public ::testing::TestWithParam<Fall> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FallingChain);

TEST_P(FallingChain, FollowsItsReferenceUpToTheWhip) {
  const double kPosition = 1e-6;
  const std::string& method = GetParam().method;
  const std::string& separation = GetParam().separation;
  const std::string& damping = GetParam().damping;
  const Curve curve(Reference("falling-chain"), std::stod(separation), std::stod(damping));
  ASSERT_GT(curve.before_peak(), 60u);
  // In daily runs one curve up to the whip and the beginnings of the others, all of them with
  // SARRUS_LONG=1; damping makes the chain stiff: ten times as many steps.
  const bool whole = std::getenv("SARRUS_LONG") != nullptr || GetParam().is_first();
  const std::size_t count =
      whole ? curve.before_peak() : curve.before_peak() / (damping == "0" ? 3 : 10);
  const std::vector<double> times(curve.t.begin(),
                                  curve.t.begin() + static_cast<std::ptrdiff_t>(count));
  const ScenarioRun run =
      run_scenario("falling-chain", times,
                   {.overrides = {{"separation", separation}, {"damping", damping}},
                    .method = method,
                    .tolerance = 1e-10});
  for (std::size_t i = 0; i < times.size(); ++i) {
    SCOPED_TRACE(times[i]);
    const BodyMotion rod = body_motion(run, run.samples[i], last_rod(run.model()));
    const Vec3 tip = rod.p + half_rod(run.model(), rod.pose);
    EXPECT_NEAR(tip.x(), curve.x[i], kPosition);
    EXPECT_NEAR(tip.y(), curve.y[i], kPosition);
  }
}

INSTANTIATE_TEST_SUITE_P(Falls, FallingChain, ::testing::ValuesIn(falls()), [](const auto& test) {
  std::string name = test.param.method + "_" + test.param.separation +
                     (test.param.damping == "0" ? "" : "_damped");
  for (char& c : name)
    if (c == '-' || c == '.') c = '_';
  return name;
});

}  // namespace
}  // namespace sarrus::tests
