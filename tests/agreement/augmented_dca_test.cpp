// augmented-dca against the judge: random graphs of every kind; and against order-n on long chains.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "agreement/judged.h"
#include "sarrus/analysis/assembly.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/load_model.h"

namespace sarrus::testing {
namespace {

TEST(AugmentedDcaAgreement, AccelerationsAreThoseOfTheReference) {
  Defects defects{.usual = 1e-10, .always = 1e-8};
  for_each_seed({.first = 90001, .share = 250, .all = 10000}, [&](std::uint32_t seed) {
    const RandomMechanismOptions options =
        any_mechanism(Random(seed * 2654435761u + 11), /*loops=*/0.7, /*redundant=*/0.5);
    Judged both(random_mechanism(seed, options), "augmented-dca");
    defects.add(both.defect());
    both.expect_same_power(defects.always);
  });
  defects.expect_few_unusual();
}

/// The rates of a method at a configuration.
std::vector<double> rates_of(const FormulationOptions& options, const Model& model,
                             const Topology& topology, const Configuration& assembled,
                             const Configuration& moving) {
  const auto formulation = make_formulation(options, model, topology, assembled);
  const auto workspace = formulation->make_workspace();
  MovingState state;
  std::vector<double> rates(static_cast<std::size_t>(formulation->layout().tangent_size()));
  Status status = make_moving_state(*formulation, moving, *workspace, state);
  if (status.ok()) status = formulation->rates(0, state.x, state.discrete, *workspace, rates);
  if (!status.ok()) throw UsageError(status.reason);
  return rates;
}

/// Against order-n at two states, one after the other in the same workspace, with the settings.
void expect_accelerates_as_with_order_n(const Model& model,
                                        const std::vector<MethodSetting>& settings) {
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model, topology).configuration;
  const auto order_n = make_formulation({.method = "order-n"}, model, topology, assembled);
  const auto method = make_formulation({.method = "augmented-dca", .settings = settings}, model,
                                       topology, assembled);
  const auto workspace = order_n->make_workspace();
  const auto own = method->make_workspace();
  std::vector<double> rates(static_cast<std::size_t>(method->layout().tangent_size()));
  for (const unsigned seed : {1, 2}) {
    MovingState state;
    const Configuration moving = random_motion(model, topology, assembled, seed);
    ASSERT_TRUE(make_moving_state(*order_n, moving, *workspace, state).ok());
    Motion expected;
    ASSERT_TRUE(order_n->evaluate(0, state.x, state.discrete, *workspace, expected).ok());
    // The first time without a projection before it.
    MovingState same;
    same.x.assign(static_cast<std::size_t>(method->layout().size()), 0);
    method->encode(expected.configuration, same.x, same.discrete);
    const Status status = method->rates(0, same.x, same.discrete, *own, rates);
    ASSERT_TRUE(status.ok()) << status.reason;
    std::vector<Vec6> found(expected.accelerations.size(), Vec6::Zero());
    for (std::size_t i = 1; i < found.size(); ++i)
      found[i] = Eigen::Map<const Vec6>(&rates[12 * (i - 1) + 6]);
    EXPECT_LE(difference(found, expected.accelerations, model.gravity().norm()), 1e-8);
    ASSERT_TRUE(method->after_step(0, same.x, same.discrete, *own).status.ok());
  }
}

void expect_accelerates_as_with_order_n(const char* name, const Overrides& overrides,
                                        const std::vector<MethodSetting>& settings = {}) {
  SCOPED_TRACE(fmt::format("{} {}", name, overrides.front().value));
  expect_accelerates_as_with_order_n(load_model(name, overrides), settings);
}

/// A chain of links with axes anywhere, its joints described from either side.
Description crooked_chain(std::uint32_t seed, int links, bool floating) {
  Random random(seed);
  Description description;
  description.name = "crooked chain";
  description.gravity = {0, 0, -9.81};
  const auto name = [](int i) { return i < 0 ? std::string("ground") : fmt::format("b{}", i); };
  Vec3 at = Vec3::Zero();
  for (int i = 0; i < links; ++i) {
    BodyDescription body;
    body.name = name(i);
    body.mass = random.log_uniform(0.1, 10);
    body.center_of_mass = random.vector(0.3);
    const Vec3 sides = Vec3(1, 1.2, 1.5) * random.uniform(0.1, 0.5);
    body.inertia = (body.mass * sides.cwiseProduct(sides)).asDiagonal();
    body.pose = {random.rotation(), at + random.vector(0.2)};
    description.add_body(body);
    if (i > 0 || !floating) {
      JointDescription joint;
      joint.name = fmt::format("J{}", i);
      joint.body_a = name(i - 1);
      joint.body_b = name(i);
      if (random.chance(0.5)) std::swap(joint.body_a, joint.body_b);
      joint.at = {random.rotation(), at};
      description.add_joint(joint);
    }
    at += random.direction();
  }
  return description;
}

TEST(AugmentedDcaAgreement, JoinsDoNotMindWhichBodyOfAJointComesFirst) {
  for_each_seed({.first = 70001, .share = 20, .all = 400}, [](std::uint32_t seed) {
    Random random(seed + 1);
    const int links = 3 + random.below(30);
    const Model model(crooked_chain(seed, links, random.chance(0.5)));
    for (const char* part_bodies : {"2", "5"})
      expect_accelerates_as_with_order_n(model, {{"part_bodies", part_bodies}});
  });
}

TEST(AugmentedDcaAgreement, OpenMechanismsAccelerateAsWithOrderN) {
  const bool long_run = std::getenv("SARRUS_LONG") != nullptr;
  for (const char* joints : {"revolute", "mixed"})
    for (const int links : {16, 300, 1024, 65536})
      if (links <= 1024 || long_run)
        expect_accelerates_as_with_order_n("chain",
                                           {{"links", std::to_string(links)}, {"joints", joints}});
  expect_accelerates_as_with_order_n("tree", {{"depth", "9"}});
  expect_accelerates_as_with_order_n("tree", {{"depth", "5"}}, {{"part_bodies", "2"}});
  expect_accelerates_as_with_order_n("star", {{"arms", "3"}, {"links", "100"}});
  expect_accelerates_as_with_order_n("star", {{"arms", "200"}});
  expect_accelerates_as_with_order_n("chain", {{"links", "40"}}, {{"part_bodies", "3"}});
}

TEST(AugmentedDcaAgreement, TheBitsDoNotDependOnTheNumberOfThreads) {
  const bool long_run = std::getenv("SARRUS_LONG") != nullptr;
  const std::pair<const char*, Overrides> cases[] = {
      {"chain", {{"links", "2000"}}},
      {"chain", {{"links", "600"}, {"joints", "mixed"}}},
      {"tree", {{"depth", "9"}}},
      {"ladder", {{"cells", long_run ? "2000" : "60"}}}};
  for (const auto& [name, overrides] : cases) {
    SCOPED_TRACE(name);
    const Model model = load_model(name, overrides);
    const Topology topology = analyse_topology(model);
    const Configuration assembled = assemble(model, topology).configuration;
    const Configuration moving = random_motion(model, topology, assembled, 3);
    expect_same_bits([&](int threads) {
      // Every leaf by itself, so that the work really is divided.
      return rates_of({.method = "augmented-dca", .settings = {{"grain", "0"}}, .threads = threads},
                      model, topology, assembled, moving);
    });
  }
}

}  // namespace
}  // namespace sarrus::testing
