#include "sarrus/elimination/tree_joins.h"

#include <algorithm>
#include <tuple>

namespace sarrus {
namespace {

std::size_t slot_in(int index) { return static_cast<std::size_t>(index); }

/// A piece that is not yet in another one.
struct Piece {
  int height = 1;
  int bodies = 1;
  int boundary = 0;    ///< bodies
  int neighbours = 0;  ///< pieces; in this round
  int into = -1;       ///< the piece it became part of
};

/// Two pieces with joints between them.
struct PiecePair {
  int first, second;
  int begin, end;  ///< their joints, in the round's list
  int boundary;    ///< of both together
  int height;      ///< of the taller one
  std::tuple<int, int, int, int, int> rank;
};

class RoundJoiner {
 public:
  explicit RoundJoiner(const PartGraph& graph) : graph_(graph), counts_(graph.bodies.size(), 0) {
    for (const PartGraph::Part& part : graph.parts)
      pieces_.push_back({.height = part.height, .bodies = part.bodies});
    for (const PartGraph::Body& body : graph.bodies) {
      piece_of_.push_back(body.part);
      open_.push_back(body.open);
      if (body.open > 0) ++piece(body.part).boundary;
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      links_.push_back({static_cast<int>(e), 0, 0});
  }

  JoinList join() {
    const std::size_t needed = graph_.parts.size() - 1;
    for (int height = 1; joins_.size() < needed; ++height) {
      find_pairs();
      play_round(height, static_cast<int>(needed + 1 - joins_.size()));
    }
    return std::move(joins_);
  }

 private:
  struct Link {
    int edge;
    int first, second;  ///< pieces
  };

  Piece& piece(int index) { return pieces_[slot_in(index)]; }

  /// The piece that a body is in, now.
  int find(int body) {
    int& found = piece_of_[slot_in(body)];
    while (piece(found).into >= 0) {
      // Halve the way for those who come after.
      const int next = piece(found).into;
      if (piece(next).into >= 0) piece(found).into = piece(next).into;
      found = next;
    }
    return found;
  }

  void find_pairs() {
    for (Link& link : links_) {
      const PartGraph::Edge& edge = graph_.edges[slot_in(link.edge)];
      std::tie(link.first, link.second) = std::minmax({find(edge.a), find(edge.b)});
    }
    std::erase_if(links_, [](const Link& link) { return link.first == link.second; });
    std::sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) {
      return std::tie(a.first, a.second, a.edge) < std::tie(b.first, b.second, b.edge);
    });
    for (const Link& link : links_)
      piece(link.first).neighbours = piece(link.second).neighbours = 0;
    pairs_.clear();
    for (std::size_t begin = 0, end = 0; begin < links_.size(); begin = end) {
      const int first = links_[begin].first, second = links_[begin].second;
      while (end < links_.size() && links_[end].first == first && links_[end].second == second)
        ++end;
      ++piece(first).neighbours;
      ++piece(second).neighbours;
      PiecePair pair = {.first = first,
                        .second = second,
                        .begin = static_cast<int>(begin),
                        .end = static_cast<int>(end),
                        .boundary = piece(first).boundary + piece(second).boundary,
                        .height = std::max(piece(first).height, piece(second).height),
                        .rank = {}};
      pair.boundary -= closed_bodies(pair);
      pair.rank = {pair.boundary, piece(first).height + piece(second).height,
                   piece(first).bodies + piece(second).bodies, first, second};
      pairs_.push_back(pair);
    }
  }

  /// Bodies all of whose open joints are between the two.
  int closed_bodies(const PiecePair& pair) {
    int closed = 0;
    for_ends(pair, [&](int body) {
      if (++counts_[slot_in(body)] == open_[slot_in(body)]) ++closed;
    });
    for_ends(pair, [&](int body) { counts_[slot_in(body)] = 0; });
    return closed;
  }

  template <class Function>
  void for_ends(const PiecePair& pair, const Function& function) const {
    for (int l = pair.begin; l < pair.end; ++l) {
      const PartGraph::Edge& edge = graph_.edges[slot_in(links_[slot_in(l)].edge)];
      function(edge.a);
      function(edge.b);
    }
  }

  /// Tall pieces wait until the others have caught up. Pairs with the least boundary come first,
  /// others with at most twice as much when there are few of these.
  void play_round(int height, int pieces) {
    int least = pairs_.front().boundary;
    for (const PiecePair& pair : pairs_) least = std::min(least, pair.boundary);
    least = std::max(least, 2);
    std::erase_if(pairs_, [&](const PiecePair& pair) { return pair.boundary > 2 * least; });
    int lowest = pairs_.front().height;
    for (const PiecePair& pair : pairs_) lowest = std::min(lowest, pair.height);
    std::erase_if(pairs_,
                  [&](const PiecePair& pair) { return pair.height > std::max(height, lowest); });
    std::sort(pairs_.begin(), pairs_.end(),
              [](const PiecePair& a, const PiecePair& b) { return a.rank < b.rank; });
    const auto before = joins_.size();
    int boundary = least;
    for (const PiecePair& pair : pairs_) {
      if (pair.boundary > boundary) {
        constexpr int kEnough = 8;
        if (kEnough * static_cast<int>(joins_.size() - before) >= pieces) break;
        boundary = pair.boundary;
      }
      try_join(pair);
    }
  }

