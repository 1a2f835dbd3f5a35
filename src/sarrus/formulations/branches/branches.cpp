#include "sarrus/formulations/branches/branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/formulations/branches/general_joint.h"
#include "sarrus/formulations/branches/kernels/kernels.h"
#include "sarrus/formulations/branches/partition.h"
#include "sarrus/formulations/branches/scratch.h"
#include "sarrus/model/body_loads.h"
#include "sarrus/model/loads.h"

namespace sarrus {

using branches::BodyConstants;
using branches::BranchConstants;
using branches::Connection;
using branches::ConnectionRows;
using branches::Frame;
using branches::Fronts;
using branches::GeneralJoint;
using branches::Handle;
using branches::Plan;
using tree::DrivenJoint;
using tree::TreeBody;

namespace {

Frame ground_frame() {
  return {branches::turn(Mat3::Identity()), branches::three(Vec3::Zero()),
          branches::six(Vec6::Zero())};
}

/// Zero if all are finite, else NaN. Odd and even ones apart: a sum waits for its last addition.
double not_finite(const double* x, int count) {
  double even = 0, odd = 0;
  int k = 0;
  for (; k + 1 < count; k += 2) {
    even += 0 * x[k];
    odd += 0 * x[k + 1];
  }
  return k < count ? (even + odd) + 0 * x[k] : even + odd;
}

/// Bundles of a few branches, three for each thread: more would only be more to hand over.
double grain_for(const BranchesOptions& options, int bodies) {
  if (options.grain != Executor::kGrain) return options.grain;
  constexpr double kBodyTime = 300;  // [ns], about
  return std::max(options.grain, kBodyTime * bodies / (3 * options.threads));
}

/// How many rows of the connections are independent: a connection of the tree adds all of its own.
int rank_of_connections(const Plan& plan, const Mobility::Figures& generic) {
  const tree::Tree& tree = plan.tree();
  std::vector<char> connects(tree.model().joints().size(), 0);
  for (const Connection& connection : plan.connections()) connects[connection.joint.slot()] = 1;
  int rank = generic.rank;
  for (const TreeBody& body : tree.bodies())
    if (body.joint.valid() && !connects[body.joint.slot()])
      rank -= tree.model().joint(body.joint).constraint_count();
  for (const PrescribedMotion& motion : tree.model().motions())
    if (tree.slot_of(motion.at.joint) >= 0 && !connects[motion.at.joint.slot()]) --rank;
  return rank;
}

}  // namespace

Branches::~Branches() = default;

Branches::Branches(RankStudy& study, const BranchesOptions& options)
    : model_(study.model()),
      tree_(study.model(), study.topology()),
      state_(tree_),
      joint_loads_(tree_),
      drives_(tree_, model_.motions()),
      baumgarte_(options.baumgarte),
      projection_(options.projection),
      has_mass_matrix_(options.mass_matrix),
      kernel_(branches::best_kernel()),
      executor_(options.threads, grain_for(options, model_.body_count())) {
  has_loops_ = !study.topology().is_tree();
  std::vector<char> is_cut(tree_.bodies().size(), 0);
  if (!options.cuts.empty())
    is_cut = branches::cut_at(tree_, options.cuts);
  else if (!has_mass_matrix_)
    is_cut = branches::cut_evenly(tree_, options.branches);
  plan_ = std::make_unique<Plan>(tree_, drives_, study.topology().cut_joints, is_cut);
  fronts_ = std::make_unique<Fronts>(*plan_, options.connections);
  is_connection_.assign(model_.joints().size(), 0);
  for (const Connection& connection : plan_->connections())
    is_connection_[connection.joint.slot()] = 1;
  bool through_connections = false;
  for (const char is : is_connection_) through_connections = through_connections || is;
  has_loads_ =
      acts_on_bodies(model_) || (through_connections && acts_on_joints(model_, is_connection_));
  if (has_loops_)
    not_unique_ = model_.mode_count() > 0 ? NonuniqueReactions(study.mobility().nonunique_reactions)
                                          : study.nonunique_reactions();
  measure_rows(study.assembled());
  if (has_loops_) learn_ranks(rank_of_connections(*plan_, study.generic()), study.poses());
  if (projection_ != Projection::kAuto) return;
  if (!has_loops_ || baumgarte_ > 0)
    projection_ = Projection::kOff;
  else
    projection_ = study.generic().redundant > 0 && rows_disagree(study.poses().back())
                      ? Projection::kStage
                      : Projection::kStep;
}

// Coordinates and speeds with what is prescribed at t, and the forces along the joints.
void Branches::give(double t, std::span<const double> x, const Discrete& discrete,
                    ScratchSpace& s) const {
  const auto nq = to_index(tree_.nq()), nv = to_index(tree_.nv()),
             modes = to_index(model_.mode_count());
  std::span<const double> q = x.first(nq), v = x.subspan(nq, nv);
  if (!drives_.empty()) {
    s.q.assign(q.begin(), q.end());
    s.v.assign(v.begin(), v.end());
    drives_.apply(t, s.q, s.v, discrete.coordinates, s.drives);
    q = s.q;
    v = s.v;
  }
  s.use_own_rates();
  s.in.q = q.data();
  s.in.v = v.data();
  s.in.eta = x.data() + nq + nv;
  s.in.eta_rate = x.data() + nq + nv + modes;
  s.in.tau = s.tau_free.data();
  s.power = 0;
  if (has_loads_) {
    s.moved.assign(x.begin(), x.end());
    std::copy(q.begin(), q.end(), s.moved.begin());
    std::copy(v.begin(), v.end(), s.moved.begin() + tree_.nq());
    s.configuration.coordinates = discrete.coordinates;
    state_.decode(s.moved, s.configuration);
  }
  if (joint_loads_.empty()) return;
  std::fill(s.tau.begin(), s.tau.end(), 0.0);
  s.power = joint_loads_.add(t, q, v, discrete.coordinates, s.tau);
  for (int i = 0; i < plan_->body_count(); ++i) {
    const BodyConstants& body = plan_->body(i);
    if (body.is_free) continue;
    const auto [first, count, drive] = plan_->speeds(i);
    const double* all = s.tau.data() + first;
    double* free = s.tau_free.data() + body.freedom;
    if (drive < 0)
      for (int k = 0; k < count; ++k) free[k] = all[k];
    else
      Eigen::Map<VecX>(free, body.freedoms).noalias() =
          s.drives[to_index(drive)].N.transpose() * Eigen::Map<const VecX>(all, count);
  }
}

void Branches::prepare_branch(int b, ScratchSpace& s) const {
  const BranchConstants& branch = plan_->constants(b);
  branches::Scratch& scratch = s.memory.scratch;
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = plan_->body(i);
    if (body.general < 0) continue;
    const int slot = plan_->slot(i);
    const int drive = drives_.drive_of()[to_index(slot)];
    branches::describe(tree_, tree_.bodies()[to_index(slot)],
                       drive < 0 || body.is_free ? nullptr : &s.drives[to_index(drive)], s.in.q,
                       s.in.v, scratch.general[body.general]);
  }
  kernel_.prepare(plan_->system(), branch, s.in, scratch);
  // For those who go on: what carries the connections, and the root on what carries it.
  const auto show = [&](const Handle& handle, Frame& to) {
    if (handle.branch != b) return;
    const Frame& body =
        branch.is_free ? scratch.relative[handle.body] : scratch.bodies[handle.body].frame;
    if (handle.attachment < 0)
      to = body;
    else
      kernel_.attachment_frame(plan_->system(), handle.attachment, body, scratch, to);
  };
  for (const int c : plan_->branches()[to_index(b)].connections) {
    show(plan_->connections()[to_index(c)].a, s.relative_handles[to_index(2 * c)]);
    show(plan_->connections()[to_index(c)].b, s.relative_handles[to_index(2 * c + 1)]);
  }
  if (branch.is_free)
    kernel_.carry(plan_->system(), branch.first, ground_frame(), s.in, scratch,
                  s.relative_roots[to_index(b)]);
}

