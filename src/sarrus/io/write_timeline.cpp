#include <fmt/format.h>

#include <algorithm>

#include "sarrus/io/timeline_text.h"
#include "sarrus/io/write_elements.h"

namespace sarrus::io {
namespace {

constexpr const char* kIndent = "          ";  // of the keys of an edit's own map

/// An element as `expand` writes it, one level further in: "\n          name: x\n          mass: 1".
template <class Element>
std::string nested(void (*write)(YamlWriter&, const Element&), const Element& element) {
  YamlWriter out;
  write(out, element);
  std::string text;
  std::string_view rest = out.result();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (line.ends_with('\n')) line.remove_suffix(1);
    line.remove_prefix(std::min<std::size_t>(4, line.size()));  // "  - " or four spaces
    text += fmt::format("\n{}    {}", kIndent, line);
  }
  return text;
}

std::string yes_or_nothing(const char* key, bool value) {
  return value ? fmt::format(", {}: true", key) : "";
}

/// One edit as "cut: J1".
struct EditWriter {
  std::string operator()(const CutJoint& e) const {
    return fmt::format("cut: {}", yaml_text(e.joint));
  }
  std::string operator()(const RestoreJoint& e) const {
    return fmt::format("restore: {{joint: {}{}}}", yaml_text(e.joint),
                       yes_or_nothing("original", e.original));
  }
  std::string operator()(const AddBody& e) const {
    return fmt::format("add:\n{}body:{}", kIndent, nested(write_body, e.body));
  }
  std::string operator()(const AddJoint& e) const {
    return fmt::format("add:\n{}joint:{}", kIndent, nested(write_joint, e.joint));
  }
  std::string operator()(const AddForce& e) const {
    return fmt::format("add:\n{}{}:{}", kIndent, is_drive(e.force) ? "drive" : "force",
                       nested(write_force, e.force));
  }
  std::string operator()(const RemoveBody& e) const {
    return fmt::format("remove: {{body: {}{}}}", yaml_text(e.body),
                       yes_or_nothing("cascade", e.cascade));
  }
  std::string operator()(const RemoveJoint& e) const {
    return fmt::format("remove: {{joint: {}{}}}", yaml_text(e.joint),
                       yes_or_nothing("cascade", e.cascade));
  }
  std::string operator()(const RemoveForce& e) const {
    return fmt::format("remove: {{force: {}}}", yaml_text(e.force));
  }
  std::string operator()(const SetNumber& e) const {
    return fmt::format("set: {{{}: {}}}", yaml_text(e.path), yaml_number(e.value));
  }
  std::string operator()(const GrabBody& e) const {
    std::string text = fmt::format("grab: {{name: {}, body: {}, point: {}", yaml_text(e.name),
                                   yaml_text(e.body), yaml_vector(e.point));
    if (e.target) text += fmt::format(", target: {}", yaml_vector(*e.target));
    text += fmt::format(", frequency: {}, damping_ratio: {}", yaml_number(e.frequency),
                        yaml_number(e.damping_ratio));
    if (e.max_force) text += fmt::format(", max_force: {}", yaml_number(*e.max_force));
    return text + "}";
  }
  std::string operator()(const MoveGrab& e) const {
    return fmt::format("move: {{grab: {}, target: {}, duration: {}}}", yaml_text(e.grab),
                       yaml_vector(e.target), yaml_number(e.duration));
  }
  std::string operator()(const ReleaseGrab& e) const {
    return fmt::format("release: {}", yaml_text(e.grab));
  }
};

}  // namespace

void write_timeline(YamlWriter& out, const std::vector<TimelineEntry>& timeline) {
  if (timeline.empty()) return;
  out.section("timeline");
  for (const TimelineEntry& entry : timeline) out.result() += timeline_entry_text(entry);
}

std::string timeline_entry_text(const TimelineEntry& entry) {
  std::string text = fmt::format("  - at: {}\n    do:\n", yaml_number(entry.at));
  for (const Edit& edit : entry.edits)
    text += fmt::format("      - {}\n", std::visit(EditWriter{}, edit.what));
  return text;
}

}  // namespace sarrus::io
