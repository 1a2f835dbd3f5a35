#include "sarrus/formulations/method.h"

#include <fmt/format.h>

#include "sarrus/formulations/order_n/order_n.h"
#include "sarrus/formulations/setting_values.h"

namespace sarrus {
namespace {

OrderNOptions order_n_options(const FormulationOptions& options) {
  OrderNOptions result;
  for (const MethodSetting& setting : options.settings)
    if (setting.name == "kernel")
      result.kernel = setting.value;
    else if (setting.name == "baumgarte")
      result.baumgarte = positive_number(setting, true);
  return result;
}

bool suits_order_n(const RankStudy& study) {
  return study.model().mode_count() == 0 && study.topology().is_tree();
}

std::unique_ptr<Formulation> make_order_n(const FormulationOptions& options, RankStudy& study) {
  return std::make_unique<OrderN>(study, order_n_options(options));
}

}  // namespace

Method order_n_method() {
  return {.info = {.name = "order-n",
                   .summary =
                       "joint coordinates, articulated-body recursion: open mechanisms at linear "
                       "cost; cut loops drift",
                   .literature = "Featherstone 1983",
                   .settings = {"kernel", "baumgarte"},
                   .projects = false},
          .make = make_order_n,
          .suits = suits_order_n};
}

}  // namespace sarrus
