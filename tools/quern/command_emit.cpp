#include <cstdio>

#include "base/text.hpp"
#include "command.hpp"
#include "lang/ir/text.hpp"
#include "sources.hpp"

namespace quern::tool {

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

}  // namespace quern::tool
