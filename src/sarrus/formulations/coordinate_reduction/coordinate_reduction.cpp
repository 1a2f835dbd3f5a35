#include "sarrus/formulations/coordinate_reduction/coordinate_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <tuple>
#include <utility>

#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/kkt.h"
#include "sarrus/formulations/coordinate_reduction/paper.h"
#include "sarrus/formulations/only_weight.h"
#include "sarrus/topology/elimination/tree_rank.h"
#include "sarrus/topology/mobility.h"

namespace sarrus {

using coordinate_reduction::FrontSolver;
using coordinate_reduction::GivenRow;
using coordinate_reduction::Inputs;
using coordinate_reduction::Level;
using order_n::of;
using order_n::TreeBody;

namespace {

/// Where Discrete::integers keeps whether the present singular position has been noted; the
/// independent unknowns follow.
constexpr std::size_t kSingularNoted = 0;
constexpr std::size_t kFirstChosen = 1;

/// Constraints that are off by less than this many times the size of things hold.
constexpr double kRounding = 8 * 2.2e-16;

double norm_of(std::span<const double> numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x * x;
  return std::sqrt(sum);
}

/// Unknowns that a user prefers as independent count as so much smaller.
constexpr double kPreference = 0.5;

/// Independent unknowns are kept while what they leave to the loops is not so much weaker than the
/// best choice would. They must not come near a dead point within a step: there their rates say
/// nothing about the motion.  [reduction-independent]
constexpr double kHysteresis = 0.6;
constexpr double kDeadPoint = 0.02;

/// A step that may have turned a joint outside the tree by so much could have lost a turn of it.
constexpr double kMostTurn = 0.75 * std::numbers::pi;

}  // namespace

struct CoordinateReduction::Scratch final : Workspace {
  explicit Scratch(const CoordinateReduction& method)
      : solver(method.fronts_, method.executor_),
        q(of(method.tree_.nq())),
        v(of(method.tree_.nv())),
        v_rate(of(method.tree_.nv())),
        displacement(of(method.state_.layout().tangent_size()), 0.0),
        state(of(method.state_.layout().size()), 0.0),
        moved(of(method.state_.layout().size()), 0.0),
        unknowns(of(method.fronts_.unknown_count())),
        given(of(method.fronts_.closing_row_count())),
        wrenches(6 * method.tree_.bodies().size()),
        kernel_drives(method.drives_.size()),
        held(of(method.fronts_.unknown_count()), 0),
        needed(method.tree_.bodies().size()) {
    if (method.options_.paper) paper.emplace(method.model_, method.topology_, method.tree_);
  }

