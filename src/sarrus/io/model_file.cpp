#include "sarrus/io/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sarrus/io/fields.h"
#include "sarrus/io/parameters.h"
#include "sarrus/io/read_elements.h"
#include "sarrus/io/repeat.h"
#include "sarrus/io/timeline_text.h"

namespace sarrus {
namespace {

using io::Fields;
using io::ReadContext;
using io::YamlNode;
using io::YamlTree;

constexpr double kFormatVersion = 1;

// A file of another version may use words differently: nothing else in it can be judged.
void check_version(ReadContext& context, const YamlNode& root) {
  constexpr const char* kHint = "a model file begins with 'sarrus: 1', the version of its format";
  if (root.kind == YamlNode::Kind::kNull)
    context.fail(root, "the file is empty", kHint);
  else if (!context.require(root, YamlNode::Kind::kMap, "a model file", kHint))
    context.finish();
  else if (root.find("sarrus") == nullptr)
    context.fail(root, "'sarrus' is missing", kHint);
  else if (const auto version = context.number(*root.find("sarrus"), "sarrus");
           version && *version != kFormatVersion)
    context.fail(*root.find("sarrus"), fmt::format("format version {} is not known", *version),
                 fmt::format("this program reads version {}", kFormatVersion));
  context.finish();
}

// Exactly as much as is needed, unless little comes at a time.
template <class Element>
void make_room(std::vector<Element>& elements, std::size_t more) {
  if (elements.size() + more > elements.capacity())
    elements.reserve(std::max(elements.size() + more, 2 * elements.capacity()));
}

void read_elements(ReadContext& context, const YamlNode& root, Description& description) {
  const auto each = [&](const char* list, const char* kind, auto& elements, auto read) {
    const YamlNode* node = root.find(list);
    if (node == nullptr) return;
    io::for_each_element(
        context, *node, kind,
        [&](const YamlNode& element) { elements.push_back(read(context, element)); },
        [&](std::size_t count) { make_room(elements, count); });
  };
  each("bodies", "body", description.bodies, io::read_body);
  each("joints", "joint", description.joints, io::read_joint);
  each("forces", "force", description.forces, io::read_force);
  each("drives", "drive", description.forces, io::read_drive);
  each("subsystems", "subsystem", description.subsystems, io::read_subsystem);
  each("timeline", "entry of the timeline", description.timeline, io::read_timeline_entry);
}

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path))
    throw UsageError(
        fmt::format("cannot read the model file '{}': it is a folder; name the file "
                    "in it",
                    path.string()));
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.good() && !stream.eof())
    throw UsageError(fmt::format("cannot read the model file '{}': {}", path.string(),
                                 errno != 0 ? std::strerror(errno) : "reading failed"));
  return text;
}

}  // namespace

ModelFile parse_model_file(std::string_view text, std::string file_name,
                           const Overrides& overrides) {
  static const std::vector<std::string> kKeys = {
      "sarrus", "name",   "title",  "parameters", "gravity",    "bodies",
      "joints", "forces", "drives", "subsystems", "simulation", "timeline"};
  const YamlTree tree(std::string(text), std::move(file_name));
  ReadContext context(tree);
  check_version(context, tree.root());

  ModelFile file;
  Description& description = file.description;
  const Fields root(context, tree.root());
  root.check_keys(kKeys, "a model file");
  io::read_parameters(context, root.find("parameters"), overrides, file);
  if (root.has("name")) description.name = root.required_text("name", "give the model a name");
  description.title = root.text("title");
  description.gravity = root.vector("gravity", description.gravity);
  read_elements(context, tree.root(), description);
  if (const YamlNode* simulation = root.find("simulation"))
    description.simulation = io::read_simulation(context, *simulation);
  context.finish();
  return file;
}

std::vector<TimelineEntry> parse_timeline(std::string_view text, std::string file_name) {
  const YamlTree tree(std::string(text), std::move(file_name));
  ReadContext context(tree);
  std::vector<TimelineEntry> timeline;
  if (context.require(tree.root(), YamlNode::Kind::kMap, "a timeline", "begin with 'timeline:'")) {
    const Fields root(context, tree.root());
    root.check_keys({"sarrus", "timeline"}, "a file of a timeline");
    if (const YamlNode* list = root.require("timeline", "begin with 'timeline:'"))
      io::for_each_element(
          context, *list, "entry of the timeline",
          [&](const YamlNode& entry) {
            timeline.push_back(io::read_timeline_entry(context, entry));
          },
          [](std::size_t) {});
  }
  context.finish();
  return timeline;
}

Description parse_description(std::string_view text, std::string file_name,
                              const Overrides& overrides) {
  return parse_model_file(text, std::move(file_name), overrides).description;
}

ModelFile load_model_file(const std::filesystem::path& path, const Overrides& overrides) {
  return parse_model_file(read_file(path), path.string(), overrides);
}

Description load_description(const std::filesystem::path& path, const Overrides& overrides) {
  return load_model_file(path, overrides).description;
}

}  // namespace sarrus
