#include "sarrus/topology/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace sarrus {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Edges of every body, in compressed rows.
struct Adjacency {
  struct Edge {
    int joint;
    int other;
  };
  std::vector<int> first;
  std::vector<Edge> edges;

  explicit Adjacency(const Model& model) : first(model.bodies().size() + 1, 0) {
    for (const Joint& joint : model.joints()) {
      ++first[joint.a.slot() + 1];
      ++first[joint.b.slot() + 1];
    }
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    edges.resize(at(first.back()));
    std::vector<int> next(first.begin(), first.end() - 1);
    for (int j = 0; j < model.joint_count(); ++j) {
      const Joint& joint = model.joint(JointId{j});
      edges[at(next[joint.a.slot()]++)] = {j, joint.b.index};
      edges[at(next[joint.b.slot()]++)] = {j, joint.a.index};
    }
  }
};

/// The body in the middle of a longest shortest path: two breadth-first searches.
int middle_of_component(const Adjacency& graph, int start, std::vector<int>& mark,
                        std::vector<int>& parent, int& stamp) {
  const auto farthest = [&](int from) {
    ++stamp;
    std::vector<int> queue = {from};
    mark[at(from)] = stamp;
    parent[at(from)] = -1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (int e = graph.first[at(queue[i])]; e < graph.first[at(queue[i]) + 1]; ++e) {
        const int other = graph.edges[at(e)].other;
        if (mark[at(other)] == stamp) continue;
        mark[at(other)] = stamp;
        parent[at(other)] = queue[i];
        queue.push_back(other);
      }
    return queue.back();
  };
  int tip = farthest(farthest(start));
  std::vector<int> path;
  for (int body = tip; body >= 0; body = parent[at(body)]) path.push_back(body);
  return path[path.size() / 2];
}

/// Screws, and joints with an angle that a spring, motor or motion acts on: how often they have turned
/// matters. Coordinates of the tree know it, those of cut joints must be told from the poses.
std::vector<char> joints_that_count_turns(const Model& model) {
  std::vector<char> counts(model.joints().size(), 0);
  for (std::size_t j = 0; j < counts.size(); ++j)
    counts[j] = model.joints()[j].type() == JointType::kHelical;
  const auto mark = [&](const auto& list) {
    for (const auto& element : list)
      if (model.joint(element.at.joint).is_angle(element.at.index))
        counts[element.at.joint.slot()] = 1;
  };
  mark(model.joint_springs());
  mark(model.motors());
  mark(model.motions());
  return counts;
}

/// Free joints on which nothing acts or is prescribed, nor held at the start: they close no loop.
std::vector<char> joints_that_only_measure(const Model& model) {
  std::vector<char> only(model.joints().size(), 0);
  for (std::size_t j = 0; j < only.size(); ++j) {
    const Joint& joint = model.joints()[j];
    only[j] = joint.constraint_count() == 0 && joint.start.empty() && joint.speed.empty();
  }
  const auto take_out = [&](const auto& elements) {
    for (const auto& element : elements) only[element.at.joint.slot()] = 0;
  };
  take_out(model.joint_springs());
  take_out(model.joint_frictions());
  take_out(model.joint_torques());
  take_out(model.motors());
  take_out(model.motions());
  return only;
}

/// Grows the tree of one component: Prim's algorithm on five classes of joints, first come first
/// served inside a class, so that depths stay small.
class TreeGrower {
 public:
  TreeGrower(const Model& model, const Adjacency& graph, const std::vector<char>& measures,
             Topology& topology)
      : model_(model),
        graph_(graph),
        measures_(measures),
        topology_(topology),
        reached_(model.bodies().size(), 0),
        in_tree_(model.joints().size(), 0),
        counts_turns_(joints_that_count_turns(model)) {}

  bool reached(int body) const { return reached_[at(body)] != 0; }
  bool in_tree(int joint) const { return in_tree_[at(joint)] != 0; }

  void grow(int root) {
    reached_[at(root)] = 1;
    if (root != kGround.index) {
      topology_.order.push_back(BodyId{root});
      topology_.floating_roots.push_back(BodyId{root});
    }
    offer(root);
    while (true) {
      std::size_t c = 0;
      while (c < frontier_.size() && frontier_[c].empty()) ++c;
      if (c == frontier_.size()) return;
      const Offer next = frontier_[c].front();
      frontier_[c].pop_front();
      if (reached(next.to)) continue;
      reached_[at(next.to)] = 1;
      in_tree_[at(next.joint)] = 1;
      topology_.parent_joint[at(next.to)] = JointId{next.joint};
      topology_.parent[at(next.to)] = BodyId{next.from};
      topology_.depth[at(next.to)] = topology_.depth[at(next.from)] + 1;
      topology_.order.push_back(BodyId{next.to});
      offer(next.to);
    }
  }

 private:
  struct Offer {
    int joint, from, to;
  };

