#pragma once

#include <algorithm>

#include "sarrus/spatial/vectors.h"

namespace sarrus {

/// Anderson's method for a fixed point z = g(z): the next z is where the last few changes of the
/// defect g(z) − z, taken as linear, let it vanish. All memory is taken at the start.
class Anderson {
 public:
  void resize(Eigen::Index size) {
    for (VecX* v : {&z_, &g_, &defect_, &last_g_, &last_defect_}) v->setZero(size);
    for (MatX* m : {&steps_g_, &steps_defect_, &q_, &h_}) m->setZero(size, kDepth);
  }

  /// From z = 0.
  void start() {
    z_.setZero();
    rounds_ = 0;
  }

  /// From the last g(z).
  void go_on() {
    z_ = g_;
    rounds_ = 0;
  }

  const VecX& z() const { return z_; }
  VecX& g() { return g_; }  ///< to be filled with g(z)
  const VecX& defect() {
    defect_ = g_ - z_;
    return defect_;
  }

  void advance() {
    if (rounds_ > 0) {
      const Eigen::Index place = (rounds_ - 1) % kDepth;
      steps_g_.col(place) = g_ - last_g_;
      steps_defect_.col(place) = defect_ - last_defect_;
    }
    last_g_ = g_;
    last_defect_ = defect_;
    z_ = g_;
    const Eigen::Index known = std::min(rounds_, kDepth);
    Eigen::Index kept = 0;
    for (Eigen::Index back = 0; back < known; ++back)
      if (orthogonalise((rounds_ - 1 - back) % kDepth, kept)) ++kept;
    for (Eigen::Index k = 0; k < kept; ++k) z_ -= h_.col(k) * q_.col(k).dot(defect_);
    ++rounds_;
  }

 private:
  static constexpr Eigen::Index kDepth = 8;

  /// The change of the defect made orthonormal to those kept, the newest first, and the change of g
  /// that belongs to it. False when only rounding is left of it.
  bool orthogonalise(Eigen::Index place, Eigen::Index kept) {
    constexpr double kRounding = 1e-14;
    auto q = q_.col(kept);
    auto h = h_.col(kept);
    q = steps_defect_.col(place);
    h = steps_g_.col(place);
    const double whole = q.norm();
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index k = 0; k < kept; ++k) {
        const double share = q_.col(k).dot(q);
        q -= share * q_.col(k);
        h -= share * h_.col(k);
      }
    const double left = q.norm();
    if (!(left > kRounding * whole)) return false;
    q /= left;
    h /= left;
    return true;
  }

  VecX z_, g_, defect_, last_g_, last_defect_;
  MatX steps_g_, steps_defect_, q_, h_;
  Eigen::Index rounds_ = 0;
};

}  // namespace sarrus
