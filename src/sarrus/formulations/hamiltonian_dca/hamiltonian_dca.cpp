#include "sarrus/formulations/hamiltonian_dca/hamiltonian_dca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/kkt.h"
#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/eliminated_output.h"
#include "sarrus/formulations/hamiltonian_dca/carried_impulses.h"
#include "sarrus/formulations/hamiltonian_dca/scratch.h"
#include "sarrus/formulations/only_weight.h"
#include "sarrus/mobility/ranks_of_plan.h"

namespace sarrus {

using hamiltonian::body_momenta;
using hamiltonian::carried_impulse;
using hamiltonian::CarriedImpulse;
using hamiltonian::joint_momenta;
using hamiltonian::LaneSolver;
using hamiltonian::momentum_rates;
using hamiltonian::momentum_scales;
using hamiltonian::PartLanes;
using hamiltonian::sum_over_subtrees;
using tree::kinematics;

namespace {

/// Over the inertia that the joint feels, an error of a momentum is one of a speed. Those of the joints beside it
/// add up; loops take most of them out.  [hamilton-scale]
constexpr double kStrictness = 4;
constexpr double kStrictnessOfLoops = 2;

/// The tree's layout, with strict momenta in place of speeds, and the rates of prescribed motions before the
/// supplied work.
StateLayout with_momenta(const StateLayout& tree, int speeds, int motions, double strictness) {
  StateLayout layout;
  for (std::size_t i = 0; i + 2 < tree.blocks().size(); ++i) {
    const StateLayout::Block& block = tree.blocks()[i];
    if (block.kind == StateLayout::Kind::kQuaternion)
      layout.add_quaternion();
    else
      layout.add_vector(block.size);
  }
  // The last of the coordinates stand in one block with the speeds.
  if (speeds > 0) {
    const int coordinates = tree.size() - 1 - speeds - layout.size();
    if (coordinates > 0) layout.add_vector(coordinates);
    layout.add_momenta(speeds, /*moved=*/0, strictness);
  }
  if (motions > 0) layout.add_vector(motions, /*strictness=*/0);
  layout.add_vector(1, /*strictness=*/0);
  return layout;
}

/// h R per joint, of those whose friction is implicit.
std::vector<double> inertia_of_friction(const Model& model, double step) {
  std::vector<double> inertia(model.joints().size(), 0.0);
  for (const JointFriction& friction : model.joint_frictions())
    inertia[friction.at.joint.slot()] += step * friction.viscous;
  return inertia;
}

/// A joint with implicit friction that the general code closes, which knows of none; invalid: there is
/// none.
JointId joint_without_friction(const EliminationPlan& plan, const augmented_dca::FastParts& parts,
                               const std::vector<double>& inertia) {
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (parts.takes_join(static_cast<int>(i))) continue;
    for (const elimination::ClosingRow& row : plan.nodes[i].rows)
      if (const JointId joint{plan.joint_of_row[to_index(row.row)]}; inertia[joint.slot()] > 0)
        return joint;
  }
  return {};
}

/// As asked for; an open mechanism is one part where implicit friction takes that, or where parts by
/// themselves lack inertia, as planar chains of thin rods do.
std::shared_ptr<const WholeMechanism> whole_for(RankStudy& study, int part_bodies,
                                                const std::vector<double>& inertia) {
  std::shared_ptr<const WholeMechanism> whole = study.whole({.part_bodies = part_bodies});
  if (!study.topology().is_tree() || std::ranges::all_of(inertia, [](double I) { return I == 0; }))
    return whole;
  const augmented_dca::FastParts parts(whole->plan, whole->tree);
  if (!joint_without_friction(whole->plan, parts, inertia).valid() && !lacks_inertia(whole->plan))
    return whole;
  return study.whole({.part_bodies = study.model().body_count()});
}

}  // namespace

HamiltonianDca::~HamiltonianDca() = default;

HamiltonianDca::HamiltonianDca(RankStudy& study, const HamiltonianDcaOptions& options)
    : HamiltonianDca(study, study.model(), study.topology(), options) {}

