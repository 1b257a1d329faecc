// The processor that code is compiled for, as far as the operating system supports it. A processor's name may
// promise more features than the OS offers, so features are detected individually.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace quern::cpu {

struct Processor {
  std::string triple;    // "aarch64-unknown-linux-gnu"
  std::string cpu;       // LLVM's name for the baseline
  std::string features;  // "+neon,+lse"
  std::string vectors;   // "NEON", "AVX-512"
  uint32_t vector_bits = 128;
  bool is_aarch64 = false;
  bool has_masked_memory = false;
  bool has_fma = false;
  bool has_byte_products = false;  // AVX-512 VNNI
};

Processor host_processor();
// Limited to these features: "neon"; "sse2", "sse4", "avx2", "avx512". kBadInput: the host lacks them.
base::Result<Processor> host_processor(std::string_view vectors);
// Any processor with these features, to inspect code for it; also "aarch64", "x86-64", "x86-64-v2" to
// "x86-64-v4". kInvalidUse: unknown name.
base::Result<Processor> processor_with(std::string_view name);
std::string host_name();  // for people
uint64_t host_memory();
uint64_t host_last_cache();  // total size of the last-level caches in bytes; 0: not known
uint64_t host_free_memory();

}  // namespace quern::cpu
