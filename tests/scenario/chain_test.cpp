// Scenarios chain and tree: open mechanisms of any size.

#include <gtest/gtest.h>

#include "sarrus/spatial/rotation.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(Chain, HasTheFreedomsOfItsJoints) {
  const auto freedoms = [](const char* joints, const char* links) {
    return mobility_of("chain", {{"joints", joints}, {"links", links}}).generic.freedoms;
  };
  EXPECT_EQ(freedoms("revolute", "5"), 5);
  EXPECT_EQ(freedoms("spherical", "5"), 15);
  EXPECT_EQ(freedoms("universal", "5"), 10);
  EXPECT_EQ(freedoms("cylindrical", "5"), 10);
  EXPECT_EQ(freedoms("prismatic", "5"), 5);
  EXPECT_EQ(freedoms("mixed", "8"), 2 * (1 + 3 + 1 + 2));
}

TEST(Chain, HasAxesThatGoRound) {
  const Model model = load_model("chain", {{"links", "4"}});
  const std::vector<Vec3> axes = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX()};
  for (int j = 0; j < model.joint_count(); ++j) {
    const Joint& joint = model.joint(JointId{j});
    // The links lie along the world's axes: the frame in the body is the frame in the world.
    const Vec3 axis = joint.X_BM.q * Vec3::UnitZ();
    EXPECT_LT((axis - axes[static_cast<std::size_t>(j)]).norm(), 1e-15) << joint.name;
    EXPECT_LT((joint.X_BM.p - Vec3(-0.1, 0, 0)).norm(), 1e-15) << joint.name;
  }
}

TEST(Chain, MixedKeepsItsEnergyWithEveryMethod) {
  const double kEnergy = 1e-9;  // a thousand times the tolerance
  const Overrides overrides = {{"joints", "mixed"}};
  for (const std::string& method : methods_for("chain", overrides)) {
    SCOPED_TRACE(method);
    const ScenarioRun run = run_scenario(
        "chain", {0.3}, {.overrides = overrides, .method = method, .tolerance = 1e-10});
    EXPECT_LT(run.statistics().energy_drift, kEnergy);
  }
}

TEST(Chain, OfAHundredThousandLinksIsReadInPassing) {
  const Model model = load_model("chain", {{"links", "100000"}, {"joints", "mixed"}});
  const Topology topology = analyse_topology(model);
  EXPECT_EQ(model.body_count(), 100001);
  EXPECT_EQ(model.freedom_count(), 175000);
  EXPECT_EQ(topology.depth.back(), 100000);
  EXPECT_TRUE(topology.is_tree());
}

TEST(Tree, HasTheLinksOfACompleteTree) {
  const auto links = [](const char* depth, const char* branching) {
    return load_model("tree", {{"depth", depth}, {"branching", branching}}).body_count() - 1;
  };
  EXPECT_EQ(links("1", "2"), 1);
  EXPECT_EQ(links("4", "2"), 15);
  EXPECT_EQ(links("5", "3"), 121);
  EXPECT_EQ(links("6", "1"), 6);
  EXPECT_EQ(links("3", "10"), 111);
}

TEST(Tree, IsAsDeepAsItsLevels) {
  const Model model = load_model("tree", {{"depth", "5"}, {"branching", "3"}});
  const Topology topology = analyse_topology(model);
  std::vector<int> count(6, 0);
  for (const BodyId body : topology.order)
    ++count[static_cast<std::size_t>(topology.depth[body.slot()])];
  EXPECT_EQ(count, (std::vector<int>{0, 1, 3, 9, 27, 81}));
}

// The two halves of the tree are mirror images in the plane y = 0, and stay so.
TEST(Tree, FallsSymmetrically) {
  const double kSymmetry = 1e-9;
  for (const std::string& method : methods_for("tree")) {
    SCOPED_TRACE(method);
    const ScenarioRun run = run_scenario("tree", {0.3}, {.method = method, .tolerance = 1e-10});
    const Vec3 left = body_motion(run, run.last(), "link2").p;
    const Vec3 right = body_motion(run, run.last(), "link3").p;
    EXPECT_LT((left - Vec3(right.x(), -right.y(), right.z())).norm(), kSymmetry);
    EXPECT_LT(run.statistics().energy_drift, kSymmetry);
  }
}

}  // namespace
}  // namespace sarrus::tests
