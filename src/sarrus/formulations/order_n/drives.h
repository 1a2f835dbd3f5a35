#pragma once

#include <span>
#include <vector>

#include "sarrus/formulations/order_n/plain.h"

namespace sarrus::order_n {

/// Prescribed motions: they fix coordinates and speeds, and leave fewer unknown accelerations.
/// [order-n-drive]
class Drives {
 public:
  explicit Drives(const Tree& tree);

  bool empty() const { return driven_.empty(); }
  std::size_t size() const { return driven_.size(); }

  /// Per slot: speeds that are not prescribed; index of its drive or −1.
  const std::vector<int>& unknowns() const { return unknowns_; }
  const std::vector<int>& drive_of() const { return drive_of_; }

  /// Moves q and v to what is prescribed at t, the rest staying as near as can be, and says what is
  /// left free: one entry in `drives` per driven joint.
  void apply(double t, std::span<double> q, std::span<double> v, std::span<const double> near,
             std::vector<PlainDrive>& drives) const;

 private:
  struct Driven {
    int slot;
    std::vector<const PrescribedMotion*> motions;
  };

  const Tree& tree_;
  std::vector<Driven> driven_;
  std::vector<int> unknowns_;
  std::vector<int> drive_of_;
};

}  // namespace sarrus::order_n
