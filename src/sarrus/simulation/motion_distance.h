#pragma once

#include <vector>

#include "sarrus/simulation/comparison.h"

namespace sarrus {

/// Poses and velocities at some instants of a run, in bounded memory: so many instants as fit.
class MotionTrace {
 public:
  /// @param samples how many will be offered
  MotionTrace(const Model& model, std::size_t samples);

  void add(const Sample& sample);

  std::size_t instants() const { return times_.size(); }
  double end() const { return times_.empty() ? 0 : times_.back(); }  ///< last instant [s]

  /// From another trace of the same model and sample times, over the instants that both have.
  Distance distance_from(const MotionTrace& judge, double length) const;

 private:
  std::size_t stride_ = 1;
  std::size_t seen_ = 0;
  std::vector<double> times_;
  std::vector<Transform> poses_;  ///< [instant][body], without ground
  std::vector<Vec6> velocities_;
};

/// Largest extent of the joints' points and mass centres [m]; 1 where that is nothing.
double mechanism_extent(const Model& model, const Configuration& configuration);

}  // namespace sarrus
