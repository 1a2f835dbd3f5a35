#include "sarrus/formulations/hamiltonian_dca/part_lanes.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "sarrus/base/assert.h"
#include "sarrus/formulations/hamiltonian_dca/kernels/kernels.h"

namespace sarrus::hamiltonian {

namespace {

constexpr int kLaneNumbers = static_cast<int>(sizeof(LaneData) / sizeof(double));

}  // namespace

class PartLanes::Builder {
 public:
  Builder(PartLanes& to, const tree::Tree& tree, const EliminationPlan& plan,
          const AssemblyTree& assembly, const augmented_dca::FastParts& fast,
          const std::vector<BodyId>& carriers)
      : to_(to),
        tree_(tree),
        plan_(plan),
        assembly_(assembly),
        fast_(fast),
        model_(tree, std::vector<int>(tree.bodies().size(), 1),
               std::vector<int>(tree.bodies().size(), -1),
               std::vector<char>(tree.bodies().size(), 0)),
        mass_beyond_(tree.bodies().size()),
        place_of_(tree.model().bodies().size(), -1),
        carries_(place_of_.size(), 0) {
    for (const BodyId body : carriers) carries_[body.slot()] = 1;
    for (std::size_t i = mass_beyond_.size(); i-- > 0;) {
      mass_beyond_[i] += tree.model().body(tree.bodies()[i].body).inertia.mass;
      if (const int parent = tree.bodies()[i].parent; parent >= 0)
        mass_beyond_[to_index(parent)] += mass_beyond_[i];
    }
  }

  void build() {
    const int count = static_cast<int>(plan_.parts.size());
    to_.parts_.resize(to_index(count));
    find_parents();
    std::vector<int> first_chain;
    for (int i = 0; i < count; ++i) {
      first_chain.push_back(static_cast<int>(to_.chains_.size()));
      add_part(i);
    }
    first_chain.push_back(static_cast<int>(to_.chains_.size()));
    for (int i = 0; i < count; ++i) {
      LaneSystem& system = to_.parts_[to_index(i)].system;
      system.chains = to_.chains_.data() + first_chain[to_index(i)];
      system.chain_count = first_chain[to_index(i) + 1] - first_chain[to_index(i)];
      system.blocks = to_.blocks_.data() + to_.parts_[to_index(i)].first_block;
      system.constants = to_.constants_.data();
      system.lane_of = to_.lane_of_.data() + fast_.first(i);
      system.joint_of = to_.joint_of_.data() + fast_.first(i);
    }
    find_order();
  }

 private:
  int slot_of(int part, int place) const {
    return tree_.slot_of(BodyId{fast_.system(part).bodies[place].body + 1});
  }

