// uzawa with steps of subsystems' own, judged by the reference and by laws.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/simulation/live_edits.h"
#include "sarrus/simulation/simulation.h"
#include "sarrus/spatial/rotation.h"

namespace sarrus::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

BodyDescription bar_from_to(const std::string& name, const Vec3& from, const Vec3& to) {
  BodyDescription bar;
  bar.name = name;
  bar.mass = 1;
  const double length = (to - from).norm();
  bar.inertia = Vec3(0.01, length * length / 12, length * length / 12).asDiagonal();
  bar.pose.q = least_turn(Vec3::UnitX(), to - from);
  bar.pose.p = 0.5 * (from + to);
  return bar;
}

JointDescription joint_at(const std::string& name, JointType type, const std::string& a,
                          const std::string& b, const Vec3& at) {
  JointDescription joint;
  joint.name = name;
  joint.type = type;
  joint.body_a = a;
  joint.body_b = b;
  joint.at.p = at;
  return joint;
}

/// Three bars in space: a hinge, a universal joint, a ball; springs, a damper and a drive between them.
Description arm_in_space() {
  Description d;
  d.name = "arm";
  d.gravity = {0, -9.81, 0};
  d.add_body(bar_from_to("upper", {0, 0, 0}, {1, 0, 0}));
  d.add_body(bar_from_to("lower", {1, 0, 0}, {1, -0.6, 0.8}));
  d.add_body(bar_from_to("hand", {1, -0.6, 0.8}, {1.5, -0.6, 0.8}));
  d.bodies[0].angular_velocity = {0, 0, 1};
  d.bodies[0].velocity = {0, 0.5, 0};
  d.add_joint(joint_at("shoulder", JointType::kRevolute, "ground", "upper", {0, 0, 0}));
  d.add_joint(joint_at("elbow", JointType::kUniversal, "upper", "lower", {1, 0, 0}));
  d.add_joint(joint_at("wrist", JointType::kSpherical, "lower", "hand", {1, -0.6, 0.8}));
  d.add_force("across", PointSpringDescription{.body_a = "upper",
                                               .body_b = "hand",
                                               .point_a = {0.5, 0, 0},
                                               .point_b = {1.5, -0.6, 0.8},
                                               .stiffness = 20,
                                               .damping = 1});
  d.add_force("rubs",
              JointFrictionDescription{.joint = "elbow", .coordinate = "angle1", .viscous = 0.3});
  d.add_force("drives",
              JointTorqueDescription{.joint = "shoulder",
                                     .value = TimeFunction::Shape(TimeFunction::Sine{2, 3, 0, 0})});
  return d;
}

SimulationOptions multirate(const std::string& subsystems, double step) {
  SimulationOptions options;
  options.method = "uzawa";
  options.integrator = "multirate";
  options.step = step;
  if (!subsystems.empty()) options.settings = {{"subsystems", subsystems}};
  return options;
}

SimulationOptions tight_reference() {
  SimulationOptions options;
  options.method = "reference";
  options.tolerance = 1e-11;
  return options;
}

Configuration state_at(const Description& d, double t, const SimulationOptions& options) {
  Simulation simulation{Model(d), options};
  const Status status = simulation.advance_to(t);
  EXPECT_TRUE(status.ok()) << status.reason;
  return simulation.sample().motion.configuration;
}

double distance(const Configuration& a, const Configuration& b) {
  double largest = 0;
  for (std::size_t i = 1; i < a.poses.size() && i < b.poses.size(); ++i)
    largest = std::max({largest, (a.poses[i].p - b.poses[i].p).norm(),
                        a.poses[i].q.angularDistance(b.poses[i].q),
                        0.1 * (a.velocities[i] - b.velocities[i]).norm()});
  return largest;
}

/// log2 of the quotient of errors at h and h/2, against the judge.
double order_of(const Description& d, const std::string& subsystems, double t, double h) {
  const Configuration judged = state_at(d, t, tight_reference());
  const double coarse = distance(state_at(d, t, multirate(subsystems, h)), judged);
  const double fine = distance(state_at(d, t, multirate(subsystems, h / 2)), judged);
  ::testing::Test::RecordProperty("errors of " + subsystems,
                                  fmt::format("{:.2e} {:.2e}", coarse, fine));
  EXPECT_LT(fine, 0.02);
  return std::log2(coarse / fine);
}