HamiltonianDca::HamiltonianDca(RankStudy& study, const Model& model, const Topology& topology,
                               const HamiltonianDcaOptions& options)
    : model_(model),
      options_(options),
      tree_(model, topology),
      state_(tree_),
      drives_(tree_, model.motions()),
      friction_inertia_(inertia_of_friction(model, options.implicit_friction)),
      whole_(whole_for(study, options.part_bodies, friction_inertia_)),
      system_(whole_->system),
      assembly_(whole_->tree),
      plan_(whole_->plan),
      fast_parts_(plan_, assembly_, friction_inertia_),
      executor_(options.threads, options.grain),
      assembled_(study.assembled()),
      nominal_(nominal_ranks_of(plan_, topology, executor_, study)),
      projection_(options.projection),
      is_carried_(to_index(system_.rows()), 0) {
  for (int j = 0; j < model.joint_count(); ++j) {
    bool carries = false;
    for (int r = system_.first_row(j); r < system_.first_row(j + 1); ++r) {
      const bool is_motion = system_.origins()[to_index(r)].motion >= 0;
      const bool is_cut = tree_.slot_of(JointId{j}) < 0;
      if (is_motion) motion_rows_.push_back(r);
      if (is_motion && !is_cut) drives_tree_ = true;
      is_carried_[to_index(r)] = is_motion || is_cut;
      carries = carries || is_carried_[to_index(r)];
    }
    if (carries) carrying_.push_back(j);
  }
  // [hamilton-correction]
  constexpr double kUsual = 1e-9;
  if (options.position_tolerance >= 0)
    position_tolerance_ = options.position_tolerance * system_.length();
  else if (projection_ == Projection::kAuto)
    position_tolerance_ = kUsual * system_.length();
  if (topology.is_tree()) projection_ = Projection::kOff;
  if (model.motions().empty()) select_kernel(topology);
  if (options.implicit_friction > 0) check_friction();
  for (const tree::TreeBody& body : tree_.bodies())
    for (int k = 0; k < body.nv; ++k)
      joint_inertia_.push_back(body.joint.valid() ? friction_inertia_[body.joint.slot()] : 0.0);
  layout_ = with_momenta(state_.layout(), tree_.nv(), static_cast<int>(motion_rows_.size()),
                         topology.is_tree() ? kStrictness : kStrictnessOfLoops);

  std::vector<double> x(to_index(state_.layout().size()));
  state_.encode(assembled_, x);
  tree::TreeMotion motion;
  kinematics(tree_, x.data(), x.data() + tree_.nq(), motion);
  scale_ = momentum_scales(tree_, motion);
  for (const double scale : scale_) inverse_scale_.push_back(1 / scale);
  // Of a fall through its own length.
  natural_speed_ = std::sqrt(model.gravity().norm() * system_.length()) + system_.length();
  watches_ = plan_.iterates && !open_ && options.implicit_friction == 0;
  if (watches_ && nominal_.rank < system_.rows()) {
    decoder_ = std::make_unique<Scratch>(*this);
    dependent_impulses_ = impulses_depend(study.poses().back(), *decoder_);
    // Rows that are left out close only where the others do.  [hamilton-correction]
    if (dependent_impulses_ && options.position_tolerance < 0) position_tolerance_ = 0;
  }
}

// Where nothing is prescribed.
void HamiltonianDca::select_kernel(const Topology& topology) {
  // Bodies without inertia about some axis are no matter to a recursion, and dear to elimination.
  const bool lacks = lacks_inertia(plan_);
  const bool is_regular = !lacks && nominal_.rank == system_.rows();
  bool takes_all = true;
  for (std::size_t i = 0; i < plan_.parts.size(); ++i)
    takes_all = takes_all && fast_parts_.takes(static_cast<int>(i));
  for (const tree::TreeBody& body : tree_.bodies())
    takes_all = takes_all && body.type == JointType::kRevolute;
  if (is_regular && takes_all) {
    std::vector<BodyId> carriers;
    for (const int j : carrying_) {
      const Joint& joint = model_.joint(JointId{j});
      for (const BodyId body : {joint.a, joint.b})
        if (body != kGround) carriers.push_back(body);
    }
    lanes_ = std::make_unique<const PartLanes>(tree_, plan_, assembly_, fast_parts_, carriers);
    only_weight_ = has_only_weight(model_) && carrying_.empty() && lanes_->only_tips();
    return;
  }
  if (topology.is_tree() && (assembly_.parts.size() == 1 || lacks))
    open_ = std::make_unique<const OrderN>(model_, topology);
  is_fast_ = !open_ && is_regular;
}

