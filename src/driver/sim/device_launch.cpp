// Reports of wrong launches in kernels. src/lang/builtin/library/device_launch.cuh numbers them.
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

enum class LaunchCheck : uint8_t { kNothing = 32, kBlock = 33, kGrid = 34, kShared = 35, kPending = 36 };

base::MessageText launch_message(LaunchCheck check, uint32_t first, uint32_t second) {
  const std::string one = std::to_string(first), two = std::to_string(second);
  switch (check) {
    case LaunchCheck::kNothing: return message::kLaunchOfNothing();
    case LaunchCheck::kBlock: return message::kLaunchBlock(one);
    case LaunchCheck::kGrid: return message::kLaunchGrid(one, two);
    case LaunchCheck::kShared: return message::kLaunchShared(one);
    case LaunchCheck::kPending: return message::kLaunchPending(one, two);
  }
  return message::kLaunchOfNothing();
}

}  // namespace

void Machine::report_launch(const BlockState& b, const Thread& t, const Ins& i, uint32_t pc) {
  Report* const report = new_report(ReportKind::kLaunch, b, t, pc);
  if (report == nullptr) return;
  report->set(launch_message(static_cast<LaunchCheck>(t.slots[i.a]), static_cast<uint32_t>(t.slots[i.b]),
                             static_cast<uint32_t>(t.slots[i.c])));
}

}  // namespace quern::sim
