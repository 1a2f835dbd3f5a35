#include "sarrus/formulations/method.h"

#include "sarrus/formulations/reference/reference.h"

namespace sarrus {
namespace {

std::unique_ptr<Formulation> make_reference(const FormulationOptions& options, RankStudy& study) {
  return std::make_unique<Reference>(study.model(), study.mobility(), study.conditioning(),
                                     options.projection);
}

}  // namespace

Method reference_method() {
  return {
      .info = {.name = "reference",
               .summary = "maximal coordinates, one dense system: slow, obvious, the judge of the "
                          "others",
               .literature = "textbook",
               .flexible_bodies = true,
               .body_states = true,
               .judges = true},
      .make = make_reference};
}

}  // namespace sarrus
