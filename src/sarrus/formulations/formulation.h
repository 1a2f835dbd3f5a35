#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sarrus/base/ids.h"
#include "sarrus/base/status.h"
#include "sarrus/model/configuration.h"
#include "sarrus/model/state_layout.h"

namespace sarrus {

/// What changes only between steps; saved in checkpoints and hashed.
struct Discrete {
  std::vector<double> coordinates;     ///< joint coordinates at the last accepted step: the turns
  std::vector<std::int64_t> integers;  ///< chosen coordinates, ranks, … of the formulation
  std::vector<double> reals;           ///< warm starts, … of the formulation
};

/// How much work has been done; the summary shows it.
struct Counters {
  long evaluations = 0;  ///< of the rates
  long factorizations = 0;
  long iterations = 0;  ///< of whatever the method iterates: projections, multipliers, …
};

/// Scratch of one thread; thrown away without loss.
class Workspace {
 public:
  virtual ~Workspace() = default;
  Counters counters;
};

/// Something worth telling about a moment: a singular position passed, coordinates switched, …
struct Note {
  double time = 0;
  std::string what;
};

/// What a formulation did to the state after an accepted step.
struct AfterStep {
  Status status;
  bool changed = false;  ///< the state is not the one the step ended with: evaluate rates anew
  std::vector<Note> notes;
};

/// A part of the work of `rates`, for whoever asks where the time goes. Can be run again and again
/// once those before it have run.
struct Phase {
  std::string name;
  std::function<Status()> run;
};

/// When the state is moved back to the constraint manifold.
enum class Projection { kAuto, kOff, kStep, kStage };

/// A choice that only one method understands, in words; its names are in MethodInfo::settings.
struct MethodSetting {
  std::string name;
  std::string value;
};

/// Where velocities stand in a state: the `count` components of a tangent from `position` on change
/// at the rates that stand from `velocity` on.
struct VelocityPair {
  int position = 0;
  int velocity = 0;
  int count = 0;
};

/// Violated constraints return like a spring with this frequency and damping.
struct Stabilisation {
  double omega = 0;    ///< [rad/s]
  double damping = 0;  ///< 1: critical
};

/// What an error estimate is worth.
struct ErrorTrust {
  enum Kind {
    kReliable,
    kRounding,  ///< governed by rounding near a singular position: a shorter step would not help
    kMissed,    ///< a stage came too close to a singular position: another step would do better
  };

  constexpr ErrorTrust(Kind of = kReliable, double amplified = 0) : kind(of), rounding(amplified) {}
  friend bool operator==(const ErrorTrust& trust, Kind kind) { return trust.kind == kind; }

  Kind kind;
  double rounding;  ///< the most of the estimate that this explains, of a state of order one
};

/// A step that a method takes itself.
struct OwnStep {
  double start = 0;
  double end = 0;
  double before_end = 0;  ///< `end`, or just before it: a jump there belongs to the next step
};

/// A joint whose forces a method finds apart from all others, and the pieces of the mechanism that it
/// connects.
struct ConnectingJoint {
  JointId joint;
  bool closes_loop = false;
  int piece_a = -1, piece_b = -1;  ///< of the joint's first and second body; −1: ground
};

/// One way to turn a model's state into its rates of change.
///
/// Immutable once built for a model: everything that changes lives in the state, in `Discrete` or in
/// a `Workspace`. So one formulation serves many threads, each with its own workspace.
class Formulation {
 public:
  virtual ~Formulation() = default;

  virtual std::string_view name() const = 0;

  /// Which of several texts of the method runs, where bits depend on it; empty when there is one.
  virtual std::string_view variant() const { return {}; }

  /// Threads that one evaluation uses.
  virtual int threads() const { return 1; }

  /// When this formulation projects; kAuto: after steps that leave the constraints too far.
  virtual Projection projection() const { return Projection::kOff; }

  /// Whose number a component of a tangent is ("body 'rod'"), for messages; empty when nobody's.
  virtual std::string element_of(int /*tangent_index*/) const { return {}; }

  /// The last block of every state is the supplied work [J], one number outside error control.
  virtual const StateLayout& layout() const = 0;

  /// Positions and their velocities, for integrators of second-order equations; together they are
  /// all of the state but the supplied work. Empty: the state is not of that kind.
  virtual std::vector<VelocityPair> velocity_pairs() const { return {}; }

  /// How constraints are stabilised; none where they are not.
  virtual std::optional<Stabilisation> stabilisation() const { return std::nullopt; }

  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  virtual void encode(const Configuration& from, std::span<double> x, Discrete& discrete) const = 0;
  virtual void decode(std::span<const double> x, const Discrete& discrete,
                      Configuration& to) const = 0;

  /// Fills `dx` (a tangent). Pure; never allocates; trouble is a status, not an exception.
  virtual Status rates(double t, std::span<const double> x, const Discrete& discrete,
                       Workspace& workspace, std::span<double> dx) const = 0;

  /// Do the numbers of the state mean something else after each step? Then no integrator may remember
  /// states of several.
  virtual bool redefines_state() const { return false; }

  /// True: this one was made to take steps itself, by `step`, and not for integrators over `rates`.
  virtual bool steps_itself() const { return false; }

  /// Who of the mechanism has asked for steps of its own, in words; empty: nobody.
  virtual std::string wants_own_steps() const { return {}; }

  /// Moves the state over one step, discrete state and all. With a bad status x is good for nothing.
  virtual AfterStep step(const OwnStep& /*step*/, std::span<double> /*x*/, Discrete& /*discrete*/,
                         Workspace& /*workspace*/) const {
    return {.status = {Status::Code::kRefused, "the method takes no steps by itself"}};
  }

  /// Called once after every accepted step: projection, re-gauging, coordinate switching, turns.
  /// Works on copies: with a bad status they are thrown away and a shorter step is tried. Says
  /// `changed` whenever the rates at (x, discrete) are not those that x had before.
  virtual AfterStep after_step(double t, std::span<double> x, Discrete& discrete,
                               Workspace& workspace) const = 0;

  /// Takes out of the error estimate `e` (a tangent) of a step what says nothing about the motion:
  /// near a singular position the directions whose constraints are nearly lost carry amplified
  /// rounding, and the projection removes them. Called right after the `rates` of the step's last
  /// stage, with the same workspace; tells what to think of the rest.  [step-over-singularity]
  virtual ErrorTrust filter_error(std::span<double> /*e*/, Workspace& /*workspace*/) const {
    return {};
  }

  /// Joints between pieces, for methods that go by pieces.
  virtual std::vector<ConnectingJoint> connecting_joints() const { return {}; }

  /// What an edit of the running mechanism would lose, in words; empty: nothing.
  virtual std::string lost_by_edits() const { return {}; }

  /// The parts of `rates` at a state, in order; they use the arguments, which must outlive them.
  /// Empty: the method does not tell.
  virtual std::vector<Phase> phases(double /*t*/, std::span<const double> /*x*/,
                                    const Discrete& /*discrete*/, Workspace& /*workspace*/) const {
    return {};
  }

  /// Accelerations and reactions at a state, for output. May move a copy of the state onto the
  /// manifold first, as the projection asks.
  virtual Status evaluate(double t, std::span<const double> x, const Discrete& discrete,
                          Workspace& workspace, Motion& motion) const = 0;

  /// The same but for reactions and coordinates, which may be old: for those who watch every step.
  virtual Status evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                                 Workspace& workspace, Motion& motion) const {
    return evaluate(t, x, discrete, workspace, motion);
  }
};

}  // namespace sarrus
