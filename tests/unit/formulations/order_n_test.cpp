// order-n: its two texts against each other, what it refuses, and that it leaves the heap alone.
// Against the judge it is held in tests/agreement.

#include "sarrus/formulations/order_n/order_n.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sarrus/analysis/assembly.h"
#include "sarrus/articulated/kernels/kernels.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/testing/random.h"
#include "sarrus/testing/random_mechanism.h"
#include "unit/formulations/allocations.h"
#include "unit/model/mechanisms.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::size_t of(int n) { return static_cast<std::size_t>(n); }

/// A model with a random state of its own, and its rates under any kernel.
class Trial {
 public:
  Trial(const Description& description, std::uint32_t seed)
      : model_(description), topology_(analyse_topology(model_)) {
    const OrderN method = under("plain");
    std::vector<double> start(of(method.layout().size()));
    method.encode(assemble(model_, topology_).configuration, start, discrete_);
    // Away from the described pose, moving.
    std::vector<double> u(of(method.layout().tangent_size()));
    testing::Random random(seed);
    for (double& component : u) component = random.uniform(-1, 1);
    x_ = start;
    method.layout().retract(start, u, x_);
    auto workspace = method.make_workspace();
    EXPECT_TRUE(method.after_step(0, x_, discrete_, *workspace).status.ok());
  }

  OrderN under(const std::string& kernel) const { return OrderN(model_, topology_, {kernel}); }

  std::vector<double> rates(const std::string& kernel) const {
    const OrderN method = under(kernel);
    std::vector<double> dx(of(method.layout().tangent_size()));
    auto workspace = method.make_workspace();
    const Status status = method.rates(0.1, x_, discrete_, *workspace, dx);
    EXPECT_TRUE(status.ok()) << status.reason;
    return dx;
  }

  /// Eight states, each a little further on, beside the same one by one.
  void expect_batch_agrees(const std::string& kernel, double tolerance) const {
    const OrderN method = under(kernel);
    const std::size_t size = x_.size();
    std::vector<double> x(8 * size), dx(8 * of(method.layout().tangent_size()));
    std::vector<std::vector<double>> states(8, x_);
    std::vector<double> u(of(method.layout().tangent_size()));
    for (std::size_t l = 0; l < 8; ++l) {
      std::fill(u.begin(), u.end(), 0.05 * static_cast<double>(l));
      method.layout().retract(x_, u, states[l]);
      for (std::size_t i = 0; i < size; ++i) x[8 * i + l] = states[l][i];
    }
    auto workspace = method.make_batch_workspace();
    const Status status = method.batch_rates(0.1, x, discrete_, *workspace, dx);
    ASSERT_TRUE(status.ok()) << status.reason;
    auto single = method.make_workspace();
    for (std::size_t l = 0; l < 8; ++l) {
      std::vector<double> expected(of(method.layout().tangent_size()));
      ASSERT_TRUE(method.rates(0.1, states[l], discrete_, *single, expected).ok());
      std::vector<double> lane(expected.size());
      for (std::size_t i = 0; i < lane.size(); ++i) lane[i] = dx[8 * i + l];
      EXPECT_LE(difference(lane, expected), tolerance) << "state " << l;
    }
  }

  static double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double size = 1e-300, most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      size = std::max(size, std::abs(b[i]));
      most = std::max(most, std::abs(a[i] - b[i]));
    }
    return most / size;
  }

  void add_to_coordinates(double angle) {
    const std::size_t count = of(under("plain").tree().nq());
    for (std::size_t i = 0; i < count; ++i) x_[i] += angle;
  }

  const std::vector<double>& x() const { return x_; }
  const Discrete& discrete() const { return discrete_; }
  const Model& model() const { return model_; }
  const Topology& topology() const { return topology_; }

 private:
  Model model_;
  Topology topology_;
  std::vector<double> x_;
  Discrete discrete_;
};

/// A stout bar: a slender one would bring its own condition number along.
BodyDescription bar(int i, const Vec3& from, const Vec3& to) {
  BodyDescription body = rod("link" + std::to_string(i), from, to);
  body.inertia = Vec3(0.002, 0.005, 0.006).asDiagonal();
  return body;
}

/// A row of bars with joints of these types in turn.
Description row(int links, const std::vector<JointType>& types) {
  Description d;
  for (int i = 1; i <= links; ++i) {
    const Vec3 from(0.2 * (i - 1), 0, 0);
    d.add_body(bar(i, from, from + Vec3(0.2, 0, 0)));
    JointDescription j = joint("J" + std::to_string(i), types[of(i) % types.size()],
                               i == 1 ? "ground" : "link" + std::to_string(i - 1),
                               "link" + std::to_string(i), from, Vec3::Unit(i % 3));
    if (j.type == JointType::kHelical) j.lead = 0.1;
    if (i % 5 == 0) std::swap(j.body_a, j.body_b);
    d.add_joint(j);
  }
  return d;
}

