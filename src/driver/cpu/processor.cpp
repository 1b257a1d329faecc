#include "driver/cpu/processor.hpp"

#include <algorithm>

#include <sys/auxv.h>
#include <sys/sysinfo.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/file.hpp"
#include "base/text.hpp"
#include "driver/cpu/messages.hpp"

namespace quern::cpu {
namespace {

// LLVM's names of the levels, lowest first; each includes the levels before it.
struct Level {
  const char* name;
  const char* whole;  // name of a processor with all of them
  const char* shown;
  uint32_t bits;
  bool is_aarch64;
  std::string_view features;
};
constexpr Level kLevels[] = {
    {"neon", "aarch64", "NEON", 128, true, "neon,fp-armv8"},
    {"sse2", "x86-64", "SSE2", 128, false, ""},
    {"sse4", "x86-64-v2", "SSE4", 128, false, "sse3,ssse3,sse4.1,sse4.2,popcnt"},
    {"avx2", "x86-64-v3", "AVX2", 256, false, "avx,bmi,bmi2,fma,avx2,f16c"},
    {"avx512", "x86-64-v4", "AVX-512", 512, false, "avx512f,avx512dq,avx512bw,avx512vl,avx512cd"},
};

const Level* find_level(std::string_view name) {
  for (const Level& l : kLevels) {
    if (name == l.name) return &l;
  }
  return nullptr;
}

void add(std::string& features, std::string_view name) {
  if (!features.empty()) features += ',';
  features.append("+").append(name);
}

// The features up to the highest level for which `has` is true.
template <typename Has>
Processor processor_of(const Level& level, const Has& has) {
  Processor p;
  p.triple = level.is_aarch64 ? "aarch64-unknown-linux-gnu" : "x86_64-unknown-linux-gnu";
  p.cpu = level.is_aarch64 ? "generic" : "x86-64";
  p.vectors = level.shown;
  p.vector_bits = level.bits;
  p.is_aarch64 = p.has_fma = level.is_aarch64;
  for (const Level& l : kLevels) {
    if (l.is_aarch64 != level.is_aarch64) continue;
    for (const std::string_view f : base::split(l.features, ',')) {
      if (f.empty() || !has(f)) continue;
      add(p.features, f);
      p.has_fma = p.has_fma || f == "fma";
    }
    if (&l == &level) break;
  }
  p.has_masked_memory = level.bits >= 256;
  return p;
}

#if defined(__aarch64__)

// Bits of AT_HWCAP (asm/hwcap.h). Without SVE: bundles have a fixed width, for which NEON suffices.
constexpr uint64_t kHwAtomics = 1u << 8, kHwHalf = 1u << 9, kHwHalfVectors = 1u << 10, kHwRdm = 1u << 12,
                   kHwDot = 1u << 20;

const Level& host_level() { return *find_level("neon"); }

Processor detect(const Level& level) {
  Processor p = processor_of(level, [](std::string_view) { return true; });
  const uint64_t has = ::getauxval(AT_HWCAP);
  if ((has & kHwAtomics) != 0) add(p.features, "lse");
  if ((has & kHwHalf) != 0 && (has & kHwHalfVectors) != 0) add(p.features, "fullfp16");
  if ((has & kHwRdm) != 0) add(p.features, "rdm");
  if ((has & kHwDot) != 0) add(p.features, "dotprod");
  return p;
}

#elif defined(__x86_64__)

// Some compilers' `__builtin_cpu_supports` does not know the name. Its registers are those of AVX.
bool has_half_conversion() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx") != 0 && __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool has_feature(std::string_view name) {
  __builtin_cpu_init();  // also queries which registers the operating system saves
  if (name == "f16c") return has_half_conversion();
#define QUERN_HAS(feature) \
  if (name == (feature)) return __builtin_cpu_supports(feature) != 0
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
  QUERN_HAS("avx512f");
  QUERN_HAS("avx512dq");
  QUERN_HAS("avx512bw");
  QUERN_HAS("avx512vl");
  QUERN_HAS("avx512cd");
  QUERN_HAS("avx512vnni");
#undef QUERN_HAS
  return false;
}

const Level& host_level() {
  if (has_feature("avx512f") && has_feature("avx512vl")) return *find_level("avx512");
  if (has_feature("avx2")) return *find_level("avx2");
  return *find_level(has_feature("sse4.1") ? "sse4" : "sse2");
}

Processor detect(const Level& level) {
  Processor p = processor_of(level, has_feature);
  p.has_byte_products = level.bits == 512 && has_feature("avx512vnni");
  if (p.has_byte_products) add(p.features, "avx512vnni");
  return p;
}

#else
#error "the cpu device supports aarch64 and x86_64"
#endif

}  // namespace

