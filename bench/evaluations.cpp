// What one evaluation of the rates costs, over the number of bodies: is it linear, and how steep?

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/subject.h"
#include "sarrus/analysis/timing.h"
#include "sarrus/io/load_model.h"

namespace sarrus::bench {
namespace {

struct Arguments {
  std::vector<std::string> shapes = {"chain", "tree"};
  std::string method = best_method();
  int most = 100000;
  double longest = 0.1;
  int calls = 0;
  std::string model;
  std::vector<std::string> values;
};

void print_shape(const std::string& shape, const Arguments& arguments) {
  for (int n = 1; n <= arguments.most; n *= 2) {
    const Tree tree = make_tree(shape, n);
    Subject subject(tree, arguments.method);
    const Timing timing = measure_time([&] { subject.evaluate(); }, {.budget = 0.5});
    fmt::print("{:<8}{:>8}{:>14.3f}{:>14.3f}{:>14.1f}", shape, n, 1e6 * timing.wall_median,
               1e6 * timing.cpu_min, 1e9 * timing.cpu_min / n);
    if (subject.evaluate_batch()) {
      const Timing batch = measure_time([&] { subject.evaluate_batch(); }, {.budget = 0.5});
      fmt::print("{:>14.1f}", 1e9 * batch.cpu_min / n / 8);
    }
    fmt::print("\n");
    std::fflush(stdout);
    if (timing.wall_median > arguments.longest) break;
  }
}

Subject subject_of(const Arguments& arguments) {
  if (arguments.model.empty())
    return Subject(make_tree(arguments.shapes.front(), arguments.most), arguments.method);
  Overrides overrides;
  for (const std::string& value : arguments.values) {
    const std::size_t equals = value.find('=');
    overrides.push_back({value.substr(0, equals), value.substr(equals + 1)});
  }
  return Subject(load_model(arguments.model, overrides), arguments.method);
}

int run(int count, char** words) {
  Arguments arguments;
  CLI::App app("Time of one evaluation of the rates over the number of bodies");
  app.add_option("--shape", arguments.shapes, "chain, tree; default both");
  app.add_option("--method", arguments.method, "default order-n, or reference without it");
  app.add_option("--most", arguments.most, "largest number of bodies; default 100000");
  app.add_option("--longest", arguments.longest, "no larger ones after this [s]; default 0.1");
  app.add_option("--calls", arguments.calls,
                 "only call that many times, with --most bodies: for counting instructions");
  app.add_option("--model", arguments.model, "with --calls: a scenario or model file instead");
  app.add_option("--set", arguments.values, "with --model: NAME=VALUE ...");
  CLI11_PARSE(app, count, words);
  if (arguments.calls > 0) {
    Subject subject = subject_of(arguments);
    for (int i = 0; i < arguments.calls; ++i) subject.evaluate();
    return 0;
  }
  fmt::print("method {}\n{:<8}{:>8}{:>14}{:>14}{:>14}{:>14}\n", arguments.method, "shape", "bodies",
             "wall [µs]", "CPU least", "ns a body", "eight at once");
  for (const std::string& shape : arguments.shapes) print_shape(shape, arguments);
  return 0;
}

}  // namespace
}  // namespace sarrus::bench

int main(int count, char** words) {
  try {
    return sarrus::bench::run(count, words);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
