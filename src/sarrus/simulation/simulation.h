#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sarrus/analysis/assembly.h"
#include "sarrus/constraints/norms.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/modular/subsystem.h"
#include "sarrus/integration/events.h"
#include "sarrus/integration/stepper.h"
#include "sarrus/model/model.h"
#include "sarrus/simulation/edit_report.h"
#include "sarrus/simulation/sample_times.h"
#include "sarrus/topology/topology.h"

namespace sarrus {

class RankStudy;

/// What happens where the motion of a run breaks a law.  [guard-laws]
enum class GuardAction {
  kStop,  ///< the run ends there, with Status::Code::kDoubtful
  kTell,  ///< a note says so, once, and the run goes on
  kOff,   ///< nobody looks
};

/// A method of your own.
using MakeMethod = std::function<std::unique_ptr<Formulation>(RankStudy&)>;

/// What may be chosen for a run. Unset: from the model's `simulation:` block, else the program's
/// default, which is named here.
struct SimulationOptions {
  std::optional<std::string> method;      ///< auto
  std::vector<MethodSetting> settings;    ///< of the method; none
  std::optional<std::string> integrator;  ///< dopri5
  std::optional<double> step;             ///< fixed step [s]; none: adaptive
  std::optional<double> tolerance;        ///< relative and absolute, 1e-8
  std::optional<Projection> projection;   ///< auto
  std::optional<double> until;            ///< 10 s; also sets the largest step to a tenth of it
  int threads = 1;                        ///< that one evaluation may use
  SubsystemKinds subsystems = {};         ///< of your own, for methods that have them
  GuardAction guard = GuardAction::kStop;
  MakeMethod own_method = {};  ///< in place of `method`
};

/// One instant, judged: what the laws say about a Motion.
struct Sample {
  Motion motion;
  double kinetic = 0;
  double potential = 0;
  ConstraintNorms constraints;
  double total() const { return kinetic + potential; }
};

/// Largest values over all accepted steps (of accelerations over those that are evaluated), and the work
/// it took.
struct RunStatistics {
  long steps = 0;
  long rejected = 0;
  Counters counters;
  ConstraintNorms largest;
  double energy_drift = 0;  ///< largest |total − supplied − its value at the start| [J]
  std::vector<Note> notes;
  std::optional<Note> doubt;  ///< the first, where the motion is not to be trusted
};

/// A model moving in time: the object the command line, a server and Python all drive.
///
/// @code
/// Simulation simulation(load_model("five-bar"), {.tolerance = 1e-10});
/// simulation.advance_to(2.0);
/// const Sample sample = simulation.sample();
/// @endcode
///
/// Not thread-safe; two simulations never share state, so run one a thread.
class Simulation {
 public:
  /// Assembles the model (closes its loops) and stands at t = 0.
  /// @throws ModelError when a joint cannot be closed; UsageError for an unknown method, integrator…
  explicit Simulation(Model model, SimulationOptions options = {});
  ~Simulation();

  /// As it is now; what these refer to is gone after an edit.
  const Model& model() const;
  const Topology& topology() const;
  const Formulation& formulation() const;
  const Assembly& assembly() const;
  const SimulationOptions& options() const;  ///< every field set
  double time() const;

  /// Steps to exactly t_end [s]. After a failure the state is the last good one.
  Status advance_to(double t_end);

  /// As advance_to, and calls `record` with a sample at each of `times` (rising) on the way.
  /// The sample is good until `record` returns.
  Status advance_to(double t_end, const SampleTimes& times,
                    const std::function<void(const Sample&)>& record);

  /// The present instant.
  Sample sample();

  /// Changes the mechanism at the present instant and goes on with it: all of the transaction, or,
  /// with a status that says why not, nothing. What the model's timeline asks for happens in the same
  /// way, at its times, when advance_to comes there. Theory: docs/theory/live_changes.md.
  ///
  /// @code
  /// simulation.advance_to(1.5);
  /// const EditReport report = simulation.edit({{CutJoint{"hinge"}, {}}});
  /// if (!report.status.ok()) std::puts(report.status.reason.c_str());
  /// @endcode
  EditReport edit(const Transaction& transaction);

  /// How often the model has been replaced: what was taken from an older one must be taken anew.
  long revision() const;

  /// Called after every change of the model with what was done; `model()` is the new one.
  void on_edit(std::function<void(const EditReport&)> callback);

  const RunStatistics& statistics() const;

  /// Asked between steps; when true the run ends with Status::Code::kInterrupted.
  void stop_when(std::function<bool()> asked);

  /// Called after every accepted step with the time reached.
  void on_step(std::function<void(double)> callback);

  /// Watches g(t, configuration) for zero crossings; each is located by dense output and handed to
  /// `then`, which returns true to end the run there (the state is then that of the crossing).
  void watch(std::function<double(double, const Configuration&)> g, Direction direction,
             std::function<bool(double, const Configuration&)> then);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sarrus
