#include "sarrus/formulations/augmented_dca/fast_parts.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "sarrus/elimination/mat6.h"
#include "sarrus/formulations/body_state.h"

namespace sarrus::augmented_dca {

namespace {

bool is_plain(const EliminationPlan& plan, const EliminationPlan::Step& step) {
  const Joint& joint = plan.system->model().joint(JointId{step.joint});
  return joint.type() == JointType::kRevolute && step.rows == joint.constraint_count();
}

void put(const Vec3& from, double* to) { Eigen::Map<Vec3>{to} = from; }

PartShape shape_of(const Inertia& inertia) {
  PartShape shape = {};
  shape.mass = inertia.mass;
  put(inertia.center, shape.center);
  const Mat3& J = inertia.central;
  const double moments[6] = {J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2)};
  std::copy_n(moments, 6, shape.inertia);
  return shape;
}

/// Equal shapes once.
class Shapes {
 public:
  explicit Shapes(std::vector<PartShape>& all) : all_(all) {}
  int place_of(const PartShape& shape) {
    const auto [found, is_new] = places_.try_emplace(
        std::string(reinterpret_cast<const char*>(&shape), sizeof shape), all_.size());
    if (is_new) all_.push_back(shape);
    return static_cast<int>(found->second);
  }

 private:
  std::vector<PartShape>& all_;
  std::unordered_map<std::string, std::size_t> places_;
};

JoinSystem::Side side_of(const EliminationPlan& plan, const EliminationPlan::Node& node, int place,
                         const Joint& joint, bool is_b) {
  const EliminationPlan::Stacked& own = node.stack[to_index(place)];
  JoinSystem::Side side = {};
  side.body = (is_b ? joint.b : joint.a).index - 1;
  side.own = own.place;
  side.shown = plan.slots[to_index(own.slot)].bodies;
  put((is_b ? joint.X_BM : joint.X_AF).p, side.s);
  return side;
}

}  // namespace

FastParts::FastParts(const EliminationPlan& plan, const AssemblyTree& tree,
                     const std::vector<double>& joint_inertia)
    : kernel_(&elimination::best_kernel()) {
  systems_.assign(plan.parts.size(), {});
  first_.assign(plan.parts.size(), 0);
  first_absorbed_.assign(plan.parts.size(), 0);
  const Model& model = plan.system->model();
  std::vector<int> place(model.bodies().size(), -1);
  Shapes shapes(shapes_);
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const EliminationPlan::Part& part = plan.parts[i];
    const auto steps =
        std::span(plan.steps).subspan(to_index(part.first_step), to_index(part.step_count));
    if (!std::all_of(steps.begin(), steps.end(),
                     [&](const EliminationPlan::Step& s) { return is_plain(plan, s); }))
      continue;
    first_[i] = static_cast<int>(bodies_.size());
    first_absorbed_[i] = static_cast<int>(absorbed_.size());
    std::vector<PartShape> own;
    const auto add_body = [&](int body, const PartShape& shape) {
      place[to_index(body)] = static_cast<int>(own.size());
      bodies_.push_back({body - 1, -1, 0});
      own.push_back(shape);
    };
    // What hangs on the part comes first, like children that have none of their own.
    for (const EliminationPlan::Step& step : steps) {
      if (step.absorbed < 0) continue;
      const EliminationPlan::Slot& slot =
          plan.slots[to_index(plan.nodes[to_index(step.absorbed)].slot)];
      add_body(step.body, {});
      absorbed_.push_back({static_cast<long>(slot.Lambda), static_cast<long>(slot.vectors)});
    }
    for (const BodyId body : tree.parts[i].bodies)
      add_body(body.index, shape_of(model.body(body).inertia));
    for (const EliminationPlan::Step& step : steps) {
      const Joint& joint = model.joint(JointId{step.joint});
      const Transform& here = step.body_is_b ? joint.X_BM : joint.X_AF;
      const Transform& there = step.body_is_b ? joint.X_AF : joint.X_BM;
      PartShape& shape = own[to_index(place[to_index(step.body)])];
      put(here.R().col(2), shape.axis);
      put(here.p, shape.s);
      put(there.p, shape.s_parent);
      if (step.parent > 0)
        bodies_[to_index(first_[i] + place[to_index(step.body)])].parent =
            place[to_index(step.parent)];
    }
    for (std::size_t k = 0; k < own.size(); ++k)
      bodies_[to_index(first_[i]) + k].shape = shapes.place_of(own[k]);
    systems_[i] = {.bodies = nullptr,
                   .shapes = nullptr,
                   .absorbed = nullptr,
                   .absorbed_count = static_cast<int>(absorbed_.size()) - first_absorbed_[i],
                   .count = static_cast<int>(own.size()),
                   .tip = part.tip >= 0 ? place[to_index(part.tip)] : -1,
                   .grounded = part.grounded,
                   .shows_root = part.shows_root};
  }
  for (std::size_t i = 0; i < systems_.size(); ++i) {
    systems_[i].bodies = bodies_.data() + first_[i];
    systems_[i].shapes = shapes_.data();
    systems_[i].absorbed = absorbed_.data() + first_absorbed_[i];
  }
  find_joins(plan, joint_inertia);
  find_asked_for(plan);
}

