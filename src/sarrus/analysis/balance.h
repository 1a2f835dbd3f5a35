#pragma once

#include <string>
#include <vector>

#include "sarrus/model/loads.h"

namespace sarrus {

/// How well an instant obeys the laws of motion, each law over the largest of its own terms.
struct Balance {
  double bodies = 0;  ///< inertia, loads and joints on a body add up to zero
  double joints = 0;  ///< what a joint constrains does no work on what it allows
  double rows = 0;    ///< J a + γ, the accelerations of the constraints
  double forces = 0;  ///< Σ |loads| over all bodies, N and N m alike
  /// √(loadsᵀ M⁻¹ loads): √(aᵀ M a) of what the loads do to rigid bodies, at most. Infinite where a
  /// load meets no inertia but that of other bodies.
  double push = 0;
  std::string where;  ///< who is worst: "body 'rod'", "joint 'hinge'"

  double worst() const;
};

/// Judges accelerations and reactions of any method by the model alone. A motion is right if and only if
/// some forces of the joints make every body move as it does, work on nothing that the joints allow, and
/// the joints stay closed; whoever claims a motion shows those forces. No system is solved, so it costs
/// the same a body everywhere and is as good at singular positions.  [guard-balance]
class BalanceCheck {
 public:
  /// `motion` with accelerations and reactions. `returning`: how fast an open constraint may be on its
  /// way back [the row's unit / s²], for methods that stabilise.
  Balance operator()(const Model& model, const Motion& motion, double returning);

 private:
  double of_joint(const Motion& motion, const Joint& joint, const Vec6& reaction,
                  const Vec6& through) const;
  void check_bodies(const Model& model, const Motion& motion, Balance& balance);
  void check_rows(const Model& model, const Motion& motion, double returning, Balance& balance);

  Loads loads_;
  double length_ = 1;                // typical
  double largest_ = 0;               // of all forces
  double by_loads_ = 0;              // acceleration of all bodies together
  std::vector<Vec6> sizes_;          // of what acts on a body
  std::vector<char> is_prescribed_;  // per coordinate
};

}  // namespace sarrus
