#pragma once

// Equal cells in a row, side by side in the lanes. A cell lies between bodies on ground; with its
// loops closed, the coordinates of the old ones and of all bodies between follow from those of the
// new ones. Only the inertia of what lies behind goes from cell to cell.  [reduction-cells]

#include "sarrus/formulations/coordinate_reduction/kernels/closing.h"

namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS {
namespace cells {

#if defined(__AVX512F__)
using P = Pack8;
#else
using P = Pack4;
#endif
constexpr int kWidth = Lanes<P>::kCount;
using P3 = V3<P>;
using PM3 = M3<P>;

SARRUS_INLINE P3 zero3() { return {P{}, P{}, P{}}; }
SARRUS_INLINE P3 get3(const double (*from)[kCellLanes], int at) {
  return {load<P>(from[0] + at), load<P>(from[1] + at), load<P>(from[2] + at)};
}
SARRUS_INLINE PM3 get9(const double (*from)[kCellLanes], int at) {
  return {load<P>(from[0] + at), load<P>(from[1] + at), load<P>(from[2] + at),
          load<P>(from[3] + at), load<P>(from[4] + at), load<P>(from[5] + at),
          load<P>(from[6] + at), load<P>(from[7] + at), load<P>(from[8] + at)};
}
SARRUS_INLINE P3 column_of(const PM3& R, int k) {
  return k == 0 ? P3{R.xx, R.yx, R.zx} : k == 1 ? P3{R.xy, R.yy, R.zy} : P3{R.xz, R.yz, R.zz};
}
SARRUS_INLINE PM3 from_columns(const P3& x, const P3& y, const P3& z) {
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}
SARRUS_INLINE PM3 product(const PM3& A, const PM3& B) {
  return from_columns(A * column_of(B, 0), A * column_of(B, 1), A * column_of(B, 2));
}
template <class Number>
SARRUS_INLINE P collect(const int* index, int at, Number number) {
  double numbers[kWidth];
  for (int l = 0; l < kWidth; ++l) numbers[l] = number(index[at + l]);
  return load<P>(numbers);
}

/// A body of eight cells: its motion, and how it moves with the coordinates of its cell.
struct LaneBody {
  PM3 R;
  P3 p, c, w, v;
  V6<P> N[kMostCellColumns];
  V6<P> constant;
};

struct LaneJoint {
  PM3 R;
  P3 r, w, v, bias_ang, bias_lin;
  V6<P> S[6];
};

/// Joints of any kind, one lane after the other.
inline void any_joint(const System& system, const CellBody& body, int at, const Inputs& in,
                      const PM3& A, LaneJoint& m) {
  double g[4][kWidth], p[3][kWidth], V[6][kWidth], bias[6][kWidth], S[6][6][kWidth];
  int columns = 0;
  for (int l = 0; l < kWidth; ++l) {
    const tree::JointConstants& joint = system.joints[body.slot[at + l]];
    articulated::SARRUS_INSTRUCTIONS::JointMotion local;
    articulated::SARRUS_INSTRUCTIONS::joint_motion(joint, in.q + joint.q, in.v + joint.v, local);
    columns = joint.columns;
    g[0][l] = local.g.w, g[1][l] = local.g.x, g[2][l] = local.g.y, g[3][l] = local.g.z;
    p[0][l] = local.p.x, p[1][l] = local.p.y, p[2][l] = local.p.z;
    for_each_number(local.V, [&](int k, double number) { V[k][l] = number; });
    for_each_number(local.bias, [&](int k, double number) { bias[k][l] = number; });
    for (int j = 0; j < columns; ++j)
      for_each_number(local.S[j], [&](int k, double number) { S[j][k][l] = number; });
  }
  const auto take = [](const double(*from)[kWidth]) {
    return P3{load<P>(from[0]), load<P>(from[1]), load<P>(from[2])};
  };
  m.R = product(A, matrix_of(Q4<P>{load<P>(g[0]), load<P>(g[1]), load<P>(g[2]), load<P>(g[3])}));
  m.r = m.r + A * take(p);
  m.w = A * take(V);
  m.v = A * take(V + 3);
  m.bias_ang = A * take(bias);
  m.bias_lin = A * take(bias + 3);
  for (int j = 0; j < columns; ++j) m.S[j] = {A * take(S[j]), A * take(S[j] + 3)};
}

inline void joint_in_lanes(const System& system, const CellShape::Body& shape, const CellBody& body,
                           int at, const Inputs& in, const PM3& A, LaneJoint& m) {
  m.w = m.v = m.bias_ang = m.bias_lin = zero3();
  const auto q = [&](int k) {
    return collect(body.q, at, [&](int first) { return in.q[first + k]; });
  };
  const auto v = [&](int k) {
    return collect(body.v, at, [&](int first) { return in.v[first + k]; });
  };
  const P3 x = column_of(A, 0), y = column_of(A, 1), z = column_of(A, 2);
  if (shape.kind == static_cast<int>(JointType::kRevolute) && !in.turns) {
    P s, c;
    sine_cosine_small(q(0), s, c);
    m.R = from_columns(add_scaled(x * c, y, s), add_scaled(y * c, x, P(-s)), z);
    m.S[0] = {z, zero3()};
    m.w = z * v(0);
  } else if (shape.kind == static_cast<int>(JointType::kUniversal) && !in.turns) {
    P s1, c1, s2, c2;
    sine_cosine_small(q(0), s1, c1);
    sine_cosine_small(q(1), s2, c2);
    const P v1 = v(0), v2 = v(1);
    if (shape.reversed) {  // about y by −q2, then about the turned x by −q1
      const P3 first = add_scaled(x * c2, z, s2), third = add_scaled(z * c2, x, P(-s2));
      m.R = from_columns(first, add_scaled(y * c1, third, P(-s1)), add_scaled(third * c1, y, s1));
      m.S[0] = {zero3() - first, zero3()};
      m.S[1] = {zero3() - y, zero3()};
      m.w = add_scaled(m.S[0].ang * v1, m.S[1].ang, v2);
      m.bias_ang = third * P(-v1 * v2);
    } else {
      const P3 second = add_scaled(y * c1, z, s1), third = add_scaled(z * c1, y, P(-s1));
      m.R = from_columns(add_scaled(x * c2, third, P(-s2)), second, add_scaled(x * s2, third, c2));
      m.S[0] = {x, zero3()};
      m.S[1] = {second, zero3()};
      m.w = add_scaled(x * v1, second, v2);
      m.bias_ang = third * P(v1 * v2);
    }
  } else {
    any_joint(system, body, at, in, A, m);
  }
}

/// As place_body and extend, in lanes.
inline void extend(const System& system, const CellShape& shape, int index, const CellBody& body,
                   int at, const Inputs& in, const LaneBody* all, LaneBody& to) {
  const CellShape::Body& own = shape.body[index];
  const LaneBody* parent = own.parent < 0 ? nullptr : all + own.parent;
  const PM3 R_PE = get9(body.R_PE, at);
  const P3 r_PE = get3(body.r_PE, at);
  LaneJoint joint;
  joint.r = parent == nullptr ? r_PE : parent->R * r_PE;
  joint_in_lanes(system, own, body, at, in, parent == nullptr ? R_PE : product(parent->R, R_PE),
                 joint);
  const P3 w_P = parent == nullptr ? zero3() : parent->w;
  const P3 arm = parent == nullptr ? joint.r : joint.r - parent->c;
  to.R = joint.R;
  to.c = joint.R * get3(body.c, at);
  const P3 s = arm + to.c;
  to.w = w_P + joint.w;
  const P3 swept = cross(w_P, arm), turned = cross(to.w, to.c);
  to.p = parent == nullptr ? s : parent->p + s;
  to.v = swept + joint.v + turned;
  if (parent != nullptr) to.v = to.v + parent->v;
  to.constant = {zero3(), zero3()};
  if (in.level == Level::kAcceleration) {
    const P3 bias_ang = add_cross(joint.bias_ang, w_P, joint.w);
    P3 lin = add_cross(joint.bias_lin, w_P, swept + joint.v + joint.v);
    lin = add_cross(lin, bias_ang, to.c);
    to.constant = {bias_ang, add_cross(lin, to.w, turned)};
  }
  if (parent != nullptr) {
    to.constant.ang = to.constant.ang + parent->constant.ang;
    to.constant.lin = add_cross(to.constant.lin + parent->constant.lin, parent->constant.ang, s);
    for (std::uint32_t rest = shape.body[own.parent].seen; rest != 0; rest &= rest - 1) {
      const int k = __builtin_ctz(rest);
      to.N[k] = {parent->N[k].ang, add_cross(parent->N[k].lin, parent->N[k].ang, s)};
    }
  }
  for (int k = 0; k < own.columns; ++k) {
    const P scale = collect(body.column, at, [&](int column) { return system.scales[column + k]; });
    to.N[own.first_column + k] = {joint.S[k].ang * scale,
                                  add_cross(joint.S[k].lin, joint.S[k].ang, to.c) * scale};
  }
}

/// Numbers of a cell while it is put together.
struct Sums {
  P K[kMostCellColumns][kMostCellColumns];  ///< upper half
  P k[kMostCellColumns];
  P C[kMostCellRows][kMostCellColumns];
  P d[kMostCellRows];
};

inline void add_inertia(const System& system, const CellShape& shape, int index,
                        const CellBody& body, int at, const Inputs& in, const LaneBody& b,
                        Sums& sums) {
  const S3<P> J = rotated(
      b.R, S3<P>{load<P>(body.J[0] + at), load<P>(body.J[1] + at), load<P>(body.J[2] + at),
                 load<P>(body.J[3] + at), load<P>(body.J[4] + at), load<P>(body.J[5] + at)});
  const P m = load<P>(body.m + at);
  V6<P> p{J * b.constant.ang, b.constant.lin * m};
  if (in.level == Level::kAcceleration) {
    p.ang = add_cross(p.ang, b.w, J * b.w);
    for (int k = 0; k < 3; ++k) {
      P& f = k == 0 ? p.lin.x : k == 1 ? p.lin.y : p.lin.z;
      f = f - m * system.gravity[k];
    }
    if (in.wrenches != nullptr) {
      const auto wrench = [&](int k) {
        return collect(body.slot, at, [&](int slot) { return in.wrenches[6 * slot + k]; });
      };
      p.ang = p.ang - P3{wrench(0), wrench(1), wrench(2)};
      p.lin = p.lin - P3{wrench(3), wrench(4), wrench(5)};
    }
  }
  const CellShape::Body& own = shape.body[index];
  for (std::uint32_t rest = own.seen; rest != 0; rest &= rest - 1) {
    const int i = __builtin_ctz(rest);
    const V6<P> MN{J * b.N[i].ang, b.N[i].lin * m};
    sums.k[i] += dot(b.N[i], p);
    for (std::uint32_t more = own.seen & ((2u << i) - 1); more != 0; more &= more - 1) {
      const int j = __builtin_ctz(more);
      sums.K[j][i] += dot(b.N[j], MN);
    }
  }
  if (in.tau == nullptr) return;
  for (int k = 0; k < own.columns; ++k)
    sums.k[own.first_column + k] -= collect(body.column, at, [&](int column) {
      return in.tau[column + k] * system.scales[column + k];
    });
}

/// As closing_rows, in lanes: all rows of a closure from `first` on.
inline void close(const System& system, const CellShape& shape, const CellShape::Closure& own,
                  const CellClosure& closure, int at, const Inputs& in, const LaneBody* all,
                  int first, Scratch& scratch, Sums& sums) {
  const LaneBody* A = own.a < 0 ? nullptr : all + own.a;
  const LaneBody* B = own.b < 0 ? nullptr : all + own.b;
  PM3 F = get9(closure.R_F, at), M = get9(closure.R_M, at);
  P3 s_A = get3(closure.s_A, at), s_B = get3(closure.s_B, at);
  P3 d = zero3(), d_rate = zero3(), centripetal = zero3(), w_A = zero3(), w_B = zero3();
  const auto add_end = [&](const LaneBody* body, PM3& axes, P3& s, P3& w, bool plus) {
    P3 place = s, rate = zero3(), acceleration = zero3();
    if (body != nullptr) {
      axes = product(body->R, axes);
      s = body->R * s;
      w = body->w;
      place = body->p + s;
      const P3 ws = cross(w, s);
      rate = body->v + ws;
      acceleration = cross(w, ws);
    }
    d = plus ? d + place : d - place;
    d_rate = plus ? d_rate + rate : d_rate - rate;
    centripetal = plus ? centripetal + acceleration : centripetal - acceleration;
  };
  add_end(B, M, s_B, w_B, true);
  add_end(A, F, s_A, w_A, false);
  const Atoms& atoms = atoms_of(own.kind);
  const bool along = atoms.atom[0].kind == Atom::kAlong;
  const P3 arm_A = along ? s_A + d : s_A;
  const std::uint32_t seen =
      (A != nullptr ? shape.body[own.a].seen : 0u) | (B != nullptr ? shape.body[own.b].seen : 0u);
  // Of the point and of the angle between the two, for each column and for the constant.
  const auto relative = [&](const V6<P>* a, const V6<P>* b) {
    V6<P> of{zero3(), zero3()};
    if (b != nullptr) of = {b->ang, add_cross(b->lin, b->ang, s_B)};
    if (a != nullptr) {
      of.ang = of.ang - a->ang;
      of.lin = of.lin - add_cross(a->lin, a->ang, arm_A);
    }
    return of;
  };
  V6<P> of[kMostCellColumns];
  for (std::uint32_t rest = seen; rest != 0; rest &= rest - 1) {
    const int k = __builtin_ctz(rest);
    const bool in_A = A != nullptr && (shape.body[own.a].seen >> k & 1) != 0;
    const bool in_B = B != nullptr && (shape.body[own.b].seen >> k & 1) != 0;
    of[k] = relative(in_A ? &A->N[k] : nullptr, in_B ? &B->N[k] : nullptr);
  }
  const V6<P> constant =
      relative(A != nullptr ? &A->constant : nullptr, B != nullptr ? &B->constant : nullptr);
  for (int r = 0; r < atoms.count; ++r) {
    const Atom& atom = atoms.atom[r];
    P phi, rate, gamma;
    P3 axis = zero3();
    const auto part = [](const P3& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; };
    if (atom.kind == Atom::kPoint) {
      phi = part(d, atom.f), rate = part(d_rate, atom.f), gamma = part(centripetal, atom.f);
    } else if (atom.kind == Atom::kAlong) {
      axis = column_of(F, atom.f);
      const P3 turned = cross(w_A, axis);
      phi = dot(axis, d);
      rate = dot(axis, d_rate) + dot(turned, d);
      gamma = dot(axis, centripetal) + dot(turned, d_rate) * 2.0 + dot(cross(w_A, turned), d);
    } else {
      const P3 n = column_of(F, atom.f), k = column_of(M, atom.m);
      const P3 normal = cross(n, k);
      const P3 normal_rate = cross(cross(w_A, n), k) + cross(n, cross(w_B, k));
      const P3 w = w_A - w_B;
      const P length = splat<P>(system.length);
      phi = dot(n, k) * length, rate = dot(normal, w) * length;
      gamma = dot(normal_rate, w) * length;
      axis = normal * P(-length);
    }
    const auto row = [&](const V6<P>& column) {
      return atom.kind == Atom::kPoint   ? part(column.lin, atom.f)
             : atom.kind == Atom::kAlong ? dot(axis, column.lin)
                                         : dot(axis, column.ang);
    };
    for (int k = 0; k < shape.columns; ++k)
      sums.C[first + r][k] = (seen >> k & 1) != 0 ? row(of[k]) : P{};
    const P level = in.level == Level::kPosition   ? phi
                    : in.level == Level::kVelocity ? rate
                                                   : gamma;
    sums.d[first + r] = row(constant) + level;
    for (int l = 0; l < kWidth; ++l) {
      scratch.phi[closure.first_row[at + l] + r] = phi[l];
      scratch.phi_rate[closure.first_row[at + l] + r] = rate[l];
    }
  }
}

SARRUS_INLINE double least_of(const P& x) {
  double least = x[0];
  for (int l = 1; l < kWidth; ++l) least = x[l] < least ? x[l] : least;
  return least;
}

/// Least squares over all rows, so that redundant ones count as they are: y = G u + g. Says how much
/// of each column of y the others leave of it, and of the columns of u what no y reaches.
inline void eliminate(const CellShape& shape, int rows, Sums& sums,
                      P (&G)[kMostCellOld][kMostCellNew + 1], CellGuard& guard) {
  const int y = shape.eliminated, all = shape.columns;
  P R[kMostCellOld][kMostCellColumns + 1];
  const auto column = [&](int r, int j) -> P& { return j < all ? sums.C[r][j] : sums.d[r]; };
  P before[kMostCellColumns];
  for (int j = 0; j < all; ++j) {
    before[j] = P{};
    for (int r = 0; r < rows; ++r) before[j] += sums.C[r][j] * sums.C[r][j];
  }
  for (int k = 0; k < y; ++k) {
    P square{};
    for (int r = 0; r < rows; ++r) square += sums.C[r][k] * sums.C[r][k];
    guard.left[k] = std::fmin(guard.left[k], least_of(P(square / before[k])));
    const P inverse = 1.0 / square;
    for (int j = k + 1; j <= all; ++j) {
      P share{};
      for (int r = 0; r < rows; ++r) share += sums.C[r][k] * column(r, j);
      R[k][j] = share * inverse;
      for (int r = 0; r < rows; ++r) column(r, j) -= sums.C[r][k] * R[k][j];
    }
  }
  for (int j = y; j < all; ++j) {
    P square{};
    for (int r = 0; r < rows; ++r) square += sums.C[r][j] * sums.C[r][j];
    guard.unreached = std::fmin(guard.unreached, least_of(P(P{} - square)));
  }
  for (int k = y - 1; k >= 0; --k)
    for (int b = 0; b <= shape.new_columns; ++b) {
      P sum = P{} - R[k][y + b];
      for (int i = k + 1; i < y; ++i) sum -= R[k][i] * G[i][b];
      G[k][b] = sum;
    }
}

/// The inertia of the cell in the new coordinates: Tᵀ K T with T = [G; 1].
inline void reduce(const CellShape& shape, Sums& sums, const P (&G)[kMostCellOld][kMostCellNew + 1],
                   int at, double* result) {
  const int y = shape.eliminated, all = shape.columns, fresh = shape.new_columns;
  const auto K = [&](int i, int j) { return i <= j ? sums.K[i][j] : sums.K[j][i]; };
  P X[kMostCellColumns][kMostCellNew + 1];
  for (int i = 0; i < all; ++i)
    for (int b = 0; b <= fresh; ++b) {
      P sum = b < fresh ? K(i, y + b) : sums.k[i];
      for (int j = 0; j < y; ++j) sum += K(i, j) * G[j][b];
      X[i][b] = sum;
    }
  double* to = result + at;
  for (int i = 0; i < y; ++i)
    for (int b = 0; b <= fresh; ++b, to += kCellLanes) store(to, G[i][b]);
  for (int a = 0; a < fresh; ++a)
    for (int b = 0; b <= fresh; ++b, to += kCellLanes) {
      P sum = X[y + a][b];
      for (int i = 0; i < y; ++i) sum += G[i][a] * X[i][b];
      store(to, sum);
    }
}

/// Nothing of all cells but one.
inline void keep_lane(const CellShape& shape, int lane, Sums& sums) {
  const auto keep = [lane](P& x) {
    const double kept = x[lane];
    x = P{};
    x[lane] = kept;
  };
  for (int i = 0; i < shape.old_columns; ++i) {
    keep(sums.k[i]);
    for (int j = i; j < shape.old_columns; ++j) keep(sums.K[i][j]);
  }
}

/// Eight cells, or as many as a register has lanes at a time. The inertia of an old body has been
/// counted where it was new, but for that of the first cell of the row, in lane `first`.
inline void run_block(const System& system, const CellShape& shape, const CellBlock& block,
                      int first, const Inputs& in, Scratch& scratch, double* result,
                      CellGuard& guard) {
  for (int at = 0; at < kCellLanes; at += kWidth) {
    const bool has_first = first >= at && first < at + kWidth;
    LaneBody lanes[kMostCellBodies];
    Sums sums;
    for (int i = 0; i < shape.columns; ++i) {
      sums.k[i] = P{};
      for (int j = i; j < shape.columns; ++j) sums.K[i][j] = P{};
    }
    for (int i = 0; i < shape.bodies; ++i) {
      const CellBody& body = block.bodies[i];
      extend(system, shape, i, body, at, in, lanes, lanes[i]);
      if (i > 0 || has_first) add_inertia(system, shape, i, body, at, in, lanes[i], sums);
      if (i == 0 && has_first) keep_lane(shape, first - at, sums);
      for (int l = 0; l < kWidth; ++l) {
        double* p = scratch.motions[body.slot[at + l]].p;
        p[0] = lanes[i].p.x[l], p[1] = lanes[i].p.y[l], p[2] = lanes[i].p.z[l];
      }
    }
    int rows = 0;
    for (int i = 0; i < shape.closures; ++i) {
      close(system, shape, shape.closure[i], block.closures[i], at, in, lanes, rows, scratch, sums);
      rows += shape.closure[i].rows;
    }
    P G[kMostCellOld][kMostCellNew + 1];
    eliminate(shape, rows, sums, G, guard);
    reduce(shape, sums, G, at, result);
  }
}

/// A cell of the row and its result, whose numbers stand kCellLanes apart.
struct Solved {
  const CellShape& shape;
  const CellBlock& block;
  const double* numbers;
  int lane;

  Solved(const Cells& cells, int cell)
      : shape(cells.shapes[cells.blocks[cells.places[cell].block].shape]),
        block(cells.blocks[cells.places[cell].block]),
        numbers(cells.results + block.result + cells.places[cell].lane),
        lane(cells.places[cell].lane) {}

  double operator()(int row, int column) const {
    return numbers[(row * (shape.new_columns + 1) + column) * kCellLanes];
  }
};

/// From cell to cell: H' = Gᵀ H G + K, h' = Gᵀ (h + H g) + k. Nothing lies behind the first.
inline void forward(const Cells& cells, double (&H)[kMostCellNew][kMostCellNew + 1]) {
  const int old = cells.shapes[0].old_columns, fresh = cells.shapes[0].new_columns;
  for (int cell = 0; cell < cells.count; ++cell) {
    const Solved G(cells, cell);
    double X[kMostCellNew][kMostCellNew + 1], next[kMostCellNew][kMostCellNew + 1];
    for (int i = 0; i < old; ++i)
      for (int b = 0; b <= fresh; ++b) {
        double sum = b < fresh ? 0 : H[i][old];
        for (int j = 0; j < old; ++j) sum += H[i][j] * G(j, b);
        X[i][b] = sum;
      }
    for (int a = 0; a < fresh; ++a)
      for (int b = 0; b <= fresh; ++b) {
        double sum = G(G.shape.eliminated + a, b);  // K and k stand behind G and g
        for (int i = 0; i < old; ++i) sum += G(i, a) * X[i][b];
        next[a][b] = sum;
      }
    for (int a = 0; a < fresh; ++a)
      for (int b = 0; b <= fresh; ++b) H[a][b] = next[a][b];
  }
}

/// And back: all unknowns, given the new ones of the last cell in `u`.
inline void backward(const System& system, const Cells& cells, double (&u)[kMostCellNew],
                     double* unknowns) {
  for (int cell = cells.count - 1; cell >= 0; --cell) {
    const Solved G(cells, cell);
    const CellShape& shape = G.shape;
    double y[kMostCellOld];
    for (int i = 0; i < shape.eliminated; ++i) {
      double sum = G(i, shape.new_columns);
      for (int b = 0; b < shape.new_columns; ++b) sum += G(i, b) * u[b];
      y[i] = sum;
    }
    for (int i = 0; i < shape.bodies; ++i) {
      const CellShape::Body& body = shape.body[i];
      if (body.first_column >= shape.eliminated) continue;
      for (int k = 0; k < body.columns; ++k) {
        const int unknown = G.block.bodies[i].column[G.lane] + k;
        unknowns[unknown] = y[body.first_column + k] * system.scales[unknown];
      }
    }
    for (int i = 0; i < shape.old_columns; ++i) u[i] = y[i];
  }
}

}  // namespace cells

inline void run_cells(const System& system, const Cells& cells, const Inputs& in, Scratch& scratch,
                      CellGuard* guards) {
  for (int i = 0; i < cells.shape_count; ++i) {
    for (double& left : guards[i].left) left = 1;
    guards[i].unreached = 0;
  }
  for (int i = 0; i < cells.block_count; ++i) {
    const CellBlock& block = cells.blocks[i];
    const int first = cells.places[0].block == i ? cells.places[0].lane : -1;
    cells::run_block(system, cells.shapes[block.shape], block, first, in, scratch,
                     cells.results + block.result, guards[block.shape]);
  }
}

}  // namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS
