#pragma once

// Rows of numbers, one a slot, and sets of slots.

#include <cstdint>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "sarrus/elimination/kernels/numbers.h"

namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS {

using namespace elimination::SARRUS_INSTRUCTIONS;

/// to += from · factor
template <int kBlocks>
SARRUS_INLINE void add_row(double* to, const double* from, double factor) {
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b)
    store8(to + 8 * b, load8(to + 8 * b) + load8(from + 8 * b) * factor);
}
/// to += from · factor + from2 · factor2
template <int kBlocks>
SARRUS_INLINE void add_rows(double* to, const double* from, double factor, const double* from2,
                            double factor2) {
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b)
    store8(to + 8 * b,
           load8(to + 8 * b) + load8(from + 8 * b) * factor + load8(from2 + 8 * b) * factor2);
}
template <int kBlocks>
SARRUS_INLINE void copy_row(double* to, const double* from) {
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) store8(to + 8 * b, load8(from + 8 * b));
}
template <int kBlocks>
SARRUS_INLINE void zero_row(double* to) {
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) store8(to + 8 * b, Row8{});
}
template <int kBlocks>
SARRUS_INLINE void scale_row(double* to, const double* from, double factor) {
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) store8(to + 8 * b, load8(from + 8 * b) * factor);
}

SARRUS_INLINE double sum_of_four(const Pack4& x) { return (x[0] + x[2]) + (x[1] + x[3]); }
SARRUS_INLINE double sum_of(const Row8& x) {
#if defined(__AVX512F__)
  return sum_of_four(__builtin_shufflevector(x, x, 0, 1, 2, 3) +
                     __builtin_shufflevector(x, x, 4, 5, 6, 7));
#else
  return sum_of_four(x.low + x.high);
#endif
}
template <int kBlocks>
SARRUS_INLINE double row_dot(const double* a, const double* b) {
  Row8 sum = load8(a) * load8(b);
#pragma GCC unroll 4
  for (int k = 1; k < kBlocks; ++k) sum += load8(a + 8 * k) * load8(b + 8 * k);
  return sum_of(sum);
}

SARRUS_INLINE Pack4 magnitude_of_four(const Pack4& x) { return x < 0 ? -x : x; }
SARRUS_INLINE Pack4 larger_of_four(const Pack4& a, const Pack4& b) { return a > b ? a : b; }
/// The larger of a and |b|, place by place.
SARRUS_INLINE Row8 larger(const Row8& a, const Row8& b) {
#if defined(__AVX512F__)
  const Row8 size = b < 0 ? -b : b;
  return a > size ? a : size;
#else
  return {larger_of_four(a.low, magnitude_of_four(b.low)),
          larger_of_four(a.high, magnitude_of_four(b.high))};
#endif
}

// A number written into a row by itself would make the next load of the row wait until it has
// reached memory: single numbers are put into registers.

/// The row with another number in one of eight places.
SARRUS_INLINE Row8 with_number(const Row8& row, int place, double number) {
#if defined(__AVX512F__)
  return (Row8)_mm512_mask_mov_pd((__m512d)row, static_cast<__mmask8>(1u << place),
                                  _mm512_set1_pd(number));
#elif defined(__AVX__)
  const Pack4 all = splat<Pack4>(number);
  const Bits4 places{0, 1, 2, 3};
  return {places == place ? all : row.low, places + 4 == place ? all : row.high};
#else
  double numbers[8];
  store8(numbers, row);
  numbers[place] = number;
  return load8(numbers);
#endif
}
SARRUS_INLINE void put_number(double* row, int slot, double number) {
  double* block = row + 8 * (slot / 8);
  store8(block, with_number(load8(block), slot % 8, number));
}
/// Eight numbers, all zero but the last.
SARRUS_INLINE Row8 last_of_eight(double number) {
#if defined(__AVX512F__)
  return Row8{0, 0, 0, 0, 0, 0, 0, number};
#else
  return {Pack4{}, Pack4{0, 0, 0, number}};
#endif
}
template <int kBlocks>
SARRUS_INLINE void add_to_last(double* row, double number) {
  double* block = row + 8 * (kBlocks - 1);
  store8(block, load8(block) + last_of_eight(number));
}

