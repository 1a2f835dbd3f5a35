#include "sarrus/formulations/modular/bodies_subsystem.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/spatial/dense.h"

namespace sarrus::modular {
namespace {

std::vector<JointId> joints_within(const Model& model, const std::vector<BodyId>& bodies) {
  const auto inside = [&](BodyId body) { return std::ranges::find(bodies, body) != bodies.end(); };
  std::vector<JointId> joints;
  for (int j = 0; j < model.joint_count(); ++j)
    if (inside(model.joint(JointId{j}).a) && inside(model.joint(JointId{j}).b))
      joints.push_back(JointId{j});
  return joints;
}

}  // namespace

BodiesSubsystem::BodiesSubsystem(const Model& model, std::vector<BodyId> bodies,
                                 const Configuration& assembled)
    : model_(&model),
      bodies_(std::move(bodies)),
      joints_(joints_within(model, bodies_)),
      system_(model, joints_, model.motions()),
      rank_limit_(system_.rows()),
      kkt_(system_),
      masses_(system_.column_bodies().size()) {
  for (const BodyId body : system_.column_bodies())
    place_of_column_.push_back(
        static_cast<int>(std::ranges::find(bodies_, body) - bodies_.begin()));
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (system_.column(bodies_[i]) >= 0) continue;
    loose_.push_back(static_cast<int>(i));
    loose_admittance_.emplace_back(model.body(bodies_[i]).inertia);
    if (!loose_admittance_.back().exists)
      throw UsageError(
          fmt::format("uzawa cannot take body '{}': it has no inertia against some motion, and its "
                      "subsystem does not hold it\n  hint: give it mass and a full tensor",
                      model.body(bodies_[i]).name));
  }
  if (factor(0, assembled).ok()) rank_limit_ = kkt_.rank();
}

// The factors know their system by its address.
BodiesSubsystem::BodiesSubsystem(const BodiesSubsystem& other)
    : Subsystem(other),
      model_(other.model_),
      bodies_(other.bodies_),
      joints_(other.joints_),
      system_(other.system_),
      rank_limit_(other.rank_limit_),
      place_of_column_(other.place_of_column_),
      loose_(other.loose_),
      loose_admittance_(other.loose_admittance_),
      kkt_(system_),
      masses_(other.masses_) {}

Status BodiesSubsystem::factor(double t, const Configuration& c) {
  system_.evaluate(t, c, values_);
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const BodyId id = system_.column_bodies()[i];
    masses_[i] = model_->body(id).inertia.matrix(c.poses[id.slot()].R());
  }
  if (!values_.J.allFinite()) return {Status::Code::kNotFinite, "the configuration is not finite"};
  if (kkt_.factor(masses_, values_.J, rank_limit_)) return {};
  return massless_status(*model_, kkt_.massless_body());
}

Status BodiesSubsystem::respond(const SubsystemMoment& moment, SubsystemResponse& response) {
  const Configuration& c = moment.configuration;
  if (!masses_.empty())
    if (Status status = factor(moment.time, c); !status.ok()) return status;
  const auto applied = [&](BodyId id) -> Vec6 {
    return moment.loads.body[id.slot()] - gyroscopic_wrench(model_->body(id).inertia,
                                                            c.poses[id.slot()].R(),
                                                            c.velocities[id.slot()].head<3>());
  };
  response.W.setZero();
  for (std::size_t i = 0; i < loose_.size(); ++i) {
    const BodyId id = bodies_[static_cast<std::size_t>(loose_[i])];
    Mat6 W;
    loose_admittance_[i].turned(c.poses[id.slot()].R(), W);
    response.W.block<6, 6>(6 * loose_[i], 6 * loose_[i]) = W;
    response.free.segment<6>(6 * loose_[i]) = W * applied(id);
  }
  if (masses_.empty()) return {};
  Q_.resize(system_.columns());
  for (std::size_t i = 0; i < masses_.size(); ++i)
    Q_.segment<6>(6 * static_cast<Eigen::Index>(i)) = applied(system_.column_bodies()[i]);
  g_ = values_.gamma + moment.k_v * values_.phi_rate + moment.k_p * values_.phi;
  kkt_.solve(Q_, -g_, a_, lambda_, 1);
  // W = N (Nᵀ M N)⁻¹ Nᵀ over the motions N that the inner joints allow.
  const MatX N = kkt_.allowed_motions();
  MatX MN(N.rows(), N.cols());
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const auto at = 6 * static_cast<Eigen::Index>(i);
    MN.middleRows<6>(at) = masses_[i] * N.middleRows<6>(at);
  }
  const Cholesky<MatX> reduced(N.transpose() * MN);
  const MatX W = N * reduced.solve(N.transpose());
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const auto at = 6 * static_cast<Eigen::Index>(i);
    const auto to = 6 * place_of_column_[i];
    response.free.segment<6>(to) = a_.segment<6>(at);
    for (std::size_t j = 0; j < masses_.size(); ++j)
      response.W.block<6, 6>(to, 6 * place_of_column_[j]) =
          W.block<6, 6>(at, 6 * static_cast<Eigen::Index>(j));
  }
  return {};
}

// Inner multipliers under the wrenches from outside; as the factors have them, M a + Jᵀ λ = f.
void BodiesSubsystem::solve_under(const VecX& wrenches) {
  f_ = Q_;
  for (std::size_t i = 0; i < masses_.size(); ++i)
    f_.segment<6>(6 * static_cast<Eigen::Index>(i)) += wrenches.segment<6>(6 * place_of_column_[i]);
  kkt_.solve(f_, -g_, a_, lambda_, 1);
}

double BodiesSubsystem::supplied_power(const VecX& wrenches) {
  if (masses_.empty() || values_.motion_rate.isZero(0)) return 0;
  solve_under(wrenches);
  return -lambda_.dot(values_.motion_rate);
}

void BodiesSubsystem::add_reactions(const VecX& wrenches, std::span<Vec6> reactions) {
  if (masses_.empty()) return;
  solve_under(wrenches);
  for (int r = 0; r < system_.rows(); ++r) {
    const JointId joint = system_.origins()[static_cast<std::size_t>(r)].joint;
    const int column = system_.column(model_->joint(joint).b);
    reactions[joint.slot()] -= lambda_[r] * values_.J.row(r).segment<6>(column).transpose();
  }
}

}  // namespace sarrus::modular
