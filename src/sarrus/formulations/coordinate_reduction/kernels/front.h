#pragma once

// A front: the part of a mechanism that has been put together so far, seen through the coordinates
// that are still open. Every body acceleration in it is a = N [y; 1]; what it takes to bring it
// about is ½ yᵀ H y + hᵀ y. The constant 1 stands in the last place of every row, so that biases,
// loads and right-hand sides go through the same operations.  [reduction-front]

#include "sarrus/base/thresholds.h"
#include "sarrus/formulations/coordinate_reduction/kernels/cells.h"
#include "sarrus/formulations/coordinate_reduction/kernels/closing.h"

namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS {

constexpr double kClearly = 1e-6;
constexpr double kUsualLoss = 100;
constexpr double kNothing = 1e-14;
/// A coordinate that no staying body shows is preferred where its pivot is not so much smaller.
constexpr double kPreferred = 0.1;
/// Pivots that have fallen to this part of their usual size let their rows wait for later ones.
/// [reduction-waiting]
constexpr double kWaits = 0.05;
constexpr double kLargestWaiting = 0.02;

template <int kBlocks>
struct Front {
  static constexpr int kStride = 8 * kBlocks;
  static constexpr int kConstant = kStride - 1;

  const System& system;
  const Program& program;
  const Inputs& in;
  Scratch& scratch;
  FrontScratch& own;
  Slots<kBlocks> used{};
  double size[kStride] = {};  ///< what H_kk is a difference of
  int owner[kStride] = {};    ///< body whose joint the coordinate belonged to
  double* waiting = nullptr;
  int waiting_rows = 0, missing = 0;  ///< rows that wait, and how many pivots they should give

  double* place(int index) const {
    return index < 0 ? nullptr : own.N + 6 * kStride * static_cast<std::ptrdiff_t>(index);
  }
  double* H(int slot) const { return own.H + kStride * slot; }

  Record& push(Record::Kind kind, int slot, int to) {
    Record& record = own.records[own.record_count++];
    record = {kind, static_cast<std::int16_t>(slot), to};
    return record;
  }
  double* push_row() { return own.rows + static_cast<std::ptrdiff_t>(kStride) * own.row_count++; }

  Outcome run();
  bool open_slots(int body, int* slots);
  bool extend(const Operation& operation, int* slots, bool counts = true);
  bool take_cells(const Operation& operation);
  Outcome extend_chain(int index);
  void close(int index);
  void let_wait(double* C, bool* open, int rows, const Slots<kBlocks>& hidden,
                ClosingRecord* closing);
  bool reduce(const Operation& operation);
  bool eliminate(int slot);
  void combine(const Operation& operation, int excess);
  void substitute(const double* row, int slot);
  void add_inertia(const double* N, const Operation& operation);
  void add_articulated(const double* N, const Articulated<double>& a);
  void add_moved(const double* N, const double* MN);
  bool find_pivot(const double* C, const bool* open, int rows, const Slots<kBlocks>& hidden,
                  int& row, int& slot, double& size_found) const;
};

/// A slot for each coordinate of a body's joint, −1 where it is held; false where none is left.
template <int kBlocks>
SARRUS_INLINE bool Front<kBlocks>::open_slots(int body, int* slots) {
  const tree::JointConstants& joint = system.joints[body];
  for (int k = 0; k < joint.columns; ++k) {
    slots[k] = -1;
    if (in.held != nullptr && in.held[joint.column + k]) continue;
    const int slot = used.first_free();
    if (slot < 0) return false;
    used.add(slot);
    size[slot] = 0;
    owner[slot] = body;
    slots[k] = slot;
    push(Record::kOutput, slot, joint.column + k);
  }
  return true;
}

template <int kBlocks>
SARRUS_INLINE bool Front<kBlocks>::extend(const Operation& operation, int* slots, bool counts) {
  JointInWorld joint;
  place_body(system, in, operation.body, scratch, joint);
  double* N = place(operation.place);
  if (const double* A = place(operation.place_a); A != nullptr) {
    const Real3& s = joint.s;
#pragma GCC unroll 4
    for (int b = 0; b < kBlocks; ++b) {
      const double* from = A + 8 * b;
      double* to = N + 8 * b;
      const Row8 x = load8(from), y = load8(from + kStride), z = load8(from + 2 * kStride);
      store8(to, x);
      store8(to + kStride, y);
      store8(to + 2 * kStride, z);
      store8(to + 3 * kStride, load8(from + 3 * kStride) + y * s.z - z * s.y);
      store8(to + 4 * kStride, load8(from + 4 * kStride) + z * s.x - x * s.z);
      store8(to + 5 * kStride, load8(from + 5 * kStride) + x * s.y - y * s.x);
    }
  } else {
    for (int i = 0; i < 6; ++i) zero_row<kBlocks>(N + i * kStride);
  }
  if (own.closings != nullptr) push(Record::kExtended, 0, operation.body);
  if (!open_slots(operation.body, slots)) return false;
  const tree::JointConstants& constants = system.joints[operation.body];
  for (int k = 0; k < constants.columns; ++k) {
    if (slots[k] < 0) continue;
    for_each_number(joint.S[k],
                    [&](int i, double number) { put_number(N + i * kStride, slots[k], number); });
    if (counts && in.tau != nullptr) {
      const int unknown = constants.column + k;
      add_to_last<kBlocks>(H(slots[k]), -in.tau[unknown] * system.scales[unknown]);
    }
  }
  for_each_number(V6<double>{joint.bias_ang, joint.bias_lin},
                  [&](int i, double number) { add_to_last<kBlocks>(N + i * kStride, number); });
  if (operation.asked) {
    push(Record::kAcceleration, 0, operation.body);
    for (int i = 0; i < 6; ++i) copy_row<kBlocks>(push_row(), N + i * kStride);
  }
  if (counts) add_inertia(N, operation);
  return true;
}

/// H += Nᵀ M N, h += Nᵀ (M n + p): the body's own, or with all that hangs on it.
template <int kBlocks>
SARRUS_INLINE void Front<kBlocks>::add_inertia(const double* N, const Operation& operation) {
  const OwnInertia body = own_inertia(system, in, operation.body, scratch.motions[operation.body]);
  const S3<double>& J = body.J;
  if (in.appended && system.gathers[operation.body]) {
    const double* numbers = scratch.appended + 27 * static_cast<std::ptrdiff_t>(operation.body);
    Articulated<double> a;
    for_each_number_of(a, [&](int k, double& number) { number = numbers[k]; });
    add_rigid(a, J, Real3{0, 0, 0}, body.m, body.n, body.f);
    return add_articulated(N, a);
  }
  alignas(64) double MN[6 * kStride];
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) {
    const double* from = N + 8 * b;
    double* to = MN + 8 * b;
    const Row8 x = load8(from), y = load8(from + kStride), z = load8(from + 2 * kStride);
    store8(to, x * J.xx + y * J.xy + z * J.xz);
    store8(to + kStride, x * J.xy + y * J.yy + z * J.yz);
    store8(to + 2 * kStride, x * J.xz + y * J.yz + z * J.zz);
    for (int i = 3; i < 6; ++i) store8(to + i * kStride, load8(from + i * kStride) * body.m);
  }
  for_each_number(V6<double>{body.n, body.f},
                  [&](int i, double number) { add_to_last<kBlocks>(MN + i * kStride, number); });
  add_moved(N, MN);
}

