// The processor that code is made for, as the operating system lets it be used: a processor may name itself
// one that has more than the kernel offers, so nothing is concluded from names.
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
};

Processor host_processor();
// With no more than these: "neon"; "sse2", "sse4", "avx2", "avx512". kBadInput: the host does not have them.
base::Result<Processor> host_processor(std::string_view vectors);
// Any processor with these, to look at code for it; also "aarch64", "x86-64", "x86-64-v2" to "x86-64-v4".
// kInvalidUse: there is no such name.
base::Result<Processor> processor_with(std::string_view name);
std::string host_name();  // as a person calls it
uint64_t host_memory();
uint64_t host_last_cache();  // bytes of all its caches of the last level; 0: not known
uint64_t host_free_memory();

}  // namespace quern::cpu
