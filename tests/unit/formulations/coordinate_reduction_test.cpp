// coordinate-reduction: the order in which bodies and closures come into fronts, its settings, which
// coordinates it takes as independent, and that it leaves the heap alone. Agreement is tested elsewhere.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "sarrus/analysis/assembly.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/constraint_system.h"
#include "sarrus/formulations/coordinate_reduction/fronts.h"
#include "sarrus/formulations/coordinate_reduction/schedule.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/load_model.h"
#include "sarrus/testing/random.h"
#include "sarrus/testing/random_mechanism.h"
#include "unit/formulations/allocations.h"

namespace sarrus {
namespace {

using coordinate_reduction::make_schedule;
using coordinate_reduction::Operation;
using coordinate_reduction::Schedule;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A schedule held against the graph that it is made from, by plain bookkeeping.
class ScheduleCheck {
 public:
  explicit ScheduleCheck(const Model& model)
      : model_(model), topology_(analyse_topology(model)), tree_(model, topology_) {
    const ConstraintSystem rows(model);
    for (const JointId joint : topology_.cut_joints)
      if (rows.first_row(joint.index + 1) > rows.first_row(joint.index)) closures_.push_back(joint);
    std::sort(closures_.begin(), closures_.end(),
              [](JointId a, JointId b) { return a.index < b.index; });
    for (const tree::TreeBody& body : tree_.bodies()) unknowns_.push_back(body.nv);
    schedule_ = make_schedule(tree_, closures_, unknowns_);
  }

  const Schedule& schedule() const { return schedule_; }

  void check() {
    check_appendages();
    check_parts();
    std::map<int, int> closed;
    std::set<int> extended;
    for (const Schedule::Front& front : schedule_.fronts) {
      check_front(front, extended);
      for (const Operation& operation : front.operations)
        if (operation.kind == Operation::kClose) ++closed[operation.closure];
    }
    EXPECT_EQ(closed.size(), closures_.size());
    for (const auto& [closure, times] : closed) EXPECT_EQ(times, 1) << closure;
    for (int slot = 0; slot < count(); ++slot)
      EXPECT_EQ(extended.count(slot), carries(slot) ? 1u : 0u) << slot;
  }

 private:
  int count() const { return static_cast<int>(tree_.bodies().size()); }
  int parent(int slot) const { return tree_.bodies()[at(slot)].parent; }
  std::pair<int, int> ends(int closure) const {
    const Joint& joint = model_.joint(closures_[at(closure)]);
    return {joint.a == kGround ? -1 : tree_.slot_of(joint.a),
            joint.b == kGround ? -1 : tree_.slot_of(joint.b)};
  }
  /// Is there a closure at the body or at one that hangs on it?
  bool carries(int slot) const {
    for (std::size_t c = 0; c < closures_.size(); ++c)
      for (int body : {ends(static_cast<int>(c)).first, ends(static_cast<int>(c)).second})
        for (; body >= 0; body = parent(body))
          if (body == slot) return true;
    return false;
  }

  void check_appendages() {
    std::vector<int> expected;
    for (int slot = 0; slot < count(); ++slot)
      if (!carries(slot)) expected.push_back(slot);
    const std::vector<int> appendages(schedule_.order.begin() + schedule_.in_loops,
                                      schedule_.order.end());
    EXPECT_EQ(appendages, expected);  // slots have parents first
    std::vector<std::int8_t> gathers(at(count()), 0);
    for (const int slot : expected)
      if (parent(slot) >= 0 && carries(parent(slot))) gathers[at(parent(slot))] = 1;
    EXPECT_EQ(schedule_.gathers, gathers);
  }