/// Which of eight are not zero.
SARRUS_INLINE std::uint64_t nonzero_of(const Row8& x) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask((__m512d)x, _mm512_setzero_pd(), _CMP_NEQ_UQ);
#elif defined(__AVX__)
  const __m256d zero = _mm256_setzero_pd();
  const int low = _mm256_movemask_pd(_mm256_cmp_pd((__m256d)x.low, zero, _CMP_NEQ_UQ));
  const int high = _mm256_movemask_pd(_mm256_cmp_pd((__m256d)x.high, zero, _CMP_NEQ_UQ));
  return static_cast<std::uint64_t>(low | high << 4);
#else
  std::uint64_t bits = 0;
  for (int l = 0; l < 4; ++l) {
    if (x.low[l] != 0) bits |= 1u << l;
    if (x.high[l] != 0) bits |= 16u << l;
  }
  return bits;
#endif
}

/// The largest of eight that are not negative, of those in `places`; where it stands, −1: all zero.
SARRUS_INLINE int place_of_largest(const Row8& x, std::uint64_t places, double& largest) {
#if defined(__AVX512F__)
  const __m512d chosen = _mm512_maskz_mov_pd(static_cast<__mmask8>(places), (__m512d)x);
  const Row8 all = (Row8)chosen;
  const Pack4 four = larger_of_four(__builtin_shufflevector(all, all, 0, 1, 2, 3),
                                    __builtin_shufflevector(all, all, 4, 5, 6, 7));
  const Pack4 two = larger_of_four(four, __builtin_shufflevector(four, four, 2, 3, 0, 1));
  largest = two[0] > two[1] ? two[0] : two[1];
  if (!(largest > 0)) return -1;
  return __builtin_ctz(
      static_cast<unsigned>(_mm512_cmp_pd_mask(chosen, _mm512_set1_pd(largest), _CMP_EQ_OQ)));
#else
  double numbers[8];
  store8(numbers, x);
  largest = 0;
  int at = -1;
  for (; places != 0; places &= places - 1) {
    const int place = __builtin_ctzll(places);
    if (numbers[place] > largest) largest = numbers[place], at = place;
  }
  return at;
#endif
}

/// A set of slots. The last number of a row is the constant and no slot.
template <int kBlocks>
struct Slots {
  static constexpr int kWords = (8 * kBlocks + 63) / 64;
  std::uint64_t word[kWords] = {};

  bool has(int k) const { return word[k / 64] >> (k % 64) & 1; }
  void add(int k) { word[k / 64] |= std::uint64_t{1} << (k % 64); }
  void remove(int k) { word[k / 64] &= ~(std::uint64_t{1} << (k % 64)); }
  int count() const {
    int sum = 0;
    for (const std::uint64_t w : word) sum += __builtin_popcountll(w);
    return sum;
  }
  /// The first slot that is not in it; −1: all are.
  int first_free() const {
    for (int i = 0; i < kWords; ++i) {
      std::uint64_t free = ~word[i];
      if (i == kWords - 1) {
        constexpr int kRest = 8 * kBlocks - 1 - 64 * (kWords - 1);
        free &= (std::uint64_t{1} << kRest) - 1;
      }
      if (free != 0) return 64 * i + __builtin_ctzll(free);
    }
    return -1;
  }
  template <class Visit>
  SARRUS_INLINE void for_each(Visit visit) const {
    for (int i = 0; i < kWords; ++i)
      for (std::uint64_t rest = word[i]; rest != 0; rest &= rest - 1)
        visit(64 * i + __builtin_ctzll(rest));
  }
  /// The eight of a block.
  SARRUS_INLINE std::uint64_t of_block(int b) const { return word[b / 8] >> (8 * (b % 8)) & 0xff; }
  SARRUS_INLINE Slots operator&(const Slots& other) const {
    Slots both;
    for (int i = 0; i < kWords; ++i) both.word[i] = word[i] & other.word[i];
    return both;
  }
  SARRUS_INLINE Slots without(const Slots& other) const {
    Slots rest;
    for (int i = 0; i < kWords; ++i) rest.word[i] = word[i] & ~other.word[i];
    return rest;
  }
  /// Adds those where one of `count` rows has a number.
  SARRUS_INLINE void add_seen(const double* rows, int count) {
#pragma GCC unroll 4
    for (int b = 0; b < kBlocks; ++b) {
      Row8 size{};
      for (int r = 0; r < count; ++r) size = larger(size, load8(rows + 8 * kBlocks * r + 8 * b));
      word[b / 8] |= nonzero_of(size) << (8 * (b % 8));
    }
  }
};

}  // namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS
