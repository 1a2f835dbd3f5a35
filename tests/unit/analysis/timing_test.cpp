#include "sarrus/analysis/timing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace sarrus {
namespace {

void sleep_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

TEST(Timing, TellsWallFromCpu) {
  const Timing timing = measure_time(sleep_a_while, {.samples = 5});
  EXPECT_EQ(timing.samples, 5);
  EXPECT_EQ(timing.calls, 1);
  EXPECT_GE(timing.wall_min, 0.002);
  EXPECT_LE(timing.wall_min, timing.wall_median);
  EXPECT_LT(timing.cpu_median, 0.002);  // asleep
}

TEST(Timing, MakesSamplesOfManyShortCalls) {
  long count = 0;
  const Timing timing = measure_time([&count] { ++count; }, {.samples = 3});
  EXPECT_GT(timing.calls, 100);
  EXPECT_GE(count, 3 * timing.calls);
}

TEST(Timing, EndsWithItsBudgetOrWhenAsked) {
  EXPECT_EQ(measure_time(sleep_a_while, {.budget = 0}).samples, 5);
  EXPECT_EQ(measure_time(sleep_a_while, {.samples = 1000, .stop = [] { return true; }}).samples, 1);
}

}  // namespace
}  // namespace sarrus
