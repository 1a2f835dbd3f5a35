// Flexible bodies against clouds of particles, which know nothing of integrals over modes, and against
// finite differences; beams against closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "sarrus/model/beam.h"
#include "sarrus/model/loads.h"
#include "sarrus/model/model_editor.h"
#include "sarrus/spatial/rotation.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {
namespace {

constexpr int kCloudModes = 3;

/// Masses at random places that move by random shapes.
struct FlexibleCloud {
  std::vector<double> masses;
  std::vector<Vec3> places;
  std::vector<Mat3X> shapes;
  Inertia inertia;
  ModalData data = ModalData::of_modes({"a", "b", "c"});

  explicit FlexibleCloud(unsigned seed) {
    std::srand(seed);
    for (int i = 0; i < 12; ++i) {
      masses.push_back(1 + std::abs(Vec3::Random().x()));
      places.push_back(Vec3::Random());
      shapes.push_back(Mat3X::Random(3, kCloudModes));
      inertia = inertia + Inertia{masses.back(), places.back(), Mat3::Zero()};
      data.add_lump(masses.back(), Mat3::Zero(), places.back(), shapes.back(),
                    Mat3X::Zero(3, kCloudModes));
    }
    data.stiffness = 100 * MatX::Identity(kCloudModes, kCloudModes);
    ModalNode node;
    node.name = "n";
    node.X_BN = {Quat(0.8, 0.2, -0.5, 0.3).normalized(), Vec3(0.4, -0.2, 0.7)};
    node.shift = Mat3X::Random(3, kCloudModes);
    node.turn = Mat3X::Random(3, kCloudModes);
    data.nodes.push_back(node);
  }
};

BodyDescription described(const FlexibleCloud& cloud) {
  auto flexible = std::make_shared<FlexibleDescription>();
  flexible->data = cloud.data;
  return {.name = "cloud",
          .mass = cloud.inertia.mass,
          .center_of_mass = cloud.inertia.center,
          .inertia = cloud.inertia.central,
          .flexible = flexible};
}

Configuration random_state(const Model& model) {
  Configuration c = model.reference_configuration();
  c.poses[1] = {Quat(Eigen::Vector4d::Random()).normalized(), Vec3::Random()};
  c.velocities[1] = Vec6::Random();
  for (double& eta : c.modes) eta = Vec3::Random().x();
  for (double& rate : c.mode_rates) rate = Vec3::Random().x();
  return c;
}

TEST(ModalBody, HasTheMassAndBiasOfItsParticles) {
  const double kSums = 1e-12;  // rounding of sums of some hundred terms of order ten
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const FlexibleCloud cloud(seed);
    ASSERT_EQ(modal_defect(cloud.inertia, cloud.data), "");
    const ModalBody body(cloud.inertia, cloud.data);
    const VecX eta = VecX::Random(kCloudModes);
    const VecX rate = VecX::Random(kCloudModes);
    const Mat3 R = Quat(Eigen::Vector4d::Random()).normalized().toRotationMatrix();
    const Vec3 w = Vec3::Random();
    MatX mass = MatX::Zero(6 + kCloudModes, 6 + kCloudModes);
    VecX bias = VecX::Zero(6 + kCloudModes);
    for (std::size_t i = 0; i < cloud.masses.size(); ++i) {
      const Vec3 arm = R * (cloud.places[i] + cloud.shapes[i] * eta);
      MatX velocity(3, 6 + kCloudModes);  // of the particle
      velocity << -skew(arm), Mat3::Identity(), R * cloud.shapes[i];
      const Vec3 acceleration = w.cross(w.cross(arm)) + 2 * w.cross(R * (cloud.shapes[i] * rate));
      mass += cloud.masses[i] * velocity.transpose() * velocity;
      bias += cloud.masses[i] * velocity.transpose() * acceleration;
    }
    const auto n = kCloudModes;
    EXPECT_LT((body.rigid_mass(eta.data(), R) - mass.topLeftCorner(6, 6)).norm(), kSums);
    EXPECT_LT((body.coupling(eta.data(), R) - mass.topRightCorner(6, n)).norm(), kSums);
    EXPECT_LT((body.modal_mass() - mass.bottomRightCorner(n, n)).norm(), kSums);
    EXPECT_LT((body.rigid_bias(eta.data(), rate.data(), w, R) - bias.head(6)).norm(), kSums);
    EXPECT_LT((body.modal_bias(eta.data(), rate.data(), w, R) - bias.tail(n)).norm(), kSums);
  }
}

