#pragma once

#include "sarrus/io/picture/camera.h"

namespace sarrus::picture {

/// Springs, dampers, drives and applied loads of a mechanism, and how large to draw them.
struct LoadsDrawing {
  const Model& model;
  const Configuration& configuration;
  const Skeleton& skeleton;
  const Camera& camera;
  double scale = 1;
  Vec2 ground = {0, 1};  ///< towards the ground, on the page
};

/// Zigzags between points; spirals round joints that turn. Dampers alone are dashpots.
void draw_springs(Page& page, const LoadsDrawing& drawing);

/// Arrows: round the axis of what turns, along what slides.
void draw_drives(Page& page, const LoadsDrawing& drawing);

/// An arrow the way things fall, lettered g. Nothing without gravity.
struct GravityDrawing {
  const Camera& camera;
  const Vec3& gravity;
  Vec2 at;
  double scale = 1;
};
void draw_gravity(Page& page, const GravityDrawing& drawing);

/// The world's axes.
void draw_axes(Page& page, const Camera& camera, const Vec2& at, double scale);

}  // namespace sarrus::picture
