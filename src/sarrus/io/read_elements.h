#pragma once

#include "sarrus/io/read_context.h"

namespace sarrus::io {

/// One reader for each kind of element. Each takes the element's map and gives back the element,
/// complete or with mistakes reported.
BodyDescription read_body(ReadContext& context, const YamlNode& node);
JointDescription read_joint(ReadContext& context, const YamlNode& node);
ForceDescription read_force(ReadContext& context, const YamlNode& node);
ForceDescription read_drive(ReadContext& context, const YamlNode& node);
TimelineEntry read_timeline_entry(ReadContext& context, const YamlNode& node);
SubsystemDescription read_subsystem(ReadContext& context, const YamlNode& node);
SimulationDescription read_simulation(ReadContext& context, const YamlNode& node);

/// Parts of elements.
/// The name of a node, or nothing for `~`.
std::string read_node_name(ReadContext& context, const YamlNode& node);
Mat3 read_inertia_tensor(ReadContext& context, const YamlNode& node);
Shape read_shape(ReadContext& context, const YamlNode& node);
TimeFunction read_function(ReadContext& context, const YamlNode& node, std::string_view key);

/// Inertia about the mass centre of a uniform body of shape `node` (`solid:`), in body axes.
/// `length`: what a rod measures when it does not say itself.
Mat3 read_solid(ReadContext& context, const YamlNode& node, double mass,
                std::optional<double> length);

class Fields;

/// `flexible`, `deformation` and `deformation_rate` of a body; nothing where it is rigid. `length`:
/// from `from` to `to`, where those place the body.
void read_flexible(const Fields& fields, std::optional<double> length, BodyDescription& body);

}  // namespace sarrus::io
