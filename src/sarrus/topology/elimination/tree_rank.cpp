#include "sarrus/topology/elimination/tree_rank.h"

namespace sarrus {

TreeRank::TreeRank(const Model& model, const Topology& topology, const Configuration& assembled,
                   bool with_motions)
    : system_(model, with_motions ? model.motions() : std::vector<PrescribedMotion>{}),
      tree_(plan_assembly(model, topology)),
      plan_(system_, topology, tree_),
      elimination_(plan_, executor_, assembled, Metric::kGeometric) {}

std::vector<JointId> TreeRank::dependent_joints() {
  const std::vector<char> dependent = elimination_.dependent_rows();
  std::vector<JointId> joints;
  for (std::size_t r = 0; r < dependent.size(); ++r) {
    const JointId joint = system_.origins()[r].joint;
    if (dependent[r] && (joints.empty() || joints.back() != joint)) joints.push_back(joint);
  }
  return joints;
}

}  // namespace sarrus
