#pragma once

#include <Eigen/Dense>
#include <complex>
#include <string>
#include <vector>

#include "sarrus/base/status.h"
#include "sarrus/model/configuration.h"
#include "sarrus/model/model.h"

namespace sarrus::testing {

/// A second judge, for where `reference` itself may take another branch: the motion of rigid bodies under
/// their weight in numbers with mantissas of 64 bits. Written apart from the engine: other coordinates (mass
/// centres), other rows, another integrator (extrapolation). It shares the model and the generic rank.
///
/// Where steps fail, as at singular positions, it goes around in complex time: motion on a branch is an
/// analytic function, and beside the real axis no constraint is weak. Slow.  [extended-judge]
class ExtendedJudge {
 public:
  /// What it does not know of, in words; empty: it can judge the mechanism.
  static std::string refusal(const Model& model);

  /// `rank`: of the constraints at generic poses. `start`: closed, with consistent velocities, as far as
  /// doubles can be. `model` must outlive the judge.
  ExtendedJudge(const Model& model, int rank, const Configuration& start,
                long double tolerance = 1e-15L);

  /// Fails, with a reason, where there is no way on: the motion ends there, or branches.
  Status advance_to(double t);

  Configuration configuration() const;  ///< without joint coordinates
  long double energy() const;
  long steps() const { return steps_; }
  int detours() const { return detours_; }  ///< through complex time

 private:
  using Real = long double;
  using C = std::complex<Real>;
  using V3 = Eigen::Matrix<C, 3, 1>;
  using M3 = Eigen::Matrix<C, 3, 3>;
  using V = Eigen::Matrix<C, Eigen::Dynamic, 1>;
  using M = Eigen::Matrix<C, Eigen::Dynamic, Eigen::Dynamic>;

  /// A point and three axes in a body, from its mass centre.
  struct Frame {
    std::size_t body;
    V3 at;
    M3 axes;
  };
  struct Body {
    Real mass;
    V3 center;   // in the body's frame
    M3 inertia;  // about the mass centre
  };
  /// One scalar constraint between a frame of body A and one of body B.
  struct Row {
    enum { kDistance, kAngle } kind;
    int axis_a, axis_b;  // kDistance: of A's axes; kAngle: the two that stay at a right angle
    std::size_t joint;
  };
  /// A body in motion.
  struct Moving {
    V3 p, v, w;
    M3 R;
  };

  Moving body_of(const V& state, std::size_t body) const;
  void evaluate(const V& state);
  void choose_rows();
  V solve(const M& mass, const V& f, const V& g) const;
  bool close(V& state);
  bool rates(const V& state, V& rate);
  bool midpoint(const V& start, C h, int parts, V& end);
  bool extrapolate(const V& start, C h, V& end, Real& error);
  bool follow(V& state, C way);
  bool go_around(V& state, Real way, Real height);

  const Model& model_;
  Eigen::Index rank_;
  Real tolerance_;
  std::vector<Body> bodies_;
  std::vector<Frame> from_, to_;  // of joints
  std::vector<Row> rows_;
  std::vector<Eigen::Index> chosen_;  // rows that do not depend on each other
  Real length_;

  bool starts_closed_ = false;
  Real time_ = 0;
  long steps_ = 0;
  int detours_ = 0;
  V state_;  // a body: mass centre, quaternion, velocity, angular velocity

  // Of the state evaluated last; lengths in units of the typical one.
  M J_;
  V phi_, gamma_;
};

}  // namespace sarrus::testing
