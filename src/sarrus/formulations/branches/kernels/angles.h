#pragma once

#include "sarrus/formulations/branches/kernels/algebra.h"

/// Sines and cosines in lanes.
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

/// To within two units in the last place; those of very large angles, and of what is no number, are the
/// library's own.
SARRUS_INLINE void sines_and_cosines(V4 angle, V4& sine, V4& cosine) {
  constexpr double kMost = 1e6;
  const I4 is_small = (angle < kMost) & (angle > -kMost);
  const bool is_large = !(is_small[0] & is_small[1] & is_small[2] & is_small[3]);
  lanes::SARRUS_INSTRUCTIONS::Pack4 s, c;
  lanes::SARRUS_INSTRUCTIONS::sine_cosine(lanes::SARRUS_INSTRUCTIONS::Pack4(angle), is_large, s, c);
  sine = s;
  cosine = c;
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
