#include "sarrus/io/model_file.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace sarrus {
namespace {

Description parse_file(const std::string& text, const Overrides& overrides = {}) {
  return parse_description("sarrus: 1\n" + text, "test.yaml", overrides);
}

TEST(ModelFile, SmallestFileHasDefaults) {
  const Description d = parse_file("");
  EXPECT_EQ(d.name, "model");
  EXPECT_EQ(d.title, "");
  EXPECT_EQ(d.gravity, Vec3(0, 0, -9.81));
  EXPECT_TRUE(d.bodies.empty());
  EXPECT_FALSE(d.simulation.until.has_value());
}

TEST(ModelFile, ReadsTheHead) {
  const Description d = parse_file(
      "name: five-bar\n"
      "title: A planar {n}-bar from rest\n"
      "parameters: {n: 5}\n"
      "gravity: [0, -9.81, 0]\n"
      "simulation: {method: auto, until: 10, every: 1/100, integrator: dopri5, step: 1e-3,\n"
      "             tolerance: 1e-8, projection: stage}\n");
  EXPECT_EQ(d.name, "five-bar");
  EXPECT_EQ(d.title, "A planar 5-bar from rest");
  EXPECT_EQ(d.gravity, Vec3(0, -9.81, 0));
  EXPECT_EQ(d.simulation.method, "auto");
  EXPECT_EQ(d.simulation.integrator, "dopri5");
  EXPECT_EQ(d.simulation.projection, "stage");
  EXPECT_EQ(d.simulation.until, 10);
  EXPECT_EQ(d.simulation.every, 0.01);
  EXPECT_EQ(d.simulation.step, 1e-3);
  EXPECT_EQ(d.simulation.tolerance, 1e-8);
}

// Parameters and repeat

TEST(ModelFileParameters, BuildOnEachOther) {
  const ModelFile file = parse_model_file(
      "sarrus: 1\nparameters:\n  a: 2\n  b: a^2\n  c: \"max(a, b)\"\n  joints: revolute\n"
      "  method: augmented-dca\n  same: if(joints == 'revolute', b, 0)\n",
      "test.yaml");
  EXPECT_EQ(file.parameters,
            (std::map<std::string, double>{{"a", 2}, {"b", 4}, {"c", 4}, {"same", 4}}));
  EXPECT_EQ(file.text_parameters, (std::map<std::string, std::string>{
                                      {"joints", "revolute"}, {"method", "augmented-dca"}}));
}

TEST(ModelFileParameters, AreOverridden) {
  const std::string text =
      "sarrus: 1\nparameters: {a: 2, b: a + 1, joints: revolute}\n"
      "bodies: [{name: x, mass: b}]\n"
      "joints: [{name: J, type: {joints}, bodies: [ground, x], at: [0, 0, 0]}]\n";
  const auto changed = parse_description(text, "test.yaml", {{"a", "10"}, {"joints", "spherical"}});
  EXPECT_EQ(changed.bodies[0].mass, 11);
  EXPECT_EQ(changed.joints[0].type, JointType::kSpherical);
  EXPECT_EQ(parse_description(text, "test.yaml", {{"b", "a*100"}}).bodies[0].mass, 200);
}

TEST(ModelFileParameters, AreHeldToTheirChoices) {
  const std::string text =
      "sarrus: 1\nparameters: {free: 1, joints: {value: revolute, choices: [revolute, free]}}\n"
      "bodies: [{name: x, mass: 1}]\n"
      "joints: [{name: J, type: \"{joints}\", bodies: [ground, x], at: [0, 0, 0]}]\n";
  EXPECT_EQ(parse_description(text, "test.yaml").joints[0].type, JointType::kRevolute);
  const ModelFile file = parse_model_file(text, "test.yaml", {{"joints", "free"}});
  EXPECT_EQ(file.description.joints[0].type, JointType::kFree);
  EXPECT_EQ(file.text_parameters, (std::map<std::string, std::string>{{"joints", "free"}}));
}

TEST(ModelFileParameters, AreHeldToTheirLimits) {
  const std::string text =
      "sarrus: 1\nparameters:\n  length: {value: 2, above: 0}\n"
      "  n: {value: 2*length, least: 4, most: 2*length, whole: true}\n";
  EXPECT_EQ(parse_model_file(text, "test.yaml").parameters,
            (std::map<std::string, double>{{"length", 2}, {"n", 4}}));
  // The limits follow the parameters above; a value that is replaced need not be within them.
  const std::string fixed = "sarrus: 1\nparameters: {length: 2, a: {value: 1, below: length}}\n";
  EXPECT_EQ(parse_model_file(fixed, "test.yaml", {{"a", "length/4"}, {"length", "1"}}).parameters,
            (std::map<std::string, double>{{"length", 1}, {"a", 0.25}}));
  EXPECT_THROW(parse_model_file(fixed, "test.yaml", {{"length", "1"}}), ModelError);
}

TEST(ModelFileRepeat, MakesAnElementForEveryIndex) {
  const Description d = parse_file(
      "parameters: {links: 3}\n"
      "bodies:\n"
      "  - name: base\n"
      "  - repeat: {index: i, from: 1, to: links}\n"
      "    name: link{i}\n"
      "    mass: 10*i\n"
      "    relative_to: \"{if(i == 1, 'base', 'link')}{if(i == 1, '', i-1)}\"\n"
      "joints:\n"
      "  - repeat: {index: i, from: 2, to: links}\n"
      "    name: J{i}\n"
      "    type: spherical\n"
      "    bodies: [\"link{i-1}\", \"link{i}\"]\n"
      "    at: [i, 0, 0]\n");
  ASSERT_EQ(d.bodies.size(), 4u);
  EXPECT_EQ(d.bodies[3].name, "link3");
  EXPECT_EQ(d.bodies[3].mass, 30);
  EXPECT_EQ(d.bodies[1].relative_to, "base");
  EXPECT_EQ(d.bodies[3].relative_to, "link2");
  ASSERT_EQ(d.joints.size(), 2u);
  EXPECT_EQ(d.joints[1].name, "J3");
  EXPECT_EQ(d.joints[1].body_a, "link2");
  EXPECT_EQ(d.joints[1].body_b, "link3");
  EXPECT_EQ(d.joints[1].at.p.x(), 3);
}

TEST(ModelFileRepeat, NestsAndLeavesOut) {
  const Description d = parse_file(
      "bodies:\n"
      "  - repeat: [{index: i, to: 3}, {index: k, from: i, to: 3}]\n"
      "    when: i + k != 4\n"
      "    name: b{i}_{k}\n"
      "  - {name: never, when: 1 > 2}\n"
      "  - {name: none, repeat: {index: i, from: 1, to: 0}}\n");
  std::vector<std::string> names;
  for (const auto& body : d.bodies) names.push_back(body.name);
  EXPECT_EQ(names, (std::vector<std::string>{"b1_1", "b1_2", "b2_3", "b3_3"}));
}

TEST(ModelFileRepeat, IsFastEnoughForLongChains) {
  const Description d = parse_file(
      "bodies:\n"
      "  - repeat: {index: i, from: 1, to: 65536}\n"
      "    name: link{i}\n"
      "    mass: 1 + i/65536\n"
      "    from: [i-1, 0, 0]\n"
      "    to: [i, 0, 0]\n"
      "    solid: {type: rod}\n");
  ASSERT_EQ(d.bodies.size(), 65536u);
  EXPECT_EQ(d.bodies.back().name, "link65536");
  EXPECT_EQ(d.bodies.front().source.fields, d.bodies.back().source.fields);  // shared
}

// YAML

TEST(ModelFileYaml, KeepsCommasInsideParenthesesTogether) {
  const Description d = parse_file(
      "parameters: {a: max(1, 2), b: 3}\n"
      "bodies:\n"
      "  - {name: x, mass: min(a, b), position: [atan2(0, 1), max(a, min(b, 5)), 1]}\n");
  EXPECT_EQ(d.bodies[0].mass, 2);
  EXPECT_EQ(d.bodies[0].pose.p, Vec3(0, 3, 1));
}

TEST(ModelFileYaml, SharesAnchoredValues) {
  const Description d = parse_file(
      "bodies:\n"
      "  - {name: x, solid: &link {type: sphere, radius: 1}, mass: 5}\n"
      "  - {name: y, solid: *link, mass: 10}\n");
  EXPECT_EQ(d.bodies[0].inertia(0, 0), 2);
  EXPECT_EQ(d.bodies[1].inertia(0, 0), 4);
}

TEST(ModelFileYaml, DoublesBracesForTheCharacters) {
  EXPECT_EQ(parse_file("title: \"{{x}}\"").title, "{x}");
}

// Sources

TEST(ModelFileSource, KnowsThePlaceOfEveryEntry) {
  const Description d = parse_file(
      "bodies:\n"
      "  - name: é\n"
      "    mass: 1\n"
      "joints:\n"
      "  - {name: é, type: revolute, bodies: [ground, x], at: [0, 0, 0], start: {angel: 1}}\n"
      "forces:\n"
      "  - name: s\n"
      "    type: joint_spring\n"
      "    joint: J\n"
      "    stiffness: 1\n");
  const Source& body = d.bodies[0].source;
  EXPECT_EQ(body.element.file, "test.yaml");
  EXPECT_EQ(body.element.line, 3);
  EXPECT_EQ(body.element.column, 5);
  EXPECT_EQ(body.at("mass").line, 4);
  EXPECT_EQ(body.at("mass").column, 11);
  EXPECT_EQ(body.at("inertia").line, 3);  // not given: the element's place
  const Source& joint = d.joints[0].source;
  // Columns count characters, whatever bytes they take.
  EXPECT_EQ(joint.at("type").column, 21);
  EXPECT_EQ(joint.at("bodies[0]").column, 40);
  EXPECT_EQ(joint.at("bodies[1]").column, 48);
  EXPECT_EQ(joint.at("start.angel").column, 75);
  EXPECT_EQ(d.forces[0].source.at("joint").line, 10);
}

TEST(ModelFileLoad, RefusesWhatItCannotRead) {
  EXPECT_THROW(load_description("/no/such/file.yaml"), UsageError);
  EXPECT_THROW(load_description("/"), UsageError);
  try {
    load_description("/no/such/file.yaml");
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'/no/such/file.yaml': No such file"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace sarrus
