// uzawa and its relatives: iterations, budgets, contradictions, boxes; judged by the reference and by
// counts that the theory gives.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "sarrus/analysis/assembly.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/norms.h"
#include "sarrus/formulations/modular/uzawa.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/integration/make_stepper.h"
#include "sarrus/integration/newmark.h"
#include "unit/formulations/allocations.h"

namespace sarrus::tests {
namespace {

using ::testing::HasSubstr;

/// A chain of uniform bars with hinges about z, its first end on ground, straight along `direction`.
Description bars(int links, const Vec3& direction = Vec3::UnitX()) {
  Description d;
  d.name = "bars";
  d.gravity = {0, -9.81, 0};
  const double length = 1;
  for (int i = 0; i < links; ++i) {
    BodyDescription bar;
    bar.name = fmt::format("bar{}", i);
    bar.mass = 1;
    bar.inertia = Vec3(0.01, 1.0 / 12, 1.0 / 12).asDiagonal();
    bar.pose.q = least_turn(Vec3::UnitX(), direction);
    bar.pose.p = (i + 0.5) * length * direction;
    d.add_body(bar);
    JointDescription hinge;
    hinge.name = fmt::format("hinge{}", i);
    hinge.body_a = i == 0 ? "ground" : fmt::format("bar{}", i - 1);
    hinge.body_b = bar.name;
    hinge.at.p = i * length * direction;
    d.add_joint(hinge);
  }
  return d;
}

/// A mechanism under uzawa with settings.
struct UzawaCase {
  Model model;
  Topology topology;
  Configuration assembled;
  std::unique_ptr<Formulation> formulation;
  std::vector<double> x;
  Discrete discrete;

  explicit UzawaCase(const Description& d, const std::vector<MethodSetting>& settings = {},
                     double step = 0, const SubsystemKinds& kinds = {},
                     const std::string& method = "uzawa")
      : model(d), topology(analyse_topology(model)), assembled(assemble(model).configuration) {
    formulation = make_formulation(
        {.method = method, .settings = settings, .step = step, .subsystems = kinds}, model,
        topology, assembled);
    x.resize(static_cast<std::size_t>(formulation->layout().size()));
    formulation->encode(assembled, x, discrete);
  }
  Motion motion() const {
    Motion motion;
    const auto workspace = formulation->make_workspace();
    const Status status = formulation->evaluate(0, x, discrete, *workspace, motion);
    EXPECT_TRUE(status.ok()) << status.reason;
    return motion;
  }
  long iterations() const {
    const auto workspace = formulation->make_workspace();
    std::vector<double> dx(static_cast<std::size_t>(formulation->layout().tangent_size()));
    EXPECT_TRUE(formulation->rates(0, x, discrete, *workspace, dx).ok());
    return workspace->counters.iterations;
  }
};

double difference_of(const Motion& one, const Motion& other) {
  double most = 0, size = 9.81;
  for (std::size_t i = 0; i < one.accelerations.size(); ++i) {
    most = std::max(most, (one.accelerations[i] - other.accelerations[i]).norm());
    size = std::max(size, other.accelerations[i].norm());
  }
  return most / size;
}

TEST(NewmarkStability, HasTheLimitsOfItsTable) {
  constexpr double kPrinted = 0.006;
  const std::array damping = {0.1, 0.5, 0.7, 1.0};
  const std::array paper = {1.81, 1.24, 1.04, 0.83};
  const std::array taylor = {1.23, 0.73, 0.59, 0.45};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(newmark_stability_limit(NewmarkPredictor::kPaper, damping[i]), paper[i], kPrinted);
    EXPECT_NEAR(newmark_stability_limit(NewmarkPredictor::kTaylor, damping[i]), taylor[i],
                kPrinted);
  }
}

TEST(NewmarkStability, IsAskedBeforeTheRun) {
  const UzawaCase subject(bars(2), {{"damping", "0.7"}}, 0.01);
  EXPECT_NO_THROW(make_stepper(*subject.formulation, subject.assembled, 0,
                               {.method = "newmark-paper", .step = 0.01}));
  try {
    make_stepper(*subject.formulation, subject.assembled, 0, {.method = "newmark", .step = 0.01});
    FAIL() << "0.63 is beyond 0.59";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("method.omega=5"));
  }
}

