#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace sarrus {

/// What becomes of a file that never was completed: a picture is worthless, hours of motion are not.
enum class Unfinished { kRemove, kKeep };

/// The place of a file that gets its name only when it is complete: until then it is NAME.part, so
/// nobody takes a half-written file for a whole one. What is no regular file (`/dev/stdout`, a pipe)
/// is written in place.
class PendingFile {
 public:
  /// Writes nothing yet. @throws UsageError where NAME could not be written, here and below with
  /// file and reason.
  explicit PendingFile(std::filesystem::path path, Unfinished unfinished = Unfinished::kRemove);
  ~PendingFile();
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;

  const std::filesystem::path& path() const { return path_; }    ///< as asked for
  const std::filesystem::path& place() const { return place_; }  ///< where to write

  /// Something is there from now on, which is ours to remove.
  void begin() { pending_ = true; }

  /// Gives it its name, once it is safe on the disk. @throws UsageError
  void complete();

  /// @throws UsageError: cannot write path(), and why.
  [[noreturn]] void fail(std::string_view reason) const;

 private:
  std::filesystem::path path_, target_, place_;
  Unfinished unfinished_;
  bool pending_ = false;
};

/// A file being written, whose every failure is an exception rather than a silent loss, and which
/// has its name only from `complete` on.
class OutputFile {
 public:
  /// @throws UsageError with file and reason, here and below.
  explicit OutputFile(std::filesystem::path path, Unfinished unfinished = Unfinished::kRemove);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept = default;

  void write(std::string_view text);
  void flush();
  void complete();

  const std::filesystem::path& path() const { return pending_.path(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;
  std::FILE* open();

  PendingFile pending_;
  std::unique_ptr<char[]> buffer_;  ///< the file's own; outlives it
  std::unique_ptr<std::FILE, Close> file_;
};

/// Makes the folder and those above it, and returns it. @throws UsageError with the reason.
const std::filesystem::path& make_directory(const std::filesystem::path& directory);

/// The whole file at once. @throws UsageError with the reason.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace sarrus
