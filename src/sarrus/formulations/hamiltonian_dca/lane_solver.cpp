#include "sarrus/formulations/hamiltonian_dca/lane_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/formulations/body_state.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::hamiltonian {

namespace {

template <class To>
void put_vector(const Vec3& from, To* to) {
  std::copy_n(from.data(), 3, to);
}

/// A wrench into a lane.
void add_wrench(const Vec3& ang, const Vec3& lin, int lane, double (*to)[kLanes]) {
  for (int k = 0; k < 3; ++k) {
    to[k][lane] += ang[k];
    to[3 + k][lane] += lin[k];
  }
}

}  // namespace

LaneSolver::LaneSolver(const PartLanes& lanes, const augmented_dca::FastParts& parts,
                       const EliminationPlan& plan, const AssemblyTree& tree, int body_count)
    : FastJoins(parts, plan, tree),
      lanes_(&lanes),
      data_(to_index(lanes.block_count())),
      swept_(to_index(parts.count())),
      handed_(to_index(lanes.handed_count())),
      totals_(plan.parts.size()),
      base_(plan.parts.size(), Quat::Identity()),
      base_place_(plan.parts.size(), Vec3::Zero()),
      moment_(plan.parts.size(), Vec3::Zero()),
      momenta_(plan.parts.size()),
      absorbed_points_(to_index(parts.absorbed_count()), Vec3::Zero()),
      at_rest_(to_index(body_state::kBodySize * body_count), 0.0) {}

template <class Function>
void LaneSolver::for_each_part(const Executor& executor, const Elimination& elimination,
                               Function function) {
  executor.up(elimination.cut(), [&](int first, int last) {
    for (int i = first; i <= last; ++i)
      if (const int part = plan_->nodes[to_index(i)].part; part >= 0) function(part);
  });
}

const PartLanes::Frame& LaneSolver::frame_of(int part, int place) const {
  return lanes_->frame(parts_->first(part) + place);
}

Vec3 LaneSolver::field_of(int part, int place, std::size_t offset) const {
  const PartLanes::Part& at = lanes_->part(part);
  const double* numbers = reinterpret_cast<const double*>(&data_[to_index(at.first_block)]) +
                          at.system.lane_of[place] + offset / sizeof(double);
  return {numbers[0], numbers[kLanes], numbers[2 * kLanes]};
}

Quat LaneSolver::turn_of(int part, int place) const {
  const PartLanes::Part& at = lanes_->part(part);
  const double* numbers =
      reinterpret_cast<const double*>(&data_[to_index(at.first_block)]) + at.system.lane_of[place];
  return {numbers[0], numbers[kLanes], numbers[2 * kLanes], numbers[3 * kLanes]};
}

// From the origin, world axes.
Vec3 LaneSolver::point_of(int part, int place) const {
  return turn_of(part, place) * frame_of(part, place).point;
}

Transform LaneSolver::pose_of(int part, int place) const {
  const Vec3 point = base_place_[to_index(part)] + field_of(part, place, offsetof(LaneData, place));
  return {(turn_of(part, place) * frame_of(part, place).q_CB).normalized(),
          point - point_of(part, place)};
}

Status LaneSolver::solve(double t, const Inputs& inputs, const Executor& executor,
                         Elimination& elimination, Configuration& c) {
  inputs_ = inputs;
  begin_at(at_rest_.data(), inputs.coordinates, nullptr);
  for_each_part(executor, elimination, [&](int part) {
    const PartLanes::Part& at = lanes_->part(part);
    lanes_->kernel().turn(at.system, inputs_.q, data(at));
  });
  find_bases();
  if (inputs.configuration) {
    for_each_part(executor, elimination, [&](int part) { place(part, true); });
    place_bases();
  }
  if (Status status = elimination.factor_and_solve(t, c, *this, {}); !status.ok()) return status;
  find_root_speeds();
  return {};
}

void LaneSolver::find_bases() {
  for (const int i : lanes_->order()) {
    const PartLanes::Part& part = lanes_->part(i);
    if (part.parent < 0) continue;
    base_[to_index(i)] =
        (base_[to_index(part.parent)] * turn_of(part.parent, part.parent_place)).normalized();
  }
}

void LaneSolver::place_bases() {
  for (const int i : lanes_->order()) {
    const PartLanes::Part& part = lanes_->part(i);
    if (part.parent < 0) continue;
    base_place_[to_index(i)] = base_place_[to_index(part.parent)] +
                               field_of(part.parent, part.point_place, offsetof(LaneData, place));
  }
}

void LaneSolver::place(int index, bool places) {
  const PartLanes::Part& part = lanes_->part(index);
  const Quat& q = base_[to_index(index)];
  const double base[4] = {q.w(), q.x(), q.y(), q.z()};
  lanes_->kernel().place(part.system, base, places, data(part), moment_[to_index(index)].data());
}

void LaneSolver::write_state(int part, int place) {
  double* state =
      &at_rest_[to_index(body_state::kBodySize * parts_->system(part).bodies[place].body)];
  const Quat q = turn_of(part, place) * frame_of(part, place).q_CB;
  state[0] = q.w();
  put_vector(q.vec(), state + 1);
  if (inputs_.configuration) put_vector(pose_of(part, place).p, state + 4);
}