  FrontSolver solver;
  Inputs inputs;  ///< of the last solve
  std::vector<double> q, v, v_rate;
  std::vector<double> displacement, state, moved;
  std::vector<double> unknowns;
  std::vector<GivenRow> given;
  std::vector<double> wrenches;
  std::vector<order_n::PlainDrive> drives;
  std::vector<order_n::Drive> kernel_drives;
  Configuration configuration;
  bool was_closed = false;  ///< the last projection found the positions closed
  bool located = false;     ///< the configuration is that of q, v
  Loads loads;
  std::vector<std::int8_t> held;
  bool holds = false;  ///< the independent unknowns, at the levels of positions and velocities
  std::vector<std::int64_t> chosen;
  std::optional<coordinate_reduction::PaperRecursion> paper;
  std::vector<Vec6> needed, external;
  std::vector<double> no_tau;
  coordinate_reduction::Reactions reactions;
  ErrorTrust trust = ErrorTrust::kReliable;  ///< the least over the stages of the present step
  double smallest_pivot = 1;                 ///< since the last accepted step
};

CoordinateReduction::CoordinateReduction(const Model& model, const Topology& topology,
                                         const Configuration& assembled,
                                         const CoordinateReductionOptions& options)
    : model_(model),
      options_(options),
      system_(model),
      tree_(model, topology),
      state_(tree_),
      drives_(tree_, model.motions()),
      kernel_model_(tree_, drives_.unknowns(), drives_.drive_of(),
                    std::vector<char>(tree_.bodies().size(), 0)),
      fronts_(tree_, kernel_model_, system_, drives_.unknowns()),
      executor_(options.threads, options.grain),
      only_gravity_(has_only_weight(model)),
      has_loops_(!topology.is_tree()),
      independent_(options.state == StateChoice::kIndependent && !topology.is_tree()),
      topology_(topology),
      projection_(options.projection) {
  if (options.paper)
    if (const std::string why = coordinate_reduction::PaperRecursion::why_not(model, topology);
        !why.empty())
      throw UsageError(why);
  if (options.paper && options.enforced == Enforced::kAcceleration)
    throw UsageError(
        "the paper's recursion enforces the loops' velocities, it has no "
        "method.level=acceleration\n"
        "  hint: leave out one of the two, or take order-n for the drift of accelerations");
  std::vector<JointId> preferred;
  for (const std::string& name : options.preferred) {
    preferred.push_back(model.find_joint(name));
    if (model.joint(preferred.back()).nv() == 0)
      throw UsageError(
          fmt::format("joint '{}' has no coordinates that could be independent", name));
    if (tree_.slot_of(preferred.back()) < 0)
      throw UsageError(fmt::format(
          "joint '{}' closes a loop, its coordinates are not part of the state\n  hint: "
          "`cut: forbid` in the model keeps it in the tree",
          name));
  }
  fronts_.prefer(preferred, kPreference);
  if (projection_ == Projection::kAuto)
    projection_ = !has_loops_ || options.enforced == Enforced::kAcceleration ? Projection::kOff
                  : independent_                                             ? Projection::kStage
                                                                             : Projection::kStep;
  if (projection_ != Projection::kOff && options.enforced == Enforced::kAcceleration && has_loops_)
    throw UsageError(
        "method.level=acceleration means that nothing is projected\n  hint: leave out the "
        "projection");
  if (independent_ &&
      (projection_ != Projection::kStage || options.enforced != Enforced::kPosition))
    throw UsageError(
        "with method.state=independent the other coordinates always follow at every stage\n"
        "  hint: leave out projection and method.level");
  if (has_loops_) {
    const Mobility mobility = compute_mobility(model, topology, assembled);
    not_unique_ = mobility.nonunique_reactions;
    find_turn_paths(topology);
    has_freedoms_ = mobility.generic.freedoms > 0;
    const int in_tree = system_.rows() - fronts_.closing_row_count();
    const bool exact = topology.largest_block() <= kDenseJoints;
    if (!find_nominal_ranks(exact ? mobility.generic.rank - in_tree : -1, assembled) && !too_wide_)
      find_nominal_ranks(-1, assembled);
    usual_pivot_ = 1;
    for (const auto& front : fronts_.fronts())
      for (const auto& operation : front.operations)
        usual_pivot_ = std::min(usual_pivot_, operation.usual_pivot);
  }
}

// Ranks of the closings at generic poses, a matter of geometry alone; false where no pose shows what
// is expected.  [reduction-nominal-rank]
bool CoordinateReduction::find_nominal_ranks(int expected, const Configuration& assembled) {
  std::vector<Configuration> poses =
      TreeRank(model_, topology_, assembled, /*with_motions=*/false).generic_poses(assembled);
  poses.insert(poses.begin(), assembled);
  Scratch scratch(*this);
  // Of poses with one rank in all, a generic one has it earliest; then, the largest pivot.
  std::tuple<int, long, double> best = {-1, 0, 0};
  for (Configuration& pose : poses) {
    for (Vec6& V : pose.velocities) V.setZero();
    Discrete discrete;
    state_.encode(pose, scratch.state);
    discrete.coordinates = pose.coordinates;
    std::copy_n(scratch.state.begin(), of(tree_.nq()), scratch.q.begin());
    std::fill(scratch.v.begin(), scratch.v.end(), 0.0);
    drives_.complete_speeds(0, scratch.q, scratch.v, discrete.coordinates, scratch.drives);
    order_n::pack_drives(scratch.drives, scratch.kernel_drives.data());
    scratch.located = false;
    locate(discrete, scratch);
    give_rows(0, scratch);
    // Where the rank is known, the tolerance is the one that gives it.
    for (double tolerance = expected >= 0 ? 1e-4 : 1e-8; tolerance > 1e-13; tolerance /= 4) {
      Inputs in = inputs(Level::kPosition, scratch);
      in.geometric = true;
      in.rank_tolerance = tolerance;
      if (!scratch.solver.solve(in, scratch.unknowns).ok()) {
        too_wide_ = true;  // nothing else can be wrong where all bodies are alike
        return false;
      }
      int rank = 0;
      long early = 0;
      double pivot = 1e300;
      for (std::size_t f = 0; f < fronts_.fronts().size(); ++f) {
        int so_far = 0;
        for (std::size_t i = 0; i < fronts_.fronts()[f].operations.size(); ++i) {
          if (fronts_.fronts()[f].operations[i].kind != coordinate_reduction::Operation::kClose)
            continue;
          so_far += scratch.solver.front(static_cast<int>(f)).ranks[i];
          early += so_far;
          pivot = std::min(pivot, scratch.solver.front(static_cast<int>(f)).least_pivots[i]);
        }
        rank += so_far;
      }
      if (expected >= 0 && rank > expected) break;
      if (const std::tuple found(rank, early, pivot); found > best) {
        best = found;
        for (std::size_t f = 0; f < fronts_.fronts().size(); ++f) {
          const coordinate_reduction::FrontScratch& seen =
              scratch.solver.front(static_cast<int>(f));
          std::vector<coordinate_reduction::Operation>& operations = fronts_.fronts()[f].operations;
          for (std::size_t i = 0; i < operations.size(); ++i) {
            operations[i].nominal_rank = seen.ranks[i];
            operations[i].usual_pivot = seen.ranks[i] > 0 ? seen.least_pivots[i] : 1.0;
          }
          fronts_.blocks[f] = scratch.solver.blocks(static_cast<int>(f));
        }
      }
      if (rank >= expected) break;
    }
  }
  return std::get<0>(best) >= 0;
}

Capabilities CoordinateReduction::capabilities() const {
  return {.loops = true, .redundancy = true, .point_masses = true, .flexible_bodies = false};
}

std::string CoordinateReduction::element_of(int tangent_index) const {
  return state_.element_of(tangent_index);
}

std::unique_ptr<Workspace> CoordinateReduction::make_workspace() const {
  return std::make_unique<Scratch>(*this);
}

void CoordinateReduction::encode(const Configuration& from, std::span<double> x,
                                 Discrete& discrete) const {
  state_.encode(from, x);
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers = {0};
  if (!independent_) return;
  Scratch scratch(*this);
  read(0, x, discrete, scratch);
  if (choose_independent(discrete, scratch))
    discrete.integers.insert(discrete.integers.end(), scratch.chosen.begin(), scratch.chosen.end());
}

// Those that the loops would rather not express, here.
bool CoordinateReduction::choose_independent(const Discrete& discrete, Scratch& scratch) const {
  scratch.holds = false;
  // Prescribed motions are where they should be, so that any time will do.
  if (!solve(0, Level::kPosition, discrete, scratch, /*with_details=*/true).ok() ||
      scratch.solver.lost() > 0)
    return false;
  scratch.solver.independent(scratch.chosen);
  return true;
}

void CoordinateReduction::hold_independent(const Discrete& discrete, Scratch& scratch) const {
  scratch.holds = true;
  std::fill(scratch.held.begin(), scratch.held.end(), std::int8_t{0});
  for (std::size_t i = kFirstChosen; i < discrete.integers.size(); ++i)
    scratch.held[static_cast<std::size_t>(discrete.integers[i])] = 1;
}

std::string CoordinateReduction::names_of(std::span<const std::int64_t> unknowns) const {
  std::string names;
  for (const std::int64_t unknown : unknowns)
    for (std::size_t slot = 0; slot < tree_.bodies().size(); ++slot) {
      const order_n::JointConstants& joint = kernel_model_.joint(static_cast<int>(slot));
      const TreeBody& body = tree_.bodies()[slot];
      if (unknown < joint.column || unknown >= joint.column + joint.columns) continue;
      std::string name =
          body.joint.valid() ? model_.joint(body.joint).name : model_.body(body.body).name;
      if (joint.columns > 1) name += fmt::format("[{}]", unknown - joint.column + 1);
      names += (names.empty() ? "" : ", ") + name;
    }
  return names;
}

// Once a step: the present choice against the best there is.
void CoordinateReduction::switch_where_better(double t, Discrete& discrete, Scratch& scratch,
                                              AfterStep& result) const {
  hold_independent(discrete, scratch);
  if (!solve(t, Level::kVelocity, discrete, scratch, false).ok()) return;
  const double present = scratch.solver.lost() > 0 ? 0 : scratch.solver.least_pivot();
  if (!choose_independent(discrete, scratch)) return;
  const double best = scratch.solver.least_pivot();
  const std::span<const std::int64_t> before(discrete.integers.begin() + kFirstChosen,
                                             discrete.integers.end());
  if (present >= kHysteresis * best || scratch.chosen.size() != before.size() ||
      std::equal(before.begin(), before.end(), scratch.chosen.begin()))
    return;
  std::vector<std::int64_t> left, taken;
  std::set_difference(before.begin(), before.end(), scratch.chosen.begin(), scratch.chosen.end(),
                      std::back_inserter(left));
  std::set_difference(scratch.chosen.begin(), scratch.chosen.end(), before.begin(), before.end(),
                      std::back_inserter(taken));
  result.notes.push_back({t, fmt::format("independent coordinates switched from {} to {}",
                                         names_of(left), names_of(taken))});
  discrete.integers.resize(kFirstChosen);
  discrete.integers.insert(discrete.integers.end(), scratch.chosen.begin(), scratch.chosen.end());
  result.changed = true;
}

void CoordinateReduction::decode(std::span<const double> x, const Discrete& discrete,
                                 Configuration& to) const {
  order_n::PlainMotion motion;
  order_n::kinematics(tree_, x.data(), x.data() + tree_.nq(), motion);
  to.coordinates = discrete.coordinates;
  state_.decode(x, motion, to);
}

// Coordinates and speeds with what is prescribed at t.
void CoordinateReduction::read(double t, std::span<const double> x, const Discrete& discrete,
                               Scratch& scratch) const {
  std::copy_n(x.data(), of(tree_.nq()), scratch.q.data());
  std::copy_n(x.data() + tree_.nq(), of(tree_.nv()), scratch.v.data());
  scratch.located = false;
  apply_drives(t, discrete, scratch);
}

Inputs CoordinateReduction::inputs(Level level, Scratch& scratch) const {
  Inputs in;
  in.level = level;
  in.q = scratch.q.data();
  in.v = scratch.v.data();
  in.drives = scratch.kernel_drives.data();
  in.given = scratch.given.data();
  if (scratch.holds && level != Level::kAcceleration) in.held = scratch.held.data();
  for (const double q : scratch.q) in.turns = in.turns || std::abs(q) > order_n::kLargestAngle;
  return in;
}

// The configuration of q, v, for whoever works with bodies.
void CoordinateReduction::locate(const Discrete& discrete, Scratch& scratch) const {
  if (std::exchange(scratch.located, true)) return;
  scratch.solver.place(inputs(Level::kAcceleration, scratch));
  scratch.solver.read_motions(scratch.configuration);
  scratch.configuration.coordinates = discrete.coordinates;
}

// Its coordinates, too; those of the last step serve everyone but the output.
void CoordinateReduction::locate_coordinates(const Discrete& discrete, Scratch& scratch) const {
  locate(discrete, scratch);
  std::copy(scratch.q.begin(), scratch.q.end(), scratch.state.begin());
  std::copy(scratch.v.begin(), scratch.v.end(), scratch.state.begin() + tree_.nq());
  state_.decode_coordinates(scratch.state, scratch.configuration);
}

// Rows that the kernels do not know: of screws, and of joints that are driven where they close.
void CoordinateReduction::give_rows(double t, Scratch& scratch) const {
  if (!fronts_.has_given_rows()) return;
  const Configuration& c = scratch.configuration;
  for (std::size_t i = 0; i < fronts_.closures().size(); ++i) {
    const coordinate_reduction::ClosureConstants& closure = fronts_.closure(static_cast<int>(i));
    if (!closure.given) continue;
    const JointId id = fronts_.closures()[i];
    const Joint& joint = model_.joint(id);
    const int first = system_.first_row(id.index);
    const auto at_center = [&](BodyId body, const Vec6& J, double* to) {
      const Vec3 center = c.poses[body.slot()].q * model_.body(body).inertia.center;
      // A wrench at the origin, taken at the mass centre; and what turning adds there.
      const Vec6 moved = body == kGround ? Vec6(J) : shift_force(J, center);
      Eigen::Map<Vec6> place(to);
      place = moved;
      const Vec3 w = c.velocities[body.slot()].head<3>();
      return body == kGround ? 0.0 : -J.tail<3>().dot(w.cross(w.cross(center)));
    };
    system_.visit_rows(id.index, t, c, [&](int r, const Row& row, const TimeFunction::Value& f) {
      GivenRow& to = scratch.given[of(closure.first_row + r - first)];
      const double turning =
          at_center(joint.a, row.J_A, to.J_A) + at_center(joint.b, row.J_B, to.J_B);
      const double scale = system_.row_scale()[r];
      for (int k = 0; k < 6; ++k) {
        to.J_A[k] *= scale;
        to.J_B[k] *= scale;
      }
      to.phi = scale * (row.value - f.value);
      to.phi_rate =
          scale * (row.rate(c.velocities[joint.a.slot()], c.velocities[joint.b.slot()]) - f.rate);
      to.gamma = scale * (row.gamma - f.acceleration + turning);
    });
  }
}

// All but the weight, which the recursions know, at the mass centres.
void CoordinateReduction::gather_loads(double t, Scratch& scratch) const {
  compute_loads(model_, t, scratch.configuration, scratch.loads);
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const BodyId body = tree_.bodies()[i].body;
    const Inertia& inertia = model_.body(body).inertia;
    const Vec3 center = scratch.configuration.poses[body.slot()].q * inertia.center;
    Vec6 wrench = shift_force(scratch.loads.body[body.slot()], center);
    wrench.tail<3>() -= inertia.mass * model_.gravity();
    Eigen::Map<Vec6> to(scratch.wrenches.data() + 6 * i);
    to = wrench;
  }
}

