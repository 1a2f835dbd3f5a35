// Scenario pantograph: lazy tongs that swing through their straight position, where all cells may fold.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "scenario/one_freedom.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

constexpr double kHalfBar = 0.25, kBarMass = 1, kSliderMass = 1;

/// The closed form of the README: θ is the angle of the bars against the vertical.
OneFreedom lazy_tongs(int cells) {
  const double radius = kHalfBar / 20, a2 = kHalfBar * kHalfBar;
  const double I = kBarMass * (3 * radius * radius + 4 * a2) / 12;
  const double n = cells;
  const double across = 2 * n * kBarMass * a2 + 4 * kSliderMass * a2;
  const double along = 2 * n * kBarMass * a2 * (4 * n * n - 1) / 3;
  const double weight = 2 * n * n * kBarMass * kGravity * kHalfBar;
  return {.inertia =
              [=](double q) {
                return 2 * n * I + across * std::pow(std::cos(q), 2) +
                       along * std::pow(std::sin(q), 2);
              },
          .inertia_slope = [=](double q) { return (along - across) * std::sin(2 * q); },
          .force = [=](double q) { return -weight * std::sin(q); },
          .q = std::numbers::pi / 3};
}

TEST(Pantograph, SwingsLikeTheClosedFormThroughItsStraightPosition) {
  // Errors of 1e-10 a step add up over a thousand of them at a few metres a second.
  const double kPosition = 1e-7;
  const std::vector<double> times = times_from(0, 3, 0.1);
  for (const int cells : {1, 3}) {
    OneFreedom exact = lazy_tongs(cells);
    std::vector<double> angles;
    for (const double t : times) {
      exact.advance_to(t);
      angles.push_back(exact.q);
    }
    ASSERT_LT(*std::ranges::min_element(angles), -1);  // it opens to the other side
    for (const char* method : {"reference", "coordinate-reduction", "augmented-dca"}) {
      SCOPED_TRACE(fmt::format("{} cells, {}", cells, method));
      const ScenarioRun run = run_scenario(
          "pantograph", times,
          {.overrides = {{"cells", std::to_string(cells)}}, .method = method, .tolerance = 1e-10});
      const double pin = -kHalfBar * std::sin(std::numbers::pi / 3);
      for (std::size_t i = 0; i < times.size(); ++i)
        for (int cell = 1; cell <= cells; ++cell)
          for (const char* bar : {"fall", "rise"}) {
            const BodyMotion motion =
                body_motion(run, run.samples[i], fmt::format("{}{}", bar, cell));
            const Vec3 exactly(pin + kHalfBar * std::sin(angles[i]),
                               -(2 * cell - 1) * kHalfBar * std::cos(angles[i]), 0);
            EXPECT_LT((motion.p - exactly).norm(), kPosition) << bar << cell << ", " << times[i];
          }
    }
  }
}

TEST(Pantograph, LosesADirectionInEveryCellWhenStraight) {
  const Mobility mobility = mobility_of("pantograph", {{"start", "0"}});
  EXPECT_TRUE(mobility.singular());
  EXPECT_EQ(mobility.instantaneous.freedoms, 1 + 3);
}

}  // namespace
}  // namespace sarrus::tests
