#pragma once

#include <string>

namespace sarrus {

/// How to integrate. The defaults are those of the command line.
struct IntegratorOptions {
  std::string method = "dopri5";  ///< one of `integrator_names()`
  double step = 0;                ///< fixed step [s]; 0: adaptive
  double rtol = 1e-8;             ///< relative tolerance of one step, by component
  double atol = 1e-8;             ///< absolute tolerance, in the component's unit
  double max_step = 0;            ///< [s]; 0: no limit but the interval's
  double interval = 0;  ///< length of the run [s]: adaptive steps stay below a tenth; 0: unknown
};

}  // namespace sarrus