Processor host_processor() { return detect(host_level()); }

base::Result<Processor> host_processor(std::string_view vectors) {
  const Level* requested = find_level(vectors);
  const Level& own = host_level();
  if (requested != nullptr && requested->is_aarch64 == own.is_aarch64 && requested <= &own)
    return detect(*requested);
  std::string names;
  for (const Level& l : kLevels) {
    if (l.is_aarch64 == own.is_aarch64 && &l <= &own) names.append(names.empty() ? "" : ", ").append(l.name);
  }
  return base::Error(base::ErrorKind::bad_input, message::kVectors(vectors, names));
}

base::Result<Processor> processor_with(std::string_view name) {
  const Level* found = find_level(name);
  std::string names;
  for (const Level& l : kLevels) {
    if (name == l.whole) found = &l;
    names.append(names.empty() ? "" : ", ").append(l.name).append(", ").append(l.whole);
  }
  if (found == nullptr)
    return base::Error(base::ErrorKind::invalid_use, message::kUnknownProcessor(name, names));
  return processor_of(*found, [](std::string_view) { return true; });
}

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

namespace {

// Bytes of "105K"; number of elements in "0-3,8".
uint64_t size_in(std::string_view text) {
  text = base::trim(text);
  const uint64_t unit = text.ends_with('K') ? 1 << 10 : text.ends_with('M') ? 1 << 20 : 1;
  if (unit != 1) text.remove_suffix(1);
  return base::parse_uint(text).value_or(0) * unit;
}
uint64_t count_in(std::string_view list) {
  uint64_t count = 0;
  for (const std::string_view part : base::split(base::trim(list), ',')) {
    const size_t dash = part.find('-');
    const uint64_t first = base::parse_uint(part.substr(0, dash)).value_or(0);
    const uint64_t last =
        dash == std::string_view::npos ? first : base::parse_uint(part.substr(dash + 1)).value_or(first);
    count += last - first + 1;
  }
  return count;
}

// The first core's cache, times the number of such groups of cores.
uint64_t read_last_cache() {
  const std::string cores = "/sys/devices/system/cpu/";
  uint64_t bytes = 0, sharing = 1;
  for (int i = 0;; ++i) {
    const std::string cache = cores + "cpu0/cache/index" + std::to_string(i) + "/";
    const auto size = base::read_file(cache + "size"), shared = base::read_file(cache + "shared_cpu_list");
    if (!size.ok() || !shared.ok()) break;
    bytes = size_in(*size), sharing = count_in(*shared);
  }
  const auto online = base::read_file(cores + "online");
  return online.ok() ? bytes * std::max<uint64_t>(1, count_in(*online) / sharing) : bytes;
}

}  // namespace

uint64_t host_last_cache() {
  static const uint64_t bytes = read_last_cache();
  return bytes;
}

uint64_t host_free_memory() {
  struct sysinfo info {};
  return ::sysinfo(&info) == 0 ? uint64_t{info.freeram + info.bufferram} * info.mem_unit : 0;
}

}  // namespace quern::cpu
