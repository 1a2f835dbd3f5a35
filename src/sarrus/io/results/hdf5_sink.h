#pragma once

#include <filesystem>

#include "sarrus/io/output_file.h"
#include "sarrus/io/results/hdf5_file.h"
#include "sarrus/io/results/layout.h"
#include "sarrus/io/results/sink.h"

namespace sarrus {

/// What an HDF5 file says about itself, besides the version of the program.
struct Hdf5About {
  std::string model;
  std::string method;
  std::size_t instants = 0;  ///< to come, as far as known; decides how the file is divided
};

/// One HDF5 file, `results.h5`: a group a body and joint, a dataset a quantity, units as attributes.
/// Instants are gathered in blocks; memory does not grow with their number.
class Hdf5Sink : public ResultSink {
 public:
  /// @throws UsageError
  Hdf5Sink(const std::filesystem::path& directory, ResultsLayout layout, const Hdf5About& about);

  void record(double time, std::span<const double> numbers) override;
  void complete(const std::vector<Note>& events) override;
  std::vector<std::string> file_names() const override;

 private:
  template <class Work>
  void guarded(Work work);
  void make_objects();
  void make_table(const ResultTable& table);
  void write_block();
  void write_events(const std::vector<Note>& events);

  ResultsLayout layout_;
  PendingFile pending_;
  Hdf5File file_;
  Hdf5About about_;
  std::size_t block_;            ///< instants in one
  std::vector<double> times_;    ///< of the present block
  std::vector<double> numbers_;  ///< instant by instant
  std::vector<double> chunk_;    ///< of one dataset
  std::size_t written_ = 0;      ///< instants in the file
};

}  // namespace sarrus
