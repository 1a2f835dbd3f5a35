#pragma once

#include "sarrus/articulated/kernels/system.h"
#include "sarrus/simd/algebra.h"

namespace sarrus::articulated::SARRUS_INSTRUCTIONS {

using namespace lanes::SARRUS_INSTRUCTIONS;

/// What passes through a driven joint, times its motion; `a` is its body's acceleration beyond the
/// reference motion.  [order-n-drive]
inline void put_power(DriveRecord& drive, const V6<double>& a) {
  Articulated<double> behind;
  for_each_number_of(behind, [&](int k, double& number) { number = drive.articulated[k]; });
  const V6<double> wrench = times(behind, a);
  const V6<double> V{load3<double>(drive.V, 1), load3<double>(drive.V + 3, 1)};
  drive.power = dot(V6<double>{wrench.ang + behind.n, wrench.lin + behind.f}, V);
}

}  // namespace sarrus::articulated::SARRUS_INSTRUCTIONS
