#pragma once

#include <string>
#include <vector>

#include "sarrus/testing/laws.h"

/// The energy balance along a motion: total − supplied is constant. Judged until a spherical or free
/// joint nears a whole turn, where its coordinates, a rotation vector, end.
namespace sarrus::testing {

struct EnergyRun {
  std::string method = "reference";
  double duration = 0.2;     ///< [s]
  double tolerance = 1e-10;  ///< of dopri5's error control
  int samples = 8;           ///< where the balance is looked at
};

/// Largest |total − supplied − its value at the start| in samples of one motion, relative to the
/// energy that changed hands.
Verdict energy_balance(const Model& model, const std::vector<Motion>& samples);

/// The same for a short run from the start.
Verdict energy_balance(const Description& description, const EnergyRun& run = {});

struct EnergyOrder {
  double coarse = 0;  ///< the balance's largest error, relative, with the given step …
  double fine = 0;    ///< … and with a quarter of it
  double order() const;
};

/// How fast the error of the balance falls with a fixed step of the classical Runge–Kutta method:
/// about 4 where every force is the slope of its energy, 0 where one is not.
EnergyOrder energy_order(const Description& description, double step, const EnergyRun& run = {});

}  // namespace sarrus::testing
