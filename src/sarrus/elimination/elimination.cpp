#include "sarrus/elimination/elimination.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sarrus/constraints/projector.h"
#include "sarrus/elimination/part_sweep.h"

namespace sarrus {

using mat6::dot6;

Elimination::Elimination(const EliminationPlan& plan, const Executor& executor,
                         const Configuration& assembled, Metric metric)
    : plan_(&plan),
      executor_(&executor),
      cut_(executor, plan.tasks),
      kernel_(&elimination::best_kernel()) {
  const auto rows = to_index(plan.system->rows());
  const auto bodies = plan.system->model().bodies().size();
  J_ = AlignedArray<double>(12 * rows);
  for (std::vector<double>* v : {&phi_, &phi_rate_, &gamma_, &motion_rate_, &lambda_, &correction_})
    v->assign(rows, 0.0);
  I_ = AlignedArray<double>(36 * bodies);
  p_ = AlignedArray<double>(6 * bodies);
  records_ = AlignedArray<double>(sizeof(Record) / sizeof(double) * bodies);
  a_.assign(bodies, Vec6::Zero());
  roots_ = AlignedArray<double>(PartSweep::kRoot * plan.parts.size());
  Lambda_ = AlignedArray<double>(plan.Lambda_size);
  beta_ = AlignedArray<double>(plan.vector_size);
  F_ = AlignedArray<double>(plan.vector_size);
  U_ = AlignedArray<double>(plan.U_size);
  L_ = AlignedArray<double>(plan.L_size);
  y_ = AlignedArray<double>(plan.closing_size);
  pivot_ = AlignedArray<double>(plan.closing_size);
  work_ = AlignedArray<double>(plan.closing_size);
  order_.assign(plan.closing_size, 0);
  rank_.assign(plan.nodes.size(), 0);
  least_.assign(plan.nodes.size(), 1.0);
  bad_.assign(plan.nodes.size(), 0);
  bad_body_.assign(plan.nodes.size(), -1);

  loaded_.assign(bodies, Vec6::Zero());
  measure(metric, assembled);
}

void Elimination::measure(Metric metric, const Configuration& assembled) {
  const ConstraintSystem& system = *plan_->system;
  const Model& model = system.model();
  metric_ = metric;
  added_.clear();
  first_added_.clear();
  if (metric == Metric::kKinetic) add_inertia();

  // A row of a loop is measured by what its two bodies alone would let it do.
  scale_.assign(to_index(system.rows()), 1.0);
  for (const EliminationPlan::Node& node : plan_->nodes)
    if (node.loop)
      for (const elimination::ClosingRow& closing : node.rows) scale_[to_index(closing.row)] = 0;
  for (int j = 0; j < model.joint_count(); ++j) {
    if (system.first_row(j) == system.first_row(j + 1) ||
        scale_[to_index(system.first_row(j))] != 0)
      continue;
    const Joint& joint = model.joint(JointId{j});
    system.visit_rows_at_rest(
        j, 0, assembled, [&](int r, const Row& row, const TimeFunction::Value&) {
          double mobility = 0;
          for (const auto& [body, J] :
               {std::pair{joint.a, &row.J_A}, std::pair{joint.b, &row.J_B}}) {
            if (body == kGround) continue;
            // Only a scale: the rotation takes a sphere's inertia, so that thin bodies do not spoil it.
            const double mass = metric == Metric::kKinetic ? model.body(body).inertia.mass : 1.0;
            const double inertia = metric == Metric::kKinetic
                                       ? model.body(body).inertia.about_origin().trace() / 3
                                       : system.length() * system.length();
            if (inertia > 0) mobility += J->head<3>().squaredNorm() / inertia;
            if (mass > 0) mobility += J->tail<3>().squaredNorm() / mass;
          }
          scale_[to_index(r)] = mobility > 0 ? 1 / std::sqrt(mobility) : 1.0;
        });
  }
}

Mat6 Elimination::mass_of(BodyId body, const Configuration& c) const {
  if (metric_ == Metric::kKinetic)
    return plan_->system->model().body(body).inertia.matrix(c.poses[body.slot()].R());
  Mat6 M = Mat6::Identity();
  M.topLeftCorner<3, 3>() *= plan_->system->length() * plan_->system->length();
  return M;
}

void Elimination::evaluate_joint(int joint, double t, const Configuration& c, Values values,
                                 bool matrices) {
  const ConstraintSystem& system = *plan_->system;
  const Joint& j = system.model().joint(JointId{joint});
  const double* V_A = c.velocities[j.a.slot()].data();
  const double* V_B = c.velocities[j.b.slot()].data();
  const auto keep = [&](int r, const Row& row, const TimeFunction::Value& f) {
    phi_[to_index(r)] = row.value - f.value;
    motion_rate_[to_index(r)] = f.rate;
    if (values != Values::kPositions)
      phi_rate_[to_index(r)] = dot6(row.J_A.data(), V_A) + dot6(row.J_B.data(), V_B) - f.rate;
    if (values == Values::kAll) gamma_[to_index(r)] = row.gamma - f.acceleration;
    if (!matrices) return;
    std::copy_n(row.J_A.data(), 6, &J_[12 * to_index(r)]);
    std::copy_n(row.J_B.data(), 6, &J_[12 * to_index(r) + 6]);
  };
  if (values == Values::kAll)
    system.visit_rows(joint, t, c, keep);
  else
    system.visit_rows_at_rest(joint, t, c, keep);
}

void Elimination::evaluate(double t, const Configuration& c, Values values) {
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i) {
      const EliminationPlan::Node& node = plan_->nodes[to_index(i)];
      if (node.part >= 0) {
        const EliminationPlan::Part& part = plan_->parts[to_index(node.part)];
        for (int s = 0; s < part.step_count; ++s)
          evaluate_joint(plan_->steps[to_index(part.first_step + s)].joint, t, c, values, false);
      }
      for (int joint = -1; const elimination::ClosingRow& row : node.rows)
        if (const int next = plan_->joint_of_row[to_index(row.row)]; next != joint)
          evaluate_joint(joint = next, t, c, values, false);
    }
  });
}

