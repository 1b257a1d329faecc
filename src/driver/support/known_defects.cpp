#include "driver/support/known_defects.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace quern::driver {

namespace {

constexpr KnownDefect kTable[] = {
    {Defect::kLoopLimit,
     "loop-limit",
     "vulkan, opengl, gles, webgpu",
     "llvmpipe",
     "Mesa",
     kFirstVersion,
     {24, 3},
     "All loops of a thread together run at most 65,535 iterations. After that, every loop ends, regardless "
     "of its condition. Results are wrong, and no error is reported.",
     "Innermost loops are unrolled up to 8 times, which allows up to 524,280 iterations. A kernel that may "
     "exceed the limit checks at its end whether the driver ended a loop; if so, the launch fails. SPIR-V "
     "and GLSL written by the user are not checked.",
     "Mesa's LP_MAX_TGSI_LOOP_ITERATIONS, one counter for all loops of a shader; measured with 22.3.6. The "
     "source of 24.3 has it; that of 25.0.7 does not."},
    {Defect::kWidenedComparison, "widened-comparison", "vulkan, opengl, gles", "", "Mesa", kFirstVersion,
     kEveryLater,
     "Comparisons of 64-bit integers that were extended from 32 bits are wrong: `(long long)i < 0` is false "
     "for a negative `int i`.",
     "64-bit integers are computed as pairs of 32-bit words, and comparisons of extended numbers in 32 bits.",
     "Measured with 22.3 and 24.1."},
    {Defect::kLostFloatAtomics, "lost-float-atomics", "vulkan", "llvmpipe", "Mesa", kFirstVersion,
     kEveryLater, "Atomic additions of floats are lost while the machine is busy.",
     "Compare-and-swap is used instead.", "Measured with 22.3 (tests/cases/atomics.cu, add_float)."},
    {Defect::kZeroTimesNan, "zero-times-nan", "vulkan", "llvmpipe", "Mesa", kFirstVersion, kEveryLater,
     "The driver reports that it preserves NaN, but computes `x * 0` as 0 for every x.",
     "The mode is not requested, and such products are computed by code that does not depend on it.",
     "Measured with 22.3."},
    {Defect::kSharedRead, "shared-read", "opengl, gles", "llvmpipe", "Mesa", kFirstVersion, kEveryLater,
     "If two loops read the same read-only buffer, it is read only in the first one; threads that have left "
     "that loop get 0.",
     "Read-only buffers are declared volatile.",
     "Measured with 22.3 (tests/cases/foreign_found.cu, two_loops_to_one_end)."},
    {Defect::kProcessorName, "processor-name", "vulkan, opengl, gles, webgpu", "llvmpipe", "Mesa",
     kFirstVersion, kEveryLater,
     "Code is compiled for all instructions of the processor model. If the system does not provide all of "
     "them (SVE in some aarch64 virtual machines), kernels end the process with SIGILL.",
     "The device is not opened on such a machine.", "Measured with 22.3.6 on a Neoverse V1."},
    {Defect::kSlowBinaries, "slow-binaries", "opencl", "", "PoCL", kFirstVersion, kEveryLater,
     "A request for a program's binary compiles all of its kernels again.",
     "No binary is requested; PoCL's own cache is used.", "Measured with 3.1."},
    {Defect::kCompilerAborts,
     "compiler-aborts",
     "opencl",
     "",
     "PoCL",
     {5, 0},
     kEveryLater,
     "The compiler ends the process for some kernels: \"LLVM ERROR: Instruction Combining did not reach a "
     "fixpoint\", or a failed assertion.",
     "Kernels are compiled in a child process first, once for each block size; PoCL's cache keeps the "
     "result. A kernel whose compilation aborts is refused.",
     "Measured with 6.0 and LLVM 18 (tests/cases/cub_reduce_scan.cu, block_scan_keeps_order). PoCL runs "
     "LLVM's pass instcombine with the verification that is meant for LLVM's tests."},
    {Defect::kShiftedNegation,
     "shifted-negation",
     "cuda, opencl",
     "",
     "CUDA",
     {13, 0},
     kEveryLater,
     "`(-x >> n) + d` is computed as `d - (x >> n)` if x is the low word of a 64-bit integer, as is common "
     "for array indices.",
     "A shift by a constant whose operand may be a negation is computed as the high word of a product.",
     "ptxas 13.0 and 13.4 emit the instruction LEA.HI.SX32 with a negated operand for every architecture; "
     "12.9 does not. Random kernel 1520106 on an H200 (tests/cases/random_found.cu, shifted_negation)."},
    {Defect::kReservedShared, "reserved-shared", "opencl", "", "CUDA", kFirstVersion, kEveryLater,
     "A kernel with dynamic shared memory cannot have all of the shared memory that the driver reports: the "
     "launch fails with CL_OUT_OF_RESOURCES.",
     "16 bytes are counted as static shared memory of such a kernel.",
     "Measured with CUDA 13.0 on an H200: 49,136 of 49,152 bytes can be used."},
    {Defect::kBranchAfterBarrier, "branch-after-barrier", "opencl", "", "PoCL", kFirstVersion, kEveryLater,
     "If a barrier is followed by a branch whose condition was computed before it, all work-items of the "
     "group take the branch of the last one. Stores are missing, and no error is reported.",
     "An empty inline assembly statement separates them in code that Quern emits as OpenCL C. SPIR-V and "
     "OpenCL C written by the user do not have it.",
     "Measured with 3.1 (tests/cases/sync.cu, branch_after_barrier). The work-item loop does not contain a "
     "block that consists of a barrier and a branch."},
};

// The version that follows the product's name in a text.
std::optional<ProductVersion> version_in(std::string_view text, std::string_view product) {
  const size_t at = text.find(product);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + product.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" v"), rest.size()));
  const auto number = [&] {
    uint32_t value = 0;
    for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1))
      value = value * 10 + static_cast<uint32_t>(rest[0] - '0');
    return value;
  };
  ProductVersion version;
  version.major = number();
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    version.minor = number();
  }
  return version;
}