void Branches::prepare(ScratchSpace& s) const {
  executor_.up(s.tree, [&](int first, int last) {
    for (int n = first; n <= last; ++n)
      if (const int b = fronts_->branch_of(n); b >= 0) prepare_branch(b, s);
  });
}

// Roots of branches, one after the other.  [branches-roots]
void Branches::place_roots(ScratchSpace& s) const {
  Frame below;
  for (std::size_t b = 0; b < plan_->branches().size(); ++b) {
    const int c = plan_->connection_below(static_cast<int>(b));
    if (c < 0) continue;
    const int side = plan_->connections()[to_index(c)].b.branch == static_cast<int>(b) ? 0 : 1;
    place_handle(c, side, s, below);
    kernel_.compose(below, s.relative_roots[b], s.roots[b]);
  }
}

// What carries a connection on its first body, or on its second.
void Branches::place_handle(int c, int side, const ScratchSpace& s, Frame& to) const {
  const Connection& connection = plan_->connections()[to_index(c)];
  const Handle& handle = side == 0 ? connection.a : connection.b;
  if (handle.branch < 0) {
    to = ground_frame();
  } else if (plan_->connection_below(handle.branch) == c) {
    // The connection that a root hangs on holds it at its reference frame.
    to = s.roots[to_index(handle.branch)];
  } else if (plan_->constants(handle.branch).is_free) {
    kernel_.compose(s.roots[to_index(handle.branch)], s.relative_handles[to_index(2 * c + side)],
                    to);
  } else {
    to = s.relative_handles[to_index(2 * c + side)];
  }
}

