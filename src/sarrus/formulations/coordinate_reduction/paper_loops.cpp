#include "sarrus/formulations/coordinate_reduction/paper_loops.h"

#include <fmt/format.h>

namespace sarrus::coordinate_reduction {
namespace {

Vec3 reference_hinge(const Model& model, JointId id) {
  const Joint& joint = model.joint(id);
  return model.body(joint.a).X_WB * joint.X_AF.p;
}

class PaperWalker {
 public:
  PaperWalker(const Model& model, const Topology& topology)
      : model_(model),
        topology_(topology),
        joints_at_(model.bodies().size()),
        block_of_(model.joints().size(), kBridge),
        link_of_(model.bodies().size(), kNotReached),
        entered_(topology.loop_blocks.size(), 0) {
    // Free joints that only measure are none of its links.
    std::vector<char> is_link(model.joints().size(), 0);
    for (const JointId joint : topology.cut_joints) is_link[joint.slot()] = 1;
    for (const BodyId body : topology.order)
      if (const JointId joint = topology.parent_joint[body.slot()]; joint.valid())
        is_link[joint.slot()] = 1;
    for (int j = 0; j < model.joint_count(); ++j) {
      if (!is_link[JointId{j}.slot()]) continue;
      joints_at_[model.joint(JointId{j}).a.slot()].push_back(JointId{j});
      joints_at_[model.joint(JointId{j}).b.slot()].push_back(JointId{j});
    }
    for (std::size_t block = 0; block < topology.loop_blocks.size(); ++block)
      for (const JointId joint : topology.loop_blocks[block])
        block_of_[joint.slot()] = static_cast<int>(block);
  }

  PaperWalk walk() {
    link_of_[kGround.slot()] = PaperLink::kGroundLink;
    leave(kGround);
    for (const BodyId root : topology_.floating_roots) add({.body = root});
    // Links are added while we go.
    for (std::size_t k = 0; k < links().size() && walk_.trouble.empty(); ++k)
      if (!links()[k].phantom) leave(links()[k].body);
    return std::move(walk_);
  }

 private:
  static constexpr int kBridge = -1;
  static constexpr int kNotReached = -2;

  std::vector<PaperLink>& links() { return walk_.links; }
  int block_of(JointId joint) const { return block_of_[joint.slot()]; }
  bool reached(BodyId body) const { return link_of_[body.slot()] != kNotReached; }

  BodyId other_body(JointId id, BodyId body) const {
    const Joint& joint = model_.joint(id);
    return joint.a == body ? joint.b : joint.a;
  }

  void add(const PaperLink& link) {
    if (!link.phantom) link_of_[link.body.slot()] = static_cast<int>(links().size());
    links().push_back(link);
  }

  /// The joints of a body that lead further out: bridges, and first joints of parts with loops.
  void leave(BodyId body) {
    for (const JointId joint : joints_at_[body.slot()]) {
      const int block = block_of(joint);
      if (block == kBridge) {
        const BodyId next = other_body(joint, body);
        if (!reached(next)) add({.body = next, .joint = joint, .parent = link_of_[body.slot()]});
      } else if (!entered_[static_cast<std::size_t>(block)]) {
        entered_[static_cast<std::size_t>(block)] = 1;
        enter(joint, body);
      }
    }
  }

  /// The part with loops behind `trunk`: without its base it must be a tree.
  void enter(JointId trunk, BodyId base) {
    const std::size_t first = links().size();
    const int base_link = link_of_[base.slot()];
    const BodyId second = other_body(trunk, base);
    add({.body = second, .joint = trunk, .parent = base_link, .base = base_link});
    for (std::size_t k = first; k < links().size(); ++k) {
      if (links()[k].phantom) continue;
      const BodyId body = links()[k].body;
      for (const JointId joint : joints_at_[body.slot()]) {
        if (block_of(joint) != block_of(trunk) || joint == links()[k].joint) continue;
        const BodyId next = other_body(joint, body);
        const PaperLink link{.body = next,
                             .joint = joint,
                             .parent = static_cast<int>(k),
                             .base = base_link,
                             .phantom = next == base};
        if (link.phantom || !reached(next)) {
          add(link);
        } else if (joint != links()[static_cast<std::size_t>(link_of_[next.slot()])].joint) {
          refuse(base, body, next);
          return;
        }
      }
    }
    measure(first);
  }

  void refuse(BodyId base, BodyId body, BodyId other) {
    walk_.trouble = fmt::format(
        "a loop through bodies '{}' and '{}' does not lead over '{}', the base of the loops it is "
        "coupled with, as the paper's recursion asks; leave out method.variant",
        model_.body(body).name, model_.body(other).name, model_.body(base).name);
  }

  /// Mean distance from joint to joint, of the links from `first` on.
  void measure(std::size_t first) {
    double sum = 0;
    int count = 0;
    for (std::size_t k = first + 1; k < links().size(); ++k) {
      const JointId before = links()[static_cast<std::size_t>(links()[k].parent)].joint;
      sum += (reference_hinge(model_, links()[k].joint) - reference_hinge(model_, before)).norm();
      ++count;
    }
    if (!(sum > 0)) return;
    for (std::size_t k = first; k < links().size(); ++k) links()[k].length = sum / count;
  }

  const Model& model_;
  const Topology& topology_;
  std::vector<std::vector<JointId>> joints_at_;
  std::vector<int> block_of_;
  std::vector<int> link_of_;
  std::vector<char> entered_;
  PaperWalk walk_;
};

}  // namespace

PaperWalk paper_walk(const Model& model, const Topology& topology) {
  return PaperWalker(model, topology).walk();
}

}  // namespace sarrus::coordinate_reduction
