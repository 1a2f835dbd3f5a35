#include "sarrus/io/scope.h"

#include <utility>

namespace sarrus::io {

int Scope::slot(std::string_view name) {
  if (const auto found = slots_.find(name); found != slots_.end()) return found->second;
  const int slot = static_cast<int>(names_.size());
  slots_.emplace(name, slot);
  names_.emplace_back(name);
  values_.emplace_back();
  return slot;
}

void Scope::set(int slot, double number) {
  at(slot) = {.kind = ScopeValue::Kind::kNumber, .number = number, .text = {}};
}

void Scope::set(int slot, std::string text) {
  at(slot) = {.kind = ScopeValue::Kind::kText, .number = 0, .text = std::move(text)};
}

void Scope::set_broken(int slot) { at(slot) = {.kind = ScopeValue::Kind::kBroken, .text = {}}; }

void Scope::clear(int slot) { at(slot) = {}; }

bool Scope::defines(std::string_view name) const {
  const auto found = slots_.find(name);
  return found != slots_.end() && value(found->second).kind != ScopeValue::Kind::kUndefined;
}

std::vector<std::string> Scope::defined_names() const {
  std::vector<std::string> defined;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (values_[i].kind != ScopeValue::Kind::kUndefined) defined.push_back(names_[i]);
  return defined;
}

}  // namespace sarrus::io
