// quern: the command line. Finds the command, reads its options, and runs it.
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

#include "base/text.hpp"
#include "command.hpp"
#include "output.hpp"

namespace quern::tool {

namespace {

const Command kCommands[] = {
    kRunCommand,      kRingCommand,    kDemoCommand,    kCheckCommand,      kEmitCommand,   kDevicesCommand,
    kBackendsCommand, kProbeCommand,   kDefaultCommand, kSummaryCommand,    kStatusCommand, kEnvCommand,
    kCacheCommand,    kProfileCommand, kReplayCommand,  kCompletionCommand, kManCommand,
};

void print_help(std::FILE* to) {
  std::fprintf(to, "quern: kernels in CUDA C++ on whatever hardware is there\n\nusage: quern COMMAND …\n\n");
  for (const Command& c : kCommands) {
    std::fprintf(to, "  %-11.*s %.*s\n", static_cast<int>(c.name.size()), c.name.data(),
                 static_cast<int>(c.summary.size()), c.summary.data());
  }
  std::fprintf(to, "\n`quern COMMAND --help` explains one with examples.\n");
}

int dispatch(std::span<const std::string_view> words) {
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
  for (const Command& c : kCommands) {
    if (c.name != words[0]) continue;
    auto arguments = Arguments::parse(words.subspan(1), c.options);
    if (!arguments.ok()) return fail(kUsage, arguments.error());
    if (arguments->has("--help") || arguments->has("-h")) {
      std::fwrite(c.help.data(), 1, c.help.size(), stdout);
      return kOk;
    }
    if (!c.takes_words && !arguments->operands().empty())
      return fail(kUsage, "'" + arguments->operands()[0] + "' is one word too many",
                  "quern " + std::string(c.name) + " takes options only");
    return c.run(*arguments);
  }
  std::vector<std::string_view> names;
  for (const Command& c : kCommands) names.push_back(c.name);
  const auto near = base::nearest(words[0], names);
  return fail(kUsage, "there is no command '" + std::string(words[0]) + "'",
              near ? "did you mean '" + std::string(*near) + "'?" : std::string("quern --help lists them"));
}

// A file of ours that got the number of a closed standard output would be filled with what is printed.
void hold_standard_files() {
  for (int file = 0; file <= STDERR_FILENO; ++file) {
    if (::fcntl(file, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
  }
}

// What was printed may have gone nowhere.
int finish(int code) {
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  const int why = errno;
  finish_output();
  if (is_written) return code;
  return fail(kBadInput, std::string("standard output cannot be written") +
                             (why != 0 ? std::string(": ") + std::strerror(why) : std::string()));
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

int fail(int code, const base::Error& error) {
  base::Error told = error;
  if (told.kind() == base::ErrorKind::kDeviceLost && told.hint().empty())
    told.add_hint("run it again, or on another device (--on): those still work");
  std::fprintf(stderr, "quern: %s\n", told.to_string().c_str());
  return code;
}

int fail(int code, std::string_view message, std::string_view hint) {
  std::fprintf(stderr, "quern: %.*s\n", static_cast<int>(message.size()), message.data());
  if (!hint.empty()) std::fprintf(stderr, "  hint: %.*s\n", static_cast<int>(hint.size()), hint.data());
  return code;
}

namespace {

int run(std::span<char*> arguments) {
  hold_standard_files();
  filter_output();
  std::vector<std::string_view> words(arguments.begin(), arguments.end());
  if (!words.empty()) words.erase(words.begin());  // the program's own name
  try {
    return finish(dispatch(words));
  } catch (const std::bad_alloc&) {
    return fail(kBadInput, "there is no memory left");
  } catch (const std::exception& e) {
    return fail(kBadInput, std::string("something is missing here: ") + e.what());
  }
}

}  // namespace

}  // namespace quern::tool

int main(int argc, char** argv) { return quern::tool::run({argv, static_cast<size_t>(argc)}); }
