#include "driver/cpu/processor.hpp"

#include <sys/auxv.h>
#include <sys/sysinfo.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace quern::cpu {
namespace {

void add(std::string& features, const char* name) {
  if (!features.empty()) features += ',';
  features.append("+").append(name);
}

#if defined(__aarch64__)

// Bits of AT_HWCAP (asm/hwcap.h). SVE is not among them: bundles have a fixed width, for which NEON serves.
constexpr uint64_t kHwAtomics = 1u << 8, kHwHalf = 1u << 9, kHwHalfVectors = 1u << 10, kHwRdm = 1u << 12,
                   kHwDot = 1u << 20;

Processor detect() {
  Processor p;
  p.triple = "aarch64-unknown-linux-gnu";
  p.cpu = "generic";
  p.is_aarch64 = p.has_fma = true;
  const uint64_t has = ::getauxval(AT_HWCAP);
  p.features = "+neon,+fp-armv8";
  p.vectors = "NEON";
  if ((has & kHwAtomics) != 0) add(p.features, "lse");
  if ((has & kHwHalf) != 0 && (has & kHwHalfVectors) != 0) add(p.features, "fullfp16");
  if ((has & kHwRdm) != 0) add(p.features, "rdm");
  if ((has & kHwDot) != 0) add(p.features, "dotprod");
  return p;
}

#elif defined(__x86_64__)

Processor detect() {
  Processor p;
  p.triple = "x86_64-unknown-linux-gnu";
  p.cpu = "x86-64";
  __builtin_cpu_init();  // also asks what the operating system saves
#define QUERN_HAS(name) \
  if (__builtin_cpu_supports(name)) add(p.features, name)
  QUERN_HAS("sse3");
  QUERN_HAS("ssse3");
  QUERN_HAS("sse4.1");
  QUERN_HAS("sse4.2");
  QUERN_HAS("popcnt");
  QUERN_HAS("avx");
  QUERN_HAS("bmi");
  QUERN_HAS("bmi2");
  QUERN_HAS("fma");
  QUERN_HAS("avx2");
  QUERN_HAS("f16c");
  QUERN_HAS("avx512f");
  QUERN_HAS("avx512dq");
  QUERN_HAS("avx512bw");
  QUERN_HAS("avx512vl");
  QUERN_HAS("avx512cd");
#undef QUERN_HAS
  p.vectors = __builtin_cpu_supports("sse4.1") ? "SSE4" : "SSE2";
  if (__builtin_cpu_supports("avx2")) p.vectors = "AVX2", p.vector_bits = 256;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    p.vectors = "AVX-512";
    p.vector_bits = 512;
  }
  p.has_masked_memory = p.vector_bits >= 256;
  p.has_fma = __builtin_cpu_supports("fma");
  return p;
}

#else
#error "the cpu device knows aarch64 and x86_64"
#endif

}  // namespace

Processor host_processor() { return detect(); }

std::string host_name() {
  if (const auto text = base::read_file("/proc/cpuinfo"); text.ok()) {
    for (std::string_view line : base::split(*text, '\n')) {
      if (line.substr(0, 10) != "model name") continue;
      const size_t colon = line.find(':');
      if (colon != std::string_view::npos) return std::string(base::trim(line.substr(colon + 1)));
    }
  }
  return host_processor().is_aarch64 ? "ARM processor" : "x86 processor";
}

uint64_t host_memory() {
  struct sysinfo info {};
  return ::sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : 0;
}

uint64_t host_free_memory() {
  struct sysinfo info {};
  return ::sysinfo(&info) == 0 ? uint64_t{info.freeram + info.bufferram} * info.mem_unit : 0;
}

}  // namespace quern::cpu
