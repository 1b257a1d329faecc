#include <algorithm>
#include <cstdio>

#include "base/file.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "constructs.hpp"
#include "filter.hpp"
#include "lang/ir/text.hpp"
#include "listings.hpp"
#include "sources.hpp"
#include "targets.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {
    {"--target", true}, {"-o", true},    {"--help"},        {"-h"},
    {"-I", true},       {"-D", true},    {"--no-include"},  {"--no-prepare"},
    {"--no-positions"}, {"--list"},      {"--arch", true},  {"--matrices", true},
    {"--math", true},   {"--cpu", true}, {"--block", true}, {"--bindings"}};
constexpr std::string_view kHelp = R"(usage: quern emit FILE[:KERNEL] [--target TARGET] [options]

Writes what a kernel (or every kernel of the file) becomes.

  --target ir        the typed, structured IR, as all devices start from it (if not given)
  --target opencl    OpenCL C
  --target cuda      CUDA C++
  --target hip       HIP C++
  --target ptx       PTX, what NVIDIA's driver takes without a compiler
  --target glsl      GLSL for OpenGL 4.3 and newer
  --target essl      GLSL ES for OpenGL ES 3.1 and newer
  --target msl       the Metal Shading Language
  --target spirv     SPIR-V for Vulkan: a binary with -o, else a listing (through spirv-dis where it is installed)
  --target spirv-kernel  SPIR-V for OpenCL and Level Zero
  --target wgsl      WGSL for WebGPU
  --target all       all of them, one behind the other
  --target cpu       the cpu's assembly, as LLVM makes it
  --target llvm      the LLVM IR that it is made of
  -o FILE            writes there; all kernels of a binary together
  --arch NAME        cuda, ptx: for that architecture (sm_75 if not given); glsl, essl, msl: the version of the
                     language, as '450 core', '310 es', 3.2
  --bindings         spirv: buffers are bound, as on devices without addresses; `quern run` takes such a file
  --matrices WHICH   none: wmma as plain code; units: for a device with units for all of them (if not given:
                     cuda and ptx those of the architecture, others none)
  --cpu NAME         cpu, llvm: for that processor: aarch64, x86-64, x86-64-v2 to -v4, or its vectors: neon, sse2,
                     sse4, avx2, avx512 (this machine's if not given)
  --block X,Y,Z      cpu, llvm: for blocks of that shape (256 if not given)
  --list             no kernel, but a table: what each target makes of what kernels are made of
  --math HOW         exact (if not given), fused or fast, as for `quern run`
  --no-prepare       as the front end makes it: calls not inlined, variables in memory
  --no-positions     without the places in your file
  --no-include       #include finds built-in headers only: for text from people you do not trust
  -I FOLDER, -D NAME[=VALUE]

examples:
  quern emit examples/saxpy.cu
  quern emit 'reduce.cu:sum<float, 256>'
  quern emit examples/saxpy.cu --target opencl
  quern emit examples/saxpy.cu --target cpu --cpu x86-64-v4

exit code: 0 done, 1 some kernels have errors or cannot be said in the target, 2 wrong usage, 3 nothing could be read
)";

using driver::CodeKind;

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// A module that people can read.
std::string listing(const std::string& bytes) {
  const auto text = run_filter({"spirv-dis", "--no-header", "-"}, bytes);
  return text.ok() && !text->empty()
             ? *text
             : "// " + std::to_string(bytes.size()) + " bytes; -o FILE writes them, spirv-dis lists them\n";
}

// Each kernel by itself, so that one that cannot be said does not take the others with it.
bool emit_text(const ir::Module& module, const std::string& file, const target::Options& options) {
  const CodeKind kind = options.kind;
  bool all = true;
  for (const ir::Function* f : module.functions) {
    if (!f->is_kernel) continue;
    auto code = emit_kernel(module, *f, file, options);
    all &= code.ok();
    print(code.ok() ? "// kernel " + f->name + "\n" +
                          (kind == CodeKind::kSpirv || kind == CodeKind::kSpirvKernel ? listing(code->bytes)
                                                                                      : code->bytes) +
                          "\n"
                    : "// " + code.error().message() + "\n\n");
  }
  return all;
}

