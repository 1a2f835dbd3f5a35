#include "sarrus/tree/tree.h"

#include <algorithm>

#include "sarrus/simd/instruction_sets.h"
#include "sarrus/tree/joint_constants.h"

namespace sarrus::tree {
namespace {

const JointKind kFreeInTheWorld = Free{};

int blocks_of(int bodies, int width) { return (bodies + width - 1) / width; }

/// Measured cost [ns] of a block of four neighbours, of a body's place in the two recursions, of
/// starting a chain, and of as many bodies of equal depth as registers hold at once. They decide only
/// the speed.
constexpr double kChainBlock = 72;
constexpr double kChainBody = 25;
constexpr double kChainStart = 30;
constexpr double kLevelPart = 160;

/// Bodies that hang on each, itself included.
std::vector<int> subtree_sizes(const Topology& topology, std::size_t bodies) {
  std::vector<int> sizes(bodies, 1);
  for (auto body = topology.order.rbegin(); body != topology.order.rend(); ++body)
    sizes[topology.parent[body->slot()].slot()] += sizes[body->slot()];
  return sizes;
}

double cost_of_chains(const std::vector<Tree::Run>& runs) {
  double cost = 0;
  for (const Tree::Run& run : runs)
    cost += kChainStart + kChainBlock * blocks_of(run.end - run.first, kChainLanes) +
            kChainBody * (run.end - run.first);
  return cost;
}

double cost_of_levels(const std::vector<Tree::Run>& runs) {
  double cost = 0;
  for (const Tree::Run& run : runs)
    cost += kLevelPart * blocks_of(run.end - run.first, lanes_at_once());
  return cost;
}

}  // namespace

Tree::Tree(const Model& model, const Topology& topology) : model_(&model) {
  const std::size_t count = model.bodies().size();
  std::vector<std::vector<int>> children(count);
  for (const BodyId body : topology.order)
    children[topology.parent[body.slot()].slot()].push_back(body.index);
  const std::vector<int> sizes = subtree_sizes(topology, count);
  for (std::vector<int>& list : children)
    std::stable_sort(list.begin(), list.end(),
                     [&](int i, int j) { return sizes[to_index(i)] > sizes[to_index(j)]; });
  order_by_levels(children);
  const double levels = cost_of_levels(runs_);
  std::vector<int> level_order = std::move(order_);
  std::vector<Run> level_runs = std::move(runs_);
  // A prescribed joint makes a chain of its own, so that the rest of it stays simple.
  std::vector<char> alone(count, 0);
  for (const PrescribedMotion& motion : model.motions()) {
    const Joint& joint = model.joint(motion.at.joint);
    for (const BodyId body : {joint.a, joint.b})
      if (topology.parent_joint[body.slot()] == motion.at.joint) alone[body.slot()] = 1;
  }
  order_by_chains(children, alone);
  // Open parts of mechanisms with loops are chains.
  if (topology.is_tree() && levels < cost_of_chains(runs_)) {
    traversal_ = Traversal::kLevels;
    order_ = std::move(level_order);
    runs_ = std::move(level_runs);
  }
  number_the_state(topology);
  has_joints_outside_ = std::ranges::count_if(bodies_, [](const TreeBody& body) {
                          return body.joint.valid();
                        }) < model.joint_count();
}

void Tree::order_by_chains(const std::vector<std::vector<int>>& children,
                           const std::vector<char>& alone) {
  order_.clear();
  runs_.clear();
  std::vector<int> starts(children[0].rbegin(), children[0].rend());
  while (!starts.empty()) {
    int body = starts.back();
    starts.pop_back();
    const int first = static_cast<int>(order_.size());
    while (true) {
      order_.push_back(body);
      const std::vector<int>& next = children[to_index(body)];
      if (next.empty()) break;
      const bool ends = alone[to_index(body)] || alone[to_index(next.front())];
      starts.insert(starts.end(), next.rbegin(), next.rend() - (ends ? 0 : 1));
      if (ends) break;
      body = next.front();
    }
    runs_.push_back({first, static_cast<int>(order_.size())});
  }
}

void Tree::order_by_levels(const std::vector<std::vector<int>>& children) {
  order_.clear();
  runs_.clear();
  const auto add_blocks = [this](const std::vector<int>& bodies, int parent_run) {
    for (std::size_t i = 0; i < bodies.size(); i += kWideLanes) {
      const std::size_t end = std::min(bodies.size(), i + kWideLanes);
      const int first = static_cast<int>(order_.size());
      order_.insert(order_.end(), bodies.begin() + static_cast<std::ptrdiff_t>(i),
                    bodies.begin() + static_cast<std::ptrdiff_t>(end));
      runs_.push_back({first, static_cast<int>(order_.size()), parent_run});
    }
  };
  add_blocks(children[0], -1);
  std::vector<int> next;
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    // First children of all bodies of the block, then second ones, …: few parents share a block.
    next.clear();
    const Run parents = runs_[run];
    for (std::size_t k = 0, found = 1; found > 0; ++k) {
      found = 0;
      for (int i = parents.first; i < parents.end; ++i) {
        const std::vector<int>& list = children[to_index(order_[to_index(i)])];
        if (k >= list.size()) continue;
        next.push_back(list[k]);
        ++found;
      }
    }
    add_blocks(next, static_cast<int>(run));
  }
}

void Tree::number_the_state(const Topology& topology) {
  slot_of_.assign(model_->bodies().size(), -1);
  slot_of_joint_.assign(model_->joints().size(), -1);
  bodies_.reserve(order_.size());
  for (const int index : order_) {
    TreeBody body;
    body.body = BodyId{index};
    body.joint = topology.parent_joint[to_index(index)];
    const BodyId parent = topology.parent[to_index(index)];
    body.parent = parent == kGround ? -1 : slot_of_[parent.slot()];
    if (body.joint.valid()) {
      const Joint& joint = model_->joint(body.joint);
      body.reversed = joint.a == body.body;
      body.type = joint.type();
      slot_of_joint_[body.joint.slot()] = static_cast<int>(bodies_.size());
    }
    std::visit(
        [&body](const auto& kind) {
          body.nq = kind.kNq;
          body.nv = kind.kNv;
        },
        kind(body));
    body.q = nq_;
    body.v = nv_;
    nq_ += body.nq;
    nv_ += body.nv;
    slot_of_[to_index(index)] = static_cast<int>(bodies_.size());
    bodies_.push_back(body);
  }
}

const JointKind& Tree::kind(const TreeBody& body) const {
  return body.joint.valid() ? model_->joint(body.joint).kind : kFreeInTheWorld;
}

Transform Tree::frame_on_parent(const TreeBody& body) const {
  if (!body.joint.valid()) return {};
  const Joint& joint = model_->joint(body.joint);
  return body.reversed ? joint.X_BM : joint.X_AF;
}

Transform Tree::frame_on_body(const TreeBody& body) const {
  if (!body.joint.valid()) return {};
  const Joint& joint = model_->joint(body.joint);
  return body.reversed ? joint.X_AF : joint.X_BM;
}

}  // namespace sarrus::tree
