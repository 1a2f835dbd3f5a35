#pragma once

// What the kernels work on: flat arrays of numbers, laid out once for a mechanism. No type here has
// a constructor or a function: these structs are shared by code for different instruction sets.

#include <cstddef>
#include <cstdint>

#include "sarrus/tree/joint_constants.h"

namespace sarrus::articulated {

using namespace tree;

/// Bodies along a chain start their reference motion afresh every so many blocks.
inline constexpr int kRestartBlocks = 4;

/// What a driven joint does, for the power it takes.
struct DriveRecord {
  double V[6];             ///< motion of the body relative to its parent
  double articulated[27];  ///< inertia and bias behind the joint
  double power;            ///< of everything that passes through it [W]
};

/// One unknown of a joint that is not a plain revolute one, W lanes wide.
template <int kWidth>
struct Column {
  double S[6][kWidth];  ///< motion per unit of the unknown, at the joint's point, world axes
  double W[6][kWidth];  ///< U / D
  double k[kWidth];     ///< u / D
};

/// Constants of kWidth bodies: frame before the joint in the parent's joint frame (quaternion and
/// place), then inertia about the joint's point, first moment and mass, in the body's joint frame.
template <int kWidth>
struct alignas(32) BodyConstants {
  double q[4][kWidth];
  double r[3][kWidth];
  double J[6][kWidth];
  double h[3][kWidth];
  double m[kWidth];
};

/// Where a body is and how it moves at zero joint accelerations; kept where others ask for it.
template <int kWidth>
struct Record {
  double q[4][kWidth];      ///< orientation of the joint frame
  double omega[3][kWidth];  ///< angular velocity
  double alpha[3][kWidth];  ///< reference acceleration, angular
  double acc[3][kWidth];    ///< … and of the joint's point, with the ground accelerating by −g
  double p[3][kWidth];      ///< joint's point
  double v[3][kWidth];      ///< its velocity
};

// ---- chains: bodies in a row, four neighbours in the lanes -----------------------------------

/// What the passes hand to each other about four bodies. The inward pass overwrites J and h0 by
/// U/D at the parent's point and u/D, so that the outward pass reads the first 13 fields only.
struct alignas(32) ChainData {
  double J[6][kChainLanes];
  double h0[kChainLanes];
  double a[3][kChainLanes];  ///< z axis of the joint frame
  double r[3][kChainLanes];  ///< from the parent's joint point to this one
  double h12[2][kChainLanes];
  double n[3][kChainLanes];
  double f[3][kChainLanes];
};

struct Chain {
  int first_slot = 0;
  int bodies = 0;
  int first_block = 0;
  int blocks = 0;
  int first_jump = 0;
  int parent = -1;  ///< index of the record of the body it hangs on; −1: ground
  int q = 0;        ///< of an all-revolute chain: where its coordinates, …
  int v = 0;
  int column = 0;
  bool plain = true;  ///< all joints revolute and none prescribed
  bool records = false;
};

/// Inertia and bias that chains hand to the body they hang on; and that body's acceleration.
struct Branch {
  double handed[27];  ///< inertia A, H, M and bias n, f
  double acceleration[6];
};

/// The step in the reference motion at a restart.
struct Jump {
  double ang[3];
  double lin[3];
};

struct ChainSystem {
  int chain_count = 0;
  const Chain* chains = nullptr;
  const BodyConstants<kChainLanes>* constants = nullptr;
  const JointConstants* joints = nullptr;  ///< per slot
  const int* record_of = nullptr;          ///< per slot; −1: none
  int record_count = 0;
  double gravity[3] = {};
};

struct ChainScratch {
  ChainData* data = nullptr;
  Jump* jumps = nullptr;
  Record<1>* records = nullptr;
  Branch* branches = nullptr;    ///< one per record
  Column<1>* columns = nullptr;  ///< per unknown
  DriveRecord* drives = nullptr;
};

// ---- levels: bodies of equal depth in eight lanes -------------------------------------------

struct alignas(64) LevelData {
  Record<kWideLanes> record;
  /// Inertia A, H, M and bias n, f at first; the inward pass leaves U/D at the parent's point from kW
  /// on and u/D at kK, the outward pass the acceleration from kAcceleration on.
  double articulated[27][kWideLanes];
  static constexpr int kW = 0, kK = 6, kAcceleration = 7;
  double a[3][kWideLanes];
  double r[3][kWideLanes];
};

/// Sums go to the parents in rounds: in each a parent lane receives from at most one child lane.
struct alignas(64) LevelRound {
  std::int64_t child_lane[kWideLanes];
  std::int64_t receives[kWideLanes];  ///< all bits set or none
};

/// Bodies of equal depth whose parents all lie in the block `parent`.
struct alignas(64) LevelBlock {
  std::int64_t parent_lane[kWideLanes] = {};
  int first_round = 0;
  int rounds = 0;
  int parent = -1;  ///< −1: ground
  int bodies = 0;
  int first_slot = 0;
  int q = 0, v = 0, column = 0;  ///< of an all-revolute block
  int columns = 0;               ///< most unknowns of any of its joints; 0: all revolute
  int first_column = 0;
};

struct LevelSystem {
  int block_count = 0;
  const LevelBlock* blocks = nullptr;
  const LevelRound* rounds = nullptr;
  const BodyConstants<kWideLanes>* constants = nullptr;
  const JointConstants* joints = nullptr;  ///< per slot
  double gravity[3] = {};
};

struct LevelScratch {
  LevelData* data = nullptr;
  Column<kWideLanes>* columns = nullptr;
  DriveRecord* drives = nullptr;
};

// ---- batches: one body after the other, eight states in the lanes ---------------------------

struct alignas(64) BatchData {
  double J[6][kWideLanes];
  double h[3][kWideLanes];
  double a[3][kWideLanes];
  double r[3][kWideLanes];
  double n[3][kWideLanes];
  double f[3][kWideLanes];
  double k[kWideLanes];
};

struct BatchBranch {
  double handed[27][kWideLanes];
  double acceleration[6][kWideLanes];
};

struct BatchBody {
  int parent = -1;       ///< slot
  bool follows = false;  ///< its parent is the body just before
  bool plain = true;     ///< a revolute joint, not prescribed
  int record = -1;
  int parent_record = -1;
};

struct BatchSystem {
  int body_count = 0;
  const BatchBody* bodies = nullptr;
  const BodyConstants<1>* constants = nullptr;
  const JointConstants* joints = nullptr;
  int record_count = 0;
  double gravity[3] = {};
};

struct BatchScratch {
  BatchData* data = nullptr;
  Record<kWideLanes>* records = nullptr;
  BatchBranch* branches = nullptr;
  Column<kWideLanes>* columns = nullptr;
};

/// The coordinates, speeds and joint forces that a kernel reads and the unknowns it finds. Of a
/// batch, eight numbers stand for each.
struct Inputs {
  const double* q = nullptr;
  const double* v = nullptr;
  const double* tau = nullptr;  ///< per unknown
  const Drive* drives = nullptr;
  bool poses = false;  ///< keep places and velocities in the records
  bool turns = false;  ///< some coordinate is beyond kLargestAngle
};

/// The three passes of a traversal, for one instruction set.
template <class System, class Scratch>
struct Passes {
  void (*kinematics)(const System&, const Inputs&, Scratch&) = nullptr;
  void (*inward)(const System&, const Inputs&, Scratch&) = nullptr;
  void (*outward)(const System&, const Inputs&, Scratch&, double* unknowns) = nullptr;
};

/// Columns of `stride` numbers, a multiple of four, zeros behind the rows that there are.
struct ColumnMatrix {
  double* numbers = nullptr;
  int stride = 0;
  int count = 0;
};

struct Kernel {
  const char* name = nullptr;  ///< "x86-64-v3", …
  double (*largest_magnitude)(const double* numbers, std::size_t count) = nullptr;
  double (*sum_of_magnitudes)(const double* numbers, std::size_t count) = nullptr;
  Passes<ChainSystem, ChainScratch> chains;
  Passes<LevelSystem, LevelScratch> levels;
  Passes<BatchSystem, BatchScratch> batch;
  /// R of Z P = Q R in the place of Z, the largest column first: numbers 0 … k of column order[k] are its
  /// column k. Ends after `most` columns, or where what is left is below `tolerance` times the first;
  /// returns how many it has taken. Scratch: one column and two numbers a column.
  int (*triangularise)(const ColumnMatrix& Z, int most, double tolerance, int* order,
                       double* scratch) = nullptr;
};

}  // namespace sarrus::articulated
