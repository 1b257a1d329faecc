#include "base/variables.hpp"

#include <algorithm>
#include <mutex>

#if defined(__APPLE__)
#include <crt_externs.h>
#else
#include <unistd.h>
#endif

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/messages.hpp"
#include "base/text.hpp"

namespace quern::base {

namespace {

using Kind = Variable::Kind;

constexpr std::string_view kPrefix = "QUERN_";

constexpr Variable kVariables[] = {
    {"QUERN_DEVICE", Kind::kText, "the best",
     "default device of programs: cuda, vulkan:1, gpu, 'cuda,policy=prefer' or a part of its "
     "name"},
    {"QUERN_DRIVERS", Kind::kText, "all", "drivers to use, separated by commas"},
    {"QUERN_STRICT", Kind::kFlag, "off", "a missing requested device is an error, whatever the policy"},
    {"QUERN_SIM", Kind::kText, "off", "1, or options (seed=7): use the simulator instead of every device"},
    {"QUERN_SCORE", Kind::kChoice, "table", "measured: use the results of `quern probe --bench`",
     "table,measured", true},
    {"QUERN_MEMORY_LIMIT", Kind::kBytes, "none", "limit on the device memory of a program: 512MiB, 8GiB"},
    {"QUERN_LOG", Kind::kChoice, "warning", "level of the log on standard error",
     "off,error,warning,info,debug,trace"},
    {"QUERN_CACHE", Kind::kText, "~/.cache/quern", "folder for compiled code; off: no cache"},
    {"QUERN_CACHE_LIMIT",
     Kind::kNumber,
     "1024",
     "size limit of the folder for compiled code, in MiB",
     {},
     true},
    {"QUERN_TUNE", Kind::kChoice, "cached",
     "variants of kernels: the default ones, those that `quern tune` measured, or measure when needed",
     "off,cached,on", true},
    {"QUERN_VENDOR_LIBRARIES", Kind::kText, "on",
     "vendors' libraries as candidates of the tuner: on, off, or the folder with the libraries"},
    {"QUERN_MATH", Kind::kChoice, "exact", "floating-point mode", "exact,fused,fast"},
    {"QUERN_SYNC", Kind::kFlag, "off", "wait for every launch, so that errors name the kernel"},
    {"QUERN_CHECK", Kind::kFlag, "off", "kernels report out-of-bounds accesses and failed asserts"},
    {"QUERN_TIME_LIMIT", Kind::kSeconds, "none",
     "time limit of a call in seconds; then the device is marked lost"},
    {"QUERN_CHECKED", Kind::kFlag, "off", "check every driver call against the rules of the interface"},
    {"QUERN_FAULTS", Kind::kText, "none", "inject faults: launch:3=lost,allocate:0=memory"},
    {"QUERN_RECORD", Kind::kText, "none", "file to record every call to, for `quern replay`"},
    {"QUERN_TRACE", Kind::kText, "none", "file for a trace of the program, for Perfetto"},
    {"QUERN_PROFILE_ALL",
     Kind::kFlag,
     "off",
     "profiles measure every command; else one in sixteen short ones",
     {},
     true},
    {"QUERN_TRACE_TELEMETRY", Kind::kSeconds, "off",
     "traces contain the devices' telemetry, read at this interval in seconds"},
    {"QUERN_STATUS", Kind::kText, "none", "file for the program's status, for `quern status FILE`"},
    {"QUERN_ERRORS",
     Kind::kFlag,
     "on",
     "keep the last errors in the cache folder, for `quern status`",
     {},
     true},
    {"QUERN_MPI", Kind::kText, "the one that started the program",
     "MPI implementation of comm::mpi: openmpi, mpich, or the path of a component"},
    {"QUERN_MPI_GPU", Kind::kFlag, "as MPI reports",
     "whether MPI can access device memory, if it does not report it"},
    {"QUERN_COMM_TRANSPORT", Kind::kChoice, "the fastest", "transport of comm::mpi",
     "staged,gpu_aware_mpi,ipc,nccl"},
    {"QUERN_NCCL_LIBRARY", Kind::kText, "libnccl.so.2 or librccl.so.1", "the library of the transport nccl"},
    {"QUERN_CPU_THREADS",
     Kind::kNumber,
     "one per core",
     "cpu: number of threads that run kernels",
     {},
     false,
     1,
     1024},
    {"QUERN_CPU_WIDTH", Kind::kChoice, "16", "cpu: kernel threads per vector", "1,2,4,8,16,32,64"},
    {"QUERN_CPU_VECTORS", Kind::kText, "all available",
     "cpu: highest instruction set: neon; sse2, sse4, avx2, avx512"},
    {"QUERN_CPU_EFFORT", Kind::kChoice, "auto",
     "cpu: optimization effort; auto: quick code first, then full code", "auto,quick,full"},
    {"QUERN_CPU_CACHE", Kind::kNumber, "detected",
     "cpu: size of the last-level cache in bytes; larger writes bypass it; 0: never"},
    {"QUERN_CPU_DEBUG", Kind::kFlag, "off", "cpu: names and line tables of kernels for gdb and perf"},
    {"QUERN_CPU_DUMP", Kind::kText, "none", "cpu: folder to write the code of every kernel to"},
    {"QUERN_LLVM", Kind::kText, "newest", "cpu: the LLVM library", {}, false, 0, 0, "cpu"},
    {"QUERN_LLVM_PASSES", Kind::kText, "built-in", "cpu: LLVM's pass pipeline"},
    {"QUERN_CUDA_LIBRARY",
     Kind::kText,
     "libcuda.so.1",
     "cuda: the driver's library",
     {},
     false,
     0,
     0,
     "cuda"},
    {"QUERN_NVRTC", Kind::kText, "found", "cuda: the NVRTC library; none: kernels are emitted as PTX"},
    {"QUERN_HIP_LIBRARY", Kind::kText, "libamdhip64.so", "hip: the driver's library", {}, false, 0, 0, "hip"},
    {"QUERN_HIPRTC", Kind::kText, "found", "hip: the hiprtc library"},
    {"QUERN_LEVEL_ZERO_LIBRARY",
     Kind::kText,
     "libze_loader.so.1",
     "level_zero: the loader, or one implementation",
     {},
     false,
     0,
     0,
     "level_zero"},
    {"QUERN_METAL_LIBRARY",
     Kind::kText,
     "Metal.framework and libobjc",
     "metal: one library with the functions of both",
     {},
     false,
     0,
     0,
     "metal"},
    {"QUERN_OPENCL_LIBRARY",
     Kind::kText,
     "libOpenCL.so.1",
     "opencl: the loader, or one implementation",
     {},
     false,
     0,
     0,
     "opencl"},
    {"QUERN_VULKAN",
     Kind::kText,
     "libvulkan.so.1",
     "vulkan: the loader, or one driver",
     {},
     false,
     0,
     0,
     "vulkan"},
    {"QUERN_VULKAN_BINDINGS", Kind::kFlag, "off", "vulkan: bind buffers even if the device has addresses"},
    {"QUERN_VULKAN_WORDS", Kind::kFlag, "off", "vulkan: access 8-bit and 16-bit values through 32-bit words"},
    {"QUERN_VULKAN_COPIES", Kind::kFlag, "off", "vulkan: always use the transfer queue for large copies"},
    {"QUERN_WEBGPU_LIBRARY",
     Kind::kText,
     "libwgpu_native.so",
     "webgpu: the library that exports webgpu.h",
     {},
     false,
     0,
     0,
     "webgpu"},
    {"QUERN_NVML_LIBRARY", Kind::kText, "libnvidia-ml.so.1", "telemetry of NVIDIA GPUs: the NVML library"},
    {"QUERN_ROCM_SMI_LIBRARY", Kind::kText, "librocm_smi64.so",
     "telemetry of AMD GPUs: the ROCm SMI library"},
    {"QUERN_VALIDATE", Kind::kFlag, "off", "vulkan: enable the validation layer"},
};

const Variable* find(std::string_view name) {
  const auto* const at = std::find_if(std::begin(kVariables), std::end(kVariables),
                                      [&](const Variable& v) { return v.name == name; });
  return at == std::end(kVariables) ? nullptr : at;
}

Error not_allowed(const Variable& v, const std::string& allowed) {
  return {ErrorKind::bad_input, message::kVariableValue(v.name, env_text(v.name).value_or(""), allowed)};
}

Result<void> check_number(const Variable& v) {
  const auto number = env_uint(v.name, v.least);
  if (number.ok() && *number >= v.least && *number <= v.most) return {};
  if (v.most == ~std::uint64_t{0}) return number.error();
  return not_allowed(v, format("a whole number from %llu to %llu", static_cast<unsigned long long>(v.least),
                               static_cast<unsigned long long>(v.most)));
}

Result<void> check_seconds(const Variable& v) {
  const auto value = env_text(v.name);
  const auto seconds = parse_double(value.value_or("1"));
  if (seconds && *seconds > 0) return {};
  return not_allowed(v, "a number of seconds above 0");
}

}  // namespace

std::span<const Variable> variables() { return kVariables; }

Result<void> check_variables() {
  for (const Variable& v : kVariables) {
    if (!v.is_forgiving) QUERN_TRY(check(v));
  }
  return {};
}

Result<void> check(const Variable& v) {
  switch (v.kind) {
    case Kind::kText: break;
    case Kind::kFlag: QUERN_TRY(env_flag(v.name, false)); break;
    case Kind::kNumber: return check_number(v);
    case Kind::kSeconds: return check_seconds(v);
    case Kind::kBytes: QUERN_TRY(env_bytes(v.name, 0)); break;
    case Kind::kChoice: {
      const std::vector<std::string_view> choices = split(v.choices, ',');
      QUERN_TRY(env_choice(v.name, choices, 0));
      break;
    }
  }
  return {};
}

std::string Misspelt::sentence() const {
  const std::string guess =
      nearest.empty() ? "run `quern env` for the list" : "did you mean " + nearest + "?";
  return "unknown environment variable " + name + ": " + guess;
}

// A library of macOS cannot link `environ`.
static char** environment() {
#if defined(__APPLE__)
  return *::_NSGetEnviron();
#else
  return environ;
#endif
}

std::vector<Misspelt> misspelt_variables() {
  std::vector<std::string_view> known;
  for (const Variable& v : kVariables) known.emplace_back(v.name);
  std::vector<Misspelt> out;
  for (char** at = environment(); at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kPrefix) || find(name) != nullptr) continue;
    out.push_back({std::string(name), std::string(nearest(name, known).value_or(""))});
  }
  std::sort(out.begin(), out.end(), [](const Misspelt& a, const Misspelt& b) { return a.name < b.name; });
  return out;
}

void warn_of_variables() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const Misspelt& m : misspelt_variables()) {
      if (!m.nearest.empty()) log(LogLevel::kWarning, "%s", m.sentence().c_str());
    }
    for (const Variable& v : kVariables) {
      if (!v.is_forgiving) continue;
      if (const auto is_right = check(v); !is_right.ok())
        log(LogLevel::kWarning, "%s", is_right.error().message().c_str());
    }
  });
}

}  // namespace quern::base
