#include "sarrus/formulations/coordinate_reduction/coordinate_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/articulated/driven_joints.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/coordinate_reduction/scratch.h"
#include "sarrus/formulations/singular_watch.h"
#include "sarrus/mobility/rank_study.h"

namespace sarrus {

namespace {

/// Unknowns that a user prefers as independent count as so much smaller.
constexpr double kPreference = 0.5;

}  // namespace

CoordinateReduction::CoordinateReduction(RankStudy& study,
                                         const CoordinateReductionOptions& options)
    : CoordinateReduction(study, study.model(), study.topology(), options) {}

CoordinateReduction::CoordinateReduction(RankStudy& study, const Model& model,
                                         const Topology& topology,
                                         const CoordinateReductionOptions& options)
    : model_(model),
      options_(options),
      system_(model),
      tree_(model, topology),
      state_(tree_),
      drives_(tree_, model.motions()),
      kernel_model_(tree_, drives_.unknowns(), drives_.drive_of(),
                    std::vector<char>(tree_.bodies().size(), 0),
                    coordinate_reduction::carriers_of(
                        tree_, coordinate_reduction::closing_joints(tree_, system_))),
      fronts_(tree_, kernel_model_, system_, drives_.unknowns(), false),
      executor_(options.threads, options.grain),
      joint_loads_(tree_),
      is_cut_(model.joints().size(), 0),
      has_loops_(!topology.is_tree()),
      independent_(options.state == StateChoice::kIndependent && !topology.is_tree()),
      topology_(topology),
      projection_(options.projection) {
  for (int j = 0; j < model.joint_count(); ++j)
    is_cut_[to_index(j)] = tree_.slot_of(JointId{j}) < 0;
  has_outside_loads_ = acts_on_bodies(model) || acts_on_joints(model, is_cut_);
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
    not_unique_ = study.nonunique_reactions();
    const Mobility::Figures& generic = study.generic();
    find_turn_paths(topology);
    has_freedoms_ = generic.freedoms > 0;
    const int in_tree = system_.rows() - fronts_.closing_row_count();
    const bool exact = topology.largest_block() <= topology.dense_joints;
    int expected = exact ? generic.rank - in_tree : -1;
    if (!find_nominal_ranks(fronts_, expected, study.poses()) && !too_wide_) {
      expected = -1;
      if (!find_nominal_ranks(fronts_, expected, study.poses()) && !too_wide_)
        throw UsageError(fmt::format(
            "the loops of '{}' could not be analysed: they close at no pose that was tried\n  "
            "hint: "
            "`sarrus check` tells what is wrong, `--method reference` takes small mechanisms",
            model.name()));
    }
    if (coordinate_reduction::has_chains(tree_, fronts_.closures(), drives_.unknowns())) {
      chained_.emplace(tree_, kernel_model_, system_, drives_.unknowns(), true);
      if (!find_nominal_ranks(*chained_, expected, study.poses())) chained_.reset();
    }
    usual_pivot_ = 1;
    for (const auto& front : fronts_.fronts())
      for (const auto& operation : front.operations)
        usual_pivot_ = std::min(usual_pivot_, operation.usual_pivot);
  }
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

void CoordinateReduction::decode(std::span<const double> x, const Discrete& discrete,
                                 Configuration& to) const {
  tree::TreeMotion motion;
  tree::kinematics(tree_, x.data(), x.data() + tree_.nq(), motion);
  to.coordinates = discrete.coordinates;
  state_.decode(x, motion, to);
}

// Coordinates and speeds with what is prescribed at t.
void CoordinateReduction::read(double t, std::span<const double> x, const Discrete& discrete,
                               Scratch& scratch) const {
  tree::copy_numbers(x.data(), tree_.nq(), scratch.q.data());
  tree::copy_numbers(x.data() + tree_.nq(), tree_.nv(), scratch.v.data());
  scratch.located = false;
  apply_drives(t, discrete, scratch);
}

coordinate_reduction::Inputs CoordinateReduction::inputs(Level level, Scratch& scratch) const {
  Inputs in;
  in.level = level;
  in.q = scratch.q.data();
  in.v = scratch.v.data();
  in.drives = scratch.kernel_drives.data();
  in.given = scratch.given.data();
  if (scratch.holds && level != Level::kAcceleration) in.held = scratch.held.data();
  for (const double q : scratch.q) in.turns = in.turns || std::abs(q) > tree::kLargestAngle;
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
      coordinate_reduction::GivenRow& to = scratch.given[to_index(closure.first_row + r - first)];
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

// Forces along the joints of the tree, as far as they are free.
void CoordinateReduction::give_joint_forces(double t, const Discrete& discrete,
                                            Scratch& scratch) const {
  std::fill(scratch.tau.begin(), scratch.tau.end(), 0.0);
  scratch.supplied_power +=
      joint_loads_.add(t, scratch.q, scratch.v, discrete.coordinates, scratch.tau);
  scratch.inputs.tau = scratch.tau.data();
  if (drives_.empty()) return;
  articulated::reduce_forces(tree_, kernel_model_, scratch.drives, scratch.tau.data(),
                             scratch.tau_free.data());
  scratch.inputs.tau = scratch.tau_free.data();
}

// All but the weight, which the recursions know, at the mass centres; `through_tree`: with what acts
// along its joints, too.
void CoordinateReduction::give_wrenches(double t, bool through_tree, Scratch& scratch) const {
  compute_loads(model_, t, scratch.configuration,
                through_tree ? std::span<const char>() : std::span<const char>(is_cut_),
                scratch.loads);
  scratch.supplied_power += scratch.loads.supplied_power;
  scratch.inputs.wrenches = scratch.wrenches.data();
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
  scratch.supplied_power = 0;
  give_wrenches(t, true, scratch);
  scratch.external.resize(tree_.bodies().size());
  scratch.no_tau.assign(to_index(tree_.nv()), 0.0);
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
  const bool loaded = level == Level::kAcceleration;
  const bool wrenches = loaded && (has_outside_loads_ || with_details);
  if (wrenches || fronts_.has_given_rows()) locate(discrete, scratch);
  scratch.supplied_power = 0;
  if (wrenches) give_wrenches(t, with_details, scratch);
  if (loaded && !with_details && !joint_loads_.empty()) give_joint_forces(t, discrete, scratch);
  give_rows(t, scratch);
  ++scratch.counters.factorizations;
  if (!scratch.chained || with_details || in.held != nullptr || !solve_with_chains(in, scratch)) {
    scratch.last = &scratch.solver;
    const auto result = scratch.solver.solve(in, scratch.unknowns, with_details);
    if (!result.status.ok()) return result.status;
  }
  for (const double y : scratch.unknowns)
    if (!std::isfinite(y)) return why_not_finite(scratch);
  return {};
}

// Where the end of a chain hardly moves in some direction its bodies are taken one by one.
bool CoordinateReduction::solve_with_chains(const Inputs& in, Scratch& scratch) const {
  scratch.last = &*scratch.chained;
  const auto result = scratch.chained->solve(in, scratch.unknowns, false);
  return !result.faint_chain && result.status.ok();
}

Status CoordinateReduction::why_not_finite(const Scratch& scratch) const {
  for (const std::vector<double>* numbers : {&scratch.q, &scratch.v})
    for (const double x : *numbers)
      if (!std::isfinite(x))
        return {Status::Code::kNotFinite, "the coordinates or speeds are not finite"};
  if (Status status = check_inertia(scratch); !status.ok()) return status;
  return {Status::Code::kNotFinite, "the accelerations are not finite"};
}

// Directions in which the tree moves without inertia. What hangs on loops must not have any.
Status CoordinateReduction::check_inertia(const Scratch& scratch) const {
  tree::TreeMotion motion;
  tree::kinematics(tree_, scratch.q.data(), scratch.v.data(), motion);
  return articulated::check_inertia(tree_, motion, scratch.drives);
}

// v̇ = given + N y, or y itself.
void CoordinateReduction::expand(const Scratch& scratch, std::span<double> rates) const {
  if (drives_.empty()) {
    tree::copy_numbers(scratch.unknowns.data(), tree_.nv(), rates.data());
    return;
  }
  articulated::expand_unknowns(tree_, kernel_model_, scratch.drives, scratch.unknowns.data(),
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
    if (projection_ == Projection::kStep && has_loops_ &&
        SingularWatch::is_weak(scratch.last->smallest_pivot())) {
      if (Status near = project(t, discrete, scratch, options_.enforced == Enforced::kPosition);
          !near.ok())
        return near;
      if (Status near = accelerate(t, discrete, scratch, false); !near.ok()) return near;
    }
  }
  state_.write_position_rates(scratch.q, scratch.v, 1, dx);
  tree::copy_numbers(scratch.v_rate.data(), tree_.nv(), dx.data() + tree_.nv());
  dx.back() = scratch.supplied_power;
  if (!model_.motions().empty()) {
    dx.back() += scratch.solver.accelerate(scratch.inputs, scratch.unknowns);
    if (!joint_loads_.empty() && !scratch.paper)
      for (std::size_t k = 0; k < scratch.tau.size(); ++k)
        dx.back() -= scratch.tau[k] * scratch.v[k];
  }
  return {};
}

// How near to a singular position a stage has come.
void CoordinateReduction::watch_pivots(Scratch& scratch) const {
  if (!has_loops_) return;
  scratch.watch.see(scratch.last->smallest_pivot());
}

ErrorTrust CoordinateReduction::filter_error(std::span<double> /*e*/, Workspace& workspace) const {
  return static_cast<Scratch&>(workspace).watch.take_trust();
}

void CoordinateReduction::apply_drives(double t, const Discrete& discrete, Scratch& scratch) const {
  if (drives_.empty()) return;
  drives_.apply(t, scratch.q, scratch.v, discrete.coordinates, scratch.drives);
  articulated::pack_drives(scratch.drives, scratch.kernel_drives.data());
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
  scratch.watch.finish_step(t, scratch.last->smallest_pivot(), discrete, result);
  if (independent_) switch_where_better(t, discrete, scratch, result);
  return result;
}

}  // namespace sarrus
