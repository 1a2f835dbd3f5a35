#include "sarrus/elimination/assembly_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sarrus/testing/random_mechanism.h"
#include "unit/spatial/random.h"
#include "unit/topology/graph.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Part = AssemblyTree::Part;
using Node = AssemblyTree::Node;

std::size_t slot(int index) { return static_cast<std::size_t>(index); }

/// Looks at a tree from outside: bodies and joints of a node are found anew from the graph.
class Inspector {
 public:
  Inspector(const Model& model, const Topology& topology, const AssemblyTree& tree, int part_bodies)
      : model_(model), topology_(topology), tree_(tree), part_bodies_(part_bodies) {}

  void inspect() {
    inspect_parts();
    inspect_order();
    inspect_closing();
    // Quadratic.
    if (model_.body_count() < 500) inspect_boundaries();
  }

 private:
  BodyId parent(BodyId body) const { return topology_.parent[body.slot()]; }
  JointId parent_joint(BodyId body) const { return topology_.parent_joint[body.slot()]; }
  const Part& part_of(const Node& node) const { return tree_.parts[slot(node.part)]; }
  /// A free joint beside others that only measures is neither in the tree nor cut.
  bool only_measures(JointId joint) const {
    return std::ranges::find(topology_.cut_joints, joint) == topology_.cut_joints.end() &&
           std::ranges::find(topology_.parent_joint, joint) == topology_.parent_joint.end() &&
           model_.joint(joint).constraint_count() == 0;
  }

  void inspect_parts() {
    ASSERT_THAT(tree_.part_of, SizeIs(model_.bodies().size()));
    EXPECT_EQ(tree_.part_of[0], -1);
    std::vector<int> seen(model_.bodies().size(), 0);
    for (std::size_t p = 0; p < tree_.parts.size(); ++p) {
      const Part& part = tree_.parts[p];
      ASSERT_FALSE(part.bodies.empty());
      EXPECT_LE(part.bodies.size(), slot(part_bodies_));
      for (const BodyId body : part.bodies) {
        EXPECT_EQ(tree_.part_of[body.slot()], static_cast<int>(p));
        ++seen[body.slot()];
        if (body == part.bodies.back()) continue;
        EXPECT_EQ(tree_.part_of[parent(body).slot()], static_cast<int>(p));
        EXPECT_EQ(seen[parent(body).slot()], 0) << "a parent before its child";
      }
      const BodyId root = part.bodies.back();
      if (part.grounded) {
        EXPECT_EQ(parent(root), kGround);
        EXPECT_TRUE(parent_joint(root).valid());
        EXPECT_FALSE(part.shows_root);
      }
      if (part.tip.valid()) {
        EXPECT_EQ(tree_.part_of[part.tip.slot()], static_cast<int>(p));
        EXPECT_TRUE(part.grounded || part.tip != root);
      }
      if (part_bodies_ == 1) {
        EXPECT_TRUE(part.shows_root);
        EXPECT_THAT(part.absorbed, IsEmpty());
      }
    }
    seen[0] = 1;
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
  }

