// Passes over the IR that every target wants. Each rewrites a module in place and keeps it well formed.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Takes out the kernels that recurse, each with the call that closes the cycle.
struct Refused {
  std::string kernel;
  ir::Pos pos;
  std::string reason;
};
std::vector<Refused> drop_recursive(ir::Module& module);

// Inlines every call into the kernels and drops the functions that are no longer used. Early returns become
// exits of a scope. Fails (returns a sentence) on recursion, naming the cycle, and when a kernel grows beyond
// `limit` instructions. Functions in `stay` are left, and called; they call nothing themselves.
using FunctionSet = std::unordered_set<const ir::Function*>;
std::string inline_calls(ir::Module& module, size_t limit = 2'000'000, const FunctionSet& stay = {});

// Drops the functions that no kernel calls, directly or not.
void drop_unused(ir::Module& module);

// Constant folding and propagation, simplification of arithmetic and control (if on a constant, switch on a
// constant, empty constructs, scopes nobody leaves), forwarding of variables stored once, and dead code. To a
// fixed point.
void simplify(ir::Module& module);
void simplify(ir::Module& module, ir::Function& function);

// Splits local variables of struct (and small, constant-indexed array) type into one variable per scalar, and
// whole loads, stores, copies, extracts and inserts of them accordingly. What is indexed at run time, or
// whose address goes elsewhere, stays together. Returns whether it split any.
bool scalar_replace(ir::Module& module);

// Turns `if (c) { a; exit S } rest` into `if (c) { a } else { rest }` where rest is all that remains of the
// scope S, so that most scopes (early returns of inlined functions) dissolve at the next simplify.
void nest_exits(ir::Module& module);

// Narrows generic pointers to the space they can only point into (parameters: global), through variables,
// selects, offsets and casts. A pointer that may point into several stays generic. Returns whether there were
// any.
bool infer_spaces(ir::Module& module);

// What a target has of its own.
struct Forms {
  bool has_barriers = false;  // objects in shared memory
  bool has_copies = false;    // that a thread goes on beside
};
// Answers barrier_form and copy_form, and simplifies what follows from it. To be called before anything else
// looks at what kernels need.
void legalize_forms(ir::Module& module, const Forms& forms);
bool asks_for_forms(const ir::Module& module);

// Rewrites exits and continues that cross more than one breakable construct into flags, for targets with
// plain break/continue only; then nests exits and simplifies.
void lower_exits(ir::Module& module);

// For targets where threads exchange through shared memory and barriers: afterwards warp operations, votes
// and barriers stand where all threads of a block arrive. What surrounded them is run by all, led by flags;
// who would not have arrived does not count in votes. A barrier that stands in several branches of one
// divergent construct is left as it was, and with it the whole kernel.
void gather_threads(ir::Module& module);
void gather_threads(ir::Module& module, ir::Function& kernel);

// A float that is a double only for printf needs no doubles: it is printed as a float, for targets whose
// printf is a report that the host reads.
void print_floats(ir::Module& module);
bool is_widened_float(const ir::Value* v);     // a float that was made a double
bool is_printed_as_float(const ir::Value* v);  // that, or a constant that is one

// Writes loops that count between constants as their rounds, where the user asks for it or they are small,
// and splits what then has constant indices. For targets whose own compiler cannot put arrays into registers.
void unroll_loops(ir::Module& module);
void unroll_loops(ir::Module& module, ir::Function& function);  // only the first part, for one of them

// What every device starts from: inline, nest_exits, simplify, scalar_replace, infer_spaces. Returns
// inline_calls' sentence when that fails, else nothing.
std::string prepare(ir::Module& module);

// Which values are the same for all threads of a group that compute them together. Only reads the kernel.
//  - kBlock: all threads of a block, at any speed relative to each other. A load is uniform only where
//    nothing can write in between: constant memory and `const __restrict__` parameters, at uniform
//    addresses.
//  - kVector: threads of one warp that one instruction runs for in lockstep, as lanes do on the CPU. There
//    any ordinary load at a uniform address yields one value for all, and so do votes and reductions under
//    a uniform mask.
// A variable's own address counts as uniform: each thread's copy is at the same place of its own memory.
class Uniformity {
 public:
  enum class Group : uint8_t { kBlock, kVector };
  // `same_thread_ids`: bit d says that thread_id.d is the same for all threads of a group. `line`: a group is
  // so many threads, whose thread_id.x counts on from a multiple of that; 0: not known to be so.
  explicit Uniformity(const ir::Function& kernel, Group group = Group::kBlock, uint32_t same_thread_ids = 0,
                      uint32_t line = 0);

