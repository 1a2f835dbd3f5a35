// Flexible bodies in model files: what is read, what is written, and what is said of mistakes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sarrus/io/expand.h"
#include "sarrus/io/model_file.h"
#include "sarrus/io/report/recording.h"
#include "sarrus/io/report/scene.h"
#include "sarrus/io/results/instant.h"
#include "sarrus/model/beam.h"
#include "sarrus/model/model.h"

namespace sarrus {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBoomModel = R"(sarrus: 1
bodies:
  - name: boom
    position: [0, 0, 1]
    deformation: [0.1, 0, 0.2, 0, 0]
    flexible:
      beam: {length: 3, mass_per_length: 20, bending_stiffness: [1e5, 2e5], torsional_stiffness: 8e4,
             polar_inertia: 0.2, axial_stiffness: 5e6, damping_ratio: 0.01, sections: 4, stiffening: true,
             modes: {bending_y: 2, bending_z: 1, torsion: 1, axial: 1}}
  - {name: load, mass: 1, inertia: 1, position: [3, 0, 1]}
joints:
  - {name: J, type: spherical, bodies: [boom, load], nodes: [tip, ~], at: [3, 0, 1]}
forces:
  - {name: push, type: force, body: boom, node: n2, direction: [0, 0, 1]}
  - {name: pull, type: spring, bodies: [ground, boom], nodes: [~, n1], points: [[0, 0, 0], ~], stiffness: 3}
)";