// Wrenches on bodies, and what passes through connections.
void Branches::add_loads(double t, ScratchSpace& s) const {
  if (!has_loads_) return;
  const Configuration& c = s.configuration;
  s.loads.body.assign(model_.bodies().size(), Vec6::Zero());
  s.loads.joint.assign(model_.joints().size(), Vec6::Zero());
  s.loads.modes.assign(to_index(model_.mode_count()), 0.0);
  s.loads.supplied_power = 0;
  s.power += add_body_loads(
      model_, t,
      [&](BodyId id, const Attachment& attachment) { return carrier_of(id, attachment, c).X; },
      [&](BodyId id, const Attachment& attachment) { return carrier_velocity(id, attachment, c); },
      [&](BodyId id, const Attachment& attachment, const Vec6& wrench) {
        add_on_carrier(id, attachment, c, wrench, s.loads);
      });
  if (acts_on_joints(model_, is_connection_)) {
    add_joint_loads(model_, t, c, is_connection_, s.loads);
    s.power += s.loads.supplied_power;
  }
  branches::Scratch& scratch = s.memory.scratch;
  for (int i = 0; i < plan_->body_count(); ++i)
    scratch.bodies[i].external =
        branches::six(s.loads.body[tree_.bodies()[to_index(plan_->slot(i))].body.slot()]);
  std::copy(s.loads.modes.begin(), s.loads.modes.end(), scratch.external_modes);
}

// [branches-inward]
void Branches::sweep_branch(int b, double t, const Discrete& discrete, ScratchSpace& s) const {
  branches::Scratch& scratch = s.memory.scratch;
  const BranchConstants& branch = plan_->constants(b);
  if (branch.is_free) scratch.bodies[branch.first].frame = s.roots[to_index(b)];
  kernel_.place(plan_->system(), branch, s.in, scratch);
  s.memory.clear_rows(*plan_, b);
  for (const int c : plan_->branches()[to_index(b)].connections) {
    const Connection& connection = plan_->connections()[to_index(c)];
    ConnectionRows own_rows;
    Frame own_handles[2];
    const bool is_owner = connection.owner() == b;
    ConnectionRows& rows = is_owner ? s.rows[to_index(c)] : own_rows;
    Frame* handles = is_owner ? &s.handles[to_index(2 * c)] : own_handles;
    for (int side = 0; side < 2; ++side) place_handle(c, side, s, handles[side]);
    branches::evaluate_rows(*plan_, connection, t, handles[0], handles[1], discrete.coordinates,
                            rows);
    branches::put_rows(*plan_, connection, b, rows, baumgarte_, scratch);
  }
  const auto inward = has_mass_matrix_ ? kernel_.dense_inward : kernel_.inward;
  s.branches[to_index(b)].trouble = inward(plan_->system(), branch, s.in, scratch).body;
}

