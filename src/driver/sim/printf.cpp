// printf of device code, with the arguments taken from slots.
#include "driver/sim/machine.hpp"
#include "driver/support/output_buffer.hpp"
#include "lang/ir/format_printf.hpp"

namespace quern::sim {

void Machine::print(BlockState& b, Thread& t, const Ins& i, uint32_t pc) {
  const PrintInfo& info = code_.prints[i.c];
  std::vector<ir::PrintArgument> arguments;
  for (const PrintArg& a : info.args) arguments.push_back({t.slots[a.slot], a.type});
  const std::string out = ir::format_printf(info.text, arguments, [&](uint64_t address) {
    std::string text;
    read_string(b, t, pc, address, text);
    return text;
  });
  if (config_.options.print) {
    config_.options.print(out);
  } else if (out.size() <= driver::OutputBuffer::kMaxBytes - result_.printed.size()) {
    result_.printed += out;
    ++result_.prints;
  } else {
    ++result_.dropped_prints;
  }
  if (i.dst != kNoSlot) t.slots[i.dst] = info.args.size();
}

}  // namespace quern::sim
