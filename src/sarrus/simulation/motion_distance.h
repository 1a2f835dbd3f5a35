#pragma once

#include <memory>
#include <vector>

#include "sarrus/simulation/comparison.h"

namespace sarrus {

/// Poses, velocities and deformations at some instants of a run, in bounded memory: so many instants as fit.
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

  struct Deforming {
    std::shared_ptr<const ModalBody> modal;
    std::size_t first = 0;  ///< mode
  };
  std::vector<Deforming> deforming_;
  std::size_t mode_count_ = 0;
  std::vector<double> modes_, mode_rates_;  ///< [instant][mode]
};

/// Largest extent of the joints' points and mass centres [m]; 1 where that is nothing.
double mechanism_extent(const Model& model, const Configuration& configuration);

}  // namespace sarrus
