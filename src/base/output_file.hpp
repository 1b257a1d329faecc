// Opens files for writing safely even if another user has placed a link, a pipe or a file at the path.
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace quern::base {

/// An operating system error: `message`, a colon and the text for `number` (an errno).
Error os_error(std::string message, int number);

/// Whether files and links of this user are trusted: those of the effective user and of root are.
bool is_trusted_user(uid_t user);

enum class OutputMode : std::uint8_t {
  kKeep,      // existing bytes are kept; writing starts at the beginning
  kTruncate,  // existing bytes are removed
  kAppend,    // existing bytes are kept; every write appends
};

/// Opens `path` for writing and creates it if necessary, with `mode` minus the umask. For files that are
/// written piece by piece; write_file replaces a whole file. `label` describes the file in errors ("the
/// trace"). Never blocks: a pipe without a reader is an error. An existing file must belong to this user and
/// have no other hard links. A link is followed only if the link and its folder belong to this user or to
/// root.
Result<Descriptor> open_output(const std::string& path, OutputMode output, const std::string& label,
                               mode_t mode = 0666);

/// Writes everything. Returns 0 or the errno of the first write that failed; ETIMEDOUT if the descriptor is
/// nonblocking and a pipe's reader reads nothing for 10 seconds.
int write_all(int descriptor, std::string_view contents);

/// Replaces the file `name` in the folder `folder` (a descriptor) atomically: readers see the old contents or
/// the new ones. `permissions` applies to the new file: exactly if `exact`, else minus the umask. Returns 0
/// or an errno.
int replace_file_at(int folder, const std::string& name, std::string_view contents, mode_t permissions,
                    bool exact);

}  // namespace quern::base