/// Every body but the first hangs on body (i − 1) / branching.
Description bush(int bodies, int branching, const std::vector<JointType>& types) {
  Description d;
  for (int i = 0; i < bodies; ++i) {
    const Vec3 from(0.1 * (i % 7), 0.1 * (i % 5), -0.1 * (i % 3));
    d.add_body(bar(i, from, from + Vec3(0.2, 0.1, 0)));
    JointDescription j = joint("J" + std::to_string(i), types[of(i) % types.size()],
                               i == 0 ? "ground" : "link" + std::to_string((i - 1) / branching),
                               "link" + std::to_string(i), from, Vec3::Unit(i % 3));
    if (j.type == JointType::kHelical) j.lead = 0.1;
    d.add_joint(j);
  }
  return d;
}

/// The same with everything that acts on bodies and joints, and prescribed motions here and there.
Description loaded(Description d) {
  const auto body = [&](std::size_t i) { return d.bodies[i % d.bodies.size()].name; };
  d.add_force("push", AppliedForceDescription{
                          .body = body(5), .point = Vec3(0.1, 0.2, 0), .direction = Vec3(1, 2, 3)});
  d.add_force("twist",
              AppliedTorqueDescription{
                  .body = body(11), .direction = Vec3(0.1, 0, -0.2), .frame = LoadFrame::kBody});
  d.add_force("band", PointSpringDescription{.body_a = body(3),
                                             .body_b = body(20),
                                             .point_a = d.bodies[3].pose.p,
                                             .point_b = d.bodies[20].pose.p,
                                             .stiffness = 10,
                                             .damping = 1,
                                             .rest_length = 0.1});
  int k = 0;
  for (const JointDescription& j : d.joints) {
    const auto& names = joint_coordinate_names(j.type);
    if (names.empty()) continue;
    const std::string& name = names[of(++k) % names.size()];
    if (k % 7 == 0)
      d.add_force("drive " + j.name,
                  MotionDescription{j.name, name,
                                    TimeFunction(TimeFunction::Sine{0.3, 2.0, 0.1 * k, 0.0})});
    else if (k % 3 == 0)
      d.add_force("spring " + j.name, JointSpringDescription{j.name, name, 5, 0.2});
    else if (k % 3 == 1)
      d.add_force("friction " + j.name, JointFrictionDescription{j.name, name, 0.1, 0.05, 0.01});
  }
  return d;
}

const std::vector<JointType> kMixed = {
    JointType::kRevolute, JointType::kSpherical,   JointType::kPrismatic, JointType::kUniversal,
    JointType::kHelical,  JointType::kCylindrical, JointType::kPlanar,    JointType::kFixed};

// The kernels sum in another order and with fused multiply-adds: roundings, amplified by the
// condition of the mechanism, which is at most some 1e4.
constexpr double kKernelRounding = 1e-11;

void expect_kernels_agree(const Trial& trial, double tolerance) {
  const std::vector<double> expected = trial.rates("plain");
  for (const articulated::Kernel* kernel : articulated::available_kernels()) {
    SCOPED_TRACE(kernel->name);
    EXPECT_LE(Trial::difference(trial.rates(kernel->name), expected), tolerance);
    trial.expect_batch_agrees(kernel->name, tolerance);
  }
  trial.expect_batch_agrees("plain", tolerance);
}

TEST(OrderN, KernelsAgreeWithThePlainRecursionOnRandomMechanisms) {
  for (std::uint32_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    const Description d =
        testing::random_mechanism(seed, {.bodies = 1 + static_cast<int>(seed % 24),
                                         .floating = seed % 3 == 0,
                                         .forces = seed % 2 == 0,
                                         .drives = seed % 4 < 2,
                                         .motions = seed % 7 < 3,
                                         .mass_ratio = 100});
    expect_kernels_agree(Trial(d, seed), kKernelRounding);
    if (HasFailure()) return;
  }
}

TEST(OrderN, KernelsAgreeOnLongRows) {
  // These are well conditioned whatever their length: a few dozen roundings.
  constexpr double kFewRoundings = 1e-12;
  for (const int links : {1, 3, 4, 5, 16, 17, 64, 201}) {
    SCOPED_TRACE(links);
    expect_kernels_agree(Trial(row(links, {JointType::kRevolute}), 1), kFewRoundings);
    expect_kernels_agree(Trial(row(links, {JointType::kSpherical}), 2), kFewRoundings);
    // Sliding joints bring lengths of metres beside links of 0.2 m: another digit.
    expect_kernels_agree(Trial(row(links, kMixed), 3), kKernelRounding);
  }
}

