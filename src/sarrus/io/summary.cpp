#include "sarrus/io/summary.h"

#include <nlohmann/json.hpp>

#include "sarrus/base/version.h"
#include "sarrus/elimination/assembly_tree.h"
#include "sarrus/simulation/options.h"

namespace sarrus {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json options_json(const Simulation& simulation, const RunInfo& info) {
  const SimulationOptions& options = simulation.options();
  Json parameters = Json::object();
  for (const Override& change : info.overrides) parameters[change.path] = change.value;
  return {{"method", *options.method},
          {"integrator", *options.integrator},
          {"step", or_null(options.step)},
          {"tolerance", options.step ? Json(nullptr) : Json(*options.tolerance)},
          {"projection", name_of(*options.projection)},
          {"projection_used", name_of(simulation.formulation().projection())},
          {"until", *options.until},
          {"every", info.every},
          {"threads", info.threads},
          {"set", parameters}};
}

Json versions_json() {
#if defined(__clang__)
  constexpr const char* kCompiler = "clang " __clang_version__;
#else
  constexpr const char* kCompiler = "g++ " __VERSION__;
#endif
  return {{"sarrus", kVersion}, {"compiler", kCompiler}};
}

Json norms_json(const ConstraintNorms& norms) {
  return {{"position", norms.position},
          {"velocity", norms.velocity},
          {"acceleration", norms.acceleration}};
}

Json notes_json(const std::vector<Note>& notes) {
  Json list = Json::array();
  for (const Note& note : notes) list.push_back({{"time", note.time}, {"what", note.what}});
  return list;
}

Json verification_json(const std::optional<Verification>& verification) {
  if (!verification) return nullptr;
  return {{"method", verification->method},
          {"tolerance", verification->tolerance},
          {"status", name_of(verification->status.code)},
          {"reason", verification->status.reason},
          {"until", verification->until},
          {"distance",
           {{"pose", verification->distance.pose}, {"velocity", verification->distance.velocity}}},
          {"pose_digits", verification->pose_digits()},
          {"velocity_digits", verification->velocity_digits()},
          {"agrees", verification->agrees()}};
}

std::optional<Mobility::Figures> affordable_mobility(const Simulation& simulation) {
  // Large loops are swept over some ten times; expected times are rough.
  constexpr double kSweeps = 10;
  constexpr double kAffordable = 5e9;  // [ns]
  const Topology& topology = simulation.topology();
  if (topology.largest_block() > kDenseJoints &&
      kSweeps * plan_assembly(simulation.model(), topology).cost() > kAffordable)
    return std::nullopt;
  return compute_mobility(simulation.model(), topology, simulation.assembly().configuration)
      .generic;
}

}  // namespace

void note_start(const Simulation& simulation, RunInfo& info) {
  info.bodies = simulation.model().body_count() - 1;
  info.joints = simulation.model().joint_count();
  info.loops = simulation.topology().loop_count();
  info.mobility = affordable_mobility(simulation);
}

std::string_view name_of(Status::Code code) {
  switch (code) {
    case Status::Code::kOk:
      return "done";
    case Status::Code::kSingular:
      return "singular";
    case Status::Code::kDiverged:
      return "diverged";
    case Status::Code::kNotFinite:
      return "not finite";
    case Status::Code::kInterrupted:
      return "interrupted";
    case Status::Code::kRefused:
      return "refused";
    case Status::Code::kDoubtful:
      return "not to be trusted";
  }
  return "unknown";
}

std::string summary_json(const Simulation& simulation, const RunInfo& info) {
  const RunStatistics& statistics = simulation.statistics();
  const auto figure = [&](int Mobility::Figures::*which) {
    return info.mobility ? Json((*info.mobility).*which) : Json(nullptr);
  };
  const Json summary = {
      {"model", info.model},
      {"method", simulation.formulation().name()},
      {"variant", simulation.formulation().variant()},
      {"status", name_of(info.status.code)},
      {"reason", info.status.reason},
      {"time", simulation.time()},
      {"options", options_json(simulation, info)},
      {"versions", versions_json()},
      {"bodies", info.bodies},
      {"joints", info.joints},
      {"loops", info.loops},
      {"freedoms", figure(&Mobility::Figures::freedoms)},
      {"redundant", figure(&Mobility::Figures::redundant)},
      {"changes", simulation.revision()},
      {"steps", statistics.steps},
      {"rejected", statistics.rejected},
      {"evaluations", statistics.counters.evaluations},
      {"iterations", statistics.counters.iterations},
      {"factorizations", statistics.counters.factorizations},
      {"wall_seconds", info.wall_seconds},
      {"cpu_seconds", info.cpu_seconds},
      {"setup_wall_seconds", info.setup_wall_seconds},
      {"largest_constraint_norms", norms_json(statistics.largest)},
      {"energy_drift", statistics.energy_drift},
      {"doubt", statistics.doubt ? notes_json({*statistics.doubt})[0] : Json(nullptr)},
      {"verification", verification_json(info.verification)},
      {"notes", notes_json(statistics.notes)},
  };
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace sarrus
