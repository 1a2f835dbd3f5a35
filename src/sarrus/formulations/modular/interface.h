#pragma once

#include <span>
#include <vector>

#include "sarrus/model/model.h"

namespace sarrus::modular {

/// A joint between two subsystems, as the iteration sees it: two bodies and some rows.
struct Link {
  int joint = 0;     ///< of the model
  int a = 0, b = 0;  ///< bodies, or nodes of flexible ones; ground is 0
  int rows = 0;      ///< at most six, prescribed motions included
};

/// A part of the mechanism that shows only its bodies: wrenches in, accelerations out.
struct Box {
  std::vector<int>
      bodies;           ///< in rising order; then the nodes of a flexible one that joints sit at
  bool is_body = true;  ///< one rigid body, without anything inside
  int steps = 1;        ///< within one step of the joints
};

/// Who is glued to whom: the boxes, and the joints between them. Immutable. Nodes that joints sit at are
/// numbered behind the bodies, and are to joints what bodies are.  [modular-flexible]
struct Interface {
  std::vector<Box> boxes;
  std::vector<int> box_of;    ///< per body or node; −1 for ground
  std::vector<int> place_of;  ///< per body or node, among those of its box
  std::vector<Link> links;
  std::vector<int> degree;  ///< per box: joints on it
  bool is_open = true;      ///< no loops of boxes and links

  /// `boxes` must hold every moving body once; nodes are added.
  Interface(const Model& model, std::vector<Box> boxes);

  bool is_inside(const Joint& joint) const {
    const int box = box_of[joint.b.slot()];
    return box >= 0 && box == box_of[joint.a.slot()];
  }
};

/// The Cholesky factor of a 6×6 block. A row whose pivot is below `least` of its diagonal entry depends
/// on those before it and is left out, as are rows of zeros.
struct BlockFactor {
  Mat6 L = Mat6::Zero();
  Vec6 inverse = Vec6::Zero();  ///< of the diagonal; 0 for a row left out

  void compute(const Mat6& A, const Vec6& diagonal, double least);
  void forward(Vec6& x) const;            ///< x ← L⁻¹ x
  void backward(Vec6& x) const;           ///< x ← L⁻ᵀ x
  void right(Mat6& X) const;              ///< X ← X L⁻ᵀ
  void invert(Mat6& inverse_of_A) const;  ///< zero for rows left out
};

}  // namespace sarrus::modular
