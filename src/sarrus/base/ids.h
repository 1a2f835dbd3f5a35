#pragma once

#include <compare>

namespace sarrus {

/// An index into one list of one Model, typed so that a body's number is never taken for a joint's.
template <class Tag>
struct Id {
  int index = -1;
  bool valid() const { return index >= 0; }
  auto operator<=>(const Id&) const = default;
};

using BodyId = Id<struct BodyTag>;
using JointId = Id<struct JointTag>;

/// Ground is a body: the first one of every model.
inline constexpr BodyId kGround{0};

}  // namespace sarrus
