#pragma once

#include <vector>

#include "sarrus/articulated/kernel_model.h"
#include "sarrus/tree/drives.h"

namespace sarrus::articulated {

using namespace tree;

/// What the kernels need of the drives.
void pack_drives(const std::vector<DrivenJoint>& from, Drive* to);

/// Joint forces along the unknowns: Nᵀ τ where some speeds are prescribed.
void reduce_forces(const Tree& tree, const KernelModel& kernel_model,
                   const std::vector<DrivenJoint>& drives, const double* tau, double* tau_free);

/// v̇ = given + N y.
void expand_unknowns(const Tree& tree, const KernelModel& kernel_model,
                     const std::vector<DrivenJoint>& drives, const double* unknowns,
                     double* v_rate);

}  // namespace sarrus::articulated
