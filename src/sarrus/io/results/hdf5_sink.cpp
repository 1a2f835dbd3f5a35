#include "sarrus/io/results/hdf5_sink.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/version.h"
#include "sarrus/io/results/hdf5_names.h"

namespace sarrus {
namespace {

// Blocks are as large as memory and a sensible chunk allow, and about equally full.
std::size_t block_size(std::size_t instants, std::size_t numbers) {
  constexpr std::size_t kMostNumbers = 6 << 20;  // 48 MB
  constexpr std::size_t kMostInstants = 16384;
  constexpr std::size_t kUnknown = 1024;
  const std::size_t most = std::clamp<std::size_t>(kMostNumbers / numbers, 1, kMostInstants);
  if (instants == 0) return std::min(most, kUnknown);
  const std::size_t blocks = (instants + most - 1) / most;
  return (instants + blocks - 1) / blocks;
}

Hdf5File create(PendingFile& pending) {
  try {
    Hdf5File file = Hdf5File::create(pending.place());
    pending.begin();
    return file;
  } catch (const Hdf5Error& error) {
    pending.fail(error.what());
  }
}

std::size_t width_of(const Quantity& quantity) {
  return quantity.columns.size() == 1 ? 0 : quantity.columns.size();
}

}  // namespace

Hdf5Sink::Hdf5Sink(const std::filesystem::path& directory, ResultsLayout layout,
                   const Hdf5About& about)
    : layout_(std::move(layout)),
      pending_(directory / kHdf5File, Unfinished::kRemove),
      file_(create(pending_)),
      about_(about),
      block_(block_size(about.instants, layout_.size)) {
  times_.reserve(block_);
  numbers_.reserve(block_ * layout_.size);
}

// What the library reports becomes a sentence with the name of the file.
template <class Work>
void Hdf5Sink::guarded(Work work) {
  try {
    work();
  } catch (const Hdf5Error& error) {
    pending_.fail(error.what());
  }
}

// Only when the first block is there: a chunk takes its whole place in the file, and of a run that
// ended early they are to be small.
void Hdf5Sink::make_objects() {
  block_ = std::max<std::size_t>(1, times_.size());
  file_.set_number("/", "format", kHdf5Format);
  file_.set_text("/", "program", fmt::format("sarrus {}", kVersion));
  file_.set_text("/", "model", about_.model);
  file_.set_text("/", "method", about_.method);
  file_.make_column("/time", 0, block_);
  file_.set_text("/time", "unit", "s");
  for (const ResultTable& table : layout_.tables) make_table(table);
}

void Hdf5Sink::make_table(const ResultTable& table) {
  if (!table.keys.empty()) file_.make_group("/" + table.name);
  const auto make_group = [&](const std::string& path, const std::string& name) {
    file_.make_group(path);
    // Names that a path cannot have are told in full.
    if (hdf5_name(name) != name) file_.set_text(path, "name", name);
  };
  std::string parent;
  for (const ResultRow& row : table.rows) {
    // Rows of one joint are neighbours and share a group.
    if (row.names.size() > 1 && row.names[0] != parent) {
      parent = row.names[0];
      make_group("/" + table.name + "/" + hdf5_name(parent), parent);
    }
    make_group(hdf5_group(table, row), row.names.empty() ? "" : row.names.back());
    for (const Quantity& quantity : table.quantities) {
      const std::string path = hdf5_dataset(table, row, quantity);
      file_.make_column(path, width_of(quantity), block_);
      if (const std::string& unit = table.unit(quantity, row); !unit.empty())
        file_.set_text(path, "unit", unit);
      if (width_of(quantity) > 3)  // of a vector the order goes without saying
        file_.set_text(path, "columns", fmt::format("{}", fmt::join(quantity.columns, " ")));
    }
  }
}

void Hdf5Sink::record(double time, std::span<const double> numbers) {
  times_.push_back(time);
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  if (times_.size() == block_) guarded([&] { write_block(); });
}

void Hdf5Sink::write_block() {
  if (written_ == 0) make_objects();
  if (times_.empty()) return;
  const std::size_t count = times_.size();
  const std::size_t rows = written_ + count;
  const auto append = [&](const std::string& path, std::size_t from, std::size_t width) {
    chunk_.assign(block_ * width, 0);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(numbers_.data() + i * layout_.size + from, width, chunk_.data() + i * width);
    file_.append(path, written_, rows, chunk_);
  };
  times_.resize(block_);
  file_.append("/time", written_, rows, times_);
  std::size_t from = 0;
  for (const ResultTable& table : layout_.tables)
    for (const ResultRow& row : table.rows)
      for (const Quantity& quantity : table.quantities) {
        append(hdf5_dataset(table, row, quantity), from, quantity.columns.size());
        from += quantity.columns.size();
      }
  times_.clear();
  numbers_.clear();
  written_ = rows;
}

void Hdf5Sink::write_events(const std::vector<Note>& events) {
  if (events.empty()) return;
  std::vector<double> times;
  std::vector<std::string> texts;
  for (const Note& event : events) {
    times.push_back(event.time);
    texts.push_back(event.what);
  }
  file_.make_group("/events");
  file_.make_column("/events/time", 0, times.size());
  file_.set_text("/events/time", "unit", "s");
  file_.append("/events/time", 0, times.size(), times);
  file_.write_texts("/events/what", texts);
}

void Hdf5Sink::complete(const std::vector<Note>& events) {
  guarded([&] {
    write_block();
    write_events(events);
    file_.close();
  });
  pending_.complete();
}

std::vector<std::string> Hdf5Sink::file_names() const { return {kHdf5File}; }

}  // namespace sarrus
