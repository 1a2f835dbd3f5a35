#include "bench/peers/peer.h"
#include "bench/subject.h"
#include "sarrus/base/version.h"

namespace sarrus::bench {
namespace {

class Sarrus final : public Peer {
 public:
  explicit Sarrus(const Tree& tree) : subject_(tree, best_method()) {}
  void evaluate() override { subject_.evaluate(); }
  std::vector<double> joint_accelerations() override { return subject_.joint_accelerations(); }

 private:
  Subject subject_;
};

}  // namespace

std::string peer_name() { return "Sarrus " + std::string(kVersion) + " " + best_method(); }

std::unique_ptr<Peer> make_peer(const Tree& tree) { return std::make_unique<Sarrus>(tree); }

}  // namespace sarrus::bench
