#include "base/variables.hpp"

#include <algorithm>
#include <mutex>

#include <unistd.h>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace quern::base {

namespace {

using Kind = Variable::Kind;

constexpr std::string_view kPrefix = "QUERN_";

constexpr Variable kVariables[] = {
    {"QUERN_DEVICE", Kind::kText, "the best",
     "the device of programs that name none: cuda, vulkan:1, gpu, 'cuda,policy=prefer' or a part of its "
     "name"},
    {"QUERN_DRIVERS", Kind::kText, "all", "the drivers that are looked at, with commas between"},
    {"QUERN_STRICT", Kind::kFlag, "off",
     "a device that is asked for and not here is an error, whatever the policy"},
    {"QUERN_SIM", Kind::kText, "off",
     "1, or options (seed=7): the simulator takes the place of every device"},
    {"QUERN_SCORE", Kind::kChoice, "table", "measured: what `quern probe --bench` measured counts",
     "table,measured", true},
    {"QUERN_MEMORY_LIMIT", Kind::kBytes, "none", "memory that a program takes of a device: 512MiB, 8GiB"},
    {"QUERN_LOG", Kind::kChoice, "warning", "how much is told on standard error",
     "off,error,warning,info,debug,trace"},
    {"QUERN_CACHE", Kind::kText, "~/.cache/quern", "the folder of compiled code; off: none is kept"},
    {"QUERN_CACHE_LIMIT", Kind::kNumber, "1024", "MiB that the folder of compiled code may hold", {}, true},
    {"QUERN_MATH", Kind::kChoice, "exact", "what floating-point arithmetic may do", "exact,fused,fast"},
    {"QUERN_SYNC", Kind::kFlag, "off", "every launch is waited for, so that an error names its kernel"},
    {"QUERN_CHECK", Kind::kFlag, "off", "kernels tell accesses outside of buffers, and failed asserts"},
    {"QUERN_TIME_LIMIT", Kind::kSeconds, "none", "seconds that a call may take; then the device is given up"},
    {"QUERN_CHECKED", Kind::kFlag, "off", "every call of a driver is held to the rules"},
    {"QUERN_FAULTS", Kind::kText, "none", "calls that fail on purpose: launch:3=lost,allocate:0=memory"},
    {"QUERN_RECORD", Kind::kText, "none",
     "a file for every call of the program, which `quern replay` makes again"},
    {"QUERN_TRACE", Kind::kText, "none", "a file for what the program runs and when, which Perfetto opens"},
    {"QUERN_PROFILE_ALL",
     Kind::kFlag,
     "off",
     "profiles measure every command; else one in sixteen of those that are short",
     {},
     true},
    {"QUERN_STATUS", Kind::kText, "none",
     "a file in which the program keeps how it stands, for `quern status FILE`"},
    {"QUERN_ERRORS",
     Kind::kFlag,
     "on",
     "the last errors of programs are kept in the cache folder, for `quern status`",
     {},
     true},
    {"QUERN_CPU_THREADS", Kind::kNumber, "one per core", "cpu: threads that run kernels", {}, false, 1, 1024},
    {"QUERN_CPU_WIDTH", Kind::kChoice, "16", "cpu: threads of a kernel in one vector", "1,2,4,8,16,32,64"},
    {"QUERN_CPU_VECTORS", Kind::kText, "all there are", "cpu: neon, or sse2, sse4, avx2, avx512 at most"},
    {"QUERN_CPU_EFFORT", Kind::kChoice, "auto", "cpu: quick code first, full code behind it, or one of them",
     "auto,quick,full"},
    {"QUERN_CPU_CACHE", Kind::kNumber, "what there is",
     "cpu: bytes of the last cache; launches that write as much go past it, none with 0"},
    {"QUERN_CPU_DEBUG", Kind::kFlag, "off", "cpu: kernels have names and lines for gdb and perf"},
    {"QUERN_CPU_DUMP", Kind::kText, "none", "cpu: a folder for the code of every kernel"},
    {"QUERN_LLVM", Kind::kText, "the newest", "cpu: the LLVM library", {}, false, 0, 0, "cpu"},
    {"QUERN_LLVM_PASSES", Kind::kText, "ours", "cpu: LLVM's passes"},
    {"QUERN_CUDA_LIBRARY",
     Kind::kText,
     "libcuda.so.1",
     "cuda: the driver's library",
     {},
     false,
     0,
     0,
     "cuda"},
    {"QUERN_NVRTC", Kind::kText, "found", "cuda: the compiler's library; none: kernels become PTX of ours"},
    {"QUERN_HIP_LIBRARY", Kind::kText, "libamdhip64.so", "hip: the driver's library", {}, false, 0, 0, "hip"},
    {"QUERN_HIPRTC", Kind::kText, "found", "hip: the compiler's library"},
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
    {"QUERN_VULKAN_BINDINGS", Kind::kFlag, "off", "vulkan: buffers are bound even where they have addresses"},
    {"QUERN_VULKAN_WORDS", Kind::kFlag, "off", "vulkan: numbers of 8 and 16 bits are reached by words"},
    {"QUERN_VULKAN_COPIES", Kind::kFlag, "off", "vulkan: large copies take a second queue's way everywhere"},
    {"QUERN_WEBGPU_LIBRARY",
     Kind::kText,
     "libwgpu_native.so",
     "webgpu: the library that exports webgpu.h",
     {},
     false,
     0,
     0,
     "webgpu"},
    {"QUERN_VALIDATE", Kind::kFlag, "off", "vulkan: the validation layers look on"},
};

const Variable* find(std::string_view name) {
  const auto* const at = std::find_if(std::begin(kVariables), std::end(kVariables),
                                      [&](const Variable& v) { return v.name == name; });
  return at == std::end(kVariables) ? nullptr : at;
}

Error not_allowed(const Variable& v, const std::string& allowed) {
  return {ErrorKind::kBadInput, format("the environment variable %s is '%s'; it can be %s", v.name,
                                       env_text(v.name).value_or("").c_str(), allowed.c_str())};
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
  const std::string guess = nearest.empty() ? "`quern env` lists ours" : "is " + nearest + " meant?";
  return "nothing reads the environment variable " + name + ": " + guess;
}

std::vector<Misspelt> misspelt_variables() {
  std::vector<std::string_view> known;
  for (const Variable& v : kVariables) known.emplace_back(v.name);
  std::vector<Misspelt> out;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
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
