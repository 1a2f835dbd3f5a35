#pragma once

#include <array>
#include <string>
#include <vector>

#include "sarrus/spatial/inertia.h"
#include "sarrus/spatial/transform.h"

namespace sarrus {

/// A place of a flexible body at which something may be attached, and how it moves with the modes.
struct ModalNode {
  std::string name;
  Transform X_BN;  ///< undeformed, in the body's frame
  Mat3X shift;     ///< displacement for unit modal coordinates, body axes: 3 × modes
  Mat3X turn;      ///< rotation vector for unit modal coordinates, body axes: 3 × modes
};

/// The shapes of a flexible body and all that its motion needs of them: displacements
/// u(x) = Σ φ_k(x) η_k in the body's frame, integrals over its mass.  [flexible-invariants]
///
/// The body's own mass, mass centre and inertia, undeformed, stand beside this.
struct ModalData {
  std::vector<std::string> modes;  ///< names, one a mode
  Mat3X S;                         ///< ∫ φ_k dm
  std::vector<Mat3> X;             ///< ∫ x φ_kᵀ dm, of every mode
  std::vector<Mat3> Y;             ///< ∫ φ_k φ_lᵀ dm, at k · modes + l
  Mat3X rotary_coupling;           ///< ∫ j ψ_k, the rotary inertia of sections turned by ψ_k
  MatX rotary_mass;                ///< ∫ ψ_kᵀ j ψ_l
  MatX stiffness;
  MatX damping;
  /// Geometric stiffness by products of the angular velocity in body axes:
  /// ω_x², ω_y², ω_z², ω_x ω_y, ω_y ω_z, ω_z ω_x. Empty where there is none. [flexible-stiffening]
  std::array<MatX, 6> stiffening;
  std::vector<ModalNode> nodes;

  int count() const { return static_cast<int>(modes.size()); }

  /// All integrals zero, of the right sizes.
  static ModalData of_modes(std::vector<std::string> names);

  /// The same, with a lump of mass (and inertia, body axes) at a place that moves with `shift` and
  /// `turn`: sums over the nodes of a finite-element model give the integrals.  [flexible-lumped]
  void add_lump(double mass, const Mat3& inertia, const Vec3& place, const Mat3X& shift,
                const Mat3X& turn);
};

/// A flexible body, ready for the equations of motion.
///
/// T = ½ [V; η̇]ᵀ M(η) [V; η̇] with V = [ω; v] of the body's frame; the equations that follow from
/// it are exact for this T, so momentum and energy are kept.  [flexible-mass]
class ModalBody {
 public:
  ModalBody(const Inertia& undeformed, ModalData data);

  int count() const { return data_.count(); }
  const ModalData& data() const { return data_; }
  const std::vector<ModalNode>& nodes() const { return data_.nodes; }
  const Inertia& undeformed() const { return undeformed_; }

  /// Of the modes alone, constant.
  const MatX& modal_mass() const { return modal_mass_; }

  /// ∫ r dm of the deformed body.
  Vec3 first_moment(const double* eta) const;
  /// About the frame's origin, deformed.
  Mat3 inertia(const double* eta) const;
  /// B: the angular momentum of the modes, ∫ r × φ_k dm + rotary, one column a mode.
  Mat3X turning(const double* eta) const;

  /// M_rr in the axes that R maps body components to.
  Mat6 rigid_mass(const double* eta, const Mat3& R) const;
  /// M_re in those axes.
  Mat6X coupling(const double* eta, const Mat3& R) const;

  /// What the velocities do: M [V̇; η̈] + bias = forces, with V̇ the classical accelerations.
  /// The first six in world axes. No stiffness or damping in them.  [flexible-bias]
  Vec6 rigid_bias(const double* eta, const double* eta_rate, const Vec3& w, const Mat3& R) const;
  VecX modal_bias(const double* eta, const double* eta_rate, const Vec3& w, const Mat3& R) const;

  /// ½ ηᵀ K η.
  double strain_energy(const double* eta) const;

  /// A displacement of the nodes of one metre (or of `length` times one radian) at the most, in
  /// modal coordinates: what makes different modes comparable.
  VecX unit_deformation(double length) const;

  /// −1: none of that name.
  int find_node(const std::string& name) const;

 private:
  const Mat3& J2(int k, int l) const {
    return second_inertia_[static_cast<std::size_t>(k * count() + l)];
  }
  const Vec3& B1(int k, int l) const {
    return second_turning_[static_cast<std::size_t>(k * count() + l)];
  }
  Mat3 inertia_slope(int k, const double* eta) const;

  Inertia undeformed_;
  ModalData data_;
  Vec3 first_moment_;
  Mat3 inertia_;
  std::vector<Mat3> first_inertia_;   ///< J1_k
  std::vector<Mat3> second_inertia_;  ///< J2_kl
  Mat3X first_turning_;               ///< B0
  std::vector<Vec3> second_turning_;  ///< B1_kl = ∫ φ_k × φ_l dm
  MatX modal_mass_;
};

/// Empty when a real body can have these data; else what is wrong and, after a newline, a hint.
/// Rigid motion must not be among the shapes.  [flexible-rigid-motion]
std::string modal_defect(const Inertia& undeformed, const ModalData& data);

}  // namespace sarrus