void Elimination::evaluate_rates(const Configuration& c) {
  const Model& model = plan_->system->model();
  for (int r = 0; r < plan_->system->rows(); ++r) {
    const Joint& joint = model.joint(JointId{plan_->joint_of_row[to_index(r)]});
    phi_rate_[to_index(r)] = dot6(J_A(r), c.velocities[joint.a.slot()].data()) +
                             dot6(J_B(r), c.velocities[joint.b.slot()].data()) -
                             motion_rate_[to_index(r)];
  }
}

Status Elimination::factor(double t, const Configuration& c, Values values) {
  solver_sweeps_ = false;
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i) {
      bad_[to_index(i)] = 0;
      if (plan_->nodes[to_index(i)].part >= 0) factor_part(i, t, c, values);
      factor_rows(i, t, c, values);
    }
  });
  return verdict(c);
}

Status Elimination::verdict(const Configuration& c) const {
  for (std::size_t i = 0; i < bad_.size(); ++i) {
    if (!bad_[i]) continue;
    if (bad_body_[i] < 0 || !c.poses[to_index(bad_body_[i])].p.allFinite())
      return {Status::Code::kNotFinite, "the configuration is not finite"};
    return massless_status(plan_->system->model(), BodyId{bad_body_[i]});
  }
  return {};
}

void Elimination::factor_part(int index, double t, const Configuration& c, Values values) {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  const EliminationPlan::Part& part = plan_->parts[to_index(node.part)];
  for (int s = 0; s < part.step_count; ++s)
    evaluate_joint(plan_->steps[to_index(part.first_step + s)].joint, t, c, values, true);
  const int body = PartSweep(*this, node.part).factor(c);
  if (body < 0) return;
  bad_[to_index(index)] = 1;
  bad_body_[to_index(index)] = body;
}

void Elimination::take_least(int index) {
  least_[to_index(index)] = 1;
  for (const int below : plan_->tasks.nodes[to_index(index)].children)
    least_[to_index(index)] = std::min(least_[to_index(index)], least_[to_index(below)]);
}

void Elimination::mark_bad_joint(int index) {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  bad_[to_index(index)] = 1;
  bad_body_[to_index(index)] = -1;
  if (node.part >= 0 || node.loop) return;
  const int joint = plan_->joint_of_row[to_index(node.rows[0].row)];
  bad_body_[to_index(index)] = plan_->system->model().joint(JointId{joint}).b.index;
}

