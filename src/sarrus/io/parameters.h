#pragma once

#include "sarrus/io/model_file.h"
#include "sarrus/io/read_context.h"

namespace sarrus::io {

/// Defines the parameters (`node`: the map, or null where there is none) in the context's scope, in
/// their order, overridden ones with their new values, and writes them down in `file`.
void read_parameters(ReadContext& context, const YamlNode* node, const Overrides& overrides,
                     ModelFile& file);

}  // namespace sarrus::io