bool is_of_driver(const KnownDefect& d, const DeviceInfo& info) {
  for (std::string_view rest = d.drivers; !rest.empty();) {
    const size_t end = std::min(rest.find(", "), rest.size());
    if (rest.substr(0, end) == info.driver) return true;
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return false;
}

bool applies(const KnownDefect& d, const DeviceInfo& info) {
  if (!is_of_driver(d, info) || info.name.find(d.device) == std::string::npos) return false;
  auto version = version_in(info.driver_version, d.product);
  if (!version) version = version_in(info.api_version, d.product);
  if (version == ProductVersion{}) version = version_in(info.driver_version, "");
  return version && d.first <= *version && *version <= d.last;
}

}  // namespace

std::span<const KnownDefect> known_defects() { return kTable; }

std::vector<const KnownDefect*> defects_of(const DeviceInfo& info) {
  std::vector<const KnownDefect*> out;
  for (const KnownDefect& d : kTable) {
    if (applies(d, info)) out.push_back(&d);
  }
  return out;
}

bool has_defect(const DeviceInfo& info, Defect defect) {
  return std::any_of(std::begin(kTable), std::end(kTable),
                     [&](const KnownDefect& d) { return d.id == defect && applies(d, info); });
}

std::string versions_text(const KnownDefect& d) {
  const auto text = [](const ProductVersion& v) { return base::format("%u.%u", v.major, v.minor); };
  const std::string product(d.product);
  if (d.last == kEveryLater)
    return d.first == kFirstVersion ? product + ", all versions"
                                    : product + " " + text(d.first) + " and later";
  if (d.first == kFirstVersion) return product + " up to " + text(d.last);
  return product + " " + text(d.first) + " to " + text(d.last);
}

}  // namespace quern::driver
