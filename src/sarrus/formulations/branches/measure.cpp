#include <fmt/format.h>

#include <random>

#include "sarrus/articulated/recursion.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/base/thresholds.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/formulations/branches/scratch.h"
#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/vectors.h"

// What is found once, where the mechanism stands at the start.
namespace sarrus {

using branches::BodyConstants;
using branches::BranchConstants;
using branches::Connection;
using branches::ConnectionRows;
using branches::Handle;

// How strongly the rows of connections can act on what they connect, where the mechanism stands:
// pivots are judged by it.
void Branches::measure_rows(const Configuration& assembled) {
  const ConstraintSystem system(model_);
  length_ = system.length();
  row_scale_.resize(to_index(plan_->row_count()));
  std::vector<int> first_row(model_.joints().size(), 0);
  for (int r = system.rows(); r-- > 0;) first_row[system.origins()[to_index(r)].joint.slot()] = r;
  for (const Connection& connection : plan_->connections())
    for (int r = 0; r < connection.rows; ++r)
      row_scale_[to_index(connection.first_row + r)] =
          system.row_scale()[first_row[connection.joint.slot()] + r];
  std::size_t numbers = 0;
  for (std::size_t b = 0; b < plan_->branches().size(); ++b)
    numbers += to_index(plan_->constants(static_cast<int>(b)).stride);
  std::vector<double> bounds(numbers, 0.0);
  fronts_->set_scales(bounds.data());
  std::vector<double> x(to_index(layout().size()));
  Discrete discrete;
  encode(assembled, x, discrete);
  ScratchSpace s(*this);
  s.memory.scratch.bounds = bounds.data();
  give(0, x, discrete, s);
  prepare(s);
  place_roots(s);
  Status status = check_inertia(s);
  if (status.ok()) status = accelerate(0, discrete, s);
  if (!status.ok())
    throw UsageError(
        fmt::format("{} cuts {}, and then {}\n  hint: these do not cut anything: "
                    "coordinate-reduction, augmented-dca, reference",
                    name(), has_loops_ ? "the loops" : "the mechanism", status.reason));
  // Where both sides of a row cancel out, as of a joint beside one that does the same, the bound is
  // rounding itself: a trace of what the bodies would do alone.
  constexpr double kTrace = 1e-6;
  for (std::size_t c = 0; c < plan_->connections().size(); ++c) {
    const Connection& connection = plan_->connections()[c];
    for (const Handle* handle : {&connection.a, &connection.b}) {
      if (handle->branch < 0) continue;
      const Inertia& inertia =
          model_.body(tree_.bodies()[to_index(plan_->slot(handle->body))].body).inertia;
      const double turning = inertia.about_origin().trace();
      double* of_rows = bounds.data() + plan_->constants(handle->branch).h + handle->row;
      for (int r = 0; r < s.rows[c].count; ++r) {
        const ConnectionRows::OneRow& row = s.rows[c].row[to_index(r)];
        const Vec6& J = handle == &connection.a ? row.J_A : row.J_B;
        if (inertia.mass > 0) of_rows[r] += kTrace * J.tail<3>().squaredNorm() / inertia.mass;
        if (turning > 0) of_rows[r] += kTrace * J.head<3>().squaredNorm() / turning;
      }
    }
  }
  fronts_->set_scales(bounds.data());
}

// How many rows of each front count, and how strong they are, at generic poses.  [branches-strength]
void Branches::learn_ranks(int expected, const std::vector<Configuration>& poses) {
  ScratchSpace s(*this);
  s.state.resize(to_index(layout().size()));
  const auto nq = to_index(tree_.nq()), nv = to_index(tree_.nv()),
             modes = to_index(model_.mode_count());
  for (const int rank : {expected, -1}) {
    for (const Configuration& pose : poses) {
      Discrete discrete;
      encode(pose, s.state, discrete);
      std::fill(s.state.begin() + tree_.nq(), s.state.begin() + tree_.nq() + tree_.nv(), 0.0);
      s.in.q = s.state.data();
      s.in.v = s.state.data() + nq;
      s.in.eta = s.state.data() + nq + nv;
      s.in.eta_rate = s.state.data() + nq + nv + modes;
      s.in.tau = s.tau_free.data();
      // Poses are those of the mechanism without its prescribed motions.
      drives_.complete_speeds(0, {s.in.q, nq}, {s.in.v, nv}, discrete.coordinates, s.drives);
      prepare(s);
      place_roots(s);
      for (std::size_t b = 0; b < plan_->branches().size(); ++b)
        sweep_branch(static_cast<int>(b), 0, discrete, s);
      fronts_->learn(kernel_, rank, s.memory.scratch, s.fronts);
    }
    if (fronts_->has_learned()) return;
  }
}

// Do rows that depend on others contradict them where the loops are not closed? In a plane they do
// not.  [branches-stage]
bool Branches::rows_disagree(const Configuration& pose) const {
  constexpr double kOff = 0.01;  // [rad] or [m]
  // Of the rows' accelerations; contradictions are some kOff of them.
  constexpr double kRounding = 1e-8;
  ScratchSpace s(*this);
  std::vector<double> x(to_index(layout().size())), start(x.size());
  std::vector<double> tangent(to_index(layout().tangent_size()), 0.0);
  Discrete discrete;
  encode(pose, start, discrete);
  std::mt19937 random(20120);
  // Not std::uniform_real_distribution: its numbers differ between standard libraries.
  const auto next = [&] { return static_cast<double>(random()) / 2147483648.0 - 1; };
  std::vector<double> speeds(to_index(tree_.nv()));
  for (double& v : speeds) v = kOff * next();
  state_.write_position_rates({start.data(), to_index(tree_.nq())}, speeds, 1, tangent);
  layout().retract(start, tangent, x);
  for (int k = 0; k < tree_.nv(); ++k) x[to_index(tree_.nq() + k)] = next();
  give(0, x, discrete, s);
  if (!accelerate(0, discrete, s).ok()) return false;
  double size = 0, left = 0;
  for (const auto& branch : s.branches) size = std::max(size, branch.size);
  for (const auto& connection : s.connections) left = std::max(left, connection.left);
  return left > kRounding * size;
}

std::string Branches::element_of(int tangent_index) const {
  return state_.element_of(tangent_index);
}

std::optional<Stabilisation> Branches::stabilisation() const {
  if (baumgarte_ == 0) return std::nullopt;
  return Stabilisation{baumgarte_, 1};
}

std::unique_ptr<Workspace> Branches::make_workspace() const {
  return std::make_unique<ScratchSpace>(*this);
}

void Branches::encode(const Configuration& from, std::span<double> x, Discrete& discrete) const {
  state_.encode(from, x);
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers = {0};
}

void Branches::decode(std::span<const double> x, const Discrete& discrete,
                      Configuration& to) const {
  to.coordinates = discrete.coordinates;
  state_.decode(x, to);
}

// Is there inertia in every direction that the joints, and roots of free branches, can move? Pivots as
// the recursion finds them, over what they are a difference of. Modes yield as if nothing hung on them.
Status Branches::check_inertia(ScratchSpace& s) const {
  // Forces of connections act along motions that only a cut allows: a trace of inertia is not enough.
  const double least = plan_->row_count() > 0 ? thresholds::kLittleInertia : thresholds::kNoInertia;
  branches::Scratch& scratch = s.memory.scratch;
  std::vector<Mat6> articulated(to_index(plan_->body_count())), magnitude(articulated.size());
  for (std::size_t b = 0; b < plan_->branches().size(); ++b) {
    const BranchConstants& branch = plan_->constants(static_cast<int>(b));
    if (branch.is_free) scratch.bodies[branch.first].frame = s.roots[b];
    kernel_.place(plan_->system(), branch, s.in, scratch);
    for (int i = branch.first; i < branch.end; ++i) {
      Mat6& I = articulated[to_index(i)];
      for (int k = 0; k < 6; ++k) I.col(k) = branches::vec6(scratch.bodies[i].I[k]);
      magnitude[to_index(i)] = I.cwiseAbs();
      if (plan_->body(i).flexible < 0) continue;
      const branches::FlexibleConstants& own = plan_->system().flexible[plan_->body(i).flexible];
      MatX mass(own.modes, own.modes);
      Mat6X coupling(6, own.modes);
      for (int k = 0; k < own.modes; ++k) {
        const double* row = scratch.coupled + own.coupled + to_index(k * own.width);
        coupling.col(k) << row[0], row[1], row[2], row[4], row[5], row[6];
        for (int l = 0; l < own.modes; ++l)
          mass(k, l) = scratch.modal_mass[own.matrix + to_index(k * own.stride + l)];
      }
      I -= coupling * Cholesky<MatX>(mass).solve(coupling.transpose());
    }
    for (int i = branch.end; i-- > branch.first;) {
      const BodyConstants& body = plan_->body(i);
      Mat6& I = articulated[to_index(i)];
      for (int k = 0; k < body.freedoms; ++k) {
        const Vec6 S = branches::vec6(scratch.freedoms[body.freedom + k].S);
        const Vec6 U = I * S;
        const double D = S.dot(U);
        const Vec6 size = S.cwiseAbs();
        if (!(D > least * size.dot(magnitude[to_index(i)] * size)))
          return massless_status(model_, tree_.bodies()[to_index(plan_->slot(i))].body);
        I -= U * U.transpose() / D;
      }
      if (body.parent < 0) continue;
      // A tenth of what the difference came from goes on: its rounding does, for a few bodies.
      Mat6 X = Mat6::Identity();
      X.bottomLeftCorner<3, 3>() = -skew(branches::vec3(scratch.bodies[i].r));
      const Mat6 size = X.cwiseAbs();
      articulated[to_index(body.parent)] += X.transpose() * I * X;
      magnitude[to_index(body.parent)] +=
          size.transpose() * (I.cwiseAbs() + 0.1 * magnitude[to_index(i)]) * size;
    }
  }
  return {};
}

}  // namespace sarrus
