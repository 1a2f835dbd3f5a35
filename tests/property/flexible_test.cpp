// Laws that hold for flexible bodies: random beams and clouds of masses, with joints and loads at their
// nodes, for every method that takes them.

#include "property/instant_laws.h"
#include "property/suite.h"
#include "sarrus/constraints/constraint_system.h"
#include "sarrus/model/loads.h"
#include "sarrus/testing/energy_laws.h"
#include "sarrus/testing/flexible_points.h"
#include "sarrus/testing/same_mechanism.h"

namespace sarrus::testing {
namespace {

RandomMechanismOptions any_flexible_kind(std::uint32_t seed) {
  RandomMechanismOptions options = any_kind(seed);
  options.bodies = std::min(options.bodies, 8);
  options.flexible = true;
  options.mass_ratio = 100;
  return options;
}

RandomMechanismOptions any_smooth_flexible_kind(std::uint32_t seed) {
  RandomMechanismOptions options = any_flexible_kind(seed);
  options.bodies = std::min(options.bodies, 4);
  options.singular = false;
  options.point_masses = false;
  return options;
}

/// uzawa does not project boxes with something inside: its joints are stabilised, and what that does to
/// energy and momentum is of the size of the tolerance times the stabilisation's stiffness.
bool is_run(const std::string& method) { return !is_judged_elsewhere(method); }

std::vector<std::string> flexible_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.flexible_bodies) names.push_back(method.name);
  return names;
}

/// Where the mechanism starts undeformed, it starts at the same place however it is told: deformed, its
/// loops may close elsewhere.
Description undeformed(Description description) {
  for (BodyDescription& body : description.bodies) {
    if (body.flexible == nullptr) continue;
    auto flexible = std::make_shared<FlexibleDescription>(*body.flexible);
    flexible->deformation.clear();
    body.flexible = std::move(flexible);
  }
  return description;
}

/// Stiffening by spin feeds vibrations of a body whose frame shakes with it, without bound
/// [flexible-stiffening]: no run for the random ones.
Description without_stiffening(Description description) {
  for (BodyDescription& body : description.bodies) {
    if (body.flexible == nullptr) continue;
    auto flexible = std::make_shared<FlexibleDescription>(*body.flexible);
    flexible->data.stiffening = {};
    body.flexible = std::move(flexible);
  }
  return description;
}

/// Length of a run [s]: held at both ends, modes are quick, and take some thousand steps a tenth of a
/// second.
constexpr double kFlexibleRun = 0.03;

// What the random mechanisms promise.

TEST(RandomFlexibleMechanism, SameSeedGivesTheSameBits) {
  for_each_seed({.share = 10, .all = 10}, [](std::uint32_t seed) {
    const Model a(random_mechanism(seed, any_flexible_kind(seed)));
    const Model b(random_mechanism(seed, any_flexible_kind(seed)));
    ASSERT_GT(a.mode_count(), 0);
    EXPECT_EQ(a.reference_configuration().modes, b.reference_configuration().modes);
    const Configuration assembled = assemble(a).configuration;
    EXPECT_EQ(assembled.modes, assemble(b).configuration.modes);
  });
}

TEST(RandomFlexibleMechanism, StartsClosedAndDeformed) {
  int moving = 0, still = 0;
  for_each_seed({.share = 60, .all = 2000}, [&](std::uint32_t seed) {
    const RandomMechanismOptions options = any_flexible_kind(seed);
    const Model model(random_mechanism(seed, options));
    const Configuration c = assemble(model).configuration;
    const ConstraintSystem system(model);
    ConstraintValues values;
    system.evaluate(0, c, values);
    double size = 1, speed = 1;
    for (const Transform& pose : c.poses) size = std::max(size, pose.p.norm());
    for (const Vec6& V : c.velocities) speed = std::max(speed, V.norm());
    EXPECT_LT(values.phi.norm(), 1e-14 * size * std::sqrt(system.rows() + 1.0));
    // Projected once, through a Jacobian of condition 1e2 at the most.
    EXPECT_LT(values.phi_rate.norm(), 1e-13 * speed * size);
    double turn = 0;
    for (const Body& body : model.bodies()) {
      if (body.modal == nullptr) continue;
      const Eigen::Map<const VecX> eta(c.modes.data() + body.first_mode, body.modal->count());
      for (const ModalNode& node : body.modal->nodes())
        turn = std::max(turn, (node.turn * eta).norm());
    }
    EXPECT_LT(turn, 0.3);
    EXPECT_EQ(VecX::Map(c.modes.data(), std::ssize(c.modes)).isZero(0), options.singular);
    if (options.singular || !options.moving) return;
    ++moving;
    still += VecX::Map(c.mode_rates.data(), std::ssize(c.mode_rates)).isZero(0);
  });
  // A truss cannot move, and its deformations neither.
  EXPECT_LE(50 * still, moving);
}

