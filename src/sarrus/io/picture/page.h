#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sarrus/spatial/types.h"

/// Pictures of mechanisms as SVG. `picture.h` is the way in; the rest are its parts.
namespace sarrus::picture {

using Vec2 = Eigen::Vector2d;

/// How a line or area looks. Colours are "#rrggbb" or "none"; lengths are in units of the page.
struct Style {
  std::string fill = "none";
  std::string stroke = "none";
  double width = 1;
  double opacity = 1;
  std::string dashes;
};

/// What is to be written beside a thing.
struct Lettering {
  double size = 13;
  std::string fill = "#33312e";
  std::string anchor = "middle";  ///< start, middle, end
  bool italic = false;
};

/// SVG elements in the order they are drawn, y downwards. The same calls make the same bytes.
class Page {
 public:
  /// A group, with a class for style sheets and tests and a title that viewers show on hovering.
  void open(std::string_view css_class, std::string_view title);
  void close();

  void line(const Vec2& from, const Vec2& to, const Style& style);
  void path(std::span<const Vec2> points, bool closed, const Style& style);
  void circle(const Vec2& center, double radius, const Style& style);
  void text(const Vec2& at, std::string_view words, const Lettering& lettering);

  /// Puts all of another page on top.
  void add(const Page& page) { svg_ += page.svg_; }

  const std::string& elements() const { return svg_; }

 private:
  std::string svg_;
};

/// A whole SVG file: the elements on a light background, legible on pages of any colour.
std::string svg_document(const Page& page, const Vec2& size, std::string_view title);

/// Part of the way from one colour "#rrggbb" to another.
std::string mixed(const std::string& from, const std::string& to, double part);

inline const std::string kPaper = "#fbfaf7";
inline const std::string kInk = "#33312e";

}  // namespace sarrus::picture