void Elimination::factor_rows(int index, double t, const Configuration& c, Values values) {
  if (bad_[to_index(index)]) return;
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  take_least(index);
  for (int joint = -1; const elimination::ClosingRow& row : node.rows)
    if (const int next = plan_->joint_of_row[to_index(row.row)]; next != joint)
      evaluate_joint(joint = next, t, c, values, true);
  if (node.part < 0 || !node.rows.empty()) factor_closing(index);
}

void Elimination::up(int index) {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  if (node.part >= 0) PartSweep(*this, node.part).up();
  if (node.part < 0 || !node.rows.empty()) close_up(index, g_, false);
}

void Elimination::down(int index) {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  if (!node.core && (node.part < 0 || !node.rows.empty())) close_down(index, false);
  if (node.part >= 0) PartSweep(*this, node.part).down();
}

// The residual of all rows closed at nodes of the core, from the accelerations of the parts'
// boundaries, a = β − Λ F; its norm over the rows that are kept.  [dca-residual]
Elimination::Residual Elimination::loop_residual() {
  double step = 0;
  for (const int index : plan_->core_nodes) {
    const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
    if (node.part < 0) continue;
    const EliminationPlan::Part& part = plan_->parts[to_index(node.part)];
    const EliminationPlan::Slot& slot = plan_->slots[to_index(part.slot)];
    for (int h = 0; h < slot.bodies; ++h) {
      const bool is_root = part.shows_root && h == 0;
      Vec6& a = a_[to_index(is_root ? part.root : part.tip)];
      for (int i = 0; i < 6; ++i) {
        double sum = beta_[slot.vectors + to_index(6 * h + i)];
        const double* row = &Lambda_[slot.Lambda + to_index((6 * h + i) * slot.stride())];
        for (int j = 0; j < slot.bodies; ++j)
          sum -= dot6(row + 8 * j, &F_[slot.vectors + to_index(6 * j)]);
        step += (a[i] - sum) * (a[i] - sum);
        a[i] = sum;
      }
    }
  }
  double square = 0, terms = 0;
  const Model& model = plan_->system->model();
  for (const int index : plan_->core_nodes) {
    const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
    const auto rank = to_index(rank_[to_index(index)]);
    for (std::size_t k = 0; k < node.rows.size(); ++k) {
      const std::size_t ordered = to_index(order_[node.vectors + k]);
      const int r = node.rows[ordered].row;
      const Joint& joint = model.joint(JointId{plan_->joint_of_row[to_index(r)]});
      const double of_a = joint.a != kGround ? dot6(J_A(r), a_[joint.a.slot()].data()) : 0.0;
      const double of_b = joint.b != kGround ? dot6(J_B(r), a_[joint.b.slot()].data()) : 0.0;
      const double value = g_[r] + of_a + of_b;
      correction_[to_index(r)] = value;
      if (k >= rank) continue;
      square += value * value;
      terms += g_[r] * g_[r] + of_a * of_a + of_b * of_b;
    }
  }
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  return {std::sqrt(square), std::sqrt(step), kRounding * std::sqrt(terms)};
}

Status Elimination::solve(std::span<const Vec6> f, std::span<const double> g, const Stop& stop) {
  f_ = f;
  g_ = g.data();
  iterations = 0;
  if (added_.empty()) {
    pass(stop);
    return {};
  }
  const Status status = take_out_added(f, stop);
  f_ = f;
  return status;
}

void Elimination::pass(const Stop& stop) {
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i) up(i);
  });
  iterate(stop);
  executor_->down(cut_, [&](int first, int last) {
    for (int i = last; i >= first; --i) down(i);
  });
}

Status Elimination::factor_and_solve(double t, Configuration& c, PartSolver& parts,
                                     const Stop& stop) {
  SARRUS_ASSERT(added_.empty());
  solver_sweeps_ = true;
  f_ = loaded_;
  g_ = gamma_.data();
  iterations = 0;
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i) up_with(parts, i, t, c);
  });
  if (Status status = verdict(c); !status.ok()) return status;
  iterate(stop);
  parts.between_sweeps(pieces());
  executor_->down(cut_, [&](int first, int last) {
    for (int i = last; i >= first; --i) down_with(parts, i);
  });
  if (std::find(bad_.begin(), bad_.end(), 1) == bad_.end()) return {};
  return {Status::Code::kNotFinite, "the accelerations are not finite"};
}

