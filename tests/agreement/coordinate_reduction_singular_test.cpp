// coordinate-reduction where coordinates or parts of a mechanism are singular and the whole is not,
// and where loops are not quite closed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "agreement/difference.h"
#include "agreement/instant.h"
#include "property/suite.h"
#include "sarrus/io/load_model.h"

namespace sarrus::testing {
namespace {

const bool kAllOfThem = std::getenv("SARRUS_LONG") != nullptr;

/// From a singular position [rad].
const std::vector<double> kDistances = kAllOfThem
                                           ? std::vector{1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 0.0}
                                           : std::vector{1e-2, 1e-6, 1e-10, 0.0};

/// Mechanisms of many bodies take the judge long.
bool takes_long(int bodies) { return !kAllOfThem && bodies > 7; }

struct Tolerances {
  double acceleration;
  double balance = 1e-10;  ///< sums of forces, relative to the largest
};

/// Accelerations and reactions against the judge's, at rest and in motion.
void expect_agrees_with_the_judge(const Description& description, const Tolerances& tolerances) {
  for (const unsigned seed : {0u, 1u, 2u}) {
    SCOPED_TRACE(fmt::format("motion {}", seed));
    const Instant instant(description, seed);
    const Motion expected = instant.motion({.method = "reference"});
    const Motion motion = instant.motion({.method = "coordinate-reduction"});
    const Motion watched = instant.watched_motion({.method = "coordinate-reduction"});
    const double gravity = instant.model().gravity().norm();
    EXPECT_LE(difference(motion.accelerations, expected.accelerations, gravity),
              tolerances.acceleration);
    EXPECT_LE(difference(watched.accelerations, expected.accelerations, gravity),
              tolerances.acceleration);
    EXPECT_LAW(newton_euler(instant.model(), motion), tolerances.balance);
    EXPECT_LE(work_of_joints(instant.model(), motion), tolerances.balance);
    EXPECT_LAW(constraint_accelerations(instant.model(), motion), tolerances.balance);
  }
}

/// The same whichever of its joints is cut.
void expect_agrees_whatever_is_cut(const Description& description, const Tolerances& tolerances) {
  expect_agrees_with_the_judge(description, tolerances);
  for (std::size_t i = 0; i < description.joints.size(); ++i) {
    Description other = description;
    other.joints[i].cut = CutPreference::kPrefer;
    SCOPED_TRACE("rather cut " + other.joints[i].name);
    expect_agrees_with_the_judge(other, tolerances);
  }
}

/// Coupler and rocker are in line but for an angle: stretched, or folded.
Description aligned_four_bar(double angle, bool folded) {
  const auto along = [](double direction, double length) {
    return Vec3(length * std::cos(direction), length * std::sin(direction), 0);
  };
  const Vec3 A(0, 0, 0), B = along(0.9, 1.5), C = B + along(-0.4, 1.0),
                         D = C + along(-0.4 + angle + (folded ? std::numbers::pi : 0), 1.2);
  Drawing drawing;
  drawing.bar("crank", A, B, 1.5).bar("coupler", B, C, 1).bar("rocker", C, D, 1.2);
  drawing.hinge("A", "ground", "crank", A).hinge("B", "crank", "coupler", B);
  drawing.hinge("C", "coupler", "rocker", C).hinge("D", "rocker", "ground", D);
  drawing.description.gravity = {0, -9.81, 0};
  return drawing.description;
}

TEST(CoordinateReductionSingular, DeadPointsOfTheCrankAreNothingSpecial) {
  // The mechanism has one freedom there as everywhere, only the crank's angle does not tell it. Pivots
  // are sought among all coordinates, so that the condition, about ten, is that of the mechanism.
  for (const bool folded : {false, true})
    for (const double angle : kDistances) {
      SCOPED_TRACE(fmt::format("{} by {}", folded ? "folded" : "stretched", angle));
      expect_agrees_whatever_is_cut(aligned_four_bar(angle, folded), {.acceleration = 1e-12});
    }
}

/// Rows of such loops, each on the rocker of the one before.
TEST(CoordinateReductionSingular, DeadPointsOfSeveralLoopsAtOnce) {
  for (const double angle : kDistances) {
    SCOPED_TRACE(angle);
    Drawing drawing;
    drawing.description.gravity = {0, -9.81, 0};
    const auto along = [](double direction, double length) {
      return Vec3(length * std::cos(direction), length * std::sin(direction), 0);
    };
    Vec3 A(0, 0, 0), B = along(0.9, 1.5);
    drawing.bar("rocker0", A, B, 1.5).hinge("A0", "ground", "rocker0", A);
    for (int i = 1; i <= 4; ++i) {
      const std::string n = std::to_string(i), before = "rocker" + std::to_string(i - 1);
      const Vec3 C = B + along(-0.4 + 0.1 * i, 1.0), D = C + along(-0.4 + 0.1 * i + angle, 0.8);
      drawing.bar("coupler" + n, B, C).bar("rocker" + n, C, D);
      drawing.hinge("B" + n, before, "coupler" + n, B)
          .hinge("C" + n, "coupler" + n, "rocker" + n, C);
      drawing.hinge("D" + n, "rocker" + n, "ground", D);
      B = C;
    }
    // As above; speeds, and what is left of them, are passed on from loop to loop.
    expect_agrees_with_the_judge(drawing.description, {.acceleration = 1e-11});
  }
}

/// Speeds' rates at a state that is off by `drift` in all coordinates and speeds, over the largest,
/// beside those of the state itself.
double deviation(const Instant& instant, double drift, const std::vector<MethodSetting>& settings) {
  const auto method = instant.under({.method = "coordinate-reduction", .settings = settings});
  const auto workspace = method->make_workspace();
  const MovingState state = instant.state_of(*method);
  const StateLayout& layout = method->layout();
  const std::size_t size = static_cast<std::size_t>(layout.tangent_size());
  std::vector<double> exact(size), drifted(size), off(size);
  Random random(11);
  for (std::size_t i = 0; i + 1 < size; ++i) off[i] = random.uniform(-drift, drift);
  std::vector<double> x = state.x;
  layout.retract(state.x, off, x);
  EXPECT_TRUE(method->rates(0, state.x, state.discrete, *workspace, exact).ok());
  const Status status = method->rates(0, x, state.discrete, *workspace, drifted);
  EXPECT_TRUE(status.ok()) << status.reason;
  double most = 0, largest = 1;
  for (std::size_t i = size / 2; i + 1 < size; ++i) {
    largest = std::max(largest, std::abs(exact[i]));
    most = std::max(most, std::abs(drifted[i] - exact[i]));
  }
  return most / largest;
}

TEST(CoordinateReductionSingular, DriftDisturbsNoMoreThanItsOwnSize) {
  // Redundant rows contradict each other by the drift; beyond the nominal rank they are left out, so
  // that nothing divides by it. A hundred: the condition of twelve cells and of Bennett's linkage.
  constexpr double kFactor = 100;
  const Instant instants[] = {{load_model("ladder", {{"cells", "12"}}), 3, "augmented-dca"},
                              {load_model("bennett"), 3},
                              {load_model("bricard"), 3},
                              {load_model("five-bar"), 3}};
  for (const Instant& instant : instants)
    for (const double drift : {1e-10, 1e-8, 1e-6, 1e-4, 1e-3}) {
      SCOPED_TRACE(fmt::format("{}, {}", instant.model().name(), drift));
      const double found = deviation(instant, drift, {});
      EXPECT_LE(found, kFactor * drift);
      EXPECT_GE(found, 0.01 * drift);
    }
}

/// A coupler on parallel cranks. The first ones stand in a row along x, so that they are flat at the
/// angle 0; the last stands aside and carries them through.
Description cranks_and_one_aside(double angle, int in_a_row, const std::vector<int>& order) {
  Drawing drawing;
  drawing.description.gravity = {0, -9.81, 0};
  const Vec3 crank(0.8 * std::cos(angle), 0.8 * std::sin(angle), 0);
  const auto foot = [&](int i) {
    return i == in_a_row ? Vec3(0.4, 0.7, 0) : Vec3(0.9 * i, 0, 0.1 * i);
  };
  BodyDescription coupler;
  coupler.name = "coupler";
  coupler.mass = 2;
  coupler.inertia = Vec3(0.2, 0.3, 0.4).asDiagonal();
  coupler.pose.p = crank + Vec3(0.5, 0.2, 0);
  drawing.description.add_body(coupler);
  for (const int i : order) {
    const std::string n = std::to_string(i);
    drawing.bar("crank" + n, foot(i), foot(i) + crank, 1 + 0.2 * i);
    drawing.hinge("A" + n, "ground", "crank" + n, foot(i));
    drawing.hinge("B" + n, "crank" + n, "coupler", foot(i) + crank);
  }
  return drawing.description;
}

TEST(CoordinateReductionSingular, AFlatParallelogramIsCarriedThroughByAThirdCrank) {
  // Where two cranks are flat their rows wait for the third, whose pivots are of order one. The judge
  // sees all rows at once; its condition is some tens.
  for (const double angle : kDistances) {
    std::vector<int> order = {0, 1, 2};
    do {
      SCOPED_TRACE(fmt::format("angle {}, cranks {}", angle, fmt::join(order, ", ")));
      expect_agrees_whatever_is_cut(cranks_and_one_aside(angle, 2, order), {.acceleration = 1e-11});
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(CoordinateReductionSingular, AFlatRowOfCranksIsCarriedThroughByOneAside) {
  for (const double angle : kDistances)
    for (const int in_a_row : {3, 5, 8}) {
      if (takes_long(in_a_row)) continue;
      SCOPED_TRACE(fmt::format("angle {}, {} in a row", angle, in_a_row));
      std::vector<int> order;
      for (int i = 0; i <= in_a_row; ++i) order.push_back(i);
      expect_agrees_with_the_judge(cranks_and_one_aside(angle, in_a_row, order),
                                   {.acceleration = 1e-11});
      std::reverse(order.begin(), order.end());
      expect_agrees_with_the_judge(cranks_and_one_aside(angle, in_a_row, order),
                                   {.acceleration = 1e-11});
    }
}

/// Wheels with side rods on both sides, a quarter turn apart, as of a locomotive: whichever rods are
/// flat, the others are not. `long_rods`: one rod a side, else one between any two neighbours.
Description locomotive(double angle, int wheels, bool long_rods) {
  Drawing drawing;
  drawing.description.gravity = {0, -9.81, 0};
  const auto pin = [&](int wheel, int side) {
    const double at = angle + side * std::numbers::pi / 2;
    return Vec3(wheel + 0.4 * std::cos(at), 0.4 * std::sin(at), side == 0 ? 0.2 : -0.2);
  };
  for (int i = 0; i < wheels; ++i) {
    BodyDescription wheel;
    wheel.name = fmt::format("wheel{}", i);
    wheel.mass = 3;
    wheel.inertia = Vec3(0.2, 0.2, 0.3).asDiagonal();
    wheel.center_of_mass = Vec3(0.1, 0, 0);
    wheel.pose.p = Vec3(i, 0, 0);
    drawing.description.add_body(wheel);
    drawing.hinge(fmt::format("A{}", i), "ground", wheel.name, {static_cast<double>(i), 0, 0});
  }
  for (int side = 0; side < 2; ++side) {
    if (long_rods) drawing.bar(fmt::format("rod{}", side), pin(0, side), pin(wheels - 1, side));
    for (int i = 0; i + 1 < wheels || (long_rods && i < wheels); ++i) {
      const std::string n = fmt::format("{}_{}", side, i);
      if (long_rods) {
        drawing.hinge("P" + n, fmt::format("wheel{}", i), fmt::format("rod{}", side), pin(i, side));
        continue;
      }
      drawing.bar("rod" + n, pin(i, side), pin(i + 1, side));
      drawing.hinge("L" + n, fmt::format("wheel{}", i), "rod" + n, pin(i, side));
      drawing.hinge("R" + n, "rod" + n, fmt::format("wheel{}", i + 1), pin(i + 1, side));
    }
  }
  return drawing.description;
}

TEST(CoordinateReductionSingular, SideRodsCarryEachOtherThroughTheirDeadPoints) {
  for (const double distance : kDistances)
    for (const double quarter : {0.0, 0.5, 1.0})
      for (const int wheels : {2, 3, 5})
        for (const bool long_rods : {false, true}) {
          if (takes_long(long_rods ? wheels + 2 : 3 * wheels - 2)) continue;
          SCOPED_TRACE(fmt::format("{} quarters and {}, {} wheels, {} rods", quarter, distance,
                                   wheels, long_rods ? "long" : "short"));
          expect_agrees_with_the_judge(
              locomotive(quarter * std::numbers::pi / 2 + distance, wheels, long_rods),
              {.acceleration = 1e-11});
        }
}

/// A row of loops that are all nearly flat: none of them helps another, and every row is needed.
TEST(CoordinateReductionSingular, NearlyFlatLoopsInARow) {
  // Roundings over the square of the distance, which is what the judge loses as well; and each loop
  // passes on what it has got.
  for (const char* loops : {"1", "2", "4", "5", "6", "10"})
    for (const double degrees : {3.0, 1.0, 0.3, 0.1}) {
      if (takes_long(std::atoi(loops))) continue;
      SCOPED_TRACE(fmt::format("{} loops, {} degrees", loops, degrees));
      const Instant instant(
          load_model("n-four-bar", {{"loops", loops}, {"angle", fmt::format("{}", degrees)}}), 0);
      const Motion expected = instant.motion({.method = "reference"});
      const Motion motion = instant.motion({.method = "coordinate-reduction"});
      const double angle = degrees * std::numbers::pi / 180;
      EXPECT_LE(difference(motion.accelerations, expected.accelerations, 9.81),
                1e-14 * std::atoi(loops) * std::atoi(loops) / (angle * angle));
      EXPECT_LAW(newton_euler(instant.model(), motion), 1e-10);
    }
}

/// Any spanning tree, so that rows of several flat loops may wait at once.
TEST(CoordinateReductionSingular, SideRodsWithAnySpanningTree) {
  for_each_seed({.first = 1, .share = 15, .all = 1000}, [](std::uint32_t seed) {
    Random random(seed);
    const double distance = random.chance(0.5) ? 0 : random.log_uniform(1e-9, 1e-1);
    Description description = locomotive(random.below(4) * std::numbers::pi / 2 + distance,
                                         2 + random.below(6), random.chance(0.5));
    for (std::size_t i = description.joints.size() - 1; i > 0; --i)
      std::swap(
          description.joints[i],
          description.joints[static_cast<std::size_t>(random.below(static_cast<int>(i) + 1))]);
    for (JointDescription& joint : description.joints)
      if (random.chance(0.4)) joint.cut = CutPreference::kPrefer;
    expect_agrees_with_the_judge(description, {.acceleration = 1e-10});
  });
}

/// Turns all that turns about z through a whole turn in small steps, by poses that are known: the
/// method has its ranks from where it was assembled, and must be right wherever it comes.
template <class MakeDescription>
void expect_agrees_all_the_way_round(const MakeDescription& at_angle, double start) {
  const Model model(at_angle(start));
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model, topology).configuration;
  const auto method =
      make_formulation({.method = "coordinate-reduction"}, model, topology, assembled);
  const auto judge = make_formulation({.method = "reference"}, model, topology, assembled);
  const auto workspace = method->make_workspace();
  const auto judges = judge->make_workspace();
  constexpr int kSteps = 16;
  for (int i = 0; i < kSteps; ++i) {
    SCOPED_TRACE(fmt::format("from {} by {}/{} of a turn", start, i, kSteps));
    const double turned = 2 * std::numbers::pi * i / kSteps;
    // The same mechanism, described there: its bodies stand where these should.
    const Instant there(at_angle(start + turned), 2);
    Configuration c = there.now();
    // Bodies that turn are described unturned; here they are turned, and so are their joints.
    const auto turns = [&](BodyId body) {
      const std::string& name = model.body(body).name;
      return name.starts_with("wheel") || name.starts_with("crank");
    };
    for (std::size_t b = 1; b < c.poses.size(); ++b)
      if (turns(BodyId{static_cast<int>(b)}))
        c.poses[b].q = Quat(Eigen::AngleAxisd(turned, Vec3::UnitZ())) * assembled.poses[b].q;
    for (const Joint& joint : model.joints())
      c.coordinates[static_cast<std::size_t>(joint.first_freedom)] =
          turned * ((turns(joint.b) ? 1 : 0) - (turns(joint.a) ? 1 : 0));
    MovingState state, judged;
    state.x.assign(static_cast<std::size_t>(method->layout().size()), 0);
    judged.x.assign(static_cast<std::size_t>(judge->layout().size()), 0);
    method->encode(c, state.x, state.discrete);
    judge->encode(c, judged.x, judged.discrete);
    Motion motion, expected;
    const Status status = method->evaluate(0, state.x, state.discrete, *workspace, motion);
    ASSERT_TRUE(status.ok()) << status.reason;
    ASSERT_TRUE(judge->evaluate(0, judged.x, judged.discrete, *judges, expected).ok());
    EXPECT_LE(difference(motion.accelerations, expected.accelerations, 9.81), 1e-10);
    EXPECT_LAW(newton_euler(model, motion), 1e-10);
    EXPECT_LE(work_of_joints(model, motion), 1e-10);
  }
}

TEST(CoordinateReductionSingular, RanksAreRightWhereverItWasAssembled) {
  for (const double start : {0.0, 1e-7, 0.3, 0.5 * std::numbers::pi})
    for (const bool long_rods : {false, true}) {
      SCOPED_TRACE(long_rods ? "long rods" : "short rods");
      expect_agrees_all_the_way_round([&](double angle) { return locomotive(angle, 3, long_rods); },
                                      start);
    }
  for (const double start : {0.0, 1e-7, 0.3})
    for (const std::vector<int>& order : {std::vector<int>{0, 1, 2}, {0, 2, 1}, {2, 0, 1}})
      expect_agrees_all_the_way_round(
          [&](double angle) { return cranks_and_one_aside(angle, 2, order); }, start);
}

}  // namespace
}  // namespace sarrus::testing
