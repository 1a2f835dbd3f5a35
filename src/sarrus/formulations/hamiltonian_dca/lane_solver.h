#pragma once

#include "sarrus/formulations/hamiltonian_dca/part_lanes.h"

namespace sarrus::hamiltonian {

/// Velocities and momentum rates with the kernels, part by part.
///
/// Orientations are products from ground on: each part finds those of its bodies in the frame of the
/// body it hangs on, then the parts' own are multiplied in their fixed order, a product a part. Sums
/// over subtrees go the other way in the same manner.  [hamilton-parts]
class LaneSolver final : public augmented_dca::FastJoins {
 public:
  LaneSolver(const PartLanes& lanes, const augmented_dca::FastParts& parts,
             const EliminationPlan& plan, const AssemblyTree& tree, int body_count);

  struct Inputs {
    const double* q = nullptr;
    const double* p = nullptr;  ///< over their scale
    const double* scale = nullptr;
    const double* inverse_scale = nullptr;
    const double* joint_inertia = nullptr;
    const double* coordinates = nullptr;
    const double* gravity = nullptr;
    double* u = nullptr;
    /// Where ṗ goes if nothing but weight acts; null: find_rates() will be called.
    double* p_rate = nullptr;
    /// Poses and velocities of all bodies are wanted in here; null: they are not.
    Configuration* configuration = nullptr;
  };

  /// Stage 1, and 2 where that can be done on the way.
  Status solve(double t, const Inputs& inputs, const Executor& executor, Elimination& elimination,
               Configuration& c);

  /// ṗ of the velocities just found, where nothing but weight acts: again, for whoever measures it.
  void find_weight_rates(const Executor& executor, const Elimination& elimination, double* p_rate);

  /// ṗ of the velocities just found, under wrenches on the bodies (per body of the model, at their
  /// origins, weight included) and with impulses that carriers add to their momenta.
  void find_rates(std::span<const Vec6> loads, std::span<const Vec6> carried, double* p_rate);

  /// Sᵀ Σ of impulses on carriers, over the scale of the momenta.
  void sum_along_joints(std::span<const Vec6> carried, double* p);

  bool up(int part, const Pieces& pieces, Configuration& c) override;
  void between_sweeps(const Pieces& pieces) override;
  bool down(int part, const Pieces& pieces) override;
  void prepare(int part, Configuration& c, std::span<Vec6> f) override;
  bool receive(int part, std::span<const Vec6> a) override;

 private:
  template <class Function>
  void for_each_part(const Executor& executor, const Elimination& elimination, Function function);
  LaneData* data(const PartLanes::Part& part) {
    return &data_[static_cast<std::size_t>(part.first_block)];
  }
  Quat turn_of(int part, int place) const;
  Vec3 field_of(int part, int place, std::size_t offset) const;
  Transform pose_of(int part, int place) const;
  Vec3 point_of(int part, int place) const;
  const PartLanes::Frame& frame_of(int part, int place) const;
  void find_bases();
  void place(int part, bool places);
  void place_bases();
  void write_state(int part, int place);
  void find_root_speeds();
  PartMomenta momenta_of(int part);
  void hand_over(int part);
  void find_weight_rates(int part, double* p_rate);
  void sum_up(std::span<const Vec6> loads, std::span<const Vec6> carried, double* p);
  void clear_handed(int part);

  const PartLanes* lanes_;
  AlignedArray<LaneData> data_;
  AlignedArray<SweptBody> swept_;
  AlignedArray<Handed> handed_, totals_;  ///< totals per part
  std::vector<Quat> base_;                ///< per part: of the body it hangs on
  std::vector<Vec3> base_place_;
  std::vector<Vec3> moment_;           ///< per part: of all its bodies, then of all beyond as well
  std::vector<PartMomenta> momenta_;   ///< per part
  std::vector<Vec3> absorbed_points_;  ///< per piece that hangs whole
  std::vector<double> at_rest_;        ///< a state of bodies; of boundary bodies only
  Inputs inputs_;
  Pieces pieces_ = {};
};

}  // namespace sarrus::hamiltonian
