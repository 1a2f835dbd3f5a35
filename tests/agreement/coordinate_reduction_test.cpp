// coordinate-reduction against the judge: random mechanisms with loops of every kind; against other
// methods where the judge is too slow; and against itself on more threads.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numbers>
#include <variant>

#include "agreement/instant.h"
#include "agreement/judged.h"
#include "sarrus/analysis/assembly.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/io/load_model.h"

namespace sarrus::testing {
namespace {

RandomMechanismOptions with_loops(std::uint32_t seed) {
  Random random(seed * 2654435761u + 17);
  RandomMechanismOptions options;
  options.bodies = 2 + random.below(23);
  options.loops = true;
  options.redundant = random.chance(0.5);
  options.floating = random.chance(0.3);
  options.point_masses = random.chance(0.2);
  options.forces = random.chance(0.6);
  options.drives = random.chance(0.5);
  options.motions = random.chance(0.4);
  options.moving = random.chance(0.9);
  options.mass_ratio = 1e3;
  return options;
}

TEST(CoordinateReductionAgreement, AccelerationsAreThoseOfTheReference) {
  // The judge itself is exact to its condition times rounding, with masses 1e3 apart: 1e-12 is
  // usual. One mechanism in a thousand may be near a singular position.
  Defects defects{.usual = 1e-9, .always = 1e-7};
  constexpr double kBalance = 1e-10;
  double worst_balance = 0;
  for_each_seed({.first = 190001, .share = 150, .all = 10000}, [&](std::uint32_t seed) {
    Judged both(random_mechanism(seed, with_loops(seed)), "coordinate-reduction");
    // Reactions take every body by itself, the rates take long chains and joint forces at once.
    const Motion watched = both.subject.watched_motion();
    defects.add(std::max(both.defect(), difference(watched.accelerations,
                                                   both.expected.accelerations, both.gravity)));
    both.expect_same_power(defects.always);
    const Verdict balance = newton_euler(both.judge.model(), both.motion);
    worst_balance = std::max(worst_balance, balance.defect);
    EXPECT_LE(balance.defect, kBalance) << balance.sentence;
  });
  defects.expect_few_unusual();
  RecordProperty("worst_balance", fmt::format("{:.1e}", worst_balance));
}

const bool kLongRun = std::getenv("SARRUS_LONG") != nullptr;
const FormulationOptions kReduction = {.method = "coordinate-reduction"};

/// What the joints of a chain of so many links may do by rounding, over what passes them: a torque is a sum of
/// all forces behind it, each at an arm of up to n links, so up to n²/2 terms of the size of one, each with
/// its rounding of 1.1e-16. Short chains: rounding of some terms, and of the poses.
double work_by_rounding(int links) { return std::max(1e-10, 4 * 1.1e-16 * links * links); }

/// Accelerations against another method's, the balance of all bodies, and that the joints do no work.
void expect_same_accelerations(const Instant& instant, const FormulationOptions& judge,
                               double tolerance, const FormulationOptions& method = kReduction,
                               int links = 1) {
  // Sums of the forces on a body, relative to the largest: rounding of some terms, and of the poses.
  constexpr double kBalance = 1e-10;
  const Motion expected = instant.motion(judge);
  const Motion motion = instant.motion(method);
  const double gravity = instant.model().gravity().norm();
  EXPECT_LE(difference(motion.accelerations, expected.accelerations, gravity), tolerance);
  EXPECT_LE(
      difference(instant.watched_motion(method).accelerations, expected.accelerations, gravity),
      tolerance);
  EXPECT_LAW(newton_euler(instant.model(), motion), kBalance);
  EXPECT_LE(work_of_joints(instant.model(), motion), work_by_rounding(links));
}

/// In random mechanisms the topology cuts where loops are deepest. Here anything may be cut: screws,
/// and joints with springs, motors, friction or prescribed motions before all.
TEST(CoordinateReductionAgreement, WhicheverJointsAreCut) {
  // As above.
  Defects defects{.usual = 1e-9, .always = 1e-7};
  constexpr double kBalance = 1e-10;
  int driven = 0, sprung = 0, screws = 0;
  for_each_seed({.first = 290001, .share = 120, .all = 10000}, [&](std::uint32_t seed) {
    RandomMechanismOptions options = with_loops(seed);
    options.bodies = 2 + Random(seed).below(9);
    options.forces = options.drives = options.motions = true;
    Description description = random_mechanism(seed, options);
    Random random(seed + 5);
    const auto joint_of = [](const ForceDescription& force) {
      return std::visit(
          [](const auto& what) {
            if constexpr (requires { what.joint; })
              return what.joint;
            else
              return std::string();
          },
          force.what);
    };
    std::vector<std::string> acted_on, prescribed;
    for (const ForceDescription& force : description.forces) {
      acted_on.push_back(joint_of(force));
      if (std::holds_alternative<MotionDescription>(force.what))
        prescribed.push_back(acted_on.back());
    }
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (JointDescription& joint : description.joints)
      if (joint.type == JointType::kHelical || has(acted_on, joint.name) || random.chance(0.2))
        joint.cut = CutPreference::kPrefer;
    Judged both(description, "coordinate-reduction");
    for (const JointId id : both.subject.topology().cut_joints) {
      const Joint& joint = both.subject.model().joint(id);
      screws += joint.type() == JointType::kHelical ? 1 : 0;
      driven += has(prescribed, joint.name) ? 1 : 0;
      sprung += has(acted_on, joint.name) ? 1 : 0;
    }
    defects.add(both.defect());
    both.expect_same_power(defects.always);
    EXPECT_LAW(newton_euler(both.judge.model(), both.motion), kBalance);
    EXPECT_LE(work_of_joints(both.judge.model(), both.motion), kBalance);
  });
  defects.expect_few_unusual();
  // They really were.
  EXPECT_GT(screws, defects.count / 20);
  EXPECT_GT(driven, defects.count / 20);
  EXPECT_GT(sprung, defects.count / 5);
}

/// Crank, coupler and rocker between two points of a base, in a plane of its own.
void draw_four_bar(Drawing& drawing, const std::string& prefix, const std::string& base,
                   const Transform& plane, Random& random) {
  const auto at = [&](double x, double y) { return Vec3(plane * Vec3(x, y, 0)); };
  const Vec3 A = at(0, 0), B = at(random.uniform(-0.1, 0.1), random.uniform(0.3, 0.5)),
             C = at(random.uniform(0.7, 0.9), random.uniform(0.5, 0.8)),
             D = at(random.uniform(0.6, 0.8), 0);
  const Vec3 axis = plane.q * Vec3::UnitZ();
  drawing.bar(prefix + "crank", A, B, random.uniform(0.5, 2));
  drawing.bar(prefix + "coupler", B, C, random.uniform(0.5, 2));
  drawing.bar(prefix + "rocker", C, D, random.uniform(0.5, 2));
  drawing.hinge(prefix + "A", base, prefix + "crank", A, axis);
  drawing.hinge(prefix + "B", prefix + "crank", prefix + "coupler", B, axis);
  drawing.hinge(prefix + "C", prefix + "coupler", prefix + "rocker", C, axis);
  drawing.hinge(prefix + "D", prefix + "rocker", base, D, axis);
}

Description many_four_bars(int count) {
  Drawing drawing;
  Random random(77);
  for (int i = 0; i < count; ++i)
    draw_four_bar(drawing, fmt::format("{}_", i), "ground", {random.rotation(), random.vector(3)},
                  random);
  return drawing.description;
}

TEST(CoordinateReductionAgreement, TheBitsDoNotDependOnTheNumberOfThreads) {
  const Instant instants[] = {
      {many_four_bars(50), 3, kReduction.method},
      {load_model("ladder", {{"cells", kLongRun ? "2000" : "60"}}), 3, kReduction.method},
      {load_model("parallel-robot", {{"legs", "20"}, {"drive", "springs"}}), 3, kReduction.method}};
  for (const Instant& instant : instants) {
    SCOPED_TRACE(instant.model().name());
    expect_same_bits([&](int threads) {
      // Every front by itself, so that the work really is divided.
      const FormulationOptions options = {
          .method = kReduction.method, .settings = {{"grain", "0"}}, .threads = threads};
      std::vector<double> numbers = instant.rates(options);
      for (const Vec6& reaction : instant.motion(options).reactions)
        numbers.insert(numbers.end(), reaction.begin(), reaction.end());
      return numbers;
    });
  }
}

TEST(CoordinateReductionAgreement, ManyLoopsAtOnceAreAsEachByItself) {
  // Rounding of one linear solve, with masses and lengths of order one.
  expect_same_accelerations({many_four_bars(12), 4}, {.method = "reference"}, 1e-12);
}

TEST(CoordinateReductionAgreement, OpenMechanismsAccelerateAsWithOrderN) {
  // Both are recursions; what differs is the order of sums over the chain, whose condition grows with
  // its length.
  const auto expect_agrees = [](const char* name, const Overrides& overrides, double tolerance,
                                int links = 1) {
    SCOPED_TRACE(fmt::format("{} {}", name, overrides.front().value));
    for (const unsigned seed : {1u, 2u})
      expect_same_accelerations({load_model(name, overrides), seed, "order-n"},
                                {.method = "order-n"}, tolerance, kReduction, links);
  };
  for (const char* joints : {"revolute", "mixed"})
    for (const int links : {1, 2, 16, 300, 4096})
      if (links <= 300 || kLongRun)
        expect_agrees("chain", {{"links", std::to_string(links)}, {"joints", joints}}, 1e-8, links);
  expect_agrees("tree", {{"depth", "8"}}, 1e-10);
  expect_agrees("tree", {{"depth", "4"}, {"branching", "5"}}, 1e-10);
  expect_agrees("star", {{"arms", "3"}, {"links", "60"}}, 1e-9);
  expect_agrees("star", {{"arms", "200"}}, 1e-10);
  expect_agrees("falling-chain", {{"links", "229"}}, 1e-8);
}

constexpr JointType kAllTypes[] = {
    JointType::kRevolute,    JointType::kPrismatic, JointType::kHelical,
    JointType::kCylindrical, JointType::kUniversal, JointType::kSpherical,
    JointType::kPlanar,      JointType::kFree,      JointType::kFixed};

/// A chain of two bodies on ground, a planar loop on its tip, and chains on crank, coupler and rocker;
/// all that is not in the loop on joints of one type, told from either side.
Description loop_between_chains(JointType type, int appendages, std::uint32_t seed) {
  Random random(seed);
  Drawing drawing;
  Vec3 at = Vec3::Zero();
  std::string parent = "ground";
  const auto hang = [&](const std::string& name, const std::string& on, const Vec3& from) {
    const Vec3 to = from + 0.5 * random.direction();
    drawing.bar(name, from, to, random.uniform(0.5, 2));
    const bool reversed = random.chance(0.5);
    drawing.joint("J_" + name, type, reversed ? name : on, reversed ? on : name, from,
                  random.direction());
    return to;
  };
  for (const std::string name : {"lower", "upper"}) {
    at = hang(name, parent, at);
    parent = name;
  }
  draw_four_bar(drawing, "loop_", parent, {random.rotation(), at}, random);
  const char* const carriers[] = {"loop_crank", "loop_coupler", "loop_rocker"};
  for (int i = 0; i < appendages; ++i) {
    // Chains of up to three, and branches.
    const std::string name = fmt::format("tail{}", i);
    const bool on_tail = i > 0 && random.chance(0.5);
    const std::string on =
        on_tail ? fmt::format("tail{}", random.below(i)) : std::string(carriers[random.below(3)]);
    hang(name, on, at + random.vector(0.5));
  }
  return drawing.description;
}

TEST(CoordinateReductionAgreement, LoopsOnChainsAndChainsOnLoops) {
  // One linear solve of the judge, with bodies on three joints in a row.
  constexpr double kTolerance = 1e-10;
  for (const JointType type : kAllTypes)
    for (std::uint32_t seed = 1; seed <= (kLongRun ? 20 : 3); ++seed) {
      SCOPED_TRACE(fmt::format("{}, seed {}", name_of(type), seed));
      expect_same_accelerations({loop_between_chains(type, 7, seed), seed}, {.method = "reference"},
                                kTolerance);
    }
}

TEST(CoordinateReductionAgreement, ManyAppendages) {
  for (const JointType type : {JointType::kRevolute, JointType::kSpherical, JointType::kFree}) {
    SCOPED_TRACE(name_of(type));
    expect_same_accelerations({loop_between_chains(type, 60, 9), 9, "augmented-dca"},
                              {.method = kLongRun ? "reference" : "augmented-dca"}, 1e-8);
  }
  expect_same_accelerations(
      {loop_between_chains(JointType::kUniversal, 500, 9), 9, "augmented-dca"},
      {.method = "augmented-dca"}, 1e-8);
}

/// A ring of links with axes anywhere, closed to ground by a ball joint.
Description long_loop(int links, CutPreference cut) {
  Random random(static_cast<std::uint32_t>(links));
  Drawing drawing;
  const auto corner = [&](int i) {
    const double angle = 2 * std::numbers::pi * i / (links + 1);
    const double radius = 0.1 * links;
    return Vec3(radius * std::cos(angle), radius * std::sin(angle),
                0.05 * radius * std::sin(7 * angle));
  };
  for (int i = 0; i < links; ++i) {
    const std::string name = fmt::format("link{}", i);
    drawing.bar(name, corner(i), corner(i + 1));
    drawing.hinge(fmt::format("J{}", i), i == 0 ? "ground" : fmt::format("link{}", i - 1), name,
                  corner(i), random.direction());
  }
  drawing.joint("ball", JointType::kSpherical, fmt::format("link{}", links - 1), "ground",
                corner(links), Vec3::UnitZ(), cut);
  return drawing.description;
}

/// Two platforms on joints, held together by legs of many links on joints of one type; every third
/// link carries another body, and springs act along some joints and between some bodies.
Description legs_of_chains(JointType type, std::uint32_t seed) {
  Random random(seed);
  Drawing drawing;
  drawing.bar("lower", Vec3::Zero(), 0.5 * random.direction());
  drawing.joint("J_lower", JointType::kSpherical, "ground", "lower", Vec3::Zero());
  const Vec3 up(0, 0, 2);
  drawing.bar("upper", up, up + 0.5 * random.direction());
  const int legs = 1 + random.below(3);
  for (int leg = 0; leg < legs; ++leg) {
    const int links = 4 + random.below(9);
    Vec3 at = random.vector(0.5);
    std::string parent = random.chance(0.7) ? "lower" : "ground";
    for (int i = 0; i < links; ++i) {
      const std::string name = fmt::format("link{}_{}", leg, i);
      const Vec3 to = at + up / links + 0.2 * random.direction();
      drawing.bar(name, at, to, std::exp(random.uniform(-2, 2)));
      const bool reversed = random.chance(0.5);
      drawing.joint("J_" + name, random.chance(0.2) ? JointType::kRevolute : type,
                    reversed ? name : parent, reversed ? parent : name, at, random.direction());
      if (i % 3 == 1) {
        drawing.bar(name + "_tail", at, at + 0.2 * random.direction());
        drawing.hinge("J_" + name + "_tail", name, name + "_tail", at, random.direction());
      }
      if (i % 3 == 1)
        drawing.description.add_force(
            "along_" + name,
            JointFrictionDescription{
                .joint = "J_" + name + "_tail", .coordinate = "angle", .viscous = 0.3});
      const bool has_angle = type == JointType::kRevolute || type == JointType::kHelical;
      if (has_angle && random.chance(0.3))
        drawing.description.add_force("spring_" + name,
                                      JointSpringDescription{.joint = "J_" + name, .stiffness = 5});
      parent = name;
      at = to;
    }
    drawing.joint(fmt::format("J_up{}", leg),
                  leg == 0 ? JointType::kRevolute : JointType::kSpherical, parent, "upper", at,
                  random.direction());
  }
  drawing.joint("J_upper", JointType::kUniversal, "ground", "upper", up);
  drawing.description.add_force("between", PointSpringDescription{.body_a = "link0_1",
                                                                  .body_b = "upper",
                                                                  .point_a = Vec3::Zero(),
                                                                  .point_b = up,
                                                                  .stiffness = 20,
                                                                  .damping = 0.5});
  return drawing.description;
}

TEST(CoordinateReductionAgreement, LegsOfManyLinks) {
  // One linear solve of the judge, with masses 50 apart; ends of chains may be up to 1e-6 as hard to
  // move in one direction as in another.
  constexpr double kTolerance = 1e-9;
  for (const JointType type : kAllTypes)
    for (std::uint32_t seed = 1; seed <= (kLongRun ? 40 : 3); ++seed) {
      SCOPED_TRACE(fmt::format("{}, seed {}", name_of(type), seed));
      expect_same_accelerations({legs_of_chains(type, seed), seed}, {.method = "reference"},
                                kTolerance);
    }
}

/// Links of a hinged chain between two points of ground, `bent` [m] off the straight line.
Description nearly_straight_loop(double bent) {
  constexpr int kLinks = 10;
  Random random(3);
  Drawing drawing;
  const auto corner = [&](int i) {
    return Vec3(0.2 * i, bent * std::sin(0.9 * i), i % 2 == 0 ? 0 : bent);
  };
  for (int i = 0; i < kLinks; ++i) {
    const std::string name = fmt::format("link{}", i);
    drawing.bar(name, corner(i), corner(i + 1));
    drawing.hinge(fmt::format("J{}", i), i == 0 ? "ground" : fmt::format("link{}", i - 1), name,
                  corner(i), random.direction());
  }
  drawing.joint("end", JointType::kSpherical, fmt::format("link{}", kLinks - 1), "ground",
                corner(kLinks));
  return drawing.description;
}

// The straighter a chain the harder its end can be moved along it: from taking the chain at once to
// taking body by body.
TEST(CoordinateReductionAgreement, AChainThatIsNearlyStraight) {
  for (const double bent : {0.1, 1e-2, 1e-3, 1e-5}) {
    SCOPED_TRACE(fmt::format("{} m off", bent));
    // Rounding of the positions, 1e-16 m, over what the chain is bent: some links' worth of it.
    const double tolerance = std::max(1e-11, 1e-13 / bent);
    expect_same_accelerations({nearly_straight_loop(bent), 5}, {.method = "reference"}, tolerance);
  }
}

TEST(CoordinateReductionAgreement, ALongChainInOneLoop) {
  // More coordinates than a body has directions: they are combined. The condition grows with the
  // fourth power of the number of links; 1e-16 times a small part of that.
  for (const CutPreference cut : {CutPreference::kPrefer, CutPreference::kForbid}) {
    SCOPED_TRACE(cut == CutPreference::kPrefer ? "cut at the ball" : "cut in the middle");
    expect_same_accelerations({long_loop(8, cut), 5}, {.method = "reference"}, 1e-12);
    expect_same_accelerations({long_loop(24, cut), 5}, {.method = "reference"}, 1e-11);
    expect_same_accelerations({long_loop(60, cut), 5, "augmented-dca"},
                              {.method = kLongRun ? "reference" : "augmented-dca"}, 1e-9);
    expect_same_accelerations({long_loop(300, cut), 5, "augmented-dca"},
                              {.method = "augmented-dca"}, 1e-7);
  }
}

TEST(CoordinateReductionAgreement, InterwovenLoops) {
  // augmented-dca iterates to 1e-10 or so of the accelerations.
  const auto expect_agrees = [](const char* name, const Overrides& overrides,
                                const char* judge = "augmented-dca") {
    SCOPED_TRACE(fmt::format("{} {}", name, overrides.front().value));
    expect_same_accelerations({load_model(name, overrides), 6, judge}, {.method = judge}, 1e-8);
  };
  for (const char* size : {"4", "8", "12"})
    if (kLongRun || size != std::string("12"))
      expect_agrees("grid", {{"rows", size}, {"columns", size}});
  expect_agrees("grid", {{"rows", "3"}, {"columns", "2"}}, "reference");
  expect_agrees("nested-loops", {{"depth", "50"}});
  for (const char* legs : {"3", "6", "40"})
    for (const char* drive : {"motion", "springs", "free"})
      expect_agrees("parallel-robot", {{"legs", legs}, {"drive", drive}});
  expect_agrees("parallel-robot", {{"legs", "4"}, {"drive", "free"}}, "reference");
}

/// A bead on a turning arm flies outwards: the closing joint slides many times the bodies' size. With
/// ground it is joined in a plane.
Description bead_on_arm(JointType type) {
  Drawing drawing;
  drawing.description.gravity = {0, -1, 0};
  drawing.bar("arm", {-0.1, 0, 0}, {0.1, 0, 0}, 50);
  drawing.bar("bead", {0.1, 0, 0}, {0.2, 0, 0}, 0.01);
  drawing.hinge("pivot", "ground", "arm", {0, 0, 0});
  drawing.description.joints.back().speed = {{"angle", 3}};
  drawing.joint("plane", JointType::kPlanar, "ground", "bead", {0.15, 0, 0});
  drawing.joint("slide", type, "arm", "bead", {0.15, 0, 0}, Vec3::UnitX(), CutPreference::kPrefer);
  return drawing.description;
}

TEST(CoordinateReductionAgreement, AFollowerThatSlidesFar) {
  // Both runs are good to their tolerance times some hundred steps, and distances grow e³-fold.
  constexpr double kTolerance = 1e-8;
  for (const JointType type : {JointType::kPrismatic, JointType::kCylindrical}) {
    SCOPED_TRACE(name_of(type));
    IntegratorOptions integrator;
    integrator.rtol = integrator.atol = 1e-11;
    Subject judge(bead_on_arm(type), "reference", integrator);
    Subject subject(bead_on_arm(type), "coordinate-reduction", integrator);
    ASSERT_EQ(subject.topology().cut_joints.size(), 1u);
    ASSERT_EQ(subject.model().joint(subject.topology().cut_joints[0]).name, "slide");
    for (const double t : {0.5, 1.5, 3.0}) {
      judge.advance_to(t);
      subject.advance_to(t);
      const Motion expected = judge.motion(), motion = subject.motion();
      const auto& poses = motion.configuration.poses;
      for (std::size_t i = 0; i < poses.size(); ++i)
        EXPECT_LE((poses[i].p - expected.configuration.poses[i].p).norm(), kTolerance);
      EXPECT_LE(difference(motion.configuration.velocities, expected.configuration.velocities, 1),
                kTolerance);
      EXPECT_LE(difference(motion.accelerations, expected.accelerations, 1), 10 * kTolerance);
      EXPECT_LAW(constraint_velocities(subject.model(), motion), 1e-13);
      EXPECT_LAW(constraint_accelerations(subject.model(), motion), 1e-12);
    }
    // Fifty times its length.
    EXPECT_GT(subject.motion().configuration.poses[2].p.norm(), 5);
  }
}

}  // namespace
}  // namespace sarrus::testing
