// A folder that only this user can write, for files that are executed or trusted: compiled code,
// measurements, results of probes, the error history. The folder is opened once and checked; files are opened
// relative to it, so that nobody can exchange the folder afterwards. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace quern::base {

class PrivateFolder {
 public:
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::int64_t used = 0;  // modification time, in seconds since 1970
  };

  /// Opens `path`; creates it and its missing parents with mode 0700. Fails with ErrorKind::invalid_use if
  /// the folder belongs to another user or others can write to it. Does not change the permissions of an
  /// existing folder: the user may share it for other purposes.
  static Result<PrivateFolder> open(const std::string& path);

  /// Opens the subfolder `name`, created with mode 0700. The name is Quern's: a folder of this user to which
  /// others can write gets mode 0700. Links are not followed.
  Result<PrivateFolder> subfolder(const std::string& name) const;

  const std::string& path() const { return path_; }

  /// The contents of `name`: a regular file of this user that others cannot write and that has at most
  /// `limit` bytes. Links and pipes are errors; never blocks.
  Result<std::string> read(const std::string& name, std::uint64_t limit) const;
  /// Replaces `name` atomically, with mode 0600.
  Result<> write(const std::string& name, std::string_view contents) const;
  /// Appends to `name` with one write, so that lines of several processes do not mix. Returns the new size.
  Result<std::uint64_t> append(const std::string& name, std::string_view contents) const;
  /// Opens an existing or new file with mode 0600 for reading and writing; for locks.
  Result<Descriptor> open_file(const std::string& name) const;
  /// Removes `name`. Returns 0 or an errno.
  int remove(const std::string& name) const;
  /// Sets the modification time to now.
  void touch(const std::string& name) const;
  Result<File> info(const std::string& name) const;
  Result<std::vector<File>> list() const;  // without folders, unordered

 private:
  PrivateFolder(std::string path, Descriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  Result<Descriptor> open_checked(const std::string& name, int flags) const;
  std::string path_of(const std::string& name) const;

  std::string path_;
  Descriptor folder_;
};

/// The folder for this user's caches (cache_folder), or why there is none. Logs a warning about an unsafe
/// folder, once per process.
Result<PrivateFolder> open_cache_folder();

/// Logs that the cache is not used because of `error`, a kInvalidUse of PrivateFolder; once per process.
void warn_unsafe_cache(const Error& error);

}  // namespace quern::base
