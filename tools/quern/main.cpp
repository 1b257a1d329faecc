// quern: the command line. Finds the command, reads its options, and runs it.
#include <cstdio>

#include "base/text.hpp"
#include "command.hpp"

namespace quern::tool {

namespace {

constexpr std::string_view kVersion = "0.1.0";

constexpr Arguments::Option kCheckOptions[] = {{"--json"},   {"--help"}, {"-h"},      {"-I", true},
                                               {"-D", true}, {"--all"},  {"--quiet"}, {"--targets", true}};
constexpr Arguments::Option kEmitOptions[] = {
    {"--target", true}, {"--help"}, {"-h"}, {"-I", true}, {"-D", true}, {"--no-prepare"}, {"--no-positions"}};
constexpr Arguments::Option kRunOptions[] = {{"--on", true},
                                             {"--grid", true},
                                             {"--block", true},
                                             {"--shared", true},
                                             {"--print", true},
                                             {"--save", true},
                                             {"--seed", true},
                                             {"--check", true},
                                             {"--repeat", true},
                                             {"--threads", true},
                                             {"--json"},
                                             {"--help"},
                                             {"-h"},
                                             {"-I", true},
                                             {"-D", true},
                                             {"--time-limit", true}};

constexpr std::string_view kCheckHelp = R"(usage: quern check PATH… [options]

Says for every kernel of the given files and folders whether each target takes it, and the first reason when not.
In a folder, every .cu file is checked; a file that others include is judged by how they include it, and headers
that an #include names are searched for in the whole folder.

  --all              list every kernel, not only those with a problem
  --quiet            only the totals
  --json             for machines: {"kernels": [{"file", "line", "kernel", "targets": {…}}], "errors": […]}
  --targets LIST     the targets to ask, separated by commas (now: ir)
  -I FOLDER          look for headers there too
  -D NAME[=VALUE]    define a macro

examples:
  quern check nbody.cu
  quern check ~/src/simulation -I ~/src/include --all

exit code: 0 all kernels pass, 1 some do not, 2 wrong usage, 3 nothing could be read
)";

constexpr std::string_view kEmitHelp = R"(usage: quern emit FILE[:KERNEL] [--target ir] [options]

Writes what a kernel (or every kernel of the file) becomes.

  --target ir        the typed, structured IR, as all devices start from it
  --no-prepare       as the front end makes it: calls not inlined, variables in memory
  --no-positions     without the places in your file
  -I FOLDER, -D NAME[=VALUE]

examples:
  quern emit examples/saxpy.cu
  quern emit 'reduce.cu:sum<float, 256>'
)";

constexpr std::string_view kRunHelp = R"(usage: quern run FILE[:KERNEL] ARG… [--on sim] [options]

Runs a kernel. One argument per parameter, in order:
  3  0.5  true                 a number, for scalars
  f32[1024]=0                  a buffer of 1024 floats, all 0; also i8 … u64, f16, f32, f64, and f32x2, f32x4, i32x3 …
  f32[1024]=iota               0, 1, 2, …
  f32[1024]=rand:7             random numbers from seed 7: floats in [0, 1), integers in [0, 100)
  f32[1024]                    memory nobody has written
  @in.npy  i32[64]=@raw.bin    from a file; .npy files carry their own type and shape
  {1, 2.5, {3, 4}}             a struct, field by field

  --on sim           the device: the simulator checks every access, race and barrier
  --grid X,Y,Z       blocks; not given: enough for the largest buffer
  --block X,Y,Z      threads in a block; not given: 256, or what __launch_bounds__ allows
  --threads N        so many threads in all, in one dimension
  --shared BYTES     dynamic shared memory
  --print NAME[a:b]  print that parameter's values afterwards (all buffers that the kernel may write: 8 values each)
  --save NAME=F.npy  write a buffer to a file afterwards
  --repeat N         run it N times
  --seed N           another interleaving of the threads
  --check LIST       also look for: overflow, shifts; or `none` to check nothing
  --time-limit S     give up after so many seconds

examples:
  quern run examples/saxpy.cu 1000 3.0 f32[1000]=iota f32[1000]=1
  quern run hist.cu:count i32[100]=rand:3 i32[8]=0 --on sim

exit code: 0 ran clean, 1 the simulator found something, 2 wrong usage, 3 the kernel or an argument cannot be used
)";

const Command kCommands[] = {
    {"check", "which kernels of files and folders every target takes", kCheckHelp, kCheckOptions, run_check},
    {"emit", "what a kernel becomes: IR", kEmitHelp, kEmitOptions, run_emit},
    {"run", "run a kernel with arguments from the command line", kRunHelp, kRunOptions, run_run},
    kDevicesCommand,
    kBackendsCommand,
    kProbeCommand,
    kDefaultCommand,
    kSummaryCommand,
};

void print_help(std::FILE* to) {
  std::fprintf(to, "quern: kernels in CUDA C++ on whatever hardware is there\n\nusage: quern COMMAND …\n\n");
  for (const Command& c : kCommands) {
    std::fprintf(to, "  %-8.*s %.*s\n", static_cast<int>(c.name.size()), c.name.data(),
                 static_cast<int>(c.summary.size()), c.summary.data());
  }
  std::fprintf(to, "\n`quern COMMAND --help` explains one with examples.\n");
}

int dispatch(std::span<const std::string_view> words) {
  if (words.empty()) {
    print_help(stderr);
    return kUsage;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_help(stdout);
    return kOk;
  }
  if (words[0] == "--version" || words[0] == "version") {
    std::printf("quern %.*s\n", static_cast<int>(kVersion.size()), kVersion.data());
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
    return c.run(*arguments);
  }
  std::vector<std::string_view> names;
  for (const Command& c : kCommands) names.push_back(c.name);
  const auto near = base::nearest(words[0], names);
  return fail(kUsage, "there is no command '" + std::string(words[0]) + "'",
              near ? "did you mean '" + std::string(*near) + "'?" : std::string("quern --help lists them"));
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

int fail(int code, const base::Error& error) {
  std::fprintf(stderr, "quern: %s\n", error.to_string().c_str());
  return code;
}

int fail(int code, std::string_view message, std::string_view hint) {
  std::fprintf(stderr, "quern: %.*s\n", static_cast<int>(message.size()), message.data());
  if (!hint.empty()) std::fprintf(stderr, "  hint: %.*s\n", static_cast<int>(hint.size()), hint.data());
  return code;
}

}  // namespace quern::tool

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  return quern::tool::dispatch(words);
}
