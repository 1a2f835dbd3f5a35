// Flexible bodies by the judge: tables of other codes, closed forms, and laws.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <map>

#include "sarrus/analysis/assembly.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/model/beam.h"
#include "sarrus/spatial/vectors.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

/// A mechanism where it starts, with what the judge says of it there.
struct Start {
  Model model;
  Motion motion;
  double kinetic = 0, potential = 0;

  double joint_acceleration(const std::string& name, const std::string& coordinate) const {
    const Joint& joint = model.joint(model.find_joint(name));
    const Configuration& c = motion.configuration;
    const auto& names = joint_coordinate_names(joint.type());
    const auto k = static_cast<int>(std::ranges::find(names, coordinate) - names.begin());
    const Rows rows =
        joint.speed_rows(view_of(joint, c), c.coordinates.data() + joint.first_freedom);
    return rows[k].rate(carrier_acceleration(joint.a, joint.attachment_a, motion),
                        carrier_acceleration(joint.b, joint.attachment_b, motion)) +
           rows[k].gamma;
  }
  /// Of a body's frame, in the frame that moves along: [ω̇; v̇ − ω × v].
  Vec6 spatial_acceleration(const std::string& name) const {
    const auto i = model.find_body(name).slot();
    const Vec6& V = motion.configuration.velocities[i];
    Vec6 A = motion.accelerations[i];
    A.tail<3>() -= V.head<3>().cross(V.tail<3>());
    return rotated(motion.configuration.poses[i].R().transpose(), A);
  }
  double mode_acceleration(const std::string& name, int k) const {
    const Body& body = model.body(model.find_body(name));
    return motion.mode_accelerations[static_cast<std::size_t>(body.first_mode + k)];
  }
};

Start start_of(const std::string& scenario, const Overrides& overrides = {},
               const std::string& method = "reference",
               const std::vector<MethodSetting>& settings = {}) {
  Simulation simulation(load_model(scenario, overrides),
                        {.method = method, .settings = settings, .projection = Projection::kOff});
  const Sample sample = simulation.sample();
  return {simulation.model(), sample.motion, sample.kinetic, sample.potential};
}

/// About the world's origin.
Vec6 momentum_of(const Model& model, const Configuration& c) {
  Vec6 sum = Vec6::Zero();
  for (std::size_t i = 1; i < c.poses.size(); ++i) {
    const Body& body = model.bodies()[i];
    const Mat3 R = c.poses[i].R();
    Vec6 h = body.inertia.matrix(R) * c.velocities[i];
    if (body.modal != nullptr) {
      const double* eta = c.modes.data() + body.first_mode;
      const Eigen::Map<const VecX> rate(c.mode_rates.data() + body.first_mode, body.modal->count());
      h = body.modal->rigid_mass(eta, R) * c.velocities[i] + body.modal->coupling(eta, R) * rate;
    }
    sum += shift_force(h, -c.poses[i].p);
  }
  return sum;
}

/// Of small vibrations about the start, at rest and without loads [rad/s]; rising, rigid motions left
/// out.
std::vector<double> structural_frequencies(const Model& model) {
  const Configuration c = assemble(model).configuration;
  const ConstraintSystem system(model);
  ConstraintValues values;
  system.evaluate(0, c, values);
  std::vector<Mat6> masses;
  std::vector<ModalMass> modal;
  gather_masses(system, c, masses, modal);
  MatX M = MatX::Zero(system.columns(), system.columns());
  MatX K = M;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const auto at = 6 * static_cast<Eigen::Index>(i);
    M.block<6, 6>(at, at) = masses[i];
  }
  for (const ModalMass& own : modal) {
    const Eigen::Index n = own.modal.cols();
    M.block(6 * own.block, own.column, 6, n) = own.coupling;
    M.block(own.column, 6 * own.block, n, 6) = own.coupling.transpose();
    M.block(own.column, own.column, n, n) = own.modal;
    const BodyId body = system.column_bodies()[static_cast<std::size_t>(own.block)];
    K.block(own.column, own.column, n, n) = model.body(body).modal->data().stiffness;
  }
  Kkt kkt(system);
  kkt.factor(masses, values.J, system.rows(), 0, modal);
  const MatX N = kkt.allowed_motions();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(N.transpose() * K * N,
                                                              N.transpose() * M * N);
  std::vector<double> frequencies;
  const VecX squares = solver.eigenvalues();
  for (const double square : squares)
    if (square > 1e-9 * squares.maxCoeff()) frequencies.push_back(std::sqrt(square));
  return frequencies;
}

