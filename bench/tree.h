#pragma once

#include <string>
#include <vector>

/// The open mechanisms that all engines are timed on: links of 1 kg on revolute joints.
namespace sarrus::bench {

inline constexpr double kLength = 0.2;  ///< from a link's joint to its children's, along x [m]
inline constexpr double kCenter = 0.1;  ///< from its joint to its mass centre, along x [m]
inline constexpr double kMass = 1;      ///< [kg]
inline constexpr double kInertia[3] = {0.002, 0.005, 0.006};  ///< about the mass centre [kg m²]
inline constexpr double kGravity = 9.81;                      ///< along −z [m/s²]

/// Link i turns against its parent about x, y or z, in turn: axis i mod 3 of its own frame, which is
/// aligned with the world's where all angles are zero. Parents come before children.
struct Tree {
  std::string shape;
  std::vector<int> parent;    ///< per link; −1: ground
  std::vector<double> angle;  ///< random, the same everywhere [rad]
  std::vector<double> speed;  ///< [rad/s]

  int size() const { return static_cast<int>(parent.size()); }
  static int axis(int link) { return link % 3; }
};

/// "chain", or "tree": link i carries links 2i + 1 and 2i + 2.
/// @throws std::invalid_argument for another word.
Tree make_tree(const std::string& shape, int links);

}  // namespace sarrus::bench
