// Times one engine: PROGRAM SHAPE BODIES... prints a line of JSON for each number of bodies.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/peers/peer.h"
#include "sarrus/analysis/timing.h"

namespace sarrus::bench {
namespace {

void print_timing(const std::string& shape, int bodies) {
  const auto peer = make_peer(make_tree(shape, bodies));
  const Timing timing = measure_time([&] { peer->evaluate(); }, {.budget = 0.5});
  double sum = 0;
  for (const double a : peer->joint_accelerations()) sum += a * a;
  std::printf(
      "{\"engine\": \"%s\", \"shape\": \"%s\", \"bodies\": %d, \"wall_median_us\": %.6g, "
      "\"cpu_min_us\": %.6g, \"ns_per_body\": %.6g, \"acceleration\": %.10g}\n",
      peer_name().c_str(), shape.c_str(), bodies, 1e6 * timing.wall_median, 1e6 * timing.cpu_min,
      1e9 * timing.cpu_min / bodies, std::sqrt(sum / bodies));
  std::fflush(stdout);
}

}  // namespace
}  // namespace sarrus::bench

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: %s chain|tree BODIES...\n", words[0]);
    return 2;
  }
  try {
    for (int i = 2; i < count; ++i) sarrus::bench::print_timing(words[1], std::atoi(words[i]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", sarrus::bench::peer_name().c_str(), error.what());
    return 1;
  }
}
