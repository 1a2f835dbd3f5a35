#pragma once

#include <compare>
#include <cstddef>

namespace sarrus {

/// An int as an index into a vector.
constexpr std::size_t to_index(int i) { return static_cast<std::size_t>(i); }

/// An index into one list of one Model, typed so that a body's number is never taken for a joint's.
template <class Tag>
struct Id {
  int index = -1;
  bool valid() const { return index >= 0; }
  std::size_t slot() const { return static_cast<std::size_t>(index); }  ///< for vectors
  auto operator<=>(const Id&) const = default;
};

using BodyId = Id<struct BodyTag>;
using JointId = Id<struct JointTag>;

/// Ground is a body: the first one of every model.
inline constexpr BodyId kGround{0};

}  // namespace sarrus
