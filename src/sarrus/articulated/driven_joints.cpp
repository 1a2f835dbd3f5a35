#include "sarrus/articulated/driven_joints.h"

namespace sarrus::articulated {

void pack_drives(const std::vector<DrivenJoint>& from, Drive* to) {
  for (std::size_t d = 0; d < from.size(); ++d) {
    for (Eigen::Index j = 0; j < from[d].N.cols(); ++j)
      for (Eigen::Index k = 0; k < from[d].N.rows(); ++k) to[d].N[6 * j + k] = from[d].N(k, j);
    for (Eigen::Index k = 0; k < from[d].given.size(); ++k) to[d].given[k] = from[d].given[k];
  }
}

void reduce_forces(const Tree& tree, const KernelModel& kernel_model,
                   const std::vector<DrivenJoint>& drives, const double* tau, double* tau_free) {
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    const JointConstants& joint = kernel_model.joint(static_cast<int>(i));
    const Eigen::Map<const VecX> all(tau + body.v, body.nv);
    Eigen::Map<VecX> free(tau_free + joint.column, joint.columns);
    if (joint.drive < 0)
      free = all;
    else
      free.noalias() = drives[to_index(joint.drive)].N.transpose() * all;
  }
}

void expand_unknowns(const Tree& tree, const KernelModel& kernel_model,
                     const std::vector<DrivenJoint>& drives, const double* unknowns,
                     double* v_rate) {
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    const JointConstants& joint = kernel_model.joint(static_cast<int>(i));
    const Eigen::Map<const VecX> free(unknowns + joint.column, joint.columns);
    Eigen::Map<VecX> all(v_rate + body.v, body.nv);
    if (joint.drive < 0) {
      all = free;
    } else {
      all = drives[to_index(joint.drive)].given;
      all.noalias() += drives[to_index(joint.drive)].N * free;
    }
  }
}

}  // namespace sarrus::articulated
