#pragma once

#include <string>

#include "sarrus/model/model.h"

/// Laws of mechanics that any motion must obey, whatever computed it. Each checker has its own
/// plain formulas and shares none with the methods it judges; it gives a number, zero but for
/// rounding when the law holds, and a sentence that says where it fails most.
namespace sarrus::testing {

struct Verdict {
  double defect = 0;     ///< relative to the largest term in the law
  std::string sentence;  ///< "body 'B3': forces do not balance by 2e-3 of 41 N"
};

/// Every body by itself: m a_c = Σ f and J ω̇ + ω×J ω = Σ τ about its mass centre, with gravity,
/// applied loads, point springs and the reported reactions of all its joints. A flexible body by the
/// points that have its inertia, and each of its modes with strain and damping.
Verdict newton_euler(const Model& model, const Motion& motion);

/// The whole: the rates of linear momentum and of angular momentum about the world's origin equal
/// what acts from outside, ground's joints included.
Verdict momentum_balance(const Model& model, const Motion& motion);

/// At every joint the reaction does the work of the springs, friction and drives on it and no other,
/// on each relative motion that the joint allows and that no prescribed motion rules: ideal
/// constraints have no virtual power.
Verdict virtual_power(const Model& model, const Motion& motion);

/// D'Alembert's principle: no allowed motion of the whole does work against inertia and loads. With
/// `constraint_accelerations` this certifies accelerations without a look at reactions.
Verdict dalembert(const Model& model, const Motion& motion);

/// J V + φ_t = 0 and J a + γ = 0 over the canonical rows.
Verdict constraint_velocities(const Model& model, const Motion& motion);
Verdict constraint_accelerations(const Model& model, const Motion& motion);

/// The same from positions alone: φ along the path with this velocity and acceleration has no
/// second derivative. By finite differences, so good to some 1e-7.
Verdict constraint_curvature(const Model& model, const Motion& motion);

/// Power: the rates of kinetic and potential energy sum up to `supplied_power` [W]. The potential's
/// rate by finite differences of the energy, so forces and energies are held against each other.
Verdict power_balance(const Model& model, const Motion& motion, double supplied_power);

/// Reactions are marked unique where no set of multipliers leaves all bodies at rest, and only
/// there. The defect is the number of wrong marks.
Verdict reaction_uniqueness(const Model& model, const Motion& motion);

/// Largest difference between two motions of one mechanism told in two ways: bodies and joints are
/// matched by name, joints may be reversed, and `X` is the pose of the first world frame in the
/// second. Compares poses, velocities, accelerations, modes and the reactions that both call unique.
Verdict same_motion(const Model& model, const Motion& motion, const Model& other_model,
                    const Motion& other, const Transform& X = {});

}  // namespace sarrus::testing
