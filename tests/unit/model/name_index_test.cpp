#include "sarrus/model/name_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sarrus {
namespace {

struct Named {
  std::string name;
};

TEST(NameIndex, FindsEveryNameAndNoOther) {
  std::vector<Named> elements;
  NameIndex index;
  EXPECT_EQ(index.find("link0", elements), -1);
  for (int i = 0; i < 5000; ++i) {
    elements.push_back({"link" + std::to_string(i)});
    ASSERT_TRUE(index.insert(elements.back().name, i, elements));
  }
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(index.find("link" + std::to_string(i), elements), i);
  EXPECT_EQ(index.find("link5000", elements), -1);
  EXPECT_EQ(index.find("", elements), -1);
}

TEST(NameIndex, RefusesANameThatIsTaken) {
  const std::vector<Named> elements = {{"a"}, {"b"}, {"a"}};
  NameIndex index;
  index.reserve(2);
  EXPECT_TRUE(index.insert("a", 0, elements));
  EXPECT_TRUE(index.insert("b", 1, elements));
  EXPECT_FALSE(index.insert("a", 2, elements));
  EXPECT_EQ(index.find("a", elements), 0);
}

}  // namespace
}  // namespace sarrus