TEST(Multirate, IsOfSecondOrderWhateverTheSteps) {
  for (const char* steps :
       {"", "lower*4", "upper*3,hand*7", "upper+lower*2", "lower+hand*5,upper*2"})
    EXPECT_GT(order_of(arm_in_space(), steps, 0.3, 2.5e-3), 1.8) << steps;
}

/// A bar on a hinge, and a string of light masses on stiff springs that hangs from its end; the masses
/// slide along y, held to ground, so that springs alone hold the string together.
Description bar_and_string(double stiffness) {
  Description d;
  d.name = "string";
  d.gravity = {0, -9.81, 0};
  d.add_body(bar_from_to("bar", {0, 0, 0}, {1, 0, 0}));
  d.add_joint(joint_at("hinge", JointType::kRevolute, "ground", "bar", {0, 0, 0}));
  for (int i = 0; i < 3; ++i) {
    BodyDescription bead;
    bead.name = fmt::format("bead{}", i);
    bead.mass = 0.2;
    bead.inertia = 1e-3 * Mat3::Identity();
    bead.pose.p = {1, -0.2 * i, 0};
    d.add_body(bead);
    if (i > 0)
      d.add_force(fmt::format("spring{}", i),
                  PointSpringDescription{.body_a = fmt::format("bead{}", i - 1),
                                         .body_b = bead.name,
                                         .point_a = {1, -0.2 * (i - 1), 0},
                                         .point_b = bead.pose.p,
                                         .stiffness = stiffness});
  }
  d.add_joint(joint_at("end", JointType::kSpherical, "bar", "bead0", {1, 0, 0}));
  return d;
}

constexpr const char* kBeads = "bead0+bead1+bead2";

TEST(Multirate, StiffSubsystemsNeedStepsOfTheirOwnAndNoneElse) {
  // ω_max = √(3 k/m) of three beads and two springs.
  constexpr double kStep = 5e-3;
  const double omega = 9 / kStep;
  const Description d = bar_and_string(0.2 * omega * omega / 3);
  Simulation coarse{Model(d), multirate(kBeads, kStep)};
  const Status status = coarse.advance_to(0.2);
  const bool lost = !status.ok() || std::abs(coarse.sample().total()) > 100;
  EXPECT_TRUE(lost) << coarse.sample().total();
  // ω_max h = 0.56.
  Simulation fine{Model(d), multirate(std::string(kBeads) + "*16", kStep)};
  const Status went = fine.advance_to(0.2);
  ASSERT_TRUE(went.ok()) << went.reason;
  const Configuration judged = state_at(d, 0.2, tight_reference());
  EXPECT_LT((fine.sample().motion.configuration.poses[1].p - judged.poses[1].p).norm(), 2e-3);
  EXPECT_LT(fine.statistics().energy_drift, 0.05);
  // Gaps of this size are those of the method at ω H = 9; they fall with the square of the step.
  EXPECT_LT(fine.statistics().largest.position, 3e-3);
}

TEST(Multirate, FreeSystemsKeepTheirMomentum) {
  Description d;
  d.gravity = Vec3::Zero();
  d.add_body(bar_from_to("one", {0, 0, 0}, {1, 0, 0}));
  d.add_body(bar_from_to("other", {1, 0, 0}, {1, 1, 0}));
  d.bodies[0].angular_velocity = {0.3, 0, 2};
  d.bodies[0].velocity = {0.1, 0.2, 0.3};
  d.add_joint(joint_at("joint", JointType::kUniversal, "one", "other", {1, 0, 0}));
  d.add_force("spring", PointSpringDescription{.body_a = "one",
                                               .body_b = "other",
                                               .point_a = {0, 0, 0},
                                               .point_b = {1, 1, 0},
                                               .stiffness = 5,
                                               .damping = 0.1});
  const auto momentum = [](const Model& model, const Configuration& c) {
    Vec6 sum = Vec6::Zero();  // [about the world's origin; linear]
    for (std::size_t i = 1; i < c.poses.size(); ++i) {
      const Vec6 h = model.bodies()[i].inertia.matrix(c.poses[i].R()) * c.velocities[i];
      sum.tail<3>() += h.tail<3>();
      sum.head<3>() += h.head<3>() + c.poses[i].p.cross(Vec3(h.tail<3>()));
    }
    return sum;
  };
  double before = 0;
  for (const double step : {1e-2, 5e-3}) {
    Simulation simulation{Model(d), multirate("one*3", step)};
    const Vec6 start = momentum(simulation.model(), simulation.sample().motion.configuration);
    ASSERT_TRUE(simulation.advance_to(2).ok());
    const Vec6 end = momentum(simulation.model(), simulation.sample().motion.configuration);
    EXPECT_LT((end - start).tail<3>().norm(), 1e-12);
    const double turned = (end - start).head<3>().norm();
    EXPECT_LT(turned, 2e-3);
    if (before > 0) {
      EXPECT_GT(std::log2(before / turned), 1.8);
    }
    before = turned;
  }
}

