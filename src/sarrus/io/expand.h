#pragma once

#include <string>

#include "sarrus/model/description.h"

namespace sarrus {

/// The description as a model file without parameters, expressions or repeats: what
/// `sarrus expand` prints.
///
/// Numbers are written with as many digits as tell them apart, so that parse_description() of the
/// result gives the same description to the bit; forces come first, then drives. Left out is what
/// has its default value.
std::string expand(const Description& description);

}  // namespace sarrus
