#pragma once

// Bodies in a row, four neighbours in the lanes: shifts, sums and products along the row.

#include "sarrus/simd/algebra.h"

namespace sarrus::lanes::SARRUS_INSTRUCTIONS {

SARRUS_INLINE V3<Pack4> shift_in3(const V3<Pack4>& v, const V3<Pack4>& before) {
  return {shift_in(v.x, before.x), shift_in(v.y, before.y), shift_in(v.z, before.z)};
}
SARRUS_INLINE M3<Pack4> shift_in9(const M3<Pack4>& R, const M3<Pack4>& before) {
  return {shift_in(R.xx, before.xx), shift_in(R.xy, before.xy), shift_in(R.xz, before.xz),
          shift_in(R.yx, before.yx), shift_in(R.yy, before.yy), shift_in(R.yz, before.yz),
          shift_in(R.zx, before.zx), shift_in(R.zy, before.zy), shift_in(R.zz, before.zz)};
}
/// Sums along the row: prefix sums over the lanes on top of the last lane of the block before.
SARRUS_INLINE V3<Pack4> running_sum(const V3<Pack4>& v, const V3<Pack4>& before) {
  return {prefix_sum(v.x) + last(before.x), prefix_sum(v.y) + last(before.y),
          prefix_sum(v.z) + last(before.z)};
}
template <int kBy>
SARRUS_INLINE Q4<Pack4> times_lanes_below(const Q4<Pack4>& q) {
  const Pack4 one = splat<Pack4>(1.0), zero{};
  return Q4<Pack4>{up<kBy>(q.w, one), up<kBy>(q.x, zero), up<kBy>(q.y, zero), up<kBy>(q.z, zero)} *
         q;
}
/// Products over the lanes up to each one.
SARRUS_INLINE Q4<Pack4> prefix_product(const Q4<Pack4>& q) {
  return times_lanes_below<2>(times_lanes_below<1>(q));
}

/// Lanes moved down by one, the last one from lane 0 of `after`.
SARRUS_INLINE Pack4 shift_back(Pack4 x, Pack4 after) {
  return __builtin_shufflevector(x, after, 1, 2, 3, 4);
}
SARRUS_INLINE V3<Pack4> shift_back3(const V3<Pack4>& v, const V3<Pack4>& after) {
  return {shift_back(v.x, after.x), shift_back(v.y, after.y), shift_back(v.z, after.z)};
}
/// Sums over the lanes from each one on, on top of lane 0 of the block after.
SARRUS_INLINE Pack4 sum_from(Pack4 x, Pack4 after) {
  x += __builtin_shufflevector(x, Pack4{}, 1, 2, 3, 4);
  x += __builtin_shufflevector(x, Pack4{}, 2, 3, 4, 4);
  return x + __builtin_shufflevector(after, after, 0, 0, 0, 0);
}
SARRUS_INLINE V3<Pack4> sum_from3(const V3<Pack4>& v, const V3<Pack4>& after) {
  return {sum_from(v.x, after.x), sum_from(v.y, after.y), sum_from(v.z, after.z)};
}

}  // namespace sarrus::lanes::SARRUS_INSTRUCTIONS