/// The same with an inertia of any kind.
template <int kBlocks>
inline void Front<kBlocks>::add_articulated(const double* N, const Articulated<double>& a) {
  alignas(64) double MN[6 * kStride];
  const double I[6][6] = {{a.A.xx, a.A.xy, a.A.xz, a.H.xx, a.H.xy, a.H.xz},
                          {a.A.xy, a.A.yy, a.A.yz, a.H.yx, a.H.yy, a.H.yz},
                          {a.A.xz, a.A.yz, a.A.zz, a.H.zx, a.H.zy, a.H.zz},
                          {a.H.xx, a.H.yx, a.H.zx, a.M.xx, a.M.xy, a.M.xz},
                          {a.H.xy, a.H.yy, a.H.zy, a.M.xy, a.M.yy, a.M.yz},
                          {a.H.xz, a.H.yz, a.H.zz, a.M.xz, a.M.yz, a.M.zz}};
  for (int i = 0; i < 6; ++i) {
    scale_row<kBlocks>(MN + i * kStride, N, I[i][0]);
    for (int k = 1; k < 6; ++k) add_row<kBlocks>(MN + i * kStride, N + k * kStride, I[i][k]);
  }
  for_each_number(V6<double>{a.n, a.f},
                  [&](int i, double number) { add_to_last<kBlocks>(MN + i * kStride, number); });
  add_moved(N, MN);
}

