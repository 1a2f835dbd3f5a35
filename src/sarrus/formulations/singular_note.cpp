#include "sarrus/formulations/singular_note.h"

#include <fmt/format.h>

namespace sarrus {

void note_singular_position(double t, double nearest, bool is_past, Discrete& discrete,
                            AfterStep& result) {
  constexpr double kWorthTelling = 0.02;
  std::int64_t& noted = discrete.integers[kSingularNoted];
  if (nearest < kWorthTelling && noted == 0) {
    result.notes.push_back(
        {t, fmt::format("near a singular position: a constraint direction fell to {:.1e} of its "
                        "usual strength",
                        nearest)});
    noted = 1;
  }
  if (is_past) noted = 0;
}

}  // namespace sarrus
