// The examples of Joli, Séguy and Feng (2008) in their modular form: links of two nodal masses, glued
// by joints. Tables: scenarios/modular-*/iterates.csv and states.csv; see the README files there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sarrus/formulations/modular/uzawa.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/integration/make_stepper.h"
#include "sarrus/integration/newmark.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

struct ModularRun {
  Model model;
  Topology topology;
  Configuration assembled;
  std::unique_ptr<Formulation> formulation;
  std::unique_ptr<Stepper> stepper;

  ModularRun(const std::string& name, const std::vector<MethodSetting>& settings,
             const std::string& integrator, double step)
      : model(load_model(name)),
        topology(analyse_topology(model)),
        assembled(assemble(model).configuration) {
    formulation = make_formulation({.method = "uzawa", .settings = settings, .step = step}, model,
                                   topology, assembled);
    stepper = make_stepper(*formulation, assembled, 0, {.method = integrator, .step = step});
  }
  void advance_to(double t) {
    while (stepper->time() < t) {
      const StepReport report = stepper->advance(t);
      if (!report.status.ok()) throw std::runtime_error(report.status.reason);
    }
  }
  Configuration now() {
    Configuration c;
    stepper->configuration(stepper->time(), c);
    return c;
  }
  Vec3 node(const std::string& name) { return now().poses[model.find_body(name).slot()].p; }
  /// Of the last evaluation: six a joint.
  const std::vector<double>& multipliers() const {
    return dynamic_cast<const Newmark&>(*stepper).discrete().reals;
  }
  double energy() { return kinetic_energy(model, now()) + potential_energy(model, now()); }
};

/// Where a column of the tables stands among links and rows.
struct Place {
  std::size_t link;
  int row;
};

class ModularExample : public ::testing::TestWithParam<std::string> {};

TEST_P(ModularExample, IteratesAsThePaperDoes) {
  // Half a unit of the last of the 12 digits of multipliers, and of 7 of residuals.
  constexpr double kMultiplier = 6e-11;
  constexpr double kResidual = 2e-6;
  const bool slider = GetParam() == "modular-slider-crank";
  const Reference table(GetParam(), "iterates.csv");
  const ModularRun run(GetParam(),
                       {{"iteration", "richardson"},
                        {"rho", slider ? "1.5,0.4,1" : "1.5,0.4"},
                        {"max-iterations", std::to_string(table.size() - 1)},
                        {"tolerance", "1e-300"}},
                       "newmark-paper", 0.01);
  std::vector<double> x(static_cast<std::size_t>(run.formulation->layout().size()));
  Discrete discrete;
  run.formulation->encode(run.assembled, x, discrete);
  const std::vector<Place> places = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}};
  std::size_t row = 0;
  const auto& uzawa = dynamic_cast<const modular::Uzawa&>(*run.formulation);
  const auto compare = [&](const modular::Multipliers& lambda, const modular::Multipliers& r) {
    if (row >= table.size()) return;
    for (std::size_t k = 0; k < (slider ? 5 : 4); ++k) {
      const Place at = places[k];
      EXPECT_NEAR(lambda[at.link][at.row], table.number(row, "lam" + std::to_string(k)),
                  kMultiplier)
          << "multiplier " << k << " of iterate " << row;
      EXPECT_NEAR(-r[at.link][at.row], table.number(row, "res" + std::to_string(k)), kResidual)
          << "residual " << k << " of iterate " << row;
    }
    ++row;
  };
  ASSERT_TRUE(uzawa.watch(0, x, discrete, compare).ok());
  EXPECT_EQ(row, table.size());
}