template <int kBlocks>
SARRUS_INLINE void Front<kBlocks>::add_moved(const double* N, const double* MN) {
  Slots<kBlocks> seen{};
  seen.add_seen(N, 6);
  (seen & used).for_each([&](int k) {
    double* to = H(k);
    const double before = to[k];
#pragma GCC unroll 4
    for (int b = 0; b < kBlocks; ++b) {
      Row8 sum = load8(to + 8 * b);
      for (int i = 0; i < 6; ++i) sum += load8(MN + i * kStride + 8 * b) * N[i * kStride + k];
      store8(to + 8 * b, sum);
    }
    size[k] += to[k] - before;
  });
}

/// All cells at once, which have been run: the new body of the last comes in, with the inertia of all
/// that lies behind it. Where it does not stay, how it moves does not matter.  [reduction-cells]
template <int kBlocks>
inline bool Front<kBlocks>::take_cells(const Operation& operation) {
  const CellShape& shape = own.cells.shapes[0];  // as many new columns in all
  double all[kMostCellNew][kMostCellNew + 1] = {};
  cells::forward(own.cells, all);
  push(Record::kCells, 0, 0);
  if (operation.staying == 0 ? !open_slots(operation.body, own.new_slots)
                             : !extend(operation, own.new_slots, false))
    return false;
  for (int i = 0; i < shape.new_columns; ++i) {
    double* row = H(own.new_slots[i]);
    for (int j = 0; j < shape.new_columns; ++j) put_number(row, own.new_slots[j], all[i][j]);
    put_number(row, kConstant, all[i][shape.new_columns]);
    size[own.new_slots[i]] = all[i][i];
  }
  return true;
}

/// A whole chain: its end moves with the base, and by as many coordinates of its own as its joints
/// can give it. What they cost is their squares, of the joints between nothing is left.
/// [reduction-chain]
template <int kBlocks>
inline Outcome Front<kBlocks>::extend_chain(int index) {
  const Operation& operation = program.operations[index];
  const Chain& chain = system.chains[operation.chain];
  ChainFactor& factor = scratch.chain_factors[operation.chain];
  ChainEnds ends;
  place_chain(system, in, chain, scratch);
  if (!sweep_chain(system, in, chain, scratch, ends)) return Outcome::kFaintChain;
  const double faintest = factor_chain(ends, factor);
  const int rank = factor.rank;
  own.ranks[index] = rank;
  own.least_pivots[index] = faintest;
  const bool counting = in.rank_tolerance > 0;
  if (faintest < kFaintDirection || (!counting && rank != operation.nominal_rank))
    return Outcome::kFaintChain;
  double* N = place(operation.place);
  for (int i = 0; i < 6; ++i) zero_row<kBlocks>(N + i * kStride);
  const double* base = place(operation.place_a);
  push(Record::kChain, base != nullptr ? 0 : -1, operation.chain);
  if (base != nullptr) {
    for (int i = 0; i < 6; ++i) {
      double K[8];
      store8(K, ends.K[i]);
      for (int k = 0; k < 6; ++k) add_row<kBlocks>(N + k * kStride, base + i * kStride, K[k]);
      copy_row<kBlocks>(push_row(), base + i * kStride);
    }
    add_articulated(base, ends.base);
  }
  double beta[8];
  store8(beta, ends.beta);
  for (int i = 0; i < 6; ++i) add_to_last<kBlocks>(N + i * kStride, beta[i]);
  for (int j = 0; j < rank; ++j) {
    const int slot = used.first_free();
    if (slot < 0) return Outcome::kTooWide;
    used.add(slot);
    factor.slots[j] = slot;
    owner[slot] = operation.body;
    size[slot] = 1 / (factor.size * factor.size);
    put_number(H(slot), slot, size[slot]);
    for (int i = 0; i < 6; ++i)
      put_number(N + i * kStride, slot, factor.L[j][i] * factor.unit[i] / factor.size);
  }
  return Outcome::kDone;
}