/// Four hinges in a plane: three rows too many.
Description four_bar_in_space() {
  Description d;
  d.name = "four-bar";
  d.gravity = {0, -9.81, 0};
  d.add_body(bar_from_to("crank", {0, 0, 0}, {0, 1, 0}));
  d.add_body(bar_from_to("coupler", {0, 1, 0}, {2, 1.5, 0}));
  d.add_body(bar_from_to("rocker", {2, 0, 0}, {2, 1.5, 0}));
  d.add_joint(joint_at("A", JointType::kRevolute, "ground", "crank", {0, 0, 0}));
  d.add_joint(joint_at("B", JointType::kRevolute, "crank", "coupler", {0, 1, 0}));
  d.add_joint(joint_at("C", JointType::kRevolute, "coupler", "rocker", {2, 1.5, 0}));
  d.add_joint(joint_at("D", JointType::kRevolute, "ground", "rocker", {2, 0, 0}));
  d.joints[0].speed = {{"angle", 2}};
  return d;
}

TEST(Multirate, ClosesLoopsWithRedundantJoints) {
  EXPECT_GT(order_of(four_bar_in_space(), "coupler*3", 0.5, 2e-3), 1.8);
  EXPECT_GT(order_of(four_bar_in_space(), "crank+coupler*2", 0.5, 2e-3), 1.8);
  // Gaps shrink by 1 − β a step: those of 200 steps must not have piled up.
  Simulation simulation{Model(four_bar_in_space()), multirate("coupler*3", 5e-3)};
  ASSERT_TRUE(simulation.advance_to(2).ok());
  EXPECT_LT(simulation.statistics().largest.position, 1e-4);
}

TEST(Multirate, BalancesWhatDrivesPutIn) {
  Description d = four_bar_in_space();
  d.joints[0].speed.clear();
  d.add_force("turns",
              MotionDescription{.joint = "A",
                                .value = TimeFunction::Shape(TimeFunction::Sine{0.5, 3, 0, 0})});
  d.add_force("rubs", JointFrictionDescription{.joint = "C", .viscous = 0.5});
  double before = 0;
  for (const double step : {1e-2, 5e-3}) {
    Simulation simulation{Model(d), multirate("coupler*2", step)};
    const Status status = simulation.advance_to(2);
    ASSERT_TRUE(status.ok()) << status.reason;
    const double drift = simulation.statistics().energy_drift;
    EXPECT_LT(drift, 0.02);
    EXPECT_GT(std::abs(simulation.sample().motion.supplied), 0.1);
    if (before > 0) {
      EXPECT_GT(std::log2(before / drift), 1.7);
    }
    before = drift;
  }
  EXPECT_GT(order_of(d, "rocker*2", 0.6, 2e-3), 1.8);
}

/// A bar with a mass that slides on a spring along its axis, inside: one coordinate of its own.
class Slider final : public Subsystem {
 public:
  Slider(const Model& model, BodyId body, double mass, double stiffness)
      : model_(&model), body_(body), mass_(mass), stiffness_(stiffness) {}

  std::unique_ptr<Subsystem> clone() const override { return std::make_unique<Slider>(*this); }
  int own_coordinates() const override { return 1; }
  void start(const Configuration&, std::span<double> slide,
             std::span<double> speed) const override {
    slide[0] = 2e-4;
    speed[0] = 0;
  }
  Status respond(const SubsystemMoment& moment, SubsystemResponse& response) override {
    const Transform& pose = moment.configuration.poses[body_.slot()];
    const Vec6& V = moment.configuration.velocities[body_.slot()];
    const Inertia& inertia = model_->body(body_).inertia;
    const Vec3 axis = pose.R().col(0), w = V.head<3>();
    const Vec3 r = moment.positions[0] * axis;
    Eigen::Matrix<double, 3, 7> J;
    J << -skew(r), Mat3::Identity(), axis;
    const Vec3 bias = w.cross(w.cross(r)) + 2 * moment.velocities[0] * w.cross(axis);
    Eigen::Matrix<double, 7, 7> M = mass_ * J.transpose() * J;
    M.topLeftCorner<6, 6>() += inertia.matrix(pose.R());
    Eigen::Matrix<double, 7, 1> f = mass_ * J.transpose() * (model_->gravity() - bias);
    f.head<6>() += moment.loads.body[body_.slot()] - gyroscopic_wrench(inertia, pose.R(), w);
    f[6] -= stiffness_ * moment.positions[0];
    inverse_ = M.inverse();
    free_ = inverse_ * f;
    response.W = inverse_.topLeftCorner<6, 6>();
    response.free = free_.head<6>();
    return {};
  }
  void accelerate(const VecX& wrenches, std::span<double> rate) override {
    rate[0] = free_[6] + inverse_.row(6).head<6>() * wrenches;
  }