  bool is_uniform(const ir::Value* value) const;
  // if, switch: all threads that arrive take the same way. loop, scope: all that enter leave together.
  bool is_uniform_branch(const ir::Inst* control) const;
  // Whether all threads of the group reach this instruction together: no branch around it and no earlier
  // return depends on the thread.
  bool is_converged(const ir::Inst* inst) const;

 private:
  friend class UniformityAnalysis;
  enum : uint8_t { kVarying = 1, kDivergent = 2, kApart = 4 };
  uint8_t flags_of(const ir::Inst* inst) const;

  std::unordered_map<const ir::Inst*, uint32_t> index_;  // place in program order
  std::vector<uint8_t> flags_;
};

// Pointers as (base, index), for targets without pointers. A base is an object: a pointer parameter, a
// pointer field of a struct parameter (an `extract` at the kernel's start; typed generic, but global
// memory), a global, or a local variable. Afterwards, in all that could be lowered:
//  - The address of every load, store, atomic, mem_copy and mem_set is a base, or one
//    `offset(base, index, scale)` on a base. The scale is the accessed type's alignment where the distance
//    is a multiple of that, else smaller.
//  - A variable that held a pointer (or a local array of them) is two: `p.at`, the distance from the base
//    in units of p's steps, and, where it may point into several objects or be null, `p.base`, a u32 that
//    counts the kernel's bases from 1 (0: null).
//  - An access that may go to several objects is an if/else chain over that number, with one access each.
//  - Comparisons and differences are on those numbers. Whether a parameter is null stays
//    `eq(param, null)`.
//  - Where an address is only asked whether it is aligned, `ptr_to_int(param)` is a u32: how many bytes
//    the argument begins behind the beginning of its buffer.
//  - All dynamic shared memory is one base.
// What cannot be lowered stays as it was and is said, with the place and one sentence.
struct PointerOptions {
  bool wide = true;  // compute in i64; else in i32, for targets without (objects below 2 GiB)
};
struct Unlowered {
  ir::Pos pos;
  std::string reason;
};
std::vector<Unlowered> lower_pointers(ir::Module& module, const PointerOptions& options = {});

// What a kernel needs of a device, computed: enough to refuse with a reason before anything is compiled.
// Exact on a prepared module: what is dead or unused there is not counted.
struct Needs {
  bool fp64 = false, fp16 = false, bf16 = false;
  bool int64 = false, int8 = false, int16 = false;  // arithmetic or storage; a bool in memory is a byte
  bool atomics_int16 = false;                       // compare-and-swap on 16 bits
  bool atomics_int32 = false, atomics_int64 = false;
  // Arithmetic on floats; exchanging or comparing them is counted as integers of that size.
  bool atomics_float16 = false, atomics_float32 = false, atomics_float64 = false;
  bool barrier = false;            // block-wide
  bool divergent_barrier = false;  // a barrier that not all threads of a block may reach together
  bool grid_barrier = false;
  bool clusters = false;           // waits for blocks of its cluster, or looks at them
  bool warp_ops = false;           // shuffles, votes, match, reduce, active mask, warp barrier
  bool generic_pointers = false;   // accesses through pointers whose space is not known
  bool pointer_in_memory = false;  // pointers loaded from or stored to memory: the device must have addresses
  bool pointer_as_integer = false;  // addresses computed with as integers, likewise; not only their alignment
  bool pointer_in_params = false;   // pointers inside of struct parameters
  bool dynamic_shared = false;
  bool print = false, clock = false;
  bool assertion = false;  // assert or trap
  bool system_scope = false;
  uint64_t shared_bytes = 0;  // static
  uint64_t local_bytes = 0;   // variables with addresses, per thread, as if all lived at once
  uint64_t param_bytes = 0;
  uint32_t buffers = 0;  // pointer parameters
};
Needs needs(const ir::Module& module, const ir::Function& kernel);

}  // namespace quern::pass
