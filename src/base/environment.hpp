// Environment variables, read in one place so that their rules are the same everywhere: a variable that is
// set to nothing counts as unset, and a value that cannot be understood is an error that names the allowed
// ones. Safe from any thread as long as the program does not call setenv at the same time. In a program with
// more rights than its user (setuid, setgid, capabilities) every variable counts as unset.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace quern::base {

std::optional<std::string> env_text(const char* name);

// 1, on, yes, true and 0, off, no, false, in any case.
Result<bool> env_flag(const char* name, bool fallback);

Result<std::uint64_t> env_uint(const char* name, std::uint64_t fallback);

// A number of bytes: 4096, 512MiB, 1.5GiB.
Result<std::uint64_t> env_bytes(const char* name, std::uint64_t fallback);

// The position of the value in `choices`, in any case; `fallback` is a position too.
Result<std::size_t> env_choice(const char* name, std::span<const std::string_view> choices,
                               std::size_t fallback);

/// The variable as the path of a folder. Nothing when it is unset or a relative path: that would depend on
/// the folder in which a program happens to run.
std::optional<std::string> env_folder(const char* name);

// Where this user's caches live: $QUERN_CACHE (`off`: nowhere), else a folder of ours in the user's. Empty:
// nowhere.
std::string cache_folder();
/// The reason when cache_folder() is empty, as a sentence.
std::string why_no_cache_folder();

}  // namespace quern::base
