#pragma once

#include <span>
#include <vector>

#include "sarrus/base/status.h"
#include "sarrus/elimination/elimination.h"
#include "sarrus/model/model.h"

/// What impulses and forces through all joints together do to a mechanism, whatever the method: by
/// elimination over an assembly tree, in time linear in the number of bodies where loops are few.
/// The eliminations given are in the kinetic metric.
namespace sarrus {

struct MeetingOptions {
  bool stands = false;              ///< make_poses_meet() has just left the elimination there
  bool may_be_out_of_line = false;  ///< it was before
};

/// Velocities that meet all constraints at t, by an impulse over all joints: of those that do, the
/// nearest in the kinetic metric, so that kinetic energy never rises where nothing is prescribed.
///
/// Refused, with the names of those that contradict each other, where no velocities meet all, or no
/// accelerations can follow; and where it hangs on less than 1e-6 rad whether they do
/// [edit-out-of-line]. `found_densely`, where given, tells whether it took exact factors to tell
/// constraints apart.  [edit-impulse]
Status make_velocities_meet(Elimination& elimination, double t, Configuration& configuration,
                            const MeetingOptions& options = {}, bool* found_densely = nullptr);

/// Does it hang on less than 1e-6 rad whether the mechanism can move, or is it as near to a singular position?
/// Known of small ones only.
bool is_out_of_line(const Model& model, double t, const Configuration& configuration);

/// Poses that meet all constraints at t, with the least change in the kinetic metric; `configuration`
/// is near to one. Velocities stay. Leaves the elimination factorised at the pose, or next to it.
Status make_poses_meet(Elimination& elimination, double t, Configuration& configuration);

/// How the rows of each soft joint accelerate under unit forces along them, through the whole
/// mechanism: G Gᵀ of its rows with the constrained inverse inertia between.  [soft-joint-admittance]
Status find_admittances(Elimination& elimination, double t, const Configuration& configuration,
                        std::span<const SoftJoint> soft, std::vector<Mat6>& admittances);

/// Is there nothing that the soft joint could move? Then what is left of the admittance is rounding.
bool is_immovable(const Model& model, const Mat6& admittance, double length, const SoftJoint& soft);

/// Gives a soft joint the inverse of the admittance as its mass, and a limit to its force. No direction
/// counts as much heavier than the lightest, a grab's by ten at most, nor than a hundred times the whole
/// mechanism: those that joints hold are pulled with bounded force. None where the joint tumbles. One that
/// is immovable is not pulled at all.
/// [soft-joint-mass]
void tune_soft_joint(const Model& model, const Mat6& admittance, double length, SoftJoint& soft);

/// How much stiffer the joint pulls than if it were tuned to this admittance: 1 when nothing changed. Not
/// of one that is immovable.
double stiffening(const Model& model, const Mat6& admittance, double length, const SoftJoint& soft);

/// The largest number among all velocities [rad/s, m/s].
double largest_speed(const Configuration& configuration);

}  // namespace sarrus
