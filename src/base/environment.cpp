#include "base/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <unistd.h>

#include "base/messages.hpp"
#include "base/text.hpp"

namespace quern::base {
namespace {

Error bad_value(const char* name, const std::string& value, const std::string& allowed) {
  return {ErrorKind::bad_input, message::kVariableValue(name, value, allowed)};
}

// The environment is set by the real user. A program with more rights than that user (setuid, setgid or
// capabilities) must not load a library or write a file because of it.
const char* trusted_getenv(const char* name) {
#if defined(__linux__)
  return ::secure_getenv(name);
#else
  const bool has_more_rights = ::getuid() != ::geteuid() || ::getgid() != ::getegid();
  return has_more_rights ? nullptr : std::getenv(name);
#endif
}

}  // namespace

std::optional<std::string> env_text(const char* name) {
  const char* value = trusted_getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<bool> env_flag(const char* name, bool fallback) {
  constexpr std::array<std::string_view, 8> kWords = {"0", "1", "off", "on", "no", "yes", "false", "true"};
  const std::optional<std::string> value = env_text(name);
  if (!value) return fallback;
  const std::string folded = to_lower(*value);
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (folded == kWords[i]) return i % 2 == 1;
  }
  return bad_value(name, *value, "1, on, yes, true, 0, off, no or false");
}

Result<std::uint64_t> env_uint(const char* name, std::uint64_t fallback) {
  const std::optional<std::string> value = env_text(name);
  if (!value) return fallback;
  const std::optional<std::uint64_t> number = parse_uint(*value);
  if (!number) return bad_value(name, *value, "a whole number from 0 to 2^64 - 1");
  return *number;
}

Result<std::uint64_t> env_bytes(const char* name, std::uint64_t fallback) {
  constexpr std::array<std::string_view, 5> kUnits = {"", "kib", "mib", "gib", "tib"};
  const std::optional<std::string> value = env_text(name);
  if (!value) return fallback;
  const std::size_t end = std::min(value->find_first_not_of("0123456789."), value->size());
  const std::optional<double> number = parse_double(value->substr(0, end));
  const std::string unit = to_lower(trim(value->substr(end)));
  for (std::size_t i = 0; i < kUnits.size() && number && *number < 1e9; ++i) {
    if (unit == kUnits[i]) return static_cast<std::uint64_t>(*number * static_cast<double>(1ULL << (10 * i)));
  }
  return bad_value(name, *value, "a size such as 4096, 512MiB or 8GiB");
}

Result<std::size_t> env_choice(const char* name, std::span<const std::string_view> choices,
                               std::size_t fallback) {
  const std::optional<std::string> value = env_text(name);
  if (!value) return fallback;
  const std::string folded = to_lower(*value);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (folded == to_lower(choices[i])) return i;
  }
  return bad_value(name, *value, "one of " + join(choices, ", "));
}

std::optional<std::string> env_folder(const char* name) {
  auto path = env_text(name);
  return path && path->front() == '/' ? path : std::nullopt;
}

std::string cache_folder() {
  if (auto own = env_text("QUERN_CACHE")) return *own == "off" ? std::string() : *own;
  if (auto xdg = env_folder("XDG_CACHE_HOME")) return *xdg + "/quern";
  if (auto home = env_folder("HOME")) return *home + "/.cache/quern";
  return {};
}

std::string why_no_cache_folder() {
  return env_text("QUERN_CACHE") ? "QUERN_CACHE is off"
                                 : "none of QUERN_CACHE, XDG_CACHE_HOME and HOME names a folder";
}

}  // namespace quern::base