void HamiltonianDca::check_friction() const {
  if (!lanes_)
    throw UsageError(
        "hamiltonian-dca treats friction implicitly where all joints are revolute but those that "
        "close loops, all constraints are independent, all bodies have inertia and no motion is "
        "prescribed\n  hint: method.friction=explicit");
  if (const JointId joint = joint_without_friction(plan_, fast_parts_, friction_inertia_);
      joint.valid())
    throw UsageError(
        fmt::format("hamiltonian-dca cannot treat the friction of joint '{}' implicitly: a loop is "
                    "put together there\n  hint: method.friction=explicit",
                    model_.joint(joint).name));
}

std::string HamiltonianDca::element_of(int tangent_index) const {
  return state_.element_of(tangent_index);
}

std::unique_ptr<Workspace> HamiltonianDca::make_workspace() const {
  return std::make_unique<Scratch>(*this);
}

// [hamilton-state]
void HamiltonianDca::encode(const Configuration& from, std::span<double> x,
                            Discrete& discrete) const {
  state_.encode(from, x);
  tree::TreeMotion motion;
  kinematics(tree_, x.data(), x.data() + tree_.nq(), motion);
  std::vector<Vec6> P;
  body_momenta(tree_, motion, P);
  sum_over_subtrees(tree_, motion, P);
  const std::span<double> p = x.subspan(to_index(momenta_at()), to_index(tree_.nv()));
  const std::vector<double> u(p.begin(), p.end());
  joint_momenta(tree_, motion, P, p);
  // [hamilton-friction]
  for (std::size_t k = 0; k < p.size(); ++k) p[k] = (p[k] + joint_inertia_[k] * u[k]) / scale_[k];
  double* rate = x.data() + motions_at();
  for (const int j : carrying_) {
    const Joint& joint = model_.joint(JointId{j});
    const Vec6 &V_A = from.velocities[joint.a.slot()], &V_B = from.velocities[joint.b.slot()];
    system_.visit_rows(j, 0, from, [&](int r, const Row& row, const TimeFunction::Value&) {
      if (system_.origins()[to_index(r)].motion >= 0) *rate++ = row.rate(V_A, V_B);
    });
  }
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers = {0, 0};
  if (!watches_) return;
  const std::lock_guard lock(decoding_);
  if (!decoder_) decoder_ = std::make_unique<Scratch>(*this);
  Elimination& elimination = decoder_->elimination();
  discrete.integers[kNearSingular] =
      elimination.factor(0, from, Elimination::Values::kPositions).ok() &&
      SingularWatch::is_weak(nominal_.strength(elimination));
}

// Both stages in one sweep where nothing but weight acts.  [hamilton-parts]
Status HamiltonianDca::lane_rates(double t, std::span<const double> x, const Discrete& discrete,
                                  Scratch& s, std::span<double> dx) const {
  const std::span<double> p_rate = dx.subspan(to_index(tree_.nv()), to_index(tree_.nv()));
  dx.back() = 0;
  if (only_weight_) {
    LaneSolver::Inputs inputs = s.lane_inputs(*this, x, discrete);
    inputs.u = dx.data();
    inputs.p_rate = p_rate.data();
    ++s.counters.factorizations;
    return s.eliminated->lanes->solve(t, inputs, executor_, s.elimination(), s.configuration);
  }
  read_pose(x, s);
  if (Status status = find_lane_velocities(t, x, discrete, s); !status.ok()) return status;
  if (!carrying_.empty()) carry_impulses(t, s);
  compute_loads(model_, t, s.configuration, s.loads);
  for (const int j : carrying_) {
    const Joint& joint = model_.joint(JointId{j});
    for (const BodyId body : {joint.a, joint.b}) {
      s.loads.body[body.slot()] += s.carried_rate[body.slot()];
      s.carried_rate[body.slot()].setZero();  // bodies of several such joints
    }
  }
  s.eliminated->lanes->find_rates(s.loads.body, s.carried, p_rate.data());
  tree::copy_numbers(s.u.data(), tree_.nv(), dx.data());
  dx.back() = s.loads.supplied_power;
  return {};
}