// [hamilton-impulses]
PartMomenta LaneSolver::momenta_of(int index) {
  const elimination::PartSystem& system = parts_->system(index);
  const PartLanes::Part& part = lanes_->part(index);
  const int root = system.count - 1;
  PartMomenta momenta = {};
  momenta.p = inputs_.p;
  momenta.scale = inputs_.scale;
  momenta.joint_inertia = inputs_.joint_inertia;
  Vec3 at_root = Vec3::Zero(), at_tip = Vec3::Zero();
  const auto momentum = [&](int joint) { return inputs_.scale[joint] * inputs_.p[joint]; };
  for (const PartLanes::Child& child : lanes_->children(part)) {
    if (child.hangs_whole) continue;
    const Vec3 couple = momentum(child.joint) * (turn_of(index, child.place) * child.axis);
    (child.place == system.tip ? at_tip : at_root) += couple;
  }
  if (!system.grounded) {
    put_vector(point_of(index, root), momenta.root_point);
    if (!part.hangs_whole)
      at_root -=
          momentum(part.system.joint_of[root]) * field_of(index, root, offsetof(LaneData, axis));
  }
  if (system.tip >= 0) put_vector(point_of(index, system.tip), momenta.tip_point);
  put_vector(at_root, momenta.root_couple);
  put_vector(at_tip, momenta.tip_couple);
  Vec3* points = absorbed_points_.data() + parts_->first_absorbed(index);
  for (int k = 0; k < system.absorbed_count; ++k) points[k] = point_of(index, k);
  momenta.absorbed_points = system.absorbed_count > 0 ? points->data() : nullptr;
  return momenta;
}

bool LaneSolver::up(int index, const Pieces& pieces, Configuration& c) {
  const elimination::PartSystem& system = parts_->system(index);
  const PartLanes::Part& part = lanes_->part(index);
  // Of the thread: a part at a time.
  thread_local std::vector<int> gathers;
  thread_local std::vector<PartStored> stored;
  gathers.assign(to_index(system.count), 0);
  if (stored.size() < to_index(system.count)) stored.resize(to_index(system.count));
  if (!inputs_.configuration) place(index, false);
  if (system.shows_root) write_state(index, system.count - 1);
  if (system.tip >= 0) write_state(index, system.tip);
  const elimination::PartShown shown = show(index, pieces, c);
  momenta_[to_index(index)] = momenta_of(index);
  return lanes_->kernel().inward(system, part.system, data(part), momenta_[to_index(index)], pieces,
                                 &swept_[to_index(parts_->first(index))],
                                 absorbed_.data() + parts_->first_absorbed(index), gathers.data(),
                                 stored.data(), &roots_[to_index(index)], &shown);
}

// What weight turns a part with, and all that hangs on it.
void LaneSolver::between_sweeps(const Pieces& pieces) {
  pieces_ = pieces;
  if (!inputs_.p_rate) return;
  const std::vector<int>& order = lanes_->order();
  for (std::size_t i = order.size(); i-- > 0;)
    if (const int parent = lanes_->part(order[i]).parent; parent >= 0)
      moment_[to_index(parent)] += moment_[to_index(order[i])];
}

bool LaneSolver::down(int index, const Pieces& pieces) {
  const elimination::PartSystem& system = parts_->system(index);
  const PartLanes::Part& part = lanes_->part(index);
  const EliminationPlan::Slot& slot = plan_->slots[to_index(plan_->parts[to_index(index)].slot)];
  const double sum = lanes_->kernel().outward(
      system, part.system, data(part), momenta_[to_index(index)], pieces,
      &swept_[to_index(parts_->first(index))], absorbed_.data() + parts_->first_absorbed(index),
      &roots_[to_index(index)], pieces.F + slot.vectors, inputs_.u);
  if (inputs_.p_rate) find_weight_rates(index, inputs_.p_rate);
  if (inputs_.configuration)
    for (int k = system.absorbed_count; k < system.count; ++k) {
      const std::size_t body = to_index(system.bodies[k].body + 1);
      const Vec3 w = field_of(index, k, offsetof(LaneData, V));
      const Vec3 v = field_of(index, k, offsetof(LaneData, V) + 3 * sizeof(double[kLanes]));
      inputs_.configuration->poses[body] = pose_of(index, k);
      inputs_.configuration->velocities[body] = spatial(w, v - w.cross(point_of(index, k)));
    }
  return sum == 0;
}

void LaneSolver::clear_handed(int index) {
  const PartLanes::Part& part = lanes_->part(index);
  totals_[to_index(index)] = {};
  for (int k = part.handed_begin; k < part.handed_end; ++k) handed_[to_index(k)] = {};
}

