#pragma once

#include <algorithm>
#include <string>
#include <vector>

/// Elements of a model's lists by their names, for those who change the lists.
namespace sarrus::element_lists {

inline std::size_t slot(int index) { return static_cast<std::size_t>(index); }

template <class Elements>
int position_of(const Elements& elements, const std::string& name) {
  const auto found = std::ranges::find(elements, name, [](const auto& e) { return e.name; });
  return found == elements.end() ? -1 : static_cast<int>(found - elements.begin());
}

template <class Elements>
std::vector<std::string> names_in(const Elements& elements) {
  std::vector<std::string> names;
  for (const auto& element : elements) names.push_back(element.name);
  return names;
}

}  // namespace sarrus::element_lists
