#pragma once

// Dense algebra of the size of one body: 6×6 matrices as 36 numbers, row by row. Rows are taken two
// numbers at a time, which every processor of 64 bits can do.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sarrus/base/ids.h"
#include "sarrus/base/thresholds.h"

namespace sarrus::mat6 {

using Two = double __attribute__((vector_size(16)));

/// Six numbers in registers.
struct Six {
  Two a, b, c;
};

[[gnu::always_inline]] inline Six load6(const double* from) {
  using Anywhere = double __attribute__((vector_size(16), aligned(8), may_alias));
  const auto* two = reinterpret_cast<const Anywhere*>(from);
  return {two[0], two[1], two[2]};
}
[[gnu::always_inline]] inline void store6(double* to, const Six& x) {
  using Anywhere = double __attribute__((vector_size(16), aligned(8), may_alias));
  auto* two = reinterpret_cast<Anywhere*>(to);
  two[0] = x.a;
  two[1] = x.b;
  two[2] = x.c;
}
[[gnu::always_inline]] inline Six scaled(const Six& x, double s) {
  return {x.a * s, x.b * s, x.c * s};
}
/// x + y s
[[gnu::always_inline]] inline Six add_scaled(const Six& x, const Six& y, double s) {
  return {x.a + y.a * s, x.b + y.b * s, x.c + y.c * s};
}
/// x += y s
[[gnu::always_inline]] inline void add_scaled(double* x, const double* y, double s) {
  store6(x, add_scaled(load6(x), load6(y), s));
}

[[gnu::always_inline]] inline double dot6(const Six& x, const Six& y) {
  const Two sum = x.a * y.a + x.b * y.b + x.c * y.c;
  return sum[0] + sum[1];
}
[[gnu::always_inline]] inline double dot6(const double* x, const double* y) {
  return dot6(load6(x), load6(y));
}

/// c += Aᵀ b
inline void add_transposed_times(double* c, const double* A, const double* b, int rows = 6) {
  Six sum = load6(c);
  for (int i = 0; i < rows; ++i) sum = add_scaled(sum, load6(A + 6 * i), b[i]);
  store6(c, sum);
}
/// c = A b
inline void times(double* c, const double* A, const double* b, int rows = 6) {
  const Six of = load6(b);
  for (int i = 0; i < rows; ++i) c[i] = dot6(load6(A + 6 * i), of);
}
/// C += s Aᵀ B, with A and B of `rows` rows
inline void add_transposed_product(double* C, const double* A, const double* B, int rows,
                                   double s = 1) {
  for (int i = 0; i < 6; ++i) {
    Six row = load6(C + 6 * i);
    for (int k = 0; k < rows; ++k) row = add_scaled(row, load6(B + 6 * k), s * A[6 * k + i]);
    store6(C + 6 * i, row);
  }
}
/// C = A B
inline void product(double* C, const double* A, const double* B) {
  for (int i = 0; i < 6; ++i) {
    Six row{};
    for (int k = 0; k < 6; ++k) row = add_scaled(row, load6(B + 6 * k), A[6 * i + k]);
    store6(C + 6 * i, row);
  }
}

inline void set_identity(double* A) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) A[6 * i + j] = i == j ? 1.0 : 0.0;
}

/// B = L⁻¹, lower triangular, with L Lᵀ = A, for A symmetric and positive definite; false when it is
/// not.
inline bool inverse_factor(const double* A, double* B) {
  double L[36];
  set_identity(B);
  for (int j = 0; j < 6; ++j) {
    double d = A[7 * j];
    for (int k = 0; k < j; ++k) d -= L[6 * j + k] * L[6 * j + k];
    if (!(d > thresholds::kNoInertia * A[7 * j])) return false;  // rounding is all that is left
    const double pivot = 1 / std::sqrt(d);
    for (int i = j + 1; i < 6; ++i) {
      double sum = A[6 * i + j];
      for (int k = 0; k < j; ++k) sum -= L[6 * i + k] * L[6 * j + k];
      L[6 * i + j] = sum * pivot;
    }
    Six row = load6(B + 6 * j);
    for (int k = 0; k < j; ++k) row = add_scaled(row, load6(B + 6 * k), -L[6 * j + k]);
    store6(B + 6 * j, scaled(row, pivot));
  }
  return true;
}

/// B = A⁻¹ for A symmetric and positive definite; false when it is not.
inline bool inverse(const double* A, double* B) {
  double F[36];
  if (!inverse_factor(A, F)) return false;
  std::fill_n(B, 36, 0.0);
  add_transposed_product(B, F, F, 6);
  return true;
}

/// Householder's Z = Q R of a 6×m matrix, m ≤ 6; Z is given as its m columns, each six numbers.
/// Q: 6×6 orthogonal, given by its columns, too; R: upper triangular, in rows of six. False when a
/// column depends on others.
inline bool qr(const double* columns, int m, double* Q, double* R) {
  double Z[36];  // Z[6 c + i]: row i of column c
  std::copy(columns, columns + 6 * m, Z);
  double P[36];  // the reflections one after the other: the rows of Q
  set_identity(P);
  for (int c = 0; c < m; ++c) {
    double* z = Z + 6 * c;
    double square = 0;
    for (int i = c; i < 6; ++i) square += z[i] * z[i];
    double whole = square;
    for (int i = 0; i < c; ++i) whole += z[i] * z[i];
    if (!(square > thresholds::kDependentInJoint * thresholds::kDependentInJoint * whole))
      return false;
    const double norm = z[c] > 0 ? -std::sqrt(square) : std::sqrt(square);
    double numbers[6] = {};
    for (int i = c; i < 6; ++i) numbers[i] = z[i];
    numbers[c] -= norm;
    const Six v = load6(numbers);
    const double scale = 1 / (norm * norm - norm * z[c]);  // 2 / vᵀv
    const auto reflect = [&](double* w) {
      const Six before = load6(w);
      store6(w, add_scaled(before, v, -scale * dot6(v, before)));
    };
    for (int other = c + 1; other < m; ++other) reflect(Z + 6 * other);
    for (int i = 0; i < 6; ++i) reflect(P + 6 * i);
    for (int i = 0; i < c; ++i) R[6 * i + c] = z[i];
    R[7 * c] = norm;
  }
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k) Q[6 * k + i] = P[6 * i + k];
  return true;
}

/// x = R⁻ᵀ x for the upper triangular R of qr()
inline void solve_transposed(const double* R, int m, double* x) {
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= R[6 * k + i] * x[k];
    x[i] /= R[7 * i];
  }
}
/// The same for rows of six numbers.
inline void solve_transposed_rows(const double* R, int m, double* rows) {
  for (int i = 0; i < m; ++i) {
    Six row = load6(rows + 6 * i);
    for (int k = 0; k < i; ++k) row = add_scaled(row, load6(rows + 6 * k), -R[6 * k + i]);
    store6(rows + 6 * i, scaled(row, 1 / R[7 * i]));
  }
}
/// x = R⁻¹ x
inline void solve(const double* R, int m, double* x) {
  for (int i = m - 1; i >= 0; --i) {
    for (int k = i + 1; k < m; ++k) x[i] -= R[6 * i + k] * x[k];
    x[i] /= R[7 * i];
  }
}

}  // namespace sarrus::mat6
