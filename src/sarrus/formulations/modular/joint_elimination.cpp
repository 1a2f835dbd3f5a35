#include "sarrus/formulations/modular/joint_elimination.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>

namespace sarrus::modular {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

JointElimination::JointElimination(const Interface& interface) {
  const auto& links = interface.links;
  struct Port {
    int link;
    int body;
    bool at_b;
  };
  std::vector<std::vector<Port>> ports(interface.boxes.size());
  for (std::size_t l = 0; l < links.size(); ++l)
    for (const bool at_b : {false, true}) {
      const int body = at_b ? links[l].b : links[l].a;
      const int box = interface.box_of[at(body)];
      if (box >= 0) ports[at(box)].push_back({static_cast<int>(l), body, at_b});
    }
  std::vector<std::vector<int>> neighbours(links.size());
  for (const auto& box : ports)
    for (const Port& one : box)
      for (const Port& other : box)
        if (one.link != other.link) neighbours[at(one.link)].push_back(other.link);
  for (auto& list : neighbours) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  order(neighbours);

  for (const auto& box : ports)
    for (const Port& one : box)
      for (const Port& other : box) {
        const int i = column_of(one.link), j = column_of(other.link);
        if (i <= j) continue;
        const auto begin = row_.begin() + first_[at(j)], end = row_.begin() + first_[at(j) + 1];
        const int block = static_cast<int>(std::lower_bound(begin, end, i) - row_.begin());
        meetings_.push_back({block, one.link, other.link, one.at_b, other.at_b});
      }
}

// Least degree first; of equals the first. Fills in the blocks that the elimination makes.
void JointElimination::order(const std::vector<std::vector<int>>& neighbours) {
  const std::size_t count = neighbours.size();
  std::vector<std::vector<int>> left = neighbours;
  // Who has got another degree since is in the queue once more.
  using Offer = std::pair<std::size_t, int>;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> queue;
  for (std::size_t l = 0; l < count; ++l) queue.emplace(left[l].size(), static_cast<int>(l));
  column_of_.assign(count, -1);
  std::vector<std::vector<int>> rows(count);
  std::vector<int> merged;
  while (!queue.empty()) {
    const auto [degree, link] = queue.top();
    queue.pop();
    if (column_of_[at(link)] >= 0 || degree != left[at(link)].size()) continue;
    const int column = static_cast<int>(link_of_.size());
    column_of_[at(link)] = column;
    link_of_.push_back(link);
    rows[at(column)] = std::move(left[at(link)]);
    for (const int other : rows[at(column)]) {
      std::vector<int>& of_other = left[at(other)];
      const std::size_t before = of_other.size();
      merged.clear();
      std::ranges::set_union(of_other, rows[at(column)], std::back_inserter(merged));
      std::erase_if(merged, [&](int l) { return l == link || l == other; });
      of_other.swap(merged);
      if (of_other.size() != before) queue.emplace(of_other.size(), other);
    }
  }
  for (auto& list : rows) {
    for (int& row : list) row = column_of_[at(row)];
    std::ranges::sort(list);
    first_.push_back(static_cast<int>(row_.size()));
    row_.insert(row_.end(), list.begin(), list.end());
  }
  first_.push_back(static_cast<int>(row_.size()));
  for (std::size_t j = 0; j < count; ++j) {
    first_target_.push_back(static_cast<int>(target_.size()));
    for (int x = first_[j]; x < first_[j + 1]; ++x)
      for (int y = first_[j]; y <= x; ++y) {
        const int i = row_[at(x)], k = row_[at(y)];
        if (i == k) {
          target_.push_back(-1 - i);
          continue;
        }
        const auto begin = row_.begin() + first_[at(k)], end = row_.begin() + first_[at(k) + 1];
        target_.push_back(static_cast<int>(std::lower_bound(begin, end, i) - row_.begin()));
      }
  }
}

JointElimination::Numbers JointElimination::make_numbers() const {
  Numbers numbers;
  numbers.diagonal.resize(at(columns()));
  numbers.lower.resize(at(blocks()));
  numbers.factors.resize(at(columns()));
  return numbers;
}

void JointElimination::factor(Numbers& numbers, double least) const {
  // The diagonal as it was is what a pivot is measured against.
  for (std::size_t j = 0; j < numbers.factors.size(); ++j)
    numbers.factors[j].inverse = numbers.diagonal[j].diagonal();
  for (std::size_t j = 0; j < numbers.factors.size(); ++j) {
    BlockFactor& factor = numbers.factors[j];
    const Vec6 diagonal = factor.inverse;
    factor.compute(numbers.diagonal[j], diagonal, least);
    const int first = first_[j], end = first_[j + 1];
    for (int x = first; x < end; ++x) factor.right(numbers.lower[at(x)]);
    const int* target = target_.data() + first_target_[j];
    for (int x = first; x < end; ++x)
      for (int y = first; y <= x; ++y, ++target) {
        Mat6& block = *target < 0 ? numbers.diagonal[at(-1 - *target)] : numbers.lower[at(*target)];
        block.noalias() -= numbers.lower[at(x)] * numbers.lower[at(y)].transpose();
      }
  }
}

void JointElimination::solve(const Numbers& numbers, std::vector<Vec6>& x) const {
  for (std::size_t j = 0; j < link_of_.size(); ++j) {
    Vec6& own = x[at(link_of_[j])];
    numbers.factors[j].forward(own);
    for (int k = first_[j]; k < first_[j + 1]; ++k)
      x[at(link_of_[at(row_[at(k)])])].noalias() -= numbers.lower[at(k)] * own;
  }
  for (std::size_t j = link_of_.size(); j-- > 0;) {
    Vec6& own = x[at(link_of_[j])];
    for (int k = first_[j]; k < first_[j + 1]; ++k)
      own.noalias() -= numbers.lower[at(k)].transpose() * x[at(link_of_[at(row_[at(k)])])];
    numbers.factors[j].backward(own);
  }
}

}  // namespace sarrus::modular
