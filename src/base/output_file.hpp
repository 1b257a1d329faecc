// Opening files for writing where another user may have prepared the place: a link, a pipe or a file of
// theirs under the name that we are about to write. All functions may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace quern::base {

/// An error of the operating system: `message`, a colon and the text for `number` (an errno).
Error os_error(std::string message, int number);

/// Whether files and links of this user are trusted: the effective user and root are.
bool is_trusted_user(uid_t user);

enum class OutputMode : std::uint8_t {
  kKeep,      // existing bytes stay; writing starts at the beginning
  kTruncate,  // existing bytes are removed
  kAppend,    // existing bytes stay; every write goes to the end
};

/// Opens `path` for writing and creates it if necessary, with `mode` less the umask. For files that are
/// written piece by piece; write_file replaces a whole file. `label` says in errors what the file is ("the
/// trace"). Never waits: a pipe without a reader is an error. An existing file must belong to this user and
/// have one name only. A link is followed only when the link and its folder belong to this user or to root.
Result<Descriptor> open_output(const std::string& path, OutputMode output, const std::string& label,
                               mode_t mode = 0666);

/// Writes everything. Returns 0 or the errno of the first write that failed; ETIMEDOUT when the descriptor is
/// nonblocking and a pipe's reader takes nothing for 10 seconds.
int write_all(int descriptor, std::string_view contents);

/// Replaces the file `name` in the folder `folder` (a descriptor): readers see the old contents or the new,
/// never a part. `permissions` applies to the new file: as they are if `exact`, else less the umask. Returns
/// 0 or an errno.
int replace_file_at(int folder, const std::string& name, std::string_view contents, mode_t permissions,
                    bool exact);

}  // namespace quern::base
