#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/testing/laws.h"
#include "sarrus/testing/random.h"
#include "sarrus/testing/random_mechanism.h"
#include "sarrus/testing/subject.h"

/// How the property tests draw their mechanisms.
namespace sarrus::testing {

/// The modular methods and hamiltonian-dca are judged by the reference in tests/agreement; here daily
/// runs take a share of a share.
inline bool is_judged_elsewhere(const std::string& method) {
  return method == "uzawa" || method == "hamiltonian-dca" || method == "baumgarte" ||
         method == "augmented-lagrangian";
}

/// Seeds of one test: a fixed share in daily runs, all with SARRUS_LONG=1.
struct Seeds {
  std::uint32_t first = 1;
  int share = 0;
  int all = 0;

  int count() const {
    const char* wish = std::getenv("SARRUS_LONG");
    return wish != nullptr && std::string(wish) == "1" ? all : share;
  }

  /// What of them a method is asked.
  Seeds of(const std::string& method) const {
    return {first, is_judged_elsewhere(method) ? (share + 11) / 12 : share, all};
  }
};

/// Every kind of mechanism in turn, mostly small: what goes wrong goes wrong in small ones too, and
/// those are quick to look into.
inline RandomMechanismOptions any_kind(std::uint32_t seed) {
  Random random(seed * 2654435761u + 1);
  RandomMechanismOptions options;
  options.bodies = 1 + random.below(random.chance(0.02) ? 24 : 8);
  options.loops = random.chance(0.6);
  options.floating = random.chance(0.3);
  options.redundant = random.chance(0.35);
  options.singular = options.bodies >= 3 && random.chance(0.12);
  options.point_masses = random.chance(0.2);
  options.forces = random.chance(0.6);
  options.drives = random.chance(0.5);
  options.motions = random.chance(0.4);
  options.moving = random.chance(0.85);
  return options;
}

/// The same, without what no smooth motion starts from: a position where two ways lead on, and point
/// masses, which soon find a direction in which nothing resists a force.
inline RandomMechanismOptions any_smooth_kind(std::uint32_t seed) {
  RandomMechanismOptions options = any_kind(seed);
  options.singular = false;
  options.point_masses = false;
  return options;
}

/// Mechanisms that a method was given, and those that it took.
struct Tally {
  int given = 0, took = 0;
};
inline Tally& tally() {
  static Tally current;
  return current;
}

/// A method that refuses everything agrees with everybody: of many mechanisms it has to take its share.
/// The least is modular methods' of mechanisms with point masses and bodies that cannot stand alone.
inline void expect_takes_enough() {
  constexpr int kMany = 12;
  constexpr double kShare = 0.25;
  const Tally& seen = tally();
  ::testing::Test::RecordProperty("given", seen.given);
  ::testing::Test::RecordProperty("took", seen.took);
  if (seen.given < kMany) return;
  EXPECT_GE(seen.took, kShare * seen.given) << "of " << seen.given;
}

/// Calls `check` for each seed under its trace; the seeds are recorded with the test's results.
inline void for_each_seed(const Seeds& seeds, const std::function<void(std::uint32_t)>& check) {
  const int count = seeds.count();
  tally() = {};
  ::testing::Test::RecordProperty("first_seed", static_cast<int>(seeds.first));
  ::testing::Test::RecordProperty("seeds", count);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t seed = seeds.first + static_cast<std::uint32_t>(i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      check(seed);
    } catch (const std::exception& trouble) {
      ADD_FAILURE() << trouble.what();
    }
    // One mechanism that fails says enough; ten thousand lines more say nothing.
    if (::testing::Test::HasFailure()) return;
  }
  expect_takes_enough();
}

/// The mechanism under a method, or null where the method says that it cannot represent it. The
/// reference method takes all.
inline std::unique_ptr<Subject> taken(const Description& description, const std::string& method,
                                      const IntegratorOptions& integrator = {}) {
  ++tally().given;
  try {
    auto subject = std::make_unique<Subject>(description, method, integrator);
    ++tally().took;
    return subject;
  } catch (const UsageError&) {
    if (method == "reference") throw;
    return nullptr;
  }
}

/// A test for each method there is.
class EveryMethod : public ::testing::TestWithParam<std::string> {};

inline std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  return names;
}

/// The same, or those among them that SARRUS_METHODS names, between commas: for suites whose tests take all
/// methods and hours.
inline std::vector<std::string> methods_asked_for() {
  std::vector<std::string> names = method_names();
  if (const char* wish = std::getenv("SARRUS_METHODS")) {
    const std::string among = "," + std::string(wish) + ",";
    std::erase_if(names, [&](const std::string& name) {
      return among.find("," + name + ",") == std::string::npos;
    });
  }
  return names;
}

inline std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

#define EXPECT_LAW(verdict, tolerance)                                              \
  if (const ::sarrus::testing::Verdict v_ = (verdict); !(v_.defect <= (tolerance))) \
  ADD_FAILURE() << #verdict << ": " << v_.sentence

}  // namespace sarrus::testing
