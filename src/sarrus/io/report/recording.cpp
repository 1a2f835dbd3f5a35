#include "sarrus/io/report/recording.h"

#include <algorithm>
#include <cmath>

#include "sarrus/base/assert.h"

namespace sarrus {
namespace {

constexpr std::size_t kPose = 7;              // numbers: the first ones of a body's row
constexpr std::size_t kWantedSamples = 1000;  // before series are left out

void add_series(const ResultTable& table, std::vector<Series>& all) {
  std::size_t index = table.first;
  for (const ResultRow& row : table.rows)
    for (const Quantity& quantity : table.quantities)
      for (const std::string& column : quantity.columns) {
        const std::string name = row.names.size() > 1 ? row.names[1] + " " + column : column;
        all.push_back({.group = table.name,
                       .element = row.names.empty() ? "" : row.names[0],
                       .name = name,
                       .unit = table.unit(quantity, row),
                       .index = index++});
      }
}

// Keeps every second of the records of a width.
template <class T>
void keep_even(std::vector<T>& records, std::size_t width, std::size_t kept) {
  for (std::size_t i = 1; i < kept; ++i)
    std::copy_n(records.data() + 2 * i * width, width, records.data() + i * width);
  records.resize(kept * width);
}

}  // namespace

Recording::Recording(const ResultsLayout& layout, const RecordingOptions& options) {
  const ResultTable& bodies = layout.table("bodies");
  SARRUS_ASSERT(bodies.first == 0);
  bodies_ = bodies.rows.size();
  body_width_ = bodies.width;
  find_lines(layout);
  choose_series(layout, options);
  most_ = std::max<std::size_t>(2, options.budget / sample_bytes());
}

std::size_t Recording::sample_bytes() const {
  return sizeof(double) * (1 + series_.size()) + sizeof(float) * (kPose * bodies_ + 3 * nodes_);
}

void Recording::find_lines(const ResultsLayout& layout) {
  const ResultTable* table = layout.find_table("nodes");
  if (table == nullptr) return;
  const std::vector<ResultRow>& bodies = layout.table("bodies").rows;
  nodes_ = table->rows.size();
  first_node_ = table->first;
  node_width_ = table->width;
  for (std::size_t i = 0; i < nodes_; ++i) {
    const std::string& name = table->rows[i].names[0];
    if (lines_.empty() || bodies[lines_.back().body].names[0] != name) {
      const auto found =
          std::ranges::find_if(bodies, [&](const ResultRow& row) { return row.names[0] == name; });
      SARRUS_ASSERT(found != bodies.end());
      lines_.push_back({static_cast<std::size_t>(found - bodies.begin()), i, 0});
    }
    ++lines_.back().count;
  }
}

std::vector<float> Recording::line_points(const Line& line) const {
  std::vector<float> points;
  points.reserve(3 * line.count * samples());
  for (std::size_t i = 0; i < samples(); ++i) {
    const float* first = points_.data() + 3 * (i * nodes_ + line.first);
    points.insert(points.end(), first, first + 3 * line.count);
  }
  return points;
}

void Recording::choose_series(const ResultsLayout& layout, const RecordingOptions& options) {
  const std::size_t wanted = std::min(kWantedSamples, options.samples);
  std::vector<std::string> least_wanted = {"bodies", "reactions", "joints"};
  if (layout.find_table("nodes") != nullptr) least_wanted.insert(least_wanted.begin(), "nodes");
  for (std::size_t drop = 0;; ++drop) {
    left_out_.assign(least_wanted.begin(),
                     least_wanted.begin() + static_cast<std::ptrdiff_t>(drop));
    series_.clear();
    for (const ResultTable& table : layout.tables)
      if (std::ranges::find(left_out_, table.name) == left_out_.end()) add_series(table, series_);
    if (drop == least_wanted.size() || wanted * sample_bytes() <= options.budget) return;
  }
}

void Recording::add(double time, std::span<const double> numbers) {
  const std::size_t place = seen_++;
  if (place % stride_ == 0 && times_.size() == most_) thin();
  if (place % stride_ != 0) {
    passed_time_ = time;
    passed_.assign(numbers.begin(), numbers.end());
    return;
  }
  passed_.clear();
  append(time, numbers);
}

void Recording::finish() {
  if (!passed_.empty()) append(passed_time_, passed_);
  passed_.clear();
  // A body is drawn where it first was until it is there.
  const std::size_t width = kPose * bodies_;
  for (std::size_t i = samples(); i-- > 1;)
    for (std::size_t k = 0; k < width; ++k)
      if (std::isnan(poses_[(i - 1) * width + k]))
        poses_[(i - 1) * width + k] = poses_[i * width + k];
}

void Recording::append(double time, std::span<const double> numbers) {
  times_.push_back(time);
  for (const Series& series : series_) values_.push_back(numbers[series.index]);
  for (std::size_t i = 0; i < bodies_; ++i)
    for (std::size_t k = 0; k < kPose; ++k) poses_.push_back(pose_number(numbers, i, k));
  for (const Line& line : lines_) {
    const double* pose = numbers.data() + line.body * body_width_;
    const Quat turn(pose[3], pose[4], pose[5], pose[6]);
    const Eigen::Map<const Vec3> origin(pose);
    for (std::size_t k = 0; k < line.count; ++k) {
      const double* node = numbers.data() + first_node_ + (line.first + k) * node_width_;
      const Vec3 point = turn.conjugate() * (Eigen::Map<const Vec3>(node) - origin);
      for (const double coordinate : point) points_.push_back(static_cast<float>(coordinate));
    }
  }
}

// And where it last was once it is gone.
float Recording::pose_number(std::span<const double> numbers, std::size_t body,
                             std::size_t k) const {
  const double number = numbers[body * body_width_ + k];
  const bool has_past = poses_.size() >= kPose * bodies_;
  return std::isnan(number) && has_past ? poses_[poses_.size() - kPose * bodies_]
                                        : static_cast<float>(number);
}

void Recording::thin() {
  const std::size_t kept = (times_.size() + 1) / 2;
  keep_even(times_, 1, kept);
  keep_even(values_, series_.size(), kept);
  keep_even(poses_, kPose * bodies_, kept);
  keep_even(points_, 3 * nodes_, kept);
  stride_ *= 2;
}

std::vector<double> Recording::values(std::size_t series) const {
  std::vector<double> column(samples());
  for (std::size_t i = 0; i < samples(); ++i) column[i] = values_[i * series_.size() + series];
  return column;
}

}  // namespace sarrus