// The paper's recursion on the same state.
Status CoordinateReduction::paper_accelerate(double t, const Discrete& discrete,
                                             Scratch& scratch) const {
  coordinate_reduction::PaperRecursion& paper = *scratch.paper;
  if (Status status = paper.complete_speeds(scratch.q, scratch.v); !status.ok()) return status;
  scratch.located = false;
  locate(discrete, scratch);
  gather_loads(t, scratch);
  scratch.external.resize(tree_.bodies().size());
  scratch.no_tau.assign(of(tree_.nv()), 0.0);
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const BodyId body = tree_.bodies()[i].body;
    const Vec3 center =
        scratch.configuration.poses[body.slot()].q * model_.body(body).inertia.center;
    scratch.external[i] =
        shift_force(Eigen::Map<const Vec6>(scratch.wrenches.data() + 6 * i), -center);
  }
  return paper.accelerations(scratch.q, scratch.v, scratch.no_tau, scratch.external,
                             scratch.v_rate);
}

Status CoordinateReduction::solve(double t, Level level, const Discrete& discrete, Scratch& scratch,
                                  bool with_details) const {
  Inputs& in = scratch.inputs = inputs(level, scratch);
  const bool loaded = level == Level::kAcceleration && (!only_gravity_ || with_details);
  if (loaded || fronts_.has_given_rows()) locate(discrete, scratch);
  if (loaded) {
    gather_loads(t, scratch);
    in.wrenches = scratch.wrenches.data();
  }
  give_rows(t, scratch);
  ++scratch.counters.factorizations;
  if (Status status = scratch.solver.solve(in, scratch.unknowns, with_details); !status.ok())
    return status;
  for (const double y : scratch.unknowns)
    if (!std::isfinite(y)) return {Status::Code::kNotFinite, "the accelerations are not finite"};
  return {};
}

