#pragma once

// Where the bodies of a part are: orientations by products along rows of bodies, and all that depends
// on nothing else.  [hamilton-lanes]

#include "sarrus/formulations/hamiltonian_dca/kernels/system.h"
#include "sarrus/simd/row.h"

namespace sarrus::hamiltonian::SARRUS_INSTRUCTIONS {

using namespace lanes::SARRUS_INSTRUCTIONS;
using P = Pack4;

/// Numbers of the block's joints, zeros in lanes without a body.
SARRUS_INLINE P gather(const LaneBlock& block, const double* from) {
  if (block.in_row) return load<P>(from + block.joint[0]);
  P some{};
  for (int l = 0; l < block.bodies; ++l) some[l] = from[block.joint[l]];
  return some;
}

SARRUS_INLINE Q4<P> load_turn(const LaneData& d) {
  return {load<P>(d.turn[0]), load<P>(d.turn[1]), load<P>(d.turn[2]), load<P>(d.turn[3])};
}
SARRUS_INLINE void store_turn(LaneData& d, const Q4<P>& q) {
  store(d.turn[0], q.w);
  store(d.turn[1], q.x);
  store(d.turn[2], q.y);
  store(d.turn[3], q.z);
}
/// The body that begins at a lane, or the base.
SARRUS_INLINE Q4<P> splat_turn(const double* at, int stride) {
  return {splat<P>(at[0]), splat<P>(at[stride]), splat<P>(at[2 * stride]),
          splat<P>(at[3 * stride])};
}
SARRUS_INLINE const double* lane(const LaneData* data, int begins) {
  return reinterpret_cast<const double*>(data) + begins;
}

inline void turn(const LaneSystem& system, const double* q, LaneData* data) {
  const double identity[4] = {1, 0, 0, 0};
  for (int i = 0; i < system.chain_count; ++i) {
    const LaneChain& chain = system.chains[i];
    Q4<P> below =
        chain.parent < 0 ? splat_turn(identity, 1) : splat_turn(lane(data, chain.parent), kLanes);
    for (int b = chain.first_block; b < chain.first_block + chain.blocks; ++b) {
      const LaneBlock& block = system.blocks[b];
      const LaneConstants& c = system.constants[block.constants];
      const P angle = gather(block, q);
      const P large = (angle < 0 ? -angle : angle) - tree::kLargestAngle;
      const bool is_large = large[0] > 0 || large[1] > 0 || large[2] > 0 || large[3] > 0;
      P sine, cosine;
      sine_cosine(P(0.5 * angle), is_large, sine, cosine);
      const Q4<P> q_PE{load<P>(c.q[0]), load<P>(c.q[1]), load<P>(c.q[2]), load<P>(c.q[3])};
      const Q4<P> g = renormalised(below * prefix_product(turned_about_z(q_PE, sine, cosine)));
      store_turn(data[b], g);
      below = {last(g.w), last(g.x), last(g.y), last(g.z)};
    }
  }
}

inline void place(const LaneSystem& system, const double* base, bool places, LaneData* data,
                  double* moment) {
  const Q4<P> q_base = splat_turn(base, 1);
  V3<P> sum{P{}, P{}, P{}};
  for (int i = 0; i < system.chain_count; ++i) {
    const LaneChain& chain = system.chains[i];
    M3<P> R_below =
        matrix_of(chain.parent < 0 ? q_base : splat_turn(lane(data, chain.parent), kLanes));
    V3<P> place_below{P{}, P{}, P{}};
    if (places && chain.parent >= 0) {
      const double* at = lane(data, chain.parent) + offsetof(LaneData, place) / sizeof(double);
      place_below = {splat<P>(at[0]), splat<P>(at[kLanes]), splat<P>(at[2 * kLanes])};
    }
    for (int b = chain.first_block; b < chain.first_block + chain.blocks; ++b) {
      const LaneBlock& block = system.blocks[b];
      const LaneConstants& c = system.constants[block.constants];
      LaneData& d = data[b];
      const Q4<P> g = renormalised(q_base * load_turn(d));
      store_turn(d, g);
      const M3<P> R = matrix_of(g);
      const V3<P> arm = shift_in9(R, R_below) * load3<P>(c.r[0], kLanes);
      R_below = R;
      store3(d.axis[0], kLanes, third_column(R));
      store3(d.arm[0], kLanes, arm);
      store_s3(d.J[0], kLanes, rotated(R, load_s3<P>(c.J[0], kLanes)));
      const V3<P> h = R * load3<P>(c.h[0], kLanes);
      store3(d.h[0], kLanes, h);
      sum = sum + add_scaled(h, arm, load<P>(block.mass_beyond));
      if (!places) continue;
      place_below = running_sum(arm, place_below);
      store3(d.place[0], kLanes, place_below);
    }
  }
  const auto whole = [](P x) { return (x[0] + x[1]) + (x[2] + x[3]); };
  moment[0] = whole(sum.x);
  moment[1] = whole(sum.y);
  moment[2] = whole(sum.z);
}

}  // namespace sarrus::hamiltonian::SARRUS_INSTRUCTIONS
