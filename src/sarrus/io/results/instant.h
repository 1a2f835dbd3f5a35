#pragma once

#include <span>
#include <vector>

#include "sarrus/io/results/layout.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus {

/// The numbers of one instant after another, in the order of the layout: all that is written of a
/// run goes through here, so that every format tells the same, to the bit.
class Instant {
 public:
  /// Of a mechanism with all that its timeline brings; it stands as the model does at the start.
  /// `connections`: of the method at the start, by the joints' names.
  explicit Instant(const Model& model, std::vector<ConnectionOutline> connections = {});

  /// The samples to come are of this model, which must outlive them: an edit made it. What is not in it
  /// has no numbers (NaN).
  void follow(const Model& model);

  const ResultsLayout& layout() const { return layout_; }

  /// Takes the next sample; signs of quaternions follow those of the one before.
  void update(const Sample& sample);

  double time() const { return time_; }
  std::span<const double> numbers() const { return numbers_; }

 private:
  void add(double value);
  void add(const Vec3& vector);
  void leave_out(std::size_t count);
  void add_bodies(const Motion& motion);
  void add_joints(const Motion& motion);
  void add_reactions(const Motion& motion);
  void add_modes(const Motion& motion);
  void add_nodes(const Motion& motion);
  void add_connections(const Motion& motion);

  const Model* model_;
  ResultsLayout layout_;
  std::vector<std::string> bodies_;  ///< of the layout
  std::vector<JointOutline> joints_;
  std::vector<int> body_places_, joint_places_;  ///< in the model; −1: not there
  std::vector<FlexibleOutline> flexible_;
  std::vector<int> flexible_places_;
  std::vector<ConnectionOutline> connections_;
  std::vector<int> connection_places_;
  std::vector<Quat> quaternions_;  ///< as last told
  std::vector<Quat> node_quaternions_;
  double time_ = 0;
  std::vector<double> numbers_;
  std::size_t next_ = 0;
};

}  // namespace sarrus
