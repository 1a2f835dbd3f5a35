#pragma once

#include "sarrus/model/modal_body.h"

namespace sarrus {

/// A uniform Euler–Bernoulli beam along the body's x axis from its origin, where it is clamped to the
/// body's frame; free at its end.  [flexible-beam]
struct BeamDescription {
  double length = 0;               ///< [m]
  double mass_per_length = 0;      ///< [kg/m]
  double bending_stiffness_y = 0;  ///< E I for deflections along y [N m²]
  double bending_stiffness_z = 0;  ///< for deflections along z
  double torsional_stiffness = 0;  ///< G J [N m²]
  double axial_stiffness = 0;      ///< E A [N]
  double polar_inertia = 0;        ///< about x, per length [kg m]
  double damping_ratio = 0;        ///< of every mode
  int bending_y = 0;               ///< how many modes of each kind
  int bending_z = 0;
  int torsion = 0;
  int axial = 0;
  bool stiffening = false;  ///< does spin stiffen it?
  double tip_mass = 0;      ///< carried at the end, as far as stiffening goes [kg]
  int sections = 10;        ///< nodes at equal distances, besides the root: `n1` to `n9` for 10
};

/// A flexible body that a beam makes: its undeformed inertia and its modes. Shapes have unit
/// displacement (torsion: unit rotation) at the end. Nodes: `root`, `tip`, and those between.
struct BeamBody {
  Inertia inertia;
  ModalData data;
};
BeamBody make_beam(const BeamDescription& beam);

/// Empty, or the field that is wrong, and after a newline what is wrong with it.
std::string beam_defect(const BeamDescription& beam);

/// The k-th root (from 1) of 1 + cos x cosh x = 0.
double clamped_free_root(int k);

}  // namespace sarrus
