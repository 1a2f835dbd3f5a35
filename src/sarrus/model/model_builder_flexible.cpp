// Flexible bodies, and what sits at their nodes.

#include <fmt/format.h>

#include <cmath>

#include "sarrus/model/model_builder.h"

namespace sarrus {

void ModelBuilder::make_flexible(const BodyDescription& description, Body& body) {
  const FlexibleDescription& flexible = *description.flexible;
  const SourceLocation& where = description.source.at("flexible");
  body.first_mode = model_.mode_count();
  if (const std::string defect = modal_defect(body.inertia, flexible.data); !defect.empty()) {
    const std::size_t end = defect.find('\n');
    error(where, fmt::format("body '{}': {}", description.name, defect.substr(0, end)),
          end == std::string::npos ? "" : defect.substr(end + 1));
    return;
  }
  std::unordered_set<std::string> names;
  for (const ModalNode& node : flexible.data.nodes)
    if (!names.insert(node.name).second)
      error(where, fmt::format("body '{}' has two nodes named '{}'", description.name, node.name),
            "names must differ");
  const auto modes = static_cast<std::size_t>(flexible.data.count());
  const auto start = [&](const std::vector<double>& values, const char* key) {
    std::vector<double> all = values;
    if (!values.empty() && values.size() != modes)
      error(description.source.at(key),
            fmt::format("body '{}': {} has {} entries", description.name, key, values.size()),
            fmt::format("the body has {} modes: {}", modes, fmt::join(flexible.data.modes, ", ")));
    for (const double value : values)
      if (!std::isfinite(value)) {
        error(description.source.at(key),
              fmt::format("body '{}': {} is not finite", description.name, key));
        break;
      }
    all.resize(modes, 0.0);
    return all;
  };
  const std::vector<double> eta = start(flexible.deformation, "deformation");
  const std::vector<double> rate = start(flexible.deformation_rate, "deformation_rate");
  model_.modes_.insert(model_.modes_.end(), eta.begin(), eta.end());
  model_.mode_rates_.insert(model_.mode_rates_.end(), rate.begin(), rate.end());
  ModalData data = flexible.data;
  for (ModalNode& node : data.nodes) node.X_BN.q.normalize();
  body.modal = std::make_shared<const ModalBody>(body.inertia, std::move(data));
}

Attachment ModelBuilder::attachment(int index, const std::string& node, const Transform& X_BP,
                                    const std::string& element, const SourceLocation& where) {
  if (index < 0) return nullptr;
  const Body& body = model_.bodies_[static_cast<std::size_t>(index)];
  if (node.empty()) return nullptr;
  if (body.modal == nullptr) {
    // A flexible one with mistakes has been told of.
    const auto described = static_cast<std::size_t>(index) - 1;
    const bool is_broken = index > 0 && !appends_ && described < description_.bodies.size() &&
                           description_.bodies[described].flexible != nullptr;
    if (!is_broken)
      error(where,
            fmt::format("{} names the node '{}' of '{}', which is rigid", element, node, body.name),
            "only flexible bodies have nodes; leave the node out");
    return nullptr;
  }
  const int found = body.modal->find_node(node);
  if (found < 0) {
    std::vector<std::string> names;
    for (const ModalNode& known : body.modal->nodes()) names.push_back(known.name);
    error(where, fmt::format("{}: body '{}' has no node '{}'", element, body.name, node),
          suggestion(node, names, "nodes"));
    return nullptr;
  }
  if (appends_) {
    error(where,
          fmt::format("{} cannot be attached to the flexible body '{}' while it moves", element,
                      body.name),
          "describe it in the model, at the undeformed body");
    return nullptr;
  }
  const Transform& X_BN = body.modal->nodes()[static_cast<std::size_t>(found)].X_BN;
  return std::make_shared<const NodeAttachment>(
      NodeAttachment{body.modal, found, body.first_mode, X_BN.inverse() * X_BP});
}

Vec3 ModelBuilder::point_in_body(int index, const std::string& node, bool at_node,
                                 const Vec3& in_world) const {
  const Body& body = model_.bodies_[static_cast<std::size_t>(index)];
  if (!at_node) return body.X_WB.inverse() * in_world;
  const int found = body.modal == nullptr ? -1 : body.modal->find_node(node);
  return found < 0 ? Vec3::Zero().eval()
                   : body.modal->nodes()[static_cast<std::size_t>(found)].X_BN.p;
}

}  // namespace sarrus
