#include "sarrus/formulations/modular/flexible_box.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::modular {

std::vector<const NodeAttachment*> node_ports(const Model& model, BodyId body) {
  std::vector<const NodeAttachment*> ports;
  const auto add = [&](BodyId on, const Attachment& attachment) {
    if (on != body || attachment == nullptr) return;
    const auto same = [&](const NodeAttachment* port) { return port->node == attachment->node; };
    if (std::ranges::none_of(ports, same)) ports.push_back(attachment.get());
  };
  for (const Joint& joint : model.joints()) {
    add(joint.a, joint.attachment_a);
    add(joint.b, joint.attachment_b);
  }
  return ports;
}

FlexibleBox::FlexibleBox(const Model& model, BodyId body)
    : model_(&model), body_(body), ports_(node_ports(model, body)) {
  const auto rows = 6 * static_cast<Eigen::Index>(1 + ports_.size());
  const Eigen::Index columns = 6 + modal().count();
  P_ = MatX::Zero(rows, columns);
  P_.topLeftCorner<6, 6>().setIdentity();
  bias_ = VecX::Zero(rows);
  mass_ = MatX::Zero(columns, columns);
  mass_.bottomRightCorner(columns - 6, columns - 6) = modal().modal_mass();
  force_ = VecX::Zero(columns);
  const VecX rest = VecX::Zero(modal().count());
  if (!factor(rest.data(), Mat3::Identity()))
    throw UsageError(
        fmt::format("uzawa cannot take body '{}': it has no inertia against some motion\n"
                    "  hint: give it a full tensor; a beam: polar_inertia",
                    model.body(body).name));
}

bool FlexibleBox::factor(const double* eta, const Mat3& R) {
  const Eigen::Index n = modal().count();
  mass_.topLeftCorner<6, 6>() = modal().rigid_mass(eta, R);
  mass_.topRightCorner(6, n) = modal().coupling(eta, R);
  mass_.bottomLeftCorner(n, 6) = mass_.topRightCorner(6, n).transpose();
  factor_.compute(mass_);
  // A thin rod has none about itself but for rounding.
  constexpr double kNone = 1e-13;
  return factor_.ok() &&
         (factor_.pivots().array().square() > kNone * mass_.diagonal().array()).all();
}

// [modular-flexible]  a = P M⁻¹ (f + Pᵀ w) + bias.
Status FlexibleBox::respond(const SubsystemMoment& moment, SubsystemResponse& response) {
  const Configuration& c = moment.configuration;
  const Body& body = model_->body(body_);
  const double* eta = c.modes.data() + body.first_mode;
  const double* rate = c.mode_rates.data() + body.first_mode;
  const Mat3 R = c.poses[body_.slot()].R();
  const Vec3 w = c.velocities[body_.slot()].head<3>();
  const Eigen::Index n = modal().count();
  if (!factor(eta, R))
    return {Status::Code::kNotFinite,
            fmt::format("body '{}' is deformed so far that it has no inertia", body.name)};
  force_.head<6>() = moment.loads.body[body_.slot()] - modal().rigid_bias(eta, rate, w, R);
  force_.tail(n) = Eigen::Map<const VecX>(moment.loads.modes.data() + body.first_mode, n) -
                   modal().modal_bias(eta, rate, w, R);
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    const NodeMotion node = node_motion(body_, *ports_[k], c);
    const auto at = 6 * static_cast<Eigen::Index>(k + 1);
    P_.block<6, 6>(at, 0).setIdentity();
    P_.block<3, 3>(at + 3, 0) = -skew(node.s);
    P_.block(at, 6, 6, n) = node.Z;
    bias_.segment<6>(at) = node.bias;
  }
  const MatX yielding = factor_.solve(P_.transpose());
  response.W.noalias() = P_ * yielding;
  response.W = (0.5 * (response.W + response.W.transpose())).eval();
  response.free.noalias() = yielding.transpose() * force_;
  response.free += bias_;
  return {};
}

void FlexibleBox::accelerate(const VecX& wrenches, std::span<double> accelerations) {
  const VecX a = factor_.solve(force_ + P_.transpose() * wrenches);
  std::copy_n(a.data() + 6, accelerations.size(), accelerations.begin());
}

}  // namespace sarrus::modular
