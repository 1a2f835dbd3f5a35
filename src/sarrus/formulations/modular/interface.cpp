#include "sarrus/formulations/modular/interface.h"

#include <cmath>
#include <map>
#include <numeric>

#include "sarrus/formulations/modular/flexible_box.h"

namespace sarrus::modular {

Interface::Interface(const Model& model, std::vector<Box> all)
    : boxes(std::move(all)),
      box_of(model.bodies().size(), -1),
      place_of(model.bodies().size(), 0),
      degree(boxes.size(), 0) {
  std::map<std::pair<int, int>, int> nodes;  // by body and node
  for (Box& box : boxes) {
    if (box.is_body || model.mode_count() == 0) continue;
    const std::vector<int> bodies = box.bodies;
    for (const int body : bodies)
      for (const NodeAttachment* attachment : node_ports(model, BodyId{body})) {
        box.bodies.push_back(static_cast<int>(box_of.size()));
        nodes[{body, attachment->node}] = box.bodies.back();
        box_of.push_back(-1);
        place_of.push_back(0);
      }
  }
  const auto port = [&](BodyId body, const Attachment& attachment) {
    return attachment == nullptr ? body.index : nodes.at({body.index, attachment->node});
  };
  for (std::size_t k = 0; k < boxes.size(); ++k)
    for (std::size_t i = 0; i < boxes[k].bodies.size(); ++i) {
      box_of[static_cast<std::size_t>(boxes[k].bodies[i])] = static_cast<int>(k);
      place_of[static_cast<std::size_t>(boxes[k].bodies[i])] = static_cast<int>(i);
    }
  // Trees of boxes that hang together; ground is the first.
  std::vector<int> parent(boxes.size() + 1);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int k) {
    while (parent[static_cast<std::size_t>(k)] != k) k = parent[static_cast<std::size_t>(k)];
    return k;
  };
  std::vector<int> motions(model.joints().size(), 0);
  for (const PrescribedMotion& motion : model.motions()) ++motions[motion.at.joint.slot()];
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const int rows = joint.constraint_count() + motions[j];
    if (rows == 0 || is_inside(joint)) continue;
    links.push_back({static_cast<int>(j), port(joint.a, joint.attachment_a),
                     port(joint.b, joint.attachment_b), rows});
    const int one = root(box_of[joint.a.slot()] + 1), other = root(box_of[joint.b.slot()] + 1);
    if (one == other) is_open = false;
    parent[static_cast<std::size_t>(one)] = other;
    for (const BodyId body : {joint.a, joint.b})
      if (body != kGround) ++degree[static_cast<std::size_t>(box_of[body.slot()])];
  }
}

void BlockFactor::compute(const Mat6& A, const Vec6& diagonal, double least) {
  for (int j = 0; j < 6; ++j) {
    double d = A(j, j);
    for (int k = 0; k < j; ++k) d -= L(j, k) * L(j, k);
    const bool kept = d > least * diagonal[j];
    const double root = kept ? std::sqrt(d) : 0.0;
    L(j, j) = root;
    inverse[j] = kept ? 1 / root : 0.0;
    for (int i = j + 1; i < 6; ++i) {
      double sum = A(i, j);
      for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      L(i, j) = sum * inverse[j];
    }
  }
}

void BlockFactor::forward(Vec6& x) const {
  for (int j = 0; j < 6; ++j) {
    x[j] *= inverse[j];
    for (int i = j + 1; i < 6; ++i) x[i] -= L(i, j) * x[j];
  }
}

void BlockFactor::backward(Vec6& x) const {
  for (int j = 5; j >= 0; --j) {
    double sum = x[j];
    for (int i = j + 1; i < 6; ++i) sum -= L(i, j) * x[i];
    x[j] = sum * inverse[j];
  }
}

// L⁻ᵀ L⁻¹, with L⁻¹ column by column.
void BlockFactor::invert(Mat6& X) const {
  Mat6 M = Mat6::Zero();
  for (int c = 0; c < 6; ++c) {
    M(c, c) = inverse[c];
    for (int i = c + 1; i < 6; ++i) {
      double sum = 0;
      for (int k = c; k < i; ++k) sum -= L(i, k) * M(k, c);
      M(i, c) = sum * inverse[i];
    }
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = i; k < 6; ++k) sum += M(k, i) * M(k, j);
      X(i, j) = X(j, i) = sum;
    }
}

void BlockFactor::right(Mat6& X) const {
  for (int j = 0; j < 6; ++j) {
    X.col(j) *= inverse[j];
    for (int i = j + 1; i < 6; ++i) X.col(i) -= L(i, j) * X.col(j);
  }
}

}  // namespace sarrus::modular