class SmallFlexibleTree : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, SmallFlexibleTree, ::testing::Values("reference", "branches"));

TEST_P(SmallFlexibleTree, AcceleratesAsTheTableSays) {
  const double kDigits = 1e-12;  // of the table, relative to the largest acceleration, 40
  const Start start = start_of("small-flexible-tree", {}, GetParam());
  const Reference table("small-flexible-tree");
  const Vec6 root = start.spatial_acceleration("b0");
  const std::vector<std::string> axes = {"wx", "wy", "wz", "vx", "vy", "vz"};
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& element = table.text(row, "element");
    const std::string& coordinate = table.text(row, "coordinate");
    double found = 0;
    if (const auto axis = std::ranges::find(axes, coordinate); axis != axes.end())
      found = root[axis - axes.begin()];
    else if (coordinate.starts_with("mode"))
      found = start.mode_acceleration(element, coordinate.back() - '1');
    else
      found = start.joint_acceleration(element, coordinate);
    EXPECT_NEAR(found, table.number(row, "acceleration"), 40 * kDigits) << element << coordinate;
  }
  // The other code's figures for the same instant.
  EXPECT_NEAR(start.kinetic, 466.3127813103954, 466 * kDigits);
  EXPECT_NEAR(start.potential, -27.272510280262875, 466 * kDigits);
  const Vec6 momentum = (Vec6() << 9.54223234026347, -67.40306457040683, 162.97151935196155,
                         -51.135689611295305, -97.40521302042845, -28.98971378575794)
                            .finished();
  EXPECT_LT((momentum_of(start.model, start.motion.configuration) - momentum).norm(),
            200 * kDigits);
}

void compare_with_table(const Start& start, const std::string& file, double tolerance) {
  const Reference table("mmsev", file);
  const Vec6 root = start.spatial_acceleration("asteroid");
  const std::vector<std::string> axes = {"wx", "wy", "wz", "vx", "vy", "vz"};
  double largest = 0;
  for (const double one : table.numbers("one")) largest = std::max(largest, std::abs(one));
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& element = table.text(row, "element");
    const std::string& coordinate = table.text(row, "coordinate");
    double found = 0;
    if (const auto axis = std::ranges::find(axes, coordinate); axis != axes.end())
      found = root[axis - axes.begin()];
    else if (coordinate == "angle")
      found = start.joint_acceleration(element, "angle");
    else
      found = start.mode_acceleration(element, std::stoi(coordinate));
    EXPECT_NEAR(found, table.number(row, "one"), tolerance * largest)
        << element << " " << coordinate;
  }
}

/// Forces through the connections, in the axes of the joints' first frames.
void compare_forces_with_table(const Start& start, const std::string& file) {
  const Reference table("mmsev", file);
  const std::vector<std::string> components = {"nx", "ny", "nz", "fx", "fy", "fz"};
  double largest = 0;
  for (const double one : table.numbers("one")) largest = std::max(largest, std::abs(one));
  for (std::size_t row = 0; row < table.size(); ++row) {
    const JointId id = start.model.find_joint(table.text(row, "joint"));
    const JointView view = view_of(start.model.joint(id), start.motion.configuration);
    const Vec6 wrench = rotated(view.R_F.transpose(), start.motion.reactions[id.slot()]);
    const auto k = std::ranges::find(components, table.text(row, "component")) - components.begin();
    // Two ways of the other code differ by 4e-14; ten digits are asked of accelerations.
    EXPECT_NEAR(wrench[k], table.number(row, "one"), 1e-10 * largest)
        << start.model.joint(id).name << " " << k;
  }
}

