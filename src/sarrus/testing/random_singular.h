#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sarrus/model/description.h"

namespace sarrus::testing {

/// Mechanisms that are driven through a singular position.
enum class SingularFamily {
  kFourBar,      ///< parallelograms, crossed ones, kites, rhombi, links of one line both ways
  kSliderCrank,  ///< crank and rod of one length: the slider passes the crank's pivot
  kPantograph,   ///< scissors that pass their straight or their folded position
  kNFourBar,     ///< parallelograms side by side; couplers twice, or one for all cranks
  kBennett,      ///< in Bennett's proportion, and those of equal sides that lie folded
  kBricard,      ///< trihedral ones along the edges of a box, and line-symmetric ones
  kSarrus,       ///< hinged pairs of plates at any angle, two or three, that pass flat
  kPlatform,     ///< five-bars and 3-RRR: legs that stretch, cranks driven through or into type 2
};

/// How the tests name them.
std::string_view name_of(SingularFamily family);
const std::vector<SingularFamily>& singular_families();

/// How long their motion is looked at [s].
inline constexpr double kSingularRun = 0.6;

/// One of the family, the same for the same seed on every machine: dimensions, masses, inertias, place
/// in space, gravity, now and then springs, friction and a base that floats are random.
///
/// It starts *off* its singular position, at rates that bring most of a family there within the run. Not
/// all: a Bennett linkage has none but where it lies folded, and of platforms some only stretch a leg,
/// which takes no constraint away.
Description random_singular(SingularFamily family, std::uint32_t seed);

}  // namespace sarrus::testing