TEST(RandomFlexibleMechanism, CoversWhatSitsAtNodes) {
  int beams = 0, clouds = 0, damped = 0, stiffened = 0, floating = 0;
  int tree_a = 0, tree_b = 0, closing_a = 0, closing_b = 0, springs = 0, forces = 0, torques = 0;
  std::vector<int> modes(7, 0);
  for_each_seed({.share = 200, .all = 200}, [&](std::uint32_t seed) {
    const Model model(random_mechanism(seed, any_flexible_kind(seed)));
    const Topology topology = analyse_topology(model);
    for (const Body& body : model.bodies()) {
      if (body.modal == nullptr) continue;
      const ModalData& data = body.modal->data();
      (body.modal->find_node("tip") >= 0 ? beams : clouds) += 1;
      damped += !data.damping.isZero(0);
      stiffened += std::ranges::any_of(data.stiffening, [](auto& G) { return G.size() > 0; });
      ++modes[static_cast<std::size_t>(data.count())];
    }
    for (int j = 0; j < model.joint_count(); ++j) {
      const Joint& joint = model.joint(JointId{j});
      const bool cut = std::ranges::count(topology.cut_joints, JointId{j}) > 0;
      (cut ? closing_a : tree_a) += joint.attachment_a != nullptr;
      (cut ? closing_b : tree_b) += joint.attachment_b != nullptr;
    }
    for (const PointSpring& spring : model.point_springs())
      springs += spring.attachment_a != nullptr || spring.attachment_b != nullptr;
    for (const AppliedForce& force : model.applied_forces()) forces += force.attachment != nullptr;
    for (const AppliedTorque& torque : model.applied_torques())
      torques += torque.attachment != nullptr;
    floating += !topology.floating_roots.empty();
  });
  for (const int count : {beams, clouds, damped, stiffened, floating, tree_a, tree_b, closing_a,
                          closing_b, springs, forces, torques})
    EXPECT_GT(count, 20);
  for (std::size_t n = 1; n < modes.size(); ++n) EXPECT_GT(modes[n], 10) << n << " modes";
}

// The judge's own figures against those of the engine.
TEST(FlexiblePoints, HaveTheBodysEnergy) {
  for_each_seed({.share = 30, .all = 500}, [](std::uint32_t seed) {
    RandomMechanismOptions options = any_flexible_kind(seed);
    options.bodies = 1;
    options.singular = false;
    options.moving = true;
    const Model model(random_mechanism(seed, options));
    const Configuration c = assemble(model).configuration;
    const double energy = kinetic_energy(model, c);
    EXPECT_NEAR(FlexiblePoints(model.body(BodyId{1})).sums(BodyId{1}, c).kinetic_energy, energy,
                1e-12 * (energy + model.body(BodyId{1}).inertia.mass));
  });
}

// A judge that never condemns is worth nothing.
TEST(FlexibleJudge, CatchesAWrongMode) {
  RandomMechanismOptions options;
  options.loops = options.forces = options.flexible = true;
  options.mass_ratio = 10;
  Subject subject(random_mechanism(3, options));
  const Model& model = subject.model();
  const Motion right = subject.motion();
  const double power = subject.supplied_power();
  const double kCaught = 1e-6;
  ASSERT_FALSE(subject.topology().is_tree());
  ASSERT_LT(newton_euler(model, right).defect, 1e-12);
  Motion wrong = right;
  wrong.mode_accelerations[0] *= 1.01;
  EXPECT_GT(newton_euler(model, wrong).defect, kCaught);
  EXPECT_GT(dalembert(model, wrong).defect, kCaught);
  EXPECT_GT(momentum_balance(model, wrong).defect, kCaught);
  EXPECT_GT(power_balance(model, wrong, power).defect, kCaught);
  EXPECT_GT(same_motion(model, right, model, wrong).defect, kCaught);
  wrong = right;
  wrong.configuration.mode_rates[0] *= 1.01;
  EXPECT_GT(constraint_velocities(model, wrong).defect, kCaught);
  wrong = right;
  wrong.configuration.modes[0] *= 1.01;
  EXPECT_GT(newton_euler(model, wrong).defect, kCaught);
}

/// For methods that solve once in doubles: the condition may be 1e5 here, ten times that of rigid ones.
constexpr double kFlexibleSolve = 10 * kRoundOffOfOneSolve;

class Flexible : public EveryMethod {};

TEST_P(Flexible, LawsHoldAtTheStart) {
  for_each_seed(
      Seeds{.first = 110001, .share = 150, .all = 3000}.of(GetParam()), [](std::uint32_t seed) {
        if (const auto subject = taken(random_mechanism(seed, any_flexible_kind(seed)), GetParam()))
          check_instant(*subject, kFlexibleSolve);
      });
}

TEST_P(Flexible, LawsHoldInFullMotion) {
  if (!is_run(GetParam())) return;
  for_each_seed(
      Seeds{.first = 120001, .share = 8, .all = 300}.of(GetParam()), [](std::uint32_t seed) {
        const auto subject = taken(
            without_stiffening(random_mechanism(seed, any_smooth_flexible_kind(seed))), GetParam());
        if (!subject) return;
        subject->advance_to(kFlexibleRun);
        check_instant(*subject, kFlexibleSolve);
      });
}

