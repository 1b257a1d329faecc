// A folder that this user alone can write, for files whose contents are executed or believed: compiled code,
// measurements, results of probes, the history of errors. The folder is opened once and checked; files are
// opened relative to it, so that nobody can exchange the folder afterwards. All functions may be called from
// any thread.
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
    std::int64_t used = 0;  // time of the last change, in seconds since 1970
  };

  /// Opens `path`; creates it and its missing parents with mode 0700. Fails with ErrorKind::kInvalidUse when
  /// the folder belongs to another user or others can write it. The permissions of an existing folder are not
  /// changed: the user may share it for other purposes.
  static Result<PrivateFolder> open(const std::string& path);

  /// The folder `name` in this one, created with mode 0700. The name is ours: a folder of this user that
  /// others can write gets mode 0700. Links are not followed.
  Result<PrivateFolder> subfolder(const std::string& name) const;

  const std::string& path() const { return path_; }

  /// The contents of `name`: a regular file of this user that others cannot write and that has at most
  /// `limit` bytes. Links are not followed and pipes are not waited for; both are errors.
  Result<std::string> read(const std::string& name, std::uint64_t limit) const;
  /// Replaces `name` atomically, with mode 0600.
  Result<> write(const std::string& name, std::string_view contents) const;
  /// Appends to `name` with one write, so that lines of several processes do not mix. Returns the new size.
  Result<std::uint64_t> append(const std::string& name, std::string_view contents) const;
  /// An existing or new file with mode 0600, opened for reading and writing; for locks.
  Result<Descriptor> open_file(const std::string& name) const;
  /// Removes `name`. Returns 0 or an errno.
  int remove(const std::string& name) const;
  /// Sets the time of the last change to now.
  void touch(const std::string& name) const;
  Result<File> info(const std::string& name) const;
  Result<std::vector<File>> list() const;  // all but folders, in no order

 private:
  PrivateFolder(std::string path, Descriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  Result<Descriptor> open_checked(const std::string& name, int flags) const;
  std::string path_of(const std::string& name) const;

  std::string path_;
  Descriptor folder_;
};

/// The folder for this user's caches (cache_folder), or why there is none. An unsafe folder is logged as a
/// warning, once per process.
Result<PrivateFolder> open_cache_folder();

/// Logs that the cache is not used because of `error`, a kInvalidUse of PrivateFolder; once per process.
void warn_unsafe_cache(const Error& error);

}  // namespace quern::base