// v̇ = given + N y, or y itself.
void CoordinateReduction::expand(const Scratch& scratch, std::span<double> rates) const {
  if (drives_.empty()) {
    std::copy(scratch.unknowns.begin(), scratch.unknowns.end(), rates.begin());
    return;
  }
  order_n::expand_unknowns(tree_, kernel_model_, scratch.drives, scratch.unknowns.data(),
                           rates.data());
}

Status CoordinateReduction::accelerate(double t, const Discrete& discrete, Scratch& scratch,
                                       bool with_details) const {
  const Status status = solve(t, Level::kAcceleration, discrete, scratch, with_details);
  if (status.ok()) expand(scratch, scratch.v_rate);
  return status;
}

Status CoordinateReduction::rates(double t, std::span<const double> x, const Discrete& discrete,
                                  Workspace& workspace, std::span<double> dx) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  ++scratch.counters.evaluations;
  read(t, x, discrete, scratch);
  if (has_loops_ && projection_ == Projection::kStage)
    if (Status status = project(t, discrete, scratch, options_.enforced == Enforced::kPosition);
        !status.ok())
      return status;
  const Status status = scratch.paper ? paper_accelerate(t, discrete, scratch)
                                      : accelerate(t, discrete, scratch, false);
  if (!status.ok()) return status;
  if (!scratch.paper) {
    watch_pivots(scratch);
    // Near a singular position what a stage is off the loops is amplified.
    if (projection_ == Projection::kStep && has_loops_ && scratch.solver.smallest_pivot() < kWeak) {
      if (Status near = project(t, discrete, scratch, options_.enforced == Enforced::kPosition);
          !near.ok())
        return near;
      if (Status near = accelerate(t, discrete, scratch, false); !near.ok()) return near;
    }
  }
  state_.write_position_rates(scratch.q, scratch.v, 1, dx);
  std::copy(scratch.v_rate.begin(), scratch.v_rate.end(), dx.begin() + tree_.nv());
  dx.back() = only_gravity_ ? 0 : scratch.loads.supplied_power;
  if (!model_.motions().empty())
    dx.back() += scratch.solver.accelerate(scratch.inputs, scratch.unknowns);
  return {};
}