/// As in energy_test.cpp; modes are quicker than bodies, and there are more steps.
constexpr double kFlexibleBalance = 3e-8;

TEST_P(Flexible, EnergyIsBalancedToTheTolerance) {
  if (!is_run(GetParam())) return;
  for_each_seed(
      Seeds{.first = 130001, .share = 8, .all = 300}.of(GetParam()), [](std::uint32_t seed) {
        const Description description =
            without_stiffening(random_mechanism(seed, any_smooth_flexible_kind(seed)));
        if (!taken(description, GetParam())) return;
        EXPECT_LAW(energy_balance(description, {.method = GetParam(), .duration = kFlexibleRun}),
                   kFlexibleBalance);
      });
}

TEST_P(Flexible, MomentumIsKeptByAMechanismAdrift) {
  if (!is_run(GetParam())) return;
  for_each_seed(
      Seeds{.first = 140001, .share = 8, .all = 300}.of(GetParam()), [](std::uint32_t seed) {
        RandomMechanismOptions options = any_smooth_flexible_kind(seed);
        options.forces = options.drives = options.motions = false;
        options.moving = true;
        Description d = without_stiffening(random_mechanism(seed, options));
        d.gravity.setZero();
        std::erase_if(d.joints, [](const JointDescription& joint) {
          return joint.body_a == "ground" || joint.body_b == "ground";
        });
        const auto subject = taken(d, GetParam(), {.rtol = 1e-10, .atol = 1e-10});
        if (!subject) return;
        const Model& model = subject->model();
        Vec3 linear[2], angular[2];
        double size = 0, angular_size = 0;
        for (const int when : {0, 1}) {
          if (when == 1) subject->advance_to(kFlexibleRun);
          linear[when].setZero();
          angular[when].setZero();
          const Configuration c = subject->motion().configuration;
          for (int i = 1; i < model.body_count(); ++i) {
            const Body& body = model.body(BodyId{i});
            const Vec3& p = c.poses[BodyId{i}.slot()].p;
            Vec6 momentum;  // angular about the frame's origin
            if (body.modal != nullptr) {
              const FlexiblePoints::Sums sums = FlexiblePoints(body).sums(BodyId{i}, c);
              momentum = spatial(sums.angular_momentum, sums.momentum);
            } else {
              momentum = body.inertia.matrix(c.poses[BodyId{i}.slot()].R()) *
                         c.velocities[BodyId{i}.slot()];
            }
            linear[when] += momentum.tail<3>();
            angular[when] += momentum.head<3>() + p.cross(momentum.tail<3>());
            size += momentum.tail<3>().norm();
            angular_size += momentum.head<3>().norm() + p.cross(momentum.tail<3>()).norm();
          }
        }
        // The integrator's tolerance is 1e-10 a step; some hundred steps.
        EXPECT_LE((linear[1] - linear[0]).norm(), 1e-8 * size);
        EXPECT_LE((angular[1] - angular[0]).norm(), 1e-8 * angular_size);
      });
}

/// Rounding of the data, multiplied by the condition of the mechanism, 1e5, and of its joints, 1e2; the
/// judge's own solution adds nothing, others' may lose a digit more.
double same_flexible(const std::string& method) { return method == "reference" ? 1e-8 : 1e-7; }

TEST_P(Flexible, MotionIsTheSameInAnotherWorldFrame) {
  for_each_seed(
      Seeds{.first = 150001, .share = 40, .all = 1000}.of(GetParam()), [](std::uint32_t seed) {
        const Description description = random_mechanism(seed, any_flexible_kind(seed));
        Random random(seed);
        const Quat turn = random.rotation();
        const Transform X{turn, random.vector(3)};
        const auto subject = taken(description, GetParam());
        const auto other = taken(transformed(description, X), GetParam());
        ASSERT_EQ(subject == nullptr, other == nullptr);
        if (!subject) return;
        EXPECT_LAW(
            same_motion(subject->model(), subject->motion(), other->model(), other->motion(), X),
            same_flexible(GetParam()));
      });
}

TEST_P(Flexible, MotionIsTheSameToldOtherwise) {
  for_each_seed(
      Seeds{.first = 160001, .share = 40, .all = 1000}.of(GetParam()), [](std::uint32_t seed) {
        const Description description = undeformed(random_mechanism(seed, any_flexible_kind(seed)));
        const Description retold =
            with_other_cuts(with_reversals(reordered(description, seed), seed), seed);
        const auto subject = taken(description, GetParam());
        const auto other = taken(retold, GetParam());
        if (!subject || !other) return;
        EXPECT_LAW(
            same_motion(subject->model(), subject->motion(), other->model(), other->motion()),
            same_flexible(GetParam()));
      });
}

INSTANTIATE_TEST_SUITE_P(Method, Flexible, ::testing::ValuesIn(flexible_methods()), test_name);

}  // namespace
}  // namespace sarrus::testing
