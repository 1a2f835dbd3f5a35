#include "sarrus/io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "sarrus/base/diagnostics.h"

namespace sarrus {
namespace {

constexpr std::size_t kBufferSize = 1 << 18;

// Where a link leads in the end, whether or not something is there.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int kMost = 40;  // as the system has it
  std::error_code error;
  for (int i = 0; i < kMost && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

// Power may fail between a renaming and the writing of what was renamed.
void make_safe(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

PendingFile::PendingFile(std::filesystem::path path, Unfinished unfinished)
    : path_(std::move(path)), target_(path_), unfinished_(unfinished) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_type type = fs::status(path_, error).type();
  if (error == std::errc::too_many_symbolic_link_levels) fail(error.message());
  if (type == fs::file_type::directory) fail(std::strerror(EISDIR));
  const bool in_place = type != fs::file_type::not_found && type != fs::file_type::regular &&
                        type != fs::file_type::none;
  // A link stays one: what it leads to is replaced.
  if (!in_place && fs::is_symlink(path_, error)) target_ = end_of_links(path_);
  // Renaming would replace even what must not be written.
  if (type == fs::file_type::regular && access(target_.c_str(), W_OK) != 0)
    fail(std::strerror(errno));
  place_ = target_;
  if (!in_place) place_ += ".part";
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      place_(std::move(other.place_)),
      unfinished_(other.unfinished_),
      pending_(std::exchange(other.pending_, false)) {}

PendingFile::~PendingFile() {
  std::error_code ignored;
  if (pending_ && unfinished_ == Unfinished::kRemove && place_ != target_)
    std::filesystem::remove(place_, ignored);
}

void PendingFile::complete() {
  std::error_code error;
  if (place_ != target_) {
    make_safe(place_);
    std::filesystem::rename(place_, target_, error);
  }
  if (error) fail(error.message());
  pending_ = false;
}

void PendingFile::fail(std::string_view reason) const {
  std::string message = fmt::format("cannot write '{}': {}", path_.string(), reason);
  std::error_code ignored;
  if (pending_ && unfinished_ == Unfinished::kKeep && std::filesystem::exists(place_, ignored))
    message += fmt::format("\n  what could be written is in '{}'", place_.string());
  throw UsageError(message);
}

OutputFile::OutputFile(std::filesystem::path path, Unfinished unfinished)
    : pending_(std::move(path), unfinished),
      buffer_(std::make_unique<char[]>(kBufferSize)),
      file_(open()) {
  std::setvbuf(file_.get(), buffer_.get(), _IOFBF, kBufferSize);
}

// Two runs must not write the same file at once.
std::FILE* OutputFile::open() {
  const int file = ::open(pending_.place().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail();
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file);
    pending_.fail("another run is writing it");
  }
  pending_.begin();
  // Devices and pipes have no length.
  if (ftruncate(file, 0) != 0 && errno != EINVAL) {
    const int reason = errno;
    ::close(file);
    errno = reason;
    fail();
  }
  return fdopen(file, "wb");
}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void OutputFile::flush() {
  if (std::fflush(file_.get()) != 0) fail();
}

void OutputFile::complete() {
  if (file_ == nullptr) return;
  if (std::fclose(file_.release()) != 0) fail();
  pending_.complete();
}

void OutputFile::fail() const { pending_.fail(std::strerror(errno)); }

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
  file.complete();
}

}  // namespace sarrus
