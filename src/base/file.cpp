#include "base/file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace quern::base {
namespace {

Error os_error(std::string message, int number) {
  const ErrorKind kind = number == ENOENT || number == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kIo;
  return {kind, std::move(message) + ": " + std::generic_category().message(number)};
}

// Closes on every path out of a function.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

// Returns 0 or the errno of the first write that failed.
int write_all(int descriptor, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Unique per process and call, so that two writers of one path never share a temporary file.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return format("%s.%ld.%u.tmp", path.c_str(), static_cast<long>(::getpid()), counter.fetch_add(1));
}

// The file that a link leads to: that one is replaced, and the link stays.
std::string behind_links(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_symlink(path, failure)) return path;
  const std::filesystem::path target = std::filesystem::canonical(path, failure);
  return failure ? path : target.string();
}

// Pipes and devices: renaming a file over one would take its place (and /dev/null's).
bool is_special(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// Returns 0 or the errno of what failed.
int write_to(int descriptor, std::string_view contents) {
  if (descriptor < 0) return errno;
  const int failure = write_all(descriptor, contents);
  return ::close(descriptor) != 0 && failure == 0 ? errno : failure;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  const auto fail = [&](int number) { return os_error("cannot read '" + path + "'", number); };
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return fail(errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) return fail(errno);
  if (S_ISDIR(status.st_mode)) return Error(ErrorKind::kIo, "cannot read '" + path + "': it is a folder");

  const auto too_large = [&](std::uint64_t size) {
    return Error(ErrorKind::kIo, format("cannot read '%s': it has at least %s, the limit is %s", path.c_str(),
                                        format_bytes(size).c_str(), format_bytes(limit).c_str()));
  };
  const auto expected = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (expected > limit) return too_large(expected);

  // The size is only a first guess: pipes and files in /proc report none, and a file may grow meanwhile.
  std::string contents;
  contents.reserve(static_cast<std::size_t>(expected) + 1);
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const ssize_t count = ::read(file.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(errno);
    if (count == 0) return contents;
    contents.append(chunk.data(), static_cast<std::size_t>(count));
    if (contents.size() > limit) return too_large(contents.size());
  }
}

Result<void> write_file(const std::string& path, std::string_view contents) {
  const auto fail = [&](int number) { return os_error("cannot write '" + path + "'", number); };
  if (is_folder(path)) return Error(ErrorKind::kIo, "cannot write '" + path + "': it is a folder");
  if (is_special(path)) {
    const int failure = write_to(::open(path.c_str(), O_WRONLY | O_CLOEXEC), contents);
    return failure == 0 ? Result<void>() : fail(failure);
  }
  const std::string target = behind_links(path);
  const std::string temporary = temporary_name(target);
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return fail(errno);
  int failure = write_to(file, contents);
  if (failure == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) failure = errno;
  if (failure == 0) return {};
  ::unlink(temporary.c_str());
  return fail(failure);
}

bool file_exists(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0;
}

std::string file_stamp(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + ' ' +
         std::to_string(status.st_mtim.tv_nsec);
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
