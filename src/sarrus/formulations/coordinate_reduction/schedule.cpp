#include "sarrus/formulations/coordinate_reduction/schedule.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace sarrus::coordinate_reduction {
namespace {

/// Bodies that carry loops, and who is joined to whom; slots of the tree, ground left out.
struct Graph {
  struct Edge {
    int to;
    int closure;  ///< −1: a joint of the tree
  };
  std::vector<char> carries;
  std::vector<int> parent;  ///< −1: ground
  std::vector<int> chain;   ///< that ends with it; −1: none
  std::vector<std::vector<Edge>> edges;
  std::vector<std::vector<int>> grounded;  ///< per slot: closures to ground
};

Graph graph_of(const tree::Tree& tree, const std::vector<JointId>& closures) {
  const Model& model = tree.model();
  const std::size_t count = tree.bodies().size();
  Graph graph;
  graph.carries = carriers_of(tree, closures);
  graph.chain.assign(count, -1);
  for (const tree::TreeBody& body : tree.bodies()) graph.parent.push_back(body.parent);
  graph.edges.resize(count);
  for (auto& edges : graph.edges) edges.reserve(3);
  graph.grounded.resize(count);
  for (std::size_t c = 0; c < closures.size(); ++c) {
    const Joint& joint = model.joint(closures[c]);
    const int a = joint.a == kGround ? -1 : tree.slot_of(joint.a);
    const int b = joint.b == kGround ? -1 : tree.slot_of(joint.b);
    const int closure = static_cast<int>(c);
    for (const auto& [here, there] : {std::pair{a, b}, std::pair{b, a}}) {
      if (here < 0) continue;
      if (there >= 0)
        graph.edges[to_index(here)].push_back({there, closure});
      else
        graph.grounded[to_index(here)].push_back(closure);
    }
  }
  for (std::size_t i = count; i-- > 0;) {
    const int parent = tree.bodies()[i].parent;
    if (!graph.carries[i] || parent < 0) continue;
    graph.edges[i].push_back({parent, -1});
    graph.edges[to_index(parent)].push_back({static_cast<int>(i), -1});
  }
  return graph;
}

/// A chain is worth it where its joints have more unknowns than its end has directions.
constexpr int kDirections = 6;

/// Makes one node of every long chain, its last body. Inner bodies have two joints, both of the tree.
void contract_chains(const std::vector<int>& unknowns, Graph& graph,
                     std::vector<std::vector<int>>& chains) {
  const auto is_inner = [&](int body) {
    if (!graph.carries[to_index(body)] || !graph.grounded[to_index(body)].empty()) return false;
    int joints = graph.parent[to_index(body)] < 0 ? 1 : 0;
    for (const Graph::Edge& edge : graph.edges[to_index(body)]) {
      if (edge.closure >= 0) return false;
      ++joints;
    }
    return joints == 2;
  };
  const auto child_of = [&](int body) {
    for (const Graph::Edge& edge : graph.edges[to_index(body)])
      if (edge.to != graph.parent[to_index(body)]) return edge.to;
    return -1;
  };
  const int count = static_cast<int>(graph.carries.size());
  for (int first = 0; first < count; ++first) {
    const int base = graph.parent[to_index(first)];
    if (!is_inner(first) || (base >= 0 && is_inner(base))) continue;
    std::vector<int> chain = {first};
    int sum = unknowns[to_index(first)];
    while (is_inner(chain.back())) {
      chain.push_back(child_of(chain.back()));
      sum += unknowns[to_index(chain.back())];
    }
    if (sum <= kDirections) continue;
    const int last = chain.back(), before = chain[chain.size() - 2];
    auto& edges = graph.edges[to_index(last)];
    const auto to_chain = std::find_if(edges.begin(), edges.end(), [&](const Graph::Edge& edge) {
      return edge.to == before && edge.closure < 0;
    });
    if (base >= 0) {
      to_chain->to = base;
      for (Graph::Edge& edge : graph.edges[to_index(base)])
        if (edge.to == first && edge.closure < 0) edge.to = last;
    } else {
      edges.erase(to_chain);
    }
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      graph.carries[to_index(chain[i])] = 0;
      graph.edges[to_index(chain[i])].clear();
    }
    graph.parent[to_index(last)] = base;
    graph.chain[to_index(last)] = static_cast<int>(chains.size());
    chains.push_back(std::move(chain));
  }
}