 private:
  const Model* model_;
  BodyId body_;
  double mass_, stiffness_;
  Eigen::Matrix<double, 7, 7> inverse_;
  Eigen::Matrix<double, 7, 1> free_;
};

TEST(Multirate, TakesSubsystemsOfTheUsersOwn) {
  constexpr double kMass = 0.3;
  constexpr double kStep = 5e-3;
  const double omega = 6 / kStep;  // ω H = 6
  const double stiffness = 0.2 * omega * omega;
  Description d;
  d.name = "slider";
  d.add_body(bar_from_to("first", {0, 0, 0}, {1, 0, 0}));
  d.add_body(bar_from_to("second", {1, 0, 0}, {1.6, 0.8, 0}));
  d.add_joint(joint_at("root", JointType::kSpherical, "ground", "first", {0, 0, 0}));
  d.add_joint(joint_at("ball", JointType::kUniversal, "first", "second", {1, 0, 0}));
  d.bodies[1].angular_velocity = {0, 1, 0};
  Description open = d;  // the same with the mass as a body that the judge sees
  BodyDescription weight;
  weight.name = "weight";
  weight.mass = kMass;
  weight.pose = open.bodies[1].pose;
  open.add_body(weight);
  JointDescription guide =
      joint_at("guide", JointType::kPrismatic, "second", "weight", weight.pose.p);
  guide.at.q = weight.pose.q * least_turn(Vec3::UnitZ(), Vec3::UnitX());
  guide.start = {{"slide", 2e-4}};
  open.add_joint(guide);
  open.add_force("spring", JointSpringDescription{.joint = "guide", .stiffness = stiffness});
  const Configuration judged = state_at(open, 0.1, tight_reference());

  SimulationOptions options = multirate("second:slider*12", kStep);
  options.subsystems["slider"] = [&](const Model& model, const std::vector<BodyId>& bodies,
                                     const Configuration&) {
    return std::make_unique<Slider>(model, bodies.front(), kMass, stiffness);
  };
  EXPECT_LT(distance(state_at(d, 0.1, options), judged), 5e-3);
  // Without steps of its own it is past what any explicit step bears.
  options.settings = {{"subsystems", "second:slider"}};
  Simulation coarse{Model(d), options};
  const Status status = coarse.advance_to(0.3);
  EXPECT_TRUE(!status.ok() || std::abs(coarse.sample().total()) > 1e3);
}

TEST(Multirate, OutputLiesBetweenTheStepsAndChangesNothing) {
  const Description d = arm_in_space();
  Simulation simulation{Model(d), multirate("lower*4", 5e-3)};
  std::vector<double> times;
  for (int i = 0; i <= 37; ++i) times.push_back(0.3 * i / 37);
  double largest = 0;
  Simulation judging{Model(d), tight_reference()};
  ASSERT_TRUE(simulation
                  .advance_to(0.3, SampleTimes(times),
                              [&](const Sample& sample) {
                                EXPECT_TRUE(judging.advance_to(sample.motion.time).ok());
                                largest = std::max(largest,
                                                   distance(sample.motion.configuration,
                                                            judging.sample().motion.configuration));
                              })
                  .ok());
  EXPECT_LT(largest, 1e-3);
  EXPECT_EQ(distance(simulation.sample().motion.configuration,
                     state_at(d, 0.3, multirate("lower*4", 5e-3))),
            0);
}