TEST_P(ModularExample, StandsWhereItsTableSays) {
  const Reference table(GetParam(), "states.csv");
  for (const char* h : {"0.01", "0.001"})
    for (const char* predictor : {"paper", "taylor"}) {
      ModularRun run(GetParam(), {{"tolerance", "1e-14"}},
                     predictor == std::string("paper") ? "newmark-paper" : "newmark", std::stod(h));
      for (std::size_t row = 0; row < table.size(); ++row) {
        if (table.text(row, "h") != h || table.text(row, "predictor") != predictor) continue;
        SCOPED_TRACE(std::string(h) + " " + predictor + " t = " + table.text(row, "t"));
        const double t = table.number(row, "t");
        run.advance_to(t);
        // 12 digits of numbers of order one and of some ten newtons, and of a motion that multiplies
        // rounding by 50 in ten seconds.
        const double kState = 1e-10;
        const double kForce = 2e-8;
        EXPECT_NEAR(run.node("n12").x(), table.number(row, "x12"), kState);
        EXPECT_NEAR(run.node("n12").y(), table.number(row, "y12"), kState);
        EXPECT_NEAR(run.node("n22").x(), table.number(row, "x22"), kState);
        EXPECT_NEAR(run.node("n22").y(), table.number(row, "y22"), kState);
        const Vec6 V = run.now().velocities[run.model.find_body("n22").slot()];
        EXPECT_NEAR(V[3], table.number(row, "vx22"), 10 * kState);
        EXPECT_NEAR(V[4], table.number(row, "vy22"), 10 * kState);
        const std::vector<double>& lambda = run.multipliers();
        EXPECT_NEAR(lambda[0], table.number(row, "lam_j1x"), kForce);
        EXPECT_NEAR(lambda[1], table.number(row, "lam_j1y"), kForce);
        EXPECT_NEAR(lambda[6], table.number(row, "lam_j2x"), kForce);
        EXPECT_NEAR(lambda[7], table.number(row, "lam_j2y"), kForce);
        EXPECT_NEAR(run.energy(), table.number(row, "E"), 10 * kState);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, ModularExample,
                         ::testing::Values("modular-double-pendulum", "modular-slider-crank"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// Largest distances of the tip from the exact motion up to 2, 5 and 10 s, and iterations a step.
struct TipErrors {
  std::array<double, 3> error{};
  double iterations = 0;
};

TipErrors tip_errors(double h, const std::vector<MethodSetting>& settings,
                     const std::string& integrator = "newmark-paper") {
  ModularRun run("modular-double-pendulum", settings, integrator, h);
  Simulation exact(load_model("double-pendulum"), {.tolerance = 1e-12, .until = 10.0});
  const std::size_t tip = exact.model().find_body("link2").slot();
  TipErrors result;
  double most = 0;
  const long steps = std::lround(10 / h), stride = std::max(1L, steps / 1000);
  for (long k = stride; k <= steps; k += stride) {
    const double t = static_cast<double>(k) * h;
    run.advance_to(t);
    if (!exact.advance_to(t).ok()) throw std::runtime_error("the exact motion fails");
    const Vec3 there = exact.sample().motion.configuration.poses[tip].p;
    most = std::max(most, (run.node("n22") - there).norm());
    if (t <= 2 + 1e-9) result.error[0] = most;
    if (t <= 5 + 1e-9) result.error[1] = most;
  }
  result.error[2] = most;
  result.iterations = static_cast<double>(run.stepper->counters().iterations) /
                      static_cast<double>(run.stepper->counters().evaluations);
  return result;
}

void expect_within_a_fifth(const TipErrors& found, const std::array<double, 3>& errors,
                           double iterations) {
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(found.error[i] / errors[i], 1, 0.2) << found.error[i] << " for " << errors[i];
  if (iterations > 0) {
    EXPECT_NEAR(found.iterations / iterations, 1, 0.2) << found.iterations;
  }
}

// Errors and iterations that an independent program finds, see the README.
TEST(ModularDoublePendulum, ErrsAndIteratesAsItsTableSays) {
  const auto paper = [](const char* tolerance, const char* start) {
    return std::vector<MethodSetting>{{"iteration", "richardson"},
                                      {"rho", "1.5,0.4"},
                                      {"stopping", "increment"},
                                      {"tolerance", tolerance},
                                      {"start", start}};
  };
  expect_within_a_fifth(tip_errors(0.01, paper("0.01", "cold")), {0.021, 0.171, 0.855}, 11.0);
  expect_within_a_fifth(tip_errors(0.01, paper("0.1", "cold")), {0.009, 0.102, 0.102}, 5.8);
  expect_within_a_fifth(tip_errors(0.01, paper("1e-8", "cold")), {0.023, 0.203, 0.918}, 42);
  expect_within_a_fifth(tip_errors(0.01, {{"iteration", "tree"}}), {0.023, 0.203, 0.918}, 1);
  expect_within_a_fifth(tip_errors(0.01, {{"iteration", "tree"}}, "newmark"), {0.012, 0.075, 0.246},
                        1);
  expect_within_a_fifth(tip_errors(0.001, paper("0.01", "cold")), {2.7e-5, 1.5e-4, 4.6e-4}, 11.0);
  expect_within_a_fifth(tip_errors(0.001, paper("0.1", "cold")), {8.3e-5, 2.8e-4, 1.5e-3}, 5.8);
  expect_within_a_fifth(tip_errors(0.001, paper("0.01", "warm")), {5e-5, 3.9e-4, 6.5e-4}, 3.6);
}

// y22 = 0 is a linear constraint: how far it is missed tells the tolerance of the iteration.
TEST(ModularSliderCrank, LeavesItsLineByWhatTheToleranceLets) {
  const auto largest_y = [](double h, const char* tolerance, const char* rho) {
    ModularRun run("modular-slider-crank",
                   {{"iteration", "richardson"},
                    {"rho", rho},
                    {"stopping", "increment"},
                    {"tolerance", tolerance},
                    {"start", "cold"}},
                   "newmark-paper", h);
    double most = 0;
    for (long k = 1; k <= std::lround(10 / h); ++k) {
      run.advance_to(static_cast<double>(k) * h);
      most = std::max(most, std::abs(run.node("n22").y()));
    }
    return most;
  };
  // An order of magnitude, 1/3 to 3.
  const auto is_about = [](double found, double expected) {
    return found > expected / 3 && found < 3 * expected;
  };
  EXPECT_PRED2(is_about, largest_y(1e-3, "0.01", "1.5,0.4,1"), 2.8e-7);
  EXPECT_PRED2(is_about, largest_y(1e-2, "0.01", "1.5,0.4,1"), 1.8e-5);
  EXPECT_PRED2(is_about, largest_y(1e-2, "0.1", "1.5,0.4,0.7"), 5.7e-4);
}

}  // namespace
}  // namespace sarrus::tests
