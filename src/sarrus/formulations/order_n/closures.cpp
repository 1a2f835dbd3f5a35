#include "sarrus/formulations/order_n/closures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sarrus/articulated/kernels/kernels.h"
#include "sarrus/base/thresholds.h"
#include "sarrus/constraints/kkt.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::order_n {
namespace {

/// The first round finds λ; one more takes out what rounding left of φ̈.
constexpr int kRounds = 2;

/// [order-n-turns-off]  Of 150 random mechanisms that came through singular positions, those that turned off
/// had a strength of less than 4 √gap on the way, and the others, all but four, of more than 9.
constexpr double kTurnsOff = 6;
/// A gap that rounding leaves says nothing: methods that project have one, too.
constexpr double kGapOfRounding = 1e-13;

Vec6 at_slot(const std::vector<Vec6>& of_slots, int slot) {
  return slot < 0 ? Vec6::Zero().eval() : of_slots[to_index(slot)];
}

}  // namespace

Closures::Closures(const Tree& tree, const Topology& topology, int rank, double baumgarte)
    : tree_(tree),
      joints_(topology.cut_joints),
      system_(tree.model(), topology.cut_joints, tree.model().motions()),
      is_cut_(tree.model().joints().size(), 0),
      rank_(rank),
      baumgarte_(baumgarte) {
  for (const JointId joint : joints_) is_cut_[joint.slot()] = 1;
  has_loads_ = acts_on_joints(tree.model(), is_cut_);
}

// Loads through the cut joints, and their rows.
void Closures::evaluate_rows(double t, const TreeMotion& m, std::span<const double> near,
                             Scratch& s) const {
  const Model& model = tree_.model();
  Configuration& c = s.configuration;
  c.poses.assign(model.bodies().size(), {});
  c.velocities.assign(model.bodies().size(), Vec6::Zero());
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    c.poses[tree_.bodies()[i].body.slot()] = m.X_WB[i];
    c.velocities[tree_.bodies()[i].body.slot()] = m.V[i];
  }
  c.coordinates.assign(near.begin(), near.end());
  s.loads.body.assign(model.bodies().size(), Vec6::Zero());
  s.loads.joint.assign(model.joints().size(), Vec6::Zero());
  s.loads.supplied_power = 0;
  if (has_loads_) add_joint_loads(model, t, c, is_cut_, s.loads);

  s.rows.resize(to_index(system_.rows()));
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = model.joint(joints_[i]);
    const Vec6 &V_A = c.velocities[joint.a.slot()], &V_B = c.velocities[joint.b.slot()];
    system_.visit_rows(static_cast<int>(i), t, c,
                       [&](int r, const Row& row, const TimeFunction::Value& f) {
                         s.rows[to_index(r)] = {.a = tree_.slot_of(joint.a),
                                                .b = tree_.slot_of(joint.b),
                                                .J_A = row.J_A,
                                                .J_B = row.J_B,
                                                .phi = row.value - f.value,
                                                .phi_rate = row.rate(V_A, V_B) - f.rate,
                                                .gamma = row.gamma - f.acceleration,
                                                .motion_rate = f.rate};
                       });
  }
}

// The inward half of the recursion for a unit load along each row: a column of Z. Loads walk towards
// ground from both bodies, and as one where their ways meet.  [order-n-closures]
void Closures::spread_rows(const TreeMotion& m, Scratch& s) const {
  s.first_unknown.resize(s.bodies.size());
  s.unknowns = 0;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    s.first_unknown[i] = s.unknowns;
    s.unknowns += static_cast<int>(s.bodies[i].S.cols());
  }
  s.Z.setZero((s.unknowns + 3) / 4 * 4, system_.rows());
  for (std::size_t r = 0; r < s.rows.size(); ++r) {
    const double scale = system_.row_scale()[static_cast<Eigen::Index>(r)];
    int slot = s.rows[r].a, other = s.rows[r].b;
    Vec6 f = scale * s.rows[r].J_A, f_other = scale * s.rows[r].J_B;
    while (slot >= 0 || other >= 0) {
      if (slot < other) {  // the one farther out
        std::swap(slot, other);
        std::swap(f, f_other);
      }
      if (slot == other) {
        f += f_other;
        other = -1;
      }
      const ArticulatedBody& body = s.bodies[to_index(slot)];
      const VecUpTo6 u = body.S.transpose() * f;
      s.Z.col(static_cast<Eigen::Index>(r)).segment(s.first_unknown[to_index(slot)], u.size()) =
          body.D.solve_lower(u);
      const int parent = tree_.bodies()[to_index(slot)].parent;
      if (parent >= 0) f = shift_force(f - body.UD.transpose() * u, -m.r[to_index(slot)]);
      slot = parent;
    }
  }
}

// W = Zᵀ Z = P Rᵀ R Pᵀ on as many rows as are independent.
void Closures::triangularise(Scratch& s) const {
  const int columns = static_cast<int>(s.Z.cols()), stride = static_cast<int>(s.Z.rows());
  s.order.resize(to_index(columns));
  s.reflection.resize(to_index(stride + 2 * columns));
  const int most = std::min({rank_, s.unknowns, columns});
  s.rank = available_kernels().back()->triangularise({s.Z.data(), stride, columns}, most,
                                                     thresholds::kDependent, s.order.data(),
                                                     s.reflection.data());
}