TEST(NewmarkStability, OfRungeKuttaIsAskedToo) {
  // Critically damped, the double root −ω lies on the real axis, where rk4 ends at 2.785.
  for (const double omega_h : {2.7, 2.9}) {
    const UzawaCase subject(bars(2), {{"damping", "1"}, {"omega", std::to_string(omega_h / 0.01)}},
                            0.01);
    const auto make = [&] {
      make_stepper(*subject.formulation, subject.assembled, 0, {.method = "rk4", .step = 0.01});
    };
    if (omega_h < 2.785) {
      EXPECT_NO_THROW(make());
    } else {
      EXPECT_THROW(make(), UsageError);
    }
  }
}

TEST(Uzawa, IterationsOnStraightChainsGrowAsTheorySays) {
  // Conjugate gradients need about one round a link, elimination one in all.
  for (const int links : {2, 10, 50, 200}) {
    const Description d = bars(links, -Vec3::UnitY());
    const long rounds = UzawaCase(d, {{"tolerance", "1e-6"}, {"omega", "0"}}, 1e-3).iterations();
    EXPECT_GE(rounds, 0.8 * links) << links;
    EXPECT_LE(rounds, 1.3 * links + 8) << links;
    EXPECT_EQ(UzawaCase(d, {{"iteration", "tree"}}, 1e-3).iterations(), 1) << links;
  }
}

TEST(Uzawa, EveryIterationFindsTheSameAccelerations) {
  const Description d = bars(4, Vec3(0.6, -0.8, 0));
  const Motion judged = UzawaCase(d, {}, 0, {}, "reference").motion();
  for (const char* iteration : {"richardson", "block-jacobi", "chebyshev", "pcg", "tree"}) {
    const UzawaCase subject(d, {{"iteration", iteration}, {"max-iterations", "200000"}}, 1e-3);
    EXPECT_LT(difference_of(subject.motion(), judged), 1e-8) << iteration;
  }
}

TEST(Uzawa, BlockJacobiConvergesOnAHubWhereThePapersBoundFails) {
  // A light hub with bars around it: three heavy neighbours make plain steps of 1/K_jj diverge.
  Description d;
  BodyDescription hub;
  hub.name = "hub";
  hub.mass = 0.01;
  hub.inertia = Mat3::Identity() * 1e-4;
  d.add_body(hub);
  for (int i = 0; i < 5; ++i) {
    const double angle = 1.3 * i;
    const Vec3 out(std::cos(angle), std::sin(angle), 0);
    BodyDescription bar;
    bar.name = fmt::format("bar{}", i);
    bar.mass = 1;
    bar.inertia = Mat3::Identity() * 0.1;
    bar.pose.p = out;
    d.add_body(bar);
    JointDescription joint;
    joint.name = fmt::format("J{}", i);
    joint.type = JointType::kSpherical;
    joint.body_a = "hub";
    joint.body_b = bar.name;
    joint.at.p = 0.2 * out;
    d.add_joint(joint);
  }
  d.add_force("push", AppliedForceDescription{
                          .body = "bar1", .point = {0, 0.5, 0.3}, .direction = {3, 1, 2}});
  const Motion judged = UzawaCase(d, {}, 0, {}, "reference").motion();
  const UzawaCase subject(d, {{"iteration", "block-jacobi"}, {"max-iterations", "200000"}}, 1e-3);
  EXPECT_LT(difference_of(subject.motion(), judged), 1e-7);
}

TEST(Uzawa, GroupsOfBodiesAccelerateAsTheReference) {
  const Description d = bars(6, Vec3(0.6, -0.8, 0));
  const Motion judged = UzawaCase(d, {}, 0, {}, "reference").motion();
  for (const char* groups : {"bar0+bar1,bar2+bar3", "bar1+bar2+bar3+bar4", "bar0+bar5,bar2+bar4"})
    for (const char* iteration : {"pcg", "tree"}) {
      const UzawaCase subject(d, {{"iteration", iteration}, {"subsystems", groups}}, 1e-3);
      const Motion motion = subject.motion();
      EXPECT_LT(difference_of(motion, judged), 1e-9) << groups << " " << iteration;
      for (std::size_t j = 0; j < motion.reactions.size(); ++j)
        EXPECT_LT((motion.reactions[j] - judged.reactions[j]).norm(), 1e-7) << groups << " " << j;
    }
}

