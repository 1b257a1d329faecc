// The contract between generated code and the device that runs it: the context of a block, the layout of
// arguments, and the functions that code may call. A change here must change kAbiVersion: objects are cached
// on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::llvm {

inline constexpr uint32_t kAbiVersion = 6;

inline constexpr uint32_t kCacheLine = 64;  // bytes

// For BlockContext::past_mask: no address has these bits as 0; and the mask of cache lines.
inline constexpr uint64_t kNeverPast = ~uint64_t{0}, kLinesPast = kCacheLine - 1;

// One per row of blocks that one call runs in sequence. Generated code reads it by offset (verified by the
// static_asserts below).
struct BlockContext {
  const std::byte* arguments = nullptr;
  std::byte* shared = nullptr;
  std::byte* scratch = nullptr;              // a record per bundle, see Code::record_bytes
  const uint32_t* thread_indices = nullptr;  // x of all threads, then y, then z; kThreadTable apart
  void* launch = nullptr;                    // for the helpers
  void* fiber = nullptr;                     // for the helpers
  uint32_t grid[3] = {};
  uint32_t block[3] = {};
  uint32_t block_id[3] = {};  // of the first
  uint32_t threads = 0;       // of the block
  uint32_t first_bundle = 0;  // of those that this call runs
  uint32_t end_bundle = 0;
  uint32_t dynamic_shared = 0;
  uint32_t shared_bytes = 0;  // all of it
  uint32_t end_block = 0;     // in x
  uint32_t at_block = 0;      // in x; set before qn_fault is called
  uint32_t cluster[3] = {1, 1, 1};
  uint32_t abreast = 1;  // the number of blocks that have shared memory and scratch, see Code::is_abreast
  uint32_t shared_stride = 0;       // distance between them in bytes
  uint64_t at_place = 0;            // see Options::marks_places and place_of
  uint64_t past_mask = kNeverPast;  // address bits that must be 0 for stores that bypass the caches
};

// Bytes before and after shared memory that a row of lanes may cover, some of which are inactive.
inline constexpr uint64_t kSharedMargin = 512;

// The maximum number of interleaved blocks, see Code::is_abreast.
inline constexpr uint32_t kMostAbreast = 64;

inline constexpr uint32_t kThreadTable = 1024 + 64;

enum ContextOffset : uint32_t {
  kAtArguments = 0,
  kAtShared = 8,
  kAtScratch = 16,
  kAtThreadIndices = 24,
  kAtGrid = 48,
  kAtBlock = 60,
  kAtBlockId = 72,
  kAtThreads = 84,
  kAtFirstBundle = 88,
  kAtEndBundle = 92,
  kAtDynamicShared = 96,
  kAtSharedBytes = 100,
  kAtEndBlock = 104,
  kAtThisBlock = 108,
  kAtCluster = 112,
  kAtAbreast = 124,
  kAtSharedStride = 128,
  kAtPlace = 136,
  kAtPastMask = 144,
};
static_assert(offsetof(BlockContext, thread_indices) == kAtThreadIndices);
static_assert(offsetof(BlockContext, grid) == kAtGrid && offsetof(BlockContext, block_id) == kAtBlockId);
static_assert(offsetof(BlockContext, shared_bytes) == kAtSharedBytes);
static_assert(offsetof(BlockContext, end_block) == kAtEndBlock &&
              offsetof(BlockContext, at_block) == kAtThisBlock);
static_assert(offsetof(BlockContext, cluster) == kAtCluster);
static_assert(offsetof(BlockContext, abreast) == kAtAbreast &&
              offsetof(BlockContext, shared_stride) == kAtSharedStride);
static_assert(offsetof(BlockContext, at_place) == kAtPlace);
static_assert(offsetof(BlockContext, past_mask) == kAtPastMask);

// A source position as a nonzero number.
constexpr uint64_t place_of(const ir::Pos& pos) {
  return uint64_t{pos.file} << 48 | uint64_t{pos.line} << 16 | uint64_t{pos.column & 0xffffu};
}
constexpr uint16_t file_of(uint64_t place) { return static_cast<uint16_t>(place >> 48); }
constexpr uint32_t line_of(uint64_t place) { return static_cast<uint32_t>(place >> 16); }
constexpr uint32_t column_of(uint64_t place) { return static_cast<uint32_t>(place & 0xffffu); }

using BlockFunction = void (*)(BlockContext*);

// Functions that generated code calls: name, and type in LLVM's syntax. The device defines them.
//  - qn_math: a math function in double. qn_eval: any pure operation on bits; see pack_eval.
//  - qn_atomic: read-modify-write operations that the processor lacks; kind | rmw << 8.
//  - qn_fault: assert, trap, divergent barrier or warp operation at a site; the block ends after it.
//  - qn_barrier, qn_yield, qn_warp: only in code for one thread, which is then a fiber.
#define QUERN_LLVM_HELPERS(X)                                                                         \
  X(qn_math, "double (i32, double, double)")                                                          \
  X(qn_eval, "i64 (i64, i64, i64, i64)")                                                              \
  X(qn_atomic, "i64 (ptr, i64, i32)")                                                                 \
  X(qn_print, "void (ptr, i32, i32, ptr)") /* context, site, thread, arguments */                     \
  X(qn_fault, "void (ptr, i32, i32)")      /* context, site, thread */                                \
  X(qn_clock, "i64 ()")                                                                               \
  X(qn_timer, "i64 ()")                                                                               \
  X(qn_sleep, "void (i32)")                                                                           \
  X(qn_match, "i32 (ptr, i32, i32, i64)") /* values, group, all, value */                             \
  X(qn_barrier, "i32 (ptr, i32, i32)")    /* context, site, predicate: how many were true, and not */ \
  X(qn_grid_barrier, "void (ptr)")                                                                    \
  X(qn_cluster_barrier, "void (ptr)")                                                                 \
  X(qn_map_shared, "ptr (ptr, ptr, i32)") /* context, own address, rank of the block */               \
  X(qn_yield, "void (ptr)")                                                                           \
  X(qn_warp, "ptr (ptr, i32, i32, i64)") /* context, kind, mask, value: the lanes' values, group behind */

// The first argument of qn_eval.
constexpr uint64_t pack_eval(ir::Op op, ir::TypeKind result, ir::TypeKind operand, ir::TypeKind second,
                             ir::Rounding round) {
  return static_cast<uint64_t>(op) | static_cast<uint64_t>(result) << 8 |
         static_cast<uint64_t>(operand) << 16 | static_cast<uint64_t>(second) << 24 |
         static_cast<uint64_t>(round) << 32;
}

// Shuffles, votes, matches, reductions, and the barrier of a warp: lanes wait for each other there.
bool is_warp_op(ir::Op op);

// A site that a helper must be able to identify: printf, assert, trap, barrier, warp operation. Numbered in
// program order.
std::vector<const ir::Inst*> sites(const ir::Function& kernel);

struct ArgumentLayout {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
};
ArgumentLayout argument_layout(const ir::Function& kernel);

// The offsets of a kernel's shared variables; dynamic shared memory begins at `bytes`.
struct SharedLayout {
  std::vector<std::pair<const ir::Global*, uint64_t>> offsets;
  uint64_t bytes = 0;
  uint64_t of(const ir::Global* global) const;
};
SharedLayout shared_layout(const ir::Function& kernel);

// The symbol of the module's variable number `index`.
std::string variable_symbol(size_t index);

}  // namespace quern::llvm