  void inspect_order() {
    std::vector<int> taken(tree_.nodes.size(), 0);
    std::size_t leaves = 0;
    for (int n = 0; n < static_cast<int>(tree_.nodes.size()); ++n) {
      const Node& node = tree_.nodes[slot(n)];
      std::vector<int> below = {node.first, node.second};
      if (node.part >= 0) {
        EXPECT_EQ(node.first, -1);
        EXPECT_EQ(node.second, -1);
        EXPECT_EQ(node.part, static_cast<int>(leaves++)) << "parts in the order of their nodes";
        below = part_of(node).absorbed;
      }
      // Subtrees stand side by side and end before the node.
      std::sort(below.begin(), below.end());
      int next = node.begin, height = 1;
      double cost = 0;
      for (const int half : below) {
        ASSERT_TRUE(half >= 0 && half < n);
        EXPECT_EQ(tree_.nodes[slot(half)].begin, next);
        EXPECT_EQ(tree_.nodes[slot(half)].up, n);
        next = half + 1;
        height = std::max(height, tree_.nodes[slot(half)].height + 1);
        cost += tree_.nodes[slot(half)].cost;
        ++taken[slot(half)];
      }
      EXPECT_EQ(next, n);
      EXPECT_EQ(node.height, height);
      EXPECT_GT(node.cost, cost);
    }
    EXPECT_EQ(leaves, tree_.parts.size());
    for (const int root : tree_.roots) {
      ++taken[slot(root)];
      EXPECT_EQ(tree_.nodes[slot(root)].up, -1);
    }
    EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](int n) { return n == 1; }));
  }

  /// Every joint once, but for those that only measure.
  void inspect_closing() {
    std::vector<int> closed(model_.joints().size(), 0);
    for (const Node& node : tree_.nodes) {
      for (const JointId joint : node.joints) ++closed[joint.slot()];
      if (node.part < 0) continue;
      const Part& part = part_of(node);
      for (const BodyId body : part.bodies)
        if (body != part.bodies.back()) ++closed[parent_joint(body).slot()];
      if (part.grounded) ++closed[parent_joint(part.bodies.back()).slot()];
      for (const int absorbed : part.absorbed) {
        const Node& below = tree_.nodes[slot(absorbed)];
        ASSERT_FALSE(below.boundary.empty());
        const BodyId top = below.boundary[0];
        EXPECT_EQ(tree_.part_of[parent(top).slot()], node.part);
        EXPECT_THAT(below.boundary, SizeIs(1));
        ++closed[parent_joint(top).slot()];
      }
    }
    for (std::size_t j = 0; j < closed.size(); ++j)
      EXPECT_EQ(closed[j], only_measures(JointId{static_cast<int>(j)}) ? 0 : 1);
  }

  std::set<BodyId> bodies_of(int node) const {
    std::set<BodyId> bodies;
    for (int n = tree_.nodes[slot(node)].begin; n <= node; ++n)
      if (tree_.nodes[slot(n)].part >= 0)
        bodies.insert(part_of(tree_.nodes[slot(n)]).bodies.begin(),
                      part_of(tree_.nodes[slot(n)]).bodies.end());
    return bodies;
  }

  void inspect_boundaries() {
    for (int n = 0; n < static_cast<int>(tree_.nodes.size()); ++n) {
      const Node& node = tree_.nodes[slot(n)];
      const std::set<BodyId> inside = bodies_of(n);
      std::set<BodyId> open;
      for (int j = 0; j < model_.joint_count(); ++j) {
        const Joint& joint = model_.joint(JointId{j});
        if (joint.a == kGround || joint.b == kGround || only_measures(JointId{j})) continue;
        if (inside.count(joint.a) && !inside.count(joint.b)) open.insert(joint.a);
        if (inside.count(joint.b) && !inside.count(joint.a)) open.insert(joint.b);
      }
      const std::set<BodyId> shown(node.boundary.begin(), node.boundary.end());
      EXPECT_EQ(shown.size(), node.boundary.size());
      EXPECT_TRUE(node.up >= 0 || open.empty());
      if (node.part < 0) {
        EXPECT_EQ(shown, open);
        inspect_join(node);
      } else {
        inspect_leaf(node, shown, open);
      }
    }
  }

  void inspect_join(const Node& node) {
    const std::set<BodyId> first = bodies_of(node.first), second = bodies_of(node.second);
    std::set<JointId> between;
    for (int j = 0; j < model_.joint_count(); ++j) {
      const Joint& joint = model_.joint(JointId{j});
      if (only_measures(JointId{j})) continue;
      if ((first.count(joint.a) && second.count(joint.b)) ||
          (first.count(joint.b) && second.count(joint.a)))
        between.insert(JointId{j});
    }
    EXPECT_FALSE(between.empty());
    EXPECT_EQ(std::set<JointId>(node.joints.begin(), node.joints.end()), between);
  }

  void inspect_leaf(const Node& node, const std::set<BodyId>& shown, std::set<BodyId> needed) {
    const Part& part = part_of(node);
    std::vector<BodyId> handles;
    if (part.shows_root) handles.push_back(part.bodies.back());
    if (part.tip.valid()) handles.push_back(part.tip);
    EXPECT_EQ(node.boundary, handles);
    for (const JointId id : node.joints)
      for (const BodyId body : {model_.joint(id).a, model_.joint(id).b})
        if (body != kGround) needed.insert(body);
    if (part_bodies_ == 1) needed.insert(part.bodies.back());
    EXPECT_EQ(shown, needed);
  }

  const Model& model_;
  const Topology& topology_;
  const AssemblyTree& tree_;
  const int part_bodies_;
};

