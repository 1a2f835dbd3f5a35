#include <algorithm>

#include "sarrus/formulations/branches/scratch.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {

using branches::BodyConstants;
using branches::BodyData;
using branches::BranchConstants;
using branches::Connection;
using branches::ConnectionRows;
using branches::Handle;

// By Newton and Euler, where the recursion has not left them.  [mass-matrix]
void Branches::find_wrenches(ScratchSpace& s) const {
  branches::Scratch& scratch = s.memory.scratch;
  s.wrenches.assign(to_index(plan_->body_count()), Vec6::Zero());
  for (std::size_t b = 0; b < plan_->branches().size(); ++b) {
    const BranchConstants& branch = plan_->constants(static_cast<int>(b));
    // Own inertias and biases once more; accelerations stay.
    kernel_.place(plan_->system(), branch, s.in, scratch);
    for (int i = branch.end; i-- > branch.first;) {
      const BodyConstants& body = plan_->body(i);
      const BodyData& data = scratch.bodies[i];
      Vec6& wrench = s.wrenches[to_index(i)];
      wrench += branches::vec6(data.p);
      const Vec6 A = branches::vec6(data.A);
      for (int k = 0; k < 6; ++k) wrench += A[k] * branches::vec6(data.I[k]);
      if (body.flexible >= 0) {
        const branches::FlexibleConstants& own = plan_->system().flexible[body.flexible];
        for (int k = 0; k < own.modes; ++k) {
          const double* row = scratch.coupled + own.coupled + to_index(k * own.width);
          branches::Six coupling;
          std::copy_n(row, 4, coupling.w);
          std::copy_n(row + 4, 4, coupling.v);
          wrench += s.eta_rate[to_index(own.first + k)] * branches::vec6(coupling);
        }
      }
      for (const int c : plan_->branches()[b].connections) add_forces(c, i, s, wrench);
      if (body.parent >= 0)
        s.wrenches[to_index(body.parent)] += shift_force(wrench, -branches::vec3(data.r));
    }
  }
}

// What a connection does to a body, taken from the wrench that its joint must give.
void Branches::add_forces(int c, int body, const ScratchSpace& s, Vec6& wrench) const {
  const Connection& connection = plan_->connections()[to_index(c)];
  const Handle& owner = connection.b.branch >= 0 ? connection.b : connection.a;
  const double* lambda = s.lambda.data() + plan_->constants(owner.branch).h + owner.row;
  for (const Handle* handle : {&connection.a, &connection.b}) {
    if (handle->body != body) continue;
    Vec3 arm = Vec3::Zero();
    if (handle->attachment >= 0)
      arm = branches::vec3(s.memory.scratch.attachments[handle->attachment].s);
    for (int r = 0; r < s.rows[to_index(c)].count; ++r) {
      const ConnectionRows::OneRow& row = s.rows[to_index(c)].row[to_index(r)];
      const Vec6& J = handle == &connection.a ? row.J_A : row.J_B;
      wrench -= lambda[r] * shift_force(J, -arm);
    }
  }
}

// Through the joint of a body, on it, at its reference point.  [branches-outward]
Vec6 Branches::joint_wrench(int i, const ScratchSpace& s) const {
  if (has_mass_matrix_) return s.wrenches[to_index(i)];
  const BodyConstants& body = plan_->body(i);
  const BodyData& data = s.memory.scratch.bodies[i];
  Vec6 wrench = branches::vec6(data.p);
  const Vec6 A = branches::vec6(data.A);
  for (int k = 0; k < 6; ++k) wrench += A[k] * branches::vec6(data.I[k]);
  const double* lambda = s.lambda.data() + plan_->constants(plan_->branch_of(i)).h;
  for (int j = body.low; j < body.high; ++j)
    wrench -=
        lambda[j] *
        branches::vec6(s.memory.scratch.columns[body.columns + to_index(j - (body.low & ~3))]);
  return wrench;
}

}  // namespace sarrus
