#include "sarrus/io/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "sarrus/io/summary.h"

namespace sarrus {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicro = 1e6;

/// A column of the table: what it is called and where its numbers come from.
struct ComparedColumn {
  std::string name;
  std::string unit;
  std::string head;    ///< of the text's column
  std::string format;  ///< of the text's numbers
  std::function<std::optional<double>(const MethodResult&)> value;
};

const std::vector<ComparedColumn>& compared_columns() {
  using R = const MethodResult&;
  const auto norms = [](R r) -> const ConstraintNorms& { return r.statistics.largest; };
  const auto counted = [](long n) { return static_cast<double>(n); };
  static const std::vector<ComparedColumn> all = {
      {"time per evaluation", "us", "µs/eval", "{:.4g}",
       [](R r) -> std::optional<double> {
         if (!r.evaluation_seconds) return std::nullopt;
         return kMicro * *r.evaluation_seconds;
       }},
      {"evaluations", "", "evals", "{:.0f}",
       [=](R r) { return counted(r.statistics.counters.evaluations); }},
      {"iterations", "", "iterations", "{:.0f}",
       [=](R r) { return counted(r.statistics.counters.iterations); }},
      {"wall time", "s", "wall [s]", "{:.3g}", [](R r) { return r.wall_seconds; }},
      {"position", "m, rad", "position", "{:.1e}", [=](R r) { return norms(r).position; }},
      {"velocity", "m/s, rad/s", "velocity", "{:.1e}", [=](R r) { return norms(r).velocity; }},
      {"acceleration", "m/s^2, rad/s^2", "accel.", "{:.1e}",
       [=](R r) { return norms(r).acceleration; }},
      {"energy drift", "J", "energy [J]", "{:.1e}", [](R r) { return r.statistics.energy_drift; }},
      {"pose distance", "", "pose", "{:.1e}",
       [](R r) -> std::optional<double> {
         if (!r.distance) return std::nullopt;
         return r.distance->pose;
       }},
      {"velocity distance", "", "velocity", "{:.1e}",
       [](R r) -> std::optional<double> {
         if (!r.distance) return std::nullopt;
         return r.distance->velocity;
       }},
  };
  return all;
}

std::string outcome(const MethodResult& result) {
  if (result.status.ok()) return "done";
  const std::string& reason = result.status.reason;
  const std::string_view name = name_of(result.status.code);
  if (reason.find("at t = ") != std::string::npos) return fmt::format("{}: {}", name, reason);
  return fmt::format("{} at t = {:.6g} s: {}", name, result.time, reason);
}

std::string precision(const Comparison& comparison) {
  return comparison.step ? fmt::format("step {:g} s", *comparison.step)
                         : fmt::format("tolerance {:g}", comparison.tolerance);
}

std::string judged(const Comparison& comparison) {
  const Judge& judge = comparison.judge;
  if (comparison.results.empty()) return "no method ran\n";
  if (judge.method.empty()) return "no distances: no method reached the end\n";
  std::string text = fmt::format(
      "pose and velocity: largest distance from {} at tolerance {:g} ({:.3g} s), relative,\n"
      "over all bodies and {} instants; lengths are in parts of {:.3g} m\n",
      judge.method, judge.tolerance, judge.wall_seconds, comparison.instants, comparison.length);
  if (!judge.reason.empty()) text += fmt::format("(of the judge: {})\n", judge.reason);
  return text;
}

// Far from the tolerance something is amplified, or wrong.
std::string warning(const Comparison& comparison) {
  constexpr double kFar = 1e4;
  double most = 0;
  for (const MethodResult& result : comparison.results)
    if (result.distance) most = std::max(most, result.distance->pose);
  if (comparison.step || most <= kFar * comparison.tolerance) return "";
  return "Distances are far above the tolerance. Where those of all methods are, the motion\n"
         "itself amplifies small errors (chaos, singular positions): compare over a shorter\n"
         "--until. Where that of one is, it deserves a look.\n";
}

// A line of heads and one for each method.
std::string columns_text(const Comparison& comparison, std::span<const ComparedColumn> columns) {
  constexpr int kWidth = 11;
  constexpr int kNames = 14;
  std::string text = fmt::format("  {:<{}}", "method", kNames);
  for (const ComparedColumn& column : columns) text += fmt::format("{:>{}}", column.head, kWidth);
  text += '\n';
  for (const MethodResult& result : comparison.results) {
    text += fmt::format("  {:<{}}", result.method, kNames);
    for (const ComparedColumn& column : columns) {
      const std::optional<double> value = column.value(result);
      text += fmt::format("{:>{}}", value ? fmt::format(fmt::runtime(column.format), *value) : "–",
                          kWidth);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string comparison_text(const std::string& title, const Comparison& comparison) {
  std::string text =
      fmt::format("{}\n{:g} s of motion, {}\n", title, comparison.until, precision(comparison));
  // What it costs and how good it is: two tables, so that each fits a terminal.
  constexpr std::size_t kCost = 4;
  const std::vector<ComparedColumn>& columns = compared_columns();
  if (!comparison.results.empty()) {
    text += '\n' + columns_text(comparison, {columns.begin(), columns.begin() + kCost});
    for (const MethodResult& result : comparison.results)
      if (!result.status.ok()) text += fmt::format("  {}: {}\n", result.method, outcome(result));
    constexpr const char* kOver = "largest constraint norms";
    text += fmt::format("\n{:>52}{:>34}\n", kOver, "distance");
    text += columns_text(comparison, {columns.begin() + kCost, columns.end()});
  }
  text += '\n' + judged(comparison) + warning(comparison);
  for (const LeftOut& left_out : comparison.left_out)
    text += fmt::format("left out: {}: {}\n", left_out.method, left_out.reason);
  if (std::ranges::any_of(comparison.left_out, &LeftOut::slow))
    text += "(--methods runs those, too, however long they take)\n";
  return text;
}

std::string comparison_json(const std::string& model, const Comparison& comparison) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json json = {{"model", model},
               {"until", comparison.until},
               {"step", number(comparison.step)},
               {"tolerance", comparison.step ? Json(nullptr) : Json(comparison.tolerance)},
               {"judge",
                {{"method", comparison.judge.method},
                 {"tolerance", comparison.judge.tolerance},
                 {"wall_seconds", comparison.judge.wall_seconds},
                 {"reason", comparison.judge.reason}}},
               {"length", comparison.length},
               {"instants", comparison.instants},
               {"methods", Json::array()},
               {"left_out", Json::array()}};
  for (const MethodResult& result : comparison.results) {
    const ConstraintNorms& norms = result.statistics.largest;
    Json entry = {{"method", result.method},
                  {"variant", result.variant},
                  {"status", name_of(result.status.code)},
                  {"reason", result.status.reason},
                  {"time", result.time},
                  {"evaluation_us", number(compared_columns().front().value(result))},
                  {"evaluations", result.statistics.counters.evaluations},
                  {"iterations", result.statistics.counters.iterations},
                  {"steps", result.statistics.steps},
                  {"rejected", result.statistics.rejected},
                  {"wall_seconds", result.wall_seconds},
                  {"cpu_seconds", result.cpu_seconds},
                  {"largest_constraint_norms",
                   {{"position", norms.position},
                    {"velocity", norms.velocity},
                    {"acceleration", norms.acceleration}}},
                  {"energy_drift", result.statistics.energy_drift},
                  {"distance", nullptr}};
    if (result.distance)
      entry["distance"] = {{"pose", result.distance->pose},
                           {"velocity", result.distance->velocity}};
    json["methods"].push_back(std::move(entry));
  }
  for (const LeftOut& left_out : comparison.left_out)
    json["left_out"].push_back({{"method", left_out.method}, {"reason", left_out.reason}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string comparison_table(const Comparison& comparison) {
  Json columns = Json::array({{{"name", "method"}}});
  for (const ComparedColumn& column : compared_columns()) {
    columns.push_back({{"name", column.name}});
    if (!column.unit.empty()) columns.back()["unit"] = column.unit;
  }
  columns.push_back({{"name", "outcome"}});
  Json rows = Json::array();
  for (const MethodResult& result : comparison.results) {
    Json row = Json::array({result.method});
    for (const ComparedColumn& column : compared_columns()) {
      const std::optional<double> value = column.value(result);
      row.push_back(value ? Json(*value) : Json(nullptr));
    }
    row.push_back(outcome(result));
    rows.push_back(std::move(row));
  }
  Json left_out = Json::array();
  for (const LeftOut& method : comparison.left_out)
    left_out.push_back({{"method", method.method}, {"reason", method.reason}});
  return Json{{"columns", columns}, {"rows", rows}, {"left_out", left_out}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sarrus