/// How branches may go about it: in one, in those of the paper, in some of its own choice.
std::vector<std::vector<MethodSetting>> ways_of_branches() {
  const MethodSetting paper{"cuts", "leg1_base,leg2_base,arm3_base,arm4_base"};
  std::vector<std::vector<MethodSetting>> ways = {{}};
  for (const char* connections : {"simultaneous", "sequential"})
    for (const MethodSetting& cut : {paper, MethodSetting{"branches", "5"}})
      ways.push_back({{"connections", connections}, cut});
  return ways;
}

TEST(Mmsev, AcceleratesAsTheTableSaysWithRigidBooms) {
  compare_with_table(start_of("mmsev", {{"flexible", "0"}}), "rigid.csv", 1e-12);
  for (const std::vector<MethodSetting>& way : ways_of_branches())
    compare_with_table(start_of("mmsev", {{"flexible", "0"}}, "branches", way), "rigid.csv", 1e-12);
  for (const std::vector<MethodSetting>& way : ways_of_branches())
    compare_forces_with_table(start_of("mmsev", {{"flexible", "0"}}, "branches", way),
                              "rigid_forces.csv");
}

TEST(Mmsev, AcceleratesAsTheTableSaysWithBoomsThatBend) {
  compare_with_table(start_of("mmsev"), "flexible.csv", 1e-10);
  for (const std::vector<MethodSetting>& way : ways_of_branches())
    compare_with_table(start_of("mmsev", {}, "branches", way), "flexible.csv", 1e-10);
  for (const std::vector<MethodSetting>& way : ways_of_branches())
    compare_forces_with_table(start_of("mmsev", {}, "branches", way), "flexible_forces.csv");
}

TEST(Mmsev, HasItsStructuralFrequencies) {
  const Reference table("mmsev", "frequencies.csv");
  const std::vector<double> found = structural_frequencies(load_model("mmsev"));
  ASSERT_EQ(found.size(), table.size());
  const double kPrinted = 1e-6;
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], table.number(i, "rad_per_s"), kPrinted) << i;
}

// 1 + cos x cosh x + μ x (cos x sinh x − sin x cosh x) = 0 has the root x² of the exact beam; few
// clamped-free modes come to it from above, as far as another code with as many.
TEST(BeamWithTipMass, HasTheFrequenciesOfTheTable) {
  struct Case {
    const char* ratio;
    const char* modes;
    double exact, with_modes;
  };
  const double kPrinted = 1e-6;
  for (const Case& one : {Case{"0.5", "1", 2.016299, 2.029972},
                          Case{"0.5", "3", 2.016299, 2.016965}, Case{"1", "2", 1.557298, 1.559639},
                          Case{"1", "3", 1.557298, 1.558032}, Case{"1", "4", 1.557298, 1.557614},
                          Case{"5", "3", 0.756937, 0.757436}, Case{"5", "4", 0.756937, 0.757152}}) {
    const std::vector<double> found = structural_frequencies(
        load_model("beam-with-tip-mass", {{"ratio", one.ratio}, {"modes", one.modes}}));
    EXPECT_NEAR(found.front(), one.with_modes, kPrinted) << one.ratio << " " << one.modes;
    EXPECT_GT(found.front(), one.exact);
  }
  const double many =
      structural_frequencies(load_model("beam-with-tip-mass", {{"modes", "20"}})).front();
  EXPECT_NEAR(many, 1.557298, 1e-5);
}

