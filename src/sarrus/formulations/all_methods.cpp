#include "sarrus/formulations/method.h"

namespace sarrus {

// Each is in its own folder.
Method order_n_method();
Method coordinate_reduction_method();
Method augmented_dca_method();
Method hamiltonian_dca_method();
Method branches_method();
Method mass_matrix_method();
Method uzawa_method();
Method baumgarte_method();
Method augmented_lagrangian_method();
Method reference_method();

const std::vector<Method>& all_methods() {
  static const std::vector<Method> all = {
      order_n_method(),
      coordinate_reduction_method(),
      augmented_dca_method(),
      hamiltonian_dca_method(),
      branches_method(),
      mass_matrix_method(),
      uzawa_method(),
      baumgarte_method(),
      augmented_lagrangian_method(),
      reference_method(),
  };
  return all;
}

}  // namespace sarrus
