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
  double value = 0;
  Vec6 J_A = Vec6::Zero();
  Vec6 J_B = Vec6::Zero();
  double gamma = 0;

  double rate(const Vec6& V_A, const Vec6& V_B) const { return J_A.dot(V_A) + J_B.dot(V_B); }
};

/// At most six rows, no heap.
struct Rows {
  std::array<Row, 6> row;
  int count = 0;

  void push(const Row& r) {
    SARRUS_ASSERT(count < 6);
    row[static_cast<std::size_t>(count++)] = r;
  }
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
  Vec3 w_A, w_B;     ///< angular velocities
  Vec3 d_rate;       ///< ḋ
  Vec3 centripetal;  ///< ω_B×(ω_B×s_B) − ω_A×(ω_A×s_A)

  JointView(const Transform& X_WA, const Vec6& V_A, const Transform& X_AF, const Transform& X_WB,
            const Vec6& V_B, const Transform& X_BM);
};

/// φ = e·d for a direction e fixed in the world.  [row-point]
Row point_row(const JointView& view, const Vec3& e);

/// φ = n·d for a direction n fixed in A.  [row-along]
Row along_row(const JointView& view, const Vec3& n);

/// φ = n·k for n fixed in A and k fixed in B.  [row-dot]
Row dot_row(const JointView& view, const Vec3& n, const Vec3& k);

/// φ = atan2(sine, cosine), unwrapped to lie within half a turn of `near`.  [row-angle]
Row angle_row(const JointView& view, const Row& cosine, const Row& sine, double near);

/// The angle by which M's x axis has turned about F's z axis, unwrapped near `near`.
inline Row angle_about_z(const JointView& view, double near) {
  return angle_row(view, dot_row(view, view.R_F.col(0), view.R_M.col(0)),
                   dot_row(view, view.R_F.col(1), view.R_M.col(0)), near);
}

/// Rotation vector of M in F, component k; of the two below a whole turn the one nearer to `near`
/// (three numbers), so that it stays smooth up to there.  [row-rotation-vector]
Rows rotation_vector_rows(const JointView& view, const double* near);

/// Relative angular velocity in M's axes, component k (a rate without a coordinate: value 0).
Rows angular_speed_rows(const JointView& view);

}  // namespace sarrus
