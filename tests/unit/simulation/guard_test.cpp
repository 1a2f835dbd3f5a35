#include "sarrus/simulation/guard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/registry.h"
#include "unit/model/mechanisms.h"

// Methods that are made wrong on purpose: each must be found out. What the guard says of sound ones is
// in tests/property.
namespace sarrus {
namespace {

using body_state::kBodySize;
using body_state::kBodyTangent;

/// A method with a defect, over one without. The hooks see what the good one has done.
class Spoiled final : public Formulation {
 public:
  using Rates = std::function<void(double t, std::span<const double> x, std::span<double> dx)>;
  using After = std::function<void(double t, std::span<double> x)>;
  using Shown = std::function<void(Motion& motion)>;

  /// `owner` has what the good one refers to.
  explicit Spoiled(std::unique_ptr<Formulation> good, std::shared_ptr<const void> owner = {})
      : owner_(std::move(owner)), good_(std::move(good)) {}

  std::string_view name() const override { return "spoiled"; }
  Projection projection() const override { return good_->projection(); }
  const StateLayout& layout() const override { return good_->layout(); }
  std::unique_ptr<Workspace> make_workspace() const override { return good_->make_workspace(); }
  void encode(const Configuration& from, std::span<double> x, Discrete& discrete) const override {
    good_->encode(from, x, discrete);
  }
  void decode(std::span<const double> x, const Discrete& discrete,
              Configuration& to) const override {
    good_->decode(x, discrete, to);
  }
  Status rates(double t, std::span<const double> x, const Discrete& discrete, Workspace& workspace,
               std::span<double> dx) const override {
    if (at_rest || at_first_pose) {  // accelerations of another state, beside the true velocities
      if (first_.empty()) first_.assign(x.begin(), x.end());
      std::vector<double> other(x.begin(), x.end());
      for (std::size_t i = 0; i + 1 < other.size(); i += kBodySize) {
        if (at_rest) std::fill_n(other.data() + i + 7, 6, 0.0);
        if (at_first_pose) std::copy_n(first_.data() + i, 7, other.data() + i);
      }
      const Status status = good_->rates(t, other, discrete, workspace, dx);
      for (std::size_t b = 0; kBodySize * b + 1 < x.size(); ++b)
        for (std::size_t k = 0; k < 6; ++k) dx[kBodyTangent * b + k] = x[kBodySize * b + 7 + k];
      return status;
    }
    const Status status = good_->rates(t, x, discrete, workspace, dx);
    if (spoil_rates) spoil_rates(t, x, dx);
    return status;
  }
  AfterStep after_step(double t, std::span<double> x, Discrete& discrete,
                       Workspace& workspace) const override {
    AfterStep result = good_->after_step(t, x, discrete, workspace);
    if (spoil_state) {
      spoil_state(t, x);
      result.changed = true;
    }
    return result;
  }
  Status evaluate(double t, std::span<const double> x, const Discrete& discrete,
                  Workspace& workspace, Motion& motion) const override {
    if (evaluations != nullptr) ++*evaluations;
    const Status status = good_->evaluate(t, x, discrete, workspace, motion);
    if (spoil_motion) spoil_motion(motion);
    return status;
  }

  bool at_rest = false, at_first_pose = false;
  long* evaluations = nullptr;  ///< counts those for output
  Rates spoil_rates;
  After spoil_state;
  Shown spoil_motion;

 private:
  mutable std::vector<double> first_;
  std::shared_ptr<const void> owner_;
  std::unique_ptr<Formulation> good_;
};

/// A lopsided top on a ball joint that spins, with an arm on a hinge, a spring, friction, a motor and a
/// wind: everything that a sign can be wrong in.
Description top() {
  Description d;
  d.add_body({.name = "top",
              .mass = 2,
              .center_of_mass = {0.1, -0.05, 0.3},
              .inertia = Vec3(0.05, 0.08, 0.04).asDiagonal(),
              .pose = {},
              .relative_to = {},
              .angular_velocity = {1, -2, 4}});
  d.add_body({.name = "arm",
              .mass = 1,
              .center_of_mass = {0.2, 0, 0},
              .inertia = Vec3(0.01, 0.03, 0.035).asDiagonal(),
              .pose = {Quat::Identity(), Vec3(0.2, 0, 0.4)},
              .relative_to = {},
              .angular_velocity = {1, -2, 4},
              .velocity = Vec3(1, -2, 4).cross(Vec3(0.2, 0, 0.4))});
  d.add_joint({.name = "ball", .type = JointType::kSpherical, .body_b = "top"});
  d.add_joint(tests::joint("hinge", JointType::kRevolute, "top", "arm", {0.2, 0, 0.4},
                           Vec3(1, 2, 3).normalized()));
  d.add_force("spring", PointSpringDescription{.body_b = "arm",
                                               .point_a = {1, 0, 0},
                                               .point_b = {0.5, 0, 0.4},
                                               .stiffness = 40,
                                               .damping = 1});
  d.add_force("friction", JointFrictionDescription{.joint = "hinge", .viscous = 0.05});
  d.add_force("motor", JointTorqueDescription{.joint = "hinge", .value = 0.6});
  d.add_force("wind",
              AppliedForceDescription{.body = "top", .point = {0, 0, 0.5}, .direction = {0, 3, 0}});
  return d;
}

/// A four-bar that falls, with a spring and friction.
Description loop() {
  Description d = tests::four_bar();
  d.gravity = Vec3(0, 0, -9.81);
  d.add_force("spring", JointSpringDescription{.joint = "J1", .stiffness = 5});
  d.add_force("friction", JointFrictionDescription{.joint = "J2", .viscous = 0.2});
  return d;
}

template <class Force>
Force& force(Description& d, const std::string& name) {
  for (ForceDescription& one : d.forces)
    if (one.name == name) return std::get<Force>(one.what);
  throw std::logic_error("there is no " + name);
}

BodyDescription& body(Description& d, const std::string& name) {
  for (BodyDescription& one : d.bodies)
    if (one.name == name) return one;
  throw std::logic_error("there is no " + name);
}

struct Defect {
  std::string name;
  std::string method;
  std::function<Description()> mechanism;
  std::function<void(Description&)> misread;  ///< the method takes the mechanism for another
  std::function<void(Spoiled&)> spoil;        ///< or has a mistake of its own
};

/// The method is built for what the mechanism was taken for; the run is judged by what it is.
struct OtherMechanism {
  explicit OtherMechanism(const Description& description)
      : model(description), topology(analyse_topology(model)) {}
  Model model;
  Topology topology;
};

std::unique_ptr<Formulation> misreading(const Description& taken_for, const std::string& method) {
  const auto other = std::make_shared<OtherMechanism>(taken_for);
  return std::make_unique<Spoiled>(
      make_formulation({.method = method, .settings = {}}, other->model, other->topology,
                       assemble(other->model, other->topology).configuration),
      other);
}

Status run(const Defect& defect, bool sound) {
  SimulationOptions options{.method = defect.method, .settings = {}, .tolerance = 1e-8, .until = 3};
  const Description mechanism = defect.mechanism();
  if (!sound && defect.misread) {
    Description other = mechanism;
    defect.misread(other);
    options.own_method = [other, &defect](RankStudy&) { return misreading(other, defect.method); };
  } else if (!sound) {
    options.own_method = [&defect](RankStudy& study) -> std::unique_ptr<Formulation> {
      auto spoiled = std::make_unique<Spoiled>(
          make_formulation({.method = defect.method, .settings = {}}, study));
      defect.spoil(*spoiled);
      return spoiled;
    };
  }
  return Simulation(Model(mechanism), options).advance_to(3);
}

std::vector<Defect> defects() {
  std::vector<Defect> all;
  const auto misread = [&](std::string name, std::string method, Description (*mechanism)(),
                           std::function<void(Description&)> as) {
    all.push_back({std::move(name), std::move(method), mechanism, std::move(as), {}});
  };
  const auto spoil = [&](std::string name, Description (*mechanism)(),
                         std::function<void(Spoiled&)> how) {
    all.push_back({std::move(name), "reference", mechanism, {}, std::move(how)});
  };
  misread("WeightUpwards", "order-n", top, [](Description& d) { d.gravity *= -1; });
  misread("WeightATenthTooLarge", "augmented-dca", top, [](Description& d) { d.gravity *= 1.1; });
  misread("MassOfOneBodyWrong", "order-n", top,
          [](Description& d) { body(d, "arm").mass *= 1.05; });
  misread("AxesOfInertiaMixedUp", "hamiltonian-dca", top,
          [](Description& d) { body(d, "top").inertia = Vec3(0.04, 0.08, 0.05).asDiagonal(); });
  misread("MassCentreMirrored", "branches", top,
          [](Description& d) { body(d, "arm").center_of_mass.x() *= -1; });
  misread("SpringTooSoft", "order-n", top,
          [](Description& d) { force<PointSpringDescription>(d, "spring").stiffness *= 0.9; });
  misread("SpringOfAnotherLength", "reference", top,
          [](Description& d) { force<PointSpringDescription>(d, "spring").rest_length = 0.8; });
  misread("DamperForgotten", "mass-matrix", top,
          [](Description& d) { force<PointSpringDescription>(d, "spring").damping = 0; });
  misread("FrictionTwice", "order-n", top,
          [](Description& d) { force<JointFrictionDescription>(d, "friction").viscous *= 2; });
  misread("MotorTurnsTheOtherWay", "augmented-dca", top,
          [](Description& d) { force<JointTorqueDescription>(d, "motor").value = -0.6; });
  misread("WindForgotten", "order-n", top, [](Description& d) {
    force<AppliedForceDescription>(d, "wind").direction.setZero();
    force<AppliedForceDescription>(d, "wind").direction.y() = 1e-300;
  });
  misread("SpringOfALoopWrong", "coordinate-reduction", loop,
          [](Description& d) { force<JointSpringDescription>(d, "spring").stiffness *= 1.02; });
  misread("FrictionInALoopForgotten", "coordinate-reduction", loop,
          [](Description& d) { force<JointFrictionDescription>(d, "friction").viscous = 0; });
  spoil("CoriolisDropped", top, [](Spoiled& s) { s.at_rest = true; });
  spoil("CoriolisDroppedInALoop", loop, [](Spoiled& s) { s.at_rest = true; });
  spoil("FactorsOfTheFirstPose", top, [](Spoiled& s) { s.at_first_pose = true; });
  spoil("AccelerationsATouchTooLarge", loop, [](Spoiled& s) {
    s.spoil_rates = [](double, std::span<const double>, std::span<double> dx) {
      for (std::size_t k = 6; k < kBodyTangent; ++k) dx[k] *= 1.03;
    };
  });
  spoil("SuppliedWorkForgotten", top, [](Spoiled& s) {
    s.spoil_rates = [](double, std::span<const double>, std::span<double> dx) { dx.back() = 0; };
  });
  spoil("SuppliedWorkOfTheWrongSign", loop, [](Spoiled& s) {
    s.spoil_rates = [](double, std::span<const double>, std::span<double> dx) { dx.back() *= -1; };
  });
  spoil("LoopLeftOpen", loop,
        [](Spoiled& s) { s.spoil_state = [](double, std::span<double> x) { x[4] += 2e-4; }; });
  spoil("EnergyLeaks", loop, [](Spoiled& s) {
    s.spoil_state = [](double, std::span<double> x) {
      for (std::size_t b = 0; kBodySize * b + 1 < x.size(); ++b)
        for (std::size_t k = 7; k < 13; ++k) x[kBodySize * b + k] *= 1 - 1e-4;
    };
  });
  spoil("TurnsBack", loop, [](Spoiled& s) {  // energy and joints are as they should be
    auto done = std::make_shared<bool>(false);
    s.spoil_state = [=](double t, std::span<double> x) {
      if (t < 0.7 || std::exchange(*done, true)) return;
      for (std::size_t b = 0; kBodySize * b + 1 < x.size(); ++b)
        for (std::size_t k = 7; k < 13; ++k) x[kBodySize * b + k] *= -1;
    };
  });
  spoil("ReactionsOfTheWrongSign", loop, [](Spoiled& s) {
    s.spoil_motion = [](Motion& motion) {
      for (Vec6& reaction : motion.reactions) reaction *= -1;
    };
  });
  spoil("ReactionThatIsNoNumber", loop, [](Spoiled& s) {
    s.spoil_motion = [](Motion& motion) {
      motion.reactions[0][1] = std::numeric_limits<double>::quiet_NaN();
    };
  });
  spoil("AccelerationsOfAnotherInstant", top, [](Spoiled& s) {
    auto first = std::make_shared<std::vector<Vec6>>();
    s.spoil_motion = [=](Motion& motion) {
      if (first->empty()) *first = motion.accelerations;
      motion.accelerations = *first;
    };
  });
  return all;
}

class SeededDefect : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SeededDefect, IsFoundOut) {
  const Defect defect = defects()[GetParam()];
  EXPECT_TRUE(run(defect, /*sound=*/true).ok()) << run(defect, true).reason;
  const Status status = run(defect, /*sound=*/false);
  EXPECT_EQ(status.code, Status::Code::kDoubtful) << status.reason;
  EXPECT_NE(status.reason.find("t = "), std::string::npos) << status.reason;
}

INSTANTIATE_TEST_SUITE_P(Guard, SeededDefect, ::testing::Range<std::size_t>(0, defects().size()),
                         [](const auto& seeded) { return defects()[seeded.param].name; });

TEST(Guard, ThereAreAtLeastTwentySeededDefects) { EXPECT_GE(defects().size(), 20u); }

/// A hinge on ground at the origin, about z, and one body.
Description on_a_hinge(BodyDescription body) {
  Description d;
  d.gravity.setZero();
  d.add_joint(tests::joint("hinge", JointType::kRevolute, "ground", body.name));
  d.add_body(std::move(body));
  return d;
}

Status run_under_every_tolerance(const Description& d) {
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    Simulation simulation(Model(d), {.settings = {}, .tolerance = tolerance, .until = 0.5});
    if (Status status = simulation.advance_to(0.5); !status.ok()) return status;
  }
  return {};
}

// [guard-turn]  Torques turn it within micrometres at the start, and there is inertia enough: not of every
// axis, and not about the frame's origin.
TEST(Guard, IsQuietAboutTorquesOnThinAndOnDistantBodies) {
  BodyDescription thin{.name = "rod", .mass = 1};
  thin.inertia = Vec3(0, 1.0 / 12, 1.0 / 12).asDiagonal();
  thin.pose.p = {0.5, 0, 0};
  Description d = on_a_hinge(thin);
  d.add_force("motor", JointTorqueDescription{.joint = "hinge", .coordinate = "angle", .value = 1});
  Status status = run_under_every_tolerance(d);
  EXPECT_TRUE(status.ok()) << status.reason;

  // A shaft that spins about its own axis.
  BodyDescription shaft{.name = "shaft", .mass = 1};
  shaft.inertia = Vec3(1, 1, 1e-3).asDiagonal();
  d = on_a_hinge(shaft);
  d.add_force("motor", JointTorqueDescription{.joint = "hinge", .coordinate = "angle", .value = 1});
  status = run_under_every_tolerance(d);
  EXPECT_TRUE(status.ok()) << status.reason;

  // A pendulum of 0.1 m whose frame is 10 m away.
  BodyDescription distant{.name = "bob", .mass = 1, .center_of_mass = {10.1, 0, 0}};
  distant.inertia = 1e-4 * Mat3::Identity();
  distant.pose.p = {-10, 0, 0};
  d = on_a_hinge(distant);
  d.gravity = {0, -9.81, 0};
  status = run_under_every_tolerance(d);
  EXPECT_TRUE(status.ok()) << status.reason;
}

TEST(Guard, TellsAndGoesOnWhereThatIsAskedFor) {
  const auto spoiled = [](RankStudy& study) -> std::unique_ptr<Formulation> {
    auto method =
        std::make_unique<Spoiled>(make_formulation({.method = "reference", .settings = {}}, study));
    method->at_rest = true;
    return method;
  };
  for (const GuardAction action : {GuardAction::kStop, GuardAction::kTell, GuardAction::kOff}) {
    Simulation simulation(Model(top()), {.settings = {},
                                         .tolerance = 1e-8,
                                         .until = 1,
                                         .subsystems = {},
                                         .guard = action,
                                         .own_method = spoiled});
    const Status status = simulation.advance_to(1);
    EXPECT_EQ(status.ok(), action != GuardAction::kStop);
    EXPECT_EQ(simulation.statistics().doubt.has_value(), action != GuardAction::kOff);
    EXPECT_EQ(simulation.time() == 1, action != GuardAction::kStop);
  }
}

// A step takes seven evaluations, with the one that judges its end. In a run of a thousand steps the guard
// may add two to a hundred; the rest of its price is a few numbers a body.
TEST(Guard, AddsFewEvaluationsToARun) {
  long evaluations = 0, steps = 0;
  const auto count = [&](GuardAction action) {
    evaluations = 0;
    const auto counting = [&](RankStudy& study) -> std::unique_ptr<Formulation> {
      auto method = std::make_unique<Spoiled>(
          make_formulation({.method = "reference", .settings = {}}, study));
      method->evaluations = &evaluations;
      return method;
    };
    Simulation simulation(Model(loop()), {.settings = {},
                                          .tolerance = 1e-11,
                                          .until = 10,
                                          .subsystems = {},
                                          .guard = action,
                                          .own_method = counting});
    EXPECT_TRUE(simulation.advance_to(10).ok());
    steps = simulation.statistics().steps;
    return evaluations;
  };
  const long without = count(GuardAction::kOff);
  const long added = count(GuardAction::kStop) - without;
  ASSERT_GE(steps, 1000);
  EXPECT_GT(added, 0);
  EXPECT_LE(added, 2 * 7 * steps / 100);
}

TEST(Guard, DoesNotChangeARun) {
  const auto end = [](GuardAction action) {
    Simulation simulation(
        Model(loop()),
        {.settings = {}, .tolerance = 1e-8, .until = 2, .subsystems = {}, .guard = action});
    EXPECT_TRUE(simulation.advance_to(2).ok());
    return simulation.sample().motion.configuration;
  };
  const Configuration with = end(GuardAction::kStop), without = end(GuardAction::kOff);
  for (std::size_t i = 0; i < with.poses.size(); ++i) {
    EXPECT_EQ(with.poses[i].p, without.poses[i].p);
    EXPECT_EQ(with.velocities[i], without.velocities[i]);
  }
}

}  // namespace
}  // namespace sarrus
