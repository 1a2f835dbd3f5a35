#include "sarrus/io/picture/labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sarrus::picture {
namespace {

constexpr double kLetters = 13;  // size

// Half of a name's width and height; letters of a proportional font are about half as wide as high.
Vec2 half_size(const std::string& name) {
  const auto letters = std::ranges::count_if(
      name, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });  // UTF-8
  return {0.27 * kLetters * static_cast<double>(letters), 0.45 * kLetters};
}

}  // namespace

// The more a label covers, the worse; other labels weigh most, then joints, then bars.
double Labels::trouble(const Label& label) const {
  double trouble = 0;
  const auto outside = [&](const Vec2& point, double margin) {
    return ((point - label.center).cwiseAbs() - label.half).maxCoeff() - margin;
  };
  for (const Line& line : lines_)
    for (int i = 0; i <= 12; ++i)
      if (outside(line.from + (line.to - line.from) * i / 12.0, 6) < 0) trouble += 3;
  for (const Disc& disc : discs_) trouble += 8 * std::max(0.0, -outside(disc.center, disc.radius));
  for (const Label& other : labels_)
    if (((other.center - label.center).cwiseAbs() - label.half - other.half).maxCoeff() < 2)
      trouble += 50;
  const Vec2 low = label.center - label.half;
  const Vec2 high = label.center + label.half - size_;
  return trouble + 20 * std::max({0.0, 6 - low.x(), 6 - low.y(), high.x() + 6, high.y() + 6});
}

void Labels::place(const std::vector<Label>& choices) {
  constexpr std::size_t kMany = 200;  // then the first place must do
  const Label* best = &choices.front();
  double least = labels_.size() < kMany ? trouble(*best) : 0;
  for (const Label& choice : choices) {
    if (least < 0.5) break;
    const double here = trouble(choice);
    if (here < least - 0.5) {
      least = here;
      best = &choice;
    }
  }
  labels_.push_back(*best);
}

void Labels::beside_bar(const Vec2& from, const Vec2& to, const std::string& name,
                        const std::string& color) {
  const Vec2 along = to - from;
  if (along.norm() < 1) return beside_point(from, name, color);
  const Vec2 half = half_size(name);
  Vec2 normal = Vec2(-along.y(), along.x()) / along.norm();
  if ((from + along / 2 - size_ / 2).dot(normal) < 0) normal = -normal;  // outwards first
  std::vector<Label> choices;
  for (const double gap : {9.0, 16.0})
    for (const double part : {0.5, 0.38, 0.62, 0.25, 0.75})
      for (const double side : {1.0, -1.0}) {
        const double reach = gap + normal.cwiseAbs().dot(half);
        choices.push_back({from + part * along + side * reach * normal, half, name, color});
      }
  place(choices);
}

void Labels::beside_point(const Vec2& point, const std::string& name, const std::string& color) {
  const Vec2 half = half_size(name);
  std::vector<Label> choices;
  for (const double gap : {14.0, 24.0, 36.0})
    for (const double eighth : {0.0, 4.0, 6.0, 2.0, 7.0, 5.0, 1.0, 3.0}) {
      const double angle = eighth * std::numbers::pi / 4;
      const Vec2 way(std::cos(angle), std::sin(angle));
      choices.push_back({point + gap * way + way.cwiseProduct(half), half, name, color});
    }
  place(choices);
}

void Labels::draw(Page& page) const {
  for (const Label& label : labels_)
    page.text(label.center + Vec2(0, 0.34 * kLetters), label.name, {kLetters, label.color});
}

}  // namespace sarrus::picture
