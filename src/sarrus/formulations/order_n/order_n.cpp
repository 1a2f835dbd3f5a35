#include "sarrus/formulations/order_n/order_n.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/articulated/driven_joints.h"
#include "sarrus/articulated/kernels/kernels.h"
#include "sarrus/articulated/loads_on_records.h"
#include "sarrus/base/assert.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/base/thresholds.h"
#include "sarrus/formulations/order_n/scratch.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/model/body_loads.h"
#include "sarrus/model/loads.h"

namespace sarrus {

using namespace order_n;

namespace {

const Kernel* kernel_named(const std::string& name) {
  if (name == "plain") return nullptr;
  const Kernel* kernel = find_kernel(name);
  if (kernel != nullptr || name.empty()) return kernel;
  std::vector<std::string> names = kernel_names();
  names.push_back("plain");
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(
        fmt::format("order-n has no kernel '{}'; {}", name, suggestion(name, names, "kernels")));
  throw UsageError(
      fmt::format("this processor cannot run the kernel '{}'; leave the choice to the "
                  "program, or take 'plain'",
                  name));
}

const Topology& require_tree(const Model& model, const Topology& topology) {
  if (!topology.is_tree())
    throw UsageError(fmt::format("this takes open mechanisms only, and '{}' has {} {}",
                                 model.name(), topology.loop_count(),
                                 topology.loop_count() == 1 ? "loop" : "loops"));
  return topology;
}

const Kernel* kernel_for(const Topology& topology, const std::string& name) {
  if (topology.is_tree()) return kernel_named(name);
  if (name.empty() || name == "plain") return nullptr;
  throw UsageError(
      fmt::format("the kernels of order-n take open mechanisms only, not loops\n  hint: leave out "
                  "the kernel '{}'",
                  name));
}

/// How many rows of the cut joints neither depend on each other nor on the tree.
int rank_of_cuts(const Model& model, const Tree& tree, const Mobility::Figures& generic) {
  int rank = generic.rank;
  for (const TreeBody& body : tree.bodies())
    if (body.joint.valid()) rank -= model.joint(body.joint).constraint_count();
  for (const PrescribedMotion& motion : model.motions())
    if (tree.slot_of(motion.at.joint) >= 0) --rank;
  return rank;
}

/// Per slot: does a force or torque act on the body itself?
std::vector<char> loaded_bodies(const Tree& tree) {
  std::vector<char> loaded(tree.bodies().size(), 0);
  const auto mark = [&](BodyId body) {
    if (body != kGround) loaded[to_index(tree.slot_of(body))] = 1;
  };
  const Model& model = tree.model();
  for (const PointSpring& spring : model.point_springs()) {
    mark(spring.a);
    mark(spring.b);
  }
  for (const AppliedForce& load : model.applied_forces()) mark(load.body);
  for (const AppliedTorque& load : model.applied_torques()) mark(load.body);
  for (const SoftJoint& soft : model.soft_joints()) {
    mark(soft.joint.a);
    mark(soft.joint.b);
  }
  return loaded;
}

}  // namespace

bool OrderN::are_finite(std::span<const double> numbers) const {
  if (kernel_ != nullptr)
    return std::isfinite(kernel_->sum_of_magnitudes(numbers.data(), numbers.size()));
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

OrderN::OrderN(const Model& model, const Topology& topology, const OrderNOptions& options)
    : OrderN(LoopsMayBe{}, model, require_tree(model, topology), options) {}

OrderN::OrderN(RankStudy& study, const OrderNOptions& options)
    : OrderN(LoopsMayBe{}, study.model(), study.topology(), options) {
  if (study.topology().is_tree()) return;
  not_unique_ = study.nonunique_reactions();
  closures_.emplace(tree_, study.topology(), rank_of_cuts(model_, tree_, study.generic()),
                    options.baumgarte);
  check_inertia_of_tree(study.assembled());
  learn_strength(study.poses());
}

void OrderN::learn_strength(const std::vector<Configuration>& poses) {
  std::vector<double> x(to_index(layout().size()));
  Discrete discrete;
  Scratch scratch(*this);
  for (const Configuration& pose : poses) {
    encode(pose, x, discrete);
    const Applied applied = apply_loads(0, x, discrete, scratch);
    kinematics(tree_, applied.q.data(), applied.v.data(), scratch.motion);
    closures_->learn_strength(scratch.motion, discrete.coordinates, scratch.drives,
                              scratch.closures);
  }
}

OrderN::OrderN(LoopsMayBe, const Model& model, const Topology& topology,
               const OrderNOptions& options)
    : model_(model),
      tree_(model, topology),
      state_(tree_),
      joint_loads_(tree_),
      drives_(tree_, model.motions()),
      has_body_loads_(acts_on_bodies(model)),
      kernel_model_(tree_, drives_.unknowns(), drives_.drive_of(), loaded_bodies(tree_)),
      kernel_(kernel_for(topology, options.kernel)) {}

// Cut loops may let bodies move that cannot as long as they are closed. Forces of the closures act
// along such motions, so that more than a trace of inertia is needed: rounding of the accelerations
// is 1e-16 over it.
void OrderN::check_inertia_of_tree(const Configuration& assembled) const {
  std::vector<double> x(to_index(layout().size()));
  Discrete discrete;
  encode(assembled, x, discrete);
  Scratch scratch(*this);
  const Applied applied = apply_loads(0, x, discrete, scratch);
  kinematics(tree_, applied.q.data(), applied.v.data(), scratch.motion);
  if (const Status status =
          check_inertia(tree_, scratch.motion, scratch.drives, thresholds::kLittleInertia);
      !status.ok())
    throw UsageError(
        fmt::format("order-n cuts the loops, and then {}\n  hint: these do not cut "
                    "them: coordinate-reduction, augmented-dca, reference",
                    status.reason));
}

std::string_view OrderN::variant() const { return kernel_ == nullptr ? "plain" : kernel_->name; }

std::string OrderN::element_of(int tangent_index) const { return state_.element_of(tangent_index); }

std::unique_ptr<Workspace> OrderN::make_workspace() const {
  return std::make_unique<Scratch>(*this);
}

void OrderN::encode(const Configuration& from, std::span<double> x, Discrete& discrete) const {
  state_.encode(from, x);
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers.clear();
  discrete.reals.assign(closures_ ? 1 : 0, 0.0);  // the gap in the loops
}

double OrderN::add_loads_to_kernel(double t, Scratch& scratch) const {
  if (!has_body_loads_) return 0;
  const auto place = [&](int slot) { return kernel_model_.place(slot); };
  if (tree_.traversal() == Traversal::kChains)
    return add_to_bias(
        tree_, t,
        [&](int slot) {
          return LoadedBody(scratch.kernel.chains.records[place(slot).record], 0,
                            kernel_model_.X_BC(slot));
        },
        [&](int slot, const Vec6& wrench) {
          ChainData& data = scratch.kernel.chains.data[place(slot).block];
          add_to_lane(wrench, place(slot).lane, data.n, data.f);
        });
  return add_to_bias(
      tree_, t,
      [&](int slot) {
        return LoadedBody(scratch.kernel.levels.data[place(slot).block].record, place(slot).lane,
                          kernel_model_.X_BC(slot));
      },
      [&](int slot, const Vec6& wrench) {
        LevelData& data = scratch.kernel.levels.data[place(slot).block];
        for (int k = 0; k < 6; ++k) data.articulated[21 + k][place(slot).lane] += wrench[k];
      });
}

double OrderN::external_wrenches(double t, const TreeMotion& m, std::vector<Vec6>& wrenches) const {
  wrenches.assign(tree_.bodies().size(), Vec6::Zero());
  if (!has_body_loads_) return 0;
  return add_body_loads(
      model_, t,
      [&](BodyId id, const Attachment&) {
        return id == kGround ? Transform{} : m.X_WB[to_index(tree_.slot_of(id))];
      },
      [&](BodyId id, const Attachment&) {
        return id == kGround ? Vec6::Zero().eval() : m.V[to_index(tree_.slot_of(id))];
      },
      [&](BodyId id, const Attachment&, const Vec6& wrench) {
        if (id != kGround) wrenches[to_index(tree_.slot_of(id))] += wrench;
      });
}

// What the prescribed motions must add to the joint forces, times the speeds.  [order-n-drive]
double OrderN::drive_power(double t, const Applied& applied, std::span<const double> v_rate,
                           Scratch& scratch) const {
  if (kernel_ == nullptr) newton_euler_at(t, applied, v_rate, scratch);
  double power = 0;
  for (std::size_t d = 0; d < scratch.drives.size(); ++d) {
    const TreeBody& body = tree_.bodies()[to_index(scratch.drives[d].slot)];
    if (kernel_ != nullptr) power += scratch.kernel.drive(static_cast<int>(d)).power;
    for (int k = body.v; k < body.v + body.nv; ++k) {
      if (kernel_ == nullptr) power += scratch.wrenches.tau[to_index(k)] * applied.v[to_index(k)];
      power -= scratch.tau[to_index(k)] * applied.v[to_index(k)];
    }
  }
  return power;
}

// Motion, external wrenches and all joint wrenches, body by body.
void OrderN::newton_euler_at(double t, const Applied& applied, std::span<const double> v_rate,
                             Scratch& scratch) const {
  kinematics(tree_, applied.q.data(), applied.v.data(), scratch.motion);
  // Where there are loops, the rates have left all that acts from outside the tree.
  if (!closures_) external_wrenches(t, scratch.motion, scratch.external);
  newton_euler(tree_, scratch.motion, v_rate, scratch.external, scratch.wrenches);
}

// Coordinates and speeds with what is prescribed at t, and the forces along the joints.
OrderN::Applied OrderN::apply_loads(double t, std::span<const double> x, const Discrete& discrete,
                                    Scratch& scratch) const {
  Applied applied{x.first(to_index(tree_.nq())),
                  x.subspan(to_index(tree_.nq()), to_index(tree_.nv())), 0};
  if (!drives_.empty()) {
    scratch.q.assign(applied.q.begin(), applied.q.end());
    scratch.v.assign(applied.v.begin(), applied.v.end());
    drives_.apply(t, scratch.q, scratch.v, discrete.coordinates, scratch.drives);
    applied.q = scratch.q;
    applied.v = scratch.v;
  }
  if (!joint_loads_.empty()) {
    std::fill(scratch.tau.begin(), scratch.tau.end(), 0.0);
    applied.power = joint_loads_.add(t, applied.q, applied.v, discrete.coordinates, scratch.tau);
  }
  return applied;
}

Status OrderN::rates(double t, std::span<const double> x, const Discrete& discrete,
                     Workspace& workspace, std::span<double> dx) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  if (Status status = find_rates(t, x, discrete, scratch, dx); !status.ok()) return status;
  return closures_ ? closures_->judge_gap(discrete.reals.front(), scratch.closures) : Status{};
}

Status OrderN::find_rates(double t, std::span<const double> x, const Discrete& discrete,
                          Scratch& scratch, std::span<double> dx) const {
  ++scratch.counters.evaluations;
  const Applied applied = apply_loads(t, x, discrete, scratch);
  const std::span<double> v_rate = dx.subspan(to_index(tree_.nv()), to_index(tree_.nv()));
  double power = applied.power;
  power += kernel_ == nullptr ? plain_rates(t, applied, discrete, scratch, v_rate)
                              : kernel_rates(t, applied, scratch, v_rate);
  state_.write_position_rates(applied.q, applied.v, 1, dx);
  if (!drives_.empty()) power += drive_power(t, applied, v_rate, scratch);
  dx.back() = power;
  if (are_finite(v_rate)) return {};
  return why_not_finite(applied, scratch);
}

// The recursion without weight and without motion: forces are impulses, and accelerations speeds.
Status OrderN::speeds_from_rest(std::span<const double> q, std::span<const double> p,
                                Workspace& workspace, std::span<double> u) const {
  SARRUS_ASSERT(drives_.empty() && !closures_);
  Scratch& scratch = static_cast<Scratch&>(workspace);
  const Applied applied{q, scratch.rest, 0};
  if (kernel_ == nullptr) {
    kinematics(tree_, q.data(), scratch.rest.data(), scratch.motion);
    scratch.motion.gravity.setZero();
    scratch.external.assign(tree_.bodies().size(), Vec6::Zero());
    forward_dynamics(tree_, scratch.motion, p, scratch.external, {}, u);
  } else {
    Inputs in;
    in.q = q.data();
    in.v = scratch.rest.data();
    in.tau = p.data();
    in.turns = kernel_->largest_magnitude(in.q, to_index(tree_.nq())) > kLargestAngle;
    with_passes(scratch, [&](const auto& passes, auto system, auto& memory) {
      std::fill_n(system.gravity, 3, 0.0);
      passes.kinematics(system, in, memory);
      passes.inward(system, in, memory);
      passes.outward(system, in, memory, u.data());
    });
  }
  if (are_finite(u)) return {};
  return why_not_finite(applied, scratch);
}

double OrderN::plain_rates(double t, const Applied& applied, const Discrete& discrete,
                           Scratch& scratch, std::span<double> v_rate) const {
  kinematics(tree_, applied.q.data(), applied.v.data(), scratch.motion);
  const double power = external_wrenches(t, scratch.motion, scratch.external);
  if (closures_) {
    ++scratch.counters.factorizations;
    return power + closures_->accelerate(t, scratch.motion, discrete.coordinates, scratch.tau,
                                         scratch.drives, scratch.external, scratch.closures,
                                         v_rate);
  }
  forward_dynamics(tree_, scratch.motion, scratch.tau, scratch.external, scratch.drives, v_rate);
  return power;
}

// What the kernel reads; the unknowns that it finds are `v_rate` itself unless some are prescribed.
Inputs OrderN::kernel_inputs(const Applied& applied, Scratch& scratch) const {
  Inputs in;
  in.q = applied.q.data();
  in.v = applied.v.data();
  in.tau = scratch.tau.data();
  in.poses = has_body_loads_;
  in.turns = kernel_->largest_magnitude(in.q, to_index(tree_.nq())) > kLargestAngle;
  if (drives_.empty()) return in;
  pack_drives(scratch.drives, scratch.kernel_drives.data());
  reduce_forces(tree_, kernel_model_, scratch.drives, scratch.tau.data(), scratch.tau_free.data());
  in.drives = scratch.kernel_drives.data();
  in.tau = scratch.tau_free.data();
  return in;
}

// The passes of the traversal in use, as function(passes, system, memory).
template <class Function>
void OrderN::with_passes(Scratch& scratch, Function function) const {
  if (tree_.traversal() == Traversal::kChains)
    function(kernel_->chains, kernel_model_.chains(), scratch.kernel.chains);
  else
    function(kernel_->levels, kernel_model_.levels(), scratch.kernel.levels);
}

double OrderN::kernel_rates(double t, const Applied& applied, Scratch& scratch,
                            std::span<double> v_rate) const {
  const Inputs in = kernel_inputs(applied, scratch);
  double* unknowns = drives_.empty() ? v_rate.data() : scratch.unknowns.data();
  double power = 0;
  with_passes(scratch, [&](const auto& passes, const auto& system, auto& memory) {
    passes.kinematics(system, in, memory);
    power = add_loads_to_kernel(t, scratch);
    passes.inward(system, in, memory);
    passes.outward(system, in, memory, unknowns);
  });
  if (!drives_.empty())
    expand_unknowns(tree_, kernel_model_, scratch.drives, unknowns, v_rate.data());
  return power;
}

std::vector<Phase> OrderN::phases(double t, std::span<const double> x, const Discrete& discrete,
                                  Workspace& workspace) const {
  if (kernel_ == nullptr) return {};
  Scratch& scratch = static_cast<Scratch&>(workspace);
  const auto inputs = std::make_shared<Inputs>();
  // The inward pass works in place: run again, it works on other numbers in the same time.
  const auto pass = [this, inputs, &scratch](auto which) {
    return [=, this, &scratch] {
      with_passes(scratch, [&](const auto& passes, const auto& system, auto& memory) {
        which(passes, system, *inputs, memory, scratch.unknowns.data());
      });
      return Status{};
    };
  };
  std::vector<Phase> phases = {
      {"joint forces",
       [=, this, &discrete, &scratch] {
         *inputs = kernel_inputs(apply_loads(t, x, discrete, scratch), scratch);
         return Status{};
       }},
      {"kinematics", pass([](const auto& passes, const auto& system, const Inputs& in, auto& memory,
                             double*) { passes.kinematics(system, in, memory); })}};
  if (has_body_loads_)
    phases.push_back({"loads on bodies", [=, this, &scratch] {
                        add_loads_to_kernel(t, scratch);
                        return Status{};
                      }});
  phases.push_back(
      {"inward", pass([](const auto& passes, const auto& system, const Inputs& in, auto& memory,
                         double*) { passes.inward(system, in, memory); })});
  phases.push_back(
      {"outward", pass([](const auto& passes, const auto& system, const Inputs& in, auto& memory,
                          double* unknowns) { passes.outward(system, in, memory, unknowns); })});
  const auto dx = std::make_shared<std::vector<double>>(to_index(layout().tangent_size()));
  phases.push_back({"rates of the state", [=, this] {
                      state_.write_position_rates({inputs->q, to_index(tree_.nq())},
                                                  {inputs->v, to_index(tree_.nv())}, 1, *dx);
                      return are_finite(*dx) ? Status{} : Status{Status::Code::kNotFinite, ""};
                    }});
  return phases;
}

Status OrderN::why_not_finite(const Applied& applied, Scratch& scratch) const {
  if (!are_finite(applied.q) || !are_finite(applied.v))
    return {Status::Code::kNotFinite, "the coordinates or speeds are not finite"};
  kinematics(tree_, applied.q.data(), applied.v.data(), scratch.motion);
  if (Status status = check_inertia(tree_, scratch.motion, scratch.drives); !status.ok())
    return status;
  return {Status::Code::kNotFinite, "the accelerations are not finite"};
}

AfterStep OrderN::after_step(double t, std::span<double> x, Discrete& discrete,
                             Workspace& workspace) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  // The rates see what is prescribed at their own time whatever x says: they stay as they are.
  if (!drives_.empty())
    drives_.apply(t, x.first(to_index(tree_.nq())),
                  x.subspan(to_index(tree_.nq()), to_index(tree_.nv())), discrete.coordinates,
                  scratch.drives);
  if (tree_.has_joints_outside()) {
    kinematics(tree_, x.data(), x.data() + tree_.nq(), scratch.motion);
    write_configuration(scratch.motion, x, discrete, scratch.configuration);
    discrete.coordinates = scratch.configuration.coordinates;
    if (closures_)
      discrete.reals = {closures_->gap(t, scratch.motion, discrete.coordinates, scratch.closures)};
  } else {
    state_.read_coordinates(x, discrete.coordinates);
  }
  return {};
}

