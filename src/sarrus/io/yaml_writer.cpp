#include "sarrus/io/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include "sarrus/io/expression.h"

namespace sarrus::io {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// Words that YAML and we read as they stand. Letters first, so numbers are not among them.
bool is_plain_word(std::string_view text) {
  std::string letters(text);
  std::replace(letters.begin(), letters.end(), '-', '_');
  std::string lower;
  for (const char c : letters) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return is_identifier(letters) && text[0] != '-' && lower != "null";
}

std::string in_quotes(std::string_view text) {
  if (is_plain_word(text)) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result += '"';
}

}  // namespace

void YamlWriter::section(std::string_view name) {
  fmt::format_to(std::back_inserter(text_), "\n{}:\n", name);
  indent_ = "  ";
}

void YamlWriter::element(std::string_view name) {
  fmt::format_to(std::back_inserter(text_), "  - name: {}\n", yaml_text(name));
  indent_ = "    ";
}

void YamlWriter::raw(std::string_view key, std::string_view value) {
  ((((text_ += indent_) += key) += ": ") += value) += '\n';
}

void YamlWriter::number(std::string_view key, double value) { raw(key, yaml_number(value)); }

void YamlWriter::number(std::string_view key, double value, double unless) {
  if (!same_bits(value, unless)) number(key, value);
}

void YamlWriter::vector(std::string_view key, const Vec3& value) { raw(key, yaml_vector(value)); }

void YamlWriter::vector(std::string_view key, const Vec3& value, const Vec3& unless) {
  if (!same_bits(value, unless)) vector(key, value);
}

void YamlWriter::numbers(std::string_view key, std::span<const double> values) {
  raw(key, yaml_list(values));
}

void YamlWriter::text(std::string_view key, std::string_view value) { raw(key, yaml_text(value)); }

void YamlWriter::text(std::string_view key, std::string_view value, std::string_view unless) {
  if (value != unless) text(key, value);
}

std::string yaml_number(double value) { return fmt::format("{}", value); }

std::string yaml_list(std::span<const double> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string yaml_vector(const Vec3& value) {
  return fmt::format("[{}, {}, {}]", value.x(), value.y(), value.z());
}

std::string yaml_text(std::string_view text) {
  std::string doubled;
  for (const char c : text) {
    doubled += c;
    if (c == '{' || c == '}') doubled += c;
  }
  return in_quotes(doubled);
}

std::string yaml_coordinates(const CoordinateValues& values) {
  std::string result;
  for (const auto& [name, value] : values)
    result += fmt::format("{}{}: {}", result.empty() ? "{" : ", ", in_quotes(name), value);
  return result + "}";
}

std::string yaml_function(const TimeFunction& function) {
  return std::visit(
      Overloaded{
          [](const TimeFunction::Constant& f) { return yaml_number(f.value); },
          [](const TimeFunction::Step& f) {
            return fmt::format("{{type: step, from: {}, to: {}, at: {}, duration: {}}}", f.from,
                               f.to, f.at, f.duration);
          },
          [](const TimeFunction::Ramp& f) {
            const bool for_ever = same_bits(f.stop, TimeFunction::Ramp{}.stop);
            return fmt::format("{{type: ramp, from: {}, rate: {}, start: {}{}}}", f.from, f.rate,
                               f.start, for_ever ? "" : fmt::format(", stop: {}", f.stop));
          },
          [](const TimeFunction::Sine& f) {
            return fmt::format(
                "{{type: sine, amplitude: {}, angular_frequency: {}, phase: {}, offset: {}}}",
                f.amplitude, f.angular_frequency, f.phase, f.offset);
          },
          [](const TimeFunction::Table& f) {
            return fmt::format("{{type: table, times: {}, values: {}, smooth: {}}}",
                               yaml_list(f.times), yaml_list(f.values), f.smooth);
          },
      },
      function.shape());
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(const Vec3& a, const Vec3& b) {
  return same_bits(a.x(), b.x()) && same_bits(a.y(), b.y()) && same_bits(a.z(), b.z());
}

bool is_identity(const Quat& q) {
  return same_bits(q.w(), 1) && same_bits(Vec3(q.vec()), Vec3::Zero());
}

}  // namespace sarrus::io