/// The tree of a model, inspected.
AssemblyTree inspected(const Model& model, int part_bodies) {
  const Topology topology = analyse_topology(model);
  AssemblyTree tree = plan_assembly(model, topology, {.part_bodies = part_bodies});
  Inspector(model, topology, tree, part_bodies).inspect();
  return tree;
}

AssemblyTree inspected(const Graph& graph, int part_bodies = 32) {
  return inspected(graph.model(), part_bodies);
}

Graph chain(int bodies) {
  Graph graph{bodies, {}};
  for (int i = 0; i < bodies; ++i) graph.edges.emplace_back(i, i + 1);
  return graph;
}

/// Two rails of links and a rung between every two links; grounded at one end.
Graph ladder(int cells) {
  Graph graph{3 * cells, {}};
  for (int i = 0; i < cells; ++i) {
    const int left = 3 * i + 1, right = 3 * i + 2, rung = 3 * i + 3;
    graph.edges.emplace_back(i == 0 ? 0 : left - 3, left);
    graph.edges.emplace_back(i == 0 ? 0 : right - 3, right);
    graph.edges.emplace_back(left, rung);
    graph.edges.emplace_back(rung, right);
  }
  return graph;
}

/// Links between the nodes of a square lattice; at a node each hangs on the one before.
Graph lattice(int cells) {
  Graph graph;
  std::vector<std::vector<int>> at(slot((cells + 1) * (cells + 1)));
  const auto node = [&](int x, int y) { return slot(x * (cells + 1) + y); };
  for (int x = 0; x <= cells; ++x)
    for (int y = 0; y <= cells; ++y) {
      if (x < cells) {
        at[node(x, y)].push_back(++graph.bodies);
        at[node(x + 1, y)].push_back(graph.bodies);
      }
      if (y < cells) {
        at[node(x, y)].push_back(++graph.bodies);
        at[node(x, y + 1)].push_back(graph.bodies);
      }
    }
  graph.edges.emplace_back(0, 1);
  for (const auto& bodies : at)
    for (std::size_t i = 1; i < bodies.size(); ++i)
      graph.edges.emplace_back(bodies[i - 1], bodies[i]);
  return graph;
}

double log2_of(int bodies) { return std::log2(static_cast<double>(bodies)); }

TEST(AssemblyTree, OfNothingIsEmpty) {
  const AssemblyTree tree;
  EXPECT_EQ(tree.width(), 0);
  EXPECT_EQ(tree.height(), 0);
  EXPECT_EQ(tree.cost(), 0);
}

TEST(AssemblyTree, OfLoneBodiesHasARootEach) {
  const AssemblyTree tree = inspected(Graph{3, {{0, 2}}});
  EXPECT_THAT(tree.roots, SizeIs(3));
  EXPECT_EQ(tree.width(), 0);
  EXPECT_EQ(tree.height(), 1);
}

TEST(AssemblyTree, OfAShortChainIsOnePart) {
  const AssemblyTree tree = inspected(chain(32));
  ASSERT_THAT(tree.nodes, SizeIs(1));
  EXPECT_TRUE(tree.parts[0].grounded);
  EXPECT_THAT(tree.nodes[0].boundary, IsEmpty());
}

TEST(AssemblyTree, OfAFourBarIsOneJoinOverTheCutJoint) {
  const AssemblyTree tree = inspected(Graph{3, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}});
  ASSERT_THAT(tree.nodes, SizeIs(3));
  EXPECT_THAT(tree.nodes[2].joints, SizeIs(1));
  EXPECT_EQ(tree.width(), 1);
}

TEST(AssemblyTree, ClosesALoopToGroundAtTheLeaf) {
  // The second joint to ground is cut.
  const AssemblyTree tree = inspected(Graph{1, {{0, 1}, {1, 0}}});
  ASSERT_THAT(tree.nodes, SizeIs(1));
  EXPECT_THAT(tree.nodes[0].joints, SizeIs(1));
  EXPECT_EQ(tree.parts[0].tip, BodyId{1});
}

