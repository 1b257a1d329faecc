// quern ring: actors that live on a device, measured, run from a file, and watched.
#include <algorithm>
#include <cstdio>

#include "base/text.hpp"
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

A ring kernel is an actor on a device: a state, and a handler that is called with one message after the other. Where the
device can keep a kernel running, a message costs neither a launch nor a copy. An actor is a file like this:

  struct State { long total; };
  struct Message { int add; };
  using Reply = long;
  __device__ Reply on_message(State& state, const Message& message, quern::ring::Context& context) {
    return state.total += message.add;
  }

  bench      how long a call takes and how many messages a second get through, each answer checked; and the same job by
             launches
  run        spawns the actor, sends each MESSAGE (`--count N`: N times over), prints the replies and the last state
  top        sends the messages again and again and shows a live table: messages, depth of the ring, busy share, times;
             without a file three small actors that send to each other
  inspect    the same once, after `--count` rounds, with the histogram of times

messages
  5  0.5  true               for a Message of one field
  {1, 2.5, {3, 4}}           field by field, as `quern run` takes structs
the actor
  --on DEVICE        cpu, cuda:1, a part of a name …; not given: the best (`quern devices` lists them)
  --shape SHAPE      who handles a message: thread (if not given), block, grid, parallel
  --threads N        of a block;  --blocks N: of the grid
  --engine ENGINE    persistent: a kernel that never returns; driven: a launch for each batch; automatic
  --state VALUE      what the state is at the beginning, as {1, 2}; not given: zeros
  --buffer BUFFER    context.buffer<T>(0) and so on, at most 4: f32[1024]=0, @in.npy …, as `quern run` takes them
  --timers N         that a handler may have set at once (0);  --slots N: of its rings
  KIND               the namespace that State, Message, Reply and on_message stand in; several, as first,second: actors
                     in one kernel that send to each other, of which the first gets the messages
  -I FOLDER, -D NAME[=VALUE]
how much
  --calls N          of bench (100,000)
  --count N          rounds through the messages (run: 1, inspect: 1000)
  --seconds S        how long top runs (10);  --every S: between two tables (0.5)
  --json             for machines

examples:
  quern ring bench --on cpu
  quern ring run examples/ring/counter.cu 5 7 --on cpu
  quern ring run examples/ring/counter.cu 1 --count 100000
  quern ring top --seconds 5

exit code: 0 done, 1 an answer is wrong or a message failed, 2 wrong usage, 3 the actor, a message or the device cannot
be used
)";

constexpr std::string_view kNames[] = {"bench", "run", "top", "inspect"};

// Whom an option is for; what describes an actor needs its file.
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

// What would be passed over, in a sentence; empty: nothing.
std::string misuse(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  for (const Use& use : kUses) {
    if (!arguments.has(use.option)) continue;
    const auto names = base::split(use.names, ' ');
    if (std::find(names.begin(), names.end(), words[0]) == names.end())
      return "ring " + words[0] + " has no " + std::string(use.option);
    if (use.is_of_file && words.size() < 2)
      return std::string(use.option) + " is about an actor of a file, and none is given";
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
  if (words.empty())
    return fail(kUsage, "ring wants one of bench, run, top and inspect", "quern ring --help shows examples");
  bool is_known = false;
  for (const std::string_view name : kNames) is_known |= words[0] == name;
  if (!is_known) {
    const auto near = base::nearest(words[0], kNames);
    return fail(kUsage, "ring has no '" + words[0] + "'; it has bench, run, top and inspect",
                near ? "did you mean '" + std::string(*near) + "'?" : "");
  }
  if (words[0] == "run" && words.size() < 2)
    return fail(kUsage, "ring run wants a file with an actor, and messages",
                "quern ring --help shows examples");
  if (words[0] == "bench" && words.size() > 1)
    return fail(kUsage, "ring bench takes no '" + words[1] + "'", "quern ring --help shows its options");
  if (const std::string why = misuse(arguments); !why.empty())
    return fail(kUsage, why, "quern ring --help shows its options");
  try {
    auto code = dispatch(arguments);
    if (code.ok()) return *code;
    return fail(code.error().kind() == base::ErrorKind::kInvalidUse ? kUsage : kBadInput, code.error());
  } catch (const Error& e) {
    std::fprintf(stderr, "quern: %s\n", e.what());
    return e.kind() == ErrorKind::kernel_fault ? kFailed : kBadInput;
  }
}

}  // namespace

constinit const Command kRingCommand = {"ring", "actors that live on a device: measured, run, watched", kHelp,
                                        kOptions, run_command};

}  // namespace quern::tool
