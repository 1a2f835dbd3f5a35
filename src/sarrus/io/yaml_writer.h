#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sarrus/model/description.h"

namespace sarrus::io {

/// Writes keys and values in the format of model files, one key a line.
///
/// The `unless` arguments leave a key out where its value is, to the bit, the reader's default.
class YamlWriter {
 public:
  void section(std::string_view name);
  /// Begins an element of the section's list; the keys that follow are its own.
  void element(std::string_view name);

  void number(std::string_view key, double value);
  void number(std::string_view key, double value, double unless);
  void vector(std::string_view key, const Vec3& value);
  void vector(std::string_view key, const Vec3& value, const Vec3& unless);
  void numbers(std::string_view key, std::span<const double> values);
  void text(std::string_view key, std::string_view value);
  void text(std::string_view key, std::string_view value, std::string_view unless);
  /// A value written already, such as a flow map.
  void raw(std::string_view key, std::string_view value);

  std::string& result() { return text_; }

 private:
  std::string text_;
  std::string_view indent_;
};

// Values as they stand behind a key.
std::string yaml_number(double value);
std::string yaml_list(std::span<const double> values);
std::string yaml_vector(const Vec3& value);
/// In quotes where YAML needs them; braces doubled, as texts of model files have places for values.
std::string yaml_text(std::string_view text);
std::string yaml_coordinates(const CoordinateValues& values);
std::string yaml_function(const TimeFunction& function);

/// Equal to the bit: −0 is not 0.
bool same_bits(double a, double b);
bool same_bits(const Vec3& a, const Vec3& b);
bool is_identity(const Quat& q);

}  // namespace sarrus::io