Status OrderN::evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                               Workspace& workspace, Motion& motion) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  std::vector<double> dx(to_index(layout().tangent_size()));
  std::vector<double> state(x.begin(), x.end());
  const Status status = find_rates(t, x, discrete, scratch, dx);
  --scratch.counters.evaluations;  // output is not counted
  if (!status.ok()) return status;
  if (!drives_.empty()) {
    std::copy(scratch.q.begin(), scratch.q.end(), state.begin());
    std::copy(scratch.v.begin(), scratch.v.end(), state.begin() + tree_.nq());
  }
  kinematics(tree_, state.data(), state.data() + tree_.nq(), scratch.motion);
  // Whether there is inertia everywhere is a matter of the mechanism, but for isolated poses.
  if (!scratch.has_inertia) {
    if (Status inertia = check_inertia(tree_, scratch.motion, scratch.drives); !inertia.ok())
      return inertia;
    scratch.has_inertia = true;
  }
  motion.time = t;
  motion.supplied = x.back();
  write_configuration(scratch.motion, state, discrete, motion.configuration);
  if (!closures_) external_wrenches(t, scratch.motion, scratch.external);
  const std::span<const double> v_rate(dx.data() + tree_.nv(), to_index(tree_.nv()));
  newton_euler(tree_, scratch.motion, v_rate, scratch.external, scratch.wrenches);
  motion.accelerations.assign(model_.bodies().size(), Vec6::Zero());
  motion.reactions.assign(model_.joints().size(), Vec6::Zero());
  motion.reaction_is_unique.assign(model_.joints().size(), 1);
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const TreeBody& body = tree_.bodies()[i];
    motion.accelerations[body.body.slot()] = scratch.wrenches.acceleration[i];
    if (body.joint.valid())
      motion.reactions[body.joint.slot()] =
          reaction(tree_, body, scratch.wrenches.wrench[i], motion.configuration);
  }
  if (closures_) closures_->write_reactions(scratch.closures, motion.reactions);
  return {};
}

// The reactions are at hand anyway; which of them are unique may have to be found.
Status OrderN::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                        Workspace& workspace, Motion& motion) const {
  if (Status status = evaluate_motion(t, x, discrete, workspace, motion); !status.ok())
    return status;
  not_unique_.unmark(motion.reaction_is_unique);
  return {};
}

void OrderN::decode(std::span<const double> x, const Discrete& discrete, Configuration& to) const {
  TreeMotion motion;
  kinematics(tree_, x.data(), x.data() + tree_.nq(), motion);
  write_configuration(motion, x, discrete, to);
}

void OrderN::write_configuration(const TreeMotion& motion, std::span<const double> x,
                                 const Discrete& discrete, Configuration& to) const {
  to.coordinates = discrete.coordinates;
  state_.decode(x, motion, to);
}

}  // namespace sarrus
