#pragma once

#include <string>
#include <vector>

#include "sarrus/analysis/balance.h"
#include "sarrus/simulation/engine.h"

namespace sarrus {

/// Watches a run for motion that is not to be believed, whatever method moves it: by laws that hold for
/// every mechanism, found from the model alone.  [guard-laws]
///
/// After every step, at the price of a few numbers a body: is the energy balance within what the tolerance
/// explains; are the joints closed; has no velocity jumped further than the accelerations carry it. After
/// one step in many, at the price of some evaluations: do the bodies balance, and do the step's ends
/// fit what lies between them. When it looks depends on the count of steps alone, so it says the same
/// on every machine and with any number of threads.
class Guard {
 public:
  /// `options` are resolved ones.
  explicit Guard(const SimulationOptions& options);

  /// Another model, velocities that jump: what was seen before says nothing about what comes.
  void restart();

  /// The instant that the run begins with.
  void start(const Sample& now);

  /// To be called with every accepted step, `before` and `now` its ends, judged. `was_cut`: longer ones
  /// failed; a run of fixed steps that are cut is about to fail, and has a better reason than a broken
  /// law. Returns why the motion is not to be trusted, in words, or nothing.
  std::string look(Engine& engine, const Sample& before, const Sample& now, bool was_cut);

 private:
  /// Of all bodies as one.
  struct Common {
    Vec3 center = Vec3::Zero();
    Vec6 velocity = Vec6::Zero();  ///< [ω; v of the centre]
    Vec6 of(const Vec3& point) const {
      Vec6 u = velocity;
      u.tail<3>() += velocity.head<3>().cross(point - center);
      return u;
    }
  };

  void measure(const Model& model);
  std::string check_energy(const Engine& engine, const Sample& before, const Sample& now);
  std::string check_joints(const Engine& engine, const Sample& now);
  std::string check_jump(Engine& engine, const Sample& before, const Sample& now);
  std::string check_turn(Engine& engine, const Configuration& now, double h, double fastest,
                         double gap);
  double turn_beyond_loads(const Model& model, const Configuration& now);
  Common common_motion(const std::vector<Vec6>& V) const;
  std::string examine(Engine& engine, const Sample& before, const Sample& now);
  std::string check_balance(const Engine& engine, const Motion& motion);
  std::string compare_with_path(Engine& engine, const Sample& before, const Sample& now);
  bool is_coarse(const Engine& engine) const;
  double returning(const Engine& engine, const ConstraintNorms& norms) const;

  double tolerance_;  ///< 0: steps are fixed, and nothing is promised
  BalanceCheck balance_;

  // Of the model.
  bool measured_ = false;
  std::vector<double> masses_;
  std::vector<double> moments_;  ///< mean moments of inertia about the frames' origins,
  std::vector<double> central_;  ///< and about the mass centres
  double inertia_ = 0;           ///< all of these [kg, kg m²]
  double length_ = 1;            ///< typical

  // Of the run.
  long steps_ = 0;            ///< looked at
  bool knows_start_ = true;   ///< of the next step; velocities may jump where the model changes
  double balance_ahead_ = 0;  ///< before the present step [J]
  double unexplained_ = 0;  ///< what has come or gone since the start beyond the errors of work [J]
  double potential_at_start_ = 0;
  double forces_ = 0;     ///< the largest sum of loads seen [N, N m]
  double push_ = 0;       ///< how fast loads can make √(2 T) change, at the most seen
  double reach_ = 0;      ///< the farthest that a body was from the origin [m]
  double turnover_ = 0;   ///< the most energy that has gone from one kind to another [J]
  double explained_ = 0;  ///< energy error that the tolerance accounts for [J]
  int open_steps_ = 0;    ///< in a row with a joint open

  // Of a short way: velocities at its start, its length [m] and time.
  std::vector<Vec6> turn_from_;
  double turn_way_ = 0, turn_time_ = 0;

  // Scratch.
  Motion between_;
  std::vector<Vec3> centers_;  ///< where mass centres are
  std::vector<Vec6> at_centers_, at_centers_before_;
};

}  // namespace sarrus
