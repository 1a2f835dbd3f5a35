// Scenario double-loop: two pentagons that share a side; four freedoms, coupled loops.
// Reference: reference.csv, made by other code in 36 digits; see the scenario's README.

#include <gtest/gtest.h>

#include "scenario/pentagon.h"

namespace sarrus::tests {
namespace {

TEST(DoubleLoop, FollowsItsReference) { expect_follows_reference("double-loop"); }

TEST(DoubleLoop, RunsOnAnInclinedBase) { expect_runs_on_an_inclined_base("double-loop"); }

}  // namespace
}  // namespace sarrus::tests