/// y_slot = −row·y in H.  [reduction-substitute]
template <int kBlocks>
SARRUS_INLINE void Front<kBlocks>::substitute(const double* row, int slot) {
  alignas(64) double rest[kStride];
  const double* H_p = H(slot);
  copy_row<kBlocks>(rest, H_p);
  add_row<kBlocks>(rest, row, -H_p[slot]);
  put_number(rest, slot, 0);
  used.for_each([&](int k) {
    if (k == slot) return;
    double* to = H(k);
    add_rows<kBlocks>(to, row, -to[slot], rest, -row[k]);
    put_number(to, slot, 0);
    size[k] += row[k] * row[k] * size[slot];
  });
  zero_row<kBlocks>(H(slot));
}

/// Takes out a coordinate on which nothing outside the front depends.  [reduction-reduce]
template <int kBlocks>
SARRUS_INLINE bool Front<kBlocks>::eliminate(int slot) {
  double* H_p = H(slot);
  const double pivot = H_p[slot];
  if (!(pivot > thresholds::kNoInertia * size[slot])) {
    own.bad_body = owner[slot];
    return false;
  }
  double* row = push_row();
  push(Record::kPivot, slot, 0);
  scale_row<kBlocks>(row, H_p, 1 / pivot);
  put_number(row, slot, 0);
  used.remove(slot);
  used.for_each([&](int k) {
    double* to = H(k);
    const double factor = to[slot];
    if (factor == 0) return;
    add_row<kBlocks>(to, row, -factor);
    put_number(to, slot, 0);
  });
  zero_row<kBlocks>(H_p);
  return true;
}

/// The largest entry of the open rows; one of a hidden slot is preferred.
template <int kBlocks>
SARRUS_INLINE bool Front<kBlocks>::find_pivot(const double* C, const bool* open, int rows,
                                              const Slots<kBlocks>& hidden, int& row, int& slot,
                                              double& size_found) const {
  double best = 0, best_hidden = 0;
  int at = -1, at_hidden = -1;
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) {
    Row8 most{};
    for (int r = 0; r < rows; ++r)
      if (open[r]) most = larger(most, load8(C + r * kStride + 8 * b));
    double largest = 0;
    int place = place_of_largest(most, used.of_block(b), largest);
    if (place >= 0 && largest > best) best = largest, at = 8 * b + place;
    place = place_of_largest(most, used.of_block(b) & hidden.of_block(b), largest);
    if (place >= 0 && largest > best_hidden) best_hidden = largest, at_hidden = 8 * b + place;
  }
  if (at < 0) return false;
  slot = best_hidden >= kPreferred * best ? at_hidden : at;
  double largest = -1;
  for (int r = 0; r < rows; ++r) {
    if (!open[r]) continue;
    const double here = std::fabs(C[r * kStride + slot]);
    if (here > largest) largest = here, row = r;
  }
  size_found = largest;
  return true;
}

