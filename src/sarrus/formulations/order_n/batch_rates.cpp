// Eight states at once.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sarrus/articulated/loads_on_records.h"
#include "sarrus/formulations/order_n/scratch.h"

namespace sarrus {

using namespace order_n;

struct OrderN::BatchScratch final : Workspace {
  explicit BatchScratch(const OrderN& f)
      : model(f.tree_, f.kernel_model_),
        tau(to_index(kBatch * f.kernel_model_.unknown_count()), 0.0),
        lane(f),
        lane_x(to_index(f.layout().size())),
        lane_dx(to_index(f.layout().tangent_size())) {}

  BatchModel model;
  std::vector<double> tau;
  Scratch lane;  ///< one state at a time, where each needs its own treatment
  std::vector<double> lane_x, lane_dx;
};

std::unique_ptr<Workspace> OrderN::make_batch_workspace() const {
  return std::make_unique<BatchScratch>(*this);
}

double OrderN::add_loads_to_batch(double t, int lane, BatchScratch& scratch) const {
  if (!has_body_loads_) return 0;
  const articulated::BatchScratch& memory = scratch.model.scratch;
  return add_to_bias(
      tree_, t,
      [&](int slot) {
        return LoadedBody(memory.records[scratch.model.record_of(slot)], lane,
                          kernel_model_.X_BC(slot));
      },
      [&](int slot, const Vec6& wrench) {
        add_to_lane(wrench, lane, memory.data[slot].n, memory.data[slot].f);
      });
}

Status OrderN::batch_rates(double t, std::span<const double> x, const Discrete& discrete,
                           Workspace& workspace, std::span<double> dx) const {
  BatchScratch& scratch = static_cast<BatchScratch&>(workspace);
  scratch.counters.evaluations += kBatch;
  const auto wide = [](int count) { return to_index(kBatch * count); };
  if (kernel_ == nullptr || !drives_.empty())
    return batch_rates_one_by_one(t, x, discrete, scratch, dx);
  const std::span<const double> q = x.first(wide(tree_.nq()));
  const std::span<const double> v = x.subspan(wide(tree_.nq()), wide(tree_.nv()));
  const std::span<double> v_rate = dx.subspan(wide(tree_.nv()), wide(tree_.nv()));
  std::array<double, kBatch> power{};
  if (!joint_loads_.empty()) {
    Scratch& one = scratch.lane;
    for (int l = 0; l < kBatch; ++l) {
      for (std::size_t i = 0; i < scratch.lane_x.size(); ++i)
        scratch.lane_x[i] = x[kBatch * i + to_index(l)];
      power[to_index(l)] = apply_loads(t, scratch.lane_x, discrete, one).power;
      for (std::size_t i = 0; i < one.tau.size(); ++i)
        scratch.tau[kBatch * i + to_index(l)] = one.tau[i];
    }
  }
  Inputs in;
  in.q = q.data();
  in.v = v.data();
  in.tau = scratch.tau.data();
  in.poses = has_body_loads_;
  in.turns = kernel_->largest_magnitude(in.q, q.size()) > kLargestAngle;
  BatchModel& model = scratch.model;
  kernel_->batch.kinematics(model.system, in, model.scratch);
  for (int l = 0; l < kBatch; ++l) power[to_index(l)] += add_loads_to_batch(t, l, scratch);
  kernel_->batch.inward(model.system, in, model.scratch);
  kernel_->batch.outward(model.system, in, model.scratch, v_rate.data());
  state_.write_position_rates(q, v, kBatch, dx);
  std::copy(power.begin(), power.end(), dx.end() - kBatch);
  if (are_finite(v_rate)) return {};
  return batch_rates_one_by_one(t, x, discrete, scratch, dx);
}

// Where states need their own treatment: prescribed motions, the plain recursion, and telling which
// state has no finite rates.
Status OrderN::batch_rates_one_by_one(double t, std::span<const double> x, const Discrete& discrete,
                                      BatchScratch& scratch, std::span<double> dx) const {
  for (int l = 0; l < kBatch; ++l) {
    for (std::size_t i = 0; i < scratch.lane_x.size(); ++i)
      scratch.lane_x[i] = x[kBatch * i + to_index(l)];
    Status status = rates(t, scratch.lane_x, discrete, scratch.lane, scratch.lane_dx);
    for (std::size_t i = 0; i < scratch.lane_dx.size(); ++i)
      dx[kBatch * i + to_index(l)] = scratch.lane_dx[i];
    if (!status.ok()) {
      status.reason = fmt::format("state {} of the batch: {}", l, status.reason);
      return status;
    }
  }
  return {};
}

}  // namespace sarrus
