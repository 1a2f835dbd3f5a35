#pragma once

// What the kernels of the elimination work on: flat arrays of numbers. No type here has a constructor
// or a function: these structs are shared by code for different instruction sets.

namespace sarrus::elimination {

/// A body of a part whose joints are all revolute.
struct PartBody {
  int body;    ///< its place in the state: body 0 is the first that moves
  int parent;  ///< place in the part; −1: it is the root
  int shape;   ///< among the system's
};

/// A piece that hangs on the part whole: where its numbers begin among those of all pieces.
struct AbsorbedPiece {
  long Lambda, vectors;
};

/// Where the numbers of pieces begin, of one or of all; Λ in rows of eight for each boundary body.
struct PieceNumbers {
  double *Lambda, *beta, *F;
};

/// What is constant about a body. Equal bodies share it, so that a core's share of a long chain stays
/// in its cache.
struct PartShape {
  double mass;
  double center[3];    ///< mass centre in the body's frame
  double inertia[6];   ///< about the mass centre, body axes: xx, xy, xz, yy, yz, zz
  double axis[3];      ///< of its joint, body axes
  double s[3];         ///< from its origin to its joint's point, body axes; zero without a joint
  double s_parent[3];  ///< from its parent's origin to that point, the parent's axes
};

/// Bodies in the order of the sweep: children before parents, the root last.
struct PartSystem {
  const PartBody* bodies;
  const PartShape* shapes;
  const AbsorbedPiece* absorbed;  ///< one for each of the first bodies, which are their tops
  int absorbed_count;
  int count;
  int tip;        ///< place of the tip; −1: none
  bool grounded;  ///< the root has a joint to ground
  bool shows_root;
};

/// What is kept of a body from the inward to the outward pass. A body's point is that of its joint,
/// or its origin where it has none.
struct PartRecord {
  double axis[3];
  double d[3];     ///< from the parent's point to this one's
  double s[3];     ///< from the origin to the point
  double zeta[6];  ///< acceleration with all unknowns zero: angular, and of the point
  double W[6];     ///< U / D
  double y[8];     ///< axis · K
  double inverse;  ///< 1 / D
};

/// What is not: one part at a time.
struct PartScratch {
  double R[9];
  double h[3], J[6];  ///< first and second moments about the point
  double n[3], f[3];  ///< bias wrench about the point
  int gathers;        ///< have children other than the one before it stored something
};

/// What children store for their parent: articulated inertia 21, K 48.
struct PartStored {
  double numbers[69];
};

/// What is kept of a piece that hangs on a part: Λ⁻¹, rows of eight.
struct AbsorbedRecord {
  double inertia[48];
};

/// What is kept of a root that is not grounded: L Lᵀ = Iᴬ, G = L⁻¹ [K p]; rows of eight.
struct PartRoot {
  double inverse[48];  ///< L⁻¹
  double G[48];
};

/// Where a part writes what it shows: for each boundary body six rows of Λ, a row being eight
/// numbers (two of them zero) for each boundary body, and six numbers of β.
struct PartShown {
  double* Lambda;
  int stride;  ///< of a row
  double* beta;
};

/// A revolute joint between two pieces, of which each keeps one other boundary body at most, and
/// which closes no loop.
struct JoinSystem {
  /// One of the two, and its body in the joint.
  struct Side {
    int body;     ///< place in the state
    int own;      ///< which boundary body of its piece: 0 or 1
    int shown;    ///< boundary bodies of its piece: 1 or 2
    double s[3];  ///< from the body's origin to the joint's point, body axes
  };
  Side a, b;
  double across[2][3];  ///< orthogonal to the axis, axes of a
  double axis[3];       ///< axes of b
  double inertia;       ///< against the turn of the joint itself, of bodies at rest; mostly 0
};

/// What is kept of a join from the inward to the outward pass. Its five rows are −J(s) on a and J(s)
/// on b: three of the point, two of the axis; and one about the axis where that meets inertia.
struct JoinRecord {
  double s_a[3], s_b[3];    ///< from the origins to the point
  double normal[3][3];      ///< of the rows of the axis, and the axis
  double L[6][6];           ///< Cholesky factor, the diagonal inverted
  double z[6];              ///< L⁻¹ of what the rows lack
  double Y_a[48], Y_b[48];  ///< L⁻¹ J Λ̂ of the bodies that stay; rows of eight
};

/// A row that is closed at a node, with the places of its bodies among those that meet there.
struct ClosingRow {
  int row;
  int a, b;  ///< −1: ground
};

/// One boundary body of the pieces that meet at a node.
struct StackedBody {
  const double* Lambda;  ///< the first of its six rows in its piece's Λ
  int stride;
  int place;  ///< its own columns there, in eights
  int piece;  ///< bodies of one piece move together
};

/// Closing the joints of a node.  [dca-join]
struct ClosingSystem {
  const ClosingRow* rows;
  int row_count;
  const StackedBody* stack;  ///< those that stay on the boundary come first
  int stacked, kept;
  const double* J;      ///< twelve numbers a row of the constraint system
  const double* scale;  ///< one
  double* U;            ///< Λ̂ Jᵀ: for each row, eight numbers for each stacked body
  double* W;            ///< row_count², the lower half: J U, scaled
  double* Y;            ///< scratch: for each row, eight numbers for each kept body
  double* Lambda;       ///< the result
};

struct Kernel {
  const char* name;
  /// False when a body of the part has nothing to hold it.
  bool (*inward)(const PartSystem&, const double* x, const double* gravity, const double* loads,
                 const PieceNumbers&, PartRecord*, AbsorbedRecord*, PartScratch*, PartStored*,
                 PartRoot*, const PartShown*);
  /// `force`: on what it shows. Writes twelve numbers a body. Returns 0 when they are all finite.
  /// The forces on the pieces that hang on the part go to them.
  double (*outward)(const PartSystem&, const double* x, const PieceNumbers&, PartRecord*,
                    const AbsorbedRecord*, const PartRoot*, const double* force, double* dx);
  /// From two pieces to the one they make, a's body before b's. False when the joint holds nothing.
  bool (*join)(const JoinSystem&, const double* x, const PieceNumbers& a, const PieceNumbers& b,
               const PieceNumbers& whole, JoinRecord*);
  /// The forces on the boundaries of the two.
  void (*split)(const JoinSystem&, const JoinRecord&, const PieceNumbers& a, const PieceNumbers& b,
                const PieceNumbers& whole);
  /// U and W.
  void (*couple)(const ClosingSystem&);
  /// Λ, with W = L Lᵀ over the first `rank` rows of `order`.
  void (*reduce)(const ClosingSystem&, const double* L, const int* order, int rank);
};

}  // namespace sarrus::elimination
