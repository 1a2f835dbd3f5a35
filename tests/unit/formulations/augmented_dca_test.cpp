// What augmented-dca promises beyond being right: agreement is tested elsewhere.

#include <gtest/gtest.h>

#include "sarrus/analysis/assembly.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/load_model.h"
#include "unit/formulations/allocations.h"

namespace sarrus {
namespace {

// Open and closed, redundant, driven, rods without inertia about their axis; the fast sweeps and the
// general ones.
TEST(AugmentedDca, AnEvaluationAllocatesNothing) {
  const std::pair<const char*, Overrides> cases[] = {
      {"chain", {{"links", "300"}}},
      {"chain", {{"links", "150"}, {"joints", "mixed"}}},
      {"tree", {{"depth", "6"}}},
      {"five-bar", {}},
      {"bricard", {}},
      {"driven-slider-crank", {}},
      {"screw-press", {}},
      {"ladder", {{"cells", "3"}}},
      {"grid", {{"rows", "2"}, {"columns", "2"}}}};
  for (const auto& [name, overrides] : cases) {
    SCOPED_TRACE(name);
    const Model model = load_model(name, overrides);
    const Topology topology = analyse_topology(model);
    const Configuration assembled = assemble(model, topology).configuration;
    const auto method = make_formulation({.method = "augmented-dca"}, model, topology, assembled);
    const auto workspace = method->make_workspace();
    MovingState state;
    const Configuration moving = random_motion(model, topology, assembled, 1);
    ASSERT_TRUE(make_moving_state(*method, moving, *workspace, state).ok());
    std::vector<double> rates(static_cast<std::size_t>(method->layout().tangent_size()));
    const auto evaluate = [&] {
      EXPECT_TRUE(method->rates(0, state.x, state.discrete, *workspace, rates).ok());
    };
    evaluate();
    const long before = tests::allocations();
    evaluate();
    EXPECT_EQ(tests::allocations() - before, 0);
  }
}

}  // namespace
}  // namespace sarrus
