#pragma once

#include <memory>

#include "sarrus/formulations/modular/body_admittance.h"
#include "sarrus/formulations/modular/gains.h"
#include "sarrus/formulations/modular/interface.h"
#include "sarrus/formulations/modular/subsystem.h"

namespace sarrus::modular {

/// A box on its way through one step of the joints, in steps of its own, under wrenches that stay the
/// same meanwhile. It can be sent again and again from where it stands.  [multirate-box]
///
/// A step is one of Verlet's: velocities at its end are predicted for what depends on them, so that the
/// box is asked once a step.
class BoxSteps {
 public:
  /// `inside` is null for a plain body; `forces` are those on its bodies alone, or between them and
  /// ground. The gains are for constraints inside.
  BoxSteps(const Model& model, const Box& box, std::unique_ptr<Subsystem> inside, SomeForces forces,
           const Gains& gains);

  const Box& box() const { return *box_; }

  /// Stands at t, where `c` and its own coordinates say. `loads` is scratch of the model's size.
  Status stand(double t, Configuration& c, std::span<const double> positions,
               std::span<const double> velocities, Loads& loads);

  /// Goes to `end` under w, six numbers a body; its bodies in `c` go along. What happens exactly at the
  /// end is looked at `before_end`.
  Status go(double end, double before_end, const VecX& w, Configuration& c, Loads& loads);

  /// Of the last `go`.
  const VecX& positions() const { return q_; }  ///< its own coordinates
  const VecX& velocities() const { return v_; }
  double supplied() const { return supplied_; }  ///< work of all that has no potential [J]

  /// How its bodies respond to wrenches where it stands.
  const MatX& admittance() const { return anchor_.response.W; }

  /// What wrenches that stay over a step of length h do at its end: V + `weight`/h times the
  /// displacement, by trying each. World axes, made symmetric.  [multirate-response]
  Status probe(double end, double before_end, double weight, const VecX& w, Configuration& c,
               Loads& loads, MatX& response);

 private:
  struct Evaluation {  ///< at one instant
    std::unique_ptr<Subsystem> inside;
    SubsystemResponse response;
    double power = 0;  ///< of the loads
  };
  Status evaluate(Evaluation& at, double t, const Configuration& c, const VecX& q, const VecX& v,
                  Loads& loads) const;
  double accelerate(Evaluation& at, const VecX& w, VecX& a, VecX& own) const;
  void place(Configuration& c) const;

  const Model* model_;
  const Box* box_;
  BodyAdmittance body_;  ///< of a plain body
  SomeForces forces_;
  Gains gains_;
  Evaluation anchor_, moving_;

  double start_ = 0;
  std::vector<Transform> start_poses_;
  std::vector<Vec6> start_velocities_;
  VecX start_q_, start_v_;

  VecX q_, v_, a_, next_a_, own_, next_own_, step_v_;
  std::vector<Vec6> step_velocities_;
  double supplied_ = 0;
};

}  // namespace sarrus::modular