// change = −W⁻¹ missing on those rows, 0 on the others.
void Closures::solve(const VecX& missing, const Scratch& s, VecX& change) const {
  change.setZero(missing.size());
  const auto row = [&](int k) { return s.order[to_index(k)]; };
  const auto R = [&](int k) { return s.Z.col(row(k)); };
  VecX y(s.rank);
  for (int k = 0; k < s.rank; ++k) {
    const double sum = R(k).head(k).dot(y.head(k));
    y[k] = (-system_.row_scale()[row(k)] * missing[row(k)] - sum) / R(k)[k];
  }
  for (int k = s.rank - 1; k >= 0; --k) {
    y[k] /= R(k)[k];
    y.head(k) -= y[k] * R(k).head(k);
  }
  for (int k = 0; k < s.rank; ++k) change[row(k)] = system_.row_scale()[row(k)] * y[k];
}

void Closures::factor(const TreeMotion& m, std::span<const DrivenJoint> drives, Scratch& s) const {
  articulate(tree_, m, drives, s.bodies);
  spread_rows(m, s);
  s.rank = 0;
  s.pivot = 0;
  if (s.Z.size() == 0 || !s.Z.allFinite()) return;
  triangularise(s);
  if (s.rank > 0 && s.rank == rank_)
    s.pivot = std::abs(s.Z(s.rank - 1, s.order[to_index(s.rank - 1)]));
}

void Closures::learn_strength(const TreeMotion& m, std::span<const double> near,
                              std::span<const DrivenJoint> drives, Scratch& s) {
  evaluate_rows(0, m, near, s);
  factor(m, drives, s);
  usual_pivot_ = std::max(usual_pivot_, s.pivot);
}

double Closures::gap(double t, const TreeMotion& m, std::span<const double> near,
                     Scratch& s) const {
  evaluate_rows(t, m, near, s);
  double most = 0;
  for (std::size_t r = 0; r < s.rows.size(); ++r)
    most =
        std::max(most, std::abs(system_.row_scale()[static_cast<Eigen::Index>(r)] * s.rows[r].phi));
  return most / system_.length();
}

// [order-n-turns-off]
Status Closures::judge_gap(double gap, const Scratch& s) const {
  if (gap < kGapOfRounding || s.rank == 0) return {};
  const double strength = usual_pivot_ > 0 ? s.pivot / usual_pivot_ : s.pivot;
  if (strength >= kTurnsOff * std::sqrt(gap)) return {};
  return {
      Status::Code::kSingular,
      fmt::format("near a singular position, where a constraint direction is down to {:.1e} of its "
                  "usual strength, loops that have drifted by {:.1e} of the mechanism's size lead "
                  "from one branch of the motion to another\n  hint: methods that project close "
                  "the loops, as does --set method.baumgarte=10",
                  strength, gap)};
}

double Closures::accelerate(double t, const TreeMotion& m, std::span<const double> near,
                            std::span<const double> tau, std::span<const DrivenJoint> drives,
                            std::vector<Vec6>& external, Scratch& s,
                            std::span<double> v_rate) const {
  evaluate_rows(t, m, near, s);
  for (std::size_t i = 0; i < external.size(); ++i)
    external[i] += s.loads.body[tree_.bodies()[i].body.slot()];
  factor(m, drives, s);
  if (!s.Z.allFinite()) {  // whoever asked will find out why
    std::ranges::fill(v_rate, std::numeric_limits<double>::quiet_NaN());
    return 0;
  }
  const bool can_act = s.Z.size() > 0;  // not where all speeds are prescribed
  s.lambda.setZero(system_.rows());
  s.missing.resize(system_.rows());
  VecX change;
  for (int round = 0; can_act && round < kRounds; ++round) {
    articulated::accelerate(tree_, m, s.bodies, tau, external, v_rate, s.A);
    for (std::size_t r = 0; r < s.rows.size(); ++r) {
      const ClosureRow& row = s.rows[r];
      s.missing[static_cast<Eigen::Index>(r)] =
          row.J_A.dot(at_slot(s.A, row.a)) + row.J_B.dot(at_slot(s.A, row.b)) + row.gamma +
          baumgarte_ * (2 * row.phi_rate + baumgarte_ * row.phi);  // [order-n-baumgarte]
    }
    solve(s.missing, s, change);
    s.lambda += change;
    for (std::size_t r = 0; r < s.rows.size(); ++r) {
      const ClosureRow& row = s.rows[r];
      const double force = change[static_cast<Eigen::Index>(r)];
      if (row.a >= 0) external[to_index(row.a)] += force * row.J_A;
      if (row.b >= 0) external[to_index(row.b)] += force * row.J_B;
    }
  }
  articulated::accelerate(tree_, m, s.bodies, tau, external, v_rate, s.A);

  double power = s.loads.supplied_power;
  for (std::size_t r = 0; r < s.rows.size(); ++r)
    power += s.lambda[static_cast<Eigen::Index>(r)] * s.rows[r].motion_rate;
  return power;
}

void Closures::write_reactions(const Scratch& s, std::vector<Vec6>& reactions) const {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    Vec6 wrench = s.loads.joint[joints_[i].slot()];  // at body b's origin
    for (int r = system_.first_row(static_cast<int>(i));
         r < system_.first_row(static_cast<int>(i) + 1); ++r)
      wrench += s.lambda[r] * s.rows[to_index(r)].J_B;
    const Joint& joint = tree_.model().joint(joints_[i]);
    reactions[joints_[i].slot()] =
        shift_force(wrench, s.configuration.poses[joint.b.slot()].q * joint.X_BM.p);
  }
}

}  // namespace sarrus::order_n