/// What decides who comes next.
enum class Next {
  kNarrowest,  ///< the number of open bodies alone, then the newest neighbour
  kNearest,    ///< together with the distance from the first: broad fronts stay together
};

/// Grows one front body by body.
class Grower {
 public:
  explicit Grower(const Graph& graph)
      : graph_(graph),
        open_(graph.edges.size(), 0),
        time_(graph.edges.size(), -1),
        distance_(graph.edges.size(), -1) {}

  /// All bodies that hang together with one of them.
  std::vector<int> part_of(int member) { return reached_from(member); }

  /// Those that hang on ground may begin: the nearest to an end of the part.
  int first_of(const std::vector<int>& part) {
    reached_from(part.back());
    int first = -1;
    for (const int body : part) {
      if (graph_.parent[to_index(body)] >= 0) continue;
      const auto key = [this](int b) { return std::pair(distance_[to_index(b)], b); };
      if (first < 0 || key(body) < key(first)) first = body;
    }
    return first;
  }

  std::vector<int> order_of(const std::vector<int>& part, int first, Next next) {
    next_ = next;
    reached_from(first);
    for (const int body : part) {
      open_[to_index(body)] = static_cast<int>(graph_.edges[to_index(body)].size());
      time_[to_index(body)] = -1;
    }
    std::vector<int> order = {first};
    time_[to_index(first)] = 0;
    queue_ = {};
    for (const int body : part)
      if (may_come(body)) push(body);
    take(first);
    while (order.size() < part.size()) {
      const Entry entry = queue_.top();
      queue_.pop();
      const int body = std::get<3>(entry);
      if (time_[to_index(body)] >= 0 || entry != entry_of(body)) continue;
      time_[to_index(body)] = static_cast<int>(order.size());
      order.push_back(body);
      take(body);
    }
    return order;
  }

 private:
  /// By breadth first: distances go to distance_, the farthest comes last.
  const std::vector<int>& reached_from(int body) {
    for (const int other : reached_) distance_[to_index(other)] = -1;
    reached_.assign(1, body);
    distance_[to_index(body)] = 0;
    for (std::size_t i = 0; i < reached_.size(); ++i)
      for (const Graph::Edge& edge : graph_.edges[to_index(reached_[i])])
        if (distance_[to_index(edge.to)] < 0) {
          distance_[to_index(edge.to)] = distance_[to_index(reached_[i])] + 1;
          reached_.push_back(edge.to);
        }
    return reached_;
  }

  /// Growth of the boundary, far from it, age of the newest neighbour, body: least first.
  using Entry = std::tuple<int, bool, int, int>;

  Entry entry_of(int body) const {
    int growth = 0, outside = 0, newest = -1;
    for (const Graph::Edge& edge : graph_.edges[to_index(body)]) {
      if (time_[to_index(edge.to)] < 0) {
        ++outside;
        continue;
      }
      newest = std::max(newest, time_[to_index(edge.to)]);
      if (open_[to_index(edge.to)] == 1) --growth;
    }
    if (outside > 0) ++growth;
    if (next_ == Next::kNearest) growth += distance_[to_index(body)];
    return {growth, newest < 0, -newest, body};
  }
  void push(int body) { queue_.push(entry_of(body)); }
  bool may_come(int body) const {
    const int parent = graph_.parent[to_index(body)];
    return time_[to_index(body)] < 0 && (parent < 0 || time_[to_index(parent)] >= 0);
  }

