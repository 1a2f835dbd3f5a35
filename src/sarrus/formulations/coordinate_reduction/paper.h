#pragma once

#include <span>
#include <string>
#include <vector>

#include "sarrus/articulated/recursion.h"
#include "sarrus/base/status.h"
#include "sarrus/formulations/coordinate_reduction/paper_loops.h"
#include "sarrus/spatial/dense.h"

namespace sarrus::coordinate_reduction {

/// Loops by recursive coordinate reduction as Anderson and Critchley (2003) wrote it, corrected: for
/// single loops and for loops that share their base and their trunk. For reading, and to hold the
/// general method to. World axes, reference points at the origins of bodies and, of phantoms, at the
/// joints that close the loops.
///
/// Linear in bodies and loops. Holds its own scratch: one a thread.
class PaperRecursion {
 public:
  /// Why this mechanism cannot be represented, in one sentence; empty when it can.
  static std::string why_not(const Model& model, const Topology& topology);

  /// There must be nothing against it. `tree` is the spanning tree of `topology`, whose coordinates
  /// and speeds make up the state; it must outlive this.
  PaperRecursion(const Model& model, const Topology& topology, const tree::Tree& tree);

  /// Makes the speeds obey all loops at `q`: what the closures do not determine is kept, the rest
  /// follows.  [paper-speeds]
  Status complete_speeds(std::span<const double> q, std::span<double> v);

  /// The rates of all speeds under joint forces `tau` (per speed), wrenches `external` on the bodies
  /// (per slot, at their origins) and gravity. The speeds must obey the loops.  [paper-forward]
  Status accelerations(std::span<const double> q, std::span<const double> v,
                       std::span<const double> tau, std::span<const Vec6> external,
                       std::span<double> v_rate);

  /// By how much the closures contradict each other, after either of the above: in rad/s or rad/s²,
  /// metres counted in typical lengths of the loop. Rounding when redundant closures are consistent.
  double contradiction() const { return contradiction_; }

 private:
  using Mat6Rows = Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 12, 6>;
  using VecUpTo12 = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 12, 1>;

  /// A joint of the walk with the body behind it, and all that follows from a state. Motions and
  /// forces are at the body's reference point; ⁰ marks what is relative to the base.
  struct Link : PaperLink {
    int slot = -1;        ///< of the body; −1: phantom
    int joint_slot = -1;  ///< whose joint it is; −1: a cut joint, which has no place in the state
    bool forward = true;  ///< the walk runs as the joint's speeds count

    Vec3 r;           ///< from the parent's reference point
    Vec3 r_base;      ///< from the base's
    Mat6xUpTo6 P;     ///< motion relative to the parent, per speed
    Vec6 c;           ///< acceleration at u̇ = 0 beyond that of a point of the parent
    VecUpTo6 u, tau;  ///< speeds, joint forces
    Vec6 A_t;         ///< acceleration with all u̇ = 0

    Mat6Rows C;  ///< closures further out demand C ⁰Ā = d
    VecUpTo12 d;
    double least_pivot = 1;   ///< by which these rows were divided
    MatUpTo6 Y0, Y0_inverse;  ///< u̇ = Y0 y + g − G X ⁰Ā of the parent, y being free
    MatUpTo6 G;
    VecUpTo6 g;

    Mat6 I_own, I, I_0;  ///< own; of all that hangs on it, against ⁰Ā and against Ā of the base
    Vec6 F_own, F;
    Mat6 size;  ///< of what I is a difference of
    Cholesky<MatUpTo6> M;
    Vec6 A, A_total;  ///< ⁰Ā (in no loop: Ā) and Ā
  };

  Link* base_of(const Link& link) { return link.base < 0 ? nullptr : &links_[at(link.base)]; }
  Link* parent_of(const Link& link) { return link.parent < 0 ? nullptr : &links_[at(link.parent)]; }
  static std::size_t at(int link) { return static_cast<std::size_t>(link); }

  void set_motion(std::span<const double> q, std::span<const double> v);
  void set_remainders();
  void eliminate_dependent_speeds();
  void split(Link& link);
  void set_own(std::span<const double> tau, std::span<const Vec6> external);
  Status triangularise(Link& link);

  const tree::Tree* tree_;
  tree::TreeMotion motion_;
  std::vector<Link> links_;
  double contradiction_ = 0;
};

}  // namespace sarrus::coordinate_reduction
