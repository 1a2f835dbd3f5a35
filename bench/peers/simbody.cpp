#include <Simbody.h>

#include "bench/peers/peer.h"

namespace sarrus::bench {
namespace {

class Simbody final : public Peer {
 public:
  explicit Simbody(const Tree& tree)
      : matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, SimTK::UnitVec3(0, 0, -1), kGravity) {
    using namespace SimTK;
    const Vec3 center(kCenter, 0, 0);
    const Inertia central(kInertia[0], kInertia[1], kInertia[2]);
    const Body::Rigid link(
        MassProperties(kMass, center, central.shiftFromMassCenter(center, kMass)));
    // Pins turn about z.
    const Rotation turns[] = {Rotation(Pi / 2, YAxis), Rotation(-Pi / 2, XAxis), Rotation()};
    for (int i = 0; i < tree.size(); ++i) {
      const int parent = tree.parent[static_cast<std::size_t>(i)];
      const Rotation& turn = turns[Tree::axis(i)];
      const Vec3 offset(parent < 0 ? 0 : kLength, 0, 0);
      MobilizedBody& on = matter_.updMobilizedBody(MobilizedBodyIndex(parent + 1));
      MobilizedBody::Pin(on, Transform(turn, offset), link, Transform(turn, Vec3(0)));
    }
    system_.realizeTopology();
    state_ = system_.getDefaultState();
    system_.realizeModel(state_);
    for (int i = 0; i < tree.size(); ++i) {
      const MobilizedBody& body = matter_.getMobilizedBody(MobilizedBodyIndex(i + 1));
      body.setOneQ(state_, 0, tree.angle[static_cast<std::size_t>(i)]);
      body.setOneU(state_, 0, tree.speed[static_cast<std::size_t>(i)]);
      indices_.push_back(body.getFirstUIndex(state_));
    }
  }

  void evaluate() override {
    state_.updQ();  // whatever was computed is out of date
    state_.updU();
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  std::vector<double> joint_accelerations() override {
    std::vector<double> result;
    for (const int index : indices_) result.push_back(state_.getUDot()[index]);
    return result;
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  SimTK::State state_;
  std::vector<int> indices_;
};

}  // namespace

std::string peer_name() {
  int major = 0;
  int minor = 0;
  int build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return "Simbody " + std::to_string(major) + "." + std::to_string(minor);
}

std::unique_ptr<Peer> make_peer(const Tree& tree) { return std::make_unique<Simbody>(tree); }

}  // namespace sarrus::bench