  void take(int body) {
    for (const Graph::Edge& edge : graph_.edges[to_index(body)]) {
      --open_[to_index(edge.to)];
      if (may_come(edge.to)) push(edge.to);
    }
    // Neighbours of bodies that have one open joint left have become cheaper.
    const auto look = [&](int at) {
      if (time_[to_index(at)] < 0 || open_[to_index(at)] != 1) return;
      for (const Graph::Edge& edge : graph_.edges[to_index(at)])
        if (may_come(edge.to)) push(edge.to);
    };
    look(body);
    for (const Graph::Edge& edge : graph_.edges[to_index(body)]) look(edge.to);
  }

  const Graph& graph_;
  std::vector<int> open_;  ///< joints to bodies that are not in yet
  std::vector<int> time_;
  std::vector<int> distance_, reached_;
  Next next_ = Next::kNarrowest;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// The operations of a front from the order of its bodies.
class Writer {
 public:
  Writer(const tree::Tree& tree, const Graph& graph, const std::vector<JointId>& closures,
         const std::vector<int>& unknowns, const Schedule& schedule)
      : tree_(tree),
        graph_(graph),
        closures_(closures),
        unknowns_(unknowns),
        gathers_(schedule.gathers),
        place_(graph.edges.size(), -1),
        open_(graph.edges.size(), 0),
        in_(graph.edges.size(), 0) {
    for (const std::vector<int>& chain : schedule.chains)
      chain_bodies_.push_back(static_cast<int>(chain.size()));
  }

  Schedule::Front write(const std::vector<int>& order) {
    front_ = {};
    free_.clear();
    live_.clear();
    for (const int body : order) {
      open_[to_index(body)] = static_cast<int>(graph_.edges[to_index(body)].size());
      in_[to_index(body)] = 0;
    }
    for (const int body : order) add(body);
    for (auto op = front_.operations.rbegin(); op != front_.operations.rend(); ++op)
      if (op->kind == Operation::kClose) {
        op->last = true;
        break;
      }
    return std::move(front_);
  }

 private:
  void add(int body) {
    const int parent = graph_.parent[to_index(body)];
    place_[to_index(body)] = take_place();
    in_[to_index(body)] = 1;
    live_.push_back(body);
    Operation extend;
    extend.chain = graph_.chain[to_index(body)];
    extend.kind = extend.chain < 0 ? Operation::kExtend : Operation::kChain;
    extend.body = body;
    extend.place = place_[to_index(body)];
    extend.place_a = parent < 0 ? -1 : place_[to_index(parent)];
    extend.asked = extend.chain < 0 && gathers_[to_index(body)] != 0;
    front_.operations.push_back(extend);
    front_.bodies += extend.chain < 0 ? 1 : chain_bodies_[to_index(extend.chain)];
    front_.asked += extend.asked || extend.chain >= 0 ? 1 : 0;
    front_.unknowns += extend.chain < 0 ? unknowns_[to_index(body)] : kDirections;

    std::vector<int> closing = graph_.grounded[to_index(body)];
    for (const Graph::Edge& edge : graph_.edges[to_index(body)]) {
      if (!in_[to_index(edge.to)]) continue;
      --open_[to_index(body)];
      --open_[to_index(edge.to)];
      if (edge.closure >= 0) closing.push_back(edge.closure);
    }
    std::sort(closing.begin(), closing.end());
    for (std::size_t i = 0; i < closing.size(); ++i) {
      Operation close;
      close.kind = Operation::kClose;
      close.closure = closing[i];
      const auto [a, b] = ends_of(closing[i]);
      close.place_a = a < 0 ? -1 : place_[to_index(a)];
      close.place_b = b < 0 ? -1 : place_[to_index(b)];
      list_staying(close, closing, i + 1);
      front_.operations.push_back(close);
      ++front_.closings;
    }
    // Those that nobody needs any more leave.
    const auto leaves = [&](int other) { return open_[to_index(other)] == 0; };
    if (std::none_of(live_.begin(), live_.end(), leaves)) return;
    for (const int other : live_)
      if (leaves(other)) free_.push_back(place_[to_index(other)]);
    live_.erase(std::remove_if(live_.begin(), live_.end(), leaves), live_.end());
    Operation reduce;
    reduce.kind = Operation::kReduce;
    list_staying(reduce, closing, closing.size());
    front_.operations.push_back(reduce);
  }

