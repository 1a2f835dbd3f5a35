// Rows of equal cells, which coordinate-reduction computes side by side, against the judge.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "agreement/difference.h"
#include "agreement/instant.h"
#include "property/suite.h"
#include "sarrus/io/load_model.h"
#include "sarrus/testing/random.h"

namespace sarrus::testing {
namespace {

const bool kManySeeds = std::getenv("SARRUS_LONG") != nullptr;

/// Cells between rockers on ground: types of the rocker's joint, the coupler's, and the closing one.
struct CellKind {
  const char* name;
  JointType ground, coupler, closing;
  bool spatial = false;  ///< axes anywhere; else all along z, and ground joints that slide along x
};

constexpr CellKind kCellKinds[] = {
    {"four-bars", JointType::kRevolute, JointType::kRevolute, JointType::kRevolute},
    {"sliders", JointType::kPrismatic, JointType::kRevolute, JointType::kRevolute},
    {"screws", JointType::kHelical, JointType::kRevolute, JointType::kCylindrical},
    {"sleeves", JointType::kCylindrical, JointType::kRevolute, JointType::kRevolute},
    {"spatial four-bars", JointType::kRevolute, JointType::kUniversal, JointType::kSpherical, true},
    {"swinging sleeves", JointType::kRevolute, JointType::kRevolute, JointType::kCylindrical},
};

void add_loads(Drawing& drawing, int cell, const CellKind& kind, Random& random) {
  const std::string n = std::to_string(cell), before = std::to_string(cell - 1);
  Description& description = drawing.description;
  if (kind.coupler == JointType::kRevolute && random.chance(0.4))
    description.add_force("spring" + n, JointSpringDescription{.joint = "B" + n, .stiffness = 5});
  if (kind.closing == JointType::kRevolute && random.chance(0.3))
    description.add_force(
        "friction" + n,
        JointFrictionDescription{.joint = "C" + n, .coordinate = "angle", .viscous = 0.3});
  if (random.chance(0.3))
    description.add_force("between" + n, PointSpringDescription{.body_a = "rocker" + before,
                                                                .body_b = "rocker" + n,
                                                                .point_a = random.vector(1),
                                                                .point_b = random.vector(1),
                                                                .stiffness = 20,
                                                                .damping = 0.5});
}

/// Cells of one kind with lengths, masses and loads of their own. The last may carry a pendulum, so
/// that the front goes on without lanes.
Description row_of_cells(const CellKind& kind, int cells, std::uint32_t seed) {
  Random random(seed);
  Drawing drawing;
  drawing.description.gravity = {1, -9.81, 0.5};
  const auto axis = [&] { return kind.spatial ? random.direction() : Vec3(Vec3::UnitZ()); };
  const auto ground_axis = [&]() -> Vec3 {
    return kind.ground == JointType::kPrismatic ? Vec3(1, random.uniform(-0.3, 0.3), 0) : axis();
  };
  const auto length = [&] { return random.uniform(0.7, 1.3); };
  const auto out_of_plane = [&] { return kind.spatial ? random.uniform(-0.4, 0.4) : 0.0; };
  const auto mass = [&] { return std::exp(random.uniform(-1, 1)); };
  Vec3 top(0, 0, 0);
  for (int i = 0; i <= cells; ++i) {
    const std::string n = std::to_string(i), rocker = "rocker" + n;
    const Vec3 pin = top + Vec3(random.uniform(-0.3, 0.3), -length(), out_of_plane());
    drawing.bar(rocker, pin, top, mass());
    drawing.joint("A" + n, kind.ground, "ground", rocker, pin, ground_axis());
    if (i > 0) drawing.joint("C" + n, kind.closing, "coupler" + n, rocker, top, axis());
    if (i > 0) add_loads(drawing, i, kind, random);
    if (i == cells) break;
    const std::string next = std::to_string(i + 1);
    const Vec3 to = top + Vec3(length(), random.uniform(-0.2, 0.2), out_of_plane());
    drawing.bar("coupler" + next, top, to, mass());
    drawing.joint("B" + next, kind.coupler, rocker, "coupler" + next, top, axis());
    top = to;
  }
  if (random.chance(0.5)) {
    const std::string last = std::to_string(cells);
    drawing.bar("pendulum", top, top + 0.4 * random.direction());
    drawing.hinge("P", "rocker" + last, "pendulum", top, random.direction());
  }
  return drawing.description;
}

/// The same told in another order, and joints from either side.
Description retold(Description description, std::uint32_t seed) {
  Random random(seed);
  std::vector<JointDescription>& joints = description.joints;
  for (std::size_t i = joints.size(); i > 1; --i)
    std::swap(joints[i - 1], joints[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  for (JointDescription& joint : joints)
    if (random.chance(0.5)) std::swap(joint.body_a, joint.body_b);
  return description;
}

TEST(CoordinateReductionCells, AccelerateAsUnderTheJudge) {
  // One linear solve with masses ten apart, 1e-14; a row passes motions on from cell to cell. In the
  // plane lengths a third apart let them grow some tenfold on the way, in space, where axes stand
  // anyhow, up to twofold a cell: 2^10.
  for (const CellKind& kind : kCellKinds)
    for (std::uint32_t seed = 1; seed <= (kManySeeds ? 60 : 3); ++seed) {
      const int cells = 4 + static_cast<int>(seed) % 7;  // lanes filled, and half filled
      SCOPED_TRACE(fmt::format("{} {}, seed {}", cells, kind.name, seed));
      const double tolerance = kind.spatial ? 1e-10 : 1e-12;
      const Description row = row_of_cells(kind, cells, seed);
      const Instant instant(seed % 3 == 0 ? retold(row, seed) : row, seed);
      const double gravity = instant.model().gravity().norm();
      const Motion expected = instant.motion({.method = "reference"});
      const FormulationOptions method{.method = "coordinate-reduction"};
      EXPECT_LE(
          difference(instant.watched_motion(method).accelerations, expected.accelerations, gravity),
          tolerance);
      EXPECT_LE(difference(instant.motion(method).accelerations, expected.accelerations, gravity),
                tolerance);
    }
}

// Loops may be closed at either end of a coupler; inertias of a long row are counted many times over.
TEST(CoordinateReductionCells, LongRowsInAnyOrder) {
  Drawing drawing;
  drawing.description.gravity = {1, -9.81, 0};
  for (int i = 0; i <= 300; ++i) {
    const std::string n = std::to_string(i), rocker = "rocker" + n;
    const Vec3 pin(i, 0, 0), top(i + 0.6, 0.8, 0);
    drawing.bar(rocker, pin, top).hinge("A" + n, "ground", rocker, pin);
    if (i == 0) continue;
    drawing.bar("coupler" + n, top - Vec3::UnitX(), top);
    drawing.hinge("B" + n, "rocker" + std::to_string(i - 1), "coupler" + n, top - Vec3::UnitX());
    drawing.hinge("C" + n, "coupler" + n, rocker, top);
  }
  // augmented-dca iterates to 1e-10 or so of the accelerations.
  constexpr double kTolerance = 1e-8;
  for (const std::uint32_t seed : {0u, 1u}) {
    SCOPED_TRACE(seed);
    const Description row = seed == 0 ? drawing.description : retold(drawing.description, seed);
    const Instant instant(row, 1, "augmented-dca");
    const double gravity = instant.model().gravity().norm();
    const Motion expected = instant.motion({.method = "augmented-dca"});
    const FormulationOptions method{.method = "coordinate-reduction"};
    EXPECT_LE(
        difference(instant.watched_motion(method).accelerations, expected.accelerations, gravity),
        kTolerance);
    EXPECT_LE(difference(instant.motion(method).accelerations, expected.accelerations, gravity),
              kTolerance);
  }
}

}  // namespace
}  // namespace sarrus::testing