// The whole file as one module, with what could be said in it.
Outcome write_module(const lang::Compilation& compiled, const std::string& file,
                     const target::Options& options, const std::string& to) {
  auto code = target::emit(std::make_shared<const ir::Module>(compiled.module.clone()), file, options);
  if (!code.ok()) return fail(kFailed, code.error());
  bool all = compiled.ok;
  for (const driver::KernelInfo& k : code->kernels) {
    if (k.refused.empty()) continue;
    all = false;
    std::fprintf(stderr, "%s\n", k.refused.c_str());
  }
  if (const auto written = base::write_file(to, code->bytes); !written.ok())
    return fail(kBadInput, written.error());
  return all ? kOk : kFailed;
}

// For the device that the user describes.
target::Options options_for(CodeKind kind, driver::Math math, const Arguments& arguments) {
  const std::string wanted = arguments.value("--arch").value_or("");
  target::Options options = usual_options(kind, takes_architecture(kind, wanted) ? wanted : "");
  options.line_marks = !arguments.has("--no-positions");
  options.math = math;
  if (arguments.has("--bindings") && kind == CodeKind::kSpirv)
    options.features.remove(driver::Feature::kAddresses);
  const std::string matrices = arguments.value("--matrices").value_or("");
  if (matrices == "none") options.matrices.clear();
  constexpr int kHasAll = 80;
  if (matrices == "units" && options.matrices.empty()) options.matrices = driver::matrices_of_sm(kHasAll);
  return options;
}

// What the cpu runs: no target that devices name.
Outcome emit_cpu(const lang::Compilation& compiled, const driver::Math math, const Arguments& arguments) {
  const auto text = cpu_listings(compiled.module, math, arguments);
  if (!text.ok())
    return fail(text.error().kind() == base::ErrorKind::kInvalidUse ? kUsage : kFailed, text.error());
  if (const auto to = arguments.value("-o")) {
    const auto written = base::write_file(std::string(*to), *text);
    if (!written.ok()) return fail(kBadInput, written.error());
  } else {
    print(*text);
  }
  return compiled.ok ? kOk : kFailed;
}

Outcome run_emit(const Arguments& arguments) {
  if (arguments.has("--list")) {
    print(construct_table());
    return kOk;
  }
  if (arguments.operands().size() != 1) {
    return fail(kUsage, "emit wants one FILE[:KERNEL]", "quern emit --help shows examples");
  }
  const std::string matrices = arguments.value("--matrices").value_or("none");
  if (matrices != "none" && matrices != "units")
    return fail(kUsage, "--matrices is none or units, '" + matrices + "' is given");
  const std::string target = arguments.value("--target").value_or("ir");
  const bool is_cpu = target == "cpu" || target == "llvm";
  auto kinds = parse_targets(is_cpu ? "ir" : target, "cpu, llvm");
  if (!kinds.ok()) return fail(kUsage, kinds.error());
  const std::string arch = arguments.value("--arch").value_or("");
  if (!arch.empty() && std::none_of(kinds->begin(), kinds->end(),
                                    [&](CodeKind kind) { return takes_architecture(kind, arch); }))
    return fail(kUsage, "--target " + target + " takes no --arch '" + arch + "'",
                "cuda and ptx: sm_90; glsl: '450 core'; essl: '310 es'; msl: 3.2");
  if (arguments.has("--bindings") &&
      std::find(kinds->begin(), kinds->end(), CodeKind::kSpirv) == kinds->end())
    return fail(kUsage, "--target " + target + " takes no --bindings", "spirv does");
  const auto math = parse_math(arguments.value("--math").value_or("exact"));
  if (!math.ok()) return fail(kUsage, math.error());
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
  if (is_cpu) return emit_cpu(*compiled, *math, arguments);
  bool all = compiled->ok;
  if (const auto to = arguments.value("-o")) {
    if (kinds->size() != 1 || kinds->front() == CodeKind::kIr)
      return fail(kUsage, "-o wants one --target that is no IR");
    return write_module(*compiled, path.file, options_for(kinds->front(), *math, arguments),
                        std::string(*to));
  }
  for (const CodeKind kind : *kinds) {
    if (kinds->size() > 1) print("======== " + std::string(driver::name(kind)) + "\n\n");
    if (kind == CodeKind::kIr) {
      print(ir::print(compiled->module, {.positions = !arguments.has("--no-positions")}));
    } else {
      all &= emit_text(compiled->module, path.file, options_for(kind, *math, arguments));
    }
  }
  return all ? kOk : kFailed;
}

}  // namespace

constinit const Command kEmitCommand = {"emit", "what a kernel becomes: IR, or the text for a device", kHelp,
                                        kOptions, run_emit};

}  // namespace quern::tool
