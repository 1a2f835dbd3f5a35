#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sarrus/base/status.h"
#include "sarrus/model/configuration.h"
#include "sarrus/model/loads.h"

namespace sarrus {

/// One instant as a subsystem is shown it.
struct SubsystemMoment {
  double time = 0;
  const Configuration& configuration;  ///< of the whole model; only its own bodies are its business
  const Loads& loads;                  ///< weight, springs and applied loads on bodies
  double k_p = 0;  ///< gains for constraints of its own: φ̈ + k_v φ̇ + k_p φ = 0
  double k_v = 0;
  std::span<const double> positions;  ///< its own coordinates, where it has some
  std::span<const double> velocities;
};

/// What a subsystem tells the joints on it: how its bodies accelerate under wrenches w on them,
/// a = free + W w. Six numbers a body, [ω̇; v̇] and [τ; f] at the body frames' origins, world axes, in
/// the order of its bodies.  [modular-box]
struct SubsystemResponse {
  VecX free;
  MatX W;  ///< symmetric, positive semidefinite
};

/// A black box in a mechanism: some bodies of the model, and whatever moves them inside.
///
/// The joints on it see only how its bodies stand and respond; they never learn what is inside: rigid
/// bodies with joints of their own, nodes, an elastic line, a table. `uzawa` glues boxes together.
/// An object is used by one thread at a time; each thread has its clone.
/// How to write one: docs/how-to/write_a_subsystem.md.
class Subsystem {
 public:
  virtual ~Subsystem() = default;
  virtual std::unique_ptr<Subsystem> clone() const = 0;

  /// Coordinates of its own, beside the poses of its bodies; each has a velocity.
  virtual int own_coordinates() const { return 0; }

  /// Whether `start` finds all of them from the bodies alone, so that an edit of the running mechanism,
  /// which starts them anew, loses nothing.
  virtual bool starts_from_bodies() const { return own_coordinates() == 0; }

  /// Their values for a configuration.
  virtual void start(const Configuration& /*configuration*/, std::span<double> /*positions*/,
                     std::span<double> /*velocities*/) const {}

  /// Puts its bodies where its own coordinates say, where they do; `configuration` comes with the
  /// bodies where the joints last left them.
  virtual void place(std::span<const double> /*positions*/, std::span<const double> /*velocities*/,
                     Configuration& /*configuration*/) const {}

  /// How its bodies respond. Called once an instant, before the functions below.
  virtual Status respond(const SubsystemMoment& moment, SubsystemResponse& response) = 0;

  /// Accelerations of its own coordinates under the wrenches of the joints on it.
  virtual void accelerate(const VecX& /*wrenches*/, std::span<double> /*accelerations*/) {}

  /// Power that goes in through drives inside it [W].
  virtual double supplied_power(const VecX& /*wrenches*/) { return 0; }

  /// Reactions of the joints inside it: [τ; f] on body b at b's origin, added to `reactions`.
  virtual void add_reactions(const VecX& /*wrenches*/, std::span<Vec6> /*reactions*/) {}
};

/// Makes a subsystem of some bodies of a model; `assembled` is a closed pose.
using SubsystemFactory = std::function<std::unique_ptr<Subsystem>(
    const Model& model, const std::vector<BodyId>& bodies, const Configuration& assembled)>;

/// Kinds of subsystems by name: the user's own beside `bodies` and `point-link`.
using SubsystemKinds = std::map<std::string, SubsystemFactory, std::less<>>;

}  // namespace sarrus
