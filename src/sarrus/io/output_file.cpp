#include "sarrus/io/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "sarrus/base/diagnostics.h"

namespace sarrus {
namespace {

constexpr std::size_t kBufferSize = 1 << 18;

}  // namespace

OutputFile::OutputFile(std::filesystem::path path)
    : path_(std::move(path)),
      buffer_(std::make_unique<char[]>(kBufferSize)),
      file_(std::fopen(path_.c_str(), "wb")) {
  if (file_ == nullptr) fail();
  std::setvbuf(file_.get(), buffer_.get(), _IOFBF, kBufferSize);
}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void OutputFile::flush() {
  if (std::fflush(file_.get()) != 0) fail();
}

void OutputFile::close() {
  if (file_ != nullptr && std::fclose(file_.release()) != 0) fail();
}

void OutputFile::fail() const {
  throw UsageError(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
}

const std::filesystem::path& make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && !std::filesystem::is_directory(directory, error))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    throw UsageError(
        fmt::format("cannot make the folder '{}': {}", directory.string(), error.message()));
  return directory;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

}  // namespace sarrus
