#include "sarrus/io/report/comparison_recorder.h"

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/comparison_report.h"
#include "sarrus/io/report/scene.h"

namespace sarrus {

ComparisonRecorder::ComparisonRecorder(RunInfo info, std::size_t runs, std::size_t samples)
    : info_(std::move(info)) {
  options_.budget /= std::max<std::size_t>(1, runs);
  options_.samples = samples;
}

void ComparisonRecorder::begin(const Simulation& simulation) {
  if (runs_.empty()) {
    title_ = simulation.model().name();
    scene_ = scene_json(simulation.model(), simulation.assembly().configuration);
    info_.mobility = affordable_mobility(simulation);
  }
  runs_.emplace_back(simulation.model(), options_);
  runs_.back().name = simulation.formulation().name();
}

void ComparisonRecorder::record(const Sample& sample) {
  Run& run = runs_.back();
  run.instant.update(sample);
  run.recording.add(run.instant.time(), run.instant.numbers());
}

void ComparisonRecorder::end(const Simulation& simulation, const MethodResult& result) {
  info_.status = result.status;
  info_.wall_seconds = result.wall_seconds;
  info_.cpu_seconds = result.cpu_seconds;
  runs_.back().summary = summary_json(simulation, info_);
  runs_.back().notes = result.statistics.notes;
}

void ComparisonRecorder::write(OutputFile& file, const Comparison& comparison) const {
  if (runs_.empty()) throw UsageError("there is nothing to show: no method ran");
  Report report = {.title = title_, .scene = scene_, .table = comparison_table(comparison)};
  for (const Run& run : runs_)
    report.runs.push_back({run.name, run.summary, run.recording, run.notes});
  write_report(file, report);
}

}  // namespace sarrus