  /// Bodies are in one front just when closures and joints of the tree lead from one to the other
  /// without passing through ground.
  void check_parts() {
    std::vector<int> part(at(count()));
    for (int i = 0; i < count(); ++i) part[at(i)] = i;
    const auto join = [&](int a, int b) {
      if (a < 0 || b < 0 || part[at(a)] == part[at(b)]) return;
      const int from = part[at(a)], to = part[at(b)];
      std::replace(part.begin(), part.end(), from, to);
    };
    for (int i = 0; i < count(); ++i)
      if (carries(i)) join(i, parent(i));
    for (std::size_t c = 0; c < closures_.size(); ++c)
      join(ends(static_cast<int>(c)).first, ends(static_cast<int>(c)).second);
    std::set<int> parts;
    for (int i = 0; i < count(); ++i)
      if (carries(i)) parts.insert(part[at(i)]);
    EXPECT_EQ(schedule_.fronts.size(), parts.size());
    for (const Schedule::Front& front : schedule_.fronts) {
      std::set<int> seen;
      for (const Operation& operation : front.operations)
        if (operation.kind == Operation::kExtend) seen.insert(part[at(operation.body)]);
      EXPECT_EQ(seen.size(), 1u);
    }
  }

  /// The bodies that an operation works on.
  std::vector<int> used_by(const Operation& operation) const {
    if (operation.kind == Operation::kExtend) return {operation.body, parent(operation.body)};
    if (operation.kind == Operation::kReduce) return {};
    const auto [a, b] = ends(operation.closure);
    return {a, b};
  }

  void check_front(const Schedule::Front& front, std::set<int>& extended) {
    const int operations = static_cast<int>(front.operations.size());
    std::map<int, int> last_use;
    int last_close = -1;
    for (int i = 0; i < operations; ++i) {
      for (const int body : used_by(front.operations[at(i)])) last_use[body] = i;
      if (front.operations[at(i)].kind == Operation::kClose) last_close = i;
    }
    std::map<int, int> stands;  // who stands at a place
    std::set<int> present;
    int unknowns = 0, asked = 0, bodies = 0, closings = 0, most_staying = 0;
    const auto expect_at = [&](int place, int body) {
      EXPECT_EQ(place < 0, body < 0);
      if (body >= 0) {
        EXPECT_TRUE(present.count(body)) << body;
        EXPECT_EQ(stands.count(place) ? stands[place] : -1, body);
      }
    };
    for (int i = 0; i < operations; ++i) {
      SCOPED_TRACE(fmt::format("operation {}", i));
      const Operation& operation = front.operations[at(i)];
      EXPECT_EQ(operation.last, i == last_close);
      if (operation.kind == Operation::kExtend) {
        EXPECT_TRUE(extended.insert(operation.body).second);
        expect_at(operation.place_a, parent(operation.body));
        EXPECT_LT(operation.place, front.places);
        if (stands.count(operation.place)) {
          EXPECT_LT(last_use[stands[operation.place]], i) << "taken away";
        }
        stands[operation.place] = operation.body;
        present.insert(operation.body);
        EXPECT_EQ(operation.asked, schedule_.gathers[at(operation.body)] != 0);
        ++bodies;
        asked += operation.asked ? 1 : 0;
        unknowns += unknowns_[at(operation.body)];
        continue;
      }
      if (operation.kind == Operation::kClose) {
        const auto [a, b] = ends(operation.closure);
        expect_at(operation.place_a, a);
        expect_at(operation.place_b, b);
        ++closings;
      }
      // Those that are needed later stay, where they stand, and nobody else.
      std::set<int> staying;
      for (int k = 0; k < operation.staying; ++k) {
        const int body = front.staying_bodies[at(operation.first_staying + k)];
        expect_at(front.staying[at(operation.first_staying + k)], body);
        EXPECT_TRUE(staying.insert(body).second);
      }
      std::set<int> needed;
      for (const int body : present)
        if (last_use[body] > i) needed.insert(body);
      EXPECT_EQ(staying, needed);
      most_staying = std::max(most_staying, operation.staying);
    }
    EXPECT_EQ(front.operations.back().kind, Operation::kReduce);
    EXPECT_EQ(front.operations.back().staying, 0);
    EXPECT_EQ(front.bodies, bodies);
    EXPECT_EQ(front.closings, closings);
    EXPECT_EQ(front.unknowns, unknowns);
    EXPECT_EQ(front.asked, asked);
    EXPECT_EQ(front.most_staying, most_staying);
  }