TEST(OrderN, KernelsAgreeOnBushes) {
  for (const int bodies : {7, 40, 121})
    for (const int branching : {2, 3, 9}) {
      SCOPED_TRACE(fmt::format("{} bodies, {} children each", bodies, branching));
      expect_kernels_agree(Trial(bush(bodies, branching, {JointType::kRevolute}), 1),
                           kKernelRounding);
      expect_kernels_agree(Trial(bush(bodies, branching, kMixed), 2), kKernelRounding);
    }
}

TEST(OrderN, WideTreesGoByLevelsLongOnesByChains) {
  EXPECT_EQ(Trial(bush(127, 2, {JointType::kRevolute}), 1).under("").tree().traversal(),
            tree::Traversal::kLevels);
  EXPECT_EQ(Trial(row(127, {JointType::kRevolute}), 1).under("").tree().traversal(),
            tree::Traversal::kChains);
}

TEST(OrderN, AnglesOfManyTurnsAreAngles) {
  // Beyond 1e5 rad the kernels leave sine and cosine to the C library.
  for (const Description& d :
       {row(9, {JointType::kRevolute}), row(9, {JointType::kRevolute, JointType::kUniversal}),
        bush(40, 3, {JointType::kRevolute})})
    for (const double turns : {3.0, 1e4, 1e6}) {
      const Trial trial(d, 5);
      Trial turned = trial;
      turned.add_to_coordinates(turns * 2 * 3.14159265358979323846);
      // The angle itself is known to its last bit only.
      const double tolerance = 1e-12 + 1e-14 * turns;
      EXPECT_LE(Trial::difference(turned.rates(""), trial.rates("")), tolerance);
      turned.expect_batch_agrees("", tolerance);
    }
}

TEST(OrderN, AnEvaluationAllocatesNothing) {
  for (const Description& d :
       {row(40, {JointType::kRevolute}), row(40, kMixed), bush(60, 3, {JointType::kRevolute}),
        bush(60, 3, kMixed), loaded(bush(60, 3, kMixed)), loaded(row(40, kMixed))}) {
    const Trial trial(d, 3);
    const OrderN method = trial.under("");
    std::vector<double> dx(of(method.layout().tangent_size()));
    std::vector<double> x8(8 * trial.x().size()), dx8(8 * dx.size());
    for (std::size_t i = 0; i < x8.size(); ++i) x8[i] = trial.x()[i / 8];
    const long at_start = tests::allocations();
    auto workspace = method.make_workspace();
    auto batch_workspace = method.make_batch_workspace();
    EXPECT_TRUE(!tests::kCountsAllocations || tests::allocations() > at_start)
        << "nothing is counted";
    const auto evaluate = [&] {
      EXPECT_TRUE(method.rates(0.1, trial.x(), trial.discrete(), *workspace, dx).ok());
      EXPECT_TRUE(method.batch_rates(0.1, x8, trial.discrete(), *batch_workspace, dx8).ok());
    };
    evaluate();
    const long before = tests::allocations();
    evaluate();
    EXPECT_EQ(tests::allocations() - before, 0)
        << d.bodies.size() << " bodies, " << d.forces.size() << " forces";
  }
}

TEST(OrderN, KernelsAgreeUnderLoadsAndDrives) {
  for (const Description& d :
       {loaded(row(33, kMixed)), loaded(row(33, {JointType::kRevolute})),
        loaded(bush(60, 3, kMixed)), loaded(bush(60, 4, {JointType::kRevolute}))}) {
    const Trial trial(d, 4);
    SCOPED_TRACE(trial.under("").tree().traversal() == tree::Traversal::kChains ? "chains"
                                                                                : "levels");
    expect_kernels_agree(trial, kKernelRounding);
  }
}

TEST(OrderN, LengthAloneIsNoLackOfInertia) {
  // What hangs on the first link outweighs it a million times; its own inertia is still there.
  for (const auto& types : {std::vector{JointType::kSpherical}, kMixed}) {
    const Trial trial(row(20000, types), 1);
    const OrderN method = trial.under("");
    auto workspace = method.make_workspace();
    Motion motion;
    const Status status = method.evaluate(0, trial.x(), trial.discrete(), *workspace, motion);
    EXPECT_TRUE(status.ok()) << status.reason;
  }
}

/// A planar loop of four revolute joints.
Description square() {
  return ring({{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}, same(4, Vec3::UnitZ()));
}

TEST(OrderN, TakesLoopsOnlyWhenItIsNamed) {
  const Model model(square());
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model).configuration;
  const auto method = make_formulation({.method = "order-n"}, model, topology, assembled);
  EXPECT_EQ(method->name(), "order-n");
  EXPECT_EQ(method->variant(), "plain");
  EXPECT_EQ(method->projection(), Projection::kOff);
  EXPECT_EQ(make_formulation({}, model, topology, assembled)->name(), "coordinate-reduction");
  EXPECT_THAT([&] { OrderN(model, topology); }, ThrowsMessage<UsageError>(HasSubstr("1 loop")));
}