/// Rows of a joint between two bodies of the front: as many coordinates as they have rank are
/// expressed by the others.  [reduction-close]
template <int kBlocks>
SARRUS_INLINE void Front<kBlocks>::close(int index) {
  const Operation& operation = program.operations[index];
  const ClosureConstants& closure = system.closures[operation.closure];
  double* C = own.work + kStride * kMostWaiting;
  closing_rows<kBlocks>(system, in, closure, place(operation.place_a), place(operation.place_b),
                        scratch, C);
  int rows = closure.rows;
  for (int r = 0; r < waiting_rows; ++r)
    copy_row<kBlocks>(C + kStride * rows++, waiting + kStride * r);
  waiting_rows = 0;
  const int* staying = program.staying + operation.first_staying;
  Slots<kBlocks> seen{};
  for (int i = 0; i < operation.staying; ++i) seen.add_seen(place(staying[i]), 6);
  const Slots<kBlocks> hidden = used.without(seen);
  bool open[kMostRows];
  for (int r = 0; r < rows; ++r) open[r] = true;
  const bool counting = in.rank_tolerance > 0;
  const int expected = counting ? rows : operation.nominal_rank + missing;
  const double waits = std::fmin(kLargestWaiting, kWaits * operation.usual_pivot);
  missing = 0;
  ClosingRecord* closing = nullptr;
  if (own.closings != nullptr) {
    closing = own.closings + own.closing_count;
    *closing = {index, rows, own.pivot_count, 0, 0, {}};
    push(Record::kClosing, 0, own.closing_count++);
  }
  int found = 0;
  double least = 1e300;
  for (; found < expected; ++found) {
    int row = -1, slot = -1;
    double pivot = 0;
    const bool any = find_pivot(C, open, rows, hidden, row, slot, pivot);
    if (counting ? !any || pivot < in.rank_tolerance : !any || pivot < thresholds::kDependentPivot)
      break;
    if (!counting && !operation.last && pivot < waits && expected - found <= kMostWaiting) break;
    least = std::fmin(least, pivot);
    open[row] = false;
    double* y_row = push_row();
    const double value = C[row * kStride + slot];
    scale_row<kBlocks>(y_row, C + row * kStride, 1 / value);
    put_number(y_row, slot, 0);
    double* details = nullptr;
    if (closing != nullptr) {
      own.pivots[own.pivot_count++] = {row, slot, own.record_count, own.detail_count, value};
      ++closing->pivots;
      details = own.details + own.detail_count;
      own.detail_count += kStride + rows + 6 * operation.staying;
      copy_row<kBlocks>(details, H(slot));
      details += kStride;
    }
    push(Record::kPivot, slot, 0);
    for (int r = 0; r < rows; ++r) {
      const double factor = open[r] ? C[r * kStride + slot] : 0;
      if (details != nullptr) details[r] = factor;
      if (factor == 0) continue;
      add_row<kBlocks>(C + r * kStride, y_row, -factor);
      put_number(C + r * kStride, slot, 0);
    }
    for (int i = 0; i < operation.staying; ++i) {
      double* N = place(staying[i]);
      for (int k = 0; k < 6; ++k) {
        const double factor = N[k * kStride + slot];
        if (details != nullptr) details[rows + 6 * i + k] = factor;
        add_row<kBlocks>(N + k * kStride, y_row, -factor);
        put_number(N + k * kStride, slot, 0);
      }
    }
    substitute(y_row, slot);
    used.remove(slot);
  }
  own.ranks[index] = found;
  own.least_pivots[index] = least;
  if (!counting && found < expected) {
    if (operation.last) {
      own.lost += expected - found;
      own.smallest_pivot = 0;
    } else {
      missing = expected - found;
      let_wait(C, open, rows, hidden, closing);
    }
  }
  if (found > 0 && !counting)
    own.smallest_pivot = std::fmin(own.smallest_pivot, least / operation.usual_pivot);
  if (closing != nullptr) push(Record::kClosed, 0, own.closing_count - 1);
}

/// Of the rows that are open as many as pivots are missing wait: the largest first, the others less
/// their share of it, so that what is left over depends on those that wait.  [reduction-waiting]
template <int kBlocks>
inline void Front<kBlocks>::let_wait(double* C, bool* open, int rows, const Slots<kBlocks>& hidden,
                                     ClosingRecord* closing) {
  while (waiting_rows < missing && waiting_rows < kMostWaiting) {
    int row = -1, slot = -1;
    double pivot = 0;
    if (!find_pivot(C, open, rows, hidden, row, slot, pivot) || pivot < kNothing) break;
    open[row] = false;
    double* details = nullptr;
    if (closing != nullptr) {
      own.pivots[own.pivot_count++] = {row, slot, -1, own.detail_count, 1};
      details = own.details + own.detail_count;
      own.detail_count += rows;
      closing->left[waiting_rows] = static_cast<std::int8_t>(row);
      ++closing->waiting;
    }
    const double* from = C + row * kStride;
    for (int r = 0; r < rows; ++r) {
      const double factor = open[r] ? C[r * kStride + slot] / from[slot] : 0;
      if (details != nullptr) details[r] = factor;
      if (factor == 0) continue;
      add_row<kBlocks>(C + r * kStride, from, -factor);
      put_number(C + r * kStride, slot, 0);
    }
    copy_row<kBlocks>(waiting + kStride * waiting_rows++, from);
  }
}