  std::pair<int, int> ends_of(int closure) const {
    const Joint& joint = tree_.model().joint(closures_[to_index(closure)]);
    return {joint.a == kGround ? -1 : tree_.slot_of(joint.a),
            joint.b == kGround ? -1 : tree_.slot_of(joint.b)};
  }

  /// Bodies with open joints, and those that the closings from `next` on need.
  void list_staying(Operation& operation, const std::vector<int>& closing, std::size_t next) {
    operation.first_staying = static_cast<int>(front_.staying.size());
    for (const int body : live_) {
      bool stays = open_[to_index(body)] > 0;
      for (std::size_t i = next; i < closing.size() && !stays; ++i) {
        const auto [a, b] = ends_of(closing[i]);
        stays = a == body || b == body;
      }
      if (!stays) continue;
      front_.staying.push_back(place_[to_index(body)]);
      front_.staying_bodies.push_back(body);
    }
    operation.staying = static_cast<int>(front_.staying.size()) - operation.first_staying;
    front_.most_staying = std::max(front_.most_staying, operation.staying);
    front_.cost += (1.0 + operation.staying) * (1.0 + operation.staying);
  }

  int take_place() {
    if (free_.empty()) return front_.places++;
    const int place = free_.back();
    free_.pop_back();
    return place;
  }

  const tree::Tree& tree_;
  const Graph& graph_;
  const std::vector<JointId>& closures_;
  const std::vector<int>& unknowns_;
  const std::vector<std::int8_t>& gathers_;
  std::vector<int> place_, open_;
  std::vector<char> in_;
  std::vector<int> live_, free_;
  std::vector<int> chain_bodies_;
  Schedule::Front front_;
};

}  // namespace

std::vector<char> carriers_of(const tree::Tree& tree, const std::vector<JointId>& closures) {
  std::vector<char> carries(tree.bodies().size(), 0);
  for (const JointId id : closures)
    for (const BodyId body : {tree.model().joint(id).a, tree.model().joint(id).b})
      if (body != kGround) carries[to_index(tree.slot_of(body))] = 1;
  for (std::size_t i = carries.size(); i-- > 0;)
    if (const int parent = tree.bodies()[i].parent; carries[i] && parent >= 0)
      carries[to_index(parent)] = 1;
  return carries;
}

bool has_chains(const tree::Tree& tree, const std::vector<JointId>& closures,
                const std::vector<int>& unknowns) {
  Graph graph = graph_of(tree, closures);
  std::vector<std::vector<int>> chains;
  contract_chains(unknowns, graph, chains);
  return !chains.empty();
}

Schedule make_schedule(const tree::Tree& tree, const std::vector<JointId>& closures,
                       const std::vector<int>& unknowns, bool with_chains) {
  Graph graph = graph_of(tree, closures);
  const std::size_t count = tree.bodies().size();
  Schedule schedule;
  schedule.gathers.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    if (graph.carries[i]) schedule.order.push_back(static_cast<int>(i));
  schedule.in_loops = static_cast<int>(schedule.order.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (graph.carries[i]) continue;
    schedule.order.push_back(static_cast<int>(i));
    if (const int parent = tree.bodies()[i].parent; parent >= 0)
      schedule.gathers[to_index(parent)] = graph.carries[to_index(parent)];
  }
  if (with_chains) contract_chains(unknowns, graph, schedule.chains);
  Grower grower(graph);
  Writer writer(tree, graph, closures, unknowns, schedule);
  std::vector<char> done(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (!graph.carries[i] || done[i]) continue;
    const std::vector<int> part = grower.part_of(static_cast<int>(i));
    for (const int body : part) done[to_index(body)] = 1;
    const int first = grower.first_of(part);
    Schedule::Front narrowest = writer.write(grower.order_of(part, first, Next::kNarrowest));
    Schedule::Front nearest = writer.write(grower.order_of(part, first, Next::kNearest));
    schedule.fronts.push_back(std::move(nearest.cost < narrowest.cost ? nearest : narrowest));
  }
  return schedule;
}

}  // namespace sarrus::coordinate_reduction
