#include "sarrus/elimination/tree_dissection.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <queue>
#include <tuple>

namespace sarrus {
namespace {

std::size_t place_of(int index) { return static_cast<std::size_t>(index); }

/// A connected graph of parts in two halves, made better by moving one part after the other.
class Halves {
 public:
  explicit Halves(const PartGraph& graph)
      : graph_(graph),
        bodies_(graph.parts.size()),
        edges_(graph.bodies.size()),
        outside_(graph.bodies.size()),
        delta_(graph.bodies.size(), 0) {
    for (std::size_t b = 0; b < graph.bodies.size(); ++b) {
      bodies_[place_of(graph.bodies[b].part)].push_back(static_cast<int>(b));
      outside_[b] = graph.bodies[b].open;
    }
    for (const PartGraph::Edge& edge : graph.edges) {
      edges_[place_of(edge.a)].push_back(edge.b);
      edges_[place_of(edge.b)].push_back(edge.a);
      --outside_[place_of(edge.a)];
      --outside_[place_of(edge.b)];
    }
    for (const PartGraph::Part& part : graph.parts) weight_ += part.bodies;
  }

  /// The best of a few tries: which half each part is in.
  std::vector<char> split() {
    std::vector<char> best;
    std::tuple<bool, int> least;
    const auto attempt = [&](const std::vector<int>& order) {
      sweep(order);
      while (improve()) {
      }
      connect();
      const std::tuple here(!balanced(first_weight_), cut_);
      if (!best.empty() && here >= least) return;
      best = side_;
      least = here;
    };
    const std::vector<int> from_any = breadth_first(0);
    const std::vector<int> from_end = breadth_first(from_any.back());
    attempt(from_end);
    attempt(breadth_first(from_end.back()));
    // Across: from a part in the middle of those, and from what is farthest from it.
    const std::vector<int> across = breadth_first(from_end[from_end.size() / 2]);
    attempt(breadth_first(across.back()));
    return best;
  }

 private:
  int part_of(int body) const { return graph_.bodies[place_of(body)].part; }
  char& side(int part) { return side_[place_of(part)]; }

  template <class Function>
  void for_links(int part, const Function& function) const {
    for (const int body : bodies_[place_of(part)])
      for (const int other : edges_[place_of(body)]) function(body, other);
  }

  std::vector<int> breadth_first(int start) const {
    std::vector<int> order = {start};
    std::vector<char> seen(graph_.parts.size(), 0);
    seen[place_of(start)] = 1;
    for (std::size_t i = 0; i < order.size(); ++i)
      for_links(order[i], [&](int, int other) {
        if (seen[place_of(part_of(other))]) return;
        seen[place_of(part_of(other))] = 1;
        order.push_back(part_of(other));
      });
    return order;
  }

  /// Whether a body is at the cut with so many of its joints across; those that show anyway do not
  /// count.
  bool counts(int body, int across) const { return across > 0 && outside_[place_of(body)] == 0; }

  /// How many bodies more are at the cut when the part changes sides.
  int price(int part) {
    int price = 0;
    for_links(part, [&](int body, int other) {
      const int change = side(part_of(other)) == side(part) ? 1 : -1;
      delta_[place_of(body)] += change;
      delta_[place_of(other)] += change;
    });
    const auto settle = [&](int body) {
      const int across = across_[place_of(body)];
      price += static_cast<int>(counts(body, across + delta_[place_of(body)])) -
               static_cast<int>(counts(body, across));
      delta_[place_of(body)] = 0;
    };
    for_links(part, [&](int body, int other) {
      settle(body);
      settle(other);
    });
    return price;
  }

  void move(int part) {
    cut_ += price(part);
    for_links(part, [&](int body, int other) {
      const int change = side(part_of(other)) == side(part) ? 1 : -1;
      across_[place_of(body)] += change;
      across_[place_of(other)] += change;
    });
    first_weight_ += (side(part) == 0 ? -1 : 1) * graph_.parts[place_of(part)].bodies;
    side(part) = static_cast<char>(1 - side(part));
  }

