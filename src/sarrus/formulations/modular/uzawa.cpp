#include "sarrus/formulations/modular/uzawa.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/modular/boxes.h"
#include "sarrus/formulations/modular/uzawa_scratch.h"
#include "sarrus/mobility/rank_study.h"

namespace sarrus::modular {
namespace {

/// Steps of Lanczos for the interval of chebyshev, and how far below it we go.
constexpr int kLanczosSteps = 400;
constexpr double kIntervalMargin = 0.8;

std::vector<Box> boxes_of(const std::vector<FilledBox>& filled) {
  std::vector<Box> boxes;
  for (const FilledBox& one : filled) boxes.push_back(one.box);
  return boxes;
}

std::vector<std::unique_ptr<Subsystem>> insides_of(std::vector<FilledBox>& filled) {
  std::vector<std::unique_ptr<Subsystem>> insides;
  for (FilledBox& one : filled) insides.push_back(std::move(one.inside));
  return insides;
}

/// Do rows that depend on each other part where the mechanism goes straight on along its freedoms, and so
/// off the manifold? Those of planar mechanisms do not.  [modular-drift]
bool rows_part(const ConstraintSystem& system, const Configuration& assembled, int nominal_rank) {
  // Off by its square: far above the tolerance of ranks.
  const double stride = 0.1 * system.length();
  Projector projector(system, system.rows());
  if (!projector.factor(0, assembled).ok()) return true;
  const MatX motions = projector.kkt().allowed_motions();
  for (Eigen::Index i = 0; i < motions.cols(); ++i) {
    Configuration moved = assembled;
    system.displace(stride * motions.col(i), moved);
    if (!projector.factor(0, moved).ok() || projector.kkt().rank() > nominal_rank) return true;
  }
  return false;
}

}  // namespace

Uzawa::~Uzawa() = default;

Uzawa::Uzawa(RankStudy& study, const UzawaOptions& options, const SubsystemKinds& kinds)
    : Uzawa(study, study.model(), options,
            make_boxes(study.model(), study.assembled(), options, kinds)) {}

Uzawa::Uzawa(RankStudy& study, const Model& model, const UzawaOptions& options,
             std::vector<FilledBox> boxes)
    : model_(model),
      options_(options),
      system_(model),
      interface_(model, boxes_of(boxes)),
      subsystems_(insides_of(boxes)) {
  for (const Body& body : model.bodies()) admittances_.emplace_back(body.inertia);
  const bool plain = std::ranges::all_of(interface_.boxes, &Box::is_body);
  const bool asked =
      options.projection == Projection::kStep || options.projection == Projection::kStage;
  if (asked && !plain)
    throw UsageError(
        "with subsystems of more than a body uzawa does not project: what is inside is not for the "
        "joints to move\n  hint: leave out --projection; violated joints are stabilised");
  options_.projection = plain ? projection_for(options.projection, options.step) : Projection::kOff;
  nominal_rank_ = system_.rows();
  if (!study.topology().is_tree()) {
    not_unique_ = study.nonunique_reactions();
    nominal_rank_ = study.generic().rank;
    const bool is_redundant = study.generic().redundant > 0;
    if (options.projection == Projection::kAuto && options_.projection == Projection::kStep &&
        is_redundant)
      options_.projection = Projection::kStage;
    if (is_redundant && options_.projection != Projection::kStage)
      rows_part_ = model.joint_count() > kDenseJoints ||
                   rows_part(system_, study.assembled(), nominal_rank_);
  }
  if (!options_.rho.empty() && options_.rho.size() != 1 &&
      options_.rho.size() != interface_.links.size())
    throw UsageError(fmt::format(
        "method.rho has {} values, but there are {} joints between subsystems\n  hint: give one "
        "number for all of them, or one each in the order of the model's joints",
        options_.rho.size(), interface_.links.size()));
  gains_ = gains_for(options.omega, options.damping, options.step, options_.projection);
  if (options_.own_steps) {
    // [multirate-residual]  The steps see to it; what is shown at an instant is what holds there.
    gains_ = {};
    if (model.mode_count() > 0)
      throw UsageError(
          "multirate does not take flexible bodies yet\n  hint: uzawa does with other integrators");
    if (asked)
      throw UsageError(
          "multirate does not project: joints that have parted return at the level of velocities\n"
          "  hint: leave out --projection");
    if (!options_.rho.empty() || options_.stopping == Stopping::kIncrement)
      throw UsageError(
          "method.rho and method.stopping=increment are for forces at an instant, not for steps of "
          "subsystems\n  hint: leave them out with multirate");
  }
  if (options_.iteration == Iteration::kTree || options_.projection != Projection::kOff)
    elimination_ = std::make_unique<JointElimination>(interface_);
  layout_ = body_state::layout(model);
  add_own_coordinates();
  if (options_.projection != Projection::kOff && !study.topology().is_tree())
    measure_generic_poses(study);
  if (options_.iteration == Iteration::kChebyshev) {
    Scratch scratch(*this);
    std::vector<double> x(slot(layout_.size()));
    Discrete discrete;
    encode(study.assembled(), x, discrete);
    decode(x, discrete, scratch.configuration);
    if (prepare(0, x, scratch).ok())
      least_eigenvalue_ =
          kIntervalMargin * scratch.solver.least_eigenvalue(scratch.system, kLanczosSteps);
  }
}

void Uzawa::add_own_coordinates() {
  bool any = false;
  for (const auto& inside : subsystems_) any = any || (inside && inside->own_coordinates() > 0);
  if (!any) return;
  StateLayout layout;
  for (int i = 1; i < model_.body_count(); ++i) {
    layout.add_quaternion();
    layout.add_vector(9);
  }
  // Modes stand where they do for everyone, behind the bodies.
  const int modes = model_.mode_count();
  const int first = layout.size(), first_tangent = layout.tangent_size();
  if (modes > 0) layout.add_vector(2 * modes);
  for (std::size_t k = 0; k < subsystems_.size(); ++k) {
    const int count = subsystems_[k] ? subsystems_[k]->own_coordinates() : 0;
    if (count == 0) continue;
    if (const Body& body = model_.bodies()[slot(interface_.boxes[k].bodies.front())];
        body.modal != nullptr) {
      const int mode = body.first_mode;
      own_.push_back({static_cast<int>(k), count, first + mode, first + modes + mode,
                      first_tangent + mode, first_tangent + modes + mode});
      continue;
    }
    const int x = layout.size(), u = layout.tangent_size();
    own_.push_back({static_cast<int>(k), count, x, x + count, u, u + count});
    own_places_.push_back({static_cast<int>(k), count, x, x + count});
    layout.add_vector(2 * count);
  }
  layout.add_vector(1, /*strictness=*/0);
  layout_ = layout;
}

const Body& Uzawa::body_of(const Own& own) const {
  return model_.bodies()[slot(interface_.boxes[slot(own.box)].bodies.front())];
}

std::string Uzawa::lost_by_edits() const {
  for (const Own& own : own_)
    if (!subsystems_[slot(own.box)]->starts_from_bodies())
      return "the coordinates that subsystems of your own keep";
  return "";
}

std::string Uzawa::element_of(int tangent_index) const {
  return body_state::element_of(model_, tangent_index);
}

std::vector<VelocityPair> Uzawa::velocity_pairs() const {
  std::vector<VelocityPair> pairs = body_state::velocity_pairs(model_);
  for (const Own& own : own_)
    if (!is_flexible(own)) pairs.push_back({own.tangent_position, own.tangent_velocity, own.count});
  return pairs;
}

std::optional<Stabilisation> Uzawa::stabilisation() const { return stabilisation_of(gains_); }

std::unique_ptr<Workspace> Uzawa::make_workspace() const {
  return std::make_unique<Scratch>(*this);
}

void Uzawa::encode(const Configuration& from, std::span<double> x, Discrete& discrete) const {
  body_state::write(from, x);
  for (const Own& own : own_)
    subsystems_[slot(own.box)]->start(from, x.subspan(slot(own.position), slot(own.count)),
                                      x.subspan(slot(own.velocity), slot(own.count)));
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers = {0, 0, 0, 0};
  discrete.reals.clear();  // cold
}

// Coordinates stay those of the last accepted step: rows unwrap their angles from there.
void Uzawa::read(std::span<const double> x, const Discrete& discrete, Configuration& to) const {
  const auto modes = slot(model_.mode_count());
  body_state::read(x.first(body_state::kBodySize * (model_.bodies().size() - 1) + 2 * modes), to,
                   model_.mode_count());
  to.coordinates = discrete.coordinates;
  for (const Own& own : own_)
    subsystems_[slot(own.box)]->place(x.subspan(slot(own.position), slot(own.count)),
                                      x.subspan(slot(own.velocity), slot(own.count)), to);
}

void Uzawa::decode(std::span<const double> x, const Discrete& discrete, Configuration& to) const {
  read(x, discrete, to);
  update_coordinates(model_, to);
}

std::string Uzawa::wants_own_steps() const {
  const auto box = std::ranges::find_if(interface_.boxes, [](const Box& b) { return b.steps > 1; });
  if (box == interface_.boxes.end()) return {};
  return fmt::format("the subsystem with body '{}' takes {} steps in one of the others",
                     model_.bodies()[slot(box->bodies.front())].name, box->steps);
}

}  // namespace sarrus::modular
