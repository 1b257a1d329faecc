#include "base/log.hpp"

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "base/environment.hpp"
#include "base/job_rank.hpp"
#include "base/text.hpp"

namespace quern::base {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"off", "error", "warning", "info", "debug", "trace"};

void write_to_stderr(LogLevel level, std::string_view message) {
  std::string line = "quern: ";
  if (const std::string rank = job_rank_text(); !rank.empty()) line += rank + ": ";
  line += to_string(level);
  line += ": ";
  line += message;
  line += '\n';
  // One call, so that lines of several processes are not interleaved.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

LogLevel level_from_environment() {
  const Result<std::size_t> choice =
      env_choice("QUERN_LOG", kNames, static_cast<std::size_t>(LogLevel::kWarning));
  if (choice) return static_cast<LogLevel>(*choice);
  write_to_stderr(LogLevel::kWarning, choice.error().message());
  return LogLevel::kWarning;
}

struct LogState {
  std::atomic<LogLevel> level{level_from_environment()};
  std::mutex mutex;  // guards sink, and serializes its calls
  LogSink sink;
};

// Never destroyed: threads that outlive main may still log.
LogState& state() {
  static LogState* const instance = new LogState;
  return *instance;
}

}  // namespace

std::string_view to_string(LogLevel level) { return kNames[static_cast<std::size_t>(level)]; }

LogLevel log_level() { return state().level.load(std::memory_order_relaxed); }

void set_log_level(LogLevel level) { state().level.store(level, std::memory_order_relaxed); }

void log(LogLevel level, const char* pattern, ...) {
  if (!log_enabled(level)) return;
  std::va_list arguments;
  va_start(arguments, pattern);
  const std::string message = format_va(pattern, arguments);
  va_end(arguments);
  const std::lock_guard lock(state().mutex);
  if (state().sink) {
    state().sink(level, message);
  } else {
    write_to_stderr(level, message);
  }
}

void set_log_sink(LogSink sink) {
  const std::lock_guard lock(state().mutex);
  state().sink = std::move(sink);
}

}  // namespace quern::base
