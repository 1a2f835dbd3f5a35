// Scenario driven-slider-crank: the crank turns as prescribed, so everything has a closed form.

#include <gtest/gtest.h>

#include <cmath>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

constexpr double kCrank = 0.5;
constexpr double kRod = 1.5;
constexpr double kRate = 6;

/// A function of the crank angle θ with its first two derivatives.
struct Jet {
  double value, slope, curvature;
};

/// Positions of the mechanism as functions of θ: the rod's angle −ψ with sin ψ = (r/l) sin θ.
struct ClosedForm {
  explicit ClosedForm(double theta) {
    const double ratio = kCrank / kRod;
    const double s = std::sin(theta);
    const double c = std::cos(theta);
    const double sine = ratio * s;
    const double cosine = std::sqrt(1 - sine * sine);
    const double slope = ratio * c / cosine;                           // dψ/dθ
    const double curvature = (-sine + sine * slope * slope) / cosine;  // d²ψ/dθ²
    psi = {std::asin(sine), slope, curvature};
    // d²(cos ψ)/dθ² = −cos ψ ψ'² − sin ψ ψ''
    const Jet cos_psi = {cosine, -sine * slope, -cosine * slope * slope - sine * curvature};
    slider = {kCrank * c + kRod * cos_psi.value, -kCrank * s + kRod * cos_psi.slope,
              -kCrank * c + kRod * cos_psi.curvature};
    rod_x = {kCrank * c + 0.5 * kRod * cos_psi.value, -kCrank * s + 0.5 * kRod * cos_psi.slope,
             -kCrank * c + 0.5 * kRod * cos_psi.curvature};
    rod_y = {0.5 * kCrank * s, 0.5 * kCrank * c, -0.5 * kCrank * s};
    crank_y = {0.5 * kCrank * s, 0.5 * kCrank * c, -0.5 * kCrank * s};
  }

  /// Virtual work: what the drive must do so that θ turns at a constant rate Ω. For each
  /// coordinate y(θ) with inertia m: m y' y'' Ω², and the weights lifted.
  double drive_torque() const {
    const double rate2 = kRate * kRate;
    const double rod_inertia = 2 * kRod * kRod / 12;
    return rate2 * (2 * (rod_x.slope * rod_x.curvature + rod_y.slope * rod_y.curvature) +
                    rod_inertia * psi.slope * psi.curvature + 3 * slider.slope * slider.curvature) +
           kGravity * (1 * crank_y.slope + 2 * rod_y.slope);
  }

  Jet psi, slider, rod_x, rod_y, crank_y;
};

TEST(DrivenSliderCrank, FollowsTheClosedForm) {
  // All of the motion is prescribed: rounding, times the square of a rate of 6 rad/s.
  const double kPosition = 1e-10;
  const double kTorque = 1e-9;  // of tens of N m
  const double kWork = 1e-9;    // tens of joules go in and out, integrated outside error control
  const std::vector<double> times = {0, 0.1, 0.25, 0.3, 0.5236, 0.7, 1, 1.7, 2, 3};
  const ScenarioRun run = run_scenario("driven-slider-crank", times);
  for (const Sample& sample : run.samples) {
    const double theta = kRate * sample.motion.time;
    SCOPED_TRACE(sample.motion.time);
    const ClosedForm exact(theta);
    const BodyMotion slider = body_motion(run, sample, "slider");
    EXPECT_NEAR(coordinate(run, sample, "J1"), theta, kPosition);
    EXPECT_NEAR(coordinate(run, sample, "J4"), exact.slider.value, kPosition);
    EXPECT_NEAR(slider.p.x(), exact.slider.value, kPosition);
    EXPECT_NEAR(slider.v.x(), exact.slider.slope * kRate, kPosition);
    EXPECT_NEAR(slider.a.x(), exact.slider.curvature * kRate * kRate, kPosition);
    EXPECT_NEAR(reaction(run, sample, "J1").torque.z(), exact.drive_torque(), kTorque);
    EXPECT_NEAR(energy_error(run.samples.front(), sample), 0, kWork);
  }
}

TEST(DrivenSliderCrank, HasOneFreedomWithoutItsDrive) {
  const Mobility mobility = mobility_of("driven-slider-crank");
  EXPECT_EQ(mobility.generic_without_motions.freedoms, 1);
  EXPECT_EQ(mobility.generic_without_motions.redundant, 3);
}

}  // namespace
}  // namespace sarrus::tests
