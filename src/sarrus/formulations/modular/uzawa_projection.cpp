// Onto the joints, by their own equations.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/constraints/closing.h"
#include "sarrus/formulations/modular/uzawa_scratch.h"

namespace sarrus::modular {
namespace {

constexpr int kMostProjections = 12;
/// What rounding may leave of φ, over the largest coordinate, where rows depend on each other.
constexpr double kAsGoodAsClosed = 1e-11;
/// What a projection leaves of φ in one correction.
constexpr double kProjectionTolerance = 1e-12;

}  // namespace

// Rows and masses at the present pose.
void Uzawa::prepare_projection(double t, Scratch& s) const {
  evaluate_links(t, s);
  for (std::size_t i = 1; i < s.a.size(); ++i)
    admittances_[i].turned(s.configuration.poses[i].R(), s.system.W[i]);
}

// Least change in the kinetic metric, by the same equations: positions with b = φ, velocities with
// b = J V + φ_t.  [modular-projection]
Status Uzawa::project(double t, Scratch& s) const {
  Configuration& c = s.configuration;
  if (s.dense_projector) {
    if (Status status = s.dense_projector->project_positions(t, c); !status.ok()) return status;
    if (Status status = s.dense_projector->factor(t, c); !status.ok()) return status;
    s.dense_projector->project_velocities(t, c);
    s.strength = strength(s);
    return {};
  }
  const double closed = closed_residual(system_, c);
  double before = INFINITY;
  for (int i = 0;; ++i) {
    prepare_projection(t, s);
    double size = 0, reach = 1;
    for (const Vec6& phi : s.phi) size += phi.squaredNorm();
    for (const Transform& pose : c.poses) reach = std::max(reach, pose.p.norm());
    size = std::sqrt(size);
    if (!std::isfinite(size)) return {Status::Code::kNotFinite, "the configuration is not finite"};
    if (size <= closed || (size <= kAsGoodAsClosed * reach && size > 0.5 * before)) break;
    if (i == kMostProjections || size > 2 * before)
      return {Status::Code::kDiverged,
              fmt::format("the joints do not close: {:.1e} is left", size)};
    before = size;
    for (Vec6& free : s.system.free) free.setZero();
    s.system.g = s.phi;
    s.system.row_size = reach;
    correct(s);
    for (std::size_t b = 1; b < s.a.size(); ++b) {
      Transform& pose = c.poses[b];
      pose.q = (exp_rotation(s.a[b].head<3>()) * pose.q).normalized();
      pose.p += s.a[b].tail<3>();
    }
  }
  s.system.free = c.velocities;
  for (std::size_t l = 0; l < s.phi.size(); ++l) s.system.g[l] = -s.motion_rate[l];
  s.system.row_size = 0;
  correct(s);
  c.velocities = s.a;
  s.strength = strength(s);
  return {};
}

// Of the pose that was factorised last. The elimination has squares of sines for pivots, and its dependent
// rows keep their compliance alone: of the others the smallest counts.  [step-over-singularity]
double Uzawa::strength(Scratch& s) const {
  if (s.dense_projector) return s.dense_projector->strength();
  if (conditioning_ == 0) return 1;
  return std::sqrt(s.projector.pivot(s.system, system_.rows() - nominal_rank_) / conditioning_);
}

void Uzawa::measure_generic_poses(RankStudy& study) {
  if (model_.joint_count() <= kDenseJoints) {
    conditioning_ = generic_conditioning(model_, study.assembled());
    return;
  }
  Scratch s(*this);
  for (const Configuration& pose : study.poses()) {
    s.configuration = pose;
    prepare_projection(0, s);
    for (Vec6& free : s.system.free) free.setZero();
    for (Vec6& g : s.system.g) g.setZero();
    correct(s);
    conditioning_ =
        std::max(conditioning_, s.projector.pivot(s.system, system_.rows() - nominal_rank_));
  }
}

void Uzawa::correct(Scratch& s) const {
  s.system.prepare(InterfaceSystem::Blocks::kOnlyK);
  s.counters.iterations +=
      s.projector.project(s.system, s.correction, kProjectionTolerance).iterations;
  s.system.accelerate(s.correction, s.a);
}

}  // namespace sarrus::modular