// What the joints must do: Newton and Euler's equations of every body, then the way back.
void CoordinateReduction::balance(double t, Scratch& scratch) const {
  const Configuration& c = scratch.configuration;
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const BodyId body = tree_.bodies()[i].body;
    const Inertia& inertia = model_.body(body).inertia;
    const Mat3 R = c.poses[body.slot()].R();
    const Vec3 w = R.transpose() * c.velocities[body.slot()].head<3>();
    const Vec6 a = rotated(R.transpose(), scratch.solver.acceleration(static_cast<int>(i)));
    const Vec3 moment = inertia.central * a.head<3>() + w.cross(inertia.central * w);
    const Vec3 force = inertia.mass * a.tail<3>();
    scratch.needed[i] = rotated(R, spatial(moment, force)) -
                        shift_force(scratch.loads.body[body.slot()], R * inertia.center);
  }
  find_reactions(fronts_, scratch.solver, t, c, scratch.needed, scratch.reactions);
}

// How near to a singular position a stage has come.
void CoordinateReduction::watch_pivots(Scratch& scratch) const {
  if (!has_loops_) return;
  const double pivot = scratch.solver.smallest_pivot();
  scratch.smallest_pivot = std::min(scratch.smallest_pivot, pivot);
  if (pivot < kFaint)
    scratch.trust = ErrorTrust::kMissed;
  else if (pivot < kWeak)
    scratch.trust = std::max(scratch.trust, ErrorTrust::kRounding);
}

