#pragma once

// What kernels read of joints. No type here has a function: these structs are shared by code for
// different instruction sets.

namespace sarrus::tree {

inline constexpr int kChainLanes = 4;
inline constexpr int kWideLanes = 8;

/// Beyond this angle [rad] sine and cosine are the C library's.
inline constexpr double kLargestAngle = 1e5;

/// What is needed of a joint that is not a plain revolute one.
struct JointConstants {
  int kind = 0;           ///< JointType
  bool reversed = false;  ///< the tree runs from the joint's second body to its first
  bool plain = false;     ///< revolute, not prescribed: the kernels have a path for these
  bool simple = false;    ///< revolute or spherical, not reversed, not prescribed
  bool turning = false;   ///< all its columns are turns about its point
  int speeds = 0;
  int columns = 0;  ///< speeds that are not prescribed: the unknowns
  int q = 0;        ///< where its coordinates start
  int v = 0;        ///< where its speeds start
  int column = 0;   ///< where its unknowns start
  int drive = -1;   ///< which of the drives prescribes some of its speeds; −1: none
  double advance = 0;
  double R_PE[9] = {};  ///< frame before the joint in the parent's joint frame, row by row
  double q_PE[4] = {};
  double r_PE[3] = {};
};

/// Some speeds of a joint are prescribed: v̇ = given + N y with fewer unknowns y. Column-major N.
struct Drive {
  double N[36];
  double given[6];
};

}  // namespace sarrus::tree
