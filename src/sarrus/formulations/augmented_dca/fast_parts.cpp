#include "sarrus/formulations/augmented_dca/fast_parts.h"

#include <algorithm>

#include "sarrus/formulations/body_state.h"
#include "sarrus/topology/elimination/small.h"

namespace sarrus::augmented_dca {

using small::ix;

namespace {

bool is_plain(const EliminationPlan& plan, const EliminationPlan::Step& step) {
  const Joint& joint = plan.system->model().joint(JointId{step.joint});
  return step.raked < 0 && joint.type() == JointType::kRevolute &&
         step.rows == joint.constraint_count();
}

void put(const Vec3& from, double* to) { Eigen::Map<Vec3>{to} = from; }

PartBody part_body(const EliminationPlan& plan, int body) {
  const Inertia& inertia = plan.system->model().bodies()[ix(body)].inertia;
  PartBody result = {};
  result.body = body - 1;
  result.parent = -1;
  result.mass = inertia.mass;
  put(inertia.center, result.center);
  const Mat3& J = inertia.central;
  const double moments[6] = {J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2)};
  std::copy_n(moments, 6, result.inertia);
  return result;
}

}  // namespace

FastParts::FastParts(const EliminationPlan& plan, const AssemblyTree& tree)
    : kernel_(&elimination::best_kernel()) {
  systems_.assign(plan.parts.size(), {});
  first_.assign(plan.parts.size(), 0);
  std::vector<int> place(plan.system->model().bodies().size(), -1);
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const EliminationPlan::Part& part = plan.parts[i];
    const auto steps = std::span(plan.steps).subspan(ix(part.first_step), ix(part.step_count));
    if (!std::all_of(steps.begin(), steps.end(),
                     [&](const EliminationPlan::Step& s) { return is_plain(plan, s); }))
      continue;
    first_[i] = static_cast<int>(bodies_.size());
    const std::vector<BodyId>& bodies = tree.parts[i].bodies;
    for (std::size_t k = 0; k < bodies.size(); ++k) place[bodies[k].slot()] = static_cast<int>(k);
    for (const BodyId body : bodies) bodies_.push_back(part_body(plan, body.index));
    for (const EliminationPlan::Step& step : steps) {
      PartBody& body = bodies_[ix(first_[i] + place[ix(step.body)])];
      const Joint& joint = plan.system->model().joint(JointId{step.joint});
      const Transform& own = step.body_is_b ? joint.X_BM : joint.X_AF;
      const Transform& other = step.body_is_b ? joint.X_AF : joint.X_BM;
      body.parent = step.parent > 0 ? place[ix(step.parent)] : -1;
      put(own.R().col(2), body.axis);
      put(own.p, body.s);
      put(other.p, body.s_parent);
    }
    systems_[i] = {nullptr, static_cast<int>(bodies.size()),
                   part.tip >= 0 ? place[ix(part.tip)] : -1, part.grounded, part.shows_root};
  }
  for (std::size_t i = 0; i < systems_.size(); ++i) systems_[i].bodies = bodies_.data() + first_[i];
}

FastPartSolver::FastPartSolver(const FastParts& parts, const EliminationPlan& plan,
                               const AssemblyTree& tree)
    : parts_(&parts),
      plan_(&plan),
      tree_(&tree),
      records_(ix(parts.count())),
      roots_(plan.parts.size()) {}

void FastPartSolver::begin(const double* x, const double* coordinates, const Vec6* loads,
                           double* dx) {
  x_ = x;
  coordinates_ = coordinates;
  loads_ = loads;
  dx_ = dx;
}

void FastPartSolver::read_body(int body, Configuration& c) const {
  const double* state = x_ + body_state::kBodySize * (body - 1);
  c.poses[ix(body)] = {Quat(state[0], state[1], state[2], state[3]).normalized(),
                       Eigen::Map<const Vec3>(state + 4)};
  c.velocities[ix(body)] = Eigen::Map<const Vec6>(state + 7);
}

bool FastPartSolver::up(int index, double* Lambda, double* beta, Configuration& c) {
  const PartSystem& system = parts_->system(index);
  const EliminationPlan::Part& part = plan_->parts[ix(index)];
  // Of the thread: a part at a time.
  thread_local std::vector<elimination::PartScratch> scratch;
  thread_local std::vector<elimination::PartGiven> given;
  if (scratch.size() < ix(system.count)) {
    scratch.resize(ix(system.count));
    given.resize(ix(system.count));
  }
  if (part.shows_root) read_body(part.root, c);
  if (part.tip >= 0) read_body(part.tip, c);
  const elimination::PartShown shown = {Lambda, plan_->slots[ix(part.slot)].stride(), beta};
  const double none[3] = {};
  return parts_->kernel().inward(
      system, x_, loads_ ? none : plan_->system->model().gravity().data(),
      loads_ ? loads_[1].data() : nullptr, records_.data() + parts_->first(index), scratch.data(),
      given.data(), &roots_[ix(index)], &shown);
}

bool FastPartSolver::down(int index, const double* F) {
  const EliminationPlan::Part& part = plan_->parts[ix(index)];
  const double* F_tip = F + (part.shows_root ? 6 : 0);
  double a[6] = {};
  if (!part.grounded) {  // a = −F (Fᵀ F₁ + G [F₂; 1])
    const PartRoot& root = roots_[ix(index)];
    double z[6];
    for (int k = 0; k < 6; ++k) {
      z[k] = root.G[8 * k + 6];
      if (part.tip >= 0)
        for (int j = 0; j < 6; ++j) z[k] += root.G[8 * k + j] * F_tip[j];
      if (part.shows_root)
        for (int i = 0; i <= k; ++i) z[k] += root.F[8 * i + k] * F[i];
    }
    for (int i = 0; i < 6; ++i)
      for (int k = i; k < 6; ++k) a[i] -= root.F[8 * i + k] * z[k];
  }
  return parts_->kernel().outward(parts_->system(index), x_, records_.data() + parts_->first(index),
                                  a, F_tip, dx_) == 0;
}

void FastPartSolver::read_coordinates(int joint, Configuration& c) {
  const Joint& of = plan_->system->model().joint(JointId{joint});
  std::copy_n(coordinates_ + of.first_freedom, of.nv(), c.coordinates.begin() + of.first_freedom);
}

void FastPartSolver::prepare(int index, Configuration& c, std::span<Vec6> f) {
  const Model& model = plan_->system->model();
  const EliminationPlan::Part& part = plan_->parts[ix(index)];
  for (int s = 0; s < part.step_count; ++s)
    read_coordinates(plan_->steps[ix(part.first_step + s)].joint, c);
  for (const BodyId body : tree_->parts[ix(index)].bodies) {
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
  for (const BodyId body : tree_->parts[ix(index)].bodies) {
    double* rates = dx_ + body_state::kBodyTangent * (body.index - 1);
    const double* state = x_ + body_state::kBodySize * (body.index - 1);
    std::copy_n(state + 7, 6, rates);
    std::copy_n(a[body.slot()].data(), 6, rates + 6);
    finite = finite && a[body.slot()].allFinite();
  }
  return finite;
}

}  // namespace sarrus::augmented_dca
