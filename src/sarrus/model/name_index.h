#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace sarrus {

/// Finds the elements of a list by their names, which stay in the elements: a table of positions,
/// at most half full, in which a taken place leads to the next one.
///
/// `elements` is the same list in every call: anything with elements[i].name.
class NameIndex {
 public:
  void reserve(std::size_t count) {
    std::size_t size = 16;
    while (size < 2 * count) size *= 2;
    if (size > places_.size()) rebuild(size);
  }

  /// Position of the element of that name, or −1.
  template <class Elements>
  int find(std::string_view name, const Elements& elements) const {
    if (places_.empty()) return -1;
    return places_[place_of(name, hash_of(name), elements)].position;
  }

  /// Adds the element at `position`, whose name is `name`; false when there is one already.
  template <class Elements>
  bool insert(std::string_view name, int position, const Elements& elements) {
    reserve(count_ + 1);
    const std::uint32_t hash = hash_of(name);
    Place& place = places_[place_of(name, hash, elements)];
    if (place.position >= 0) return false;
    place = {hash, position};
    ++count_;
    return true;
  }

 private:
  struct Place {
    std::uint32_t hash = 0;
    std::int32_t position = -1;  ///< −1: free
  };

  static std::uint32_t hash_of(std::string_view name) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(name));
  }

  template <class Elements>
  std::size_t place_of(std::string_view name, std::uint32_t hash, const Elements& elements) const {
    const std::size_t mask = places_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      const Place& place = places_[i];
      if (place.position < 0) return i;
      if (place.hash == hash && elements[static_cast<std::size_t>(place.position)].name == name)
        return i;
    }
  }

  void rebuild(std::size_t size) {
    std::vector<Place> old(size);
    old.swap(places_);
    for (const Place& place : old) {
      if (place.position < 0) continue;
      std::size_t i = place.hash & (size - 1);
      while (places_[i].position >= 0) i = (i + 1) & (size - 1);
      places_[i] = place;
    }
  }

  std::vector<Place> places_;
  std::size_t count_ = 0;
};

}  // namespace sarrus
