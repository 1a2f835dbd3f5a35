#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sarrus::branches {

/// Lists of constants, equal ones once: bodies of the same make read the same memory, and caches are
/// small.
template <class List>
class ConstantPool {
 public:
  const auto* keep(List list) {
    const auto bytes_of = [](const List& of) {
      return std::string_view(reinterpret_cast<const char*>(of.data()), of.size() * sizeof(of[0]));
    };
    const std::size_t hash = std::hash<std::string_view>{}(bytes_of(list));
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (bytes_of(lists_[it->second]) == bytes_of(list))
        return std::as_const(lists_[it->second]).data();
    by_hash_.emplace(hash, lists_.size());
    lists_.push_back(std::move(list));
    return std::as_const(lists_.back()).data();
  }

 private:
  std::vector<List> lists_;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;
};

}  // namespace sarrus::branches
