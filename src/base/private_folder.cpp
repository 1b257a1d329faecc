#include "base/private_folder.hpp"

#include <atomic>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/messages.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"

namespace quern::base {
namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// Missing parents too. Returns 0 or an errno.
int make_private_folders(const std::string& path) {
  if (::mkdir(path.c_str(), kFolderMode) == 0 || errno == EEXIST) return 0;
  const std::string parent(path_folder(path));
  if (errno != ENOENT || parent == path) return errno;
  if (const int failure = make_private_folders(parent); failure != 0) return failure;
  return ::mkdir(path.c_str(), kFolderMode) == 0 || errno == EEXIST ? 0 : errno;
}

std::string without_final_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Error unsafe(const std::string& path, const std::string& reason, const std::string& hint) {
  return Error(ErrorKind::invalid_use, message::kUnsafeFolder(path, reason, hint));
}

Result<> check_owner(const std::string& path, const struct stat& status) {
  if (status.st_uid == ::geteuid()) return {};
  return unsafe(path,
                format("it belongs to another user (id %u, this process runs as %u)",
                       static_cast<unsigned>(status.st_uid), static_cast<unsigned>(::geteuid())),
                "set QUERN_CACHE to a folder of your own");
}

Result<> check_mode(const std::string& path, const struct stat& status) {
  if ((status.st_mode & kOthersWrite) == 0) return {};
  return unsafe(path,
                format("other users can write it (mode %03o)", static_cast<unsigned>(status.st_mode & 0777)),
                (status.st_mode & S_ISVTX) != 0  // writable for all, like /tmp
                    ? "set QUERN_CACHE to a folder of your own"
                    : "chmod go-w '" + path + "', or set QUERN_CACHE to another folder");
}

// A link is followed if this user or root created it: caches are often moved to another disk that way.
Result<Descriptor> open_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), kFolderFlags | O_NOFOLLOW));
  if (folder.get() >= 0) return folder;
  const int failure = errno;
  struct stat link = {};
  if (::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {
    if (!is_trusted_user(link.st_uid))
      return unsafe(path, "it is a link of another user", "set QUERN_CACHE to a folder of your own");
    folder = Descriptor(::open(path.c_str(), kFolderFlags));
    if (folder.get() >= 0) return folder;
  }
  return os_error("cannot open the folder '" + path + "'", failure);
}

PrivateFolder::File file_of(const std::string& name, const struct stat& status) {
  return {name, static_cast<std::uint64_t>(status.st_size), static_cast<std::int64_t>(status.st_mtime)};
}

}  // namespace

Result<PrivateFolder> PrivateFolder::open(const std::string& given) {
  const std::string path = without_final_slashes(given);
  if (const int failure = make_private_folders(path); failure != 0)
    return os_error("cannot create the folder '" + path + "'", failure);
  QUERN_TRY_ASSIGN(Descriptor folder, open_folder(path));
  struct stat status = {};
  if (::fstat(folder.get(), &status) != 0) return os_error("cannot open the folder '" + path + "'", errno);
  QUERN_TRY(check_owner(path, status));
  QUERN_TRY(check_mode(path, status));
  return PrivateFolder(path, std::move(folder));
}

Result<PrivateFolder> PrivateFolder::subfolder(const std::string& name) const {
  const std::string path = path_of(name);
  if (::mkdirat(folder_.get(), name.c_str(), kFolderMode) != 0 && errno != EEXIST)
    return os_error("cannot create the folder '" + path + "'", errno);
  Descriptor folder(::openat(folder_.get(), name.c_str(), kFolderFlags | O_NOFOLLOW));
  struct stat status = {};
  if (folder.get() < 0 || ::fstat(folder.get(), &status) != 0)
    return os_error("cannot open the folder '" + path + "'", errno);
  QUERN_TRY(check_owner(path, status));
  if ((status.st_mode & kOthersWrite) != 0 && ::fchmod(folder.get(), kFolderMode) != 0)
    return check_mode(path, status).error();
  return PrivateFolder(path, std::move(folder));
}

std::string PrivateFolder::path_of(const std::string& name) const { return join_path(path_, name); }

Result<Descriptor> PrivateFolder::open_checked(const std::string& name, int flags) const {
  const std::string path = path_of(name);
  Descriptor file(
      ::openat(folder_.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kFileMode));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
    return os_error("cannot open '" + path + "'", errno);
  if (!S_ISREG(status.st_mode)) return unsafe(path, "it is not a regular file", "remove it");
  QUERN_TRY(check_owner(path, status));
  QUERN_TRY(check_mode(path, status));
  return file;
}

Result<std::string> PrivateFolder::read(const std::string& name, std::uint64_t limit) const {
  QUERN_TRY_ASSIGN(const Descriptor file, open_checked(name, O_RDONLY));
  return read_descriptor(file.get(), path_of(name), limit);
}

Result<> PrivateFolder::write(const std::string& name, std::string_view contents) const {
  const int failure = replace_file_at(folder_.get(), name, contents, kFileMode, true);
  if (failure == 0) return {};
  return os_error("cannot write '" + path_of(name) + "'", failure);
}

Result<std::uint64_t> PrivateFolder::append(const std::string& name, std::string_view contents) const {
  QUERN_TRY_ASSIGN(const Descriptor file, open_checked(name, O_WRONLY | O_APPEND | O_CREAT));
  struct stat status = {};
  if (const int failure = write_all(file.get(), contents); failure != 0)
    return os_error("cannot write '" + path_of(name) + "'", failure);
  if (::fstat(file.get(), &status) != 0) return os_error("cannot write '" + path_of(name) + "'", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

Result<Descriptor> PrivateFolder::open_file(const std::string& name) const {
  return open_checked(name, O_RDWR | O_CREAT);
}

int PrivateFolder::remove(const std::string& name) const {
  return ::unlinkat(folder_.get(), name.c_str(), 0) == 0 ? 0 : errno;
}

void PrivateFolder::touch(const std::string& name) const {
  (void)::utimensat(folder_.get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

Result<PrivateFolder::File> PrivateFolder::info(const std::string& name) const {
  struct stat status = {};
  if (::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return os_error("cannot read '" + path_of(name) + "'", errno);
  return file_of(name, status);
}

Result<std::vector<PrivateFolder::File>> PrivateFolder::list() const {
  std::vector<File> files;
  Descriptor again(::openat(folder_.get(), ".", kFolderFlags));
  DIR* const opened = again.get() < 0 ? nullptr : ::fdopendir(again.get());
  if (opened == nullptr) return os_error("cannot read the folder '" + path_ + "'", errno);
  (void)again.release();  // closedir closes it
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opened, ::closedir);
  while (const dirent* entry = ::readdir(folder.get())) {
    struct stat status = {};
    if (::fstatat(folder_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISDIR(status.st_mode)) files.push_back(file_of(entry->d_name, status));
  }
  return files;
}

void warn_unsafe_cache(const Error& error) {
  static std::atomic<bool> has_warned{false};
  if (error.kind() != ErrorKind::invalid_use || has_warned.exchange(true)) return;
  log(LogLevel::kWarning, "the cache is not used: %s\n  hint: %s", error.message().c_str(),
      error.hint().c_str());
}

Result<PrivateFolder> open_cache_folder() {
  const std::string path = cache_folder();
  if (path.empty()) return Error(ErrorKind::not_found, why_no_cache_folder());
  auto folder = PrivateFolder::open(path);
  if (!folder.ok()) warn_unsafe_cache(folder.error());
  return folder;
}

}  // namespace quern::base
