#include <algorithm>
#include <utility>

#include "sarrus/formulations/branches/plan.h"

// The arrays that one thread works on.
namespace sarrus::branches {

Plan::Memory::Memory(const Plan& plan, bool with_mass_matrices)
    : bodies_(plan.bodies_.size()),
      poses_(plan.bodies_.size()),
      relative_(plan.bodies_.size()),
      general_(to_index(plan.general_count_)),
      attachment_poses_(plan.attachments_.size()),
      attachments_(plan.attachments_.size()),
      Z_(plan.Z_),
      Z_beyond_(plan.Z_beyond_),
      columns_(plan.columns_),
      freedoms_(to_index(plan.unknown_count_)),
      products_(plan.products_),
      modal_mass_(plan.matrices_),
      coupled_(plan.coupled_),
      external_modes_(to_index(plan.tree_->model().mode_count())),
      H_(plan.H_),
      h_(plan.h_) {
  std::size_t Z = 0;
  for (std::size_t s = 0; s < plan.attachments_.size(); ++s) {
    attachments_[s].Z = Z;
    Z += to_index(
        plan.flexible_[to_index(plan.bodies_[to_index(plan.attachments_[s].body)].flexible)].modes);
  }
  // A free root may accelerate in every direction.
  for (const BodyConstants& body : plan.bodies_) {
    if (!body.is_free) continue;
    for (int k = 0; k < 6; ++k) {
      Six& S = freedoms_[to_index(body.freedom + k)].S;
      (k < 3 ? S.w[k] : S.v[k - 3]) = 1;
    }
  }
  scratch.bodies = bodies_.data();
  scratch.poses = poses_.data();
  scratch.relative = relative_.data();
  scratch.general = general_.data();
  scratch.attachment_poses = attachment_poses_.data();
  scratch.attachments = attachments_.data();
  scratch.Z = Z_.data();
  scratch.Z_beyond = Z_beyond_.data();
  scratch.freedoms = freedoms_.data();
  scratch.products = products_.data();
  scratch.columns = columns_.data();
  scratch.modal_mass = modal_mass_.data();
  scratch.coupled = coupled_.data();
  scratch.external_modes = external_modes_.data();
  scratch.H = H_.data();
  scratch.h = h_.data();
  if (!with_mass_matrices) return;
  first_unknown_.resize(plan.bodies_.size());
  dense_.resize(plan.branches_.size());
  std::vector<std::size_t> counts;
  std::size_t numbers = 0;
  const auto lanes = [](std::size_t count) { return (count + 3) & ~std::size_t{3}; };
  for (std::size_t b = 0; b < plan.branches_.size(); ++b) {
    const BranchConstants& branch = plan.branch_constants_[b];
    std::size_t count = 0;
    for (int i = branch.first; i < branch.end; ++i) {
      const BodyConstants& body = plan.body(i);
      count += to_index(body.freedoms);
      if (body.flexible >= 0) count += to_index(plan.flexible_[to_index(body.flexible)].modes);
    }
    counts.push_back(count);
    numbers += count * lanes(count) + count * to_index(branch.stride) + 2 * (lanes(count) + 4);
  }
  dense_numbers_ = AlignedArray<double>(numbers);
  double* next = dense_numbers_.data();
  for (std::size_t b = 0; b < plan.branches_.size(); ++b) {
    const auto take = [&](std::size_t count) { return std::exchange(next, next + count); };
    dense_[b].M = take(counts[b] * lanes(counts[b]));
    dense_[b].B = take(counts[b] * to_index(plan.branch_constants_[b].stride));
    dense_[b].force = take(lanes(counts[b]) + 4);
    dense_[b].solution = take(lanes(counts[b]) + 4);
  }
  scratch.dense = dense_.data();
  scratch.first_unknown = first_unknown_.data();
}

void Plan::Memory::clear_rows(const Plan& plan, int branch) {
  const BranchConstants& constants = plan.constants(branch);
  if (constants.rows == 0) return;
  for (const int i : plan.branches_[to_index(branch)].adding) {
    const BodyConstants& body = plan.body(i);
    std::fill_n(scratch.columns + body.columns, to_lanes(body.high) - (body.low & ~3), Six{});
  }
  std::fill_n(scratch.h + constants.h, constants.stride, 0.0);
}

}  // namespace sarrus::branches
