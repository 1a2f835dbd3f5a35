#pragma once

#include <array>
#include <span>

#include "sarrus/formulations/branches/plan.h"

namespace sarrus::branches {

/// The rows of a connection at one instant, about the origins of what carries it.
/// [branches-connection]
struct ConnectionRows {
  struct OneRow {
    Vec6 J_A, J_B;
    double phi = 0, phi_rate = 0, gamma = 0;
    double motion_rate = 0;  ///< of a prescribed motion, 0 for a joint's own row
  };
  std::array<OneRow, 6> row;
  int count = 0;
};

/// The joint's frames as its rows see them.
JointView view_between(const Plan& plan, const Connection& connection, const Frame& a,
                       const Frame& b);

/// `a` and `b` carry the joint's frames; `near` are joint coordinates near by, in the model's order.
void evaluate_rows(const Plan& plan, const Connection& connection, double t, const Frame& a,
                   const Frame& b, std::span<const double> near, ConnectionRows& rows);

/// Puts them on the bodies of a branch: wrenches of unit forces, and of the accelerations what is
/// known. `baumgarte` [1/s] adds 2 ω φ̇ + ω² φ where a loop closes.
void put_rows(const Plan& plan, const Connection& connection, int branch,
              const ConnectionRows& rows, double baumgarte, Scratch& scratch);

/// Acceleration of what carries a handle, ground accelerating upwards instead of weight; or, if
/// homogeneous, the velocity that impulses make.
Vec6 carrier_acceleration(const Plan& plan, const Handle& handle, bool homogeneous,
                          const Scratch& scratch, const double* eta_rate);

}  // namespace sarrus::branches
