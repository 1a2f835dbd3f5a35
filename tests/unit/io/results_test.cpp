#include "sarrus/io/results/results.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <sstream>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/output_file.h"
#include "sarrus/io/results/hdf5_file.h"
#include "sarrus/io/results/hdf5_names.h"

namespace sarrus {
namespace {

namespace fs = std::filesystem;

/// An empty folder for the length of a test.
class ResultFiles : public ::testing::Test {
 protected:
  ResultFiles() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("sarrus results ") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ResultFiles() override { fs::remove_all(folder_); }

  std::string text_of(const fs::path& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder_;
};

using PendingFiles = ResultFiles;

Model odd_names() {
  Description d;
  d.gravity = {0.3, 0, -9.81};
  d.add_body({.name = "left/arm, long", .mass = 2, .inertia = 0.3 * Mat3::Identity()});
  d.add_body({.name = "100 % \"x\"", .mass = 1, .inertia = 0.1 * Mat3::Identity()});
  d.bodies[1].pose.p = {1, 0, 0};
  d.add_joint({.name = ".", .type = JointType::kUniversal, .body_b = d.bodies[0].name});
  d.add_joint({.name = "slide/turn",
               .type = JointType::kCylindrical,
               .body_a = d.bodies[0].name,
               .body_b = d.bodies[1].name});
  return Model(d);
}

// Everything between the third separators and the line ends of a CSV file, as doubles.
std::vector<double> csv_numbers(const std::string& text, std::size_t per_row) {
  std::vector<double> numbers;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) {
    std::size_t at = line.size();
    for (std::size_t k = 0; k < per_row; ++k) at = line.rfind(',', at - 1);
    const char* next = line.data() + at;
    for (std::size_t k = 0; k < per_row; ++k) {
      numbers.push_back(0);
      next = std::from_chars(next + 1, line.data() + line.size(), numbers.back()).ptr;
    }
    EXPECT_EQ(next, line.data() + line.size()) << line;
  }
  return numbers;
}

// The same table out of the HDF5 file: instant by instant, row by row.
std::vector<double> hdf5_numbers(const Hdf5File& file, const ResultTable& table) {
  const std::size_t instants = file.rows("/time");
  std::vector<double> numbers(instants * table.rows.size() * table.width);
  std::size_t from = 0;
  for (const ResultRow& row : table.rows)
    for (const Quantity& quantity : table.quantities) {
      const std::size_t width = quantity.columns.size();
      std::vector<double> column(instants * width);
      file.read(hdf5_dataset(table, row, quantity), width == 1 ? 0 : width, 0, instants, column);
      for (std::size_t i = 0; i < instants; ++i)
        for (std::size_t k = 0; k < width; ++k)
          numbers[i * table.rows.size() * table.width + from + k] = column[i * width + k];
      from += width;
    }
  return numbers;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>,
                            std::bit_cast<std::uint64_t, double>);
}

TEST_F(ResultFiles, CsvAndHdf5HoldTheSameNumbers) {
  Simulation simulation(odd_names(), {.until = 0.5});
  Instant instant(simulation.model());
  // More instants than announced: the last block is neither full nor the first.
  Results results(folder_, instant.layout(),
                  {.format = ResultsFormat::kBoth, .model = "odd", .method = "m", .instants = 7});
  const auto record = [&](const Sample& sample) {
    instant.update(sample);
    results.record(instant);
  };
  ASSERT_TRUE(simulation.advance_to(0.5, SampleTimes::every(0.03, 0.5), record).ok());
  results.complete({{.time = 0.1, .what = "said, \"so\""}}, "{}\n");

  const Hdf5File file = Hdf5File::open(folder_ / "results.h5");
  EXPECT_EQ(file.rows("/time"), 18);
  for (const ResultTable& table : instant.layout().tables) {
    SCOPED_TRACE(table.name);
    const auto csv = csv_numbers(text_of(table.name + ".csv"), table.width);
    EXPECT_EQ(csv.size(), 18 * table.rows.size() * table.width);
    EXPECT_TRUE(same_bits(csv, hdf5_numbers(file, table)));
  }
}

TEST_F(ResultFiles, Hdf5FileDescribesItself) {
  const Model model = odd_names();
  Instant instant(model);
  Results results(folder_, instant.layout(),
                  {.format = ResultsFormat::kHdf5, .model = "a name", .method = "order-n"});
  results.complete({{.time = 0.1, .what = "passed"}}, "{}\n");
  const Hdf5File file = Hdf5File::open(folder_ / "results.h5");
  EXPECT_EQ(file.number("/", "format"), 1);
  EXPECT_EQ(file.text("/", "model"), "a name");
  EXPECT_EQ(file.text("/", "method"), "order-n");
  EXPECT_TRUE(file.text("/", "program").starts_with("sarrus "));
  EXPECT_EQ(file.text("/time", "unit"), "s");
  EXPECT_EQ(file.text("/bodies/left%2Farm, long", "name"), "left/arm, long");
  EXPECT_EQ(file.text("/bodies/left%2Farm, long/acceleration", "unit"), "m/s^2");
  EXPECT_EQ(file.text("/joints/%2E/angle1/speed", "unit"), "rad/s");
  EXPECT_EQ(file.text("/joints/slide%2Fturn/slide/position", "unit"), "m");
  EXPECT_EQ(file.text("/joints/slide%2Fturn", "name"), "slide/turn");
  EXPECT_EQ(file.rows("/events/time"), 1);
  EXPECT_EQ(results.file_names(), (std::vector<std::string>{"results.h5", "summary.json"}));
}

TEST_F(ResultFiles, OtherFormatsOfAnEarlierRunGo) {
  const Model model = odd_names();
  const ResultsLayout layout = make_results_layout(model);
  const std::string summary = "{\"largest_constraint_norms\": {}}\n";
  Results(folder_, layout, {.format = ResultsFormat::kBoth}).complete({}, summary);
  EXPECT_TRUE(fs::exists(folder_ / "results.h5"));
  Results next(folder_, layout, {});
  EXPECT_FALSE(fs::exists(folder_ / "summary.json"));
  EXPECT_TRUE(fs::exists(folder_ / "results.h5"));  // as long as the new run may fail
  EXPECT_TRUE(fs::exists(folder_ / "bodies.csv.part"));
  next.complete({}, summary);
  EXPECT_TRUE(fs::exists(folder_ / "summary.json"));
  EXPECT_FALSE(fs::exists(folder_ / "results.h5"));
}

TEST_F(ResultFiles, AreNamedOnlyWhenComplete) {
  const Model model = odd_names();
  {
    const Results results(folder_, make_results_layout(model), {.format = ResultsFormat::kBoth});
    EXPECT_FALSE(fs::exists(folder_ / "bodies.csv"));
  }
  // Rows of text are worth keeping; half an HDF5 file is not.
  EXPECT_TRUE(fs::exists(folder_ / "bodies.csv.part"));
  EXPECT_FALSE(fs::exists(folder_ / "results.h5"));
  EXPECT_FALSE(fs::exists(folder_ / "results.h5.part"));
}

TEST_F(PendingFiles, ReplaceTheOldOneInOneGo) {
  const fs::path path = folder_ / "a picture.svg";
  write_file(path, "old");
  {
    OutputFile file(path);
    file.write("half of the n");
    file.flush();
    EXPECT_EQ(text_of("a picture.svg"), "old");
  }
  EXPECT_EQ(text_of("a picture.svg"), "old");
  EXPECT_FALSE(fs::exists(folder_ / "a picture.svg.part"));
  write_file(path, "new");
  EXPECT_EQ(text_of("a picture.svg"), "new");
}

TEST_F(PendingFiles, FollowLinksAndLeaveDevicesAlone) {
  write_file(folder_ / "file", "old");
  fs::create_symlink(folder_ / "file", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of("file"), "new");
  write_file("/dev/null", "nothing");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_file("/dev/full", "something"), UsageError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_THROW(write_file(folder_, "text"), UsageError);
}

}  // namespace
}  // namespace sarrus
