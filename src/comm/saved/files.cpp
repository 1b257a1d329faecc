#include "comm/saved/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comm/failure.hpp"

namespace quern::comm::saved {

namespace {

constexpr std::uint64_t kMostText = std::uint64_t{256} << 20;

[[noreturn]] void fail_with_path(const char* operation, const char* what, const std::string& path, int why) {
  fail(ErrorKind::io, message::kCheckpointFile(operation, what, path, std::strerror(why)));
}

}  // namespace

File::File(const char* operation, std::string path, int flags)
    : operation_(operation), path_(std::move(path)), number_(::open(path_.c_str(), flags | O_CLOEXEC, 0666)) {
  if (number_ < 0) fail_with("opening", errno);
}
File File::create(const char* operation, const std::string& path) {
  return File(operation, path, O_WRONLY | O_CREAT | O_TRUNC);
}
File File::open(const char* operation, const std::string& path) { return File(operation, path, O_RDONLY); }
File::~File() {
  if (number_ >= 0) ::close(number_);
}

void File::fail_with(const char* what, int why) const { fail_with_path(operation_, what, path_, why); }

void File::write(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with("writing", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void File::read(std::span<std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(number_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with("reading", errno);
    if (got == 0) fail_with("reading", ENODATA);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

void File::make_durable() const {
  if (::fsync(number_) != 0) fail_with("writing", errno);
}

void make_folder(const char* operation, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_with_path(operation, "creating", path, error.value());
}

void make_folder_durable(const char* operation, const std::string& path) {
  File::open(operation, path).make_durable();
}

void replace_file(const char* operation, const std::string& folder, const std::string& name,
                  const std::string& text) {
  const std::string path = folder + "/" + name, temporary = path + ".tmp";
  {
    const File file = File::create(operation, temporary);
    file.write(std::as_bytes(std::span(text)));
    file.make_durable();
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail_with_path(operation, "renaming", temporary, errno);
  make_folder_durable(operation, folder);
}

std::optional<std::string> read_text(const char* operation, const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail_with_path(operation, "opening", path, errno);
  }
  if (static_cast<std::uint64_t>(status.st_size) > kMostText)
    fail_with_path(operation, "reading", path, EFBIG);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  File::open(operation, path).read(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

void remove_other_data(const std::string& folder, const std::string& kept) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("data-") && name != kept) std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace quern::comm::saved
