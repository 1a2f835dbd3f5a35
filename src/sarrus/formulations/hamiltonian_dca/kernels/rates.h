#pragma once

// Sums over subtrees, and the rates of the momenta.  [hamilton-rates]

#include "sarrus/formulations/hamiltonian_dca/kernels/pose.h"

namespace sarrus::hamiltonian::SARRUS_INSTRUCTIONS {

/// A wrench or momentum summed over all that hangs on each of four bodies, and what they hand on.
struct SubtreeSum {
  V3<P> lin;  ///< of each and all beyond it
  V3<P> ang;  ///< about its own point
  V3<P> on;   ///< about its parent's
};

/// `own` of the bodies, and what the block after hands on.
SARRUS_INLINE SubtreeSum sum_subtrees(const V6<P>& own, const V3<P>& arm, const SubtreeSum& after) {
  SubtreeSum sum;
  sum.lin = sum_from3(own.lin, after.lin);
  sum.on = sum_from3(add_cross(own.ang, arm, sum.lin), after.on);
  sum.ang = own.ang + shift_back3(sum.on, after.on);
  return sum;
}

SARRUS_INLINE V6<P> load_six(const double (*from)[kLanes]) {
  return {load3<P>(from[0], kLanes), load3<P>(from[3], kLanes)};
}

SARRUS_INLINE V6<P> added(const V6<P>& a, const V6<P>& b) { return {a.ang + b.ang, a.lin + b.lin}; }

SARRUS_INLINE void hand_on(const SubtreeSum& sum, int lane, double (*to)[kLanes]) {
  to[0][lane] += sum.on.x[0];
  to[1][lane] += sum.on.y[0];
  to[2][lane] += sum.on.z[0];
  to[3][lane] += sum.lin.x[0];
  to[4][lane] += sum.lin.y[0];
  to[5][lane] += sum.lin.z[0];
}

/// Momenta of the bodies at their points.
SARRUS_INLINE V6<P> momenta_of(const LaneData& d, P mass) {
  const V3<P> w = load3<P>(d.V[0], kLanes), v = load3<P>(d.V[3], kLanes);
  const V3<P> h = load3<P>(d.h[0], kLanes);
  return {add_cross(load_s3<P>(d.J[0], kLanes) * w, h, v), add_cross(v * mass, w, h)};
}

enum class What { kWeight, kLoads, kHanded };

template <What kWhat>
void find_rates(const LaneSystem& system, const LaneData* data, const RatesInputs& in,
                Handed* handed, Handed* total) {
  const V3<P> zero{P{}, P{}, P{}};
  constexpr bool kWeight = kWhat == What::kWeight, kMomenta = kWhat != What::kHanded;
  const V3<P> gravity = kWeight ? splat3<P>(in.gravity) : zero;
  for (int i = system.chain_count - 1; i >= 0; --i) {
    const LaneChain& chain = system.chains[i];
    SubtreeSum momentum{zero, zero, zero}, wrench{zero, zero, zero};
    V3<P> moment = zero;
    for (int b = chain.first_block + chain.blocks - 1; b >= chain.first_block; --b) {
      const LaneBlock& block = system.blocks[b];
      const LaneData& d = data[b];
      const Handed* given = block.handed >= 0 ? handed + block.handed : nullptr;
      const V3<P> arm = load3<P>(d.arm[0], kLanes);
      V3<P> turning = zero;  // what turns the body about its point, and the momentum passing by
      if constexpr (kMomenta) {
        V6<P> own = momenta_of(d, load<P>(system.constants[block.constants].m));
        if (given) own = added(own, load_six(given->momentum));
        momentum = sum_subtrees(own, arm, momentum);
        turning = add_cross(turning, momentum.ang, load3<P>(d.V[0], kLanes));
        turning = add_cross(turning, momentum.lin, load3<P>(d.V[3], kLanes));
      }
      if constexpr (kWeight) {
        V3<P> own = load3<P>(d.h[0], kLanes);
        if (given) own = own + load3<P>(given->moment[0], kLanes);
        const V3<P> on = sum_from3(add_scaled(own, arm, load<P>(block.mass_beyond)), moment);
        turning = add_cross(turning, own + shift_back3(on, moment), gravity);
        moment = on;
      }
      if constexpr (!kWeight) {
        V6<P> own = kMomenta ? load_six(d.load) : V6<P>{zero, zero};
        if (given) own = added(own, load_six(given->load));
        wrench = sum_subtrees(own, arm, wrench);
        turning = turning + wrench.ang;
      }
      const P rate = dot(load3<P>(d.axis[0], kLanes), turning);
      if (block.in_row) {
        store(in.p_rate + block.joint[0], P(rate * load<P>(in.inverse_scale + block.joint[0])));
        continue;
      }
      for (int l = 0; l < block.bodies; ++l)
        if (block.tells[l]) in.p_rate[block.joint[l]] = rate[l] * in.inverse_scale[block.joint[l]];
    }
    const bool is_inside = chain.parent >= 0;
    Handed& to = is_inside ? handed[chain.parent_handed] : *total;
    const int lane = is_inside ? chain.parent_lane : 0;
    hand_on(momentum, lane, to.momentum);
    hand_on(wrench, lane, to.load);
    to.moment[0][lane] += moment.x[0];
    to.moment[1][lane] += moment.y[0];
    to.moment[2][lane] += moment.z[0];
  }
}

inline void rates(const LaneSystem& system, const LaneData* data, const RatesInputs& in,
                  Handed* handed, Handed* total) {
  if (in.gravity)
    find_rates<What::kWeight>(system, data, in, handed, total);
  else if (in.moves)
    find_rates<What::kLoads>(system, data, in, handed, total);
  else
    find_rates<What::kHanded>(system, data, in, handed, total);
}

}  // namespace sarrus::hamiltonian::SARRUS_INSTRUCTIONS
