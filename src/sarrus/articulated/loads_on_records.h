#pragma once

#include "sarrus/articulated/kernels/system.h"
#include "sarrus/model/body_loads.h"
#include "sarrus/tree/tree.h"

/// Forces on bodies between the kernels' passes: poses come from records, wrenches go to biases.
namespace sarrus::articulated {

using namespace tree;

/// A body as the loads see it, from the record of its joint frame.
struct LoadedBody {
  Transform X_WB;
  Vec6 V;
  Vec3 arm;  ///< from the joint's point to the body's origin

  template <int kWidth>
  LoadedBody(const Record<kWidth>& record, int lane, const Transform& X_BC) {
    const auto vector = [lane](const double(&v)[3][kWidth]) {
      return Vec3(v[0][lane], v[1][lane], v[2][lane]);
    };
    const auto& q = record.q;
    X_WB.q = Quat(q[0][lane], q[1][lane], q[2][lane], q[3][lane]) * X_BC.q.conjugate();
    arm = -(X_WB.q * X_BC.p);
    X_WB.p = vector(record.p) + arm;
    V = shift_motion(spatial(vector(record.omega), vector(record.v)), arm);
  }
};

template <int kWidth>
void add_to_lane(const Vec6& wrench, int lane, double (&n)[3][kWidth], double (&f)[3][kWidth]) {
  for (int k = 0; k < 3; ++k) {
    n[k][lane] += wrench[k];
    f[k][lane] += wrench[3 + k];
  }
}

/// Point springs, applied forces and torques. `body_at(slot)` is a LoadedBody,
/// `add_bias(slot, wrench)` adds to the bias wrench at the joint's point.
template <class BodyAt, class AddBias>
double add_to_bias(const Tree& tree, double t, BodyAt body_at, AddBias add_bias) {
  const auto body = [&](BodyId id) { return body_at(tree.slot_of(id)); };
  return add_body_loads(
      tree.model(), t,
      [&](BodyId id, const Attachment&) { return id == kGround ? Transform{} : body(id).X_WB; },
      [&](BodyId id, const Attachment&) {
        return id == kGround ? Vec6::Zero().eval() : body(id).V;
      },
      [&](BodyId id, const Attachment&, const Vec6& wrench) {
        if (id == kGround) return;
        const Vec6 at_joint = shift_force(wrench, -body(id).arm);
        add_bias(tree.slot_of(id), Vec6(-at_joint));
      });
}

}  // namespace sarrus::articulated
