#pragma once

#include <span>

#include "sarrus/io/picture/picture.h"
#include "sarrus/io/picture/skeleton.h"

namespace sarrus::picture {

/// A parallel projection from the world to the page.
struct Camera {
  Vec3 right = Vec3::UnitX();  ///< the page's axes in the world, orthonormal
  Vec3 up = Vec3::UnitY();
  Vec3 toward = Vec3::UnitZ();  ///< the viewer
  bool flat = false;            ///< the mechanism lies, or moves, parallel to the page
  double scale = 1;             ///< page units per metre
  Vec2 origin = Vec2::Zero();   ///< of the world, on the page

  /// The part of a direction that lies in the page, y downwards.
  Vec2 direction(const Vec3& d) const { return {right.dot(d), -up.dot(d)}; }
  Vec2 page(const Vec3& point) const { return origin + scale * direction(point); }
  double depth(const Vec3& point) const { return toward.dot(point); }  ///< larger is nearer
};

/// Which way to look, without scale and origin. See PictureOptions::view.
Camera choose_camera(const Model& model, const Skeleton& skeleton, const PictureOptions& options);

}  // namespace sarrus::picture
