// The instructions of inline PTX that are more than a function of registers. Adding one is a row of the table
// here and, if it has a meaning on every device, a function of the library (library/ptx*.cuh).
#pragma once

#include <cstdint>
#include <string_view>

namespace quern::lang {

enum class PtxUse : uint8_t {
  kTranslated,  // a library function on every device
  kNative,      // kept as it is for NVIDIA devices; a library function elsewhere
  kSimulated,   // kept as it is for NVIDIA devices; executed by the simulator; otherwise refused
  kNvidiaOnly,  // kept as it is for NVIDIA devices; otherwise refused, also by the simulator
};

// Where the address operands of an instruction point.
enum class PtxSpace : uint8_t { kGeneric, kShared, kSharedThenGlobal };

struct PtxRow {
  std::string_view pattern;  // the first words of the instruction: "cp.async" matches "cp.async.wait_all"
  PtxUse use = PtxUse::kTranslated;
  bool has_result = true;         // its first operand is written, unless it is an address
  std::string_view instead = {};  // name of the library function; empty: made of the instruction's words
  PtxSpace space = PtxSpace::kGeneric;  // if no word of the instruction names it
  uint32_t architecture = 80;           // the first that has it: sm_80
  bool in_simulator = false;            // not its library function: the simulator executes it
};

// The row of an instruction ("cp.async.cg.shared.global"); translated functions of registers have none of
// their own.
const PtxRow& ptx_row(std::string_view instruction);

// Words that only affect performance: cache hints.
bool is_ptx_hint(std::string_view word);
// Words that say nothing that the library function needs: state spaces, scopes, memory orders.
bool is_ptx_order(std::string_view word);

}  // namespace quern::lang
