// Passes over the IR that all targets use. Each rewrites a module in place and keeps it well formed.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Turns recursion into loops with a stack in local memory, of about `stack_bytes` per thread and set of
// functions that call each other. A call that does not fit ends the launch with an error.
inline constexpr uint64_t kDefaultStackBytes = 4096;
void lower_recursion(ir::Module& module, uint64_t stack_bytes);

// Inlines every call into the kernels and removes functions that are no longer used. Early returns become
// exits of a scope. Fails (returns a sentence) on recursion, naming the cycle, and if a kernel exceeds
// `limit` instructions. Functions in `stay` are not inlined; they must not call anything themselves.
using FunctionSet = std::unordered_set<const ir::Function*>;
std::string inline_calls(ir::Module& module, size_t limit = 2'000'000, const FunctionSet& stay = {});

// Removes the functions that no kernel calls, directly or indirectly.
void drop_unused(ir::Module& module);

// Constant folding and propagation, simplification of arithmetic and control flow (if or switch on a
// constant, empty constructs, scopes without exits), forwarding of variables that are stored once, and dead
// code elimination. Runs to a fixed point.
void simplify(ir::Module& module);
void simplify(ir::Module& module, ir::Function& function);

// Splits local variables of struct (and small, constant-indexed array) type into one variable per scalar, and
// whole loads, stores, copies, extracts and inserts of them accordingly. Variables that are indexed at run
// time or whose address escapes are not split. Returns whether it split any.
bool scalar_replace(ir::Module& module);

// Turns `if (c) { a; exit S } rest` into `if (c) { a } else { rest }` if rest is the remainder of the scope
// S, so that the next simplify removes most scopes (early returns of inlined functions).
void nest_exits(ir::Module& module);

// Narrows generic pointers to the only address space they can point to (parameters: global), through
// variables, selects, offsets and casts. A pointer that may point to several spaces stays generic. Returns
// whether there were any such pointers.
bool infer_spaces(ir::Module& module);

// Native features of a target.
struct Forms {
  bool has_barriers = false;  // barrier objects in shared memory
  bool has_copies = false;    // copies that run asynchronously to the thread
  uint32_t ptx = 0;           // inline PTX: 80 it is kept for sm_80, 2 it is simulated, 0 it is translated
  bool has_shared_addresses = false;  // shared_address and shared_pointer
  bool checks_library = false;
};
// Resolves barrier_form, copy_form, check_form and ptx_form, lowers shared_address and shared_pointer if
// requested, and simplifies the code that depends on them. Must be called before anything else looks at what
// kernels need.
void legalize_forms(ir::Module& module, const Forms& forms);
bool asks_for_forms(const ir::Module& module);
// Writes shared_address and shared_pointer as differences from, and selections of, the shared variables that
// the function uses. Their addresses are assigned in the order of first use; dynamic shared memory is last.
void lower_shared_addresses(ir::Module& module, ir::Function& function);

// Rewrites exits and continues that cross more than one breakable construct into flags, for targets that only
// have plain break and continue; then nests exits and simplifies.
void lower_exits(ir::Module& module);

// For targets where threads exchange data through shared memory and barriers: afterwards, all threads of a
// block reach the warp operations, votes and barriers. All threads execute the surrounding code, controlled
// by flags; threads that would not have reached a vote do not count in it. A kernel with a barrier in several
// branches of one divergent construct is left unchanged.
void gather_threads(ir::Module& module);
void gather_threads(ir::Module& module, ir::Function& kernel);

// A float that is converted to double only for printf needs no doubles: it is printed as a float. For targets
// whose printf is a report that the host reads.
void print_floats(ir::Module& module);
bool is_widened_float(const ir::Value* v);     // a float that was converted to double
bool is_printed_as_float(const ir::Value* v);  // such a value, or a constant that is exactly a float

// Unrolls loops that count between constants, if the user requests it or they are small, and splits variables
// that then have constant indices. For targets whose compiler cannot keep arrays in registers.
void unroll_loops(ir::Module& module);
void unroll_loops(ir::Module& module, ir::Function& function);  // only the unrolling, for one function

// The common preparation for all devices: lower_recursion, inline, nest_exits, simplify, scalar_replace,
// infer_spaces. Returns the sentence of inline_calls if that fails, otherwise an empty string.
std::string prepare(ir::Module& module, uint64_t stack_bytes = kDefaultStackBytes);

