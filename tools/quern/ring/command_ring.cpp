// quern ring: measures, runs and watches actors on a device.
#include <algorithm>
#include <cstdio>

#include "base/text.hpp"
#include "messages.hpp"
#include "quern/quern.hpp"
#include "subcommands.hpp"

namespace quern::tool {
namespace {

constexpr Arguments::Option kOptions[] = {{"--on", true},      {"--count", true},   {"--calls", true},
                                          {"--shape", true},   {"--threads", true}, {"--blocks", true},
                                          {"--engine", true},  {"--state", true},   {"--buffer", true},
                                          {"--seconds", true}, {"--every", true},   {"--json"},
                                          {"--timers", true},  {"--slots", true},   {"-I", true},
                                          {"-D", true},        {"--help"},          {"-h"}};

constexpr std::string_view kHelp = R"(usage: quern ring bench [--on DEVICE] [--calls N] [--json]
       quern ring run FILE.cu[:KIND,…] MESSAGE… [--on DEVICE] [--count N] [options]
       quern ring top [FILE.cu[:KIND,…] MESSAGE…] [--seconds S] [--every S] [options]
       quern ring inspect [FILE.cu[:KIND,…] MESSAGE…] [--count N] [options]

A ring kernel is an actor on a device: a state, and a handler that is called for each message in order. If the device
supports persistent kernels, a message needs neither a launch nor a copy. An actor is a file like this:

  struct State { long total; };
  struct Message { int add; };
  using Reply = long;
  __device__ Reply on_message(State& state, const Message& message, quern::ring::Context& context) {
    return state.total += message.add;
  }

  bench      measures call latency and message throughput with verified replies, and compares with one launch per
             message
  run        spawns the actor, sends each MESSAGE (`--count N`: N rounds), and prints the replies and the final state
  top        sends the messages repeatedly and shows a live table: messages, ring depth, busy share, times;
             without a file, uses three small actors that send to each other
  inspect    prints the same table once, after `--count` rounds, with a histogram of times

messages
  5  0.5  true               for a Message of one field
  {1, 2.5, {3, 4}}           field by field, as structs for `quern run`
the actor
  --on DEVICE        cpu, cuda:1, part of a name …; default: the best (`quern devices` lists them)
  --shape SHAPE      what handles a message: thread (default), block, grid, parallel
  --threads N        threads per block;  --blocks N: blocks of the grid
  --engine ENGINE    persistent: a kernel that never returns; driven: one launch per batch; automatic
  --state VALUE      the initial state, as {1, 2}; default: zeros
  --buffer BUFFER    context.buffer<T>(0) and so on, at most 4: f32[1024]=0, @in.npy …, as for `quern run`
  --timers N         timers that a handler may set concurrently (0);  --slots N: slots of its rings
  KIND               the namespace that contains State, Message, Reply and on_message; several, as first,second:
                     actors in one kernel that send to each other; the first one gets the messages
  -I FOLDER, -D NAME[=VALUE]
amounts
  --calls N          calls of bench (100,000)
  --count N          rounds through the messages (run: 1, inspect: 1000)
  --seconds S        duration of top (10);  --every S: interval between two tables (0.5)
  --json             machine-readable output

examples:
  quern ring bench --on cpu
  quern ring run examples/ring/counter.cu 5 7 --on cpu
  quern ring run examples/ring/counter.cu 1 --count 100000
  quern ring top --seconds 5

exit code: 0 success, 1 a reply is wrong or a message failed, 2 invalid usage, 3 the actor, a message or the device
cannot be used
)";

constexpr std::string_view kNames[] = {"bench", "run", "top", "inspect"};

// The subcommands that an option applies to; options that describe an actor require its file.
struct Use {
  std::string_view option, names;
  bool is_of_file = false;
};
constexpr Use kUses[] = {{"--calls", "bench"},
                         {"--count", "run inspect"},
                         {"--seconds", "top"},
                         {"--every", "top"},
                         {"--shape", "run top inspect", true},
                         {"--threads", "run top inspect", true},
                         {"--blocks", "run top inspect", true},
                         {"--engine", "run top inspect", true},
                         {"--state", "run top inspect", true},
                         {"--buffer", "run top inspect", true},
                         {"--timers", "run top inspect", true},
                         {"--slots", "run top inspect", true},
                         {"-I", "run top inspect", true},
                         {"-D", "run top inspect", true}};

// An option that would be ignored, as a sentence; empty: none.
std::string misuse(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  for (const Use& use : kUses) {
    if (!arguments.has(use.option)) continue;
    const auto names = base::split(use.names, ' ');
    if (std::find(names.begin(), names.end(), words[0]) == names.end())
      return "ring " + words[0] + " does not support " + std::string(use.option);
    if (use.is_of_file && words.size() < 2) return std::string(use.option) + " requires a file with an actor";
  }
  return {};
}

base::Result<int> dispatch(const Arguments& arguments) {
  const std::string& name = arguments.operands()[0];
  const Device device = open(arguments.value("--on").value_or(""));
  if (name == "bench") return ring_bench(arguments, device);
  if (name == "run") return ring_run(arguments, device);
  return ring_watch(arguments, device, name == "top");
}

Outcome run_command(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  if (words.empty()) return fail(kUsage, message::kRingNeedsCommand());
  bool is_known = false;
  for (const std::string_view name : kNames) is_known |= words[0] == name;
  if (!is_known) {
    const auto near = base::nearest(words[0], kNames);
    return fail(kUsage,
                message::kUnknownSubcommand(words[0], near ? "'" + std::string(*near) + "'"
                                                           : std::string("bench, run, top or inspect")));
  }
  if (words[0] == "run" && words.size() < 2) return fail(kUsage, message::kRingNeedsFile());
  if (words[0] == "bench" && words.size() > 1)
    return fail(kUsage, message::kUnexpectedArgument(words[1], "see the options in `quern ring --help`"));
  if (const std::string why = misuse(arguments); !why.empty()) return fail(kUsage, message::kRingUsage(why));
  try {
    auto code = dispatch(arguments);
    if (code.ok()) return *code;
    return fail(code.error().kind() == base::ErrorKind::invalid_use ? kUsage : kBadInput, code.error());
  } catch (const Error& e) {
    std::fprintf(stderr, "quern: %s\n", e.what());
    return e.kind() == ErrorKind::kernel_fault ? kFailed : kBadInput;
  }
}

}  // namespace

constinit const Command kRingCommand = {"ring", "measure, run and watch ring kernels (actors)", kHelp,
                                        kOptions, run_command};

}  // namespace quern::tool