TEST(Multirate, GoesOnThroughEdits) {
  Simulation simulation{Model(arm_in_space()), multirate("lower+hand*4", 5e-3)};
  ASSERT_TRUE(simulation.advance_to(0.2).ok());
  // A body that goes leaves its subsystem.
  const EditReport report = simulation.edit({{RemoveBody{"hand", true}, {}}});
  ASSERT_TRUE(report.status.ok()) << report.status.reason;
  ASSERT_EQ(simulation.model().subsystems().size(), 1u);
  EXPECT_THAT(simulation.model().subsystems()[0].bodies, ::testing::ElementsAre("lower"));
  EXPECT_EQ(simulation.model().subsystems()[0].steps, 4);
  ASSERT_TRUE(simulation.advance_to(0.4).ok());

  Simulation judging{Model(arm_in_space()), tight_reference()};
  ASSERT_TRUE(judging.advance_to(0.2).ok());
  ASSERT_TRUE(judging.edit({{RemoveBody{"hand", true}, {}}}).status.ok());
  ASSERT_TRUE(judging.advance_to(0.4).ok());
  EXPECT_LT(
      distance(simulation.sample().motion.configuration, judging.sample().motion.configuration),
      1e-3);
}

TEST(Multirate, SaysWhatDoesNotGoTogether) {
  const auto refusal = [](SimulationOptions options) -> std::string {
    try {
      const Simulation simulation{Model(arm_in_space()), std::move(options)};
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal(multirate("hand*2", 0.01)), "");
  SimulationOptions options = multirate("hand*2", 0.01);
  options.integrator = "newmark";
  EXPECT_THAT(refusal(options), HasSubstr("--integrator multirate"));
  options.integrator = "multirate";
  options.settings.clear();
  options.method = "reference";
  EXPECT_THAT(refusal(options), HasSubstr("--method uzawa"));
  options = multirate("hand*2", 0.01);
  options.step.reset();
  EXPECT_THAT(refusal(options), HasSubstr("needs a fixed step"));
  options = multirate("hand*2", 0.01);
  options.projection = Projection::kStep;
  EXPECT_THAT(refusal(options), HasSubstr("does not project"));
  EXPECT_THAT(refusal(multirate("hand*none", 0.01)), HasSubstr("steps"));
  EXPECT_THAT(refusal(multirate("hand*2,hand+lower", 0.01)), HasSubstr("in two subsystems"));
}

TEST(Multirate, PointLinksTakeNoStepsOfTheirOwn) {
  Description d;
  for (int i = 0; i < 2; ++i) {
    BodyDescription node;
    node.name = fmt::format("n{}", i);
    node.mass = 1;
    node.pose.p = {1.0 * i, 0, 0};
    d.add_body(node);
  }
  d.add_joint(joint_at("rod", JointType::kFixed, "n0", "n1", {0, 0, 0}));
  Simulation(Model(d), multirate("n0+n1:point-link", 0.01));
  EXPECT_THAT([&] { Simulation(Model(d), multirate("n0+n1:point-link*2", 0.01)); },
              ThrowsMessage<UsageError>(HasSubstr("leave out its 2 steps")));
}

TEST(Multirate, TellsThatSubsystemsDoNotMeet) {
  // A spring between boxes at ω H = 20 is more than trials can settle.
  Description d = arm_in_space();
  std::get<PointSpringDescription>(d.forces[0].what).stiffness = 4e6;
  Simulation simulation{Model(d), multirate("hand*2", 0.01)};
  const Status status = simulation.advance_to(1);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.reason, HasSubstr("just after t"));
}

TEST(Subsystems, PointLinksKeepTheirLengthThroughEdits) {
  // At fixed steps the rods' lengths drift a little; an edit must not take that for the length.
  Description d;
  d.gravity = {0, -9.81, 0};
  for (int i = 0; i < 2; ++i) {
    BodyDescription node;
    node.name = fmt::format("n{}", i);
    node.mass = 1;
    node.pose.p = {1.0 * i, 0, 0};
    d.add_body(node);
  }
  d.add_joint(joint_at("hinge", JointType::kRevolute, "ground", "n0", {0, 0, 0}));
  d.add_joint(joint_at("rod", JointType::kFixed, "n0", "n1", {0, 0, 0}));
  d.subsystems.push_back(
      {.name = "link", .bodies = {"n0", "n1"}, .kind = "point-link", .source = {}});
  SimulationOptions options;
  options.method = "uzawa";
  options.integrator = "newmark-paper";
  options.step = 0.02;
  Simulation simulation{Model(d), options};
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(simulation.advance_to(0.05 * i).ok());
    const EditReport report = simulation.edit({{SetNumber{"gravity.y", -9.81 - 0.01 * i}, {}}});
    ASSERT_TRUE(report.status.ok()) << report.status.reason;
  }
  const Configuration c = simulation.sample().motion.configuration;
  EXPECT_NEAR((c.poses[2].p - c.poses[1].p).norm(), 1, 2e-3);
}

}  // namespace
}  // namespace sarrus::tests
