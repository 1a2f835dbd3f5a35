#include "sarrus/model/loads.h"

namespace sarrus {

bool SomeForces::empty() const {
  return point_springs_.empty() && joint_springs_.empty() && joint_frictions_.empty() &&
         applied_forces_.empty() && applied_torques_.empty() && joint_torques_.empty() &&
         motors_.empty() && soft_joints_.empty();
}

void SomeForces::sort(const Model& model,
                      const std::function<SomeForces&(BodyId a, BodyId b)>& set_of) {
  const auto at_joint = [&](const Freedom& at) -> SomeForces& {
    return set_of(model.joint(at.joint).a, model.joint(at.joint).b);
  };
  for (const auto& one : model.point_springs()) set_of(one.a, one.b).point_springs_.push_back(one);
  for (const auto& one : model.joint_springs()) at_joint(one.at).joint_springs_.push_back(one);
  for (const auto& one : model.joint_frictions()) at_joint(one.at).joint_frictions_.push_back(one);
  for (const auto& one : model.joint_torques()) at_joint(one.at).joint_torques_.push_back(one);
  for (const auto& one : model.motors()) at_joint(one.at).motors_.push_back(one);
  for (const auto& one : model.applied_forces())
    set_of(one.body, one.body).applied_forces_.push_back(one);
  for (const auto& one : model.applied_torques())
    set_of(one.body, one.body).applied_torques_.push_back(one);
  for (const auto& one : model.soft_joints())
    set_of(one.joint.a, one.joint.b).soft_joints_.push_back(one);
}

}  // namespace sarrus
