#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sarrus {

/// Something the HDF5 library could not do; `what()` is the reason, without the file.
class Hdf5Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An HDF5 file, as far as results need it: groups, texts as attributes, and columns: datasets of
/// doubles with a fixed width that grow by whole chunks. Objects are named by their path. All
/// functions throw Hdf5Error.
class Hdf5File {
 public:
  /// The library tidies up at the end of the program, and hangs there where a file could not be
  /// written. For programs, before anything else of it is used.
  static void leave_alone_at_exit();

  static Hdf5File create(const std::filesystem::path& path);
  static Hdf5File open(const std::filesystem::path& path);
  ~Hdf5File();
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File& operator=(Hdf5File&&) = delete;

  /// Everything to disk; the one way to learn whether that went well.
  void close();

  void make_group(const std::string& path);
  void set_text(const std::string& object, const std::string& name, const std::string& text);
  void set_number(const std::string& object, const std::string& name, int number);

  /// A dataset with any number of rows, none yet. Width 0: a row is one number, not a list.
  void make_column(const std::string& path, std::size_t width, std::size_t chunk_rows);

  /// Writes a whole chunk, the next one of the column; of its rows, `rows` in all count from now on.
  void append(const std::string& path, std::size_t first_row, std::size_t rows,
              std::span<const double> chunk);

  /// A dataset of texts.
  void write_texts(const std::string& path, const std::vector<std::string>& texts);

  bool has(const std::string& path) const;
  std::string text(const std::string& object, const std::string& name) const;
  int number(const std::string& object, const std::string& name) const;
  std::size_t rows(const std::string& path) const;

  /// `count` rows from `first` on. @throws Hdf5Error also when the column has another width.
  void read(const std::string& path, std::size_t width, std::size_t first, std::size_t count,
            std::span<double> numbers) const;

 private:
  explicit Hdf5File(std::int64_t file) : file_(file) {}
  std::int64_t file_;
};

}  // namespace sarrus
