#pragma once

// The sweeps of the elimination over bodies at rest: velocities from impulses.  [hamilton-velocities]

#include "sarrus/elimination/kernels/sweep.h"
#include "sarrus/formulations/hamiltonian_dca/kernels/pose.h"

namespace sarrus::hamiltonian::SARRUS_INSTRUCTIONS {

using elimination::SARRUS_INSTRUCTIONS::Accumulated;
using elimination::SARRUS_INSTRUCTIONS::add_to_seventh;
using elimination::SARRUS_INSTRUCTIONS::get3;
using elimination::SARRUS_INSTRUCTIONS::pass_to_absorbed;
using elimination::SARRUS_INSTRUCTIONS::put3;
using elimination::SARRUS_INSTRUCTIONS::Real3;
using elimination::SARRUS_INSTRUCTIONS::shift_accumulated;
using elimination::SARRUS_INSTRUCTIONS::sweep_inward;
using elimination::SARRUS_INSTRUCTIONS::sweep_outward;

/// The bodies of a part at rest; all points are those of the joints.
struct LaneBodies {
  const PartSystem& system;
  const LaneSystem& lanes;
  const double* data;
  const PartMomenta& momenta;
  SweptBody* swept;
  int* gathered;               // inwards
  const PieceNumbers* pieces;  // outwards
  const AbsorbedRecord* absorbed;
  double* velocities;
  double* u;
  double sum_of_all;

  static constexpr int kAxis = offsetof(LaneData, axis) / sizeof(double);
  static constexpr int kArm = offsetof(LaneData, arm) / sizeof(double);
  static constexpr int kJ = offsetof(LaneData, J) / sizeof(double);
  static constexpr int kH = offsetof(LaneData, h) / sizeof(double);
  static constexpr int kV = offsetof(LaneData, V) / sizeof(double);

  SARRUS_INLINE Real3 lane3(int i, int field) const {
    const double* at = data + lanes.lane_of[i] + field;
    return {at[0], at[kLanes], at[2 * kLanes]};
  }
  SARRUS_INLINE Real3 axis(int i) const { return lane3(i, kAxis); }
  SARRUS_INLINE Real3 arm(int i) const { return lane3(i, kArm); }
  SARRUS_INLINE Real3 point(int i) const {
    return get3(i < system.absorbed_count ? momenta.absorbed_points + 3 * i : momenta.tip_point);
  }
  SARRUS_INLINE double inertia(int i) const { return momenta.joint_inertia[lanes.joint_of[i]]; }
  SARRUS_INLINE double force(int i) const {
    const int joint = lanes.joint_of[i];
    return momenta.scale[joint] * momenta.p[joint];
  }
  SARRUS_INLINE V6<double> zeta(int) const { return {{0, 0, 0}, {0, 0, 0}}; }
  SARRUS_INLINE int& gathers(int i) const { return gathered[i]; }
  SARRUS_INLINE SweptBody& record(int i) const { return swept[i]; }
  SARRUS_INLINE void add_to(int i, Accumulated& c) const {
    const double* J = data + lanes.lane_of[i] + kJ;
    const Real3 none{0, 0, 0};
    add_rigid(
        c.a,
        S3<double>{J[0], J[kLanes], J[2 * kLanes], J[3 * kLanes], J[4 * kLanes], J[5 * kLanes]},
        lane3(i, kH), system.shapes[system.bodies[i].shape].mass, none, none);
  }
  SARRUS_INLINE void add_bias(int i, Accumulated& c) const {
    const auto add = [&](const double* couple) {
      for (int k = 0; k < 3; ++k) add_to_seventh(c.K[k], couple[k]);
    };
    if (i == system.tip) add(momenta.tip_couple);
    if (i == system.count - 1) add(momenta.root_couple);
  }
  SARRUS_INLINE void to_origin(Accumulated& c) const {
    shift_accumulated(c, get3(momenta.root_point));
  }
  SARRUS_INLINE V6<double> from_origin(const V6<double>& V) const {
    return {V.ang, add_cross(V.lin, V.ang, get3(momenta.root_point))};
  }

  SARRUS_INLINE V6<double> motion(int i) const {
    const double* V = velocities + lanes.lane_of[i] + kV;
    return {{V[0], V[kLanes], V[2 * kLanes]}, {V[3 * kLanes], V[4 * kLanes], V[5 * kLanes]}};
  }
  SARRUS_INLINE void keep(int i, const V6<double>& V, double rate) {
    double* to = velocities + lanes.lane_of[i] + kV;
    for_each_number(V, [&](int k, double number) { to[kLanes * k] = number; });
    if (system.bodies[i].parent >= 0 || system.grounded) u[lanes.joint_of[i]] = rate;
    sum_of_all += (V.ang.x + V.ang.y + V.ang.z) * 0.0 + (V.lin.x + V.lin.y + V.lin.z) * 0.0;
    if (i >= system.absorbed_count) return;
    const Real3 back = point(i) * -1.0;
    pass_to_absorbed(absorbed[i], V6<double>{V.ang, add_cross(V.lin, V.ang, back)}, *pieces,
                     system.absorbed[i]);
  }
};

inline bool inward(const PartSystem& system, const LaneSystem& lanes, const LaneData* data,
                   const PartMomenta& momenta, const PieceNumbers& pieces, SweptBody* swept,
                   AbsorbedRecord* absorbed, int* gathers, PartStored* stored, PartRoot* root,
                   const PartShown* out) {
  LaneBodies bodies{system,  lanes,   lane(data, 0), momenta, swept, gathers,
                    nullptr, nullptr, nullptr,       nullptr, 0};
  return sweep_inward(system, bodies, pieces, absorbed, stored, root, out);
}

inline double outward(const PartSystem& system, const LaneSystem& lanes, LaneData* data,
                      const PartMomenta& momenta, const PieceNumbers& pieces, SweptBody* swept,
                      const AbsorbedRecord* absorbed, const PartRoot* root, const double* force,
                      double* u) {
  double* numbers = reinterpret_cast<double*>(data);
  LaneBodies bodies{system,  lanes,    numbers, momenta, swept, nullptr,
                    &pieces, absorbed, numbers, u,       0};
  sweep_outward(system, bodies, root, force);
  return bodies.sum_of_all;
}

}  // namespace sarrus::hamiltonian::SARRUS_INSTRUCTIONS
