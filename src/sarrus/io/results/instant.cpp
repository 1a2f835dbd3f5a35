#include "sarrus/io/results/instant.h"

#include "sarrus/base/assert.h"
#include "sarrus/model/loads.h"

namespace sarrus {

Instant::Instant(const Model& model)
    : model_(model),
      layout_(make_results_layout(model)),
      // The identity's side of the sphere is qw ≥ 0.
      quaternions_(model.bodies().size(), Quat::Identity()),
      numbers_(layout_.size) {}

void Instant::add(double value) { numbers_[next_++] = value + 0.0; }  // no negative zeros

void Instant::add(const Vec3& vector) {
  for (Eigen::Index k = 0; k < 3; ++k) add(vector[k]);
}

void Instant::update(const Sample& sample) {
  const Motion& motion = sample.motion;
  next_ = 0;
  time_ = motion.time;
  add_bodies(motion);
  add_joints(motion);
  add_reactions(motion);
  for (const double energy : {sample.kinetic, sample.potential, sample.total(), motion.supplied})
    add(energy);
  for (const double norm :
       {sample.constraints.position, sample.constraints.velocity, sample.constraints.acceleration})
    add(norm);
  SARRUS_ASSERT(next_ == layout_.size);
}

void Instant::add_bodies(const Motion& motion) {
  for (std::size_t i = 1; i < model_.bodies().size(); ++i) {  // without ground
    const Transform& X_WB = motion.configuration.poses[i];
    const Vec6& V = motion.configuration.velocities[i];
    const Vec6& A = motion.accelerations[i];
    // Of q and −q, the same rotation, the one that goes on from the last.
    Quat& q = quaternions_[i];
    q = X_WB.q.dot(q) < 0 ? Quat(-X_WB.q.coeffs()) : X_WB.q;
    add(X_WB.p);
    add(q.w());
    add(q.vec());
    add(V.head<3>());
    add(V.tail<3>());
    add(A.head<3>());
    add(A.tail<3>());
  }
}

void Instant::add_joints(const Motion& motion) {
  const Configuration& c = motion.configuration;
  for (const Joint& joint : model_.joints()) {
    if (joint.nv() == 0) continue;
    const double* near = c.coordinates.data() + joint.first_freedom;
    const JointView view = view_of(joint, c);
    const Rows positions = joint.coordinate_rows(view, near);
    const Rows speeds = joint.speed_rows(view, near);
    const auto a = joint.a.slot();
    const auto b = joint.b.slot();
    for (int k = 0; k < speeds.count; ++k) {
      const Row& row = speeds[k];
      add(positions[k].value);
      add(row.rate(c.velocities[a], c.velocities[b]));
      add(row.rate(motion.accelerations[a], motion.accelerations[b]) + row.gamma);
    }
  }
}

void Instant::add_reactions(const Motion& motion) {
  for (std::size_t j = 0; j < model_.joints().size(); ++j) {
    add(motion.reactions[j].tail<3>());
    add(motion.reactions[j].head<3>());
    add(motion.reaction_is_unique[j] != 0 ? 1.0 : 0.0);
  }
}

}  // namespace sarrus