// Impulses of loops and of prescribed motions, and their rates, per body.
void HamiltonianDca::carry_impulses(double t, Scratch& s) const {
  std::ranges::fill(s.carried, Vec6::Zero());
  std::ranges::fill(s.carried_rate, Vec6::Zero());
  for (const int j : carrying_) {
    const CarriedImpulse c =
        carried_impulse(system_, j, t, s.elimination().lambda(), is_carried_, s.configuration);
    const Joint& joint = model_.joint(JointId{j});
    const auto add = [&](BodyId body, const Vec6& impulse, const Vec6& rate) {
      if (body == kGround) return;
      s.carried[body.slot()] += impulse;
      s.carried_rate[body.slot()] += rate;
    };
    add(joint.a, c.on_a, c.rate_on_a);
    add(joint.b, c.on_b, c.rate_on_b);
  }
}

// Stage 2: sums over subtrees, and the rates of the momenta.  [hamilton-rates]
void HamiltonianDca::find_momentum_rates(Scratch& s) const {
  body_momenta(tree_, s.motion, s.sums.momentum);
  s.sums.force.resize(tree_.bodies().size());
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const std::size_t body = tree_.bodies()[i].body.slot();
    s.sums.force[i] = s.loads.body[body];
    if (carrying_.empty()) continue;
    // [hamilton-augmented]  λ has the sign of the elimination: the joint exerts −Jᵀλ.
    s.sums.momentum[i] += s.carried[body];
    s.sums.force[i] += s.carried_rate[body];
  }
  sum_over_subtrees(tree_, s.motion, s.sums.momentum);
  sum_over_subtrees(tree_, s.motion, s.sums.force);
  momentum_rates(tree_, s.motion, s.sums, s.momentum_rate);
}

Status HamiltonianDca::rates(double t, std::span<const double> x, const Discrete& discrete,
                             Workspace& workspace, std::span<double> dx) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  ++s.counters.evaluations;
  s.near_singular = is_near_singular(discrete);
  const bool whole = has_whole_momenta(discrete);
  if (lanes_ && !whole) return lane_rates(t, x, discrete, s, dx);
  read_pose(x, s);
  if (!drives_.empty()) drives_.move(t, s.q, s.zeros, discrete.coordinates);
  if (s.near_singular && projection_ != Projection::kOff)
    if (Status status = close_pose(t, discrete, s); !status.ok()) return status;
  const Wanted wanted = whole ? Wanted::kAccelerations : Wanted::kImpulses;
  if (Status status = find_velocities(t, x, wanted, discrete, s); !status.ok()) return status;
  if (whole) {
    if (Status status = find_accelerations(t, s); !status.ok()) return status;
    find_whole_momentum_rates(s);
  } else {
    if (!carrying_.empty()) carry_impulses(t, s);
    compute_loads(model_, t, s.configuration, s.loads);
    find_momentum_rates(s);
  }

  state_.write_position_rates(s.q, s.u, 1, dx);
  const std::span<double> p_rate = dx.subspan(to_index(tree_.nv()), to_index(tree_.nv()));
  for (std::size_t k = 0; k < scale_.size(); ++k) p_rate[k] = s.momentum_rate[k] / scale_[k];
  dx.back() = s.loads.supplied_power;
  if (motion_rows_.empty()) return {};
  // What motors of prescribed motions supply takes their forces, and so accelerations.
  if (!whole)
    if (Status status = find_accelerations(t, s); !status.ok()) return status;
  s.elimination().find_multipliers(s.configuration);
  double* rate = dx.data() + 2 * tree_.nv();
  for (const int r : motion_rows_) {
    const PrescribedMotion& motion =
        system_.motions()[to_index(system_.origins()[to_index(r)].motion)];
    *rate++ = motion.value(t).acceleration;
    dx.back() -= s.elimination().lambda()[to_index(r)] * s.elimination().motion_rate()[to_index(r)];
  }
  return {};
}

// At the pose that is factored and the velocities found there.  [dca-system]
Status HamiltonianDca::find_accelerations(double t, Scratch& s) const {
  gather_loads(model_, t, s.configuration, s.loads, s.Q);
  s.elimination().evaluate(t, s.configuration);
  if (Status status = s.elimination().solve(s.Q, s.elimination().gamma(), {}); !status.ok())
    return status;
  for (const Vec6& a : s.elimination().a())
    if (!a.allFinite()) return {Status::Code::kNotFinite, "the accelerations are not finite"};
  return {};
}

