#include "sarrus/base/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sarrus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Diagnostic, TellsFileLineAndColumn) {
  EXPECT_EQ(to_string(Diagnostic{{"arm.yaml", 12, 5}, "body 'link' has no mass", ""}),
            "arm.yaml:12:5: error: body 'link' has no mass");
}

TEST(Diagnostic, PutsTheHintOnItsOwnLine) {
  EXPECT_EQ(to_string(Diagnostic{{"arm.yaml", 1, 2}, "wrong", "mend it"}),
            "arm.yaml:1:2: error: wrong\n  hint: mend it");
}

TEST(Diagnostic, LeavesOutAPlaceThatIsUnknown) {
  EXPECT_EQ(to_string(Diagnostic{{}, "wrong", ""}), "error: wrong");
  EXPECT_EQ(to_string(Diagnostic{{"arm.yaml", 0, 0}, "wrong", ""}), "arm.yaml: error: wrong");
}

TEST(ModelError, SaysEveryMistakeOnALineOfItsOwn) {
  const ModelError error({{{}, "first", ""}, {{}, "second", "do this"}, {{}, "third", ""}});
  EXPECT_STREQ(error.what(), "error: first\nerror: second\n  hint: do this\nerror: third");
  EXPECT_EQ(error.diagnostics().size(), 3u);
}

TEST(Closest, FindsASlipOfThePen) {
  const std::vector<std::string> words = {"crank", "coupler", "rocker"};
  EXPECT_EQ(closest("crnak", words), "");  // two letters of five are too many
  EXPECT_EQ(closest("crankk", words), "crank");
  EXPECT_EQ(closest("couplre", words), "coupler");
  EXPECT_EQ(closest("rocer", words), "rocker");
  EXPECT_EQ(closest("rocker", words), "rocker");
}

TEST(Closest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(closest("wheel", {"crank", "coupler"}), "");
  EXPECT_EQ(closest("anything", {}), "");
}

TEST(Closest, NeverOffersAWordThatSharesNoLetter) {
  EXPECT_EQ(closest("", {"x", "y"}), "");
  EXPECT_EQ(closest("z", {"x", "y", "angle"}), "");
}

TEST(Closest, PrefersTheNearest) {
  EXPECT_EQ(closest("link12", {"link1", "link12a", "link13x", "link12"}), "link12");
}

TEST(Suggestion, ListsTheKnownNames) {
  EXPECT_EQ(suggestion("crnk", {"crank", "rocker"}, "bodies"),
            "did you mean 'crank'? known bodies: crank, rocker");
  EXPECT_EQ(suggestion("wheel", {"crank", "rocker"}, "bodies"), "known bodies: crank, rocker");
}

TEST(Suggestion, SaysThatThereAreNone) {
  EXPECT_EQ(suggestion("crank", {}, "joints"), "there are no joints");
}

TEST(Suggestion, DoesNotListHundreds) {
  std::vector<std::string> names;
  for (int i = 100; i < 300; ++i) names.push_back("body" + std::to_string(i));
  EXPECT_EQ(suggestion("body2999", names, "bodies"), "did you mean 'body299'?");
  const std::string text = suggestion("wheel", names, "bodies");
  EXPECT_THAT(text, HasSubstr("body100, body101"));
  EXPECT_THAT(text, HasSubstr("(200 in all)"));
  EXPECT_THAT(text, Not(HasSubstr("body120")));
}

}  // namespace
}  // namespace sarrus
