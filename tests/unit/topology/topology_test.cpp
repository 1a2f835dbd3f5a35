#include "sarrus/topology/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/spatial/random.h"
#include "unit/topology/graph.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// Numbers of edges on the shortest way from `from`, −1 where there is none.
std::vector<int> distances(const Graph& graph, int from, int without = -1) {
  std::vector<int> distance(static_cast<std::size_t>(graph.bodies) + 1, -1);
  distance[static_cast<std::size_t>(from)] = 0;
  for (int round = 0; round <= graph.bodies; ++round)
    for (const auto& [a, b] : graph.edges)
      for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
        int& to = distance[static_cast<std::size_t>(y)];
        const int way = distance[static_cast<std::size_t>(x)];
        if (x == without || y == without || way < 0) continue;
        if (to < 0 || to > way + 1) to = way + 1;
      }
  return distance;
}

/// Two joints are in one block when no body, taken away, separates them.
bool in_one_block(const Graph& graph, std::size_t e, std::size_t f) {
  for (int body = -1; body <= graph.bodies; ++body) {
    const auto end = [&](std::size_t edge) {
      const auto [a, b] = graph.edges[edge];
      return a == body ? b : a;
    };
    if (distances(graph, end(e), body)[static_cast<std::size_t>(end(f))] < 0) return false;
  }
  return true;
}

std::set<std::set<int>> blocks_by_force(const Graph& graph) {
  std::set<std::set<int>> blocks;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    std::set<int> block;
    for (std::size_t f = 0; f < graph.edges.size(); ++f)
      if (in_one_block(graph, e, f)) block.insert(static_cast<int>(f));
    if (block.size() > 1) blocks.insert(block);
  }
  return blocks;
}

std::set<std::set<int>> blocks_of(const Topology& topology) {
  std::set<std::set<int>> blocks;
  for (const auto& joints : topology.loop_blocks) {
    std::set<int> block;
    for (const JointId joint : joints) block.insert(joint.index);
    blocks.insert(block);
  }
  return blocks;
}

/// What every spanning tree must obey.
void expect_sound(const Graph& graph, const Model& model, const Topology& topology) {
  ASSERT_THAT(topology.order, SizeIs(static_cast<std::size_t>(graph.bodies)));
  std::set<int> placed = {0};
  std::set<int> used;
  for (const BodyId body : topology.order) {
    const auto i = static_cast<std::size_t>(body.index);
    const JointId by = topology.parent_joint[i];
    if (by.valid()) {
      EXPECT_TRUE(placed.count(topology.parent[i].index));
      const Joint& joint = model.joint(by);
      EXPECT_EQ(std::set({joint.a.index, joint.b.index}),
                std::set({body.index, topology.parent[i].index}));
      EXPECT_EQ(topology.depth[i],
                topology.depth[static_cast<std::size_t>(topology.parent[i].index)] + 1);
      used.insert(by.index);
    } else {
      EXPECT_THAT(topology.floating_roots, ::testing::Contains(body));
      EXPECT_EQ(topology.parent[i], kGround);
      EXPECT_EQ(topology.depth[i], 0);
    }
    EXPECT_TRUE(placed.insert(body.index).second);
  }
  for (const JointId joint : topology.cut_joints) EXPECT_TRUE(used.insert(joint.index).second);
  EXPECT_EQ(used.size(), graph.edges.size());
}

