#include "sarrus/io/results/read_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/results/csv_text.h"
#include "sarrus/io/results/hdf5_file.h"
#include "sarrus/io/results/hdf5_names.h"

namespace sarrus {
namespace {

namespace fs = std::filesystem;

/// One table's file, read along with its fellows.
class CsvTable {
 public:
  CsvTable(const fs::path& directory, const ResultTable& table)
      : path_(directory / (table.name + ".csv")), table_(table), file_(path_, std::ios::binary) {
    if (!file_) throw UsageError(fmt::format("cannot read '{}': {}", path_.string(), reason()));
    for (const ResultRow& row : table.rows) names_.push_back(csv_names(row) + ',');
    next_line();
    if (ended_ || line_ + '\n' != csv_header(table)) fail("has other columns");
    next_line();
  }

  bool ended() const { return ended_; }

  /// Of the row that comes next.
  double time() const {
    double value = 0;
    number(line_.data(), value);
    return value;
  }

  /// The rows of an instant at this time; what is not there has no numbers.
  void read(double instant, double* numbers) {
    std::fill_n(numbers, names_.size() * table_.width, std::numeric_limits<double>::quiet_NaN());
    std::size_t first = 0;
    while (!ended_) {
      double own = 0;
      const char* at = number(line_.data(), own);
      if (own != instant) return;
      const std::string_view rest(at, end());
      const auto named = [&](const std::string& name) { return rest.starts_with(name); };
      const auto found =
          std::find_if(names_.begin() + static_cast<std::ptrdiff_t>(first), names_.end(), named);
      if (found == names_.end()) {
        // Another instant at the same time: just before an edit, and just after.
        if (std::ranges::any_of(names_, named)) return;
        fail("names something else");
      }
      const auto row = static_cast<std::size_t>(found - names_.begin());
      at += found->size() - 1;
      for (std::size_t k = 0; k < table_.width; ++k) {
        if (at == end() || *at != ',') fail("has too few numbers");
        at = number(at + 1, numbers[row * table_.width + k]);
      }
      if (at != end()) fail("has too many numbers");
      first = row + 1;
      next_line();
    }
  }

  [[noreturn]] void fail(const char* what) const {
    throw UsageError(fmt::format("{}:{}: {}; it does not belong to this run, or was changed",
                                 path_.string(), line_number_, what));
  }

 private:
  static const char* reason() { return std::strerror(errno == 0 ? EIO : errno); }
  const char* end() const { return line_.data() + line_.size(); }

  const char* number(const char* at, double& value) const {
    const auto [next, error] = std::from_chars(at, end(), value);
    if (error != std::errc()) fail("has no number where one is due");
    return next;
  }

  // A name may hold line breaks, in quotes.
  void next_line() {
    line_.clear();
    std::string part;
    do {
      if (!std::getline(file_, part)) {
        ended_ = true;
        return;
      }
      ++line_number_;
      if (!line_.empty()) line_ += '\n';
      line_ += part;
    } while (std::ranges::count(line_, '"') % 2 != 0);
  }

  fs::path path_;
  const ResultTable& table_;
  std::ifstream file_;
  std::vector<std::string> names_;  ///< of the rows, as they stand in the file
  std::string line_;                ///< that comes next
  bool ended_ = false;
  long line_number_ = 0;
};

// The table of energies has one row at every instant; the others have those that are there.
void read_csv(const fs::path& directory, const ResultsLayout& layout, const InstantVisitor& visit) {
  std::vector<CsvTable> tables;
  for (const ResultTable& table : layout.tables) tables.emplace_back(directory, table);
  const auto clock = static_cast<std::size_t>(&layout.table("energy") - layout.tables.data());
  std::vector<double> numbers(layout.size);
  while (!tables[clock].ended()) {
    const double time = tables[clock].time();
    for (std::size_t i = 0; i < tables.size(); ++i)
      tables[i].read(time, numbers.data() + layout.tables[i].first);
    visit(time, numbers);
  }
  for (const CsvTable& table : tables)
    if (!table.ended()) table.fail("has other instants than its fellows");
}

// Some instants of all datasets, instant by instant.
void read_block(const Hdf5File& file, const ResultsLayout& layout, std::size_t start,
                std::size_t count, std::vector<double>& numbers) {
  numbers.resize(count * layout.size);
  std::vector<double> column;
  std::size_t from = 0;
  for (const ResultTable& table : layout.tables)
    for (const ResultRow& row : table.rows)
      for (const Quantity& quantity : table.quantities) {
        const std::size_t width = quantity.columns.size();
        column.resize(count * width);
        file.read(hdf5_dataset(table, row, quantity), width == 1 ? 0 : width, start, count, column);
        for (std::size_t i = 0; i < count; ++i)
          std::copy_n(column.data() + i * width, width, numbers.data() + i * layout.size + from);
        from += width;
      }
}

void read_hdf5(const fs::path& path, const ResultsLayout& layout, const InstantVisitor& visit) {
  constexpr std::size_t kNumbers = 4 << 20;  // at a time
  try {
    const Hdf5File file = Hdf5File::open(path);
    if (file.number("/", "format") != kHdf5Format)
      throw UsageError(fmt::format("'{}' was written by another version of sarrus", path.string()));
    const std::size_t rows = file.rows("/time");
    const std::size_t block =
        std::max<std::size_t>(1, kNumbers / std::max<std::size_t>(1, layout.size));
    std::vector<double> times;
    std::vector<double> numbers;
    for (std::size_t start = 0; start < rows; start += block) {
      const std::size_t count = std::min(block, rows - start);
      times.resize(count);
      file.read("/time", 0, start, count, times);
      read_block(file, layout, start, count, numbers);
      for (std::size_t i = 0; i < count; ++i)
        visit(times[i], std::span(numbers).subspan(i * layout.size, layout.size));
    }
  } catch (const Hdf5Error& error) {
    throw UsageError(fmt::format("cannot read '{}': {}", path.string(), error.what()));
  }
}

}  // namespace

void read_results(const fs::path& directory, const ResultsLayout& layout,
                  const InstantVisitor& visit) {
  const fs::path hdf5 = directory / kHdf5File;
  if (fs::exists(hdf5))
    read_hdf5(hdf5, layout, visit);
  else
    read_csv(directory, layout, visit);
}

std::string read_text_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text)
    throw UsageError(fmt::format("cannot read '{}': {}", path.string(),
                                 std::strerror(errno == 0 ? EIO : errno)));
  return text.str();
}

}  // namespace sarrus