// Which values are the same for all threads of a group that compute them together. Does not modify the
// kernel.
//  - kBlock: all threads of a block, at any speed relative to each other. A load is uniform only if nothing
//    can write in between: constant memory and `const __restrict__` parameters, at uniform addresses.
//  - kVector: threads of one warp that execute in lockstep, like the lanes on the CPU. Any ordinary load at a
//    uniform address returns one value for all of them, and so do votes and reductions under a uniform mask.
//  - kGrid: as kBlock, for all threads of the grid: values that depend on the block vary.
// A variable's own address counts as uniform: each thread's copy has the same offset in that thread's memory.
class Uniformity {
 public:
  enum class Group : uint8_t { kBlock, kVector, kGrid };
  // `same_thread_ids`: bit d means that thread_id.d is the same for all threads of a group. `line`: a group
  // consists of that many threads with consecutive thread_id.x, starting at a multiple of it; 0: not known.
  explicit Uniformity(const ir::Function& kernel, Group group = Group::kBlock, uint32_t same_thread_ids = 0,
                      uint32_t line = 0);

  bool is_uniform(const ir::Value* value) const;
  // if, switch: all threads that arrive take the same branch. loop, scope: all that enter leave together.
  bool is_uniform_branch(const ir::Inst* control) const;
  // Whether all threads of the group reach this instruction together: no branch around it and no earlier
  // return depends on the thread.
  bool is_converged(const ir::Inst* inst) const;

 private:
  friend class UniformityAnalysis;
  enum : uint8_t { kVarying = 1, kDivergent = 2, kApart = 4 };
  uint8_t flags_of(const ir::Inst* inst) const;

  std::unordered_map<const ir::Inst*, uint32_t> index_;  // index in program order
  std::vector<uint8_t> flags_;
};

// Pointers as (base, index), for targets without pointers. A base is an object: a pointer parameter, a
// pointer field of a struct parameter (an `extract` at the kernel's start; typed generic, but in global
// memory), a global, or a local variable. Afterwards, in everything that could be lowered:
//  - The address of every load, store, atomic, mem_copy and mem_set is a base, or one
//    `offset(base, index, scale)` on a base. The scale is the alignment of the accessed type if the distance
//    is a multiple of it, otherwise smaller.
//  - A variable that held a pointer (or a local array of them) becomes two: `p.at`, the distance from the
//    base in units of p's steps, and, if it may point into several objects or be null, `p.base`, a u32 that
//    numbers the kernel's bases from 1 (0: null).
//  - An access that may go to several objects becomes an if/else chain over that number, with one access
//    each.
//  - Comparisons and differences are on those numbers. Whether a parameter is null stays
//    `eq(param, null)`.
//  - If an address is only tested for alignment, `ptr_to_int(param)` is a u32: the byte offset of the
//    argument from the beginning of its buffer.
//  - All dynamic shared memory is one base.
// Code that cannot be lowered stays unchanged and is reported, with the position and one sentence.
struct PointerOptions {
  bool wide = true;  // compute in i64; otherwise in i32, for targets without i64 (objects below 2 GiB)
};
struct Unlowered {
  ir::Pos pos;
  std::string reason;
};
std::vector<Unlowered> lower_pointers(ir::Module& module, const PointerOptions& options = {});

// The device features that a kernel needs, so that it can be rejected with a reason before it is compiled.
// Exact on a prepared module: dead or unused code is not counted.
struct Needs {
  bool fp64 = false, fp16 = false, bf16 = false;
  bool int64 = false, int8 = false, int16 = false;  // arithmetic or storage; a bool in memory is a byte
  bool atomics_int16 = false;                       // compare-and-swap on 16 bits
  bool atomics_int32 = false, atomics_int64 = false;
  // Arithmetic on floats; exchange and comparison count as integer atomics of that size.
  bool atomics_float16 = false, atomics_float32 = false, atomics_float64 = false;
  bool barrier = false;            // block-wide
  bool divergent_barrier = false;  // a barrier that not all threads of a block are guaranteed to reach
  bool grid_barrier = false;
  bool clusters = false;            // waits for other blocks of its cluster, or accesses their memory
  bool warp_ops = false;            // shuffles, votes, match, reduce, active mask, warp barrier
  bool generic_pointers = false;    // accesses through pointers whose address space is not known
  bool pointer_in_memory = false;   // pointers loaded from or stored to memory: the device needs addresses
  bool pointer_as_integer = false;  // addresses used as integers, likewise; not only for their alignment
  bool pointer_in_params = false;   // pointers inside of struct parameters
  bool dynamic_shared = false;
  bool print = false, clock = false;
  bool assertion = false;  // assert or trap
  bool system_scope = false;
  uint64_t shared_bytes = 0;  // static
  uint64_t local_bytes = 0;   // variables with addresses, per thread, as if all were live at the same time
  uint64_t param_bytes = 0;
  uint32_t buffers = 0;  // pointer parameters
};
Needs needs(const ir::Module& module, const ir::Function& kernel);

}  // namespace quern::pass
