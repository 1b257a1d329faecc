#include "base/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/messages.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"

namespace quern::base {
Result<std::string> read_descriptor(int file, const std::string& path, std::uint64_t limit) {
  const auto fail = [&](int number) { return os_error("cannot read '" + path + "'", number); };
  struct stat status = {};
  if (::fstat(file, &status) != 0) return fail(errno);
  if (S_ISDIR(status.st_mode)) return Error(ErrorKind::io, message::kReadFolder(path));
  const auto too_large = [&](std::uint64_t size) {
    return Error(ErrorKind::io, message::kFileTooLarge(path, format_bytes(size), format_bytes(limit)));
  };
  const auto expected = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (expected > limit) return too_large(expected);

  // The size is only an estimate: pipes and files in /proc report 0, and a file may grow meanwhile.
  std::string contents;
  contents.reserve(static_cast<std::size_t>(expected) + 1);
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const ssize_t count = ::read(file, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(errno);
    if (count == 0) return contents;
    contents.append(chunk.data(), static_cast<std::size_t>(count));
    if (contents.size() > limit) return too_large(contents.size());
  }
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return os_error("cannot read '" + path + "'", errno);
  return read_descriptor(file.get(), path, limit);
}

Result<std::string> read_regular_file(const std::string& path, std::uint64_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
    return os_error("cannot read '" + path + "'", errno);
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return Error(ErrorKind::io, message::kNotRegularFile(path));
  return read_descriptor(file.get(), path, limit);
}

bool file_exists(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0;
}

std::string file_stamp(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return {};
#if defined(__APPLE__)
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return std::to_string(status.st_size) + ' ' + std::to_string(time.tv_sec) + ' ' +
         std::to_string(time.tv_nsec);
}

bool is_folder(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<void> make_folders(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure && !is_folder(path))
    return os_error("cannot create the folder '" + path + "'", failure.value());
  return {};
}

Result<std::vector<std::string>> list_files(const std::string& path) {
  namespace fs = std::filesystem;
  if (!file_exists(path)) return os_error("cannot read '" + path + "'", ENOENT);
  if (!is_folder(path)) return std::vector<std::string>{path};

  std::vector<std::string> files;
  std::error_code failure;
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && entry->path().filename().native().front() == '.') {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(ignored)) {
      files.push_back(entry->path().string());
    }
  }
  if (failure) return os_error("cannot list the folder '" + path + "'", failure.value());
  std::sort(files.begin(), files.end());
  return files;
}

std::string_view path_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view path_extension(std::string_view path) {
  const std::string_view name = path_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot);
}

std::string_view path_folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty() || (!name.empty() && name.front() == '/')) return std::string(name);
  std::string path(folder);
  if (path.back() != '/') path += '/';
  return path += name;
}

}  // namespace quern::base
