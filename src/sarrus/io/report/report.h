#pragma once

#include <string>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/io/output_file.h"
#include "sarrus/io/report/recording.h"

namespace sarrus {

struct ReportRun {
  std::string name;     ///< the method
  std::string summary;  ///< JSON, as in summary.json
  const Recording& recording;
  std::vector<Note> events;
};

/// What a page shows: one run, or several on the same mechanism, compared.
struct Report {
  std::string title;
  std::string description;  ///< a sentence below it, or none
  std::string scene;        ///< JSON, see scene_json()
  std::string table;        ///< of a comparison, JSON; empty for one run
  std::vector<ReportRun> runs;
};

/// A web page of its own: one file that needs nothing else. Completes the file.
/// @throws UsageError when it cannot be written.
void write_report(OutputFile& file, const Report& report);

/// The page without its data, which stands where this mark is.
std::string_view report_page();
inline constexpr std::string_view kReportMark = "<!--SARRUS_REPORT_DATA-->";

}  // namespace sarrus