  /// Neither half has less than a third.
  bool balanced(int first_weight) const {
    return 3 * first_weight >= weight_ && 3 * (weight_ - first_weight) >= weight_;
  }

  int imbalance() const { return std::abs(2 * first_weight_ - weight_); }

  /// The first parts of that order against the others: as many as give the smallest cut.
  void sweep(const std::vector<int>& order) {
    side_.assign(graph_.parts.size(), 1);
    across_.assign(graph_.bodies.size(), 0);
    cut_ = first_weight_ = 0;
    std::size_t best = 0;
    std::tuple<bool, int, int> least;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      move(order[i]);
      const std::tuple here(!balanced(first_weight_), cut_, imbalance());
      if (i > 0 && here >= least) continue;
      best = i;
      least = here;
    }
    for (std::size_t i = order.size() - 1; i-- > best + 1;) move(order[i]);
  }

  /// Moves parts, each once, the cheapest first, also where that makes the cut larger for a while,
  /// and takes back what came after the best (Fiduccia and Mattheyses 1982). Whether that helped.
  bool improve() {
    constexpr std::size_t kPatience = 100;
    using Offer = std::tuple<int, int>;  // price, part
    std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
    for (std::size_t b = 0; b < across_.size(); ++b)
      if (across_[b] > 0) {
        const int part = part_of(static_cast<int>(b));
        offers.emplace(price(part), part);
      }
    std::vector<char> moved(graph_.parts.size(), 0);
    std::vector<int> moves;
    std::size_t kept = 0;
    const std::tuple start(cut_, imbalance());
    std::tuple least = start;
    while (!offers.empty() && moves.size() < kept + kPatience) {
      const auto [offered, part] = offers.top();
      offers.pop();
      if (moved[place_of(part)]) continue;
      if (const int now = price(part); now > offered) {
        offers.emplace(now, part);
        continue;
      }
      const int size = graph_.parts[place_of(part)].bodies;
      if (!balanced(first_weight_ + (side(part) == 0 ? -size : size))) continue;
      move(part);
      moved[place_of(part)] = 1;
      moves.push_back(part);
      if (const std::tuple here(cut_, imbalance()); here < least) {
        least = here;
        kept = moves.size();
      }
      for_links(part, [&](int, int other) {
        if (!moved[place_of(part_of(other))]) offers.emplace(price(part_of(other)), part_of(other));
      });
    }
    while (moves.size() > kept) {
      move(moves.back());
      moves.pop_back();
    }
    return std::get<0>(least) < std::get<0>(start);
  }

  /// Parts that do not hang together with most of their half go to the other one, on which they
  /// must hang.
  void connect() {
    for (const char half : {0, 1}) {
      std::vector<int> piece_of(graph_.parts.size(), -1);
      std::vector<int> pieces;  // how many parts each has
      for (std::size_t start = 0; start < graph_.parts.size(); ++start) {
        if (side_[start] != half || piece_of[start] >= 0) continue;
        const int piece = static_cast<int>(pieces.size());
        std::vector<int> reached = {static_cast<int>(start)};
        piece_of[start] = piece;
        for (std::size_t i = 0; i < reached.size(); ++i)
          for_links(reached[i], [&](int, int other) {
            const int part = part_of(other);
            if (side(part) != half || piece_of[place_of(part)] >= 0) return;
            piece_of[place_of(part)] = piece;
            reached.push_back(part);
          });
        pieces.push_back(static_cast<int>(reached.size()));
      }
      const auto largest = std::max_element(pieces.begin(), pieces.end()) - pieces.begin();
      for (std::size_t p = 0; p < graph_.parts.size(); ++p)
        if (piece_of[p] >= 0 && piece_of[p] != largest) move(static_cast<int>(p));
    }
  }