void HamiltonianDca::decode(std::span<const double> x, const Discrete& discrete,
                            Configuration& to) const {
  const std::lock_guard lock(decoding_);
  if (!std::ranges::equal(x, last_seen_.x)) {
    if (!decoder_) decoder_ = std::make_unique<Scratch>(*this);
    Scratch& s = *decoder_;
    read_pose(x, s);
    const Status status = find_velocities(0, x, Wanted::kState, discrete, s);
    if (!status.ok()) std::ranges::fill(s.u, std::numeric_limits<double>::quiet_NaN());
    last_seen_.x.assign(x.begin(), x.end());
    last_seen_.u = s.u;
  }
  std::vector<double> tree_state(x.begin(), x.begin() + tree_.nq());
  tree_state.insert(tree_state.end(), last_seen_.u.begin(), last_seen_.u.end());
  tree_state.push_back(x.back());
  tree::TreeMotion motion;
  kinematics(tree_, tree_state.data(), last_seen_.u.data(), motion);
  to.coordinates = discrete.coordinates;
  state_.decode(tree_state, motion, to);
}

Status HamiltonianDca::evaluate_motion(double t, std::span<const double> x,
                                       const Discrete& discrete, Workspace& workspace,
                                       Motion& motion) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  if (Status status = move_and_find_velocities(t, x, Wanted::kMotion, discrete, s); !status.ok())
    return status;
  if (motion_rows_.empty()) {  // whoever looks at a state is likely to ask for it again
    const std::lock_guard lock(decoding_);
    last_seen_.x.assign(x.begin(), x.end());
    last_seen_.u = s.u;
  }
  if (open_) {
    s.write_tree_state(*this, x);
    return open_->evaluate_motion(t, s.x, discrete, *s.open, motion);
  }
  motion.time = t;
  motion.supplied = x.back();
  s.write_configuration(*this, x, discrete, motion.configuration);
  s.configuration.coordinates = motion.configuration.coordinates;
  if (is_fast_ || lanes_)
    if (Status status = s.elimination().factor(t, s.configuration); !status.ok()) return status;
  if (Status status = find_accelerations(t, s); !status.ok()) return status;
  motion.accelerations.assign(s.elimination().a().begin(), s.elimination().a().end());
  motion.accelerations[0].setZero();
  return {};
}

Status HamiltonianDca::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                                Workspace& workspace, Motion& motion) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  if (open_) {
    if (Status status = move_and_find_velocities(t, x, Wanted::kMotion, discrete, s); !status.ok())
      return status;
    s.write_tree_state(*this, x);
    return open_->evaluate(t, s.x, discrete, *s.open, motion);
  }
  if (Status status = evaluate_motion(t, x, discrete, workspace, motion); !status.ok())
    return status;
  write_reactions(s.elimination(), s.loads, s.configuration, motion);
  return {};
}

std::vector<Phase> HamiltonianDca::phases(double t, std::span<const double> x,
                                          const Discrete& discrete, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const auto dx = std::make_shared<std::vector<double>>(to_index(layout_.tangent_size()));
  if (lanes_ && only_weight_)
    return {{"both stages in one sweep",
             [=, this, &discrete, &s] { return lane_rates(t, x, discrete, s, *dx); }},
            {"of these, stage 2: momentum rates", [=, this, &s] {
               s.eliminated->lanes->find_weight_rates(executor_, s.elimination(),
                                                      dx->data() + tree_.nv());
               return Status{};
             }}};
  return {{"stage 1: velocities",
           [=, this, &discrete, &s] {
             return move_and_find_velocities(t, x, Wanted::kImpulses, discrete, s);
           }},
          {"impulses of loops",
           [=, this, &s] {
             carry_impulses(t, s);
             return Status{};
           }},
          {"forces",
           [=, this, &s] {
             compute_loads(model_, t, s.configuration, s.loads);
             return Status{};
           }},
          {"stage 2: momentum rates", [=, this, &s] {
             if (lanes_)
               s.eliminated->lanes->find_rates(s.loads.body, s.carried, dx->data() + tree_.nv());
             else
               find_momentum_rates(s);
             return Status{};
           }}};
}

}  // namespace sarrus