ErrorTrust CoordinateReduction::filter_error(std::span<double> /*e*/, Workspace& workspace) const {
  return std::exchange(static_cast<Scratch&>(workspace).trust, ErrorTrust::kReliable);
}

double CoordinateReduction::reach_of(const Scratch& scratch) const {
  double reach = system_.length();
  for (std::size_t b = 0; b < tree_.bodies().size(); ++b)
    for (const double p : scratch.solver.motion(static_cast<int>(b)).p)
      reach = std::max(reach, std::abs(p));
  return reach;
}

// Positions by Newton steps, then speeds, both with the least change in the kinetic metric.
// [reduction-projection]
Status CoordinateReduction::project(double t, const Discrete& discrete, Scratch& scratch,
                                    bool positions) const {
  if (independent_) {
    if (discrete.integers.size() == kFirstChosen && has_freedoms_)
      return {
          Status::Code::kSingular,
          "the start is a singular position, where independent coordinates cannot be chosen: the "
          "state 'projected' can start there"};
    hold_independent(discrete, scratch);
  }
  // Where steps are short the positions are closed to rounding anyway: then one pass is enough.
  bool closed = false;
  if (positions && scratch.was_closed) {
    if (Status status = solve(t, Level::kVelocity, discrete, scratch, false); !status.ok())
      return status;
    closed = norm_of(scratch.solver.phi()) <= kRounding * reach_of(scratch);
  }
  if (!closed) {
    if (positions)
      if (Status status = close_positions(t, discrete, scratch); !status.ok()) return status;
    if (Status status = solve(t, Level::kVelocity, discrete, scratch, false); !status.ok())
      return status;
  }
  if (independent_ &&
      (scratch.solver.lost() > 0 || scratch.solver.least_pivot() < kDeadPoint * usual_pivot_))
    return {
        Status::Code::kSingular,
        "the independent coordinates have come to a dead point within a step: shorter steps, or "
        "the state 'projected', pass it"};
  displacements(scratch);
  for (std::size_t i = 0; i < scratch.v.size(); ++i) scratch.v[i] += scratch.v_rate[i];
  scratch.located = false;
  apply_drives(t, discrete, scratch);
  return {};
}

// y as displacements or changes of speed: none of what is prescribed.
void CoordinateReduction::displacements(Scratch& scratch) const {
  expand(scratch, scratch.v_rate);
  for (const order_n::PlainDrive& drive : scratch.drives) {
    const TreeBody& body = tree_.bodies()[of(drive.slot)];
    Eigen::Map<VecX>(scratch.v_rate.data() + body.v, body.nv) -= drive.given;
  }
}

void CoordinateReduction::apply_drives(double t, const Discrete& discrete, Scratch& scratch) const {
  if (drives_.empty()) return;
  drives_.apply(t, scratch.q, scratch.v, discrete.coordinates, scratch.drives);
  order_n::pack_drives(scratch.drives, scratch.kernel_drives.data());
}

std::string CoordinateReduction::worst_closure(const Scratch& scratch) const {
  const std::span<const double> phi = scratch.solver.phi();
  int worst = 0;
  for (int r = 1; r < fronts_.closing_row_count(); ++r)
    if (!(std::abs(phi[of(r)]) <= std::abs(phi[of(worst)]))) worst = r;
  for (std::size_t i = 0; i < fronts_.closures().size(); ++i)
    if (const auto& closure = fronts_.closure(static_cast<int>(i));
        worst >= closure.first_row && worst < closure.first_row + closure.rows)
      return fmt::format("joint '{}'", model_.joint(fronts_.closures()[i]).name);
  return "a loop";
}

