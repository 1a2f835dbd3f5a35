#include "sarrus/formulations/body_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::body_state {

StateLayout layout(const Model& model) {
  StateLayout layout;
  for (int i = 1; i < model.body_count(); ++i) {
    layout.add_quaternion();
    layout.add_vector(9);
  }
  if (model.mode_count() > 0) layout.add_vector(2 * model.mode_count());
  layout.add_vector(1, /*strictness=*/0);
  return layout;
}

std::vector<VelocityPair> velocity_pairs(const Model& model) {
  std::vector<VelocityPair> pairs;
  for (int i = 0; i + 1 < model.body_count(); ++i)
    pairs.push_back({kBodyTangent * i, kBodyTangent * i + 6, 6});
  const int first = kBodyTangent * (model.body_count() - 1);
  const int modes = model.mode_count();
  if (modes > 0) pairs.push_back({first, first + modes, modes});
  return pairs;
}

std::string element_of(const Model& model, int tangent_index) {
  const auto body = static_cast<std::size_t>(tangent_index / kBodyTangent) + 1;
  if (body < model.bodies().size()) return fmt::format("body '{}'", model.bodies()[body].name);
  const int among_modes = tangent_index - kBodyTangent * (model.body_count() - 1);
  if (among_modes >= 2 * model.mode_count()) return "";
  const int mode = among_modes % model.mode_count();
  for (const Body& flexible : model.bodies())
    if (flexible.modal != nullptr && mode < flexible.first_mode + flexible.modal->count())
      return fmt::format(
          "mode '{}' of body '{}'",
          flexible.modal->data().modes[static_cast<std::size_t>(mode - flexible.first_mode)],
          flexible.name);
  return "";
}

void write(const Configuration& from, std::span<double> x) {
  for (std::size_t i = 1; i < from.poses.size(); ++i) {
    double* body = x.data() + kBodySize * (i - 1);
    const Transform& pose = from.poses[i];
    body[0] = pose.q.w();
    Eigen::Map<Vec3>(body + 1) = pose.q.vec();
    Eigen::Map<Vec3>(body + 4) = pose.p;
    Eigen::Map<Vec6>(body + 7) = from.velocities[i];
  }
  double* modes = x.data() + kBodySize * (from.poses.size() - 1);
  modes = std::copy(from.modes.begin(), from.modes.end(), modes);
  std::copy(from.mode_rates.begin(), from.mode_rates.end(), modes);
}

void read(std::span<const double> x, Configuration& to, int mode_count) {
  const auto modes = static_cast<std::size_t>(mode_count);
  const std::size_t bodies = (x.size() - 2 * modes) / kBodySize + 1;
  to.poses.resize(bodies);
  to.velocities.resize(bodies);
  to.poses[0] = {};
  to.velocities[0].setZero();
  for (std::size_t i = 1; i < bodies; ++i) {
    const double* body = x.data() + kBodySize * (i - 1);
    to.poses[i] = {Quat(body[0], body[1], body[2], body[3]).normalized(),
                   Eigen::Map<const Vec3>(body + 4)};
    to.velocities[i] = Eigen::Map<const Vec6>(body + 7);
  }
  const double* first = x.data() + kBodySize * (bodies - 1);
  to.modes.assign(first, first + modes);
  to.mode_rates.assign(first + modes, first + 2 * modes);
}

void decode(const Model& model, std::span<const double> x, const Discrete& discrete,
            Configuration& to) {
  read(x, to, model.mode_count());
  to.coordinates = discrete.coordinates;
  update_coordinates(model, to);
}

