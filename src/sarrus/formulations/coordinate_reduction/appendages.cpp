#include "sarrus/formulations/coordinate_reduction/appendages.h"

#include <algorithm>

#include "sarrus/articulated/kernels/kernels.h"
#include "sarrus/articulated/loads_on_records.h"

namespace sarrus::coordinate_reduction {

Appendages::Appendages(const tree::Tree& tree, const articulated::KernelModel& model,
                       const System& system)
    : model_(&model),
      system_(&system),
      traversal_(tree.traversal()),
      kernel_(articulated::find_kernel("")),
      scratch_(model, tree.traversal()),
      chains_(model.chains()),
      levels_(model.levels()) {
  if (empty()) return;
  for (int i = 0; i < system.in_loops; ++i)
    if (system.gathers[system.order[i]]) bases_.push_back(system.order[i]);
  no_speeds_.resize(to_index(tree.nv()), 0.0);
  no_forces_.resize(to_index(model.unknown_count()), 0.0);
  resting_.resize(to_index(model.drive_count()));
  if (!bases_.empty()) gathered_ = AlignedArray<double>(27 * to_index(system.body_count));
}

// At zero joint accelerations the base turns evenly about its mass centre, which rests or falls.
void Appendages::give_base(const Inputs& in, int slot, const BodyMotion& motion) {
  articulated::Record<1>& record = scratch_.chains.records[model_->record_of(slot)];
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(motion.R);
  const Quat q{Mat3(R)};
  const double quaternion[4] = {q.w(), q.x(), q.y(), q.z()};
  Vec3 w = Vec3::Zero(), acceleration = Vec3::Zero();
  if (in.level == Level::kAcceleration) {
    w = Eigen::Map<const Vec3>(motion.w);
    acceleration = -w.cross(w.cross(Eigen::Map<const Vec3>(motion.c)));
    acceleration -= Eigen::Map<const Vec3>(system_->gravity);
  }
  for (int k = 0; k < 4; ++k) record.q[k][0] = quaternion[k];
  for (int k = 0; k < 3; ++k) {
    record.omega[k][0] = w[k];
    record.alpha[k][0] = 0;
    record.acc[k][0] = acceleration[k];
    record.p[k][0] = record.v[k][0] = 0;
  }
}

void Appendages::add_loads(const double* wrenches, const BodyMotion* motions) {
  for (int i = system_->in_loops; i < system_->body_count; ++i) {
    const int slot = system_->order[i];
    const Eigen::Map<const Vec6> wrench(wrenches + 6 * slot);
    const Vec6 bias = -shift_force(wrench, -Eigen::Map<const Vec3>(motions[slot].c));
    const articulated::KernelModel::Place place = model_->place(slot);
    if (traversal_ == tree::Traversal::kChains) {
      articulated::ChainData& data = scratch_.chains.data[place.block];
      articulated::add_to_lane(bias, place.lane, data.n, data.f);
    } else {
      articulated::LevelData& data = scratch_.levels.data[place.block];
      for (int k = 0; k < 6; ++k) data.articulated[21 + k][place.lane] += bias[k];
    }
  }
}

// From the joint's point to the mass centre: a_C = a + α × r, n = n_C + r × f_C with r = −c.
void Appendages::take(int slot, const BodyMotion& motion) {
  const double* from = scratch_.chains.branches[model_->record_of(slot)].handed;
  double* to = gathered_.data() + 27 * slot;
  const auto symmetric = [](const double* s) {
    return Mat3{{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
  };
  const Mat3 A = symmetric(from), M = symmetric(from + 15);
  const Mat3 H = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(from + 6);
  const Vec3 r = -Eigen::Map<const Vec3>(motion.c);
  const Mat3 cross = skew(r);
  const Mat3 H_center = H + cross * M;
  const Mat3 A_center = A - H_center * cross + cross * H.transpose();
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(to + 6) = H_center;
  const auto put_symmetric = [](const Mat3& S, double* at) {
    const double upper[6] = {S(0, 0), S(0, 1), S(0, 2), S(1, 1), S(1, 2), S(2, 2)};
    std::copy_n(upper, 6, at);
  };
  put_symmetric(0.5 * (A_center + A_center.transpose()), to);
  put_symmetric(M, to + 15);
  const Eigen::Map<const Vec3> n(from + 21), f(from + 24);
  Eigen::Map<Vec3>(to + 21) = n + r.cross(f);
  Eigen::Map<Vec3>(to + 24) = f;
}

void Appendages::gather(const Inputs& in, const BodyMotion* motions) {
  const bool moving = in.level == Level::kAcceleration;
  articulated::Inputs inputs;
  inputs.q = in.q;
  inputs.v = moving ? in.v : no_speeds_.data();
  inputs.tau = in.tau != nullptr ? in.tau : no_forces_.data();
  inputs.turns = in.turns;
  inputs.drives = in.drives;
  if (!moving)
    for (std::size_t i = 0; i < resting_.size(); ++i) {
      resting_[i] = in.drives[i];
      std::fill(std::begin(resting_[i].given), std::end(resting_[i].given), 0.0);
      inputs.drives = resting_.data();
    }
  for (int k = 0; k < 3; ++k)
    chains_.gravity[k] = levels_.gravity[k] = moving ? system_->gravity[k] : 0;
  for (const int slot : bases_) give_base(in, slot, motions[slot]);
  const auto run = [&](const auto& passes, const auto& system, auto& memory) {
    passes.kinematics(system, inputs, memory);
    if (moving && in.wrenches != nullptr) add_loads(in.wrenches, motions);
    passes.inward(system, inputs, memory);
  };
  if (traversal_ == tree::Traversal::kChains)
    run(kernel_->chains, chains_, scratch_.chains);
  else
    run(kernel_->levels, levels_, scratch_.levels);
  for (const int slot : bases_) take(slot, motions[slot]);
}

void Appendages::spread(const BodyMotion* motions, const double* accelerations, double* unknowns) {
  for (const int slot : bases_) {
    const Eigen::Map<const Vec6> a(accelerations + 6 * slot);
    Eigen::Map<Vec6>(scratch_.chains.branches[model_->record_of(slot)].acceleration) =
        shift_motion(Vec6(a), -Eigen::Map<const Vec3>(motions[slot].c));
  }
  const articulated::Inputs none;
  if (traversal_ == tree::Traversal::kChains)
    kernel_->chains.outward(chains_, none, scratch_.chains, unknowns);
  else
    kernel_->levels.outward(levels_, none, scratch_.levels, unknowns);
}

}  // namespace sarrus::coordinate_reduction