Status CoordinateReduction::close_positions(double t, const Discrete& discrete,
                                            Scratch& scratch) const {
  constexpr int kMostIterations = 10;
  constexpr double kStillClosed = 1e-9;  // rounding over the smallest pivots that are divided by
  double last = 1e300;
  for (int i = 0;; ++i) {
    if (Status status = solve(t, Level::kPosition, discrete, scratch, false); !status.ok())
      return status;
    ++scratch.counters.iterations;
    const double norm = norm_of(scratch.solver.phi());
    const double reach = reach_of(scratch);
    scratch.was_closed = i == 0 && norm <= kRounding * reach;
    if (norm <= kRounding * reach) break;
    const bool stagnates = i + 1 == kMostIterations || (i > 1 && norm > 0.5 * last);
    if (stagnates && norm <= kStillClosed * reach) break;
    if (stagnates || !std::isfinite(norm))
      return {Status::Code::kDiverged,
              fmt::format("the constraints cannot be closed: {} is off by {:.3g} m",
                          worst_closure(scratch), norm)};
    last = norm;
    displacements(scratch);
    std::copy(scratch.q.begin(), scratch.q.end(), scratch.state.begin());
    std::fill(scratch.displacement.begin(), scratch.displacement.end(), 0.0);
    state_.write_position_rates(scratch.q, scratch.v_rate, 1, scratch.displacement);
    state_.layout().retract(scratch.state, scratch.displacement, scratch.moved);
    std::copy_n(scratch.moved.begin(), of(tree_.nq()), scratch.q.begin());
    scratch.located = false;
    apply_drives(t, discrete, scratch);
  }
  return {};
}

// The angles of joints outside the tree follow from the poses, which do not tell turns.
Status CoordinateReduction::check_turns(const Discrete& discrete, const Scratch& scratch) const {
  for (const TurnPath& path : turn_paths_) {
    double turned = 0;
    for (const auto& [place, freedom] : path.angles)
      turned += std::abs(scratch.q[of(place)] - discrete.coordinates[of(freedom)]);
    if (turned > kMostTurn)
      return {Status::Code::kDiverged,
              fmt::format("joint '{}' may turn by more than half a turn within a step",
                          model_.joint(path.joint).name)};
  }
  return {};
}

// Angles of the tree between the two bodies of each joint outside it that has angles itself.
void CoordinateReduction::find_turn_paths(const Topology& topology) {
  for (const JointId id : topology.cut_joints) {
    const Joint& joint = model_.joint(id);
    bool has_angle = false;
    for (int k = 0; k < joint.nv(); ++k) has_angle = has_angle || joint.is_angle(k);
    if (!has_angle) continue;
    TurnPath path{id, {}};
    BodyId a = joint.a, b = joint.b;
    while (a != b) {
      BodyId& deeper = topology.depth[a.slot()] >= topology.depth[b.slot()] ? a : b;
      const JointId by = topology.parent_joint[deeper.slot()];
      if (by.valid()) {
        const TreeBody& body = tree_.bodies()[of(tree_.slot_of(by))];
        for (int k = 0; k < body.nv; ++k)
          if (model_.joint(by).is_angle(k))
            path.angles.push_back({body.q + k, model_.joint(by).first_freedom + k});
      }
      deeper = topology.parent[deeper.slot()];
    }
    turn_paths_.push_back(std::move(path));
  }
}

AfterStep CoordinateReduction::after_step(double t, std::span<double> x, Discrete& discrete,
                                          Workspace& workspace) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  AfterStep result;
  read(t, x, discrete, scratch);
  if (has_loops_ && projection_ != Projection::kOff) {
    result.status = project(t, discrete, scratch, options_.enforced == Enforced::kPosition);
    if (!result.status.ok()) return result;
    result.changed = true;
  }
  if (result.status = check_turns(discrete, scratch); !result.status.ok()) return result;
  std::copy(scratch.q.begin(), scratch.q.end(), x.begin());
  std::copy(scratch.v.begin(), scratch.v.end(), x.begin() + tree_.nq());
  locate_coordinates(discrete, scratch);
  discrete.coordinates = scratch.configuration.coordinates;
  if (!has_loops_) return result;
  note_singular_position(t, discrete, scratch, result);
  if (independent_) switch_where_better(t, discrete, scratch, result);
  return result;
}

void CoordinateReduction::note_singular_position(double t, Discrete& discrete, Scratch& scratch,
                                                 AfterStep& result) const {
  constexpr double kWorthTelling = 0.02;
  const double nearest = std::exchange(scratch.smallest_pivot, 1.0);
  if (nearest < kWorthTelling && discrete.integers[kSingularNoted] == 0) {
    result.notes.push_back(
        {t, fmt::format("near a singular position: a constraint direction fell to {:.1e} of its "
                        "usual strength",
                        nearest)});
    discrete.integers[kSingularNoted] = 1;
  }
  if (scratch.solver.smallest_pivot() > kWeak) discrete.integers[kSingularNoted] = 0;
}

