#include <BulletDynamics/Featherstone/btMultiBody.h>

#include "bench/peers/peer.h"

namespace sarrus::bench {
namespace {

class Bullet final : public Peer {
 public:
  explicit Bullet(const Tree& tree)
      : tree_(tree), body_(tree.size(), 0, btVector3(0, 0, 0), /*fixedBase=*/true, false) {
    const btVector3 center(kCenter, 0, 0);
    for (int i = 0; i < tree.size(); ++i) {
      const int parent = tree.parent[static_cast<std::size_t>(i)];
      btVector3 axis(0, 0, 0);
      axis[Tree::axis(i)] = 1;
      // From the parent's mass centre (the base has none) to the joint, and from there to ours.
      const btVector3 to_joint(parent < 0 ? 0 : kLength - kCenter, 0, 0);
      body_.setupRevolute(i, kMass, btVector3(kInertia[0], kInertia[1], kInertia[2]), parent,
                          btQuaternion::getIdentity(), axis, to_joint, center);
    }
    body_.setBaseWorldTransform(btTransform::getIdentity());
    body_.setLinearDamping(0);
    body_.setAngularDamping(0);
    body_.setUseGyroTerm(true);
    body_.finalizeMultiDof();
  }

  void evaluate() override {
    for (int i = 0; i < tree_.size(); ++i) {
      body_.setJointPos(i, tree_.angle[static_cast<std::size_t>(i)]);
      body_.setJointVel(i, tree_.speed[static_cast<std::size_t>(i)]);
    }
    body_.clearForcesAndTorques();
    for (int i = 0; i < tree_.size(); ++i)
      body_.addLinkForce(i, btVector3(0, 0, -kGravity * kMass));
    // The step is for its springs and dampers, of which there are none.
    body_.computeAccelerationsArticulatedBodyAlgorithmMultiDof(
        1e-3, r_, v_, m_, /*isConstraintPass=*/false,
        /*jointFeedbackInWorldSpace=*/false, /*jointFeedbackInJointFrame=*/false);
  }

  // They come after the joints' torques and the base's six.
  std::vector<double> joint_accelerations() override {
    std::vector<double> result;
    for (int i = 0; i < tree_.size(); ++i) result.push_back(r_[body_.getNumDofs() + 6 + i]);
    return result;
  }

 private:
  Tree tree_;
  btMultiBody body_;
  btAlignedObjectArray<btScalar> r_;
  btAlignedObjectArray<btVector3> v_;
  btAlignedObjectArray<btMatrix3x3> m_;
};

}  // namespace

std::string peer_name() {
  return "Bullet " + std::to_string(btGetVersion() / 100) + "." +
         std::to_string(btGetVersion() % 100);
}

std::unique_ptr<Peer> make_peer(const Tree& tree) { return std::make_unique<Bullet>(tree); }

}  // namespace sarrus::bench
