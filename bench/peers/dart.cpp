#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "bench/peers/peer.h"

namespace sarrus::bench {
namespace {

class Dart final : public Peer {
 public:
  explicit Dart(const Tree& tree) : skeleton_(dart::dynamics::Skeleton::create()) {
    using namespace dart::dynamics;
    skeleton_->setGravity({0, 0, -kGravity});
    for (int i = 0; i < tree.size(); ++i) {
      const int parent = tree.parent[static_cast<std::size_t>(i)];
      RevoluteJoint::Properties joint;
      joint.mName = "J" + std::to_string(i);
      joint.mAxis = Eigen::Vector3d::Unit(Tree::axis(i));
      joint.mT_ParentBodyToJoint.translation().x() = parent < 0 ? 0 : kLength;
      BodyNode::Properties body;
      body.mName = "link" + std::to_string(i);
      BodyNode* on = parent < 0 ? nullptr : links_[static_cast<std::size_t>(parent)];
      BodyNode* link = skeleton_->createJointAndBodyNodePair<RevoluteJoint>(on, joint, body).second;
      link->setInertia(
          Inertia(kMass, {kCenter, 0, 0},
                  Eigen::Vector3d(kInertia[0], kInertia[1], kInertia[2]).asDiagonal()));
      links_.push_back(link);
    }
    const auto count = static_cast<Eigen::Index>(links_.size());
    positions_.resize(count);
    velocities_.resize(count);
    for (int i = 0; i < tree.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(index(i));
      positions_[at] = tree.angle[static_cast<std::size_t>(i)];
      velocities_[at] = tree.speed[static_cast<std::size_t>(i)];
    }
  }

  void evaluate() override {
    skeleton_->setPositions(positions_);
    skeleton_->setVelocities(velocities_);
    skeleton_->computeForwardDynamics();
  }

  std::vector<double> joint_accelerations() override {
    std::vector<double> result;
    for (int i = 0; i < static_cast<int>(links_.size()); ++i)
      result.push_back(skeleton_->getAcceleration(index(i)));
    return result;
  }

 private:
  std::size_t index(int link) const {
    return links_[static_cast<std::size_t>(link)]->getParentJoint()->getIndexInSkeleton(0);
  }

  dart::dynamics::SkeletonPtr skeleton_;
  std::vector<dart::dynamics::BodyNode*> links_;
  Eigen::VectorXd positions_, velocities_;
};

}  // namespace

std::string peer_name() {
  return "DART " + std::to_string(DART_MAJOR_VERSION) + "." + std::to_string(DART_MINOR_VERSION);
}

std::unique_ptr<Peer> make_peer(const Tree& tree) { return std::make_unique<Dart>(tree); }

}  // namespace sarrus::bench