Status CoordinateReduction::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                                     Workspace& workspace, Motion& motion) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  if (Status status = find_motion(t, x, discrete, scratch, motion, true); !status.ok())
    return status;
  balance(t, scratch);
  write_reactions(t, scratch, motion);
  return {};
}

Status CoordinateReduction::evaluate_motion(double t, std::span<const double> x,
                                            const Discrete& discrete, Workspace& workspace,
                                            Motion& motion) const {
  return find_motion(t, x, discrete, static_cast<Scratch&>(workspace), motion, false);
}

// Where the loops are closed already, as at the end of a step, there is nothing to project.
Status CoordinateReduction::find_motion(double t, std::span<const double> x,
                                        const Discrete& discrete, Scratch& scratch, Motion& motion,
                                        bool with_details) const {
  read(t, x, discrete, scratch);
  if (Status status = accelerate(t, discrete, scratch, with_details); !status.ok()) return status;
  if (has_loops_ && projection_ != Projection::kOff) {
    const double reach = reach_of(scratch);
    const double speed = norm_of(scratch.v) * reach;
    const bool positions = options_.enforced == Enforced::kPosition;
    if ((positions && norm_of(scratch.solver.phi()) > kRounding * reach) ||
        norm_of(scratch.solver.phi_rate()) > kRounding * speed) {
      if (Status status = project(t, discrete, scratch, positions); !status.ok()) return status;
      if (Status status = accelerate(t, discrete, scratch, with_details); !status.ok())
        return status;
    }
  }
  if (scratch.paper) {
    if (Status status = paper_accelerate(t, discrete, scratch); !status.ok()) return status;
    std::copy(scratch.v_rate.begin(), scratch.v_rate.end(), scratch.unknowns.begin());
  }
  scratch.solver.accelerate(scratch.inputs, scratch.unknowns);
  if (with_details)
    locate_coordinates(discrete, scratch);
  else
    locate(discrete, scratch);
  motion.time = t;
  motion.supplied = x.back();
  motion.configuration = scratch.configuration;
  motion.accelerations.resize(model_.bodies().size());
  motion.accelerations[0].setZero();
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const BodyId body = tree_.bodies()[i].body;
    const Vec6 a = scratch.solver.acceleration(static_cast<int>(i));
    const Vec3 w = scratch.configuration.velocities[body.slot()].head<3>();
    const Vec3 back =
        -(scratch.configuration.poses[body.slot()].q * model_.body(body).inertia.center);
    motion.accelerations[body.slot()] = shift_motion(a, back);
    motion.accelerations[body.slot()].tail<3>() += w.cross(w.cross(back));
  }
  motion.reactions.resize(model_.joints().size());
  motion.reaction_is_unique.assign(model_.joints().size(), 1);
  for (const JointId joint : not_unique_) motion.reaction_is_unique[joint.slot()] = 0;
  return {};
}

void CoordinateReduction::write_reactions(double t, const Scratch& scratch, Motion& motion) const {
  const Configuration& c = scratch.configuration;
  motion.reactions.assign(model_.joints().size(), Vec6::Zero());
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const TreeBody& body = tree_.bodies()[i];
    if (!body.joint.valid()) continue;
    const Vec3 center = c.poses[body.body.slot()].q * model_.body(body.body).inertia.center;
    motion.reactions[body.joint.slot()] =
        order_n::reaction(tree_, body, shift_force(scratch.reactions.through[i], -center), c);
  }
  for (std::size_t i = 0; i < fronts_.closures().size(); ++i) {
    const JointId id = fronts_.closures()[i];
    const int first = system_.first_row(id.index);
    const int first_closing = fronts_.closure(static_cast<int>(i)).first_row;
    Vec6 wrench = Vec6::Zero();  // at body b's origin
    system_.visit_rows(id.index, t, c, [&](int r, const Row& row, const TimeFunction::Value&) {
      wrench -= scratch.reactions.lambda[of(first_closing + r - first)] * row.J_B;
    });
    motion.reactions[id.slot()] = shift_force(wrench, view_of(model_.joint(id), c).s_B);
  }
  for (std::size_t j = 0; j < model_.joints().size(); ++j)
    if (const Vec6& load = scratch.loads.joint[j]; !load.isZero(0))
      motion.reactions[j] += shift_force(load, view_of(model_.joints()[j], c).s_B);
}

}  // namespace sarrus