// The state along a motion of constant accelerations, by its exact path in the modes and the pose.
Configuration moved_flexible(const Configuration& c, const Vec6& a, const VecX& eta_a, double t) {
  Configuration later = c;
  const Vec6 V = c.velocities[1];
  // Second-order path; its error is of third order and falls out of central differences at 0.
  later.poses[1].q = (exp_rotation(t * V.head<3>() + 0.5 * t * t * a.head<3>()) * c.poses[1].q);
  later.poses[1].p = c.poses[1].p + t * V.tail<3>() + 0.5 * t * t * a.tail<3>();
  later.velocities[1] = V + t * a;
  for (std::size_t k = 0; k < c.modes.size(); ++k) {
    const double acceleration = eta_a[static_cast<Eigen::Index>(k)];
    later.modes[k] = c.modes[k] + t * c.mode_rates[k] + 0.5 * t * t * acceleration;
    later.mode_rates[k] = c.mode_rates[k] + t * acceleration;
  }
  return later;
}

TEST(NodeAttachment, MovesAsItsPoseChanges) {
  const double kStep = 1e-5;
  const double kDifference = 1e-8;  // rounding over the step, and its square
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const FlexibleCloud cloud(seed);
    Description d;
    d.add_body(described(cloud));
    const Model model(d);
    const Configuration c = random_state(model);
    const BodyId id{1};
    const Attachment attachment =
        std::make_shared<const NodeAttachment>(NodeAttachment{model.body(id).modal, 0, 0, {}});
    const Vec6 a = Vec6::Random();
    const VecX eta_a = VecX::Random(kCloudModes);
    const Configuration before = moved_flexible(c, a, eta_a, -kStep);
    const Configuration after = moved_flexible(c, a, eta_a, kStep);
    const Carrier first = carrier_of(id, attachment, before);
    const Carrier last = carrier_of(id, attachment, after);
    const Vec3 turn = log_rotation(last.X.q * first.X.q.conjugate());
    const Vec6 by_pose = spatial(turn, last.X.p - first.X.p) / (2 * kStep);
    EXPECT_LT((carrier_velocity(id, attachment, c) - by_pose).norm(), kDifference);
    Motion motion;
    motion.configuration = c;
    motion.accelerations = {Vec6::Zero(), a};
    motion.mode_accelerations.assign(eta_a.data(), eta_a.data() + kCloudModes);
    const Vec6 by_velocity = (last.V - first.V) / (2 * kStep);
    EXPECT_LT((carrier_acceleration(id, attachment, motion) - by_velocity).norm(), kDifference);
    // And back: the body is where its node has it.
    Configuration placed = c;
    placed.poses[1] = {};
    placed.velocities[1].setZero();
    place_by_carrier(id, attachment, carrier_of(id, attachment, c), placed);
    EXPECT_LT((placed.poses[1].p - c.poses[1].p).norm(), 1e-14);
    EXPECT_LT(placed.poses[1].q.angularDistance(c.poses[1].q), 1e-7);
    EXPECT_LT((placed.velocities[1] - c.velocities[1]).norm(), 1e-13);
  }
}

TEST(Rotation, LeftJacobianRateIsItsDerivative) {
  const double kStep = 1e-5;
  for (const double size : {1e-3, 0.09, 0.11, 2.0}) {
    const Vec3 u = size * Vec3(0.6, -0.5, 0.62).normalized();
    const Vec3 du(0.3, 0.8, -0.4);
    const Vec3 difference =
        (left_jacobian(u + kStep * du) - left_jacobian(u - kStep * du)) * du / (2 * kStep);
    EXPECT_LT((left_jacobian_rate(u, du) - difference).norm(), 1e-10) << size;
  }
}

TEST(Beam, HasTheIntegralsOfClosedForms) {
  const double kRounding = 1e-13;
  // The leg's boom of scenario mmsev; the numbers in full were computed by another code.
  const BeamBody beam = make_beam({.length = 3,
                                   .mass_per_length = 20,
                                   .bending_stiffness_y = 1e5,
                                   .bending_stiffness_z = 1e5,
                                   .torsional_stiffness = 8e4,
                                   .axial_stiffness = 5e6,
                                   .polar_inertia = 0.2,
                                   .damping_ratio = 0.01,
                                   .bending_y = 3,
                                   .bending_z = 3,
                                   .torsion = 1,
                                   .axial = 1});
  ASSERT_EQ(modal_defect(beam.inertia, beam.data), "");
  const ModalBody body(beam.inertia, beam.data);
  const VecX masses =
      (VecX(8) << 15, 15, 15, 15, 15, 15, 0.3, 30).finished();  // ρA L/4, ρJ L/2, ρA L/2
  EXPECT_LT((body.modal_mass() - MatX(masses.asDiagonal())).norm(), 100 * kRounding);
  EXPECT_NEAR(beam.data.S(1, 0), 23.48975268118878, 100 * kRounding);
  EXPECT_NEAR(beam.data.S(2, 4), -13.018076853321624, 100 * kRounding);
  EXPECT_NEAR(beam.data.S(0, 7), 38.19718634205489, 100 * kRounding);
  EXPECT_NEAR(beam.data.X[0](0, 1), 51.19431693389199, 1000 * kRounding);
  EXPECT_NEAR(beam.data.X[7](0, 0), 72.95125222248316, 1000 * kRounding);
  EXPECT_NEAR(beam.data.Y[7](1, 0), 20.335856003604327, 1000 * kRounding);
  EXPECT_NEAR(body.inertia(VecX::Zero(8).eval().data())(2, 2), 180, 1000 * kRounding);
  // ω₁ = 1.8751² √(EI/ρA L⁴)
  const double omega = std::pow(1.875104068711961, 2) * std::sqrt(1e5 / (20 * 81));
  EXPECT_NEAR(beam.data.stiffness(0, 0), 15 * omega * omega, 1e-9);
  EXPECT_NEAR(beam.data.damping(0, 0), 0.02 * omega * 15, 1e-11);
  const ModalNode& tip = beam.data.nodes.back();
  EXPECT_EQ(tip.name, "tip");
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(tip.shift(1, k), 1, kRounding);
    EXPECT_NEAR(tip.turn(2, k), -tip.turn(1, 3 + k), kRounding);
  }
  EXPECT_NEAR(tip.turn(0, 6), 1, kRounding);
  EXPECT_NEAR(tip.shift(0, 7), 1, kRounding);
}

