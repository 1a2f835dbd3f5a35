#include "sarrus/io/repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sarrus/io/fields.h"

namespace sarrus::io {
namespace {

/// The elements of one list, one after another.
class Repeater {
 public:
  Repeater(ReadContext& context, const std::function<void(const YamlNode&)>& read,
           const std::function<void(std::size_t)>& expect)
      : context_(context), read_(read), expect_(expect) {}

  void run(const YamlNode& element, std::string_view kind) {
    const YamlNode* name = element.find("name");
    context_.begin_element(kind, name == nullptr ? "" : name->text);
    if (context_.require(element, YamlNode::Kind::kMap, kind, "write 'name: …' and its other keys"))
      repeat(element);
    context_.end_element();
  }

 private:
  void repeat(const YamlNode& element) {
    mistakes_before_ = context_.mistakes();
    element_ = &element;
    when_ = element.find("when");
    loops_.clear();
    const YamlNode* loops = element.find("repeat");
    if (loops != nullptr && loops->kind == YamlNode::Kind::kList)
      loops_ = loops->items;
    else if (loops != nullptr)
      loops_ = {loops};
    for (const YamlNode* loop : loops_)
      if (!check(*loop)) return;
    // Count before anything is made, so that a slip in the limits does not fill the memory first.
    const double counted_before = counted_;
    if (!loops_.empty()) run_loop(0, Pass::kCount);
    if (failed()) return;
    expect_(loops_.empty() ? 1 : static_cast<std::size_t>(counted_ - counted_before));
    run_loop(0, Pass::kMake);
  }

  bool check(const YamlNode& loop) {
    if (!context_.require(loop, YamlNode::Kind::kMap, "repeat",
                          "write repeat: {index: i, from: 1, to: n}, or a list of such maps"))
      return false;
    static const std::vector<std::string> kKeys = {"index", "from", "to"};
    const Fields fields(context_, loop);
    fields.check_keys(kKeys, "repeat");
    fields.require("index", "name the index: 'index: i'");
    fields.require("to", "say how far the index goes: 'to: n'");
    return !failed();
  }

  enum class Pass { kCount, kMake };

  void run_loop(std::size_t level, Pass pass) {
    if (level == loops_.size()) return make_one();
    const Fields loop(context_, *loops_[level]);
    const std::string index = loop.required_text("index", "name the index: 'index: i'");
    const double from = loop.number("from", 1);
    const double to = loop.required_number("to");
    if (failed()) return;
    if (pass == Pass::kCount && (!check_index(loop, index) || !count(loop, from, to))) return;
    if (pass == Pass::kCount && level + 1 == loops_.size()) return;

    const int slot = context_.scope().slot(index);
    for (double value = from; value <= to && !failed(); ++value) {
      context_.scope().set(slot, value);
      run_loop(level + 1, pass);
    }
    context_.scope().clear(slot);
  }

  bool check_index(const Fields& loop, const std::string& index) {
    const bool taken = context_.scope().defines(index) || is_reserved(index);
    if (is_identifier(index) && !taken) return true;
    context_.fail(*loop.find("index"),
                  taken ? fmt::format("the index '{}' has the name of something else", index)
                        : fmt::format("'{}' cannot be the name of an index", index),
                  "take a name of letters, digits and _ that no parameter, function or other index "
                  "has");
    return false;
  }

  bool count(const Fields& loop, double from, double to) {
    for (const auto& [key, value] : {std::pair("from", from), std::pair("to", to)}) {
      if (std::floor(value) == value && std::abs(value) <= 1e15) continue;
      const YamlNode* node = loop.find(key);
      context_.fail(*node, fmt::format("repeat: {} is {}; it must be a whole number", key, value),
                    "use round(), floor() or ceil()");
      return false;
    }
    counted_ += std::max(0.0, to - from + 1);
    if (counted_ <= kMostElements) return true;
    context_.fail(
        *loop.find("to"),
        fmt::format("repeat: from {} to {} makes more than {} elements", from, to, kMostElements),
        "check the limits; a list holds at most five million elements");
    return false;
  }

  void make_one() {
    if (when_ != nullptr) {
      const auto wanted = context_.number(*when_, "when");
      if (!wanted || *wanted == 0) return;
    }
    read_(*element_);
  }

  bool failed() const { return context_.mistakes() > mistakes_before_; }

  ReadContext& context_;
  const std::function<void(const YamlNode&)>& read_;
  const std::function<void(std::size_t)>& expect_;
  const YamlNode* element_ = nullptr;
  const YamlNode* when_ = nullptr;
  std::vector<const YamlNode*> loops_;
  std::size_t mistakes_before_ = 0;
  double counted_ = 0;  ///< turns of all the loops so far
};

}  // namespace

void for_each_element(ReadContext& context, const YamlNode& list, std::string_view kind,
                      const std::function<void(const YamlNode&)>& read,
                      const std::function<void(std::size_t)>& expect) {
  if (list.kind == YamlNode::Kind::kNull) return;  // `forces:` with nothing below it: none
  if (!context.require(list, YamlNode::Kind::kList, fmt::format("the list of each {}", kind),
                       "begin every element with '- '"))
    return;
  Repeater repeater(context, read, expect);
  for (const YamlNode* element : list.items) repeater.run(*element, kind);
}

}  // namespace sarrus::io