// Forces of the connections from their fronts to the branches, and through these.
// [branches-outward]
void Branches::spread(const Discrete& discrete, Solution solution, ScratchSpace& s) const {
  const bool homogeneous = solution == Solution::kImpulses;
  executor_.down(s.tree, [&](int first, int last) {
    for (int n = last; n >= first; --n) {
      fronts_->down(kernel_, n, s.fronts);
      const int b = fronts_->branch_of(n);
      if (b < 0) continue;
      const BranchConstants& branch = plan_->constants(b);
      const double* found = s.fronts.lambda_of_branch(b);
      if (solution == Solution::kMoreForces) {
        add_response(branch, found, s);
      } else {
        std::copy_n(found, branch.rows, s.lambda.data() + branch.h);
        respond(branch, found, homogeneous, s);
      }
      finish_branch(b, homogeneous, s);
      // Whichever side of a connection comes last goes on with it.
      for (const int c : plan_->branches()[to_index(b)].connections) {
        const Connection& connection = plan_->connections()[to_index(c)];
        const bool has_two = connection.a.branch >= 0 && connection.b.branch >= 0 &&
                             connection.a.branch != connection.b.branch;
        if (!has_two ||
            s.connections[to_index(c)].arrived.fetch_xor(1, std::memory_order_acq_rel) == 1)
          finish_connection(c, discrete, homogeneous, s);
      }
    }
  });
}

void Branches::respond(const BranchConstants& branch, const double* lambda, bool homogeneous,
                       ScratchSpace& s) const {
  const auto outward = has_mass_matrix_ ? kernel_.dense_outward : kernel_.outward;
  outward(plan_->system(), branch, lambda, homogeneous, s.memory.scratch, s.unknowns.data(),
          s.eta_rate);
}

// What more forces do, added to what is there: light bodies between large forces would feel the
// rounding of their sum.
void Branches::add_response(const BranchConstants& branch, const double* more,
                            ScratchSpace& s) const {
  double* lambda = s.lambda.data() + branch.h;
  for (int r = 0; r < branch.rows; ++r) lambda[r] += more[r];
  // Calls f with every number of the response and where it is kept meanwhile.
  const auto visit = [&](auto f) {
    for (int i = branch.first; i < branch.end; ++i) {
      const BodyConstants& body = plan_->body(i);
      branches::Six& A = s.memory.scratch.bodies[i].A;
      branches::Six& kept_A = s.kept_A[to_index(i)];
      for (int k = 0; k < 3; ++k) {
        f(A.w[k], kept_A.w[k]);
        f(A.v[k], kept_A.v[k]);
      }
      for (int k = body.freedom; k < body.freedom + body.freedoms; ++k)
        f(s.unknowns[to_index(k)], s.kept_unknowns[to_index(k)]);
      if (body.flexible < 0) continue;
      const branches::FlexibleConstants& flexible = plan_->system().flexible[body.flexible];
      for (int k = flexible.first; k < flexible.first + flexible.modes; ++k)
        f(s.eta_rate[k], s.kept_modes[to_index(k)]);
    }
  };
  visit([](double& number, double& kept) { kept = number; });
  respond(branch, more, true, s);
  visit([](double& number, double& kept) { number += kept; });
}

// Where much cancels, what the first solution leaves of the rows' accelerations is solved for again.
bool Branches::needs_refinement(const ScratchSpace& s) const {
  // Of the accelerations that the rows were to take away: a dozen digits is what one pass gives.
  constexpr double kGoodEnough = 1e-12;
  double size = 0, left = 0;
  for (const auto& branch : s.branches) size = std::max(size, branch.size);
  for (const auto& connection : s.connections) left = std::max(left, connection.left);
  return left > kGoodEnough * size;
}

// λ for rows that miss `missing`: over the fronts, with the factors that are there.
void Branches::solve_for_missing(ScratchSpace& s) const {
  branches::Scratch& scratch = s.memory.scratch;
  for (std::size_t b = 0; b < plan_->branches().size(); ++b) {
    const BranchConstants& branch = plan_->constants(static_cast<int>(b));
    std::fill_n(scratch.h + branch.h, branch.rows, 0.0);
  }
  for (int r = 0; r < plan_->row_count(); ++r) {
    const Plan::RowPlace& place = plan_->places_of_row(r).front();
    scratch.h[plan_->constants(place.branch).h + to_index(place.row)] = s.missing[to_index(r)];
  }
  executor_.up(s.tree, [&](int first, int last) {
    for (int n = first; n <= last; ++n) fronts_->up(kernel_, n, false, scratch, s.fronts);
  });
}

