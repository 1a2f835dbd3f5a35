#pragma once

#include <cmath>

#include "sarrus/formulations/branches/kernels/recursion.h"

/// The same questions answered by a mass matrix of joint and modal accelerations, composite bodies
/// and a Cholesky factor: the classical way.  [mass-matrix]
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

/// What a wrench on a body, about its reference point, does to the unknowns of the bodies below it.
/// Calls put(unknown, force).
template <class Put>
SARRUS_INLINE void walk_down(const System& system, const Scratch& scratch, int i, W6 F, Put put) {
  for (int k = i; !system.bodies[k].is_free && system.bodies[k].parent >= 0;) {
    const BodyConstants& body = system.bodies[k];
    const BodyData& data = scratch.bodies[k];
    const BodyConstants& parent = system.bodies[body.parent];
    const int first = scratch.first_unknown[body.parent];
    if (body.attachment_below >= 0) {
      const AttachmentMotion& attachment = scratch.attachments[body.attachment_below];
      const FlexibleConstants& own = system.flexible[parent.flexible];
      const W6 at_node = shift_force(F, load(attachment.s) - load(data.r));
      const Six* Z = scratch.Z + attachment.Z;
      for (int m = 0; m < own.modes; ++m)
        put(first + parent.freedoms + m, dot(load(Z[m]), at_node));
    }
    F = shift_force(F, -load(data.r));
    for (int f = 0; f < parent.freedoms; ++f)
      put(first + f, dot(load(scratch.freedoms[parent.freedom + f].S), F));
    k = body.parent;
  }
}

/// Accelerations if no unknown accelerated, and the forces that would take.
static void add_bias_of_rest(const System& system, const BranchConstants& branch,
                             Scratch& scratch) {
  const W6 ground = {zero(), V4{-system.gravity[0], -system.gravity[1], -system.gravity[2], 0}};
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = system.bodies[i];
    BodyData& data = scratch.bodies[i];
    W6 A = nothing();
    if (!body.is_free) {
      A = body.parent < 0 ? ground
                          : shift_motion(load(scratch.bodies[body.parent].A), load(data.r));
      A = A + load(data.c);
    }
    store(data.A, A);
    store(data.p, load(data.p) + product(data.I, A));
    if (body.flexible >= 0) {
      const FlexibleConstants& own = system.flexible[body.flexible];
      for (int k = 0; k < own.modes; ++k) {
        double* row = scratch.coupled + own.coupled + k * own.width;
        row[8] += dot(W6{load(row), load(row + 4)}, A);
      }
    }
    if (body.takes_rows) continue;  // none of its own
    const Six* columns = scratch.columns + body.columns;
    for (int j = body.low; j < body.high; ++j)
      scratch.h[branch.h + static_cast<std::size_t>(j)] +=
          dot(load(columns[j - (body.low & ~3)]), A);
  }
}

/// Composite inertias inward; every unknown's row of the matrix, of the rows and of the forces.
static void fill_matrix(const System& system, const BranchConstants& branch, const Inputs& in,
                        Scratch& scratch) {
  const DenseScratch& dense = scratch.dense[branch.index];
  const int stride = dense.stride;
  const int width = dense.width;
  for (int i = branch.end; i-- > branch.first;) {
    const BodyConstants& body = system.bodies[i];
    BodyData& data = scratch.bodies[i];
    const int first = scratch.first_unknown[i];
    const int start = body.low & ~3;
    const Six* columns = scratch.columns + body.columns;
    if (body.flexible >= 0) {
      const FlexibleConstants& own = system.flexible[body.flexible];
      for (int k = 0; k < own.modes; ++k) {
        const double* row = scratch.coupled + own.coupled + k * own.width;
        const int unknown = first + body.freedoms + k;
        double* to = dense.M + unknown * stride;
        const double* mass = scratch.modal_mass + own.matrix + k * own.stride;
        for (int l = 0; l <= k; ++l) to[first + body.freedoms + l] = mass[l];
        const W6 F = {load(row), load(row + 4)};
        for (int f = 0; f < body.freedoms; ++f)
          to[first + f] = dot(load(scratch.freedoms[body.freedom + f].S), F);
        walk_down(system, scratch, i, F, [&](int other, double value) { to[other] = value; });
        dense.force[unknown] = -row[8];
        for (int j = body.low; j < body.high; ++j)
          dense.B[unknown * width + j] = row[12 + j - start];
      }
    }
    const W6 p = load(data.p);
    for (int f = 0; f < body.freedoms; ++f) {
      const W6 S = load(scratch.freedoms[body.freedom + f].S);
      const W6 F = product(data.I, scratch.freedoms[body.freedom + f].S);
      const int unknown = first + f;
      double* to = dense.M + unknown * stride;
      for (int l = 0; l <= f; ++l)
        to[first + l] = dot(load(scratch.freedoms[body.freedom + l].S), F);
      walk_down(system, scratch, i, F, [&](int other, double value) { to[other] = value; });
      dense.force[unknown] = in.tau[body.freedom + f] - dot(S, p);
      for (int j = body.low; j < body.high; ++j)
        dense.B[unknown * width + j] = dot(S, load(columns[j - start]));
    }
    if (body.is_free || body.parent < 0) continue;
    const BodyConstants& parent = system.bodies[body.parent];
    BodyData& below = scratch.bodies[body.parent];
    if (parent.flexible >= 0 && body.attachment_below >= 0)
      add_to_modes(system, body, data, p, scratch);
    pass_down(body, parent, data, p, below, scratch);
  }
}

