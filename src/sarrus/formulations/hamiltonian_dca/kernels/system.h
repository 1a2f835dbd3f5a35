#pragma once

// What the kernels work on: flat arrays of numbers. No type here has a constructor or a function:
// these structs are shared by code for different instruction sets.

#include "sarrus/articulated/kernels/system.h"
#include "sarrus/elimination/kernels/system.h"

namespace sarrus::hamiltonian {

using elimination::AbsorbedRecord;
using elimination::PartRoot;
using elimination::PartShown;
using elimination::PartStored;
using elimination::PartSystem;
using elimination::PieceNumbers;

inline constexpr int kLanes = articulated::kChainLanes;
using LaneConstants = articulated::BodyConstants<kLanes>;

/// Four bodies in a row, each hanging on the one before it by a revolute joint. Their frames C stand at
/// the joints' points, z along the axes.  [order-n-frames]
struct LaneBlock {
  int constants;               ///< among the system's; equal blocks share them
  int bodies;                  ///< lanes in use
  int handed;                  ///< index of what others hand to its bodies; −1: nothing
  bool in_row;                 ///< four joints one after the other in the state
  int joint[kLanes];           ///< where its numbers stand in the state
  bool tells[kLanes];          ///< is ṗ found here
  double mass_beyond[kLanes];  ///< of the body and all that hangs on it
};

struct LaneChain {
  int first_block;
  int blocks;
  int parent;  ///< where the lane of the body it hangs on begins; −1: what the part hangs on
  int parent_handed, parent_lane;
};

/// One part: its chains, parents first.
struct LaneSystem {
  const LaneChain* chains;
  int chain_count;
  const LaneBlock* blocks;
  const LaneConstants* constants;
  const int* lane_of;   ///< per place in the part: where its lane begins
  const int* joint_of;  ///< per place: where its joint's numbers stand in the state
};

/// Four bodies at one instant, world axes, about the joints' points.
struct alignas(32) LaneData {
  double turn[4][kLanes];  ///< orientation of C: in the part's base at first, then in the world
  double axis[3][kLanes];
  double arm[3][kLanes];  ///< from the parent's point
  double J[6][kLanes];
  double h[3][kLanes];      ///< first moment
  double V[6][kLanes];      ///< velocity: angular, and of the point
  double place[3][kLanes];  ///< from the point that the part hangs on
  double load[6][kLanes];   ///< wrench that is not weight
};

/// What is handed to bodies of a block by what hangs on them: sums over subtrees.
struct alignas(32) Handed {
  double momentum[6][kLanes];
  double moment[3][kLanes];  ///< Σ m s: what weight turns with
  double load[6][kLanes];
};

/// What is kept of a body from the inward to the outward sweep.
struct SweptBody {
  double y[8];
  double W[6];
  double inverse;
  double unused;
};

/// Momenta, and what stands at the boundary of the part.
struct PartMomenta {
  const double* p;  ///< of all joints, over their scale
  const double* scale;
  const double* joint_inertia;  ///< of all joints themselves
  double root_point[3];         ///< of a root without a joint in here: from its origin to its point
  double tip_point[3];
  double root_couple[3];  ///< active impulses of joints that are closed elsewhere, as a bias
  double tip_couple[3];
  const double* absorbed_points;
};

/// Sums over subtrees: what to take in, and where ṗ goes.
struct RatesInputs {
  const double* gravity;  ///< null: weight is among the loads
  bool moves;             ///< otherwise only loads that are handed to bodies count
  const double* inverse_scale;
  double* p_rate;
};

struct Kernel {
  const char* name;
  /// Orientations in the frame of what the part hangs on.
  void (*turn)(const LaneSystem&, const double* q, LaneData*);
  /// The same in the world, and all else that depends on the pose. `moment`: Σ m s handed to what the
  /// part hangs on, weighed with all masses beyond but without what hangs on the part.
  void (*place)(const LaneSystem&, const double* base, bool places, LaneData*, double* moment);
  /// As the elimination's, for impulses on bodies at rest.
  bool (*inward)(const PartSystem&, const LaneSystem&, const LaneData*, const PartMomenta&,
                 const PieceNumbers&, SweptBody*, AbsorbedRecord*, int* gathers, PartStored*,
                 PartRoot*, const PartShown*);
  /// Velocities into the lanes, speeds of the joints into `u`. Returns 0 when they are all finite.
  double (*outward)(const PartSystem&, const LaneSystem&, LaneData*, const PartMomenta&,
                    const PieceNumbers&, SweptBody*, const AbsorbedRecord*, const PartRoot*,
                    const double* force, double* u);
  /// ṗ; what the part hands to what it hangs on is left in lane 0 of `total`.
  void (*rates)(const LaneSystem&, const LaneData*, const RatesInputs&, Handed* handed,
                Handed* total);
};

}  // namespace sarrus::hamiltonian