// Everything on the way to the forces of the connections.
Status Branches::factor(double t, const Discrete& discrete, ScratchSpace& s) const {
  prepare(s);
  place_roots(s);
  add_loads(t, s);
  executor_.up(s.tree, [&](int first, int last) {
    for (int n = first; n <= last; ++n) {
      const int b = fronts_->branch_of(n);
      if (b >= 0) sweep_branch(b, t, discrete, s);
      fronts_->up(kernel_, n, true, s.memory.scratch, s.fronts);
    }
  });
  ++s.counters.factorizations;
  for (const auto& branch : s.branches)
    if (branch.trouble >= 0)
      return massless_status(model_, tree_.bodies()[to_index(plan_->slot(branch.trouble))].body);
  return {};
}

Status Branches::accelerate(double t, const Discrete& discrete, ScratchSpace& s) const {
  if (Status status = factor(t, discrete, s); !status.ok()) return status;
  spread(discrete, Solution::kForces, s);
  if (!needs_refinement(s)) return {};
  ++s.counters.iterations;
  solve_for_missing(s);
  spread(discrete, Solution::kMoreForces, s);
  return {};
}

// From the unknowns to rates of the speeds.
void Branches::finish_branch(int b, bool homogeneous, ScratchSpace& s) const {
  const BranchConstants& branch = plan_->constants(b);
  double check = 0;
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = plan_->body(i);
    if (body.is_free) continue;
    const auto [first, count, drive] = plan_->speeds(i);
    double* to = s.v_rate + first;
    if (drive < 0) {
      for (int k = 0; k < count; ++k) to[k] = s.unknowns[to_index(body.freedom + k)];
    } else {
      const DrivenJoint& known = s.drives[to_index(drive)];
      Eigen::Map<VecX> all(to, count);
      all.noalias() =
          known.N * Eigen::Map<const VecX>(s.unknowns.data() + body.freedom, body.freedoms);
      if (!homogeneous) all += known.given;
    }
    check += not_finite(to, count) + not_finite(s.in.v + first, count);
  }
  double size = 0, power = 0;
  for (int r = 0; r < branch.rows; ++r)
    size = std::max(size, std::abs(s.memory.scratch.h[branch.h + to_index(r)]));
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = plan_->body(i);
    if (body.flexible < 0) continue;
    power += s.memory.scratch.bodies[i].power;
    const branches::FlexibleConstants& flexible = plan_->system().flexible[body.flexible];
    check += not_finite(s.eta_rate + flexible.first, flexible.modes);
  }
  ScratchSpace::OfBranch& found = s.branches[to_index(b)];
  found.size = size;
  found.power = power;
  found.is_finite = check == 0;
}

// The rates of a connection of the tree from what it connects, and what the rows still miss.
void Branches::finish_connection(int c, const Discrete& discrete, bool homogeneous,
                                 ScratchSpace& s) const {
  const Connection& connection = plan_->connections()[to_index(c)];
  const branches::Scratch& scratch = s.memory.scratch;
  const Vec6 A_A =
      branches::carrier_acceleration(*plan_, connection.a, homogeneous, scratch, s.eta_rate);
  const Vec6 A_B =
      branches::carrier_acceleration(*plan_, connection.b, homogeneous, scratch, s.eta_rate);
  if (!connection.closes_loop) {
    const Joint& joint = model_.joint(connection.joint);
    const TreeBody& place = tree_.bodies()[to_index(tree_.slot_of(connection.joint))];
    const JointView view = branches::view_between(*plan_, connection, s.handles[to_index(2 * c)],
                                                  s.handles[to_index(2 * c + 1)]);
    const Rows rows = joint.speed_rows(view, discrete.coordinates.data() + joint.first_freedom);
    for (int k = 0; k < place.nv; ++k)
      s.v_rate[to_index(place.v + k)] = rows[k].rate(A_A, A_B) + (homogeneous ? 0 : rows[k].gamma);
    s.connections[to_index(c)].is_finite =
        Eigen::Map<const VecX>(s.v_rate + place.v, place.nv).allFinite();
  }
  if (homogeneous) return;
  double left = 0;
  const double omega = connection.closes_loop ? baumgarte_ : 0;
  for (int r = 0; r < s.rows[to_index(c)].count; ++r) {
    const ConnectionRows::OneRow& row = s.rows[to_index(c)].row[to_index(r)];
    const double value = row.J_A.dot(A_A) + row.J_B.dot(A_B) + row.gamma +
                         omega * (2 * row.phi_rate + omega * row.phi);
    s.missing[to_index(connection.first_row + r)] = value;
    left = std::max(left, std::abs(value));
  }
  s.connections[to_index(c)].left = left;
}

