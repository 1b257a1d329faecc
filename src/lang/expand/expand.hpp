// Passes for targets that lack something: operations become calls of the library's functions, or plainer
// operations. Each works on a prepared module, in place. What cannot be lowered stays as it was and is said.
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
  std::string reason;  // a sentence that begins with the kernel: "does …"
};

// Warp operations and block votes, through shared memory and barriers: every thread of the block takes part,
// so they may only stand where all of them arrive. Those that `is_native` says yes to stay as they are; of
// block votes it is still asked that all arrive. In kernels that `exchanges` says yes to, warp operations
// become index shuffles of whole warps, ballots, active masks and warp barriers instead, wherever they stand.
std::vector<Unlowered> lower_warps(
    ir::Module& module, Library& library,
    const std::function<bool(const ir::Inst&)>& is_native = [](const ir::Inst&) { return false; },
    const std::function<bool(const ir::Function&)>& exchanges = [](const ir::Function&) { return false; });

// printf, assert and trap, as records in a report (driver/interface/report.hpp), whose address is a new last
// parameter (u64) of the kernels that have any. `site` gives the number of a place that reports.
void lower_reports(ir::Module& module, Library& library,
                   const std::function<uint32_t(const ir::Function&, const ir::Inst*)>& site);

// Atomics become those on 32- and 64-bit words that every target has: compare-and-swap loops for floats,
// `inc` and `dec`; the word around for 8 and 16 bits; nothing special for local variables. `is_native` says
// which operations on floats the target has itself.
void lower_atomics(ir::Module& module, const std::function<bool(const ir::Inst&)>& is_native);

// mem_copy and mem_set as loads and stores. `has_wide`: whether they may take 64 bits at once.
void lower_copies(ir::Module& module, bool has_wide = true);

// Structs and arrays as values become their scalars; what remains is members that are taken out of
// parameters.
std::vector<Unlowered> lower_aggregates(ir::Module& module, ir::Function& function);

// For targets whose memory is arrays of 32-bit words, behind pass::lower_pointers: every access is one of a
// whole word at `offset(object, index, 4)`, 8 and 16 bits are cut out of words, and where neighbours may
// write too they are written atomically. Each pointer parameter gets a hidden one behind all others (u32):
// the byte at which the argument begins in its buffer, 0xffffffff where it is null.
std::vector<Unlowered> lower_words(ir::Module& module, ir::Function& function);

// What a target does itself with half and bfloat16.
struct NativeHalves {
  bool converts = false;  // between them and float
  std::function<bool(const ir::Inst&)> is_native;
};

// Half and bfloat16 as bits: arithmetic in float, each operation rounded once.
std::vector<Unlowered> lower_halves(ir::Module& module, Library& library, const NativeHalves& native = {});

// Every other pure operation that is not native becomes a call. `has_double`: whether functions on floats may
// compute in double; `has_fma`: whether fma of floats is exact and quick.
std::vector<Unlowered> lower_operations(ir::Module& module, Library& library,
                                        const std::function<bool(const ir::Inst&)>& is_native,
                                        bool has_double, bool has_fma = false);

// Integers of 64 bits as two words of 32, for targets that have no others: in every function of the module,
// which it then simplifies. Memory keeps its layout, and variables the types they are declared with; no
// instruction has a value of 64 bits afterwards, nor an aggregate with such a member.
//  - An access to memory is two of a word each; the address of a base, or of one offset from a base, stays
//    such (lower_pointers). Indices and sizes become their lower word.
//  - A kernel's parameter is a struct of its two words, in the same place; a function's is two parameters,
//  its
//    result the struct. So is an argument of printf: who writes reports asks for their types before.
//  - Division and conversions to and from floats are calls of the library's functions, which are lowered too.
//  - Atomics, addresses as integers and clocks are taken out and said: the kernel cannot be used.
base::Result<std::vector<Unlowered>> lower_wide_integers(ir::Module& module);

}  // namespace quern::expand