  const PartGraph& graph_;
  std::vector<std::vector<int>> bodies_;  // per part
  std::vector<std::vector<int>> edges_;   // per body: the other ends
  std::vector<int> outside_;              // per body: joints that leave the graph
  std::vector<int> delta_;                // per body; scratch, zeros
  std::vector<char> side_;
  std::vector<int> across_;  // per body: joints to the other half
  int weight_ = 0, first_weight_ = 0, cut_ = 0;
};

struct Joined {
  JoinList joins;
  double cost = 0;
};

/// One half, as a graph of its own.
struct HalfGraph {
  PartGraph graph;
  std::vector<int> parts;  ///< in the whole
};

HalfGraph take_half(const PartGraph& whole, const std::vector<char>& side, char half) {
  HalfGraph result;
  std::vector<int> part_in(whole.parts.size(), -1), body_in(whole.bodies.size(), -1);
  for (std::size_t p = 0; p < whole.parts.size(); ++p) {
    if (side[p] != half) continue;
    part_in[p] = static_cast<int>(result.parts.size());
    result.parts.push_back(static_cast<int>(p));
    result.graph.parts.push_back(whole.parts[p]);
  }
  for (std::size_t b = 0; b < whole.bodies.size(); ++b) {
    PartGraph::Body body = whole.bodies[b];
    body.part = part_in[place_of(body.part)];
    if (body.part < 0) continue;
    body_in[b] = static_cast<int>(result.graph.bodies.size());
    result.graph.bodies.push_back(body);
  }
  for (PartGraph::Edge edge : whole.edges) {
    edge.a = body_in[place_of(edge.a)];
    edge.b = body_in[place_of(edge.b)];
    if (edge.a >= 0 && edge.b >= 0) result.graph.edges.push_back(edge);
  }
  return result;
}

/// What is to be paid for the last join, that of the halves.
double last_join_cost(const PartGraph& graph, const std::vector<char>& side) {
  std::vector<int> open(graph.bodies.size());
  int rows = 0, boundary = 0;
  for (std::size_t b = 0; b < open.size(); ++b) open[b] = graph.bodies[b].open;
  for (const PartGraph::Edge& edge : graph.edges) {
    const auto half = [&](int body) { return side[place_of(graph.bodies[place_of(body)].part)]; };
    if (half(edge.a) != half(edge.b)) {
      rows += edge.rows;
    } else {
      --open[place_of(edge.a)];
      --open[place_of(edge.b)];
    }
  }
  for (const int joints : open) boundary += joints > 0 ? 1 : 0;
  return join_cost(boundary, rows);
}

Joined dissect(const PartGraph& graph) {
  Joined result;
  if (graph.parts.size() == 1) return result;
  result.joins = join_in_rounds(graph);
  for (const AssemblyTree::Node& node : nodes_of_joins(graph, result.joins))
    result.cost += node.cost;
  constexpr std::size_t kWorthIt = 8;
  if (graph.parts.size() < kWorthIt) return result;

  const std::vector<char> side = Halves(graph).split();
  const auto first = static_cast<std::size_t>(std::count(side.begin(), side.end(), 0));
  const std::size_t smaller = std::min(first, graph.parts.size() - first);
  if (kWorthIt * smaller < graph.parts.size()) return result;  // it does not fall in two
  Joined halved;
  halved.cost = last_join_cost(graph, side);
  const int parts = static_cast<int>(graph.parts.size());
  std::vector<int> tops;
  for (const char half : {0, 1}) {
    const HalfGraph piece = take_half(graph, side, half);
    const Joined joined = dissect(piece.graph);
    halved.cost += joined.cost;
    const int inside = static_cast<int>(piece.parts.size());
    const int shift = parts + static_cast<int>(halved.joins.size()) - inside;
    const auto number = [&](int n) { return n < inside ? piece.parts[place_of(n)] : n + shift; };
    for (const auto& [one, other] : joined.joins)
      halved.joins.emplace_back(number(one), number(other));
    tops.push_back(number(2 * inside - 2));
  }
  halved.joins.emplace_back(tops[0], tops[1]);
  return halved.cost < result.cost ? halved : result;
}

}  // namespace

JoinList join_by_dissection(const PartGraph& graph) { return dissect(graph).joins; }

}  // namespace sarrus