  void offer(int body) {
    for (int e = graph_.first[at(body)]; e < graph_.first[at(body) + 1]; ++e) {
      const auto& edge = graph_.edges[at(e)];
      if (reached(edge.other)) continue;
      const CutPreference cut = model_.joint(JointId{edge.joint}).cut;
      const std::size_t c = measures_[at(edge.joint)]       ? 4
                            : cut == CutPreference::kForbid ? 0
                            : cut == CutPreference::kPrefer ? 3
                            : counts_turns_[at(edge.joint)] ? 1
                                                            : 2;
      frontier_[c].push_back({edge.joint, body, edge.other});
    }
  }

  const Model& model_;
  const Adjacency& graph_;
  const std::vector<char>& measures_;
  Topology& topology_;
  std::vector<char> reached_;
  std::vector<char> in_tree_;
  std::vector<char> counts_turns_;
  std::array<std::deque<Offer>, 5> frontier_;
};

/// Biconnected parts by Hopcroft and Tarjan's low points, without recursion.  [topology-blocks]
class BlockFinder {
 public:
  /// `left_out`: joints that take no part.
  BlockFinder(const Model& model, const Adjacency& graph, std::vector<char> left_out)
      : graph_(graph),
        number_(model.bodies().size(), 0),
        low_(model.bodies().size(), 0),
        used_(std::move(left_out)) {}

  std::vector<std::vector<JointId>> find() {
    for (int root = 0; root < static_cast<int>(number_.size()); ++root)
      if (number_[at(root)] == 0) walk(root);
    return std::move(blocks_);
  }

 private:
  struct Visit {
    int body;
    int next_edge;
    int joint;  ///< by which we came
  };

  void enter(int body, int joint) {
    number_[at(body)] = low_[at(body)] = ++count_;
    stack_.push_back({body, graph_.first[at(body)], joint});
  }

  void walk(int root) {
    enter(root, -1);
    while (!stack_.empty()) {
      Visit& top = stack_.back();
      if (top.next_edge == graph_.first[at(top.body) + 1]) {
        leave();
        continue;
      }
      const auto edge = graph_.edges[at(top.next_edge++)];
      if (used_[at(edge.joint)]) continue;
      used_[at(edge.joint)] = 1;
      joints_.push_back(edge.joint);
      if (number_[at(edge.other)] == 0)
        enter(edge.other, edge.joint);
      else
        low_[at(top.body)] = std::min(low_[at(top.body)], number_[at(edge.other)]);
    }
  }

  void leave() {
    const Visit done = stack_.back();
    stack_.pop_back();
    if (stack_.empty()) return;
    const int parent = stack_.back().body;
    low_[at(parent)] = std::min(low_[at(parent)], low_[at(done.body)]);
    if (low_[at(done.body)] < number_[at(parent)]) return;
    // `parent` separates what came after `done.joint` from the rest: that is one block.
    std::vector<JointId> block;
    while (block.empty() || block.back().index != done.joint) {
      block.push_back(JointId{joints_.back()});
      joints_.pop_back();
    }
    if (block.size() < 2) return;  // a bridge: no loop through it
    std::sort(block.begin(), block.end());
    blocks_.push_back(std::move(block));
  }

  const Adjacency& graph_;
  std::vector<int> number_, low_;
  std::vector<char> used_;
  std::vector<Visit> stack_;
  std::vector<int> joints_;
  std::vector<std::vector<JointId>> blocks_;
  int count_ = 0;
};

}  // namespace

int Topology::largest_block() const {
  std::size_t most = 0;
  for (const auto& block : loop_blocks) most = std::max(most, block.size());
  return static_cast<int>(most);
}

Topology analyse_topology(const Model& model) {
  Topology topology;
  topology.parent_joint.resize(model.bodies().size());
  topology.parent.assign(model.bodies().size(), kGround);
  topology.depth.assign(model.bodies().size(), 0);
  topology.order.reserve(model.bodies().size());

  const Adjacency graph(model);
  const std::vector<char> measures = joints_that_only_measure(model);
  TreeGrower grower(model, graph, measures, topology);
  grower.grow(kGround.index);
  std::vector<int> mark(model.bodies().size(), 0);
  std::vector<int> came_from(model.bodies().size(), -1);
  int stamp = 0;
  for (int body = 1; body < model.body_count(); ++body)
    if (!grower.reached(body))
      grower.grow(middle_of_component(graph, body, mark, came_from, stamp));

  std::vector<Diagnostic> problems;
  for (int j = 0; j < model.joint_count(); ++j) {
    if (grower.in_tree(j) || measures[at(j)]) continue;
    topology.cut_joints.push_back(JointId{j});
    const Joint& joint = model.joint(JointId{j});
    if (joint.cut == CutPreference::kForbid)
      problems.push_back(
          {joint.where,
           fmt::format("joint '{}' closes a loop in which every joint forbids being cut",
                       joint.name),
           "let at least one joint of the loop be cut"});
  }
  if (!problems.empty()) throw ModelError(std::move(problems));
  topology.loop_blocks = BlockFinder(model, graph, measures).find();
  return topology;
}

}  // namespace sarrus
