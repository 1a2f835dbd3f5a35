#pragma once

#include <span>
#include <vector>

#include "sarrus/tree/tree.h"

namespace sarrus::tree {

/// What some speeds of a joint are prescribed to do: v̇ = given + N y, y being free.
struct DrivenJoint {
  int slot = 0;
  MatUpTo6 N;
  VecUpTo6 given;
};

/// Prescribed motions of the tree's joints: they fix coordinates and speeds, and leave fewer unknown
/// accelerations. Those of cut joints are left to the closures.
/// [order-n-drive]
class Drives {
 public:
  Drives(const Tree& tree, const std::vector<PrescribedMotion>& motions);

  bool empty() const { return driven_.empty(); }
  std::size_t size() const { return driven_.size(); }

  /// Per slot: speeds that are not prescribed; index of its drive or −1.
  const std::vector<int>& unknowns() const { return unknowns_; }
  const std::vector<int>& drive_of() const { return drive_of_; }

  /// Moves coordinates and speeds to what is prescribed at t and says what is left free: one entry
  /// in `drives` per driven joint.
  void apply(double t, std::span<double> q, std::span<double> v, std::span<const double> near,
             std::vector<DrivenJoint>& drives) const;

  /// The coordinates only. `near` are all joint coordinates near by, in the model's order.
  void move(double t, std::span<double> q, std::span<const double> v,
            std::span<const double> near) const;

  /// The speeds at coordinates that are where they should be: v + given + N y obeys for any y.
  /// Speeds instead of accelerations.
  void complete_speeds(double t, std::span<const double> q, std::span<const double> v,
                       std::span<const double> near, std::vector<DrivenJoint>& drives) const;

 private:
  struct Driven {
    int slot;
    std::vector<const PrescribedMotion*> motions;
    bool on_speeds = true;  ///< rates of the coordinates are speeds, so that N is as below
    decltype(DrivenJoint::N) N;
  };

  /// A v = what the rates should be, for the prescribed coordinates of one joint.
  struct RowSet;
  void move(const Driven& driven, double t, std::span<double> q, std::span<const double> v,
            std::span<const double> near) const;
  void complete_speeds(const Driven& driven, double t, std::span<const double> q,
                       std::span<const double> v, std::span<const double> near,
                       DrivenJoint& drive) const;
  RowSet rows_of(const Driven& driven, double t, std::span<const double> q,
                 std::span<const double> v, std::span<const double> near) const;

  const Tree& tree_;
  std::vector<Driven> driven_;
  std::vector<int> unknowns_;
  std::vector<int> drive_of_;
};

}  // namespace sarrus::tree
