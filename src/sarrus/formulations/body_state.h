#pragma once

#include <span>
#include <string>
#include <vector>

#include "sarrus/constraints/kkt.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/model/configuration.h"
#include "sarrus/model/loads.h"
#include "sarrus/model/model.h"
#include "sarrus/model/state_layout.h"

/// The state of methods that give every body six coordinates: per body quaternion, position,
/// angular and linear velocity; then the modes of flexible bodies and their rates; then the supplied
/// work.
namespace sarrus::body_state {

inline constexpr int kBodySize = 13;
inline constexpr int kBodyTangent = 12;

StateLayout layout(const Model& model);

std::vector<VelocityPair> velocity_pairs(const Model& model);

/// "body 'rod'" or "mode 'bending_y1' of body 'boom'" for a component of a tangent; empty for the
/// supplied work.
std::string element_of(const Model& model, int tangent_index);

void write(const Configuration& from, std::span<double> x);

/// Poses (quaternions made unit), velocities and `modes` modes; coordinates are left as they are.
void read(std::span<const double> x, Configuration& to, int modes = 0);

/// The same with the coordinates of all joints at these poses, near those of the last step.
void decode(const Model& model, std::span<const double> x, const Discrete& discrete,
            Configuration& to);

/// dx of bodies and modes, from the velocities of `c` and the accelerations of all columns.
void write_rates(const Configuration& c, const VecX& accelerations, std::span<double> dx);

/// Time, configuration and accelerations of a motion.
void fill_motion(double t, const Configuration& c, const VecX& accelerations, Motion& motion);

/// Each joint's loads and what its rows push with λ: J_Bᵀ λ on its second body.
void fill_reactions(const ConstraintSystem& system, const Loads& loads, const VecX& lambda,
                    Motion& motion);

/// Positions and velocities of `c` onto the manifold, and the factors there.
Status project(double t, Projector& projector, Configuration& c);

/// dx of the bodies, from velocities and accelerations, both with ground first.
void write_rates(std::span<const Vec6> velocities, std::span<const Vec6> accelerations,
                 std::span<double> dx);

/// For `Formulation::filter_error`: takes the kinetic projection on the weak motions of the pose that
/// `kkt` has factorised out of an error estimate, of positions and of velocities.
/// [step-over-singularity]
void filter_weak_motions(Kkt& kkt, int modes, std::span<double> e);

}  // namespace sarrus::body_state
