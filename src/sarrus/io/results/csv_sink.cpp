#include "sarrus/io/results/csv_sink.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "sarrus/io/results/csv_text.h"
#include "sarrus/io/results/results.h"

namespace sarrus {
namespace {

constexpr std::size_t kMuch = 1 << 16;  // bytes to hand over at a time

// 17 significant digits tell any two doubles apart.
void append_number(std::string& text, double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::general, 17);
  text.append(digits.data(), end.ptr);
}

}  // namespace

CsvSink::CsvSink(const std::filesystem::path& directory, const ResultsLayout& layout)
    : directory_(directory), flushed_(std::chrono::steady_clock::now()) {
  for (const ResultTable& table : layout.tables) {
    OutputFile file(directory / (table.name + ".csv"), Unfinished::kKeep);
    file.write(csv_header(table));
    std::vector<std::string> names;
    for (const ResultRow& row : table.rows) names.push_back(csv_names(row));
    tables_.push_back({std::move(file), table.width, std::move(names)});
  }
}

void CsvSink::record(double time, std::span<const double> numbers) {
  std::string when;
  append_number(when, time);
  const double* next = numbers.data();
  for (Table& table : tables_) {
    text_.clear();
    for (const std::string& names : table.names) {
      if (std::isnan(*next)) {  // not there at this instant
        next += table.width;
        continue;
      }
      text_ += when;
      text_ += names;
      for (std::size_t k = 0; k < table.width; ++k) {
        text_ += ',';
        append_number(text_, *next++);
      }
      text_ += '\n';
      if (text_.size() < kMuch) continue;
      table.file.write(text_);
      text_.clear();
    }
    table.file.write(text_);
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - flushed_ < std::chrono::seconds(1)) return;
  for (Table& table : tables_) table.file.flush();
  flushed_ = now;
}

void CsvSink::complete(const std::vector<Note>& events) {
  for (Table& table : tables_) table.file.complete();
  has_events_ = !events.empty();
  if (!has_events_) return;
  std::string text = "time,what\n";
  for (const Note& event : events) {
    append_number(text, event.time);
    text += ',' + csv_field(event.what) + '\n';
  }
  write_file(directory_ / kEventsFile, text);
}

std::vector<std::string> CsvSink::file_names() const {
  std::vector<std::string> names;
  for (const Table& table : tables_) names.push_back(table.file.path().filename().string());
  if (has_events_) names.push_back(kEventsFile);
  return names;
}

}  // namespace sarrus