TEST(Uzawa, AHardBudgetStaysStable) {
  // Three rounds a step for ten links: the warm start must leak, or it blows up within 1.5 s.
  const UzawaCase subject(bars(10, Vec3(0.5, -std::sqrt(0.75), 0)),
                          {{"iteration", "block-jacobi"}, {"max-iterations", "3"}}, 0.01);
  const auto stepper = make_stepper(*subject.formulation, subject.assembled, 0,
                                    {.method = "newmark-paper", .step = 0.01});
  bool noted = false;
  while (stepper->time() < 5) {
    const StepReport report = stepper->advance(5);
    ASSERT_TRUE(report.status.ok()) << report.status.reason;
    for (const Note& note : report.notes)
      noted = noted || note.what.find("cut after 3 rounds") != std::string::npos;
  }
  EXPECT_TRUE(noted);
  Configuration c;
  stepper->configuration(stepper->time(), c);
  EXPECT_LT(c.poses.back().p.norm(), 20);
}

TEST(Uzawa, JointsThatContradictEachOtherAreGivenCompliance) {
  // Two ball joints hold one body to ground, and ask for accelerations that differ by 2 m/s² along x:
  // it takes the mean, and the sum of their forces is that of one joint.
  Description d;
  BodyDescription body;
  body.name = "body";
  body.mass = 2;
  body.inertia = Mat3::Identity();
  d.add_body(body);
  JointDescription joint;
  joint.type = JointType::kSpherical;
  joint.body_b = "body";
  for (const char* name : {"first", "second"}) {
    joint.name = name;
    d.add_joint(joint);
  }
  const Model model(d);
  const modular::Interface interface(model, {{.bodies = {1}, .is_body = true}});
  modular::InterfaceSystem system(interface);
  system.W[1] = model.bodies()[1].inertia.matrix().inverse();
  system.free[1] << 0, 0, 0, 0, 0, -9.81;
  for (std::size_t l = 0; l < 2; ++l) {
    system.G_B[l].topRightCorner<3, 3>().setIdentity();
    system.g[l].setZero();
    system.g[l][0] = l == 0 ? 1 : -1;
  }
  modular::InterfaceSolver solver(interface, nullptr, {});
  system.prepare(solver.wanted());
  modular::Multipliers lambda(2, Vec6::Zero());
  const modular::Solved solved = solver.solve(system, lambda);
  EXPECT_TRUE(solved.contradicts);
  std::vector<Vec6> a(2);
  system.accelerate(lambda, a);
  // The compliance, 1e-3, is what they give way.
  EXPECT_LT(a[1].tail<3>().norm(), 2e-3 * 9.81);
  EXPECT_NEAR(lambda[0][2] + lambda[1][2], 2 * 9.81, 2e-3 * 2 * 9.81);
  EXPECT_TRUE(std::isfinite(lambda[0][0]));
}

TEST(Uzawa, EliminationTakesAFewRoundsOnAChainWithRedundantLoops) {
  // Ten planar loops of four bars in a chain of two hundred: thirty rows too many.
  Description d = bars(200, -Vec3::UnitY());
  for (int k = 0; k < 10; ++k) {
    JointDescription hinge;
    hinge.name = fmt::format("loop{}", k);
    hinge.body_a = fmt::format("bar{}", 20 * k + 8);
    hinge.body_b = fmt::format("bar{}", 20 * k + 11);
    hinge.at.p = Vec3(1.5, -20.0 * k - 10, 0);
    d.add_joint(hinge);
  }
  d.bodies[120].velocity = {1, 0, 0};  // the assembly makes something consistent of it
  const UzawaCase subject(d, {{"iteration", "tree"}, {"tolerance", "1e-6"}}, 1e-3);
  const auto stepper =
      make_stepper(*subject.formulation, subject.assembled, 0, {.method = "newmark", .step = 1e-3});
  while (stepper->time() < 0.1) {
    const StepReport report = stepper->advance(0.1);
    ASSERT_TRUE(report.status.ok()) << report.status.reason;
    EXPECT_TRUE(report.notes.empty());
  }
  const Counters counters = stepper->counters();
  EXPECT_LE(counters.iterations, 3 * counters.evaluations);
  Motion motion;
  ASSERT_TRUE(stepper->evaluate(stepper->time(), motion).ok());
  EXPECT_LT(compute_constraint_norms(subject.model, motion).position, 1e-6);
}

