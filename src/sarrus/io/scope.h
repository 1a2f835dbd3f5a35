#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sarrus::io {

/// What a name of a model file stands for: a number or a text; `kBroken` where its definition was
/// wrong and has been reported, so that its uses are not reported again.
struct ScopeValue {
  enum class Kind { kUndefined, kNumber, kText, kBroken };
  Kind kind = Kind::kUndefined;
  double number = 0;
  std::string text;
};

/// The names an expression may use: parameters and, inside a `repeat`, its indices.
///
/// A name keeps its slot for ever, so an expression looks its names up once and is then evaluated
/// as often as the values change.
class Scope {
 public:
  /// The slot of `name`, made when the name is new; the name itself stays undefined.
  int slot(std::string_view name);

  void set(int slot, double number);
  void set(int slot, std::string text);
  void set_broken(int slot);
  void clear(int slot);

  const ScopeValue& value(int slot) const { return values_[static_cast<std::size_t>(slot)]; }
  const std::string& name(int slot) const { return names_[static_cast<std::size_t>(slot)]; }

  /// Whether `name` stands for something here.
  bool defines(std::string_view name) const;

  /// All names that stand for something, in the order of their first mention.
  std::vector<std::string> defined_names() const;

 private:
  ScopeValue& at(int slot) { return values_[static_cast<std::size_t>(slot)]; }

  std::map<std::string, int, std::less<>> slots_;
  std::vector<std::string> names_;
  std::vector<ScopeValue> values_;
};

}  // namespace sarrus::io