// What the prescribed motions must add to the joint forces, times the speeds.
double Branches::drive_power(ScratchSpace& s) const {
  double power = 0;
  if (has_mass_matrix_) find_wrenches(s);
  for (const DrivenJoint& drive : s.drives) {
    const int i = plan_->place(drive.slot);
    const BodyConstants& body = plan_->body(i);
    if (body.is_free) continue;  // rows do it
    const TreeBody& place = tree_.bodies()[to_index(drive.slot)];
    const Mat3 R = branches::mat3(s.memory.scratch.bodies[i].frame.R);
    const GeneralJoint& joint = s.memory.scratch.general[body.general];
    power += joint_wrench(i, s).dot(rotated(R, branches::vec6(joint.V)));
    for (int k = place.v; k < place.v + place.nv; ++k) power -= s.tau[to_index(k)] * s.in.v[k];
  }
  for (std::size_t c = 0; c < plan_->connections().size(); ++c) {
    const Connection& connection = plan_->connections()[c];
    if (connection.motions.empty()) continue;
    const Handle& own = connection.b.branch >= 0 ? connection.b : connection.a;
    const double* lambda = s.lambda.data() + plan_->constants(own.branch).h + own.row;
    for (int r = 0; r < s.rows[c].count; ++r)
      power += lambda[r] * s.rows[c].row[to_index(r)].motion_rate;
  }
  return power;
}

// What a stage is off the loops is amplified near a singular position; rows that depend on others
// disagree with them there. Then a copy is moved onto the loops first.  [branches-stage]
Status Branches::rates(double t, std::span<const double> x, const Discrete& discrete,
                       Workspace& workspace, std::span<double> dx) const {
  ScratchSpace& s = static_cast<ScratchSpace&>(workspace);
  ++s.counters.evaluations;
  const auto at_closed = [&] {
    bool changed = false;
    s.stage.assign(x.begin(), x.end());
    if (Status status = project(t, s.stage, discrete, s, changed); !status.ok()) return status;
    return rates_at(t, s.stage, discrete, s, dx);
  };
  if (projection_ == Projection::kStage && has_loops_) {
    const Status status = at_closed();
    if (status.ok()) s.see(fronts_->strength(s.fronts));
    return status;
  }
  const Status status = rates_at(t, x, discrete, s, dx);
  if (!status.ok() || !has_loops_) return status;
  const double strength = fronts_->strength(s.fronts);
  s.see(strength);
  if (projection_ == Projection::kStep && SingularWatch::is_weak(strength)) return at_closed();
  return {};
}

Status Branches::rates_at(double t, std::span<const double> x, const Discrete& discrete,
                          ScratchSpace& s, std::span<double> dx) const {
  const auto nv = to_index(tree_.nv()), nq = to_index(tree_.nq()),
             modes = to_index(model_.mode_count());
  give(t, x, discrete, s);
  s.v_rate = dx.data() + nv;
  s.eta_rate = dx.data() + 2 * nv + modes;
  if (Status status = accelerate(t, discrete, s); !status.ok()) return status;
  state_.write_position_rates({s.in.q, nq}, {s.in.v, nv}, 1, dx);
  std::copy_n(s.in.eta_rate, modes, dx.data() + 2 * nv);
  double power = s.power;
  for (const auto& branch : s.branches) power += branch.power;
  if (!model_.motions().empty()) power += drive_power(s);
  dx.back() = power;
  bool is_finite = std::isfinite(power);
  for (const auto& branch : s.branches) is_finite = is_finite && branch.is_finite;
  for (const auto& connection : s.connections) is_finite = is_finite && connection.is_finite;
  if (!is_finite) return {Status::Code::kNotFinite, "the accelerations are not finite"};
  return {};
}

ErrorTrust Branches::filter_error(std::span<double> /*e*/, Workspace& workspace) const {
  return static_cast<ScratchSpace&>(workspace).watch.take_trust();
}

}  // namespace sarrus
