#include <fmt/format.h>

#include "sarrus/io/write_elements.h"

namespace sarrus::io {
namespace {

constexpr const char* kInside = "\n      ";  // of a key inside a body's map

std::string matrix_text(const MatX& matrix) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const VecX row = matrix.row(i);
    text += (i == 0 ? "" : ", ") + yaml_list({row.data(), static_cast<std::size_t>(row.size())});
  }
  return text + "]";
}

std::string matrices_text(const Mat3* first, std::size_t count) {
  std::string text = "[";
  for (std::size_t k = 0; k < count; ++k) text += (k == 0 ? "" : ", ") + matrix_text(first[k]);
  return text + "]";
}

std::string node_text(const ModalNode& node) {
  std::string text =
      fmt::format("{{name: {}, position: {}", yaml_text(node.name), yaml_vector(node.X_BN.p));
  const Quat& q = node.X_BN.q;
  if (!is_identity(q))
    text +=
        fmt::format(", orientation: {{quaternion: [{}, {}, {}, {}]}}", q.w(), q.x(), q.y(), q.z());
  if (!node.shift.isZero(0)) text += ", shift: " + matrix_text(node.shift);
  if (!node.turn.isZero(0)) text += ", turn: " + matrix_text(node.turn);
  return text + "}";
}

}  // namespace

void write_flexible(YamlWriter& out, const FlexibleDescription* flexible) {
  static constexpr std::array<const char*, 6> kProducts = {"xx", "yy", "zz", "xy", "yz", "zx"};
  if (flexible == nullptr) return;
  const ModalData& data = flexible->data;
  const auto n = static_cast<std::size_t>(data.count());
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{}{}: {}", kInside, key, value);
  };
  std::string names;
  for (const std::string& mode : data.modes)
    names += (names.empty() ? "[" : ", ") + yaml_text(mode);
  add("modes", names + "]");
  add("translation", matrix_text(data.S));
  add("moments", matrices_text(data.X.data(), n));
  std::string products;
  for (std::size_t k = 0; k < n; ++k)
    products += (products.empty() ? "[" : ", ") + matrices_text(data.Y.data() + k * n, n);
  add("products", products + "]");
  if (!data.rotary_coupling.isZero(0)) add("rotary_coupling", matrix_text(data.rotary_coupling));
  if (!data.rotary_mass.isZero(0)) add("rotary_mass", matrix_text(data.rotary_mass));
  add("stiffness", matrix_text(data.stiffness));
  if (!data.damping.isZero(0)) add("damping", matrix_text(data.damping));
  std::string stiffening;
  for (std::size_t i = 0; i < kProducts.size(); ++i)
    if (data.stiffening[i].size() > 0)
      stiffening += fmt::format("{}{}: {}", stiffening.empty() ? "{" : ", ", kProducts[i],
                                matrix_text(data.stiffening[i]));
  if (!stiffening.empty()) add("stiffening", stiffening + "}");
  if (!data.nodes.empty()) {
    text += fmt::format("{}nodes:", kInside);
    for (const ModalNode& node : data.nodes)
      text += fmt::format("{}  - {}", kInside, node_text(node));
  }
  out.raw("flexible", text);
  if (!flexible->deformation.empty()) out.numbers("deformation", flexible->deformation);
  if (!flexible->deformation_rate.empty())
    out.numbers("deformation_rate", flexible->deformation_rate);
}

}  // namespace sarrus::io
