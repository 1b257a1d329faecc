// Prepared IR to LLVM IR text for a processor with vector registers. The lanes of a vector are threads:
// bundle b of a block holds its threads b*W … b*W+W-1. Values that are the same for a bundle stay scalar,
// indices that grow by a constant from lane to lane stay scalar with a stride, the rest are vectors;
// divergent control flow runs under masks. A barrier ends a loop over the bundles, so a block runs on one
// thread. docs/cpu.md tells the whole of it. Needs LLVM 15 or newer.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "lang/ir/ir.hpp"

namespace quern::llvm {

// How the threads of a block lie in its bundles.
enum class Shape : uint8_t {
  kLine,     // one dimension: x counts, y and z are 0
  kRows,     // x is a multiple of the width: x counts within a bundle, y and z are the same
  kGeneral,  // any
};

struct Options {
  uint32_t width = 4;  // lanes of a bundle: a power of two up to 64
  Shape shape = Shape::kLine;
  bool is_ragged = false;          // the last bundle may not be full
  bool has_masked_memory = false;  // the processor has masked loads, stores and gathers (AVX2, AVX-512)
  bool is_aarch64 = false;         // the processor's own minimum and maximum follow the language's rule
  bool has_fma = false;            // in one instruction
  bool is_quick = false;           // as little code as possible: nothing is written twice to run faster
  bool is_thread = false;     // one thread per call, as a fiber: barriers and waiting loops call the device
  bool has_comments = false;  // source lines as comments
  bool is_fused = false;      // products may be fused with sums
  bool is_fast = false;       // math functions may be less accurate than CUDA's bounds for exact ones
  bool has_lines = false;     // with a table of source lines, for debuggers and profilers
  bool marks_places = false;  // the context tells which access to memory was begun last, for check mode
};

struct Code {
  std::string text;
  std::string entry;             // symbol of the BlockFunction
  uint64_t record_bytes = 0;     // of scratch memory per bundle
  bool is_abreast = false;       // runs faster with memory for several blocks: they take turns in its loops
  bool is_by_rows = false;       // rows of threads run through all blocks of a call
  bool is_better_alone = false;  // lanes leave a loop one by one and read anywhere in it: width 1 runs faster
};

// `kernel` belongs to `module`, which is prepared. Fails only on what the front end never makes.
base::Result<Code> emit(const ir::Module& module, const ir::Function& kernel, const Options& options);

// What a kernel asks of the way it is run.
struct Demand {
  bool warp = false;   // a bundle must be a warp: width 32
  bool waits = false;  // threads wait for each other in loops: each must run by itself
  bool grid_barrier = false;
  bool clusters = false;     // blocks of a cluster wait for each other
  bool maps_shared = false;  // and see each other's shared memory
  bool sleeps = false;       // it waits for somebody outside, and may run for long
  // Memory is all that it waits for: a bundle need be no more than a cache line of what it writes, of which
  // an element has so many bytes. 0: it is no stream.
  uint32_t stream_bytes = 0;
};
Demand demand(const ir::Function& kernel);

}  // namespace quern::llvm
