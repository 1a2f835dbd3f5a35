#include "sarrus/simulation/sample_times.h"

#include <gtest/gtest.h>

namespace sarrus {
namespace {

std::vector<double> list(const SampleTimes& times) {
  std::vector<double> all;
  for (std::size_t k = 0; k < times.size(); ++k) all.push_back(times[k]);
  return all;
}

TEST(SampleTimes, AreMultiplesAndTheEnd) {
  EXPECT_EQ(list(SampleTimes::every(0.1, 0.3)), (std::vector<double>{0, 0.1, 0.2, 0.3}));
  EXPECT_EQ(list(SampleTimes::every(0.1, 0.25)), (std::vector<double>{0, 0.1, 0.2, 0.25}));
  EXPECT_EQ(list(SampleTimes::every(0.1, 0.05)), (std::vector<double>{0, 0.05}));
  EXPECT_EQ(list(SampleTimes::every(0.1, 0)), (std::vector<double>{0}));
  EXPECT_EQ(list(SampleTimes()), std::vector<double>());
}

TEST(SampleTimes, AreFoundByTime) {
  const SampleTimes regular = SampleTimes::every(0.1, 0.25);
  EXPECT_EQ(regular.first_from(-1), 0);
  EXPECT_EQ(regular.first_from(0.1), 1);
  EXPECT_EQ(regular.first_from(0.11), 2);
  EXPECT_EQ(regular.first_from(0.25), 3);
  EXPECT_EQ(regular.first_from(0.26), regular.size());
  EXPECT_EQ(SampleTimes({0, 2, 5}).first_from(3), 2);
}

TEST(SampleTimes, AreNotStored) {
  const SampleTimes many = SampleTimes::every(1e-9, 10);
  EXPECT_EQ(many.size(), 10000000001);
  EXPECT_EQ(many[5000000000], 5000000000 * 1e-9);
}

}  // namespace
}  // namespace sarrus
