// quern: the command line. Finds the command, reads its options, and runs it.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "messages.hpp"
#include "output.hpp"
#include "ranks/protocol.hpp"
#include "ranks/watcher.hpp"

namespace quern::tool {

namespace {

const Command kCommands[] = {
    kRunCommand,     kRunDistributedCommand, kRingCommand,    kDemoCommand,     kCheckCommand,
    kEmitCommand,    kDevicesCommand,        kTopCommand,     kBackendsCommand, kProbeCommand,
    kDefaultCommand, kSummaryCommand,        kStatusCommand,  kBenchCommand,    kTuneCommand,
    kEnvCommand,     kCacheCommand,          kProfileCommand, kReplayCommand,   kCompletionCommand,
    kManCommand,
};

void print_help(std::FILE* to) {
  std::fprintf(to, "quern: CUDA C++ kernels on any hardware\n\nusage: quern COMMAND …\n\n");
  for (const Command& c : kCommands) {
    std::fprintf(to, "  %-15.*s %.*s\n", static_cast<int>(c.name.size()), c.name.data(),
                 static_cast<int>(c.summary.size()), c.summary.data());
  }
  std::fprintf(to, "\nRun `quern COMMAND --help` for options and examples.\n");
}

Outcome dispatch(std::span<const std::string_view> words) {
  if (words.empty()) {
    print_help(stderr);
    return kUsage;
  }
  if (words[0] == "help" && words.size() > 1) {
    const std::string_view asked[] = {words[1], "--help"};
    return dispatch(asked);
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_help(stdout);
    return kOk;
  }
  if (words[0] == "--version" || words[0] == "version") {
    std::printf("quern %s\n", QUERN_VERSION);
    return kOk;
  }
  if (words[0] == kRankCommand) return watch_rank(words.subspan(1));  // started by run-distributed
  for (const Command& c : kCommands) {
    if (c.name != words[0]) continue;
    auto arguments = Arguments::parse(words.subspan(1), c.options);
    if (!arguments.ok()) return fail(kUsage, arguments.error());
    if (arguments->has("--help") || arguments->has("-h")) {
      std::fwrite(c.help.data(), 1, c.help.size(), stdout);
      return kOk;
    }
    if (!c.takes_words && !arguments->operands().empty())
      return fail(kUsage,
                  message::kUnexpectedArgument(arguments->operands()[0],
                                               "quern " + std::string(c.name) + " takes options only"));
    return c.run(*arguments);
  }
  std::vector<std::string_view> names;
  for (const Command& c : kCommands) names.push_back(c.name);
  const auto near = base::nearest(words[0], names);
  return fail(kUsage, message::kUnknownCommand(words[0],
                                               near ? "did you mean '" + std::string(*near) + "'?"
                                                    : std::string("list the commands with `quern --help`")));
}

// If standard output is closed, one of our files could get its descriptor and would then receive the printed
// text.
void hold_standard_files() {
  for (int file = 0; file <= STDERR_FILENO; ++file) {
    if (::fcntl(file, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
  }
}

bool wants_json(std::span<const std::string_view> words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, "--json") != end;
}

// Printed text may have been lost.
Outcome finish(int code) {
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  // An earlier write failed and its reason is lost; this one fails for the same reason.
  if (!is_written && errno == 0) (void)!::write(STDOUT_FILENO, "\n", 1);
  const int why = errno;
  finish_output();
  if (is_written) return code;
  return fail(kBadInput,
              message::kOutputFailed(why != 0 ? std::string(": ") + std::strerror(why) : std::string()));
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

Outcome::Outcome(int code, const base::Error& error)
    : code_(code),
      text_(error.to_string()),
      kind_(base::to_string(error.kind())),
      message_(error.message()),
      hint_(error.hint()) {}

Outcome::Outcome(int code, std::string message, std::string hint)
    : code_(code),
      text_(message + (hint.empty() ? "" : "\n  hint: " + hint)),
      kind_(base::to_string(code == kUsage ? base::ErrorKind::invalid_use : base::ErrorKind::bad_input)),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

int Outcome::report(bool as_json) const {
  if (text_.empty()) return code_;
  std::fprintf(stderr, "quern: %s\n", text_.c_str());
  if (!as_json) return code_;
  base::JsonWriter json(2);
  json.begin_object().key("error").begin_object();
  json.member("kind", kind_).member("message", message_).member("hint", hint_);
  json.end_object().end_object();
  std::fputs(json.take().c_str(), stdout);
  return code_;
}

Outcome fail(int code, const base::Error& error) {
  base::Error told = error;
  if (told.kind() == base::ErrorKind::device_lost && told.hint().empty())
    told.add_hint(std::string(message::kRunAgain));
  return {code, told};
}

Outcome fail(int code, const base::MessageText& message) { return {code, message.text, message.hint}; }

namespace {

int run(std::span<char*> arguments) {
  hold_standard_files();
  filter_output();
  std::vector<std::string_view> words(arguments.begin(), arguments.end());
  if (!words.empty()) words.erase(words.begin());  // the program's name
  const bool as_json = wants_json(words);
  try {
    return finish(dispatch(words).report(as_json)).report(false);
  } catch (const std::bad_alloc&) {
    return fail(kBadInput, message::kOutOfMemory()).report(as_json);
  } catch (const std::exception& e) {
    return fail(kBadInput, message::kInternal(e.what())).report(as_json);
  }
}

}  // namespace

}  // namespace quern::tool

int main(int argc, char** argv) { return quern::tool::run({argv, static_cast<size_t>(argc)}); }