// Momenta of all that hangs on a part are the impulses that it passes on.  [hamilton-parts]
void LaneSolver::hand_over(int index) {
  const elimination::PartSystem& system = parts_->system(index);
  const PartLanes::Part& part = lanes_->part(index);
  clear_handed(index);
  const PartMomenta& momenta = momenta_[to_index(index)];
  bool has_tip = false;
  for (const PartLanes::Child& child : lanes_->children(part)) {
    Handed& to = handed_[to_index(child.handed)];
    for (int k = 0; k < 3; ++k) to.moment[k][child.lane] += moment_[to_index(child.part)][k];
    if (!child.hangs_whole && std::exchange(has_tip, true)) continue;
    // −F acts on what hangs whole, and on the tip, which active impulses of joints pull as well.
    const EliminationPlan::Slot& slot = plan_->slots[to_index(plan_->parts[to_index(index)].slot)];
    const long at = child.hangs_whole
                        ? system.absorbed[child.place].vectors
                        : static_cast<long>(slot.vectors) + (system.shows_root ? 6 : 0);
    const double sign = child.hangs_whole ? -1 : 1;
    const Eigen::Map<const Vec3> s(child.hangs_whole ? momenta.absorbed_points + 3 * child.place
                                                     : momenta.tip_point);
    const Vec3 lin = sign * Eigen::Map<const Vec3>(pieces_.F + at + 3);
    Vec3 ang = sign * Eigen::Map<const Vec3>(pieces_.F + at) - s.cross(lin);
    if (!child.hangs_whole) ang += Eigen::Map<const Vec3>(momenta.tip_couple);
    add_wrench(ang, lin, child.lane, to.momentum);
  }
}

void LaneSolver::find_weight_rates(int index, double* p_rate) {
  const PartLanes::Part& part = lanes_->part(index);
  hand_over(index);
  const RatesInputs in = {inputs_.gravity, true, inputs_.inverse_scale, p_rate};
  lanes_->kernel().rates(part.system, data(part), in, handed_.data(), &totals_[to_index(index)]);
}

void LaneSolver::find_weight_rates(const Executor& executor, const Elimination& elimination,
                                   double* p_rate) {
  for_each_part(executor, elimination, [&](int part) { find_weight_rates(part, p_rate); });
}

// Of the joints by which parts hang on others.
void LaneSolver::find_root_speeds() {
  for (const int i : lanes_->order()) {
    const PartLanes::Part& part = lanes_->part(i);
    if (part.parent < 0 || part.hangs_whole) continue;
    const int root = parts_->system(i).count - 1;
    const Vec3 relative = field_of(i, root, offsetof(LaneData, V)) -
                          field_of(part.parent, part.parent_place, offsetof(LaneData, V));
    inputs_.u[part.system.joint_of[root]] =
        field_of(i, root, offsetof(LaneData, axis)).dot(relative);
  }
}

void LaneSolver::find_rates(std::span<const Vec6> loads, std::span<const Vec6> carried,
                            double* p_rate) {
  sum_up(loads, carried, p_rate);
}

void LaneSolver::sum_along_joints(std::span<const Vec6> carried, double* p) {
  sum_up({}, carried, p);
}

// Without loads only what is carried.
void LaneSolver::sum_up(std::span<const Vec6> loads, std::span<const Vec6> carried, double* p) {
  const std::vector<int>& order = lanes_->order();
  const bool is_motion = !loads.empty();
  const RatesInputs in = {nullptr, is_motion, inputs_.inverse_scale, p};
  for (std::size_t i = order.size(); i-- > 0;) {
    const int index = order[i];
    const PartLanes::Part& part = lanes_->part(index);
    const elimination::PartSystem& system = parts_->system(index);
    clear_handed(index);
    for (int k = system.absorbed_count; is_motion && k < system.count; ++k) {
      double* to = reinterpret_cast<double*>(data(part)) + part.system.lane_of[k] +
                   offsetof(LaneData, load) / sizeof(double);
      const Vec6 load = shift_force(loads[to_index(system.bodies[k].body + 1)], point_of(index, k));
      for (int n = 0; n < 6; ++n) to[kLanes * n] = load[n];
    }
    for (const PartLanes::Child& child : lanes_->children(part)) {
      const Handed& from = totals_[to_index(child.part)];
      Handed& to = handed_[to_index(child.handed)];
      for (int n = 0; n < 6; ++n) {
        to.momentum[n][child.lane] += from.momentum[n][0];
        to.load[n][child.lane] += from.load[n][0];
      }
    }
    for (const PartLanes::Carrier& carrier : lanes_->carriers(part)) {
      const Vec6 impulse =
          shift_force(carried[carrier.body.slot()], point_of(index, carrier.place));
      Handed& to = handed_[to_index(carrier.handed)];
      add_wrench(impulse.head<3>(), impulse.tail<3>(), carrier.lane,
                 is_motion ? to.momentum : to.load);
    }
    lanes_->kernel().rates(part.system, data(part), in, handed_.data(), &totals_[to_index(index)]);
  }
}

void LaneSolver::prepare(int part, Configuration& c, std::span<Vec6> f) {
  for (int k = parts_->system(part).absorbed_count; k < parts_->system(part).count; ++k)
    write_state(part, k);
  FastJoins::prepare(part, c, f);
}

bool LaneSolver::receive(int /*part*/, std::span<const Vec6> /*a*/) { return false; }

}  // namespace sarrus::hamiltonian
