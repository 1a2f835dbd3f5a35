#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/branches/partition.h"
#include "sarrus/io/load_model.h"
#include "sarrus/topology/topology.h"

namespace sarrus {
namespace {

using ::testing::HasSubstr;

struct Cut {
  explicit Cut(const std::string& name, const Overrides& overrides = {})
      : model(load_model(name, overrides)), tree(model, analyse_topology(model)) {}
  static long count(const std::vector<char>& cut) { return std::count(cut.begin(), cut.end(), 1); }

  Model model;
  tree::Tree tree;
};

TEST(BranchesPartition, CutsTheJointsThatAreNamed) {
  const Cut chain("chain", {{"links", "8"}});
  const std::vector<char> cut = branches::cut_at(chain.tree, {"J3", "J6"});
  EXPECT_EQ(Cut::count(cut), 2);
  for (const char* name : {"J3", "J6"})
    EXPECT_TRUE(cut[to_index(chain.tree.slot_of(chain.model.find_joint(name)))]) << name;
}

TEST(BranchesPartition, RefusesAJointToGroundByName) {
  const Cut chain("chain", {{"links", "3"}});
  try {
    branches::cut_at(chain.tree, {"J1"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'J1'"));
    EXPECT_THAT(error.what(), HasSubstr("ground"));
  }
}

TEST(BranchesPartition, BranchesOfAChainAreAboutEqual) {
  const Cut chain("chain", {{"links", "96"}});
  for (const int branches : {2, 3, 8}) {
    SCOPED_TRACE(branches);
    const std::vector<char> cut = branches::cut_evenly(chain.tree, branches);
    EXPECT_EQ(Cut::count(cut), branches - 1);
    int length = 0, longest = 0;
    for (const char starts : cut) {
      length = starts ? 1 : length + 1;
      longest = std::max(longest, length);
    }
    // Links are alike: none has more than its share, rounded up.
    EXPECT_LE(longest, 96 / branches + 1);
  }
}

TEST(BranchesPartition, OneBranchCutsNothing) {
  const Cut star("star", {{"arms", "5"}, {"links", "4"}});
  EXPECT_EQ(Cut::count(branches::cut_evenly(star.tree, 1)), 0);
}

}  // namespace
}  // namespace sarrus
