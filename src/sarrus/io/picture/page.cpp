#include "sarrus/io/picture/page.h"

#include <fmt/format.h>

#include <cmath>

namespace sarrus::picture {
namespace {

// Two decimals. Values that lie right between two of them, such as the middle of something, are
// nudged, so that the last bit of a sine on another machine does not decide.
std::string decimal(double value) {
  constexpr double kNudge = 1e-6;
  const double hundredths = std::floor(100 * (value + kNudge) + 0.5);
  std::string text = fmt::format("{:.2f}", hundredths / 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

// As XML wants it. Control characters have no place there at all.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  return result;
}

std::string attributes(const Style& style) {
  std::string text = fmt::format(R"( fill="{}")", style.fill);
  if (style.stroke != "none")
    text += fmt::format(R"( stroke="{}" stroke-width="{}")", style.stroke, decimal(style.width));
  if (style.opacity < 1) text += fmt::format(R"( fill-opacity="{}")", decimal(style.opacity));
  if (!style.dashes.empty()) text += fmt::format(R"( stroke-dasharray="{}")", style.dashes);
  return text;
}

}  // namespace

void Page::open(std::string_view css_class, std::string_view title) {
  svg_ += fmt::format("<g class=\"{}\"><title>{}</title>\n", css_class, escaped(title));
}

void Page::close() { svg_ += "</g>\n"; }

void Page::line(const Vec2& from, const Vec2& to, const Style& style) {
  svg_ += fmt::format("<path d=\"M{} {}L{} {}\"{}/>\n", decimal(from.x()), decimal(from.y()),
                      decimal(to.x()), decimal(to.y()), attributes(style));
}

void Page::path(std::span<const Vec2> points, bool closed, const Style& style) {
  svg_ += "<path d=\"";
  char command = 'M';
  for (const Vec2& point : points) {
    svg_ += fmt::format("{}{} {}", command, decimal(point.x()), decimal(point.y()));
    command = 'L';
  }
  svg_ += fmt::format("{}\"{}/>\n", closed ? "Z" : "", attributes(style));
}

void Page::circle(const Vec2& center, double radius, const Style& style) {
  svg_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", decimal(center.x()),
                      decimal(center.y()), decimal(radius), attributes(style));
}

void Page::text(const Vec2& at, std::string_view words, const Lettering& lettering) {
  svg_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}>{}</text>\n",
      decimal(at.x()), decimal(at.y()), decimal(lettering.size), lettering.fill, lettering.anchor,
      lettering.italic ? " font-style=\"italic\"" : "", escaped(words));
}

std::string svg_document(const Page& page, const Vec2& size, std::string_view title) {
  const std::string width = decimal(std::ceil(size.x()));
  const std::string height = decimal(std::ceil(size.y()));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" "
      "stroke-linecap=\"round\" stroke-linejoin=\"round\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" rx=\"12\" fill=\"{3}\"/>\n{4}</svg>\n",
      width, height, escaped(title), kPaper, page.elements());
}

std::string mixed(const std::string& from, const std::string& to, double part) {
  std::string result = "#";
  for (const std::size_t digit : {1U, 3U, 5U}) {
    const auto channel = [digit](const std::string& color) {
      return static_cast<double>(std::stoi(color.substr(digit, 2), nullptr, 16));
    };
    const double value = channel(from) + part * (channel(to) - channel(from));
    result += fmt::format("{:02x}", static_cast<int>(std::floor(value + 0.5)));
  }
  return result;
}

}  // namespace sarrus::picture
