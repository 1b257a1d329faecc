// Translates prepared IR to LLVM IR text for a processor with vector registers. The lanes of a vector are
// threads: bundle b of a block holds its threads b*W … b*W+W-1. Values that are uniform in a bundle stay
// scalar, indices with a constant stride between lanes stay scalar with that stride, the rest are vectors;
// divergent control flow runs under masks. A barrier ends a loop over the bundles, so a block runs on one
// thread. See docs/cpu.md. Needs LLVM 15 or newer.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "lang/ir/ir.hpp"

namespace quern::llvm {

// How the threads of a block are arranged in its bundles.
enum class Shape : uint8_t {
  kLine,     // one dimension: x increases, y and z are 0
  kRows,     // x is a multiple of the width: x increases within a bundle, y and z are uniform
  kGeneral,  // any
};

struct Options {
  uint32_t width = 4;  // lanes of a bundle: a power of two up to 64
  Shape shape = Shape::kLine;
  bool is_ragged = false;          // the last bundle may not be full
  bool has_masked_memory = false;  // the processor has masked loads, stores and gathers (AVX2, AVX-512)
  bool is_aarch64 = false;         // the processor's min and max instructions follow the language's rules
  bool has_fma = false;            // in one instruction
  bool has_byte_products = false;  // sums of four products of bytes (AVX-512 VNNI)
  bool is_quick = false;           // as little code as possible: nothing is duplicated for speed
  bool is_thread = false;     // one thread per call, as a fiber: barriers and waiting loops call the device
  bool has_comments = false;  // source lines as comments
  bool is_fused = false;      // products may be fused with sums
  bool is_fast = false;       // math functions may be less accurate than CUDA's bounds for exact ones
  bool has_lines = false;     // with a table of source lines, for debuggers and profilers
  bool marks_places = false;  // the context records which memory access was started last, for check mode
};

struct Code {
  std::string text;
  std::string entry;          // symbol of the BlockFunction
  uint64_t record_bytes = 0;  // of scratch memory per bundle
  bool is_abreast = false;    // runs faster with memory for several blocks: they are interleaved in its loops
  bool is_by_rows = false;    // rows of threads run through all blocks of a call
  bool is_better_alone =
      false;  // lanes exit a loop one by one and read from scattered addresses in it: width 1 runs faster
};

// `kernel` belongs to `module`, which must be prepared. Fails only on IR that the front end never produces.
base::Result<Code> emit(const ir::Module& module, const ir::Function& kernel, const Options& options);

// Requirements of a kernel on its execution.
struct Demand {
  bool warp = false;   // a bundle must be a warp: width 32
  bool waits = false;  // threads wait for each other in loops: each must make independent progress
  bool grid_barrier = false;
  bool clusters = false;     // blocks of a cluster wait for each other
  bool maps_shared = false;  // and see each other's shared memory
  bool sleeps = false;       // it waits for an external event, and may run for a long time
  // It waits only for memory: a bundle need not be larger than a cache line of its output, whose elements
  // have this many bytes. 0: it is not a streaming kernel.
  uint32_t stream_bytes = 0;
};
Demand demand(const ir::Function& kernel);

}  // namespace quern::llvm