  const Model& model_;
  const Topology topology_;
  const tree::Tree tree_;
  std::vector<JointId> closures_;
  std::vector<int> unknowns_;
  Schedule schedule_;
};

TEST(ReductionSchedule, PutsEveryBodyAndClosureWhereItBelongs) {
  const int seeds = std::getenv("SARRUS_LONG") ? 5000 : 300;
  int with_fronts = 0, with_several = 0, with_appendages = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    testing::Random random(static_cast<std::uint32_t>(seed));
    testing::RandomMechanismOptions options;
    options.bodies = 1 + random.below(24);
    options.loops = random.chance(0.8);
    options.redundant = random.chance(0.5);
    options.floating = random.chance(0.3);
    Description description = testing::random_mechanism(static_cast<std::uint32_t>(seed), options);
    for (JointDescription& joint : description.joints)
      if (random.chance(0.2)) joint.cut = CutPreference::kPrefer;
    const Model model(description);
    ScheduleCheck check(model);
    check.check();
    with_fronts += check.schedule().fronts.empty() ? 0 : 1;
    with_several += check.schedule().fronts.size() > 1 ? 1 : 0;
    with_appendages +=
        check.schedule().in_loops == static_cast<int>(check.schedule().order.size()) ? 0 : 1;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(with_fronts, seeds / 2);
  EXPECT_GT(with_several, seeds / 20);
  EXPECT_GT(with_appendages, seeds / 4);
}

// Chains of bodies that only their neighbours hold come as one; all other bodies of loops by themselves.
/// Cells of a row that run side by side, where every closing has this rank.
int cells_side_by_side(const Model& model, int rank) {
  const Topology topology = analyse_topology(model);
  const tree::Tree tree(model, topology);
  std::vector<int> unknowns;
  for (const tree::TreeBody& body : tree.bodies()) unknowns.push_back(body.nv);
  const articulated::KernelModel kernel_model(tree, unknowns, std::vector<int>(unknowns.size(), -1),
                                              std::vector<char>(unknowns.size(), 0));
  const ConstraintSystem rows(model);
  coordinate_reduction::Fronts fronts(tree, kernel_model, rows, unknowns, false);
  for (Schedule::Front& front : fronts.fronts())
    for (Operation& operation : front.operations) operation.nominal_rank = rank;
  fronts.find_cells();
  return fronts.has_cells(0) ? fronts.cells(0).cells().count : 0;
}

TEST(ReductionCells, AreFoundWhereTheyAreEqual) {
  const auto ladder = [](const char* cells) { return load_model("ladder", {{"cells", cells}}); };
  EXPECT_EQ(cells_side_by_side(ladder("3"), 3), 0) << "too few";
  EXPECT_EQ(cells_side_by_side(ladder("4"), 3), 4);
  EXPECT_EQ(cells_side_by_side(ladder("100"), 3), 100);
  EXPECT_EQ(cells_side_by_side(ladder("100"), 2), 0) << "new coordinates do not tell the old ones";
  EXPECT_EQ(cells_side_by_side(load_model("unequal-four-bars", {{"loops", "9"}}), 2), 9);
  EXPECT_EQ(cells_side_by_side(load_model("nested-loops", {{"depth", "9"}}), 2), 0) << "no row";
}

TEST(ReductionSchedule, TakesLongChainsAtOnce) {
  const int seeds = std::getenv("SARRUS_LONG") ? 5000 : 300;
  int with_chains = 0, with_bases = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    testing::Random random(static_cast<std::uint32_t>(seed));
    testing::RandomMechanismOptions options;
    options.bodies = 8 + random.below(17);
    options.loops = true;
    options.floating = random.chance(0.3);
    const Model model(testing::random_mechanism(static_cast<std::uint32_t>(seed), options));
    const Topology topology = analyse_topology(model);
    const tree::Tree tree(model, topology);
    const std::vector<JointId> closures =
        coordinate_reduction::closing_joints(tree, ConstraintSystem(model));
    std::vector<int> unknowns;
    for (const tree::TreeBody& body : tree.bodies()) unknowns.push_back(body.nv);
    const Schedule schedule = make_schedule(tree, closures, unknowns, true);
    std::vector<int> joints(tree.bodies().size(), 0), seen(tree.bodies().size(), 0);
    const std::vector<char> carries = coordinate_reduction::carriers_of(tree, closures);
    for (int j = 0; j < model.joint_count(); ++j) {
      const int slot = tree.slot_of(JointId{j});
      const bool closes = std::find(closures.begin(), closures.end(), JointId{j}) != closures.end();
      if (!closes && (slot < 0 || !carries[at(slot)])) continue;
      for (const BodyId body : {model.joint(JointId{j}).a, model.joint(JointId{j}).b})
        if (body != kGround) ++joints[at(tree.slot_of(body))];
    }
    for (std::size_t slot = 0; slot < seen.size(); ++slot)  // floating roots hang on the world
      if (!tree.bodies()[slot].joint.valid()) ++joints[slot];
    for (const std::vector<int>& chain : schedule.chains) {
      int sum = 0;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        ++seen[at(chain[i])];
        sum += unknowns[at(chain[i])];
        if (i > 0) {
          EXPECT_EQ(tree.bodies()[at(chain[i])].parent, chain[i - 1]);
          EXPECT_EQ(joints[at(chain[i - 1])], 2);
        }
      }
      EXPECT_GT(sum, 6);
      with_bases += tree.bodies()[at(chain.front())].parent >= 0 ? 1 : 0;
    }
    for (const Schedule::Front& front : schedule.fronts)
      for (const Operation& operation : front.operations)
        if (operation.kind == Operation::kExtend) ++seen[at(operation.body)];
    for (std::size_t slot = 0; slot < seen.size(); ++slot) EXPECT_EQ(seen[slot], carries[slot]);
    with_chains += schedule.chains.empty() ? 0 : 1;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(with_chains, seeds / 5);
  EXPECT_GT(with_bases, seeds / 10);
}

TEST(ReductionSchedule, IsRightForTheScenariosWithLoops) {
  const std::pair<const char*, Overrides> cases[] = {{"four-bar", {}},
                                                     {"six-bar", {}},
                                                     {"floating-four-bar", {}},
                                                     {"ladder", {{"cells", "20"}}},
                                                     {"grid", {{"rows", "4"}, {"columns", "5"}}},
                                                     {"nested-loops", {{"depth", "12"}}},
                                                     {"parallel-robot", {{"legs", "9"}}},
                                                     {"tree", {{"depth", "3"}}}};
  for (const auto& [name, overrides] : cases) {
    SCOPED_TRACE(name);
    const Model model = load_model(name, overrides);
    ScheduleCheck(model).check();
  }
}

/// Rows of loops stay narrow, whatever their number.
TEST(ReductionSchedule, KeepsFewBodiesOpenInLongRowsOfLoops) {
  const auto most_staying = [](const char* name, const Overrides& overrides) {
    const Model model = load_model(name, overrides);
    int most = 0;
    const ScheduleCheck check(model);
    for (const Schedule::Front& front : check.schedule().fronts)
      most = std::max(most, front.most_staying);
    return most;
  };
  for (const char* cells : {"10", "100"}) {
    EXPECT_LE(most_staying("ladder", {{"cells", cells}}), 2);
    EXPECT_LE(most_staying("unequal-four-bars", {{"loops", cells}}), 2);
    EXPECT_LE(most_staying("parallel-robot", {{"legs", cells}, {"drive", "free"}}), 2);
    EXPECT_LE(most_staying("nested-loops", {{"depth", cells}}), 4);
  }
}

/// The method with settings for a scenario.
std::unique_ptr<Formulation> reduction(const Model& model,
                                       const std::vector<MethodSetting>& settings,
                                       Projection projection = Projection::kAuto) {
  const Topology topology = analyse_topology(model);
  return make_formulation(
      {.method = "coordinate-reduction", .projection = projection, .settings = settings}, model,
      topology, assemble(model, topology).configuration);
}

std::string complaint(const std::string& scenario, const std::vector<MethodSetting>& settings,
                      Projection projection = Projection::kAuto) {
  const Model model = load_model(scenario);
  try {
    reduction(model, settings, projection);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(CoordinateReduction, TellsWhichSettingsThereAre) {
  EXPECT_THAT(complaint("four-bar", {{"level", "speed"}}),
              AllOf(HasSubstr("'speed'"), HasSubstr("hint: position, velocity or acceleration")));
  EXPECT_THAT(
      complaint("four-bar", {{"state", "minimal"}}),
      AllOf(HasSubstr("'minimal'"), HasSubstr("hint: projected"), HasSubstr("independent")));
  EXPECT_THAT(complaint("four-bar", {{"variant", "book"}}),
              AllOf(HasSubstr("'book'"), HasSubstr("hint: fronts, or paper")));
  EXPECT_THAT(complaint("four-bar", {{"lvel", "position"}}),
              AllOf(HasSubstr("no setting 'lvel'"), HasSubstr("hint:"), HasSubstr("level")));
  EXPECT_THAT(complaint("four-bar", {{"grain", "-1"}}), HasSubstr("grain"));
  EXPECT_THAT(complaint("four-bar", {{"independent", "J9"}}),
              AllOf(HasSubstr("no joint 'J9'"), HasSubstr("J1")));
  EXPECT_EQ(complaint("four-bar", {{"level", "position"}, {"state", "projected"}}), "none");
  EXPECT_EQ(complaint("four-bar", {{"variant", "fronts"}, {"grain", "0"}}), "none");
}

TEST(CoordinateReduction, RefusesIndependentCoordinatesThatDoNotFollow) {
  for (const Projection projection : {Projection::kStep, Projection::kOff})
    EXPECT_THAT(complaint("four-bar", {{"state", "independent"}}, projection),
                AllOf(HasSubstr("state=independent"), HasSubstr("hint:")));
  EXPECT_THAT(complaint("four-bar", {{"state", "independent"}, {"level", "velocity"}}),
              AllOf(HasSubstr("state=independent"), HasSubstr("hint:")));
  EXPECT_EQ(complaint("four-bar", {{"state", "independent"}}, Projection::kStage), "none");
}

TEST(CoordinateReduction, SaysWhyThePaperDoesNotFit) {
  // A loop that does not touch the base, and a prescribed motion.
  for (const char* scenario : {"six-bar", "driven-slider-crank", "nested-loops"}) {
    const std::string why = complaint(scenario, {{"variant", "paper"}});
    EXPECT_NE(why, "none") << scenario;
    EXPECT_NE(why, "") << scenario;
  }
  EXPECT_EQ(complaint("ladder", {{"variant", "paper"}}), "none");
}

/// The joint whose coordinate is independent, of one with one freedom.
std::string independent_joint(const Model& model, const std::vector<MethodSetting>& settings) {
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model, topology).configuration;
  const auto method = reduction(model, settings);
  std::vector<double> x(at(method->layout().size()));
  Discrete discrete;
  method->encode(assembled, x, discrete);
  EXPECT_EQ(discrete.integers.size(), 2u);
  const tree::Tree tree(model, topology);
  for (const tree::TreeBody& body : tree.bodies())
    if (body.v == discrete.integers.back()) return model.joint(body.joint).name;
  return "";
}

TEST(CoordinateReduction, TakesThePreferredJointWhereItTellsTheMotion) {
  const Model model = load_model("four-bar");
  for (const char* joint : {"J1", "J2"})
    EXPECT_EQ(independent_joint(model, {{"independent", joint}}), joint);
  // The rocker turns back near the start: it moves by a hundredth of what the crank does.
  EXPECT_NE(independent_joint(model, {{"independent", "J4"}}), "J4");
  EXPECT_EQ(independent_joint(model, {{"independent", "J4,J1"}}), "J1");
}

/// The crank is held where the others cannot reach: the step must be refused, not taken anywhere.
TEST(CoordinateReduction, ReportsLoopsThatCannotBeClosed) {
  const Model model = load_model("four-bar-dead-point");
  const auto method = reduction(model, {{"state", "independent"}});
  const auto workspace = method->make_workspace();
  std::vector<double> x(at(method->layout().size()));
  std::vector<double> rates(at(method->layout().tangent_size()));
  Discrete discrete;
  method->encode(assemble(model).configuration, x, discrete);
  const tree::Tree tree(model, analyse_topology(model));
  const tree::TreeBody& crank = tree.bodies()[at(tree.slot_of(model.find_joint("A")))];
  ASSERT_EQ(discrete.integers.size(), 2u);
  discrete.integers[1] = crank.v;
  const Status before = method->rates(0, x, discrete, *workspace, rates);
  EXPECT_TRUE(before.ok()) << before.reason;
  x[at(crank.q)] += 1.2;  // 0.44 rad too far
  EXPECT_FALSE(method->rates(0, x, discrete, *workspace, rates).ok());
}

// Open and closed, redundant, driven, with appendages, wide; and every way to run it.
TEST(CoordinateReduction, AnEvaluationAllocatesNothing) {
  if (!tests::kCountsAllocations) GTEST_SKIP();
  struct Case {
    const char* name;
    Overrides overrides;
    std::vector<MethodSetting> settings;
  };
  const Case cases[] = {{"chain", {{"links", "300"}}, {}},
                        {"chain", {{"links", "150"}, {"joints", "mixed"}}, {}},
                        {"tree", {{"depth", "6"}}, {}},
                        {"five-bar", {}, {}},
                        {"bricard", {}, {}},
                        {"driven-slider-crank", {}, {}},
                        {"screw-press", {}, {}},
                        {"ladder", {{"cells", "3"}}, {}},
                        {"parallel-robot", {{"drive", "springs"}}, {}},
                        {"parallel-robot", {{"drive", "motion"}}, {}},
                        {"grid", {{"rows", "2"}, {"columns", "2"}}, {}},
                        {"grid", {{"rows", "8"}, {"columns", "8"}}, {}},
                        {"four-bar", {}, {{"state", "independent"}}},
                        {"four-bar", {}, {{"level", "velocity"}}},
                        {"ladder", {{"cells", "3"}}, {{"variant", "paper"}}},
                        {"floating-four-bar", {}, {{"variant", "paper"}}}};
  for (const auto& [name, overrides, settings] : cases) {
    SCOPED_TRACE(fmt::format("{} {}", name, settings.empty() ? "" : settings.front().value));
    const Model model = load_model(name, overrides);
    const Topology topology = analyse_topology(model);
    const Configuration assembled = assemble(model, topology).configuration;
    const auto method = reduction(model, settings);
    const auto workspace = method->make_workspace();
    MovingState state;
    const Configuration moving = random_motion(model, topology, assembled, 1);
    ASSERT_TRUE(make_moving_state(*method, moving, *workspace, state).ok());
    std::vector<double> rates(at(method->layout().tangent_size()));
    const auto evaluate = [&] {
      const Status status = method->rates(0, state.x, state.discrete, *workspace, rates);
      EXPECT_TRUE(status.ok()) << status.reason;
    };
    evaluate();
    const long before = tests::allocations();
    evaluate();
    EXPECT_EQ(tests::allocations() - before, 0);
  }
}

}  // namespace
}  // namespace sarrus