/// Flapwise and chordwise frequencies of the rotating beam, from the accelerations of small
/// deformations.
std::pair<double, double> rotating_frequencies(const std::string& gamma) {
  const Model model = load_model("rotating-beam", {{"gamma", gamma}});
  const Topology topology = analyse_topology(model);
  const Configuration start = assemble(model).configuration;
  const auto judge = make_formulation({.method = "reference", .projection = Projection::kOff},
                                      model, topology, start);
  const auto workspace = judge->make_workspace();
  const int modes = model.mode_count();
  const int kinds = modes / 2;
  const double kSmall = 1e-4;
  MatX stiffness(modes, modes);
  for (int k = 0; k < modes; ++k) {
    VecX two[2];
    for (const int side : {0, 1}) {
      Configuration c = start;
      c.modes[static_cast<std::size_t>(k)] = side == 0 ? -kSmall : kSmall;
      std::vector<double> x(static_cast<std::size_t>(judge->layout().size()));
      Discrete discrete;
      judge->encode(c, x, discrete);
      Motion motion;
      EXPECT_TRUE(judge->evaluate(0, x, discrete, *workspace, motion).ok());
      two[side] = Eigen::Map<const VecX>(motion.mode_accelerations.data(), modes);
    }
    stiffness.col(k) = -(two[1] - two[0]) / (2 * kSmall);
  }
  const auto least = [&](int first) {
    return std::sqrt(Eigen::EigenSolver<MatX>(stiffness.block(first, first, kinds, kinds), false)
                         .eigenvalues()
                         .real()
                         .minCoeff());
  };
  return {least(kinds), least(0)};
}

TEST(RotatingBeam, FlapsAtTheFrequenciesOfTheTable) {
  // Known answers (Wright, Smith, Thresher, Wang 1982), and another code's with five modes.
  struct Case {
    int gamma;
    double known, with_modes;
  };
  for (const Case& one :
       {Case{0, 3.5160, 3.516015}, Case{1, 3.6816, 3.681647}, Case{2, 4.1373, 4.137325},
        Case{3, 4.7973, 4.797305}, Case{4, 5.5850, 5.585081}, Case{5, 6.4495, 6.449733},
        Case{6, 7.3604, 7.360755}, Case{10, 11.2023, 11.205092}}) {
    const auto [flap, chord] = rotating_frequencies(std::to_string(one.gamma));
    EXPECT_NEAR(flap, one.with_modes, 2e-6) << one.gamma;
    EXPECT_NEAR(flap, one.known, 3e-3) << one.gamma;
    EXPECT_NEAR(chord, std::sqrt(flap * flap - one.gamma * one.gamma), 1e-6) << one.gamma;
  }
}

// The minimum over the samples of the tip's deflection [m].
TEST(SpinUpBeam, LagsBehindAsFarAsTheTableSays) {
  const Reference table("spin-up-beam");
  std::vector<double> times;
  for (const double t : table.numbers("t"))
    if (t > 0 && t <= 10) times.push_back(t);
  const ScenarioRun run = run_scenario("spin-up-beam", times, {.tolerance = 1e-8});
  double least = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::vector<double>& modes = run.samples[i].motion.configuration.modes;
    const double tip = modes[0] + modes[1] + modes[2];
    EXPECT_NEAR(tip, table.number(i + 1, "tip_modal3_geo"), 1e-4) << times[i];
    EXPECT_NEAR(tip, table.number(i + 1, "tip_segments_richardson"), 3e-3) << times[i];
    least = std::min(least, tip);
  }
  EXPECT_NEAR(least, -0.574, 0.002);
}

TEST(FlexibleSliderCrank, KeepsItsEnergyAndItsLoop) {
  const ScenarioRun run =
      run_scenario("flexible-slider-crank", times_from(0.01, 0.02, 0.01), {.tolerance = 1e-8});
  EXPECT_LT(run.statistics().largest.position, 1e-12);
  EXPECT_LT(run.statistics().energy_drift, 1e-6);
  // It bends: by millimetres in a sixth of a turn.
  double most = 0;
  for (const Sample& sample : run.samples)
    most = std::max(most, std::abs(sample.motion.configuration.modes[0]));
  EXPECT_GT(most, 1e-4);
}

// A stiff rod is a rigid one: x = r cos φ + √(l² − r² sin² φ).
TEST(FlexibleSliderCrank, IsRigidInTheLimit) {
  const ScenarioRun run =
      run_scenario("flexible-slider-crank", {0.01},
                   {.overrides = {{"stiffness", "2e4"}, {"modes", "1"}}, .tolerance = 1e-7});
  const double angle = 50 * 0.01;
  const double rigid = 0.1 * std::cos(angle) + std::sqrt(0.16 - std::pow(0.1 * std::sin(angle), 2));
  EXPECT_NEAR(coordinate(run, run.last(), "J4"), rigid, 1e-6);
}

