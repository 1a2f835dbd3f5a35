#pragma once

// Dense algebra of the size of one body: 6×6 matrices as 36 numbers, row by row. Plain loops of
// fixed length, which the compiler unrolls.

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sarrus::small {

/// An index into a vector.
inline std::size_t ix(int i) { return static_cast<std::size_t>(i); }

inline double dot6(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/// c += Aᵀ b
inline void add_transposed_times(double* c, const double* A, const double* b, int rows = 6) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 6; ++j) c[j] += A[6 * i + j] * b[i];
}
/// c = A b
inline void times(double* c, const double* A, const double* b, int rows = 6) {
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < 6; ++j) sum += A[6 * i + j] * b[j];
    c[i] = sum;
  }
}
/// C += s Aᵀ B, with A and B of `rows` rows
inline void add_transposed_product(double* C, const double* A, const double* B, int rows,
                                   double s = 1) {
  for (int k = 0; k < rows; ++k)
    for (int i = 0; i < 6; ++i) {
      const double a = s * A[6 * k + i];
      for (int j = 0; j < 6; ++j) C[6 * i + j] += a * B[6 * k + j];
    }
}
/// C = A B
inline void product(double* C, const double* A, const double* B) {
  for (int i = 0; i < 6; ++i) {
    double row[6] = {};
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) row[j] += A[6 * i + k] * B[6 * k + j];
    for (int j = 0; j < 6; ++j) C[6 * i + j] = row[j];
  }
}

inline void set_identity(double* A) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) A[6 * i + j] = i == j ? 1.0 : 0.0;
}

/// F upper triangular with F Fᵀ = I⁻¹, for I symmetric and positive definite; false when it is not.
inline bool inverse_factor(const double* I, double* F) {
  double L[36] = {};
  for (int j = 0; j < 6; ++j) {
    double d = I[7 * j];
    for (int k = 0; k < j; ++k) d -= L[6 * j + k] * L[6 * j + k];
    if (!(d > 1e-14 * I[7 * j])) return false;  // rounding is all that is left
    const double root = std::sqrt(d);
    L[7 * j] = root;
    for (int i = j + 1; i < 6; ++i) {
      double sum = I[6 * i + j];
      for (int k = 0; k < j; ++k) sum -= L[6 * i + k] * L[6 * j + k];
      L[6 * i + j] = sum / root;
    }
  }
  // Row by row of L⁻¹, stored as columns of F = L⁻ᵀ.
  std::fill(F, F + 36, 0.0);
  for (int j = 0; j < 6; ++j)
    for (int i = j; i < 6; ++i) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = j; k < i; ++k) sum -= L[6 * i + k] * F[6 * j + k];
      F[6 * j + i] = sum / L[7 * i];
    }
  return true;
}

/// B = A⁻¹ for A symmetric and positive definite; false when it is not.
inline bool inverse(const double* A, double* B) {
  double F[36];
  if (!inverse_factor(A, F)) return false;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      B[6 * i + j] = 0;
      for (int k = 0; k < 6; ++k) B[6 * i + j] += F[6 * i + k] * F[6 * j + k];
    }
  return true;
}

/// Householder's Z = Q R of a 6×m matrix, m ≤ 6; Z is given as its m columns, each six numbers.
/// Q: 6×6 orthogonal; R: upper triangular, in rows of six. False when a column depends on others.
inline bool qr(const double* columns, int m, double* Q, double* R) {
  double Z[36];  // Z[6 c + i]: row i of column c
  std::copy(columns, columns + 6 * m, Z);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) Q[6 * i + j] = i == j ? 1.0 : 0.0;
  for (int c = 0; c < m; ++c) {
    double* z = Z + 6 * c;
    double square = 0;
    for (int i = c; i < 6; ++i) square += z[i] * z[i];
    double whole = square;
    for (int i = 0; i < c; ++i) whole += z[i] * z[i];
    if (!(square > 1e-26 * whole)) return false;
    const double norm = z[c] > 0 ? -std::sqrt(square) : std::sqrt(square);
    double v[6] = {};
    for (int i = c; i < 6; ++i) v[i] = z[i];
    v[c] -= norm;
    const double scale = 1 / (norm * norm - norm * z[c]);  // 2 / vᵀv
    for (int other = c + 1; other < m; ++other) {
      double* w = Z + 6 * other;
      double sum = 0;
      for (int i = c; i < 6; ++i) sum += v[i] * w[i];
      for (int i = c; i < 6; ++i) w[i] -= scale * sum * v[i];
    }
    for (int i = 0; i < 6; ++i) {
      double sum = 0;
      for (int j = c; j < 6; ++j) sum += Q[6 * i + j] * v[j];
      for (int j = c; j < 6; ++j) Q[6 * i + j] -= scale * sum * v[j];
    }
    for (int i = 0; i < c; ++i) R[6 * i + c] = z[i];
    R[7 * c] = norm;
  }
  return true;
}

/// x = R⁻ᵀ x for the upper triangular R of qr()
inline void solve_transposed(const double* R, int m, double* x) {
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= R[6 * k + i] * x[k];
    x[i] /= R[7 * i];
  }
}
/// x = R⁻¹ x
inline void solve(const double* R, int m, double* x) {
  for (int i = m - 1; i >= 0; --i) {
    for (int k = i + 1; k < m; ++k) x[i] -= R[6 * i + k] * x[k];
    x[i] /= R[7 * i];
  }
}

}  // namespace sarrus::small