TEST(AssemblyTree, OfALongChainIsBalanced) {
  const AssemblyTree tree = inspected(chain(65536));
  EXPECT_EQ(tree.width(), 2);
  EXPECT_LE(tree.height(), 13);
  EXPECT_THAT(tree.parts, SizeIs(2048));
}

TEST(AssemblyTree, HalvesAChain) {
  const AssemblyTree tree = inspected(chain(8), 2);
  ASSERT_THAT(tree.nodes, SizeIs(7));
  EXPECT_EQ(tree.height(), 3);
  const Node& top = tree.nodes.back();
  EXPECT_THAT(top.joints, ElementsAre(JointId{4}));
  EXPECT_THAT(tree.nodes[slot(top.first)].boundary, ElementsAre(BodyId{4}));
  EXPECT_THAT(tree.nodes[slot(top.second)].boundary, ElementsAre(BodyId{5}));
}

TEST(AssemblyTree, RakesTheArmsOfAHub) {
  // Ten arms of twelve, the first of which goes on to a long chain.
  Graph graph{1, {{0, 1}}};
  for (int arm = 0; arm < 10; ++arm)
    for (int i = 0; i < (arm == 0 ? 500 : 12); ++i) {
      ++graph.bodies;
      graph.edges.emplace_back(i == 0 ? 1 : graph.bodies - 1, graph.bodies);
    }
  const AssemblyTree tree = inspected(graph, 16);
  const Part& hub = tree.parts[slot(tree.part_of[1])];
  EXPECT_THAT(hub.absorbed, SizeIs(8));  // and one arm fits in
  EXPECT_EQ(hub.tip, BodyId{1});
  EXPECT_EQ(tree.width(), 2);
}

TEST(AssemblyTree, JoinsLoopsAndDoesNotRakeThem) {
  // Rings of six on the tip of a short chain.
  Graph graph = chain(3);
  for (int ring = 0; ring < 3; ++ring) {
    const int first = graph.bodies + 1;
    graph.edges.emplace_back(3, first);
    for (int i = 0; i < 6; ++i) graph.edges.emplace_back(first + i, first + (i + 1) % 6);
    graph.bodies += 6;
  }
  const AssemblyTree tree = inspected(graph);
  EXPECT_THAT(tree.roots, SizeIs(1));
  EXPECT_LE(tree.width(), 2);
  for (const Part& part : tree.parts) EXPECT_THAT(part.absorbed, IsEmpty());
}

TEST(AssemblyTree, ClosesAJointBetweenTheTwoBodiesOfAPartAtTheLeaf) {
  const AssemblyTree tree = inspected(Graph{2, {{1, 2}, {1, 2}}});
  ASSERT_THAT(tree.nodes, SizeIs(1));
  EXPECT_THAT(tree.nodes[0].joints, ElementsAre(JointId{1}));
  EXPECT_THAT(tree.nodes[0].boundary, SizeIs(2));
}

TEST(AssemblyTree, OfSingleBodiesClosesAllJointsAtNodes) {
  const AssemblyTree tree = inspected(chain(1024), 1);
  EXPECT_EQ(tree.width(), 2);
  EXPECT_LE(tree.height(), 12);
  EXPECT_THAT(tree.parts, SizeIs(1024));
}

