// The commands of the tool. Exit codes are the same for all commands: 0 success, 1 a check failed, 2 the
// command line is invalid, 3 an input cannot be used.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::tool {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kBadInput = 3;

// The arguments after the command's name, parsed by a list of known options.
class Arguments {
 public:
  struct Option {
    std::string_view name;  // "--grid", "-I"
    bool takes_value = false;
  };

  // Options may appear anywhere; `--name value` and `--name=value` are the same, -Ivalue and -I value too.
  // After `--` everything is an operand. A negative number is an operand.
  static base::Result<Arguments> parse(std::span<const std::string_view> words,
                                       std::span<const Option> options);

  bool has(std::string_view name) const;
  std::optional<std::string> value(std::string_view name) const;  // the last one given
  std::vector<std::string> values(std::string_view name) const;
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  std::vector<std::pair<std::string, std::string>> options_;
  std::vector<std::string> operands_;
};

// Result of a command: its exit code, and the reason if it failed.
class [[nodiscard]] Outcome {
 public:
  Outcome(int code) : code_(code) {}  // NOLINT(google-explicit-constructor): commands return codes
  Outcome(int code, const base::Error& error);
  Outcome(int code, std::string message, std::string hint);

  int code() const { return code_; }
  // Prints the reason, if there is one: a sentence on stderr, and with `as_json` also an object on stdout,
  // {"error": {"kind", "message", "hint"}}. Returns the exit code.
  int report(bool as_json) const;

 private:
  int code_;
  std::string text_;  // for people; empty: no failure
  std::string kind_, message_, hint_;
};

struct Command {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view help;     // usage, options and examples
  std::span<const Arguments::Option> options;
  Outcome (*run)(const Arguments& arguments);
  bool takes_words = true;  // else options only
};

std::span<const Command> commands();

// The outcome of a command that failed.
Outcome fail(int code, const base::Error& error);
Outcome fail(int code, const base::MessageText& message);

// command_*.cpp, ranks/command_run_distributed.cpp, ring/command_ring.cpp
extern const Command kBackendsCommand;
extern const Command kBenchCommand;
extern const Command kCacheCommand;
extern const Command kCheckCommand;
extern const Command kCompletionCommand;
extern const Command kDefaultCommand;
extern const Command kDemoCommand;
extern const Command kDevicesCommand;
extern const Command kEmitCommand;
extern const Command kEnvCommand;
extern const Command kManCommand;
extern const Command kProbeCommand;
extern const Command kProfileCommand;
extern const Command kReplayCommand;
extern const Command kRingCommand;
extern const Command kRunCommand;
extern const Command kRunDistributedCommand;
extern const Command kStatusCommand;
extern const Command kSummaryCommand;
extern const Command kTopCommand;
extern const Command kTuneCommand;

}  // namespace quern::tool