TEST(Topology, OfAChainHasNoLoops) {
  const Graph graph{3, {{0, 1}, {1, 2}, {2, 3}}};
  const Model model = graph.model();
  const Topology topology = analyse_topology(model);
  expect_sound(graph, model, topology);
  EXPECT_TRUE(topology.is_tree());
  EXPECT_THAT(topology.depth, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(topology.loop_blocks, IsEmpty());
  EXPECT_THAT(topology.floating_roots, IsEmpty());
}

TEST(Topology, OfATreeDoesNotCareWhichBodyAJointNamesFirst) {
  const Graph graph{4, {{1, 0}, {2, 1}, {1, 3}, {4, 3}}};
  const Model model = graph.model();
  const Topology topology = analyse_topology(model);
  expect_sound(graph, model, topology);
  EXPECT_THAT(topology.depth, ElementsAre(0, 1, 2, 2, 3));
}

TEST(Topology, RootsAFloatingPartInItsMiddle) {
  const Graph graph{6, {{0, 1}, {2, 3}, {3, 4}, {4, 5}, {5, 6}}};
  const Model model = graph.model();
  const Topology topology = analyse_topology(model);
  expect_sound(graph, model, topology);
  EXPECT_THAT(topology.floating_roots, ElementsAre(BodyId{4}));
  EXPECT_THAT(topology.depth, ElementsAre(0, 1, 2, 1, 0, 1, 2));
}

TEST(Topology, GivesEveryLoneBodyItsOwnRoot) {
  const Graph graph{2, {}};
  const Model model = graph.model();
  EXPECT_THAT(analyse_topology(model).floating_roots, ElementsAre(BodyId{1}, BodyId{2}));
}

/// Two bodies in a row on ground, and a free joint from there to the second, told first.
Description chain_beside_a_free_joint() {
  Description d;
  d.add_body(brick("b1")).add_body(brick("b2"));
  d.add_joint(joint("beside", JointType::kFree, "ground", "b2"));
  d.add_joint(joint("j1", JointType::kRevolute, "ground", "b1"));
  d.add_joint(joint("j2", JointType::kRevolute, "b1", "b2"));
  return d;
}

TEST(Topology, AFreeJointBesideAChainThatOnlyMeasuresClosesNoLoop) {
  for (const CutPreference cut : {CutPreference::kAuto, CutPreference::kForbid}) {
    Description d = chain_beside_a_free_joint();
    d.joints[0].cut = cut;
    const Model model(d);
    const Topology topology = analyse_topology(model);
    EXPECT_TRUE(topology.is_tree());
    EXPECT_THAT(topology.cut_joints, IsEmpty());
    EXPECT_THAT(topology.depth, ElementsAre(0, 1, 2));
    EXPECT_THAT(topology.loop_blocks, IsEmpty());
  }
}

TEST(Topology, AFreeJointOnWhichSomethingActsOrIsPrescribedOrHeldDoes) {
  Description sprung = chain_beside_a_free_joint();
  sprung.add_force("spring", JointSpringDescription{"beside", "x", 20, 0});
  Description driven = chain_beside_a_free_joint();
  driven.add_force("drive", MotionDescription{"beside", "x", 0.0});
  Description held = chain_beside_a_free_joint();
  held.joints[0].speed = {{"x", 1}};
  for (const Description& d : {sprung, driven, held})
    EXPECT_EQ(analyse_topology(Model(d)).loop_count(), 1);
}

TEST(Topology, AFreeJointCarriesWhatNothingElseHolds) {
  Description d = chain_beside_a_free_joint();
  d.joints.erase(d.joints.begin() + 1);
  const Topology topology = analyse_topology(Model(d));
  EXPECT_THAT(topology.floating_roots, IsEmpty());
  EXPECT_TRUE(topology.is_tree());
}

TEST(Topology, CutsALoopOppositeToGround) {
  const Graph graph{5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}};
  const Model model = graph.model();
  const Topology topology = analyse_topology(model);
  expect_sound(graph, model, topology);
  EXPECT_EQ(topology.loop_count(), 1);
  EXPECT_THAT(topology.depth, ElementsAre(0, 1, 2, 3, 2, 1));
  EXPECT_EQ(blocks_of(topology), (std::set<std::set<int>>{{0, 1, 2, 3, 4, 5}}));
}

TEST(Topology, LoopsThatMeetInOneBodyAreApart) {
  // Two triangles at body 1, and two at ground.
  const Graph graph{4, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 0}}};
  const Topology topology = analyse_topology(graph.model());
  EXPECT_EQ(blocks_of(topology), (std::set<std::set<int>>{{0, 1, 2}, {3, 4, 5}}));
}

TEST(Topology, LoopsThatShareAJointAreOneBlock) {
  const Graph graph{3, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 1}}};
  EXPECT_EQ(blocks_of(analyse_topology(graph.model())), (std::set<std::set<int>>{{0, 1, 2, 3, 4}}));
}

TEST(Topology, ParallelJointsMakeALoop) {
  const Graph graph{2, {{0, 1}, {1, 2}, {2, 1}, {1, 2}}};
  const Model model = graph.model();
  const Topology topology = analyse_topology(model);
  expect_sound(graph, model, topology);
  EXPECT_EQ(topology.loop_count(), 2);
  EXPECT_EQ(blocks_of(topology), (std::set<std::set<int>>{{1, 2, 3}}));
}

