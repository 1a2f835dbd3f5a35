#include "sarrus/io/expand.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sarrus/io/write_elements.h"

namespace sarrus {
namespace {

using io::YamlWriter;

void write_forces(YamlWriter& out, const Description& description, bool drives) {
  const auto wanted = [drives](const ForceDescription& force) {
    return io::is_drive(force) == drives;
  };
  if (std::none_of(description.forces.begin(), description.forces.end(), wanted)) return;
  out.section(drives ? "drives" : "forces");
  for (const ForceDescription& force : description.forces) {
    if (!wanted(force)) continue;
    io::write_force(out, force);
  }
}

void write_simulation(YamlWriter& out, const SimulationDescription& simulation) {
  YamlWriter entries;
  const auto text = [&](const char* key, const std::optional<std::string>& value) {
    if (value) entries.raw(key, io::yaml_text(*value));
  };
  const auto number = [&](const char* key, const std::optional<double>& value) {
    if (value) entries.number(key, *value);
  };
  entries.section("simulation");
  const std::size_t empty = entries.result().size();
  text("method", simulation.method);
  text("integrator", simulation.integrator);
  text("projection", simulation.projection);
  number("until", simulation.until);
  number("every", simulation.every);
  number("step", simulation.step);
  number("tolerance", simulation.tolerance);
  if (entries.result().size() > empty) out.result() += entries.result();
}

}  // namespace

std::string expand(const Description& description) {
  YamlWriter out;
  out.number("sarrus", 1);
  out.text("name", description.name);
  out.text("title", description.title, "");
  out.vector("gravity", description.gravity);
  if (!description.bodies.empty()) out.section("bodies");
  for (const BodyDescription& body : description.bodies) io::write_body(out, body);
  if (!description.joints.empty()) out.section("joints");
  for (const JointDescription& joint : description.joints) io::write_joint(out, joint);
  write_forces(out, description, false);
  write_forces(out, description, true);
  if (!description.subsystems.empty()) out.section("subsystems");
  for (const SubsystemDescription& subsystem : description.subsystems)
    io::write_subsystem(out, subsystem);
  write_simulation(out, description.simulation);
  io::write_timeline(out, description.timeline);
  return std::move(out.result());
}

}  // namespace sarrus
