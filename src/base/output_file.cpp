#include "base/output_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/file.hpp"
#include "base/messages.hpp"
#include "base/text.hpp"

namespace quern::base {
namespace {

constexpr int kMostLinks = 40;     // the kernel's own limit
constexpr int kPatience = 10'000;  // ms within which a reader must read something
#if defined(O_PATH)
constexpr int kFolderOnly = O_PATH;  // needs no permission to list it
#else
constexpr int kFolderOnly = O_RDONLY;
#endif
constexpr int kMostTemporaryNames = 100;  // names that another user may have taken

Error refused(const std::string& what, const std::string& reason, const std::string& hint) {
  return Error(ErrorKind::io, message::kCannotWrite(what, reason, hint));
}

// Others cannot replace files in the folder: they cannot write to it, or only their own files (sticky bit).
bool is_trusted_folder(const struct stat& folder) {
  const bool is_shared = (folder.st_mode & S_IWOTH) != 0 && (folder.st_mode & S_ISVTX) == 0;
  return is_trusted_user(folder.st_uid) && !is_shared;
}

// Links in /proc/self/fd name open files, not paths in the file system.
bool is_own_descriptor(const std::string& path) {
  return path.starts_with("/proc/self/fd/") || path.starts_with("/dev/fd/");
}

Result<std::string> target_of(const std::string& link) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  if (length < 0) return os_error("cannot write '" + link + "'", errno);
  return join_path(path_folder(link), std::string_view(target.data(), static_cast<std::size_t>(length)));
}

std::string temporary_name(const std::string& name) {
  static std::atomic<unsigned> counter{0};
  std::random_device random;
  return format("%s.%08x%08x.%u.tmp", name.c_str(), random(), random(), counter.fetch_add(1));
}

std::string in_quotes(const std::string& path) { return "'" + path + "'"; }

// Checks a file that is written in place: it must not belong to another user or have another hard link.
Result<> check_in_place(const std::string& what, const struct stat& status) {
  if (status.st_uid != ::geteuid())
    return refused(what, format("it belongs to another user (id %u)", static_cast<unsigned>(status.st_uid)),
                   "remove it, or choose a file in a folder of your own");
  if (S_ISREG(status.st_mode) && status.st_nlink > 1)
    return refused(what, "the file has another hard link", "remove it, or choose another file");
  return {};
}

// `what`: the path for messages, with quotes and a description.
Result<std::string> resolve_links(const std::string& path, const std::string& what) {
  std::string at = path;
  for (int i = 0; i < kMostLinks; ++i) {
    struct stat link = {}, folder = {};
    if (is_own_descriptor(at) || ::lstat(at.c_str(), &link) != 0 || !S_ISLNK(link.st_mode)) return at;
    if (::stat(std::string(path_folder(at)).c_str(), &folder) != 0)
      return os_error("cannot write " + what, errno);
    if (!is_trusted_user(link.st_uid) || !is_trusted_folder(folder))
      return refused(what, "'" + at + "' is a link that another user made or can replace",
                     "remove the link, or choose a file in a folder of your own");
    QUERN_TRY_ASSIGN(at, target_of(at));
  }
  return os_error("cannot write " + what, ELOOP);
}

}  // namespace

Error os_error(std::string message, int number) {
  const ErrorKind kind = number == ENOENT || number == ENOTDIR ? ErrorKind::not_found : ErrorKind::io;
  return {kind, std::move(message) + ": " + std::generic_category().message(number)};
}

bool is_trusted_user(uid_t user) { return user == ::geteuid() || user == 0; }

Result<Descriptor> open_output(const std::string& path, OutputMode output, const std::string& label,
                               mode_t mode) {
  const std::string what = label.empty() ? in_quotes(path) : label + " " + in_quotes(path);
  const auto fail = [&](int number) { return os_error("cannot write " + what, number); };
  QUERN_TRY_ASSIGN(const std::string target, resolve_links(path, what));
  const bool is_open_already = is_own_descriptor(target);
  const int flags = (is_open_already ? 0 : O_NOFOLLOW) | (output == OutputMode::kAppend ? O_APPEND : 0);
  Descriptor file(::open(target.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | flags, mode));
  if (file.get() < 0 && errno == ENXIO)
    return refused(what, "the pipe has no reader", "start the reader first");
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return fail(errno);
  const bool is_device = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
  if (!is_device && !is_open_already) QUERN_TRY(check_in_place(what, status));
  if (output == OutputMode::kTruncate && S_ISREG(status.st_mode) && ::ftruncate(file.get(), 0) != 0)
    return fail(errno);
  if (::fcntl(file.get(), F_SETFL, flags & O_APPEND) != 0) return fail(errno);  // writing may block
  return file;
}

int write_all(int descriptor, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written >= 0) {
      contents.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd end = {descriptor, POLLOUT, 0};
      if (::poll(&end, 1, kPatience) == 0) return ETIMEDOUT;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int replace_file_at(int folder, const std::string& name, std::string_view contents, mode_t permissions,
                    bool exact) {
  Descriptor file;
  std::string temporary;
  for (int i = 0; i < kMostTemporaryNames && file.get() < 0; ++i) {
    temporary = temporary_name(name);
    file =
        Descriptor(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            exact ? mode_t{0600} : permissions));
    if (file.get() < 0 && errno != EEXIST) return errno;
  }
  if (file.get() < 0) return EEXIST;
  int failure = exact && ::fchmod(file.get(), permissions) != 0 ? errno : 0;
  if (failure == 0) failure = write_all(file.get(), contents);
  if (::close(file.release()) != 0 && failure == 0) failure = errno;
  if (failure == 0 && ::renameat(folder, temporary.c_str(), folder, name.c_str()) != 0) failure = errno;
  if (failure != 0) ::unlinkat(folder, temporary.c_str(), 0);
  return failure;
}

Result<void> write_file(const std::string& path, std::string_view contents) {
  const auto fail = [&](int number) { return os_error("cannot write '" + path + "'", number); };
  if (is_folder(path)) return Error(ErrorKind::io, message::kWriteFolder(path));
  QUERN_TRY_ASSIGN(const std::string target, resolve_links(path, in_quotes(path)));
  struct stat status = {};
  const bool exists = ::lstat(target.c_str(), &status) == 0;
  // Renaming a file over a pipe or a device would replace it (even /dev/null).
  if (is_own_descriptor(target) || (exists && !S_ISREG(status.st_mode))) {
    QUERN_TRY_ASSIGN(const Descriptor file, open_output(path, OutputMode::kTruncate, ""));
    if (::fcntl(file.get(), F_SETFL, O_NONBLOCK) != 0) return fail(errno);  // a reader may have stopped
    const int failure = write_all(file.get(), contents);
    return failure == 0 ? Result<void>() : fail(failure);
  }
  const Descriptor folder(
      ::open(std::string(path_folder(target)).c_str(), kFolderOnly | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return fail(errno);
  const bool keeps_mode = exists && status.st_uid == ::geteuid();
  const int failure = replace_file_at(folder.get(), std::string(path_name(target)), contents,
                                      keeps_mode ? status.st_mode & 0777 : 0666, keeps_mode);
  return failure == 0 ? Result<void>() : fail(failure);
}

}  // namespace quern::base