  // On what each part hangs, and where.
  void find_parents() {
    hanging_on_.resize(plan_.parts.size());
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      const elimination::PartSystem& system = fast_.system(static_cast<int>(i));
      for (int k = 0; k < system.count; ++k) {
        const int body = system.bodies[k].body + 1;
        if (k >= system.absorbed_count) {
          place_of_[to_index(body)] = k;
          continue;
        }
        Part& child = to_.parts_[to_index(assembly_.part_of[to_index(body)])];
        child.hangs_whole = true;
        child.point_place = k;
      }
    }
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      Part& part = to_.parts_[i];
      const tree::TreeBody& root =
          tree_.bodies()[to_index(tree_.slot_of(BodyId{plan_.parts[i].root}))];
      if (root.parent < 0) continue;
      const int body = tree_.bodies()[to_index(root.parent)].body.index;
      part.parent = assembly_.part_of[to_index(body)];
      hanging_on_[to_index(part.parent)].push_back(static_cast<int>(i));
      part.parent_place = place_of_[to_index(body)];
      if (!part.hangs_whole) part.point_place = part.parent_place;
    }
  }

  void add_part(int index) {
    Part& part = to_.parts_[to_index(index)];
    const elimination::PartSystem& system = fast_.system(index);
    part.first_block = static_cast<int>(to_.blocks_.size());
    part.handed_begin = to_.handed_count_;
    const auto first = to_index(fast_.first(index));
    to_.lane_of_.resize(first + to_index(system.count));
    to_.joint_of_.resize(first + to_index(system.count));
    to_.frames_.resize(first + to_index(system.count));
    children_.assign(to_index(system.count), {});
    for (int k = 0; k < system.count - 1; ++k)
      children_[to_index(system.bodies[k].parent)].push_back(k);
    add_chain(index, system.count - 1);
    for (std::size_t i = 0; i < waiting_.size(); ++i) add_chain(index, waiting_[i]);
    waiting_.clear();
    add_children(index);
    add_carriers(index);
    part.handed_end = to_.handed_count_;
  }

  int& lane_of(int index, int place) { return to_.lane_of_[to_index(fast_.first(index) + place)]; }

  // The row that begins with a body, and goes on with the children that have most below them.
  void add_chain(int index, int place) {
    const elimination::PartSystem& system = fast_.system(index);
    LaneChain chain = {};
    chain.first_block =
        static_cast<int>(to_.blocks_.size()) - to_.parts_[to_index(index)].first_block;
    chain.parent = -1;
    if (const int parent = system.bodies[place].parent; parent >= 0) {
      chain.parent = lane_of(index, parent);
      hand_to(index, parent, chain.parent_handed, chain.parent_lane);
    }
    std::vector<int> row;
    for (int next = place; next >= 0;) {
      row.push_back(next);
      const std::vector<int>& children = children_[to_index(next)];
      // Places count towards the root: what has most below it comes last.
      next = children.empty() ? -1 : *std::max_element(children.begin(), children.end());
      for (const int child : children)
        if (child != next) waiting_.push_back(child);
    }
    for (std::size_t k = 0; k < row.size(); k += kLanes)
      add_block(index, std::span(row).subspan(k, std::min<std::size_t>(kLanes, row.size() - k)));
    chain.blocks = static_cast<int>(to_.blocks_.size()) - to_.parts_[to_index(index)].first_block -
                   chain.first_block;
    to_.chains_.push_back(chain);
  }

  void add_block(int index, std::span<const int> places) {
    const Part& part = to_.parts_[to_index(index)];
    const elimination::PartSystem& system = fast_.system(index);
    LaneBlock block = {};
    LaneConstants constants = {};
    std::fill_n(constants.q[0], kLanes, 1.0);
    block.bodies = static_cast<int>(places.size());
    block.handed = -1;
    block.in_row = block.bodies == kLanes;
    const int begins = (static_cast<int>(to_.blocks_.size()) - part.first_block) * kLaneNumbers;
    for (int l = 0; l < block.bodies; ++l) {
      const int place = places[to_index(l)];
      const int slot = slot_of(index, place);
      const bool is_root = place == system.count - 1;
      const bool is_top = place < system.absorbed_count;
      lane_of(index, place) = begins + l;
      to_.joint_of_[to_index(fast_.first(index) + place)] = block.joint[l] =
          tree_.bodies()[to_index(slot)].q;
      to_.frames_[to_index(fast_.first(index) + place)] = frame_of(slot);
      model_.fill_body(tree_, slot, l, constants);
      block.mass_beyond[l] = mass_beyond_[to_index(slot)];
      block.tells[l] = true;
      // The joint of a part that hangs whole is closed where it hangs: there is its arm, and ṗ.
      if (is_root && part.hangs_whole) {
        for (auto& number : constants.r) number[l] = 0;
        block.mass_beyond[l] = 0;
        block.tells[l] = false;
      }
      if (is_top) {
        for (auto& number : constants.J) number[l] = 0;
        for (auto& number : constants.h) number[l] = 0;
        constants.m[l] = 0;
      }
      block.in_row = block.in_row && block.tells[l] && block.joint[l] == block.joint[0] + l;
    }
    const auto [found, is_new] = constants_.try_emplace(
        std::string(reinterpret_cast<const char*>(&constants), sizeof constants),
        static_cast<int>(to_.constants_.size()));
    if (is_new) to_.constants_.push_back(constants);
    block.constants = found->second;
    to_.blocks_.push_back(block);
  }

  Frame frame_of(int slot) const {
    const Transform X_CB = model_.X_BC(slot).inverse();
    return {X_CB.q, -X_CB.p};
  }

  void hand_to(int index, int place, int& handed, int& lane) {
    const int begins = lane_of(index, place);
    LaneBlock& block =
        to_.blocks_[to_index(to_.parts_[to_index(index)].first_block + begins / kLaneNumbers)];
    if (block.handed < 0) block.handed = to_.handed_count_++;
    handed = block.handed;
    lane = begins % kLaneNumbers;
  }

  void add_children(int index) {
    Part& part = to_.parts_[to_index(index)];
    const elimination::PartSystem& system = fast_.system(index);
    part.first_child = static_cast<int>(to_.children_.size());
    for (const int i : hanging_on_[to_index(index)]) {
      const Part& hanging = to_.parts_[to_index(i)];
      Child child;
      child.part = i;
      child.place = hanging.point_place;
      child.hangs_whole = hanging.hangs_whole;
      const int slot = tree_.slot_of(BodyId{plan_.parts[to_index(i)].root});
      child.joint = tree_.bodies()[to_index(slot)].q;
      const double* R = model_.joint(slot).R_PE;
      child.axis = {R[2], R[5], R[8]};
      hand_to(index, child.place, child.handed, child.lane);
      if (!child.hangs_whole && child.place != system.tip) to_.only_tips_ = false;
      to_.children_.push_back(child);
    }
    part.child_count = static_cast<int>(to_.children_.size()) - part.first_child;
  }

  void add_carriers(int index) {
    Part& part = to_.parts_[to_index(index)];
    const elimination::PartSystem& system = fast_.system(index);
    part.first_carrier = static_cast<int>(to_.carriers_.size());
    for (int k = system.absorbed_count; k < system.count; ++k) {
      Carrier carrier{BodyId{system.bodies[k].body + 1}, k};
      if (!carries_[carrier.body.slot()]) continue;
      hand_to(index, k, carrier.handed, carrier.lane);
      to_.carriers_.push_back(carrier);
    }
    part.carrier_count = static_cast<int>(to_.carriers_.size()) - part.first_carrier;
  }

  void find_order() {
    for (std::size_t i = 0; i < to_.parts_.size(); ++i)
      if (to_.parts_[i].parent < 0) to_.order_.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < to_.order_.size(); ++i)
      for (const Child& child : to_.children(to_.part(to_.order_[i])))
        to_.order_.push_back(child.part);
    SARRUS_ASSERT(to_.order_.size() == to_.parts_.size());
  }

  PartLanes& to_;
  const tree::Tree& tree_;
  const EliminationPlan& plan_;
  const AssemblyTree& assembly_;
  const augmented_dca::FastParts& fast_;
  articulated::KernelModel model_;
  std::vector<double> mass_beyond_;           ///< per slot
  std::vector<int> place_of_;                 ///< per body
  std::vector<char> carries_;                 ///< per body
  std::vector<std::vector<int>> hanging_on_;  ///< per part
  std::vector<std::vector<int>> children_;    ///< per place of the present part
  std::vector<int> waiting_;
  std::unordered_map<std::string, int> constants_;
};

PartLanes::PartLanes(const tree::Tree& tree, const EliminationPlan& plan,
                     const AssemblyTree& assembly, const augmented_dca::FastParts& parts,
                     const std::vector<BodyId>& carriers)
    : kernel_(&best_kernel()) {
  Builder(*this, tree, plan, assembly, parts, carriers).build();
}

}  // namespace sarrus::hamiltonian