TEST(Uzawa, RatesAllocateNothing) {
  for (const char* iteration : {"pcg", "tree", "block-jacobi"}) {
    const UzawaCase subject(bars(8, Vec3(0.6, -0.8, 0)),
                            {{"iteration", iteration}, {"tolerance", "1e-3"}}, 1e-3);
    const auto workspace = subject.formulation->make_workspace();
    std::vector<double> dx(static_cast<std::size_t>(subject.formulation->layout().tangent_size()));
    const auto rates = [&] {
      return subject.formulation->rates(0, subject.x, subject.discrete, *workspace, dx).ok();
    };
    ASSERT_TRUE(rates());
    if (!kCountsAllocations) continue;
    const long before = allocations();
    ASSERT_TRUE(rates());
    EXPECT_EQ(allocations(), before) << iteration;
  }
}

TEST(Uzawa, TellsThatAnIterationDiverges) {
  // The limit of a straight chain is near 2/(4 K_jj): this is far above it.
  const UzawaCase subject(bars(3), {{"iteration", "richardson"}, {"rho", "2"}}, 0.01);
  const auto workspace = subject.formulation->make_workspace();
  std::vector<double> dx(static_cast<std::size_t>(subject.formulation->layout().tangent_size()));
  const Status status = subject.formulation->rates(0, subject.x, subject.discrete, *workspace, dx);
  EXPECT_EQ(status.code, Status::Code::kDiverged);
  EXPECT_THAT(status.reason, HasSubstr("smaller method.rho"));
}

TEST(AugmentedLagrangian, NotesAnIterationThatWasCut) {
  // With a penalty as weak as the row itself a round halves the residual.
  const UzawaCase subject(bars(4, Vec3(0.6, -0.8, 0)), {{"alpha", "1"}, {"max-iterations", "3"}},
                          0.01, {}, "augmented-lagrangian");
  const auto stepper =
      make_stepper(*subject.formulation, subject.assembled, 0, {.method = "newmark", .step = 0.01});
  int noted = 0;
  while (stepper->time() < 0.05) {
    const StepReport report = stepper->advance(0.05);
    ASSERT_TRUE(report.status.ok()) << report.status.reason;
    for (const Note& note : report.notes)
      noted += note.what.find("constraints' iteration was cut after 3 rounds") != std::string::npos;
  }
  EXPECT_EQ(noted, 1);
}

TEST(Uzawa, SaysWhatWouldDo) {
  const auto refusal = [](const std::vector<MethodSetting>& settings) -> std::string {
    try {
      UzawaCase subject(bars(3), settings, 0.01);
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_THAT(refusal({{"iteration", "gauss"}}), HasSubstr("richardson"));
  EXPECT_THAT(refusal({{"iteration", "richardson"}, {"rho", "1,2"}}),
              HasSubstr("there are 3 joints between subsystems"));
  EXPECT_THAT(refusal({{"rho", "1"}}), HasSubstr("richardson alone"));
  EXPECT_THAT(refusal({{"stopping", "increment"}}), HasSubstr("richardson and block-jacobi"));
  EXPECT_THAT(refusal({{"tolerance", "2"}}), HasSubstr("nothing would be solved"));
  EXPECT_THAT(refusal({{"subsystems", "bar0+bar7"}}), HasSubstr("bar7"));
  EXPECT_THAT(refusal({{"subsystems", "bar0+bar1,bar1+bar2"}}), HasSubstr("two subsystems"));
  EXPECT_THAT(refusal({{"subsystems", "bar0:sponge"}}), HasSubstr("point-link"));
  EXPECT_THAT(refusal({{"subsystems", "bar0+bar1:point-link"}}), HasSubstr("not a point mass"));
}

}  // namespace
}  // namespace sarrus::tests
