// What a model file says about changes in mid-run.

#include <gtest/gtest.h>

#include "sarrus/io/expand.h"
#include "sarrus/io/model_file.h"
#include "sarrus/io/timeline_text.h"
#include "sarrus/model/model.h"

namespace sarrus {
namespace {

const std::string kTwoRods = R"(sarrus: 1
bodies:
  - {name: a, mass: 1, inertia: 0.1, from: [0, 0, 0], to: [1, 0, 0]}
  - {name: b, mass: 1, inertia: 0.1, from: [1, 0, 0], to: [2, 0, 0]}
joints:
  - {name: J1, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}
  - {name: J2, type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}
drives:
  - {name: motor, type: motor, joint: J2, target: 0.1, stiffness: 1}
timeline:
)";

TEST(TimelineFile, SaysAllThereIs) {
  const Description d = parse_description(kTwoRods + R"(
  - {at: 1 + 1, cut: [J1, J2]}
  - {at: 3, restore: J1}
  - {at: 3, restore: {joint: J2, original: true}}
  - at: 4
    do:
      - add: {body: {name: c, mass: 1, inertia: 0.1, position: [0, 0, 3]}}
      - add: {joint: {name: J3, type: spherical, bodies: [b, c], at: [0, 0, 3]}}
      - add: {force: {name: wind, type: force, body: c, point: [0, 0, 3], direction: [1, 0, 0]}}
      - set: {bodies.c.mass: 2, gravity.z: -1, forces.wind.value: 0.5}
  - {at: 5, grab: {name: hand, body: c, point: [0, 0.1, 0], frequency: 8, max_force: 50}}
  - repeat: {index: i, from: 1, to: 3}
    at: 5 + i/10
    move: {grab: hand, target: [0, i, 0], duration: 0.1}
  - {at: 6, release: hand, remove: {body: c, cascade: true}}
)",
                                          "file.yaml");
  ASSERT_EQ(d.timeline.size(), 9u);
  EXPECT_EQ(d.timeline[0].at, 2);
  EXPECT_EQ(d.timeline[0].edits.size(), 2u);
  EXPECT_TRUE(std::get<RestoreJoint>(d.timeline[2].edits[0].what).original);
  EXPECT_EQ(d.timeline[3].edits.size(), 6u);
  EXPECT_EQ(std::get<MoveGrab>(d.timeline[7].edits[0].what).target, Vec3(0, 3, 0));
  EXPECT_EQ(Model(d).timeline().size(), 9u);

  // Written out it reads the same.
  const std::string text = expand(d);
  EXPECT_EQ(expand(parse_description(text, "expanded.yaml")), text);
}

TEST(TimelineFile, IsSortedByTimeAndKeepsTheOrderOfOneTime) {
  const Model model(parse_description(kTwoRods + R"(
  - {at: 2, restore: J1}
  - {at: 1, cut: J1}
  - {at: 2, cut: J2}
)",
                                      "file.yaml"));
  EXPECT_EQ(model.timeline()[0].at, 1);
  EXPECT_TRUE(std::holds_alternative<CutJoint>(model.timeline()[2].edits[0].what));
}

struct BadEntry {
  std::string text;  ///< of the timeline, from line 12 on
  int line, column;
  std::string what, hint;
};

TEST(TimelineFile, MistakesAreToldWithTheirPlace) {
  const std::vector<BadEntry> all = {
      {"  - {at: 1, cut: J3}\n", 11, 18, "there is no joint 'J3' at t = 1 s", "did you mean"},
      {"  - {at: -1, cut: J1}\n", 11, 10, "an entry of the timeline is at -1 s", "from 0 on"},
      {"  - {at: 1, cutt: J1}\n", 11, 13, "has no key 'cutt'", "did you mean 'cut'"},
      {"  - {at: 1}\n", 11, 5, "nothing happens in it", "cut, restore"},
      {"  - {cut: J1}\n", 11, 5, "'at' is missing", "number"},
      {"  - {at: 1, cut: J1}\n  - {at: 2, cut: J1}\n", 12, 18, "it is cut", "restore it first"},
      {"  - {at: 1, restore: J1}\n", 11, 22, "joint 'J1' is not cut", "no joint is"},
      {"  - {at: 1, remove: {body: a}}\n", 11, 21, "joint 'J1', joint 'J2' use it",
       "cascade: true"},
      {"  - {at: 1, remove: {joint: J2}}\n", 11, 21, "'motor' acts on it", "cascade: true"},
      {"  - {at: 1, set: {bodies.a.mas: 2}}\n", 11, 18, "no number 'mas'", "did you mean 'mass'"},
      {"  - {at: 1, set: {a.mass: 2}}\n", 11, 18, "is no path to a number", "bodies.NAME.mass"},
      {"  - {at: 1, grab: {name: h, body: ground}}\n", 11, 19, "ground cannot be grabbed", "moves"},
      {"  - {at: 1, release: h}\n", 11, 22, "there is no grab 'h'", "nothing is grabbed"},
      {"  - {at: 1, add: {body: {name: a, mass: 1}}}\n", 11, 32, "two bodies named 'a'", "differ"},
      {"  - {at: 1, add: {joint: {name: K, type: fixed, bodies: [a, x], at: [0, 0, 0]}}}\n", 11, 61,
       "names no such body 'x'", "bodies"},
  };
  for (const BadEntry& bad : all) {
    SCOPED_TRACE(bad.text);
    try {
      const Model model(parse_description(kTwoRods + bad.text, "file.yaml"));
      ADD_FAILURE() << "taken";
    } catch (const ModelError& error) {
      const Diagnostic& first = error.diagnostics().front();
      EXPECT_EQ(first.where.line, bad.line);
      EXPECT_EQ(first.where.column, bad.column);
      EXPECT_NE(first.what.find(bad.what), std::string::npos) << first.what;
      EXPECT_NE(first.hint.find(bad.hint), std::string::npos) << first.hint;
    }
  }
}

TEST(TimelineFile, LogReadsBackByItself) {
  const TimelineEntry entry = {.at = 0.1,
                               .edits = {{MoveGrab{"hand", Vec3(0.1, 1.0 / 3, -2e-17), 0.05}, {}},
                                         {AddBody{{.name = "a {b}", .mass = 1.0 / 7}}, {}}},
                               .source = {}};
  const auto read = parse_timeline("timeline:\n" + io::timeline_entry_text(entry), "log");
  ASSERT_EQ(read.size(), 1u);
  ASSERT_EQ(read[0].edits.size(), 2u);
  EXPECT_EQ(std::get<MoveGrab>(read[0].edits[0].what).target, Vec3(0.1, 1.0 / 3, -2e-17));
  EXPECT_EQ(std::get<AddBody>(read[0].edits[1].what).body.name, "a {b}");
  EXPECT_EQ(std::get<AddBody>(read[0].edits[1].what).body.mass, 1.0 / 7);
  EXPECT_THROW(parse_timeline("timeline:\n  - {at: 1, cutt: J}\n", "log"), ModelError);
}

}  // namespace
}  // namespace sarrus
