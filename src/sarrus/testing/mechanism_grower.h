#pragma once

#include <map>
#include <string>
#include <vector>

#include "sarrus/testing/random.h"
#include "sarrus/testing/random_mechanism.h"

namespace sarrus::testing {

/// Mass, mass centre and tensor of a cloud of points: a body that can exist.
void fill_inertia(BodyDescription& body, double mass, Random& random);

/// Grows the bodies and joints of a random mechanism; a part of `random_mechanism`.
///
/// Poses come first, then joints are put at a common frame in the world: that closes any loop.
class MechanismGrower {
 public:
  MechanismGrower(const RandomMechanismOptions& options, Random& random)
      : options_(options), random_(random) {}

  Description grow();

 private:
  static constexpr int kGroundBody = -1;
  static constexpr int kNoParent = -2;

  int left() const { return options_.bodies - static_cast<int>(parent_.size()); }
  int any_body() { return random_.below(static_cast<int>(parent_.size()) + 1) - 1; }
  const std::string& name_of_body(int body) const;
  Vec3 place_of(int body) const;

  /// A body with its frame near that point, hanging in the tree from `parent`.
  int add_body(const Vec3& near, int parent);
  std::size_t add_joint(JointType type, int a, int b, const Transform& at);
  CoordinateValues random_reference(JointType type);
  Transform random_frame(const Vec3& near);

  /// Where on a flexible body a joint sits. Joints of a redundant part sit at one place of each body:
  /// deformations then leave its geometry as it is.
  std::string node_for(int body, const Vec3& near);

  // Parts, each attached to the body `base`.
  void add_part(int base);
  void add_link(int base);
  void add_sarrus_linkage(int base);
  void add_parallelogram(int base);
  void add_planar_loop(int base);
  void add_flat_four_bar(int base);

  /// Bodies between consecutive pivots, from `base` round to `base`, all turning about z of X_WP.
  void add_hinged_loop(int base, const Transform& X_WP, const std::vector<Vec3>& pivots,
                       int slider = -1);

  void close_loops();
  void double_joints();
  void pick_point_masses();

  /// Joints on the way between two bodies in the tree; empty when there is none.
  std::vector<std::size_t> path_between(int a, int b) const;

  const RandomMechanismOptions& options_;
  Random& random_;
  Description description_;
  bool chain_ = false;
  bool in_part_ = false;
  std::map<int, std::string>
      attachment_in_part_;                 // of flexible bodies that have joints of such parts
  std::vector<int> parent_;                // of each body in the tree
  std::vector<std::size_t> parent_joint_;  // by which it hangs there
  std::vector<double> freedoms_left_;      // of each joint, after what loops took
};

}  // namespace sarrus::testing
