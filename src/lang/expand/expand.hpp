// Passes for targets that lack an operation: it becomes a call of a library function, or simpler operations.
// Each pass rewrites a prepared module in place. Operations that cannot be lowered stay unchanged and are
// reported.
#pragma once

#include <functional>
#include <vector>

#include "base/result.hpp"
#include "lang/expand/library.hpp"
#include "lang/ir/ir.hpp"

namespace quern::expand {

struct Unlowered {
  const ir::Function* kernel;
  ir::Pos pos;
  std::string reason;  // a sentence without its subject, the kernel: "does …"
};

// Lowers warp operations and block votes to shared memory and barriers. Every thread of the block takes part,
// so all of them must reach the operation. Operations for which `is_native` returns true stay as they are,
// but block votes must still be reached by all threads. In kernels for which `exchanges` returns true, warp
// operations become index shuffles of whole warps, ballots, active masks and warp barriers instead, wherever
// they are.
std::vector<Unlowered> lower_warps(
    ir::Module& module, Library& library,
    const std::function<bool(const ir::Inst&)>& is_native = [](const ir::Inst&) { return false; },
    const std::function<bool(const ir::Function&)>& exchanges = [](const ir::Function&) { return false; });

// Lowers printf, assert and trap to records in a report (driver/interface/report.hpp), whose address becomes
// a new last parameter (u64) of the kernels that use it. `site` returns the number of a reporting
// instruction.
void lower_reports(ir::Module& module, Library& library,
                   const std::function<uint32_t(const ir::Function&, const ir::Inst*)>& site);

// Lowers atomics to those on 32-bit and 64-bit words that every target has: compare-and-swap loops for
// floats, `inc` and `dec`; the enclosing word for 8 and 16 bits; plain accesses for local variables.
// `is_native` returns which float operations the target supports.
void lower_atomics(ir::Module& module, const std::function<bool(const ir::Inst&)>& is_native);

// For devices without 64-bit atomics. If all 64-bit atomics of a kernel are sums of integers (or all are
// `and`, all are `or`, all are `xor`) without a used result, each becomes two 32-bit ones: on the lower
// words, then on the upper words, with the carry of a sum. The order in which threads do them does not
// matter, and the result is exact once all are done; only a concurrent read, which is a data race, could see
// half of it. Other kernels cannot be split: no sequence of 32-bit atomics is atomic on 64 bits, and a lock
// needs a guarantee that its holder makes progress.
bool can_split_wide_atomics(const ir::Function& function);
void split_wide_atomics(ir::Module& module);

// Lowers mem_copy and mem_set to loads and stores. `has_wide`: whether these may be 64 bits wide.
void lower_copies(ir::Module& module, bool has_wide = true);

// Replaces struct and array values by their scalars; the only remaining extracts are of members of
// parameters.
std::vector<Unlowered> lower_aggregates(ir::Module& module, ir::Function& function);

// For targets whose memory consists of arrays of 32-bit words; runs after pass::lower_pointers. Every access
// becomes an access to a whole word at `offset(object, index, 4)`. Values of 8 and 16 bits are extracted from
// words, and written atomically if other threads may write to the same word. Each pointer parameter gets a
// hidden parameter (u32) after all others: the byte offset of the argument in its buffer, 0xffffffff for
// null.
std::vector<Unlowered> lower_words(ir::Module& module, ir::Function& function);

// The operations on half and bfloat16 that a target supports.
struct NativeHalves {
  bool converts = false;  // between them and float
  std::function<bool(const ir::Inst&)> is_native;
};

// Represents half and bfloat16 as bits: arithmetic in float, one rounding per operation.
std::vector<Unlowered> lower_halves(ir::Module& module, Library& library, const NativeHalves& native = {});

// Turns every other pure operation that is not native into a call. `has_double`: whether functions on floats
// may compute in double; `has_fma`: whether fma on floats is exact and fast.
std::vector<Unlowered> lower_operations(ir::Module& module, Library& library,
                                        const std::function<bool(const ir::Inst&)>& is_native,
                                        bool has_double, bool has_fma = false);

// Represents doubles as their bits (u64) in every function of the module, for targets without them:
// operations become calls of library functions (library/soft_double.cuh). Runs after lower_operations, which
// must treat the operations below as native, and before lower_wide_integers. Atomic arithmetic that
// lower_atomics has left is reported. Writers of reports must determine the types of printf's arguments
// before.
base::Result<std::vector<Unlowered>> lower_doubles(ir::Module& module);
// Whether lower_doubles has a function for the operation on doubles.
bool is_soft_operation(const ir::Inst& i);

// For languages whose compilers inline every call, and so would take minutes for the functions of
// lower_doubles: a sequence of instructions with many calls of library functions becomes a loop in which each
// function is called in one place. Instructions that all threads must reach together stay outside of the
// loop.
void share_calls(ir::Module& module);

// Splits 64-bit integers into two 32-bit words, for targets without 64-bit integers, in every function of the
// module; simplifies the module afterwards. Memory layout and the declared types of variables stay the same.
// Afterwards no instruction has a 64-bit value or an aggregate with such a member.
//  - A memory access becomes two accesses of one word. Its address remains a base, or one offset from a base
//    (lower_pointers). Indices and sizes keep their lower word only.
//  - A parameter of a kernel becomes a struct of its two words, at the same offset. A parameter of a function
//    becomes two parameters, its result the struct. So does an argument of printf: writers of reports must
//    determine the types before.
//  - Division and conversions to and from floats are calls of library functions, which are lowered too.
//  - Atomics, addresses as integers and clocks are removed and reported: the kernel cannot be used.
base::Result<std::vector<Unlowered>> lower_wide_integers(ir::Module& module);

}  // namespace quern::expand