TEST(OrderN, TellsWhatItCannotDoWithLoops) {
  const Model model(square());
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model).configuration;
  const auto make = [&](Projection projection, const MethodSetting& setting) {
    make_formulation({.method = "order-n", .projection = projection, .settings = {setting}}, model,
                     topology, assembled);
  };
  for (const Projection projection : {Projection::kStep, Projection::kStage})
    EXPECT_THAT(
        [&] {
          make(projection, {"baumgarte", "1"});
        },
        ThrowsMessage<UsageError>(HasSubstr("no projection")));
  EXPECT_NO_THROW(make(Projection::kOff, {"baumgarte", "0"}));
  EXPECT_THAT(
      [&] {
        make(Projection::kOff, {"baumgarte", "-1"});
      },
      ThrowsMessage<UsageError>(HasSubstr("non-negative")));
  EXPECT_THAT(
      [&] {
        make(Projection::kOff, {"kernel", "x86-64-v3"});
      },
      ThrowsMessage<UsageError>(HasSubstr("open mechanisms only")));
}

TEST(OrderN, NamesABodyThatIsWithoutInertiaOnceLoopsAreCut) {
  Description d = square();
  d.bodies[1].inertia.setZero();
  d.bodies[1].pose.p = Vec3(0, 1, 0);  // on the hinge that is left when J3 is cut
  d.joints[2].cut = CutPreference::kPrefer;
  const Model model(d);
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model).configuration;
  RankStudy study(model, topology, assembled);
  EXPECT_THAT([&] { OrderN{study}; },
              ThrowsMessage<UsageError>(HasSubstr("cuts the loops, and then body 'link2'")));
}

TEST(OrderN, AutoTakesItForOpenMechanisms) {
  const Model model(row(3, {JointType::kRevolute}));
  EXPECT_EQ(
      make_formulation({}, model, analyse_topology(model), assemble(model).configuration)->name(),
      "order-n");
}

TEST(OrderN, AKernelThatDoesNotExistIsNamedWithThoseThatDo) {
  const Model model(row(2, {JointType::kRevolute}));
  const Topology topology = analyse_topology(model);
  EXPECT_THAT([&] { OrderN(model, topology, {"x86-64-v5"}); },
              ThrowsMessage<UsageError>(HasSubstr("x86-64-v4")));
}

TEST(OrderN, ABodyThatMovesWithoutInertiaIsNamed) {
  Description d = row(3, {JointType::kRevolute});
  BodyDescription bead;
  bead.name = "bead";
  bead.mass = 1;
  bead.pose.p = Vec3(0.6, 0, 0);
  d.add_body(bead);
  d.add_joint(joint("spin", JointType::kRevolute, "link3", "bead", {0.6, 0, 0}, Vec3::UnitX()));
  const Model model(d);
  const OrderN method(model, analyse_topology(model));
  std::vector<double> x(of(method.layout().size()));
  Discrete discrete;
  method.encode(model.reference_configuration(), x, discrete);
  auto workspace = method.make_workspace();
  Motion motion;
  const Status status = method.evaluate(0, x, discrete, *workspace, motion);
  EXPECT_EQ(status.code, Status::Code::kSingular);
  EXPECT_THAT(status.reason, HasSubstr("'bead'"));
}

TEST(OrderN, AStateThatIsNotFiniteIsAStatus) {
  const Trial trial(row(6, kMixed), 1);
  const OrderN method = trial.under("");
  std::vector<double> x = trial.x();
  x[2] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> dx(of(method.layout().tangent_size()));
  auto workspace = method.make_workspace();
  EXPECT_EQ(method.rates(0, x, trial.discrete(), *workspace, dx).code, Status::Code::kNotFinite);
}

TEST(OrderN, NumbersBelongToJointsAndFloatingBodies) {
  Description d = row(2, {JointType::kRevolute});
  d.add_body(brick("loose", {0, 5, 0}));
  const Model model(d);
  const OrderN method(model, analyse_topology(model));
  std::vector<std::string> names;
  for (int i = 0; i < method.layout().tangent_size(); ++i) names.push_back(method.element_of(i));
  EXPECT_THAT(names, ::testing::Contains("joint 'J1'").Times(2));
  EXPECT_THAT(names, ::testing::Contains("joint 'J2'").Times(2));
  EXPECT_THAT(names, ::testing::Contains("body 'loose'").Times(12));
  EXPECT_EQ(names.back(), "");
}

}  // namespace
}  // namespace sarrus