/// Coordinates that no staying body shows are minimised out; where more are open than the staying
/// bodies have directions, combinations of them are.
template <int kBlocks>
SARRUS_INLINE bool Front<kBlocks>::reduce(const Operation& operation) {
  const int* staying = program.staying + operation.first_staying;
  Slots<kBlocks> seen{};
  for (int i = 0; i < operation.staying; ++i) seen.add_seen(place(staying[i]), 6);
  if (waiting_rows > 0) seen.add_seen(waiting, waiting_rows);
  bool good = true;
  used.without(seen).for_each([&](int slot) { good = good && eliminate(slot); });
  if (!good) return false;
  // Sizes are sums that may count one inertia several times, so in long rows they would grow without
  // bound. What clearly has inertia is itself the measure of its rounding.
  used.for_each([&](int slot) {
    const double now = H(slot)[slot];
    if (now > kClearly * size[slot]) size[slot] = std::fmin(size[slot], kUsualLoss * now);
  });
  const int excess = used.count() - 6 * operation.staying - waiting_rows;
  if (excess <= 0) return true;
  combine(operation, excess);
  return own.bad_body < 0;
}

/// More coordinates than directions: new ones, of which `excess` are not seen.  [reduction-combine]
template <int kBlocks>
inline void Front<kBlocks>::combine(const Operation& operation, int excess) {
  const int* staying = program.staying + operation.first_staying;
  double* W = own.work + kStride * kMostWaiting;
  int rows = 0;
  for (int i = 0; i < operation.staying; ++i)
    for (int k = 0; k < 6; ++k)
      copy_row<kBlocks>(W + kStride * rows++, place(staying[i]) + k * kStride);
  for (int r = 0; r < waiting_rows; ++r)
    copy_row<kBlocks>(W + kStride * rows++, waiting + kStride * r);
  bool open[kStride * 2];
  int slot_of[kStride * 2];
  for (int r = 0; r < rows; ++r) open[r] = true, slot_of[r] = -1;
  Slots<kBlocks> rest = used;
  const int wanted = used.count() - excess;
  // Reduced echelon form: largest pivot of all, then cleared in every other row.
  for (int found = 0; found < wanted; ++found) {
    double best = 0;
    int row = -1, slot = -1;
    rest.for_each([&](int k) {
      for (int r = 0; r < rows; ++r) {
        const double here = open[r] ? std::fabs(W[r * kStride + k]) : 0;
        if (here > best) best = here, row = r, slot = k;
      }
    });
    if (row < 0) break;
    open[row] = false;
    slot_of[row] = slot;
    rest.remove(slot);
    scale_row<kBlocks>(W + row * kStride, W + row * kStride, 1 / W[row * kStride + slot]);
    for (int r = 0; r < rows; ++r) {
      const double factor = W[r * kStride + slot];
      if (r == row || factor == 0) continue;
      add_row<kBlocks>(W + r * kStride, W + row * kStride, -factor);
      W[r * kStride + slot] = 0;
    }
  }
  rest.for_each([&](int j) {
    if (own.bad_body >= 0) return;
    // y_p = y'_p − G_p y_j
    double* G = push_row();
    push(Record::kCombine, j, 0);
    zero_row<kBlocks>(G);
    double* H_j = H(j);
    for (int r = 0; r < rows; ++r) {
      if (slot_of[r] < 0) continue;
      const double factor = W[r * kStride + j];
      G[slot_of[r]] = factor;
      if (factor != 0) add_row<kBlocks>(H_j, H(slot_of[r]), -factor);
    }
    double corner = H_j[j];
    used.for_each([&](int k) {
      if (k != j) {
        H(k)[j] = H_j[k];
        corner -= G[k] * H_j[k];
      }
      size[j] += G[k] * G[k] * size[k];
    });
    H_j[j] = corner;
    for (int i = 0; i < operation.staying; ++i)
      for (int k = 0; k < 6; ++k) place(staying[i])[k * kStride + j] = 0;
    for (int r = 0; r < waiting_rows; ++r) waiting[r * kStride + j] = 0;
    eliminate(j);
  });
}

