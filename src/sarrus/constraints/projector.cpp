#include "sarrus/constraints/projector.h"

#include <fmt/format.h>

#include <utility>

#include "sarrus/base/thresholds.h"
#include "sarrus/constraints/closing.h"
#include "sarrus/model/loads.h"

namespace sarrus {
namespace {

constexpr int kMostCorrections = 12;

}  // namespace

Status massless_status(const Model& model, BodyId body) {
  const std::string name = body.valid() ? model.body(body).name : "?";
  return {
      Status::Code::kSingular,
      fmt::format("body '{}' can move without any inertia opposing it; give it mass and inertia, "
                  "or constrain that motion",
                  name)};
}

void gather_masses(const ConstraintSystem& system, const Configuration& c,
                   std::vector<Mat6>& masses, std::vector<ModalMass>& modal) {
  const Model& model = system.model();
  masses.resize(system.column_bodies().size());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const BodyId id = system.column_bodies()[i];
    const Body& body = model.body(id);
    const Mat3 R = c.poses[id.slot()].R();
    masses[i] = body.modal == nullptr ? body.inertia.matrix(R)
                                      : body.modal->rigid_mass(c.modes.data() + body.first_mode, R);
  }
  modal.resize(system.mode_columns().size());
  for (std::size_t i = 0; i < modal.size(); ++i) {
    const ConstraintSystem::ModeColumns& own = system.mode_columns()[i];
    const Body& body = model.body(own.body);
    modal[i].block = own.block;
    modal[i].column = own.column;
    modal[i].coupling =
        body.modal->coupling(c.modes.data() + body.first_mode, c.poses[own.body.slot()].R());
    modal[i].modal = body.modal->modal_mass();
  }
}

Projector::Projector(const ConstraintSystem& system, int rank_limit, double conditioning)
    : system_(&system),
      rank_limit_(rank_limit),
      conditioning_(conditioning),
      kkt_(system),
      masses_(system.column_bodies().size()),
      zero_(VecX::Zero(system.columns())) {}

Status Projector::factor(double t, const Configuration& configuration) {
  system_->evaluate(t, configuration, values_);
  if (std::exchange(factors_hold_, false)) return {};
  gather_masses(*system_, configuration, masses_, modal_);
  ++factorizations;
  if (!values_.J.allFinite()) return {Status::Code::kNotFinite, "the configuration is not finite"};
  if (kkt_.factor(masses_, values_.J, rank_limit_, conditioning_, modal_)) return {};
  return massless_status(system_->model(), kkt_.massless_body());
}

double Projector::strength() const {
  if (conditioning_ == 0) return 1;
  return kkt_.rank() < rank_limit_ ? 0.0 : kkt_.smallest_pivot() / conditioning_;
}

Status Projector::project_positions(double t, Configuration& configuration) {
  factors_hold_ = false;  // those of an earlier pose, if nobody asked for them
  if (system_->rows() == 0) return {};
  system_->evaluate_positions(t, configuration, phi_);
  const double closed = closed_residual(*system_, configuration);
  double size = phi_.norm();
  double moved = 0;
  bool fresh = false;
  // At least one correction even when closed: near singular positions every digit of φ counts.
  for (int i = 0; i < kMostCorrections && (i == 0 || !(size <= closed)); ++i) {
    if (!fresh) {
      if (Status status = factor(t, configuration); !status.ok()) return status;
      fresh = true;
    }
    ++iterations;
    kkt_.solve(zero_, -phi_, delta_, lambda_, 0);
    before_ = configuration;
    system_->displace(delta_, configuration);
    system_->evaluate_positions(t, configuration, phi_);
    const double next = phi_.norm();
    if (next >= size && size <= 16 * closed) {  // rounding is all that was left
      configuration = before_;
      break;
    }
    moved += delta_.cwiseAbs().maxCoeff();
    fresh = next <= 0.1 * size;
    size = next;
  }
  update_coordinates(system_->model(), configuration);
  // A pose moved by rounding has the same factors.
  factors_hold_ = moved <= 1e-15 * system_->length();
  if (size <= std::max(16 * closed, thresholds::kOpen * system_->length())) return {};
  return {Status::Code::kDiverged,
          fmt::format("{} cannot be kept closed: {:.3g} is left", system_->worst(phi_), size)};
}

void Projector::project_velocities(double t, Configuration& configuration) {
  if (system_->rows() == 0) return;
  ++iterations;
  V_ = system_->velocities(configuration);
  // Refined, so that light bodies beside heavy ones keep their digits.
  kkt_.solve(zero_, -values_.phi_rate, delta_, lambda_, 1);
  V_ += delta_;
  system_->set_velocities(V_, configuration);
  system_->evaluate(t, configuration, values_);
}

}  // namespace sarrus
