#pragma once

#include <cstddef>

namespace sarrus::wide {

/// Boundaries of so many numbers and more are worth blocked algebra.
inline constexpr std::size_t kWide = 48;

/// Λ −= Yᵀ Y with Y ← L⁻¹ Y, row by row: L is lower triangular, `rank` rows of `stride` numbers; Y
/// has `rank` rows of `width`, Λ is symmetric, of `width` rows.
void subtract_closed(const double* L, std::size_t stride, std::size_t rank, double* Y,
                     double* Lambda, std::size_t width);

}  // namespace sarrus::wide
