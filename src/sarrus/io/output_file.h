#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace sarrus {

/// A file being written, whose every failure is an exception rather than a silent loss.
class OutputFile {
 public:
  /// Starts the file anew. @throws UsageError with the reason, here and below.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept = default;

  void write(std::string_view text);
  void flush();
  void close();

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::unique_ptr<char[]> buffer_;  ///< the file's own; outlives it
  std::unique_ptr<std::FILE, Close> file_;
};

/// Makes the folder and those above it, and returns it. @throws UsageError with the reason.
const std::filesystem::path& make_directory(const std::filesystem::path& directory);

/// The whole file at once. @throws UsageError with the reason.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace sarrus
