// The log informs; it never decides. An error that a call returns is not logged by that call. Lines go to
// standard error unless a program sets its own sink. QUERN_LOG sets the level: off, error, warning (the
// default), info, debug, trace. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace quern::base {

enum class LogLevel : std::uint8_t { kOff, kError, kWarning, kInfo, kDebug, kTrace };

std::string_view to_string(LogLevel level);

LogLevel log_level();
void set_log_level(LogLevel level);  // overrides QUERN_LOG

inline bool log_enabled(LogLevel level) { return level != LogLevel::kOff && level <= log_level(); }

// Formats nothing if the level is disabled. If computing the arguments is costly, check log_enabled first.
[[gnu::format(printf, 2, 3)]] void log(LogLevel level, const char* pattern, ...);

// Receives one message without a newline. Calls never overlap. A sink must not log. Null restores standard
// error.
using LogSink = std::function<void(LogLevel, std::string_view)>;
void set_log_sink(LogSink sink);

}  // namespace quern::base
