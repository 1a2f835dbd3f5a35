#pragma once

#include "sarrus/constraints/constraint_system.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/modular/box_steps.h"
#include "sarrus/formulations/modular/interface_solver.h"

namespace sarrus::modular {

/// Where the coordinates of a box's own stand in a state.
struct OwnPlace {
  int box = 0;
  int count = 0;
  int position = 0, velocity = 0;
};

/// Steps of the joints with multipliers that stay over a step, while each box takes steps of its own.
///
///     r(λ) = φ̇ + β/H φ  at the end of the step = 0                          [multirate-residual]
///
/// All boxes are sent from the start to the end under the multipliers, joints look at where they come
/// out, correct the multipliers and send them again, until they meet. One thread's scratch.
class Multirate {
 public:
  /// What it is made from must outlive it.
  struct Parts {
    const Model& model;
    const ConstraintSystem& system;
    const Interface& interface;
    const std::vector<std::unique_ptr<Subsystem>>& insides;
    const std::vector<OwnPlace>& own;
    const UzawaOptions& options;
    const JointElimination* elimination;
    double least_eigenvalue;  ///< for chebyshev
    bool warm;                ///< start from the multipliers of the last step
  };
  explicit Multirate(const Parts& parts);

  /// From the state x, whose configuration is `c`; both go to the end of the step. The multipliers that
  /// were found are left in `lambda`, where those of the last step come in.
  Status step(const OwnStep& step, Configuration& c, std::span<double> x, Multipliers& lambda);

  long trials() const { return trials_; }         ///< of the last step
  long looks() const { return looks_; }           ///< into boxes, in the last step
  int iterations() const { return iterations_; }  ///< of the joints, in the last step
  bool contradicts() const { return contradicts_; }

 private:
  struct Response {  ///< of a box with steps of its own, in the axes of its bodies
    MatX body_axes;
    double length = 0;  ///< of the step it was found for; 0: not found
  };
  Status begin(const OwnStep& step, const Configuration& c, std::span<const double> x,
               Multipliers& lambda);
  Status settle(const OwnStep& step, Multipliers& lambda);
  void finish(double h, const Multipliers& lambda, std::span<double> x) const;
  Status stand(const OwnStep& step, std::span<const double> x);
  Status go(const OwnStep& step, const Multipliers& lambda);
  Status find_responses(const OwnStep& step, const Multipliers& lambda);
  void find_wrenches(const Multipliers& lambda);
  void turn(const Box& box, bool to_world, MatX& response) const;
  void fill_response(std::size_t box, double h);
  void look_halfway();
  void look_at_rows(const OwnStep& step);
  void gather(std::size_t box);
  void average_loads(const OwnStep& step);
  double tolerated(double h);
  double size_of(const std::vector<Vec6>& wrenches) const;

  Parts parts_;
  std::vector<BoxSteps> boxes_;
  std::vector<Response> responses_;
  SomeForces between_;  ///< forces between boxes
  InterfaceSystem system_;
  InterfaceSolver solver_;

  Configuration start_, end_, halfway_;
  Loads loads_, loads_at_start_, loads_at_end_;
  std::vector<Vec6> mean_loads_, change_, wrench_;
  Multipliers first_, correction_, product_, row_scale_, motion_at_start_, motion_at_end_;
  VecX w_;
  bool responses_are_poor_ = false, responses_are_fresh_ = false;
  long trials_ = 0, looks_ = 0;
  int iterations_ = 0;
  bool contradicts_ = false;
};

}  // namespace sarrus::modular
