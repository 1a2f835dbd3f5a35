#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sarrus/base/ids.h"
#include "sarrus/model/description.h"
#include "sarrus/model/joints/cylindrical.h"
#include "sarrus/model/joints/fixed.h"
#include "sarrus/model/joints/free.h"
#include "sarrus/model/joints/helical.h"
#include "sarrus/model/joints/planar.h"
#include "sarrus/model/joints/prismatic.h"
#include "sarrus/model/joints/revolute.h"
#include "sarrus/model/joints/spherical.h"
#include "sarrus/model/joints/universal.h"
#include "sarrus/model/node_attachment.h"

namespace sarrus {

/// What a joint lets happen between its frames. In the order of JointType.
///
/// Each kind gives its coordinate map X_FM(q); the motion subspace S with V_FM = S v and its bias
/// Ṡ v, the constraint-force subspace T with Tᵀ S = 0 (all at M's origin, in M's axes); and rows:
/// `constraint_rows` (zero when closed), `coordinate_rows` (the coordinates as functions of the two
/// poses, angles unwrapped near given values) and `speed_rows` (whose rates are the speeds v; they
/// differ from the coordinates' rates only for rotation vectors).
using JointKind = std::variant<Revolute, Prismatic, Helical, Cylindrical, Universal, Spherical,
                               Planar, Free, Fixed>;

/// A coordinate or speed that the assembly must keep.
struct Hold {
  int freedom = 0;  ///< which of the joint's coordinates
  double value = 0;
};

/// A joint of a Model: frame F stands at X_AF in body `a`, frame M at X_BM in body `b`, undeformed.
struct Joint {
  std::string name;
  JointKind kind;
  BodyId a, b;
  Transform X_AF, X_BM;
  Attachment attachment_a, attachment_b;  ///< nodes of flexible bodies that carry the frames
  int first_freedom = 0;  ///< where its coordinates start in Configuration::coordinates
  VecUpTo6 reference;     ///< coordinates at the reference pose
  std::vector<Hold> start;
  std::vector<Hold> speed;
  CutPreference cut = CutPreference::kAuto;
  SourceLocation where;

  /// F and M in what carries them: the body's frame, or a node's.
  const Transform& X_CF() const { return attachment_a == nullptr ? X_AF : attachment_a->X_NP; }
  const Transform& X_CM() const { return attachment_b == nullptr ? X_BM : attachment_b->X_NP; }

  JointType type() const { return static_cast<JointType>(kind.index()); }
  int nq() const;
  int nv() const;

  Transform X_FM(const double* q) const;
  Mat6xUpTo6 S_M(const double* q) const;
  Mat6xUpTo6 T_M(const double* q) const;
  Vec6 bias_M(const double* q, const double* v) const;

  Rows constraint_rows(const JointView& view, const double* near) const;
  Rows coordinate_rows(const JointView& view, const double* near) const;
  Rows speed_rows(const JointView& view, const double* near) const;
  int constraint_count() const { return 6 - nv(); }

  /// Is coordinate k an angle with turns (rather than a length or part of a rotation vector)?
  bool is_angle(int k) const;

  /// Is coordinate k part of a rotation vector? Its rate is not the speed then.
  bool is_on_rotation_vector(int k) const;
};

/// Pose of M in F for coordinates as users see them (rotation vectors for spherical and free).
Transform transform_from_coordinates(const JointKind& kind, const double* coordinates);

}  // namespace sarrus
