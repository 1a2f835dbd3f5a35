#include "sarrus/testing/random_flexible.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/model/beam.h"
#include "sarrus/spatial/dense.h"

namespace sarrus::testing {
namespace {

/// Largest turn of a node at the start [rad], and largest displacement [m].
constexpr double kDeformation = 0.15;

/// Largest rate of that [rad/s, m/s].
constexpr double kDeformationRate = 0.5;

struct Flexible {
  Inertia inertia;
  ModalData data;
};

Flexible random_beam(double mass, Random& random) {
  BeamDescription beam;
  beam.length = random.uniform(0.4, 0.9);
  beam.mass_per_length = mass / beam.length;
  const double thickness = random.uniform(0.05, 0.15) * beam.length;
  beam.polar_inertia = beam.mass_per_length * thickness * thickness;
  // From the first frequency of each kind: those of beams, 1.8751² √(EI/ρAL⁴) and π/2L · wave speed.
  const auto bending = [&](double frequency) {
    const double root = clamped_free_root(1);
    const double ratio = frequency * beam.length * beam.length / (root * root);
    return beam.mass_per_length * ratio * ratio;
  };
  const auto wave = [&](double frequency, double inertia_per_length) {
    const double speed = frequency * 2 * beam.length / std::numbers::pi;
    return inertia_per_length * speed * speed;
  };
  beam.bending_stiffness_y = bending(random.log_uniform(15, 40));
  beam.bending_stiffness_z = bending(random.log_uniform(15, 40));
  beam.torsional_stiffness = wave(random.log_uniform(40, 150), beam.polar_inertia);
  beam.axial_stiffness = wave(random.log_uniform(80, 300), beam.mass_per_length);
  beam.bending_y = random.below(3);
  beam.bending_z = random.below(3);
  beam.torsion = random.below(2);
  beam.axial = random.below(2);
  if (beam.bending_y + beam.bending_z + beam.torsion + beam.axial == 0)
    beam.bending_y = 1 + random.below(3);
  if (random.chance(0.5)) beam.damping_ratio = random.log_uniform(0.005, 0.2);
  beam.stiffening = random.chance(0.3);
  beam.sections = 4;
  BeamBody made = make_beam(beam);
  return {made.inertia, std::move(made.data)};
}

Mat3X random_columns(double size, int count, Random& random) {
  Mat3X columns(3, count);
  for (int k = 0; k < count; ++k) columns.col(k) = random.vector(size);
  return columns;
}

/// K = L A Lᵀ with modal mass L Lᵀ: A has the squares of the frequencies on its diagonal and, beside it,
/// couplings that leave it positive definite.
void add_stiffness(Flexible& body, Random& random) {
  const int n = body.data.count();
  const MatX L = Cholesky<MatX>(ModalBody(body.inertia, body.data).modal_mass()).lower();
  VecX frequencies(n);
  for (int k = 0; k < n; ++k) frequencies[k] = random.log_uniform(15, 200);
  MatX A = frequencies.cwiseAbs2().asDiagonal();
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < k; ++l)
      A(k, l) = A(l, k) = random.uniform(-0.5, 0.5) / n * frequencies[k] * frequencies[l];
  body.data.stiffness = L * A * L.transpose();
  body.data.stiffness = (0.5 * (body.data.stiffness + body.data.stiffness.transpose())).eval();
  if (random.chance(0.5)) {
    const VecX damping = 2 * random.log_uniform(0.005, 0.2) * frequencies;
    body.data.damping = L * damping.asDiagonal() * L.transpose();
    body.data.damping = (0.5 * (body.data.damping + body.data.damping.transpose())).eval();
  }
  if (random.chance(0.3))
    for (MatX& G : body.data.stiffening) {
      if (random.chance(0.3)) continue;
      G.setZero(n, n);
      for (int k = 0; k < n; ++k)
        for (int l = 0; l <= k; ++l) G(k, l) = G(l, k) = random.uniform(-0.3, 0.3);
      G = (L * G * L.transpose()).eval();
    }
}

Flexible random_lumps(double mass, Random& random) {
  const int modes = 1 + random.below(6);
  const int lumps = 6 + random.below(3);
  std::vector<std::string> names;
  for (int k = 0; k < modes; ++k) names.push_back(fmt::format("m{}", k + 1));
  Flexible body{{}, ModalData::of_modes(names)};
  const Vec3 offset = random.vector(0.2);
  std::vector<double> weights;
  double sum = 0;
  for (int i = 0; i < lumps; ++i) {
    weights.push_back(random.uniform(0.2, 1));
    sum += weights.back();
  }
  for (int i = 0; i < lumps; ++i) {
    const double m = mass * weights[static_cast<std::size_t>(i)] / sum;
    ModalNode node;
    node.name = fmt::format("p{}", i + 1);
    node.X_BN = {random.rotation(), offset + random.vector(0.3)};
    node.shift = random_columns(1, modes, random);
    node.turn = random_columns(1, modes, random);
    Mat3 inertia = Mat3::Zero();
    if (random.chance(0.5)) {  // three pairs of masses on axes of the body
      Vec3 squares;
      for (int k = 0; k < 3; ++k) squares[k] = m * random.uniform(1e-4, 4e-3);
      inertia = Mat3((squares.sum() * Vec3::Ones() - squares).asDiagonal());
    }
    body.inertia = body.inertia + Inertia{m, node.X_BN.p, inertia};
    body.data.add_lump(m, inertia, node.X_BN.p, node.shift, node.turn);
    if (i < 4) body.data.nodes.push_back(std::move(node));
  }
  add_stiffness(body, random);
  return body;
}

std::vector<double> random_modes(const ModalBody& body, double size, Random& random) {
  const VecX unit = body.unit_deformation(1);
  std::vector<double> eta;
  for (int k = 0; k < body.count(); ++k)
    eta.push_back(random.uniform(-size, size) * unit[k] / body.count());
  return eta;
}

}  // namespace

void make_random_flexible(BodyDescription& body, double mass, bool deformed, bool moving,
                          Random& random) {
  const bool is_beam = random.chance(0.5);
  Flexible made;
  // Shapes that could move the body as a whole are rare; they are drawn anew.
  do {
    made = is_beam ? random_beam(mass, random) : random_lumps(mass, random);
  } while (!modal_defect(made.inertia, made.data).empty());
  body.mass = made.inertia.mass;
  body.center_of_mass = made.inertia.center;
  body.inertia = made.inertia.central;
  auto flexible = std::make_shared<FlexibleDescription>();
  const ModalBody modal(made.inertia, made.data);
  if (deformed) flexible->deformation = random_modes(modal, kDeformation, random);
  if (moving) flexible->deformation_rate = random_modes(modal, kDeformationRate, random);
  flexible->data = std::move(made.data);
  body.flexible = std::move(flexible);
}

std::string random_node(const BodyDescription& body, const Vec3& near, Random& random) {
  if (body.flexible == nullptr || random.chance(0.25)) return {};
  const std::vector<ModalNode>& nodes = body.flexible->data.nodes;
  if (random.chance(0.5))
    return nodes[static_cast<std::size_t>(random.below(static_cast<int>(nodes.size())))].name;
  const Vec3 place = body.pose.inverse() * near;
  return std::ranges::min_element(
             nodes, {}, [&](const ModalNode& node) { return (node.X_BN.p - place).norm(); })
      ->name;
}

}  // namespace sarrus::testing