void Elimination::up_with(PartSolver& parts, int index, double t, Configuration& c) {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  bad_[to_index(index)] = 0;
  if (parts.takes_join(index)) {
    take_least(index);
    rank_[to_index(index)] = static_cast<int>(node.rows.size());
    if (!parts.join(index, pieces())) mark_bad_joint(index);
    return;
  }
  if (node.part >= 0 && parts.takes(node.part)) {
    if (!parts.up(node.part, pieces(), c)) {
      parts.prepare(node.part, c, loaded_);
      factor_part(index, t, c, Values::kAll);  // finds out which body it is
      if (!bad_[to_index(index)])
        bad_body_[to_index(index)] = plan_->parts[to_index(node.part)].root;
      bad_[to_index(index)] = 1;
    }
  } else if (node.part >= 0) {
    parts.prepare(node.part, c, loaded_);
    factor_part(index, t, c, Values::kAll);
    PartSweep(*this, node.part).up();
  }
  for (int joint = -1; const elimination::ClosingRow& row : node.rows)
    if (const int next = plan_->joint_of_row[to_index(row.row)]; next != joint)
      parts.read_coordinates(joint = next, c);
  factor_rows(index, t, c, Values::kAll);
  if (node.part < 0 || !node.rows.empty()) close_up(index, g_, false);
}

void Elimination::down_with(PartSolver& parts, int index) {
  if (parts.takes_join(index)) return parts.split(index, pieces());
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  if (!node.core && (node.part < 0 || !node.rows.empty())) close_down(index, false);
  if (node.part < 0) return;
  bool finite = true;
  if (parts.takes(node.part)) {
    finite = parts.down(node.part, pieces());
  } else {
    PartSweep(*this, node.part).down();
    finite = parts.receive(node.part, a_);
  }
  bad_[to_index(index)] = !finite;
}

// The iteration over loops lives on the boundaries of the parts alone.
void Elimination::iterate(const Stop& stop) {
  ++iterations;
  if (!plan_->iterates) return;
  const auto close_all_down = [&](bool correcting) {
    for (std::size_t i = plan_->core_nodes.size(); i-- > 0;) {
      const EliminationPlan::Node& node = plan_->nodes[to_index(plan_->core_nodes[i])];
      if (node.part < 0 || !node.rows.empty()) close_down(plan_->core_nodes[i], correcting);
    }
  };
  close_all_down(false);
  double before = std::numeric_limits<double>::infinity();
  for (int i = 1; i < stop.most; ++i) {
    const Residual now = loop_residual();
    if (!(now.norm > stop.residual) || !now.means_something()) break;
    if (i > 1 && ((stop.stagnation && now.norm > 0.3 * before) || now.step <= stop.step)) break;
    before = now.norm;
    ++iterations;
    for (const int index : plan_->core_nodes) {
      const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
      if (node.part < 0 || !node.rows.empty()) close_up(index, correction_.data(), true);
    }
    close_all_down(true);
  }
}

void Elimination::find_multipliers(const Configuration& c) {
  for (std::size_t i = 0; i < plan_->nodes.size(); ++i)
    if (plan_->nodes[i].part >= 0) PartSweep(*this, plan_->nodes[i].part).multipliers(c);
}

int Elimination::rank() const {
  int rank = plan_->system->rows();
  for (std::size_t i = 0; i < plan_->nodes.size(); ++i)
    rank += rank_[i] - static_cast<int>(plan_->nodes[i].rows.size());
  return rank;
}

double Elimination::smallest_pivot() const {
  double least = 1;
  for (std::size_t i = 0; i < plan_->nodes.size(); ++i) {
    const EliminationPlan::Node& node = plan_->nodes[i];
    if (node.loop && rank_[i] > 0)
      least = std::min(least, pivot_[node.vectors + to_index(rank_[i]) - 1]);
  }
  return least;
}

}  // namespace sarrus