template <int kBlocks>
inline Outcome Front<kBlocks>::run() {
  own.record_count = own.row_count = 0;
  own.closing_count = own.pivot_count = own.detail_count = 0;
  own.smallest_pivot = 1;
  own.lost = 0;
  own.bad_body = -1;
  for (int k = 0; k < kStride; ++k) zero_row<kBlocks>(H(k));
  waiting = own.work;
  for (int i = 0; i < program.operation_count; ++i) {
    const Operation& operation = program.operations[i];
    switch (operation.kind) {
      case Operation::kExtend: {
        int slots[6];
        if (!extend(operation, slots)) return Outcome::kTooWide;
        break;
      }
      case Operation::kCells:
        if (!take_cells(operation)) return Outcome::kTooWide;
        break;
      case Operation::kChain:
        if (const Outcome outcome = extend_chain(i); outcome != Outcome::kDone) return outcome;
        break;
      case Operation::kClose:
        close(i);
        break;
      case Operation::kReduce:
        if (!reduce(operation)) return Outcome::kNoInertia;
        break;
    }
  }
  return Outcome::kDone;
}

template <int kBlocks>
inline Outcome run_front(const System& system, const Program& program, const Inputs& in,
                         Scratch& scratch, FrontScratch& own) {
  Front<kBlocks> front{system, program, in, scratch, own};
  return front.run();
}

/// [reduction-back]
template <int kBlocks>
inline void front_back(const System& system, const FrontScratch& own, Scratch& scratch,
                       double* unknowns) {
  constexpr int kStride = 8 * kBlocks;
  alignas(64) double y[kStride] = {};
  y[kStride - 1] = 1;
  const double* row = own.rows + static_cast<std::ptrdiff_t>(kStride) * own.row_count;
  for (int i = own.record_count - 1; i >= 0; --i) {
    const Record& record = own.records[i];
    switch (record.kind) {
      case Record::kPivot:
        row -= kStride;
        // The row has a zero there: what was in the slot before does not count.
        put_number(y, record.slot, -row_dot<kBlocks>(row, y));
        break;
      case Record::kCombine:
        row -= kStride;
        add_row<kBlocks>(y, row, -y[record.slot]);
        break;
      case Record::kOutput:
        unknowns[record.to] = y[record.slot] * system.scales[record.to];
        break;
      case Record::kAcceleration:
        row -= 6 * kStride;
        for (int k = 0; k < 6; ++k)
          scratch.accelerations[6 * record.to + k] = row_dot<kBlocks>(row + k * kStride, y);
        break;
      case Record::kCells: {
        double u[kMostCellNew];
        for (int k = 0; k < own.cells.shapes[0].new_columns; ++k) u[k] = y[own.new_slots[k]];
        cells::backward(system, own.cells, u, unknowns);
        break;
      }
      case Record::kChain: {
        V6<double> a{{0, 0, 0}, {0, 0, 0}};
        if (record.slot >= 0) {
          row -= 6 * kStride;
          double base[6];
          for (int k = 0; k < 6; ++k) base[k] = row_dot<kBlocks>(row + k * kStride, y);
          a = {get3(base), get3(base + 3)};
        }
        const ChainFactor& factor = scratch.chain_factors[record.to];
        double at_end[6];
        for (int j = 0; j < factor.rank; ++j) at_end[j] = y[factor.slots[j]];
        spread_chain(system, system.chains[record.to], factor, a, at_end, scratch, unknowns);
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS
