#include "sarrus/simulation/live_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

#include "sarrus/io/timeline_text.h"
#include "sarrus/testing/random.h"
#include "unit/simulation/chains.h"

namespace sarrus {
namespace {

/// What a restless operator does to a mechanism, drawn from what is there.
class Operator {
 public:
  explicit Operator(std::uint32_t seed) : random_(seed) {}

  Transaction wish(const Model& model, const Configuration& now) {
    Transaction edits;
    const int count = 1 + random_.below(3) / 2;
    for (int i = 0; i < count; ++i) edits.push_back({one(model, now), {}});
    return edits;
  }

 private:
  std::string fresh(const char* stem) { return stem + std::to_string(++made_); }
  BodyId any_body(const Model& model) { return BodyId{1 + random_.below(model.body_count() - 1)}; }

  EditVariant one(const Model& model, const Configuration& now) {
    const auto& joints = model.joints();
    const auto& cut = model.cut_away();
    const BodyId body = any_body(model);
    const Transform& X = now.poses[body.slot()];
    switch (random_.below(14)) {
      case 0:
      case 1:
        if (joints.empty()) break;
        return CutJoint{joints[static_cast<std::size_t>(random_.below(model.joint_count()))].name};
      case 2:
      case 3:
      case 4:
      case 5:
        if (cut.empty()) break;
        return RestoreJoint{
            cut[static_cast<std::size_t>(random_.below(static_cast<int>(cut.size())))].joint.name,
            random_.chance(0.1)};
      case 6: {
        const auto type = static_cast<JointType>(random_.below(8));
        JointDescription joint = tests::joint(fresh("new"), type, model.body(any_body(model)).name,
                                              model.body(body).name, X.p, random_.direction());
        if (type == JointType::kHelical) joint.lead = 0.05;
        return AddJoint{joint};
      }
      case 7: {
        if (joints.empty()) break;
        // Above all those that were added, so that loops do not pile up.
        return RemoveJoint{joints.back().name, random_.chance(0.9)};
      }
      case 8:
        if (model.body_count() > 55) return RemoveBody{model.body(body).name, true};
        {
          BodyDescription block = tests::brick(fresh("block"), X.p + random_.vector(0.3));
          block.velocity = random_.vector(1);
          return AddBody{block};
        }
      case 9:
        return RemoveBody{model.body(body).name, model.body_count() > 48};
      case 10:
        if (model.point_springs().size() > 5)
          return RemoveForce{model.point_springs().front().name};
        return AddForce{{fresh("spring"),
                         PointSpringDescription{.body_a = "ground",
                                                .body_b = model.body(body).name,
                                                .point_a = X.p + random_.vector(0.5),
                                                .point_b = X.p,
                                                .stiffness = random_.uniform(0, 50),
                                                .damping = random_.uniform(0, 2)},
                         {}}};
      case 11:
        return SetNumber{"bodies." + model.body(body).name + ".mass", random_.uniform(0.1, 2)};
      case 12:
        if (model.soft_joints().size() > 2) return ReleaseGrab{model.soft_joints().front().name};
        return GrabBody{.name = fresh("hand"),
                        .body = model.body(body).name,
                        .point = random_.vector(0.1),
                        .target = X.p + random_.vector(0.5)};
      default:
        if (model.soft_joints().empty()) break;
        return MoveGrab{.grab = model.soft_joints().back().name,
                        .target = X.p + random_.vector(0.3)};
    }
    return CutJoint{"no such joint"};
  }

