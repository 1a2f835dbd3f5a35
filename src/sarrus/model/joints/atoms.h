#pragma once

#include <array>

#include "sarrus/base/assert.h"
#include "sarrus/spatial/transform.h"
#include "sarrus/spatial/types.h"
#include "sarrus/spatial/vectors.h"

/// The few scalar functions of two bodies' poses from which all joints are composed. Each comes
/// with its exact first and second time derivatives, on and off the constraint manifold.
namespace sarrus {

/// A scalar φ(pose_A, pose_B) with φ̇ = J_A·V_A + J_B·V_B and φ̈ = J_A·a_A + J_B·a_B + γ, where
/// V = [ω; v] and a = [ω̇; v̇] of the body frames' origins, world axes.
struct Row {
  double value;
  Vec6 J_A, J_B;
  double gamma;

  double rate(const Vec6& V_A, const Vec6& V_B) const { return J_A.dot(V_A) + J_B.dot(V_B); }
};

/// At most six rows, no heap.
struct Rows {
  std::array<Row, 6> row;
  int count = 0;

  /// One more, to be filled.
  Row& add() {
    SARRUS_ASSERT(count < 6);
    return row[static_cast<std::size_t>(count++)];
  }
  void push(const Row& r) { add() = r; }
  const Row& operator[](int i) const { return row[static_cast<std::size_t>(i)]; }
  const Row* begin() const { return row.data(); }
  const Row* end() const { return row.data() + count; }
};

/// The two frames of a joint in the world, F fixed in body A and M fixed in body B, with what moves
/// them.
struct JointView {
  Mat3 R_F, R_M;     ///< columns: the frames' axes
  Vec3 s_A, s_B;     ///< from the body's origin to the joint frame's origin
  Vec3 d;            ///< from F's origin to M's origin
  bool moves;        ///< or else velocities are zero, and γ of all rows is
  Vec3 w_A, w_B;     ///< angular velocities
  Vec3 d_rate;       ///< ḋ
  Vec3 centripetal;  ///< ω_B×(ω_B×s_B) − ω_A×(ω_A×s_A)

