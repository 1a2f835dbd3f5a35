#pragma once

#include <string>

#include "sarrus/io/picture/page.h"

namespace sarrus::picture {

/// Puts names beside things, where they cover nothing if there is such a place.
class Labels {
 public:
  explicit Labels(const Vec2& page_size) : size_(page_size) {}

  /// What must not be covered.
  void avoid_line(const Vec2& from, const Vec2& to) { lines_.push_back({from, to}); }
  void avoid_disc(const Vec2& center, double radius) { discs_.push_back({center, radius}); }

  void beside_bar(const Vec2& from, const Vec2& to, const std::string& name,
                  const std::string& color);
  void beside_point(const Vec2& point, const std::string& name, const std::string& color);

  void draw(Page& page) const;

 private:
  struct Line {
    Vec2 from, to;
  };
  struct Disc {
    Vec2 center;
    double radius;
  };
  struct Label {
    Vec2 center, half;
    std::string name, color;
  };

  double trouble(const Label& label) const;
  void place(const std::vector<Label>& choices);

  Vec2 size_;
  std::vector<Line> lines_;
  std::vector<Disc> discs_;
  std::vector<Label> labels_;
};

}  // namespace sarrus::picture