TEST(AssemblyTree, OfTreesHasWidthTwoAndLogarithmicHeight) {
  const auto expect_low = [](const Graph& graph) {
    for (const int part_bodies : {4, 32}) {
      const AssemblyTree tree = inspected(graph, part_bodies);
      EXPECT_LE(tree.width(), 2);
      EXPECT_LE(tree.height(), 2 * log2_of(graph.bodies) + 4);
    }
  };
  Graph binary{8191, {}};
  for (int i = 1; i <= binary.bodies; ++i) binary.edges.emplace_back(i / 2, i);
  expect_low(binary);
  Graph star{1, {{0, 1}}};
  for (int arm = 0; arm < 1000; ++arm)
    for (int i = 0; i < 5; ++i) {
      ++star.bodies;
      star.edges.emplace_back(i == 0 ? 1 : star.bodies - 1, star.bodies);
    }
  expect_low(star);
  Graph caterpillar = chain(3000);
  for (int i = 1; i <= 3000; ++i) caterpillar.edges.emplace_back(i, 3000 + i);
  caterpillar.bodies = 6000;
  expect_low(caterpillar);
  Graph broom = chain(3000);
  for (int i = 3001; i <= 4000; ++i) broom.edges.emplace_back(3000, i);
  broom.bodies = 4000;
  expect_low(broom);
  // A path on whose end hangs half as long a path by its middle, and so on.
  Graph fractal{1, {{0, 1}}};
  for (int length = 4096, base = 1; length > 1; length /= 2) {
    const int first = fractal.bodies + 1;
    for (int i = 0; i < length; ++i)
      fractal.edges.emplace_back(i == 0 ? base : fractal.bodies + i, fractal.bodies + i + 1);
    fractal.bodies += length;
    base = first + length / 2;
  }
  expect_low(fractal);
}

TEST(AssemblyTree, OfALadderIsNarrowAndLow) {
  const AssemblyTree tree = inspected(ladder(2000));
  EXPECT_LE(tree.width(), 4);
  EXPECT_LE(tree.height(), 2 * log2_of(6000) + 4);
}

TEST(AssemblyTree, OfALatticeIsAsWideAsOneSide) {
  const Graph graph = lattice(32);
  const AssemblyTree tree = inspected(graph);
  EXPECT_LE(tree.width(), 50);
  EXPECT_LE(tree.height(), 40);
}

TEST(AssemblyTree, OfLoopsOnAHubDoesNotGrowWide) {
  // A platform on 1000 legs of two links.
  Graph graph{1, {}};
  for (int leg = 0; leg < 1000; ++leg) {
    graph.edges.emplace_back(0, graph.bodies + 1);
    graph.edges.emplace_back(graph.bodies + 1, graph.bodies + 2);
    graph.edges.emplace_back(graph.bodies + 2, 1);
    graph.bodies += 2;
  }
  EXPECT_LE(inspected(graph).width(), 2);
}

TEST(AssemblyTree, IsTheSameEveryTime) {
  const Model model = lattice(6).model();
  const Topology topology = analyse_topology(model);
  const AssemblyTree one = plan_assembly(model, topology, {.part_bodies = 5});
  const AssemblyTree other = plan_assembly(model, topology, {.part_bodies = 5});
  ASSERT_EQ(one.nodes.size(), other.nodes.size());
  for (std::size_t n = 0; n < one.nodes.size(); ++n) {
    EXPECT_EQ(one.nodes[n].boundary, other.nodes[n].boundary);
    EXPECT_EQ(one.nodes[n].joints, other.nodes[n].joints);
  }
}

TEST(AssemblyTree, OfRandomGraphsIsSound) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Graph graph{1 + random.below(seed % 10 == 0 ? 60 : 12), {}};
    // A forest that may hang on ground in places, then any other joints.
    const int reach = 1 + random.below(graph.bodies);
    for (int i = 1; i <= graph.bodies; ++i)
      if (random.below(6) > 0)
        graph.edges.emplace_back(std::max(0, i - 1 - random.below(reach)), i);
    const int more = random.below(3) * random.below(graph.bodies);
    for (int e = 0; e < more; ++e) {
      const int a = random.below(graph.bodies + 1), b = random.below(graph.bodies + 1);
      if (a != b) graph.edges.emplace_back(a, b);
    }
    const Model model = graph.model();
    for (const int part_bodies : {1, 2, 3, 7, 32}) inspected(model, part_bodies);
  }
}

TEST(AssemblyTree, OfRandomMechanismsIsSound) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Model model(
        sarrus::testing::random_mechanism(seed, {.bodies = 4 + static_cast<int>(seed) % 20,
                                                 .loops = true,
                                                 .floating = seed % 2 == 0,
                                                 .redundant = seed % 3 == 0}));
    for (const int part_bodies : {1, 3, 32}) inspected(model, part_bodies);
  }
}

}  // namespace
}  // namespace sarrus
