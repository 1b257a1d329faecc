#include <cstdio>

#include "base/text.hpp"
#include "command.hpp"
#include "lang/ir/text.hpp"
#include "sources.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {
    {"--target", true}, {"--help"}, {"-h"}, {"-I", true}, {"-D", true}, {"--no-prepare"}, {"--no-positions"}};
constexpr std::string_view kHelp = R"(usage: quern emit FILE[:KERNEL] [--target ir] [options]

Writes what a kernel (or every kernel of the file) becomes.

  --target ir        the typed, structured IR, as all devices start from it
  --no-prepare       as the front end makes it: calls not inlined, variables in memory
  --no-positions     without the places in your file
  -I FOLDER, -D NAME[=VALUE]

examples:
  quern emit examples/saxpy.cu
  quern emit 'reduce.cu:sum<float, 256>'

exit code: 0 done, 1 some kernels have errors, 2 wrong usage, 3 nothing could be read
)";

int run_emit(const Arguments& arguments) {
  if (arguments.operands().size() != 1) {
    return fail(kUsage, "emit wants one FILE[:KERNEL]", "quern emit --help shows examples");
  }
  const std::string target = arguments.value("--target").value_or("ir");
  if (target != "ir") return fail(kUsage, "there is no target '" + target + "'", "the targets are: ir");
  const KernelPath path = split_kernel_path(arguments.operands()[0]);
  lang::CompileOptions options = compile_options(arguments);
  if (!path.kernel.empty()) options.kernels.push_back(path.kernel);
  options.prepare = !arguments.has("--no-prepare");
  auto compiled = compile_file(path.file, options);
  if (!compiled.ok()) return fail(kBadInput, compiled.error());
  std::fputs(compiled->rendered.c_str(), stderr);
  if (compiled->kernels.empty() && compiled->ok) {
    return fail(kBadInput, "there is no kernel in " + path.file, "a kernel is a function marked __global__");
  }
  const std::string text = ir::print(compiled->module, {.positions = !arguments.has("--no-positions")});
  std::fwrite(text.data(), 1, text.size(), stdout);
  return compiled->ok ? kOk : kFailed;
}

}  // namespace

constinit const Command kEmitCommand = {"emit", "what a kernel becomes: IR", kHelp, kOptions, run_emit};

}  // namespace quern::tool
