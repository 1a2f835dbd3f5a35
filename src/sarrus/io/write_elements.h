#pragma once

#include "sarrus/io/yaml_writer.h"

namespace sarrus::io {

/// One writer for each kind of element: what its reader reads back to the bit.
void write_body(YamlWriter& out, const BodyDescription& body);
void write_joint(YamlWriter& out, const JointDescription& joint);
void write_force(YamlWriter& out, const ForceDescription& force);
void write_subsystem(YamlWriter& out, const SubsystemDescription& subsystem);
bool is_drive(const ForceDescription& force);

/// The section `timeline:`; nothing where there are no entries.
void write_timeline(YamlWriter& out, const std::vector<TimelineEntry>& timeline);

/// `flexible` of a body, its integrals written out, and its deformation; nothing where it is rigid.
void write_flexible(YamlWriter& out, const FlexibleDescription* flexible);

}  // namespace sarrus::io
