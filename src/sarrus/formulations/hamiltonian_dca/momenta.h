#pragma once

#include <span>
#include <vector>

#include "sarrus/articulated/recursion.h"

/// Momenta of the joints of a spanning tree. Vectors per slot stand at the bodies' origins, in world
/// axes; numbers per speed are in the order of the tree's state.
namespace sarrus::hamiltonian {

/// What passes through the joints of the tree at one instant: per slot the sums over a body and all
/// that hangs on it.
struct Subtrees {
  std::vector<Vec6> momentum;
  std::vector<Vec6> force;
};

/// I V of every body.
void body_momenta(const tree::Tree& tree, const tree::TreeMotion& motion, std::vector<Vec6>& h);

/// Sums of `of_bodies` over the bodies that hang on each, in place.
void sum_over_subtrees(const tree::Tree& tree, const tree::TreeMotion& motion,
                       std::vector<Vec6>& of_bodies);

/// p = Sᵀ P.  [hamilton-momentum]
void joint_momenta(const tree::Tree& tree, const tree::TreeMotion& motion, std::span<const Vec6> P,
                   std::span<double> p);

/// The impulses D p through all joints as they act on the bodies: `f` per body of the model, ground
/// first.  [hamilton-impulses]
void active_impulses(const tree::Tree& tree, const tree::TreeMotion& motion,
                     std::span<const double> p, std::vector<Vec6>& f);

/// Speeds along the joints of bodies that move with `motion.V`: u = Dᵀ (V − V_parent).
void joint_speeds(const tree::Tree& tree, const tree::TreeMotion& motion, std::span<double> u);

/// ṗ = Sᵀ F + Ṡᵀ P with the sums over subtrees; no acceleration.  [hamilton-rates]
void momentum_rates(const tree::Tree& tree, const tree::TreeMotion& motion, const Subtrees& sums,
                    std::span<double> p_rate);

/// The inertia that each speed feels at a pose, rounded to a power of two: momenta over it are of
/// the size of speeds.  [hamilton-scale]
std::vector<double> momentum_scales(const tree::Tree& tree, const tree::TreeMotion& motion);

}  // namespace sarrus::hamiltonian
