#pragma once

#include <span>

#include "sarrus/model/state_layout.h"

/// States as plain numbers, quaternions among them: for multistep methods, whose steps have no common
/// chart.  [layout-embedded]
namespace sarrus {

/// How the numbers change where the state changes at `dx`: dx for vectors, ½ ω q for quaternions. `x` need
/// not be normalised.
void embedded_rate(const StateLayout& layout, std::span<const double> x, std::span<const double> dx,
                   std::span<double> rate);

/// Makes quaternions unit ones.
void normalise(const StateLayout& layout, std::span<double> x);

}  // namespace sarrus