/// Two booms joined at their nodes, floating, bent and turning.
Description floating_booms() {
  Description d;
  d.gravity.setZero();
  const BeamBody beam = make_beam({.length = 1,
                                   .mass_per_length = 2,
                                   .bending_stiffness_y = 3,
                                   .bending_stiffness_z = 5,
                                   .torsional_stiffness = 2,
                                   .axial_stiffness = 400,
                                   .polar_inertia = 0.02,
                                   .bending_y = 2,
                                   .bending_z = 1,
                                   .torsion = 1,
                                   .axial = 1});
  for (const char* name : {"one", "two"}) {
    auto flexible = std::make_shared<FlexibleDescription>();
    flexible->data = beam.data;
    flexible->deformation = {0.05, 0.01, -0.04, 0.2, 0.01};
    flexible->deformation_rate = {0.2, -0.3, 0.1, 0.5, 0.1};
    BodyDescription body;
    body.name = name;
    body.mass = beam.inertia.mass;
    body.center_of_mass = beam.inertia.center;
    body.inertia = beam.inertia.central;
    body.angular_velocity = {0.4, -1, 2};
    body.velocity = {1, 0.5, -0.3};
    if (body.name == "two") body.pose.p = {1, 0, 0};
    body.flexible = flexible;
    d.add_body(body);
  }
  JointDescription joint;
  joint.name = "J";
  joint.type = JointType::kUniversal;
  joint.body_a = "one";
  joint.body_b = "two";
  joint.node_a = "tip";
  joint.node_b = "n5";
  joint.at.p = {1, 0, 0};
  d.add_joint(joint);
  return d;
}

class FloatingBooms : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, FloatingBooms, ::testing::Values("reference", "branches"));

TEST_P(FloatingBooms, KeepMomentumAndEnergy) {
  const Model model(floating_booms());
  Simulation simulation(model, {.method = GetParam(), .tolerance = 1e-13, .until = 0.5});
  const Sample first = simulation.sample();
  const Vec6 before = momentum_of(model, first.motion.configuration);
  ASSERT_TRUE(simulation.advance_to(0.5).ok());
  const Sample last = simulation.sample();
  const Vec6 after = momentum_of(model, last.motion.configuration);
  EXPECT_LT((after - before).norm(), 1e-12 * before.norm());
  EXPECT_LT(std::abs(energy_error(first, last)), 1e-9 * first.total());
  EXPECT_LT(simulation.statistics().largest.position, 1e-13);
  EXPECT_LT(last.constraints.acceleration, 1e-10);
}

// Without damping the error of the energy falls with the fourth power of a fixed step.
TEST_P(FloatingBooms, KeepEnergyAtTheOrderOfTheIntegrator) {
  const auto error = [](double step) {
    Simulation simulation(Model(floating_booms()),
                          {.method = GetParam(), .integrator = "rk4", .step = step, .until = 0.1});
    const Sample first = simulation.sample();
    EXPECT_TRUE(simulation.advance_to(0.1).ok());
    return std::abs(energy_error(first, simulation.sample()));
  };
  const double coarse = error(2e-3);
  const double fine = error(1e-3);
  EXPECT_GT(std::log2(coarse / fine), 3.5);
}

TEST(FlexibleBodies, AreRefusedByMethodsThatDoNotTakeThem) {
  const Model model = load_model("beam-with-tip-mass");
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model).configuration;
  for (const MethodInfo& method : methods()) {
    if (method.flexible_bodies) continue;
    try {
      make_formulation({.method = method.name}, model, topology, assembled);
      ADD_FAILURE() << method.name;
    } catch (const UsageError& error) {
      EXPECT_THAT(std::string(error.what()),
                  ::testing::AllOf(::testing::HasSubstr("flexible"), ::testing::HasSubstr("'beam'"),
                                   ::testing::HasSubstr("reference")));
    }
  }
  EXPECT_EQ(make_formulation({.method = "auto"}, model, topology, assembled)->name(), "branches");
}

}  // namespace
}  // namespace sarrus::tests