std::string first_mistake(const std::string& text) {
  try {
    const Model model(parse_description(text, "m.yaml"));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no mistake";
}

TEST(FlexibleFile, ReadsABeamAsCppMakesIt) {
  const Description d = parse_description(kBoomModel, "m.yaml");
  const BeamBody beam = make_beam({.length = 3,
                                   .mass_per_length = 20,
                                   .bending_stiffness_y = 1e5,
                                   .bending_stiffness_z = 2e5,
                                   .torsional_stiffness = 8e4,
                                   .axial_stiffness = 5e6,
                                   .polar_inertia = 0.2,
                                   .damping_ratio = 0.01,
                                   .bending_y = 2,
                                   .bending_z = 1,
                                   .torsion = 1,
                                   .axial = 1,
                                   .stiffening = true,
                                   .sections = 4});
  ASSERT_NE(d.bodies[0].flexible, nullptr);
  EXPECT_EQ(d.bodies[0].mass, 60);
  EXPECT_EQ(d.bodies[0].flexible->data.S, beam.data.S);
  EXPECT_EQ(d.bodies[0].flexible->data.stiffness, beam.data.stiffness);
  const Model model(d);
  EXPECT_EQ(model.mode_count(), 5);
  EXPECT_EQ(model.reference_configuration().modes[2], 0.2);
  EXPECT_EQ(model.joint(JointId{0}).attachment_a->shape().name, "tip");
  EXPECT_EQ(model.joint(JointId{0}).attachment_b, nullptr);
  EXPECT_EQ(model.applied_forces()[0].attachment->shape().name, "n2");
  // Its rest length is that of the undeformed body.
  EXPECT_NEAR(model.point_springs()[0].rest_length, std::sqrt(0.75 * 0.75 + 1), 1e-15);
}

TEST(FlexibleFile, ExpandedReadsBackToTheBit) {
  const Description d = parse_description(kBoomModel, "m.yaml");
  const Description again = parse_description(expand(d), "expanded.yaml");
  EXPECT_EQ(expand(again), expand(d));
  const ModalData& one = d.bodies[0].flexible->data;
  const ModalData& other = again.bodies[0].flexible->data;
  EXPECT_EQ(one.modes, other.modes);
  EXPECT_EQ(one.S, other.S);
  EXPECT_EQ(one.X, other.X);
  EXPECT_EQ(one.Y, other.Y);
  EXPECT_EQ(one.rotary_coupling, other.rotary_coupling);
  EXPECT_EQ(one.rotary_mass, other.rotary_mass);
  EXPECT_EQ(one.stiffness, other.stiffness);
  EXPECT_EQ(one.damping, other.damping);
  EXPECT_EQ(one.stiffening[2], other.stiffening[2]);
  ASSERT_EQ(one.nodes.size(), other.nodes.size());
  EXPECT_EQ(one.nodes.back().shift, other.nodes.back().shift);
  EXPECT_EQ(one.nodes.back().turn, other.nodes.back().turn);
  EXPECT_EQ(again.joints[0].node_a, "tip");
}

TEST(FlexibleFile, TakesABeamFromPointToPoint) {
  const Description d = parse_description(
      "sarrus: 1\nbodies:\n  - {name: b, from: [1, 0, 0], to: [1, 2, 0], flexible: {beam: "
      "{mass_per_length: 1, bending_stiffness: 1, modes: {bending_y: 1}}}}\n",
      "m.yaml");
  EXPECT_EQ(d.bodies[0].mass, 2);
  EXPECT_LT((d.bodies[0].pose.p - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_LT(
      (d.bodies[0].pose * d.bodies[0].flexible->data.nodes.back().X_BN.p - Vec3(1, 2, 0)).norm(),
      1e-15);
}

/// A folder with a model and a modal file.
class ModalFile : public ::testing::Test {
 protected:
  ModalFile() {
    folder_ = std::filesystem::path(::testing::TempDir()) / "sarrus modal file";
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "model.yaml")
        << "sarrus: 1\nbodies:\n  - {name: mast, flexible: {file: mast.yaml}}\n";
  }
  ~ModalFile() override { std::filesystem::remove_all(folder_); }

  std::string read(const std::string& text) {
    std::ofstream(folder_ / "mast.yaml") << text;
    try {
      const Model model(load_description(folder_ / "model.yaml"));
      stiffness_ = model.body(BodyId{1}).modal->data().stiffness(0, 0);
      mass_ = model.body(BodyId{1}).inertia.mass;
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
  double stiffness_ = 0, mass_ = 0;
};

constexpr const char* kMast = R"(sarrus_modes: 1
modes: [sway]
angular_frequencies: [20]
nodes:
  - {name: foot, position: [0, 0, 0], mass: 1, inertia: 0.1}
  - {name: middle, position: [0, 0, 1], mass: 2, inertia: 0.1, shift: [[0.3], [0], [0]], turn: [[0], [0.6], [0]]}
  - {name: top, position: [0, 0, 2], mass: 1, inertia: 0.1, shift: [[1], [0], [0]], turn: [[0], [0.7], [0]]}
)";

TEST_F(ModalFile, SumsLumpedMasses) {
  EXPECT_EQ(read(kMast), "");
  EXPECT_EQ(mass_, 4);
  // 2 · 0.3² + 1 + 0.1 (0.6² + 0.7²), times 20²
  EXPECT_NEAR(stiffness_, 400 * (0.18 + 1 + 0.085), 1e-12);
}

TEST_F(ModalFile, TellsMistakesAtTheirPlace) {
  std::string text = kMast;
  text.replace(text.find("[[1], [0], [0]]"), 15, "[[1], [0]]");
  EXPECT_THAT(read(text), ::testing::AllOf(HasSubstr("mast.yaml:7:"), HasSubstr("body 'mast'"),
                                           HasSubstr("shift has 2 rows; it needs 3"),
                                           HasSubstr("3 rows of 1 numbers")));
  EXPECT_THAT(read("sarrus_modes: 1\nmodes: [a]\nstifness: [1]\n"),
              ::testing::AllOf(HasSubstr("mast.yaml:3:1"), HasSubstr("'stifness'")));
  EXPECT_THAT(read("sarrus_modes: 1\nmodes: [a\n"), HasSubstr("this is not YAML"));
}

TEST(FlexibleFile, TellsMistakesAtTheirPlace) {
  const auto beam = [](const std::string& keys) {
    return "sarrus: 1\nbodies:\n  - name: b\n    flexible:\n      beam: {" + keys + "}\n";
  };
  const std::string sound =
      "length: 1, mass_per_length: 1, bending_stiffness: 1, modes: {bending_y: 1}";
  EXPECT_EQ(first_mistake(beam(sound)), "no mistake");
  EXPECT_THAT(first_mistake(beam("length: -1, mass_per_length: 1, bending_stiffness: 1, modes: "
                                 "{bending_y: 1}")),
              ::testing::AllOf(HasSubstr("m.yaml:5:22"), HasSubstr("length is -1")));
  EXPECT_THAT(first_mistake(beam("length: 1, mass_per_length: 1, modes: {torsion: 1}")),
              HasSubstr("torsional_stiffness is 0"));
  EXPECT_THAT(first_mistake(beam("length: 1, mass_per_length: 1, modes: {twist: 1}")),
              HasSubstr("'twist'"));
  EXPECT_THAT(first_mistake(beam(sound) + "    mass: 3\n"), HasSubstr("'mass' is given"));
  EXPECT_THAT(
      first_mistake(beam(sound) + "    deformation: [1, 2]\n"),
      ::testing::AllOf(HasSubstr("m.yaml:6:"), HasSubstr("the body has 1 modes: bending_y1")));
  EXPECT_THAT(
      first_mistake(beam(sound) + "joints:\n  - {name: J, type: fixed, bodies: [ground, b], "
                                  "nodes: [~, tipp], at: [1, 0, 0]}\n"),
      ::testing::AllOf(HasSubstr("body 'b' has no node 'tipp'"), HasSubstr("did you mean 'tip'")));
  EXPECT_THAT(
      first_mistake(beam(sound) + "joints:\n  - {name: J, type: fixed, bodies: [ground, b], "
                                  "nodes: [tip, ~], at: [1, 0, 0]}\n"),
      HasSubstr("which is rigid"));
  EXPECT_THAT(first_mistake("sarrus: 1\nbodies:\n  - {name: b, mass: 1, deformation: [1]}\n"),
              HasSubstr("the body is rigid"));
}

TEST(FlexibleResults, HaveModesAndNodes) {
  const Model model(parse_description(kBoomModel, "m.yaml"));
  const ResultsLayout layout = make_results_layout(model);
  ASSERT_NE(layout.find_table("modes"), nullptr);
  EXPECT_EQ(layout.table("modes").rows.size(), 5u);
  EXPECT_EQ(layout.table("nodes").rows.size(), 5u);
  EXPECT_EQ(make_results_layout({"a"}, {}).find_table("modes"), nullptr);
  // A page that is made from files finds the same.
  const Configuration c = model.reference_configuration();
  const SceneOutline outline = read_scene(scene_json(model, c));
  EXPECT_EQ(outline.layout.size, layout.size);

  Instant instant(model);
  Sample sample;
  sample.motion.configuration = c;
  sample.motion.configuration.poses[1] = {Quat(0.8, 0, 0.6, 0), Vec3(1, 2, 3)};
  sample.motion.accelerations.assign(3, Vec6::Zero());
  sample.motion.mode_accelerations = {1, 2, 3, 4, 5};
  sample.motion.reactions.assign(1, Vec6::Zero());
  sample.motion.reaction_is_unique.assign(1, 1);
  instant.update(sample);
  const auto number = [&](const char* table, std::size_t place) {
    return instant.numbers()[layout.table(table).first + place];
  };
  EXPECT_EQ(number("modes", 0), 0.1);
  EXPECT_EQ(number("modes", 8), 3);
  // The root has not moved against the body; the tip has: by 0.1 along y and 0.2 along z.
  EXPECT_NEAR(number("nodes", 0), 1, 1e-15);
  Recording recording(layout);
  recording.add(0, instant.numbers());
  recording.finish();
  ASSERT_EQ(recording.lines().size(), 1u);
  const std::vector<float> points = recording.line_points(recording.lines()[0]);
  ASSERT_EQ(points.size(), 15u);
  EXPECT_NEAR(points[12], 3, 1e-6);
  EXPECT_NEAR(points[13], 0.1, 1e-6);
  EXPECT_NEAR(points[14], 0.2, 1e-6);
}

}  // namespace
}  // namespace sarrus
