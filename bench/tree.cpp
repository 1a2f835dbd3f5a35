#include "bench/tree.h"

#include <numbers>
#include <random>
#include <stdexcept>

namespace sarrus::bench {

Tree make_tree(const std::string& shape, int links) {
  if (shape != "chain" && shape != "tree")
    throw std::invalid_argument("there is no shape '" + shape + "': chain or tree");
  Tree tree;
  tree.shape = shape;
  std::mt19937 engine(1);
  const auto chance = [&engine](double most) {
    return most * (2 * (engine() + 0.5) / 4294967296.0 - 1);
  };
  for (int i = 0; i < links; ++i) {
    tree.parent.push_back(i == 0 ? -1 : shape == "chain" ? i - 1 : (i - 1) / 2);
    tree.angle.push_back(chance(std::numbers::pi));
    tree.speed.push_back(chance(1));
  }
  return tree;
}

}  // namespace sarrus::bench
