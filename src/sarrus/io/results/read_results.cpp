#include "sarrus/io/results/read_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
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
    if (!next_line(1) || line_ + '\n' != csv_header(table)) fail("has other columns");
  }

  bool has_rows() const { return !names_.empty(); }

  /// The next instant; false at the end of the file.
  bool read(double& time, double* numbers) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto breaks = static_cast<std::size_t>(std::ranges::count(names_[i], '\n'));
      if (!next_line(1 + breaks)) {
        if (i == 0) return false;
        fail("ends in the middle of an instant");
      }
      double own = 0;
      const char* at = number(line_.data(), own);
      if (i > 0 && own != time) fail("has rows of another instant");
      time = own;
      if (!std::string_view(at, end()).starts_with(names_[i])) fail("names something else");
      at += names_[i].size() - 1;
      for (std::size_t k = 0; k < table_.width; ++k) {
        if (at == end() || *at != ',') fail("has too few numbers");
        at = number(at + 1, *numbers++);
      }
      if (at != end()) fail("has too many numbers");
    }
    return true;
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

  // A name may hold line breaks.
  bool next_line(std::size_t lines) {
    line_.clear();
    std::string part;
    for (std::size_t i = 0; i < lines; ++i) {
      if (!std::getline(file_, part)) return false;
      ++line_number_;
      if (i > 0) line_ += '\n';
      line_ += part;
    }
    return true;
  }

  fs::path path_;
  const ResultTable& table_;
  std::ifstream file_;
  std::vector<std::string> names_;  ///< of the rows, as they stand in the file
  std::string line_;
  long line_number_ = 0;
};

void read_csv(const fs::path& directory, const ResultsLayout& layout, const InstantVisitor& visit) {
  std::vector<CsvTable> tables;
  for (const ResultTable& table : layout.tables) tables.emplace_back(directory, table);
  std::vector<double> numbers(layout.size);
  for (;;) {
    double time = 0;
    bool first = true;
    bool ended = false;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (!tables[i].has_rows()) continue;
      double its_time = 0;
      const bool read = tables[i].read(its_time, numbers.data() + layout.tables[i].first);
      if (!first && (read == ended || (read && its_time != time)))
        tables[i].fail("has other instants than its fellows");
      time = its_time;
      ended = !read;
      first = false;
    }
    if (ended || first) return;
    visit(time, numbers);
  }
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
