#pragma once

#include "sarrus/formulations/branches/plan.h"

namespace sarrus::branches {

/// A joint by its own maps, in the axes of the body's reference frame; `drive` null: none.
void describe(const tree::Tree& tree, const TreeBody& place, const tree::DrivenJoint* drive,
              const double* q, const double* v, GeneralJoint& to);

}  // namespace sarrus::branches
