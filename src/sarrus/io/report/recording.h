#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sarrus/io/results/layout.h"

namespace sarrus {

/// One curve of a report: a column of one row of a table of the results.
struct Series {
  std::string group;    ///< the table
  std::string element;  ///< body or joint; empty where there is none
  std::string name;     ///< as the CSV column; of joints with the coordinate: "angle speed"
  std::string unit;
  std::size_t index;  ///< among the numbers of an instant
};

struct RecordingOptions {
  std::size_t budget = 24 << 20;                           ///< [bytes]
  std::size_t samples = std::numeric_limits<long>::max();  ///< to come, as far as known
};

/// A run as a report shows it, in bounded memory: when that is full every second sample goes, and of
/// those to come every second is left out from then on, but never the last one. Series are the numbers of the results, poses
/// are single precision. Of large mechanisms the series of single bodies, then of reactions, then of
/// joints are left out before samples become few.
class Recording {
 public:
  explicit Recording(const ResultsLayout& layout, const RecordingOptions& options = {});

  void add(double time, std::span<const double> numbers);

  /// No more samples come: the last one is here, too, whether or not its turn had come.
  void finish();

  std::size_t samples() const { return times_.size(); }
  std::size_t bodies() const { return bodies_; }
  std::size_t stride() const { return stride_; }  ///< every stride-th sample is here, and the last
  const std::vector<double>& times() const { return times_; }
  const std::vector<Series>& series() const { return series_; }
  const std::vector<std::string>& left_out() const { return left_out_; }  ///< tables

  /// All samples of a series.
  std::vector<double> values(std::size_t series) const;

  /// A flexible body, drawn as a line through its nodes.
  struct Line {
    std::size_t body;   ///< its place among bodies
    std::size_t first;  ///< of its nodes, among all
    std::size_t count;
  };
  const std::vector<Line>& lines() const { return lines_; }

  /// [sample][node of the line][3], in the body's frame.
  std::vector<float> line_points(const Line& line) const;

  /// [sample][body]: px py pz qw qx qy qz
  const std::vector<float>& poses() const { return poses_; }

 private:
  void choose_series(const ResultsLayout& layout, const RecordingOptions& options);
  std::size_t sample_bytes() const;
  void append(double time, std::span<const double> numbers);
  float pose_number(std::span<const double> numbers, std::size_t body, std::size_t k) const;
  void thin();
  void find_lines(const ResultsLayout& layout);

  std::vector<Series> series_;
  std::vector<std::string> left_out_;
  std::size_t bodies_ = 0;
  std::size_t body_width_ = 0;
  std::size_t most_ = 0;  ///< samples that fit
  std::size_t stride_ = 1;
  std::size_t seen_ = 0;
  double passed_time_ = 0;
  std::vector<double> passed_;  ///< the newest sample where it was left out; else empty
  std::vector<double> times_;
  std::vector<double> values_;  ///< [sample][series]
  std::vector<float> poses_;
  std::vector<Line> lines_;
  std::size_t nodes_ = 0;       ///< of all lines
  std::size_t first_node_ = 0;  ///< of their numbers
  std::size_t node_width_ = 0;
  std::vector<float> points_;  ///< [sample][node][3], in body frames
};

}  // namespace sarrus