void FastParts::find_joins(const EliminationPlan& plan, const std::vector<double>& joint_inertia) {
  join_of_.assign(plan.nodes.size(), -1);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const EliminationPlan::Node& node = plan.nodes[i];
    if (node.part >= 0 || node.loop || node.core || node.rows.empty()) continue;
    const elimination::ClosingRow& row = node.rows.front();
    const JointId id{plan.joint_of_row[to_index(row.row)]};
    const Joint& joint = plan.system->model().joint(id);
    // The two bodies come last among those that meet, one of each half.
    const int kept = plan.slots[to_index(node.slot)].bodies;
    const bool two_halves =
        row.a >= kept && row.b >= kept && node.stack.size() == to_index(kept) + 2;
    if (joint.type() != JointType::kRevolute || !two_halves ||
        node.rows.size() != to_index(joint.constraint_count()))
      continue;
    const bool b_first = row.b < row.a;
    Join join;
    join.a = node.stack[to_index(std::min(row.a, row.b))].slot;
    join.b = node.stack[to_index(std::max(row.a, row.b))].slot;
    if (plan.slots[to_index(join.a)].bodies > 2 || plan.slots[to_index(join.b)].bodies > 2)
      continue;
    join.system.a = side_of(plan, node, std::min(row.a, row.b), joint, b_first);
    join.system.b = side_of(plan, node, std::max(row.a, row.b), joint, !b_first);
    const Mat3 R_a = (b_first ? joint.X_BM : joint.X_AF).R();
    const Mat3 R_b = (b_first ? joint.X_AF : joint.X_BM).R();
    put(R_a.col(0), join.system.across[0]);
    put(R_a.col(1), join.system.across[1]);
    put(R_b.col(2), join.system.axis);
    if (!joint_inertia.empty()) join.system.inertia = joint_inertia[id.slot()];
    join_of_[i] = static_cast<int>(joins_.size());
    joins_.push_back(join);
  }
}

void FastParts::find_asked_for(const EliminationPlan& plan) {
  const Model& model = plan.system->model();
  asked_for_.assign(model.bodies().size(), 0);
  const auto ask = [&](int id) {
    const Joint& joint = model.joint(JointId{id});
    asked_for_[joint.a.slot()] = asked_for_[joint.b.slot()] = 1;
  };
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (!takes_join(static_cast<int>(i)))
      for (const elimination::ClosingRow& row : plan.nodes[i].rows)
        ask(plan.joint_of_row[to_index(row.row)]);
  }
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const EliminationPlan::Part& part = plan.parts[i];
    for (int s = part.first_step; s < part.first_step + part.step_count; ++s)
      if (plan.steps[to_index(s)].absorbed >= 0 && !takes(static_cast<int>(i)))
        ask(plan.steps[to_index(s)].joint);
  }
}

FastJoins::FastJoins(const FastParts& parts, const EliminationPlan& plan, const AssemblyTree& tree)
    : parts_(&parts),
      plan_(&plan),
      tree_(&tree),
      absorbed_(to_index(parts.absorbed_count())),
      roots_(plan.parts.size()),
      joins_(to_index(parts.join_count())) {}

void FastJoins::begin_at(const double* x, const double* coordinates, const Vec6* loads) {
  x_ = x;
  coordinates_ = coordinates;
  loads_ = loads;
}

elimination::PartShown FastJoins::show(int index, const Pieces& pieces, Configuration& c) const {
  const EliminationPlan::Part& part = plan_->parts[to_index(index)];
  if (part.shows_root && parts_->is_asked_for(part.root)) read_body(part.root, c);
  if (part.tip >= 0 && parts_->is_asked_for(part.tip)) read_body(part.tip, c);
  const EliminationPlan::Slot& slot = plan_->slots[to_index(part.slot)];
  return {pieces.Lambda + slot.Lambda, slot.stride(), pieces.beta + slot.vectors};
}

FastPartSolver::FastPartSolver(const FastParts& parts, const EliminationPlan& plan,
                               const AssemblyTree& tree)
    : FastJoins(parts, plan, tree), records_(to_index(parts.count())) {}

