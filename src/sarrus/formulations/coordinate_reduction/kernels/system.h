#pragma once

// What the kernels work on: flat arrays, laid out once for a mechanism. No type here has a function:
// these structs are shared by code for different instruction sets.

#include <cstdint>

#include "sarrus/articulated/kernels/system.h"

namespace sarrus::coordinate_reduction {

/// A body as the kernels see it: axes of its joint frame C, reference point its mass centre.
struct BodyConstants {
  double J[6];  ///< about the mass centre: xx xy xz yy yz zz
  double c[3];  ///< from C's origin to the mass centre
  double m;
};

/// Where a body is and how it moves, world axes.
struct BodyMotion {
  double R[9];  ///< of the joint frame C, row by row
  double p[3];  ///< mass centre
  double c[3];  ///< from C's origin to the mass centre
  double w[3];
  double v[3];  ///< of the mass centre
};

/// A joint closed between two bodies of a front. Frames F and M in the bodies' C, places from their
/// mass centres.
struct ClosureConstants {
  int kind = 0;                  ///< JointType
  bool given = false;            ///< its rows come from outside
  int body_a = -1, body_b = -1;  ///< slots of the tree; −1: ground
  int rows = 0;
  int first_row = 0;  ///< among those of all closures
  double R_F[9] = {}, s_A[3] = {};
  double R_M[9] = {}, s_B[3] = {};
};

/// A closing row from outside: for accelerations of the mass centres, as a length.
struct GivenRow {
  double J_A[6], J_B[6];
  double phi, phi_rate, gamma;
};

struct Operation {
  enum Kind : std::int8_t {
    kExtend,  ///< `body` at `place` hangs on the one at `place_a`
    kClose,   ///< `closure` between the bodies at `place_a` and `place_b`
    kReduce,  ///< coordinates that no staying body shows are eliminated
    kCells,  ///< all of the front's cells; `body` at `place` is the new one of the last, if it stays
    kChain,  ///< all of `chain`, whose last is `body`, hangs on the one at `place_a`
  };
  Kind kind = kExtend;
  bool asked = false;  ///< of kExtend: its acceleration is wanted
  bool last = false;   ///< of kClose: there is no later one that its rows could wait for
  int body = -1;
  int closure = -1;
  int chain = -1;
  int place = -1, place_a = -1, place_b = -1;  ///< −1: ground
  int first_staying = 0, staying = 0;          ///< places that later operations need
  int nominal_rank = 0;                        ///< of kClose, and of kChain: directions of its end
  double usual_pivot = 1;                      ///< of kClose: the smallest at a generic pose
};

/// Bodies in a row that nothing but their neighbours holds, and the next: from the base outward.
struct Chain {
  const int* slots = nullptr;
  int count = 0;
};

/// What the way inward along a chain leaves for the way outward, per unknown and per slot.
struct alignas(64) ChainColumn {
  double kappa[8];  ///< Kᵀ S / D
  double S[6];
  double W[6];
  double k;
};
struct ChainStep {
  double shift[3];
  double bias[6];
};
/// Λ of a chain's end, rows in the order of the pivots.
struct ChainFactor {
  double L[6][6];
  double unit[6];
  int order[6];
  int slots[6];  ///< of the front
  int rank;
  double size;
};

// ---- cells: equal parts of a front in the lanes ----------------------------------------------

inline constexpr int kCellLanes = 8;
inline constexpr int kMostCellBodies = 6;
inline constexpr int kMostCellOld = 8;  ///< columns of the old body and of those between
inline constexpr int kMostCellNew = 4;  ///< columns of the new body
inline constexpr int kMostCellColumns = kMostCellOld + kMostCellNew;
inline constexpr int kMostCellRows = 12;

/// What cells have in common that run side by side.
struct CellShape {
  struct Body {
    int parent;  ///< place in the cell; −1: ground
    int kind;
    bool reversed;
    int first_column, columns;
    std::uint32_t seen;  ///< columns that move it
  };
  struct Closure {
    int kind, a, b, rows;  ///< bodies as above
  };
  int bodies;  ///< the old one first
  int closures;
  int columns, eliminated, old_columns, new_columns;
  Body body[kMostCellBodies];
  Closure closure[kMostCellBodies];
};

/// Constants of a body, and of a closure, of eight cells.
struct alignas(64) CellBody {
  double R_PE[9][kCellLanes];
  double r_PE[3][kCellLanes];
  double J[6][kCellLanes];
  double c[3][kCellLanes];
  double m[kCellLanes];
  int slot[kCellLanes], q[kCellLanes], v[kCellLanes], column[kCellLanes];
};
struct alignas(64) CellClosure {
  double R_F[9][kCellLanes];
  double s_A[3][kCellLanes];
  double R_M[9][kCellLanes];
  double s_B[3][kCellLanes];
  int first_row[kCellLanes];
};

/// Up to eight cells of one shape.
struct CellBlock {
  int shape = 0;
  const CellBody* bodies = nullptr;
  const CellClosure* closures = nullptr;
  std::ptrdiff_t result = 0;  ///< where theirs begins: G and g row by row, then K and k
};

/// A row of cells. Shapes may take turns, with as many old and new columns each.
struct Cells {
  int count = 0, block_count = 0, shape_count = 0;
  const CellShape* shapes = nullptr;
  const CellBlock* blocks = nullptr;
  struct Place {
    int block, lane;
  };
  const Place* places = nullptr;  ///< of each cell, in the order of the row
  double* results = nullptr;
};

/// How regular cells of a shape are: over all of them, the least that is left of the square of each eliminated
/// column beside those before it, and less the largest square that no eliminated column reaches.
struct CellGuard {
  double left[kMostCellOld];
  double unreached;
};

/// Operations on one front: a part of the mechanism that shares no moving body with others.
struct Program {
  int operation_count = 0;
  const Operation* operations = nullptr;
  const int* staying = nullptr;         ///< places
  const int* staying_bodies = nullptr;  ///< who stands there
  int places = 0;
};

struct System {
  int body_count = 0;
  const tree::JointConstants* joints = nullptr;  ///< per slot
  const int* parents = nullptr;                  ///< per slot; −1: ground
  const BodyConstants* bodies = nullptr;         ///< per slot
  const double* scales = nullptr;                ///< per unknown: its unit in y
  const ClosureConstants* closures = nullptr;
  const Chain* chains = nullptr;
  const int* order = nullptr;  ///< slots: those in loops, then all others; each parents first
  int in_loops = 0;
  const std::int8_t* gathers = nullptr;  ///< per slot: is it in a loop, with others hanging on it?
  double gravity[3] = {};
  double length = 1;  ///< makes lengths of angles
};

/// What the constants of the rows are.
enum class Level : std::int8_t { kPosition, kVelocity, kAcceleration };

struct Inputs {
  Level level = Level::kAcceleration;
  const double* q = nullptr;
  const double* v = nullptr;
  const double* wrenches = nullptr;  ///< six a slot, at the mass centres; null: none
  const double* tau = nullptr;       ///< forces along the unknowns; null: none
  const tree::Drive* drives = nullptr;
  const GivenRow* given = nullptr;    ///< per closing row; read for closures that say so
  const std::int8_t* held = nullptr;  ///< per unknown: is it zero? Null: none is
  bool turns = false;                 ///< some angle is very large
  bool geometric = false;             ///< all bodies alike, whatever their masses
  bool appended = false;              ///< what hangs on the loops counts
  double rank_tolerance = 0;          ///< > 0: pivots above it count, whatever the nominal ranks
};

/// One step of the way back.
struct Record {
  enum Kind : std::int8_t {
    kPivot,         ///< y[slot] = −row·y
    kCombine,       ///< y −= row y[slot]
    kOutput,        ///< unknown `to` is y[slot]
    kAcceleration,  ///< six rows: of body `to`
    kExtended,      ///< body `to` came in (for reactions)
    kClosed,        ///< closing `to` is done (for reactions)
    kClosing,       ///< closing `to` begins (for reactions)
    kCells,         ///< slots of the old and the new body are with the cells
    kChain,         ///< six rows where `slot` is not negative: of the base of chain `to`
  };
  Kind kind;
  std::int16_t slot;
  std::int32_t to;
};

inline constexpr int kMostWaiting = 16;
inline constexpr int kMostRows = 24;

/// A closing as reactions see it.
struct ClosingRecord {
  int operation;
  int rows;  ///< its own, then those that waited
  int first_pivot, pivots;
  int waiting;  ///< rows that it left for later, and which; their pivots follow the others
  std::int8_t left[kMostWaiting];
};

/// A pivot of a closing; `details` holds the row of H, the factors of the other rows, and the
/// columns of the staying bodies, one after the other. Of a row that waits only the factors.
struct PivotRecord {
  int row, slot;
  int record;
  int details;
  double pivot;
};

/// What one front needs of memory, and what it says about a run.
struct FrontScratch {
  double* N = nullptr;     ///< per place six rows
  double* H = nullptr;     ///< a row a slot
  double* work = nullptr;  ///< rows that wait, then those in work
  Record* records = nullptr;
  double* rows = nullptr;
  int record_count = 0, row_count = 0;
  // For reactions; null: not wanted.
  ClosingRecord* closings = nullptr;
  PivotRecord* pivots = nullptr;
  double* details = nullptr;
  int closing_count = 0, pivot_count = 0, detail_count = 0;
  Cells cells;
  int new_slots[kMostCellNew] = {};
  // What was seen.
  int* ranks = nullptr;            ///< per operation
  double* least_pivots = nullptr;  ///< per operation
  double smallest_pivot = 1;       ///< over its usual size
  int lost = 0;                    ///< directions that could not be closed
  int bad_body = -1;               ///< without inertia
};

/// What all fronts share.
struct Scratch {
  BodyMotion* motions = nullptr;     ///< per slot
  const double* appended = nullptr;  ///< 27 numbers a slot: inertia and bias of what hangs on it
  ChainColumn* chain_columns = nullptr;  ///< per unknown
  ChainStep* chain_steps = nullptr;      ///< per slot
  ChainFactor* chain_factors = nullptr;  ///< per chain
  double* accelerations = nullptr;       ///< six a slot, of bodies that are asked
  double* phi = nullptr;                 ///< per closing row, as a length
  double* phi_rate = nullptr;            ///< per closing row
};

enum class Outcome : std::int8_t {
  kDone,
  kTooWide,
  kNoInertia,
  kFaintChain,  ///< a chain is better taken body by body
};

struct Kernel {
  const char* name = nullptr;
  /// Motions of the first `count` bodies of the order.
  void (*place)(const System&, const Inputs&, Scratch&, int count) = nullptr;
  /// Cells by themselves; says how regular they are. The results are good for the next run.
  void (*run_cells)(const System&, const Cells&, const Inputs&, Scratch&, CellGuard*) = nullptr;
  /// A front from its first body to its last coordinate, placing its bodies as it comes to them.
  /// `blocks`: eighths of a row's length, one of 1, 2, 4, 32.
  Outcome (*run)(const System&, const Program&, const Inputs&, Scratch&, FrontScratch&,
                 int blocks) = nullptr;
  /// The way back: its unknowns.
  void (*back)(const System&, const FrontScratch&, Scratch&, int blocks,
               double* unknowns) = nullptr;
  /// The accelerations of all bodies, given the rates of the unknowns. Returns what all joints
  /// together do: the power of prescribed motions, ideal joints having none [W].
  double (*accelerate)(const System&, const Inputs&, Scratch&, const double* unknowns) = nullptr;
};

}  // namespace sarrus::coordinate_reduction