TEST(Topology, CutsWhatPrefersToBeCut) {
  for (std::size_t preferred = 0; preferred < 4; ++preferred) {
    const Graph graph{3, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
    std::vector<CutPreference> cuts(4, CutPreference::kAuto);
    cuts[preferred] = CutPreference::kPrefer;
    const Topology topology = analyse_topology(graph.model(cuts));
    EXPECT_THAT(topology.cut_joints, ElementsAre(JointId{static_cast<int>(preferred)}));
  }
}

TEST(Topology, DoesNotCutWhatForbidsIt) {
  for (std::size_t allowed = 0; allowed < 4; ++allowed) {
    const Graph graph{3, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
    std::vector<CutPreference> cuts(4, CutPreference::kForbid);
    cuts[allowed] = CutPreference::kAuto;
    const Topology topology = analyse_topology(graph.model(cuts));
    EXPECT_THAT(topology.cut_joints, ElementsAre(JointId{static_cast<int>(allowed)}));
  }
}

TEST(Topology, RefusesALoopInWhichAllForbid) {
  const Graph graph{3, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
  const Model model = graph.model(std::vector<CutPreference>(4, CutPreference::kForbid));
  try {
    analyse_topology(model);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("forbids being cut"));
    EXPECT_THAT(error.what(), HasSubstr("joint 'j"));
  }
}

TEST(Topology, OfRandomGraphsAgreesWithBruteForce) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Graph graph{1 + random.below(7), {}};
    const int edges = random.below(12);
    for (int e = 0; e < edges; ++e) {
      const int a = random.below(graph.bodies + 1);
      const int b = random.below(graph.bodies + 1);
      if (a != b) graph.edges.emplace_back(a, b);
    }
    const Model model = graph.model();
    const Topology topology = analyse_topology(model);
    expect_sound(graph, model, topology);
    EXPECT_EQ(blocks_of(topology), blocks_by_force(graph));
    // Breadth first: no shorter way from ground, or from the root of a floating part.
    std::vector<int> roots = {0};
    for (const BodyId root : topology.floating_roots) roots.push_back(root.index);
    for (const int root : roots) {
      const std::vector<int> shortest = distances(graph, root);
      for (std::size_t i = 0; i < shortest.size(); ++i) {
        if (shortest[i] < 0) continue;
        EXPECT_EQ(topology.depth[i], shortest[i]);
      }
    }
  }
}

TEST(Topology, OfRandomPreferencesCutsAsFewForbiddenJointsAsItCan) {
  // With random wishes: analysis succeeds exactly when the forbidding joints alone have no loop.
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Graph graph{5, {}};
    std::vector<CutPreference> cuts;
    Graph forbidding{5, {}};
    for (int e = 0; e < 9; ++e) {
      const int a = random.below(6);
      const int b = (a + 1 + random.below(5)) % 6;
      graph.edges.emplace_back(a, b);
      cuts.push_back(static_cast<CutPreference>(random.below(3)));
      if (cuts.back() == CutPreference::kForbid) forbidding.edges.emplace_back(a, b);
    }
    const bool possible = blocks_by_force(forbidding).empty();
    const Model model = graph.model(cuts);
    if (possible) {
      EXPECT_NO_THROW(analyse_topology(model));
    } else {
      EXPECT_THROW(analyse_topology(model), ModelError);
    }
  }
}

TEST(Topology, TakesAVeryLongChainWithLoops) {
  // No recursion and nothing quadratic: the chain and a ladder at its far end.
  constexpr int kBodies = 200000;
  Graph graph{kBodies, {}};
  graph.edges.reserve(kBodies + 1);
  for (int i = 0; i < kBodies; ++i) graph.edges.emplace_back(i, i + 1);
  graph.edges.emplace_back(kBodies - 2, kBodies);
  const Topology topology = analyse_topology(graph.model());
  EXPECT_THAT(topology.order, SizeIs(kBodies));
  EXPECT_EQ(topology.depth[kBodies], kBodies - 1);
  EXPECT_EQ(topology.loop_count(), 1);
  ASSERT_THAT(topology.loop_blocks, SizeIs(1));
  EXPECT_THAT(topology.loop_blocks[0],
              UnorderedElementsAre(JointId{kBodies - 2}, JointId{kBodies - 1}, JointId{kBodies}));
}

}  // namespace
}  // namespace sarrus