/// M = Lᵀ L from the tips: what is zero between different chains stays so.
static int factor_matrix(int count, DenseScratch& dense) {
  const int stride = dense.stride;
  for (int k = count; k-- > 0;) {
    double* row = dense.M + k * stride;
    if (!(row[k] > 0)) return k;
    const double inverse = 1 / std::sqrt(row[k]);
    for (int j = 0; j < k; j += 4) store(row + j, inverse * load(row + j));
    row[k] = inverse;
    for (int i = 0; i < k; ++i) {
      const double f = row[i];
      if (f == 0) continue;
      double* other = dense.M + i * stride;
      for (int j = 0; j <= i; j += 4) store(other + j, load(other + j) - f * load(row + j));
    }
  }
  return -1;
}

static Trouble dense_inward(const System& system, const BranchConstants& branch, const Inputs& in,
                            Scratch& scratch) {
  DenseScratch& dense = scratch.dense[branch.index];
  int count = 0;
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = system.bodies[i];
    scratch.first_unknown[i] = count;
    count += body.freedoms + (body.flexible < 0 ? 0 : system.flexible[body.flexible].modes);
  }
  dense.stride = (count + 3) & ~3;
  dense.width = branch.stride;
  for (int i = 0; i < count * dense.stride; i += 4) store(dense.M + i, zero());
  for (int i = 0; i < count * dense.width; i += 4) store(dense.B + i, zero());
  add_bias_of_rest(system, branch, scratch);
  fill_matrix(system, branch, in, scratch);
  if (const int bad = factor_matrix(count, dense); bad >= 0) {
    int i = branch.end - 1;
    while (scratch.first_unknown[i] > bad) --i;
    return {i};
  }
  double* h = scratch.h + branch.h;
  double* H = scratch.H + branch.H;
  for (int k = count; k-- > 0;) {
    const double* row = dense.M + k * dense.stride;
    double* y = dense.B + k * dense.width;
    dense.force[k] *= row[k];
    for (int j = 0; j < dense.width; j += 4) store(y + j, row[k] * load(y + j));
    for (int i = 0; i < k; ++i) {
      const double f = row[i];
      if (f == 0) continue;
      dense.force[i] -= f * dense.force[k];
      double* other = dense.B + i * dense.width;
      for (int j = 0; j < dense.width; j += 4) store(other + j, load(other + j) - f * load(y + j));
    }
    for (int j = 0; j < branch.rows; ++j) {
      h[j] += y[j] * dense.force[k];
      if (scratch.bounds != nullptr)
        scratch.bounds[branch.h + static_cast<std::size_t>(j)] += y[j] * y[j];
    }
  }
  for (int i = 0; i < branch.stride * branch.stride; i += 4) store(H + i, zero());
  if (branch.rows > 0) add_squares(dense.B, count, 0, branch.rows, branch.stride, H);
  return {};
}

static void dense_outward(const System& system, const BranchConstants& branch, const double* lambda,
                          bool homogeneous, Scratch& scratch, double* v_rate, double* eta_rate) {
  const DenseScratch& dense = scratch.dense[branch.index];
  double* x = dense.solution;
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = system.bodies[i];
    const int modes = body.flexible < 0 ? 0 : system.flexible[body.flexible].modes;
    const int first = scratch.first_unknown[i];
    for (int k = first; k < first + body.freedoms + modes; ++k) {
      const double* row = dense.M + k * dense.stride;
      const double* y = dense.B + k * dense.width;
      V4 t = zero();
      for (int j = 0; j < dense.width; j += 4) t += load(y + j) * load(lambda + j);
      V4 known = zero();
      x[k] = 0;
      for (int j = k + 1; j < ((k + 4) & ~3); ++j) x[j] = 0;
      for (int j = 0; j < k; j += 4) known += load(row + j) * load(x + j);
      x[k] = row[k] * ((homogeneous ? 0 : dense.force[k]) + sum(t) - sum(known));
    }
    for (int k = 0; k < body.freedoms; ++k) v_rate[body.freedom + k] = x[first + k];
    for (int k = 0; k < modes; ++k)
      eta_rate[system.flexible[body.flexible].first + k] = x[first + body.freedoms + k];
    W6 A = carried_acceleration(system, i, homogeneous, scratch, eta_rate);
    for (int k = 0; k < body.freedoms; ++k)
      A = A + v_rate[body.freedom + k] * load(scratch.freedoms[body.freedom + k].S);
    store(scratch.bodies[i].A, A);
  }
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
