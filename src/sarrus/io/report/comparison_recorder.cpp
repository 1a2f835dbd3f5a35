#include "sarrus/io/report/comparison_recorder.h"

#include <algorithm>
#include <utility>

#include "sarrus/io/comparison_report.h"
#include "sarrus/io/report/scene.h"

namespace sarrus {

ComparisonRecorder::ComparisonRecorder(RunInfo info, std::string description, std::size_t runs,
                                       std::size_t samples)
    : info_(std::move(info)), description_(std::move(description)) {
  options_.budget /= std::max<std::size_t>(1, runs);
  options_.samples = samples;
}

void ComparisonRecorder::begin(const Simulation& simulation) {
  if (runs_.empty()) {
    title_ = simulation.model().name();
    scene_ = scene_json(simulation.model(), simulation.assembly().configuration, description_);
    note_start(simulation, info_);
  }
  simulation_ = &simulation;
  revision_ = simulation.revision();
  instant_.emplace(simulation.model());
  runs_.push_back({.name = std::string(simulation.formulation().name()),
                   .summary = {},
                   .recording = Recording(instant_->layout(), options_),
                   .notes = {}});
}

void ComparisonRecorder::record(const Sample& sample) {
  if (std::exchange(revision_, simulation_->revision()) != simulation_->revision())
    instant_->follow(simulation_->model());
  instant_->update(sample);
  runs_.back().recording.add(instant_->time(), instant_->numbers());
}

void ComparisonRecorder::end(const Simulation& simulation, const MethodResult& result) {
  info_.status = result.status;
  info_.wall_seconds = result.wall_seconds;
  info_.cpu_seconds = result.cpu_seconds;
  instant_.reset();
  runs_.back().recording.finish();
  runs_.back().summary = summary_json(simulation, info_);
  runs_.back().notes = result.statistics.notes;
}

void ComparisonRecorder::write(OutputFile& file, const Comparison& comparison) const {
  Report report = {.title = title_,
                   .description = description_,
                   .scene = scene_,
                   .table = comparison_table(comparison)};
  for (const Run& run : runs_)
    report.runs.push_back({run.name, run.summary, run.recording, run.notes});
  write_report(file, report);
}

}  // namespace sarrus
