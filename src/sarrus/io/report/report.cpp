#include "sarrus/io/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "sarrus/base/assert.h"
#include "sarrus/base/version.h"
#include "sarrus/io/report/base64.h"

namespace sarrus {
namespace {

static_assert(std::endian::native == std::endian::little);  // as the page reads columns

using Json = nlohmann::ordered_json;

constexpr int kReportFormat = 1;

// JSON as it may stand inside a page: `<` occurs in strings only, and could end the script there.
std::string safe_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

std::string for_page(const Json& json) {
  return safe_text(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string quoted(const std::string& text) { return for_page(Json(text)); }

template <class T>
std::string column(const std::vector<T>& numbers) {
  return fmt::format(R"({{"{}":"{}"}})", sizeof(T) == sizeof(double) ? "f64" : "f32",
                     base64(std::as_bytes(std::span(numbers))));
}

void write_series(OutputFile& file, const Recording& recording) {
  file.write(R"("series":[)");
  for (std::size_t k = 0; k < recording.series().size(); ++k) {
    const Series& series = recording.series()[k];
    file.write(fmt::format(R"({}{{"group":{},"element":{},"name":{},"unit":{},"values":{}}})",
                           k == 0 ? "" : ",\n", quoted(series.group), quoted(series.element),
                           quoted(series.name), quoted(series.unit), column(recording.values(k))));
  }
  file.write("]");
}

// The line of a flexible body is its first shape.
void write_lines(OutputFile& file, const Recording& recording) {
  file.write(R"("nodes":[)");
  for (std::size_t i = 0; i < recording.lines().size(); ++i) {
    const Recording::Line& line = recording.lines()[i];
    file.write(fmt::format(R"({}{{"body":{},"shape":0,"positions":{}}})", i == 0 ? "" : ",\n",
                           line.body, column(recording.line_points(line))));
  }
  file.write("],\n");
}

void write_run(OutputFile& file, const ReportRun& run) {
  Json events = Json::array();
  for (const Note& event : run.events)
    events.push_back({{"time", event.time}, {"text", event.what}});
  file.write(
      fmt::format("{{\"name\":{},\n\"summary\":{},\n\"times\":{},\n\"poses\":", quoted(run.name),
                  for_page(Json::parse(run.summary)), column(run.recording.times())));
  file.write(column(run.recording.poses()));
  file.write(",\n");
  if (!run.recording.lines().empty()) write_lines(file, run.recording);
  write_series(file, run.recording);
  file.write(fmt::format(",\n\"left_out\":{},\n\"events\":{}}}",
                         for_page(Json(run.recording.left_out())), for_page(events)));
}

}  // namespace

void write_report(OutputFile& file, const Report& report) {
  const std::string_view page = report_page();
  const std::size_t mark = page.find(kReportMark);
  SARRUS_ASSERT(mark != std::string_view::npos);
  std::size_t stride = 1;
  for (const ReportRun& run : report.runs) stride = std::max(stride, run.recording.stride());

  file.write(page.substr(0, mark));
  file.write(R"(<script type="application/json" id="sarrus-report">)");
  file.write(fmt::format(
      "{{\"format\":{},\"title\":{},{}\"program\":{},\"kind\":\"{}\",\n\"scene\":{},\n"
      "\"thinned\":{},",
      kReportFormat, quoted(report.title),
      report.description.empty() ? ""
                                 : fmt::format("\"description\":{},", quoted(report.description)),
      quoted(fmt::format("sarrus {}", kVersion)), report.table.empty() ? "run" : "comparison",
      safe_text(report.scene), stride));
  if (!report.table.empty())
    file.write(fmt::format("\n\"table\":{},", for_page(Json::parse(report.table))));
  file.write("\n\"runs\":[");
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    if (i > 0) file.write(",\n");
    write_run(file, report.runs[i]);
  }
  file.write("]}</script>");
  file.write(page.substr(mark + kReportMark.size()));
  file.complete();
}

}  // namespace sarrus
