// hamiltonian-dca against the judge: random mechanisms of every kind.

#include "sarrus/formulations/hamiltonian_dca/hamiltonian_dca.h"

#include <algorithm>

#include "agreement/instant.h"
#include "agreement/judged.h"
#include "sarrus/io/load_model.h"
#include "sarrus/model/loads.h"

namespace sarrus::testing {
namespace {

using tree::Tree;
using tree::TreeBody;
using tree::TreeMotion;

Description any_with_momenta(std::uint32_t seed) {
  return random_mechanism(
      seed, any_mechanism(Random(seed * 2654435761u + 17), /*loops=*/0.6, /*redundant=*/0.4));
}

/// By how much the momenta of the joints change when the bodies accelerate as `motion` says, less what
/// the constraints of cut joints and of prescribed motions contribute, unless momenta are `whole`: all
/// from Newton's and Euler's laws, with S differentiated along the motion.
std::vector<double> expected_momentum_rates(const HamiltonianDca& method, const Motion& motion,
                                            bool whole, std::span<const double> x,
                                            std::span<const double> rates) {
  const Tree& tree = method.tree();
  const Model& model = tree.model();
  const Configuration& c = motion.configuration;
  Loads loads;
  compute_loads(model, motion.time, c, loads);
  const auto constraint_wrench = [&](JointId id) -> Vec6 {  // on body b at its origin
    const Vec3 s_B = view_of(model.joint(id), c).s_B;
    return shift_force(motion.reactions[id.slot()], -s_B) - loads.joint[id.slot()];
  };
  std::vector<Vec6> force(model.bodies().size(), Vec6::Zero());
  std::vector<Vec6> momentum(force);
  for (std::size_t i = 1; i < force.size(); ++i) {
    const Inertia& inertia = model.bodies()[i].inertia;
    const Mat3 R = c.poses[i].R();
    momentum[i] = inertia.matrix(R) * c.velocities[i];
    force[i] = inertia.matrix(R) * motion.accelerations[i] +
               gyroscopic_wrench(inertia, R, c.velocities[i].head<3>());
  }
  for (int j = 0; j < model.joint_count(); ++j) {
    if (whole || tree.slot_of(JointId{j}) >= 0) continue;
    const Joint& joint = model.joint(JointId{j});
    const Vec6 on_b = constraint_wrench(JointId{j});
    force[joint.b.slot()] -= on_b;
    force[joint.a.slot()] +=
        shift_force(on_b, c.poses[joint.a.slot()].p - c.poses[joint.b.slot()].p);
  }
  for (std::size_t i = tree.bodies().size(); i-- > 0;) {
    const TreeBody& body = tree.bodies()[i];
    if (body.parent < 0) continue;
    const BodyId parent = tree.bodies()[to_index(body.parent)].body;
    const Vec3 back = c.poses[parent.slot()].p - c.poses[body.body.slot()].p;
    force[parent.slot()] += shift_force(force[body.body.slot()], back);
    momentum[parent.slot()] += shift_force(momentum[body.body.slot()], back);
  }
  // S along the motion, by differences of the sixth order.
  double fastest = 1;
  for (const Vec6& V : c.velocities) fastest = std::max(fastest, V.head<3>().norm());
  const double step = 0.02 / fastest;
  constexpr double kWeights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  std::vector<Mat6xUpTo6> S_rate;
  std::vector<double> moved(x.size()), along(rates.size());
  const auto motion_at = [&](double s, TreeMotion& m) {
    for (std::size_t k = 0; k < along.size(); ++k) along[k] = s * rates[k];
    method.layout().retract(x, along, moved);
    const std::vector<double> zeros(to_index(tree.nv()), 0.0);
    tree::kinematics(tree, moved.data(), zeros.data(), m);
  };
  TreeMotion now, other;
  motion_at(0, now);
  for (const Mat6xUpTo6& S : now.S) S_rate.push_back(0 * S);
  for (int k = 1; k <= 3; ++k)
    for (const double sign : {1.0, -1.0}) {
      motion_at(sign * k * step, other);
      for (std::size_t i = 0; i < S_rate.size(); ++i)
        S_rate[i] += sign * kWeights[k - 1] / step * other.S[i];
    }
  std::vector<double> result(to_index(tree.nv()));
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    Vec6 F = force[body.body.slot()];
    if (body.joint.valid() && !whole) {
      // What drives the joint has no part in the rates; without a drive nothing is left along S.
      const Joint& joint = model.joint(body.joint);
      const Vec6 on_b = constraint_wrench(body.joint);
      F -= body.reversed
               ? Vec6(-shift_force(on_b, c.poses[joint.a.slot()].p - c.poses[joint.b.slot()].p))
               : on_b;
    }
    const Vec6& P = momentum[body.body.slot()];
    // The origin moves on.
    const Vec3 v = c.velocities[body.body.slot()].tail<3>();
    F.head<3>() -= v.cross(P.tail<3>());
    for (int k = 0; k < body.nv; ++k)
      result[to_index(body.v + k)] = now.S[i].col(k).dot(F) + S_rate[i].col(k).dot(P);
  }
  return result;
}

/// The larger defect of velocities and of momentum rates against those of `expected`.
double defect_of(const HamiltonianDca& method, const Motion& expected, std::vector<double>& rates) {
  std::vector<double> x(to_index(method.layout().size()));
  rates.assign(to_index(method.layout().tangent_size()), 0.0);
  Discrete discrete;
  method.encode(expected.configuration, x, discrete);
  const auto workspace = method.make_workspace();
  const Status status = method.rates(0, x, discrete, *workspace, rates);
  EXPECT_TRUE(status.ok()) << status.reason;
  Configuration found;
  method.decode(x, discrete, found);
  double defect = difference(found.velocities, expected.configuration.velocities, 0.1);
  const bool whole = method.has_whole_momenta(discrete);
  const std::vector<double> p_rates = expected_momentum_rates(method, expected, whole, x, rates);
  // Each momentum is compared with the weight of the whole at the size of the mechanism, which is what
  // the largest of them changes by where no loop bears it.
  double largest = 0;
  for (const double rate : expected_momentum_rates(method, expected, false, x, rates))
    largest = std::max(largest, std::abs(rate));
  for (std::size_t k = 0; k < p_rates.size(); ++k) {
    const double p_rate = method.momentum_scale()[k] * rates[p_rates.size() + k];
    defect = std::max(defect, std::abs(p_rate - p_rates[k]) / std::max(largest, 1e-3));
  }
  return defect;
}

TEST(HamiltonianDcaAgreement, VelocitiesAndMomentumRatesAreThoseOfTheReference) {
  // As the method promises. Random mechanisms are conditioned up to 1e4 with masses up to 1e3 apart.
  Defects defects{.usual = 1e-9, .always = 1e-6};
  for_each_seed({.first = 130001, .share = 80, .all = 5000}, [&](std::uint32_t seed) {
    Subject judge(any_with_momenta(seed), "reference");
    const Motion expected = judge.motion();
    const auto made = make_formulation({.method = "hamiltonian-dca"}, judge.model(),
                                       judge.topology(), judge.assembled());
    const auto& method = dynamic_cast<const HamiltonianDca&>(*made);
    std::vector<double> rates;
    defects.add(defect_of(method, expected, rates));
    const double power = judge.supplied_power();
    EXPECT_NEAR(rates.back(), power, 1e-7 * (1 + std::abs(power)));
  });
  defects.expect_few_unusual();
}

/// Bodies on hinges with axes anywhere, each described from either side: what the kernels take. Closed
/// by ball joints over five bodies or more, so that the constraints are independent.
Description crooked_tree(std::uint32_t seed, int bodies, double branching, int loops, bool forces) {
  Random random(seed);
  Description description;
  description.name = "crooked tree";
  description.gravity = {0, 0, -9.81};
  const auto name = [](int i) { return i < 0 ? std::string("ground") : fmt::format("b{}", i); };
  std::vector<Vec3> at;
  std::vector<int> depth;
  for (int i = 0; i < bodies; ++i) {
    const bool branches = i > 0 && random.chance(branching);
    const int parent = branches ? random.below(i + 1) - 1 : i - 1;
    const Vec3 below = parent < 0 ? Vec3::Zero().eval() : at[to_index(parent)];
    at.push_back(below + 0.5 * random.direction());
    depth.push_back(parent < 0 ? 1 : depth[to_index(parent)] + 1);
    BodyDescription body;
    body.name = name(i);
    body.mass = random.log_uniform(0.3, 3);
    body.center_of_mass = random.vector(0.3);
    const Vec3 sides = Vec3(1, 1.2, 1.5) * random.uniform(0.2, 0.5);
    body.inertia = (body.mass * sides.cwiseProduct(sides)).asDiagonal();
    body.pose = {random.rotation(), at.back() + random.vector(0.2)};
    description.add_body(body);
    JointDescription joint;
    joint.name = fmt::format("J{}", i);
    joint.body_a = name(parent);
    joint.body_b = name(i);
    if (random.chance(0.5)) std::swap(joint.body_a, joint.body_b);
    joint.at = {random.rotation(), below + random.vector(0.1)};
    description.add_joint(joint);
    if (forces && random.chance(0.4))
      description.add_force("friction of " + joint.name,
                            JointFrictionDescription{.joint = joint.name, .viscous = 0.3});
    if (forces && random.chance(0.2))
      description.add_force(
          "spring of " + joint.name,
          JointSpringDescription{.joint = joint.name, .stiffness = 4, .rest = 0.3});
    if (forces && random.chance(0.2))
      description.add_force(
          "load on " + name(i),
          AppliedForceDescription{
              .body = name(i), .point = at.back(), .direction = random.vector(3)});
    if (loops > 0 && depth.back() >= 5) {
      JointDescription ball;
      ball.name = fmt::format("L{}", i);
      ball.type = JointType::kSpherical;
      ball.body_b = name(i);
      ball.at = {random.rotation(), at.back()};
      ball.cut = CutPreference::kPrefer;
      description.add_joint(ball);
      depth.back() = 1;  // the next five bodies are free again
      --loops;
    }
  }
  return description;
}

// Parts of a few bodies each: every kind of boundary that there is, one against another.
TEST(HamiltonianDcaAgreement, KernelsFindWhatTheReferenceFinds) {
  constexpr double kDefect = 1e-9;
  const Seeds seeds{.first = 150001, .share = 40, .all = 2000};
  int in_kernels = 0, others = 0;
  for_each_seed(seeds, [&](std::uint32_t seed) {
    Random random(seed + 1);
    const int bodies = 2 + random.below(30);
    const double branching = random.chance(0.3) ? 0 : random.uniform(0.1, 0.9);
    const int loops = random.chance(0.3) ? 1 + random.below(3) : 0;
    const Instant instant(crooked_tree(seed, bodies, branching, loops, random.chance(0.5)), seed);
    const Motion expected = instant.motion({.method = "reference"});
    for (const char* part_bodies : {"1000", "2", "3", "7"}) {
      SCOPED_TRACE(part_bodies);
      const auto made =
          instant.under({.method = "hamiltonian-dca", .settings = {{"part_bodies", part_bodies}}});
      const auto& method = dynamic_cast<const HamiltonianDca&>(*made);
      ++(method.is_all_in_kernels() ? in_kernels : others);
      std::vector<double> rates;
      EXPECT_LE(defect_of(method, expected, rates), kDefect);
      Motion motion;
      const auto workspace = method.make_workspace();
      const MovingState state = instant.state_of(method);
      ASSERT_TRUE(method.evaluate(0, state.x, state.discrete, *workspace, motion).ok());
      EXPECT_LE(difference(motion.accelerations, expected.accelerations, 9.81), kDefect);
      if (loops > 0) continue;
      // Momenta of joints with implicit friction are larger by h R u, and change by the same forces.
      const auto implicit =
          instant.under({.method = "hamiltonian-dca",
                         .settings = {{"part_bodies", part_bodies}, {"friction", "implicit"}},
                         .step = 0.05});
      EXPECT_LE(defect_of(dynamic_cast<const HamiltonianDca&>(*implicit), expected, rates),
                kDefect);
    }
  });
  EXPECT_LE(others,
            in_kernels / 9);  // where loops share too many bodies constraints may be dependent
}

TEST(HamiltonianDcaAgreement, AccelerationsForOutputAreThoseOfTheReference) {
  Defects defects{.usual = 1e-9, .always = 1e-6};
  for_each_seed({.first = 140001, .share = 40, .all = 5000}, [&](std::uint32_t seed) {
    const Judged both(any_with_momenta(seed), "hamiltonian-dca");
    defects.add(both.defect());
    EXPECT_LAW(newton_euler(both.subject.model(), both.motion), 1e-9);
    EXPECT_LAW(reaction_uniqueness(both.subject.model(), both.motion), 0);
  });
  defects.expect_few_unusual();
}

TEST(HamiltonianDcaAgreement, TheBitsDoNotDependOnTheNumberOfThreads) {
  const std::pair<const char*, Overrides> cases[] = {
      {"chain", {{"links", "600"}, {"joints", "mixed"}}},
      {"chain", {{"links", "1000"}}},
      {"star", {{"arms", "30"}, {"links", "40"}}},
      {"tree", {{"depth", "7"}}},
      {"ladder", {{"cells", "30"}}}};
  for (const auto& [name, overrides] : cases) {
    SCOPED_TRACE(name);
    const Instant instant(load_model(name, overrides), 0);
    const Configuration moving =
        random_motion(instant.model(), instant.topology(), instant.now(), 3);
    expect_same_bits([&](int threads) {
      const auto method = instant.under(
          {.method = "hamiltonian-dca", .settings = {{"grain", "1"}}, .threads = threads});
      const auto workspace = method->make_workspace();
      MovingState state;
      EXPECT_TRUE(make_moving_state(*method, moving, *workspace, state).ok());
      std::vector<double> rates(to_index(method->layout().tangent_size()));
      EXPECT_TRUE(method->rates(0, state.x, state.discrete, *workspace, rates).ok());
      return rates;
    });
  }
}

}  // namespace
}  // namespace sarrus::testing
