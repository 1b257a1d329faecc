// Environment variables, read in one place so that the same rules apply everywhere: a variable that is set to
// an empty string counts as unset, and an invalid value is an error that names the allowed ones. Thread-safe
// unless the program calls setenv concurrently. In a program with more rights than its user (setuid, setgid,
// capabilities) every variable counts as unset.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace quern::base {

std::optional<std::string> env_text(const char* name);

// 1, on, yes, true and 0, off, no, false; case-insensitive.
Result<bool> env_flag(const char* name, bool fallback);

Result<std::uint64_t> env_uint(const char* name, std::uint64_t fallback);

// A number of bytes: 4096, 512MiB, 1.5GiB.
Result<std::uint64_t> env_bytes(const char* name, std::uint64_t fallback);

// The index of the value in `choices`, case-insensitive; `fallback` is an index too.
Result<std::size_t> env_choice(const char* name, std::span<const std::string_view> choices,
                               std::size_t fallback);

/// The variable as the path of a folder. Nothing if it is unset or a relative path, which would depend on the
/// current folder of the program.
std::optional<std::string> env_folder(const char* name);

// The folder of this user's caches: $QUERN_CACHE (`off`: none), else a folder of Quern in the user's cache
// folder. Empty: none.
std::string cache_folder();
/// The reason why cache_folder() is empty, as a sentence.
std::string why_no_cache_folder();

}  // namespace quern::base
