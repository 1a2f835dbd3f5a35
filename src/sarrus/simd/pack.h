#pragma once

// Values of several lanes at once, in the compiler's own vectors: the same source makes SSE, AVX2 and
// AVX-512 code, by the flags of the file that includes it. Everything here is forced inline or
// lives in the namespace of one instruction set, so that no function of one ends up in another.

#include <cmath>
#include <cstddef>

#define SARRUS_INLINE inline __attribute__((always_inline))

namespace sarrus::lanes::SARRUS_INSTRUCTIONS {

typedef double Pack4 __attribute__((vector_size(32)));
typedef double Pack8 __attribute__((vector_size(64)));
typedef long long Bits4 __attribute__((vector_size(32)));
typedef long long Bits8 __attribute__((vector_size(64)));

template <class T>
struct Lanes;
template <>
struct Lanes<double> {
  static constexpr int kCount = 1;
  using Bits = long long;
};
template <>
struct Lanes<Pack4> {
  static constexpr int kCount = 4;
  using Bits = Bits4;
};
template <>
struct Lanes<Pack8> {
  static constexpr int kCount = 8;
  using Bits = Bits8;
};

/// Loads and stores need no alignment.
template <class T>
SARRUS_INLINE T load(const double* from) {
  typedef T Aliased __attribute__((may_alias, aligned(8)));
  return *reinterpret_cast<const Aliased*>(from);
}
template <class T>
SARRUS_INLINE void store(double* to, T value) {
  typedef T Aliased __attribute__((may_alias, aligned(8)));
  *reinterpret_cast<Aliased*>(to) = value;
}

/// The first `count` numbers, zeros in the other lanes.
template <class T>
SARRUS_INLINE T load_some(const double* from, int count) {
  if (count >= Lanes<T>::kCount) return load<T>(from);
  T some{};
  for (int l = 0; l < count; ++l) some[l] = from[l];
  return some;
}

/// The same number in all lanes.
template <class T>
SARRUS_INLINE T splat(double value) {
  return T{} + value;
}

/// Lanes moved up by one, lane 0 from the last lane of `before`.
SARRUS_INLINE Pack4 shift_in(Pack4 x, Pack4 before) {
  return __builtin_shufflevector(before, x, 3, 4, 5, 6);
}
SARRUS_INLINE Pack4 last(Pack4 x) { return __builtin_shufflevector(x, x, 3, 3, 3, 3); }

/// Lanes moved up by one or two, filled from `fill`.
template <int kBy>
SARRUS_INLINE Pack4 up(Pack4 x, Pack4 fill) {
  if constexpr (kBy == 1) return __builtin_shufflevector(fill, x, 0, 4, 5, 6);
  return __builtin_shufflevector(fill, x, 0, 1, 4, 5);
}
SARRUS_INLINE Pack4 without_lane_0(Pack4 x) {
  return __builtin_shufflevector(Pack4{}, x, 0, 5, 6, 7);
}

/// Sums over the lanes up to each one.
SARRUS_INLINE Pack4 prefix_sum(Pack4 x) {
  x += up<1>(x, Pack4{});
  return x + up<2>(x, Pack4{});
}

/// Sine and cosine, each with an error below 2e-16 while |x| < 1e5 (larger ones by the C library,
/// lane by lane, when told so): Cody and Waite's reduction by π/2 in three parts, good with and without fused
/// multiply-add, then the polynomials of fdlibm.
template <class T>
SARRUS_INLINE void sine_cosine_small(T x, T& sine, T& cosine) {
  using Bits = typename Lanes<T>::Bits;
  constexpr double kRound = 0x1.8p52;  // adding it leaves an integer in the lowest bits
  const T shifted = x * 0.63661977236758134308 + kRound;
  const T k = shifted - kRound;
  const Bits quadrant = __builtin_bit_cast(Bits, shifted);
  T r = x - k * 1.57079632673412561417e+00;
  r = r - k * 6.07710050630396597660e-11;
  r = r - k * 2.02226624879595063154e-21;
  const T z = r * r;
  const T z2 = z * z;
  const T ps = (z * 8.33333333332248946124e-03 - 1.66666666666666324348e-01) +
               z2 * ((z * 2.75573137070700676789e-06 - 1.98412698298579493134e-04) +
                     z2 * (z * 1.58969099521155010221e-10 - 2.50507602534068634195e-08));
  const T pc = (4.16666666666666019037e-02 - z * 1.38888888888741095749e-03) +
               z2 * ((2.48015872894767294178e-05 - z * 2.75573143513906633035e-07) +
                     z2 * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11));
  const T s = r + (r * z) * ps;
  const T c = (1.0 - 0.5 * z) + z2 * pc;
  const auto swapped = (quadrant & 1) != 0;
  const T s_of = swapped ? c : s;
  const T c_of = swapped ? s : c;
  // Quadrants 2, 3 flip the sine; 1, 2 the cosine.
  const Bits flip_s = (quadrant & 2) << 62;
  const Bits flip_c = ((quadrant + 1) & 2) << 62;
  sine = __builtin_bit_cast(T, __builtin_bit_cast(Bits, s_of) ^ flip_s);
  cosine = __builtin_bit_cast(T, __builtin_bit_cast(Bits, c_of) ^ flip_c);
}

template <class T>
__attribute__((noinline, cold)) void sine_cosine_large(const T& x, T& sine, T& cosine) {
  for (int l = 0; l < Lanes<T>::kCount; ++l) {
    sine[l] = std::sin(x[l]);
    cosine[l] = std::cos(x[l]);
  }
}

template <class T>
SARRUS_INLINE void sine_cosine(T x, bool large, T& sine, T& cosine) {
  if (__builtin_expect(large, 0))
    sine_cosine_large(x, sine, cosine);
  else
    sine_cosine_small(x, sine, cosine);
}

/// Those that are not numbers do not count.
inline double largest_magnitude(const double* numbers, std::size_t count) {
  Pack4 most{};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Pack4 x = load<Pack4>(numbers + i);
    most = x > most ? x : most;
    most = -x > most ? -x : most;
  }
  double largest = 0;
  for (int l = 0; l < 4; ++l) largest = most[l] > largest ? most[l] : largest;
  for (; i < count; ++i)
    largest = std::fabs(numbers[i]) > largest ? std::fabs(numbers[i]) : largest;
  return largest;
}

/// Sum of the magnitudes: infinite or not a number as soon as one of them is.
inline double sum_of_magnitudes(const double* numbers, std::size_t count) {
  Pack4 sums{};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Pack4 x = load<Pack4>(numbers + i);
    sums += x < 0 ? -x : x;
  }
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; i < count; ++i) sum += std::fabs(numbers[i]);
  return sum;
}

}  // namespace sarrus::lanes::SARRUS_INSTRUCTIONS