  testing::Random random_;
  int made_ = 0;
};

bool is_finite(const Configuration& c) {
  for (std::size_t i = 0; i < c.poses.size(); ++i)
    if (!c.poses[i].p.allFinite() || !c.poses[i].q.coeffs().allFinite() ||
        !c.velocities[i].allFinite())
      return false;
  return true;
}

bool same_bits(const Configuration& a, const Configuration& b) {
  if (a.poses.size() != b.poses.size() || a.coordinates != b.coordinates) return false;
  for (std::size_t i = 0; i < a.poses.size(); ++i)
    if (a.poses[i].p != b.poses[i].p || a.poses[i].q.coeffs() != b.poses[i].q.coeffs() ||
        a.velocities[i] != b.velocities[i])
      return false;
  return true;
}

bool is_long() {
  const char* wish = std::getenv("SARRUS_LONG");
  return wish != nullptr && std::string(wish) == "1";
}

Description chain_without_weight(int links) {
  Description d = tests::chain_of(links, true);
  d.gravity.setZero();
  d.joints[0].speed = {{"angle", 1.0}};
  return d;
}

constexpr double kStep = 2e-3;

// Whatever an operator does to fifty bodies, they stay together and finite, and the log of what was
// done does it again, to the bit.
TEST(LiveRun, RandomEditsKeepTheMechanismWholeAndReplayToTheBit) {
  const int edits = is_long() ? 10000 : 100;
  // Projected constraints; bodies are some metres to some tens of metres away.
  constexpr double kWhole = 1e-8;
  // Bodies come to whip around at hundreds of radians a second: steps of 2 ms do not follow that.
  const SimulationOptions options = {.integrator = "rk4", .step = kStep / 8, .until = 1000};
  Simulation simulation(Model(chain_without_weight(50)), options);
  LiveRun live(simulation, {.step = kStep, .speed = 0});
  Operator hand(7);
  int done = 0;
  int refused = 0;
  live.on_reply([&](const CommandReply& reply) { ++(reply.report.status.ok() ? done : refused); });
  double largest = 0, most_energy = 0;
  for (int i = 0; i < edits; ++i) {
    const Sample now = simulation.sample();
    ASSERT_TRUE(is_finite(now.motion.configuration)) << "edit " << i;
    largest = std::max(largest, now.constraints.position);
    most_energy = std::max(most_energy, now.total());
    live.queue().post(hand.wish(simulation.model(), now.motion.configuration));
    const Status status = live.step();
    ASSERT_TRUE(status.ok()) << "edit " << i << ": " << status.reason;
  }
  EXPECT_LT(largest, kWhole);
  // A pull of 200 m/s² on a body of two kilograms over half a metre is 200 J; a few are under way at any
  // time, and friction there is none. What pulls do not give comes from nothing.
  EXPECT_LT(most_energy, is_long() ? 1e5 : 1e3);
  EXPECT_GT(done, edits / 2);
  EXPECT_EQ(done + refused, edits);
  ::testing::Test::RecordProperty("done", done);

  std::string text = "timeline:\n";
  for (const TimelineEntry& entry : live.log()) text += io::timeline_entry_text(entry);
  Simulation again(Model(chain_without_weight(50)), options);
  LiveRun second(again, {.step = kStep, .speed = 0});
  ASSERT_TRUE(second.replay(parse_timeline(text, "log"), simulation.time()).ok());
  EXPECT_EQ(again.time(), simulation.time());
  EXPECT_TRUE(
      same_bits(again.sample().motion.configuration, simulation.sample().motion.configuration));
}

TEST(LiveRun, CommandsOfManyThreadsArriveWhole) {
  Simulation simulation(Model(tests::chain_of(5, false)), {.step = 1e-3});
  LiveRun live(simulation, {.step = 1e-3, .speed = 0});
  std::set<long> answered;
  live.on_reply([&](const CommandReply& reply) {
    EXPECT_TRUE(reply.report.status.ok()) << reply.report.status.reason;
    answered.insert(reply.ticket);
  });
  std::vector<std::thread> hands;
  for (int k = 0; k < 4; ++k)
    hands.emplace_back([&live, k] {
      for (int i = 0; i < 20; ++i) {
        const std::string name = std::to_string(k) + "_" + std::to_string(i);
        live.queue().post({{AddBody{tests::brick("b" + name)}, {}},
                           {GrabBody{.name = "g" + name, .body = "b" + name}, {}},
                           {RemoveBody{"b" + name, true}, {}}});
      }
    });
  while (answered.size() < 80) ASSERT_TRUE(live.step().ok());
  for (std::thread& hand : hands) hand.join();
  EXPECT_EQ(simulation.model().body_count(), 6);
}

TEST(LiveRun, GoesWithTheClock) {
  Simulation simulation(Model(tests::chain_of(2, false)), {.step = 1e-3});
  LiveRun live(simulation, {.step = 1e-3});
  ASSERT_TRUE(live.run_to(0.2).ok());
  EXPECT_NEAR(simulation.time(), 0.2, 1e-12);
  // Never ahead of the clock by more than a step.
  EXPECT_LT(live.real_time_factor(), 1.01);
  EXPECT_GT(live.real_time_factor(), 0);
}

TEST(LiveRun, SlowsDownRatherThanLengthenItsStep) {
  Simulation simulation(Model(tests::chain_of(2, false)), {.step = 1e-2});
  LiveRun live(simulation, {.step = 1e-2});
  long steps = 0;
  simulation.on_step([&](double) {
    ++steps;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  ASSERT_TRUE(live.run_to(0.2).ok());
  EXPECT_EQ(steps, 20);
  EXPECT_LT(live.real_time_factor(), 0.6);
}

}  // namespace
}  // namespace sarrus
