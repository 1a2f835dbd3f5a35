#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "agreement/difference.h"
#include "property/suite.h"

namespace sarrus::testing {

/// Any mechanism of up to 24 bodies, with loops and redundant constraints at these chances.
inline RandomMechanismOptions any_mechanism(Random random, double loops, double redundant) {
  RandomMechanismOptions options;
  options.bodies = 1 + random.below(24);
  options.loops = random.chance(loops);
  options.redundant = random.chance(redundant);
  options.floating = random.chance(0.3);
  options.point_masses = random.chance(0.2);
  options.forces = random.chance(0.6);
  options.drives = random.chance(0.5);
  options.motions = random.chance(0.4);
  options.moving = random.chance(0.9);
  options.mass_ratio = 1e3;
  return options;
}

/// A mechanism under the judge and under a method.
struct Judged {
  Judged(const Description& description, const std::string& method)
      : judge(description, "reference"),
        subject(description, method),
        expected(judge.motion()),
        motion(subject.motion()),
        gravity(judge.model().gravity().norm()) {}

  /// Of accelerations; a mechanism that cannot move is compared with its weight.
  double defect() const {
    return difference(motion.accelerations, expected.accelerations, gravity);
  }
  void expect_same_power(double tolerance) {
    const double power = judge.supplied_power();
    EXPECT_NEAR(subject.supplied_power(), power, tolerance * (1 + std::abs(power)));
  }

  Subject judge, subject;
  Motion expected, motion;
  double gravity;
};

/// Defects of many mechanisms: all below one bound, all but one in a thousand below another.
struct Defects {
  double usual, always;
  int count = 0, unusual = 0;

  void add(double defect) {
    EXPECT_LE(defect, always);
    ++count;
    if (!(defect <= usual)) ++unusual;
  }
  void expect_few_unusual() const {
    EXPECT_LE(unusual, count / 1000) << "of " << count;
    ::testing::Test::RecordProperty("unusual", unusual);
  }
};

/// What `numbers` gives for a number of threads must not depend on it, to the bit.
inline void expect_same_bits(const std::function<std::vector<double>(int threads)>& numbers) {
  const std::vector<double> alone = numbers(1);
  for (const int threads : {2, 4, 16}) {
    const std::vector<double> together = numbers(threads);
    ASSERT_EQ(together.size(), alone.size());
    EXPECT_EQ(std::memcmp(together.data(), alone.data(), alone.size() * sizeof(double)), 0)
        << threads;
  }
}

}  // namespace sarrus::testing