TEST(Beam, HasSoundHighModes) {
  const BeamBody beam =
      make_beam({.length = 2, .mass_per_length = 3, .bending_stiffness_y = 5, .bending_y = 20});
  const ModalBody body(beam.inertia, beam.data);
  EXPECT_LT((body.modal_mass() - 1.5 * MatX::Identity(20, 20)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(clamped_free_root(1), 1.875104068711961, 1e-15);
  EXPECT_NEAR(clamped_free_root(4), 10.995540734875467, 1e-14);
}

TEST(ModalBody, RejectsWhatNoBodyHas) {
  const FlexibleCloud cloud(3);
  ModalData whole = cloud.data;
  whole.add_lump(0, Mat3::Zero(), Vec3::Zero(), Mat3X::Zero(3, kCloudModes),
                 Mat3X::Zero(3, kCloudModes));
  EXPECT_EQ(modal_defect(cloud.inertia, whole), "");
  // A first mode that shifts everything alike is a rigid motion.
  ModalData rigid = ModalData::of_modes({"a", "b", "c"});
  for (std::size_t i = 0; i < cloud.masses.size(); ++i) {
    Mat3X shape = cloud.shapes[i];
    shape.col(0) = Vec3(0, 1, 0);
    rigid.add_lump(cloud.masses[i], Mat3::Zero(), cloud.places[i], shape, Mat3X::Zero(3, 3));
  }
  rigid.stiffness = cloud.data.stiffness;
  EXPECT_THAT(modal_defect(cloud.inertia, rigid), ::testing::HasSubstr("as a whole"));
  ModalData twice = cloud.data;
  twice = ModalData::of_modes({"a", "b", "c"});
  for (std::size_t i = 0; i < cloud.masses.size(); ++i) {
    Mat3X shape = cloud.shapes[i];
    shape.col(1) = 2 * shape.col(0);
    twice.add_lump(cloud.masses[i], Mat3::Zero(), cloud.places[i], shape, Mat3X::Zero(3, 3));
  }
  EXPECT_THAT(modal_defect(cloud.inertia, twice), ::testing::HasSubstr("positive definite"));
  ModalData soft = cloud.data;
  soft.stiffness(0, 0) = -1;
  EXPECT_THAT(modal_defect(cloud.inertia, soft), ::testing::HasSubstr("stiffness"));
}

TEST(ModelEditor, CarriesDeformationsAlong) {
  const FlexibleCloud cloud(4);
  BodyDescription first = described(cloud);
  BodyDescription second = described(cloud);
  first.name = "first";
  second.name = "second";
  second.pose.p = {5, 0, 0};
  Description d;
  d.add_body(first).add_body(second);
  AppliedForceDescription push;
  push.body = "second";
  push.node = "n";
  push.at_node = true;
  push.direction = {0, 0, 1};
  d.add_force("push", push);
  const Model model(d);
  Configuration now = model.reference_configuration();
  for (std::size_t k = 0; k < now.modes.size(); ++k) now.modes[k] = static_cast<double>(k);
  const EditedModel edited = edit(model, now, 0, {{RemoveBody{"first", false}, {}}});
  ASSERT_EQ(edited.model.mode_count(), kCloudModes);
  EXPECT_EQ(edited.model.reference_configuration().modes, (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(transfer(now, edited.map, model, edited.model).modes, (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(edited.model.applied_forces()[0].attachment->first_mode, 0);
  EXPECT_THROW(edit(model, now, 0, {{GrabBody{.name = "hand", .body = "first"}, {}}}), ModelError);
}

}  // namespace
}  // namespace sarrus