  void try_join(const PiecePair& pair) {
    const bool first_is_free = piece(pair.first).into < 0;
    const bool second_is_free = piece(pair.second).into < 0;
    if (first_is_free && second_is_free) {
      join_pair(pair, pair.first, pair.second);
      return;
    }
    // A piece with many others that hang on nothing else takes them all at once, one after the
    // other: none makes its boundary larger.
    constexpr int kMany = 8;
    const auto hangs_on = [&](int hanging, int hub) {
      return piece(hanging).neighbours == 1 && piece(hub).neighbours >= kMany;
    };
    if (second_is_free && hangs_on(pair.second, pair.first))
      join_pair(pair, last_into(pair.first), pair.second);
    else if (first_is_free && hangs_on(pair.first, pair.second))
      join_pair(pair, pair.first, last_into(pair.second));
  }

  int last_into(int index) {
    int last = index;
    while (piece(last).into >= 0) last = piece(last).into;
    piece(index).into = last;
    return last;
  }

  void join_pair(const PiecePair& pair, int first, int second) {
    int boundary = piece(first).boundary + piece(second).boundary;
    for_ends(pair, [&](int body) {
      if (--open_[slot_in(body)] == 0) --boundary;
    });
    const int made = static_cast<int>(pieces_.size());
    pieces_.push_back({.height = 1 + std::max(piece(first).height, piece(second).height),
                       .bodies = piece(first).bodies + piece(second).bodies,
                       .boundary = boundary});
    piece(first).into = piece(second).into = made;
    joins_.emplace_back(first, second);
  }

  const PartGraph& graph_;
  std::vector<Piece> pieces_;
  std::vector<int> piece_of_, open_;  // per body
  std::vector<int> counts_;           // per body; scratch, zeros
  std::vector<Link> links_;           // joints that are open
  std::vector<PiecePair> pairs_;      // of this round
  JoinList joins_;
};

/// Carries joins out. Every piece has a list of its open joints; of two lists the shorter one is
/// looked through for joints between the pieces.
class JoinPlayer {
 public:
  explicit JoinPlayer(const PartGraph& graph) : graph_(graph), states_(graph.parts.size()) {
    for (std::size_t p = 0; p < graph.parts.size(); ++p) {
      states_[p].height = graph.parts[p].height;
      states_[p].edges.reserve(4);
      states_[p].boundary.reserve(2);
    }
    for (std::size_t b = 0; b < graph.bodies.size(); ++b) {
      const PartGraph::Body& body = graph.bodies[b];
      if (body.open > 0) state(body.part).boundary.push_back(static_cast<int>(b));
      open_.push_back(body.open);
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      for (const int body : {graph.edges[e].a, graph.edges[e].b})
        state(graph.bodies[slot_in(body)].part).edges.push_back(static_cast<int>(e));
  }

  std::vector<AssemblyTree::Node> play(const JoinList& joins) {
    std::vector<AssemblyTree::Node> nodes;
    nodes.reserve(joins.size());
    states_.reserve(states_.size() + joins.size());
    for (const auto& [first, second] : joins) nodes.push_back(join(first, second));
    return nodes;
  }

 private:
  struct State {
    int into = -1;
    int height = 1;
    std::vector<int> edges, boundary;
  };

  State& state(int piece) { return states_[slot_in(piece)]; }

  int find(int body) {
    int piece = graph_.bodies[slot_in(body)].part;
    while (state(piece).into >= 0) {
      const int next = state(piece).into;
      if (state(next).into >= 0) state(piece).into = state(next).into;
      piece = next;
    }
    return piece;
  }

  AssemblyTree::Node join(int first, int second) {
    AssemblyTree::Node node;
    node.first = first;
    node.second = second;
    node.height = 1 + std::max(state(first).height, state(second).height);
    State made;
    made.height = node.height;
    const int rows = close_joints(node, made);
    const auto shown = state(first).boundary.size() + state(second).boundary.size();
    made.boundary.reserve(shown);
    node.boundary.reserve(shown);
    node.cost = join_cost(static_cast<int>(shown), rows);
    for (const int half : {first, second}) {
      for (const int body : state(half).boundary) {
        if (open_[slot_in(body)] == 0) continue;
        made.boundary.push_back(body);
        node.boundary.push_back(graph_.bodies[slot_in(body)].id);
      }
      state(half) = {.into = static_cast<int>(states_.size()), .edges = {}, .boundary = {}};
    }
    states_.push_back(std::move(made));
    return node;
  }

  /// The number of their rows.
  int close_joints(AssemblyTree::Node& node, State& made) {
    std::vector<int>* fewer = &state(node.first).edges;
    std::vector<int>* more = &state(node.second).edges;
    if (fewer->size() > more->size()) std::swap(fewer, more);
    int rows = 0;
    for (const int e : *fewer) {
      const PartGraph::Edge& edge = graph_.edges[slot_in(e)];
      const int a = find(edge.a), b = find(edge.b);
      if (a == b) continue;  // closed further down
      if (std::minmax({a, b}) != std::minmax({node.first, node.second})) {
        more->push_back(e);
        continue;
      }
      node.joints.push_back(edge.joint);
      --open_[slot_in(edge.a)];
      --open_[slot_in(edge.b)];
      rows += edge.rows;
    }
    std::sort(node.joints.begin(), node.joints.end());
    made.edges = std::move(*more);
    return rows;
  }

  const PartGraph& graph_;
  std::vector<State> states_;  // per piece
  std::vector<int> open_;      // per body: joints
};

}  // namespace

JoinList join_in_rounds(const PartGraph& graph) { return RoundJoiner(graph).join(); }

double join_cost(int boundary, int rows) {
  const double w = 6.0 * boundary, r = rows;
  return 300 + 0.4 * (w * w * r + w * r * r + r * r * r / 3);
}

std::vector<AssemblyTree::Node> nodes_of_joins(const PartGraph& graph, const JoinList& joins) {
  return JoinPlayer(graph).play(joins);
}

}  // namespace sarrus