void write_rates(const Configuration& c, const VecX& a, std::span<double> dx) {
  const std::size_t bodies = c.poses.size() - 1;
  for (std::size_t i = 0; i < bodies; ++i) {
    Eigen::Map<Eigen::Matrix<double, kBodyTangent, 1>> rate(dx.data() + kBodyTangent * i);
    rate.head<6>() = c.velocities[i + 1];
    rate.tail<6>() = a.segment<6>(6 * static_cast<Eigen::Index>(i));
  }
  // The columns of modes stand in the order of bodies, as modes do.
  const auto modes = std::ssize(c.mode_rates);
  double* of_modes =
      std::copy(c.mode_rates.begin(), c.mode_rates.end(), dx.data() + kBodyTangent * bodies);
  Eigen::Map<VecX>(of_modes, modes) = a.tail(modes);
}

void fill_motion(double t, const Configuration& c, const VecX& a, Motion& motion) {
  motion.time = t;
  motion.configuration = c;
  motion.accelerations.assign(c.poses.size(), Vec6::Zero());
  for (std::size_t i = 1; i < c.poses.size(); ++i)
    motion.accelerations[i] = a.segment<6>(6 * (static_cast<Eigen::Index>(i) - 1));
  const VecX of_modes = a.tail(std::ssize(c.mode_rates));
  motion.mode_accelerations.assign(of_modes.data(), of_modes.data() + of_modes.size());
}

void fill_reactions(const ConstraintSystem& system, const Loads& loads, const VecX& lambda,
                    Motion& motion) {
  const Configuration& c = motion.configuration;
  const std::vector<Joint>& joints = system.model().joints();
  motion.reactions.assign(joints.size(), Vec6::Zero());
  motion.reaction_is_unique.assign(joints.size(), 1);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointView view = view_of(joints[j], c);
    Vec6 wrench = loads.joint[j];  // at the origin of what carries it on body b
    system.visit_rows_in(
        view, static_cast<int>(j), motion.time, c,
        [&](int r, const Row& row, const TimeFunction::Value&) { wrench += lambda[r] * row.J_B; });
    motion.reactions[j] = shift_force(wrench, view.s_B);
  }
}

Status project(double t, Projector& projector, Configuration& c) {
  Status status = projector.project_positions(t, c);
  if (status.ok()) status = projector.factor(t, c);
  if (status.ok()) projector.project_velocities(t, c);
  return status;
}

void write_rates(std::span<const Vec6> velocities, std::span<const Vec6> accelerations,
                 std::span<double> dx) {
  for (std::size_t i = 1; i < velocities.size(); ++i) {
    Eigen::Map<Eigen::Matrix<double, kBodyTangent, 1>> rate(dx.data() + kBodyTangent * (i - 1));
    rate.head<6>() = velocities[i];
    rate.tail<6>() = accelerations[i];
  }
}

void filter_weak_motions(Kkt& kkt, int modes, std::span<double> e) {
  if (kkt.weak_count() == 0) return;
  const MatX weak = kkt.weak_motions();
  MatX gram(weak.cols(), weak.cols());
  for (Eigen::Index i = 0; i < weak.cols(); ++i)
    for (Eigen::Index j = 0; j < weak.cols(); ++j)
      gram(i, j) = kkt.kinetic_product(weak.col(i), weak.col(j));
  const Cholesky<MatX> factor(gram);
  const Eigen::Index bodies = (weak.rows() - modes) / 6;
  VecX part(weak.rows());
  VecX share(weak.cols());
  for (const int half : {0, 1}) {
    const auto at = [&](Eigen::Index i) { return e.data() + kBodyTangent * i + 6 * half; };
    Eigen::Map<VecX> of_modes(e.data() + kBodyTangent * bodies + half * modes, modes);
    for (Eigen::Index i = 0; i < bodies; ++i)
      part.segment<6>(6 * i) = Eigen::Map<const Vec6>(at(i));
    part.tail(modes) = of_modes;
    for (Eigen::Index k = 0; k < weak.cols(); ++k)
      share[k] = kkt.kinetic_product(weak.col(k), part);
    part -= weak * factor.solve(share);
    for (Eigen::Index i = 0; i < bodies; ++i) Eigen::Map<Vec6>(at(i)) = part.segment<6>(6 * i);
    of_modes = part.tail(modes);
  }
}

}  // namespace sarrus::body_state