void FastPartSolver::begin(const double* x, const double* coordinates, const Vec6* loads,
                           double* dx) {
  begin_at(x, coordinates, loads);
  dx_ = dx;
}

void FastJoins::read_body(int body, Configuration& c) const {
  const double* state = x_ + body_state::kBodySize * (body - 1);
  c.poses[to_index(body)] = {Quat(state[0], state[1], state[2], state[3]).normalized(),
                             Eigen::Map<const Vec3>(state + 4)};
  c.velocities[to_index(body)] = Eigen::Map<const Vec6>(state + 7);
}

bool FastPartSolver::up(int index, const Pieces& pieces, Configuration& c) {
  const PartSystem& system = parts_->system(index);
  // Of the thread: a part at a time.
  thread_local std::vector<elimination::PartScratch> scratch;
  thread_local std::vector<elimination::PartStored> stored;
  if (scratch.size() < to_index(system.count)) {
    scratch.resize(to_index(system.count));
    stored.resize(to_index(system.count));
  }
  const elimination::PartShown shown = show(index, pieces, c);
  const double none[3] = {};
  return parts_->kernel().inward(
      system, x_, loads_ ? none : plan_->system->model().gravity().data(),
      loads_ ? loads_[1].data() : nullptr, pieces, records_.data() + parts_->first(index),
      absorbed_.data() + parts_->first_absorbed(index), scratch.data(), stored.data(),
      &roots_[to_index(index)], &shown);
}

bool FastPartSolver::down(int index, const Pieces& pieces) {
  const EliminationPlan::Slot& slot = plan_->slots[to_index(plan_->parts[to_index(index)].slot)];
  return parts_->kernel().outward(parts_->system(index), x_, pieces,
                                  records_.data() + parts_->first(index),
                                  absorbed_.data() + parts_->first_absorbed(index),
                                  &roots_[to_index(index)], pieces.F + slot.vectors, dx_) == 0;
}

bool FastJoins::join(int node, const Pieces& pieces) {
  const int index = parts_->join_index(node);
  const FastParts::Join& join = parts_->join(index);
  return parts_->kernel().join(join.system, x_, piece(join.a, pieces), piece(join.b, pieces),
                               piece(plan_->nodes[to_index(node)].slot, pieces),
                               &joins_[to_index(index)]);
}

void FastJoins::split(int node, const Pieces& pieces) {
  const int index = parts_->join_index(node);
  const FastParts::Join& join = parts_->join(index);
  parts_->kernel().split(join.system, joins_[to_index(index)], piece(join.a, pieces),
                         piece(join.b, pieces), piece(plan_->nodes[to_index(node)].slot, pieces));
}

elimination::PieceNumbers FastJoins::piece(int slot, const Pieces& pieces) const {
  const EliminationPlan::Slot& at = plan_->slots[to_index(slot)];
  return {pieces.Lambda + at.Lambda, pieces.beta + at.vectors, pieces.F + at.vectors};
}

void FastJoins::read_coordinates(int joint, Configuration& c) {
  const Joint& of = plan_->system->model().joint(JointId{joint});
  std::copy_n(coordinates_ + of.first_freedom, of.nv(), c.coordinates.begin() + of.first_freedom);
}

void FastJoins::prepare(int index, Configuration& c, std::span<Vec6> f) {
  const Model& model = plan_->system->model();
  const EliminationPlan::Part& part = plan_->parts[to_index(index)];
  for (int s = 0; s < part.step_count; ++s)
    read_coordinates(plan_->steps[to_index(part.first_step + s)].joint, c);
  for (const BodyId body : tree_->parts[to_index(index)].bodies) {
    read_body(body.index, c);
    const Inertia& inertia = model.body(body).inertia;
    const Vec3 weight = inertia.mass * model.gravity();
    const Transform& pose = c.poses[body.slot()];
    const Vec6 load =
        loads_ ? loads_[body.slot()] : spatial((pose.q * inertia.center).cross(weight), weight);
    f[body.slot()] =
        load - gyroscopic_wrench(inertia, pose.R(), c.velocities[body.slot()].head<3>());
  }
}

bool FastPartSolver::receive(int index, std::span<const Vec6> a) {
  bool finite = true;
  for (const BodyId body : tree_->parts[to_index(index)].bodies) {
    double* rates = dx_ + body_state::kBodyTangent * (body.index - 1);
    const double* state = x_ + body_state::kBodySize * (body.index - 1);
    std::copy_n(state + 7, 6, rates);
    std::copy_n(a[body.slot()].data(), 6, rates + 6);
    finite = finite && a[body.slot()].allFinite();
  }
  return finite;
}

}  // namespace sarrus::augmented_dca
