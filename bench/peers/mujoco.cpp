#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "bench/peers/peer.h"

namespace sarrus::bench {
namespace {

std::string model_file(const Tree& tree) {
  std::vector<std::vector<int>> children(tree.parent.size() + 1);
  for (int i = 0; i < tree.size(); ++i)
    children[static_cast<std::size_t>(tree.parent[static_cast<std::size_t>(i)] + 1)].push_back(i);
  std::string xml =
      "<mujoco><compiler angle=\"radian\"/><option gravity=\"0 0 -9.81\">"
      "<flag constraint=\"disable\"/></option><size nuserdata=\"0\"/><worldbody>";
  const std::function<void(int)> write = [&](int i) {
    const char* axes[] = {"1 0 0", "0 1 0", "0 0 1"};
    char text[512];
    std::snprintf(text, sizeof text,
                  "<body name=\"l%d\" pos=\"%g 0 0\"><inertial pos=\"%g 0 0\" mass=\"%g\" "
                  "diaginertia=\"%g %g %g\"/><joint type=\"hinge\" axis=\"%s\"/>",
                  i, tree.parent[static_cast<std::size_t>(i)] < 0 ? 0 : kLength, kCenter, kMass,
                  kInertia[0], kInertia[1], kInertia[2], axes[Tree::axis(i)]);
    xml += text;
    for (const int child : children[static_cast<std::size_t>(i) + 1]) write(child);
    xml += "</body>";
  };
  for (const int root : children[0]) write(root);
  return xml + "</worldbody></mujoco>";
}

class Mujoco final : public Peer {
 public:
  explicit Mujoco(const Tree& tree) {
    const std::string xml = model_file(tree);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[files->nfile - 1], xml.data(), xml.size());
    char error[1000] = "";
    model_.reset(mj_loadXML("model.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(error);
    data_.reset(mj_makeData(model_.get()));
    for (int i = 0; i < tree.size(); ++i) {
      // MuJoCo counts bodies depth first.
      const std::string name = "l" + std::to_string(i);
      const int joint = model_->body_jntadr[mj_name2id(model_.get(), mjOBJ_BODY, name.c_str())];
      joints_.push_back(joint);
      data_->qpos[joint] = tree.angle[static_cast<std::size_t>(i)];
      data_->qvel[joint] = tree.speed[static_cast<std::size_t>(i)];
    }
  }

  void evaluate() override { mj_forward(model_.get(), data_.get()); }

  std::vector<double> joint_accelerations() override {
    std::vector<double> result;
    for (const int joint : joints_) result.push_back(data_->qacc[joint]);
    return result;
  }

 private:
  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  std::vector<int> joints_;
};

}  // namespace

std::string peer_name() { return std::string("MuJoCo ") + mj_versionString(); }

std::unique_ptr<Peer> make_peer(const Tree& tree) { return std::make_unique<Mujoco>(tree); }

}  // namespace sarrus::bench
