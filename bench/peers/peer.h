#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/tree.h"

namespace sarrus::bench {

/// An engine's forward dynamics of one tree. Each engine is a program of its own, made of main.cpp
/// and the file that defines make_peer: some of their libraries do not go together.
class Peer {
 public:
  virtual ~Peer() = default;

  /// Joint accelerations from angles and speeds, from scratch; nothing kept from the last time.
  virtual void evaluate() = 0;

  /// What evaluate() found, by link.
  virtual std::vector<double> joint_accelerations() = 0;
};

/// Name and version, for the table.
std::string peer_name();

/// @throws std::exception where the engine cannot do it.
std::unique_ptr<Peer> make_peer(const Tree& tree);

}  // namespace sarrus::bench