  /// At rest: for who wants values and matrices only. `apart` is from A's origin to B's.
  JointView(const Mat3& R_WF, const Vec3& from_A, const Mat3& R_WM, const Vec3& from_B,
            const Vec3& apart);
  JointView(const Transform& X_WA, const Transform& X_AF, const Transform& X_WB,
            const Transform& X_BM);
  JointView(const Transform& X_WA, const Vec6& V_A, const Transform& X_AF, const Transform& X_WB,
            const Vec6& V_B, const Transform& X_BM);
  void set_velocities(const Vec6& V_A, const Vec6& V_B);
};

// Rows are evaluated for every joint at every instant, so these are all in the header and written
// component by component: the compiler keeps them in registers.

/// a × b
[[gnu::always_inline]] inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// v turned by q
[[gnu::always_inline]] inline Vec3 turned(const Quat& q, const Vec3& v) {
  const Vec3 u(q.x(), q.y(), q.z());
  const Vec3 half = cross(u, v);
  const Vec3 whole = half + half;
  return (v + q.w() * whole) + cross(u, whole);
}

/// An axis of a frame.
[[gnu::always_inline]] inline Vec3 axis_of(const Mat3& R, int k) {
  return {R(0, k), R(1, k), R(2, k)};
}

inline JointView::JointView(const Transform& X_WA, const Transform& X_AF, const Transform& X_WB,
                            const Transform& X_BM)
    : JointView((X_WA.q * X_AF.q).toRotationMatrix(), turned(X_WA.q, X_AF.p),
                (X_WB.q * X_BM.q).toRotationMatrix(), turned(X_WB.q, X_BM.p), X_WB.p - X_WA.p) {}

inline JointView::JointView(const Mat3& R_WF, const Vec3& from_A, const Mat3& R_WM,
                            const Vec3& from_B, const Vec3& apart)
    : R_F(R_WF),
      R_M(R_WM),
      s_A(from_A),
      s_B(from_B),
      d(apart + (s_B - s_A)),
      moves(false),
      w_A(Vec3::Zero()),
      w_B(Vec3::Zero()),
      d_rate(Vec3::Zero()),
      centripetal(Vec3::Zero()) {}

inline JointView::JointView(const Transform& X_WA, const Vec6& V_A, const Transform& X_AF,
                            const Transform& X_WB, const Vec6& V_B, const Transform& X_BM)
    : JointView(X_WA, X_AF, X_WB, X_BM) {
  set_velocities(V_A, V_B);
}

inline void JointView::set_velocities(const Vec6& V_A, const Vec6& V_B) {
  moves = true;
  w_A = V_A.head<3>();
  w_B = V_B.head<3>();
  const Vec3 ws_A = cross(w_A, s_A);
  const Vec3 ws_B = cross(w_B, s_B);
  d_rate = V_B.tail<3>() + ws_B - V_A.tail<3>() - ws_A;
  centripetal = cross(w_B, ws_B) - cross(w_A, ws_A);
}

/// φ = e·d for the three axes e of the world.  [row-point]
[[gnu::always_inline]] inline void add_point_rows(const JointView& view, Rows& rows) {
  const Vec3& a = view.s_A;
  const Vec3& b = view.s_B;
  for (int k = 0; k < 3; ++k) {
    Row& row = rows.add();
    row.value = view.d[k];
    row.gamma = view.centripetal[k];
    const int next = k == 2 ? 0 : k + 1, last = k == 0 ? 2 : k - 1;
    row.J_A[k] = row.J_B[k] = 0;  // of s × e
    row.J_A[next] = -a[last];
    row.J_A[last] = a[next];
    row.J_B[next] = b[last];
    row.J_B[last] = -b[next];
    for (int i = 3; i < 6; ++i) row.J_A[i] = row.J_B[i] = 0;
    row.J_A[3 + k] = -1;
    row.J_B[3 + k] = 1;
  }
}

/// φ = n·d for a direction n fixed in A.  [row-along]
[[gnu::always_inline]] inline void set_along_row(const JointView& view, const Vec3& n, Row& row) {
  const Vec3 of_A = cross(n, view.s_A + view.d);
  const Vec3 of_B = cross(view.s_B, n);
  row.value = n.dot(view.d);
  for (int i = 0; i < 3; ++i) {
    row.J_A[i] = of_A[i];
    row.J_A[3 + i] = -n[i];
    row.J_B[i] = of_B[i];
    row.J_B[3 + i] = n[i];
  }
  row.gamma = 0;
  if (!view.moves) return;
  const Vec3 n_rate = cross(view.w_A, n);
  row.gamma =
      n.dot(view.centripetal) + 2 * n_rate.dot(view.d_rate) + cross(view.w_A, n_rate).dot(view.d);
}

/// φ = n·k for n fixed in A and k fixed in B.  [row-dot]
[[gnu::always_inline]] inline void set_dot_row(const JointView& view, const Vec3& n, const Vec3& k,
                                               Row& row) {
  const Vec3 axis = cross(n, k);
  row.value = n.dot(k);
  for (int i = 0; i < 3; ++i) {
    row.J_A[i] = axis[i];
    row.J_B[i] = -axis[i];
    row.J_A[3 + i] = row.J_B[3 + i] = 0;
  }
  row.gamma = 0;
  if (!view.moves) return;
  const Vec3 axis_rate = cross(cross(view.w_A, n), k) + cross(n, cross(view.w_B, k));
  row.gamma = axis_rate.dot(view.w_A - view.w_B);
}

/// The same between axes of F and of M, by their numbers.
inline void add_along_row(const JointView& view, int f, Rows& rows) {
  set_along_row(view, axis_of(view.R_F, f), rows.add());
}
inline void add_dot_row(const JointView& view, int f, int m, Rows& rows) {
  set_dot_row(view, axis_of(view.R_F, f), axis_of(view.R_M, m), rows.add());
}
inline Row dot_row(const JointView& view, int f, int m) {
  Row row;
  set_dot_row(view, axis_of(view.R_F, f), axis_of(view.R_M, m), row);
  return row;
}

/// φ = atan2(sine, cosine), unwrapped to lie within half a turn of `near`.  [row-angle]
Row angle_row(const JointView& view, const Row& cosine, const Row& sine, double near);

/// The angle by which M's x axis has turned about F's z axis, unwrapped near `near`.
inline Row angle_about_z(const JointView& view, double near) {
  return angle_row(view, dot_row(view, 0, 0), dot_row(view, 1, 0), near);
}

/// Rotation vector of M in F, component k; of the two below a whole turn the one nearer to `near`
/// (three numbers), so that it stays smooth up to there.  [row-rotation-vector]
Rows rotation_vector_rows(const JointView& view, const double* near);

/// Relative angular velocity in M's axes, component k (a rate without a coordinate: value 0).
Rows angular_speed_rows(const JointView& view);

}  // namespace sarrus
