// Launches from kernels: the records that the library (builtin/library/device_launch.cuh) writes to variables
// of the module, and that the runtime reads when the kernel has ended.
//
// kLaunchHead: word 0 counts the launches, word 1 the units of kLaunchUnit bytes that their records take.
// kLaunchQueue: the records. Each one starts with kLaunchHeader bytes:
//   words 0 to 7: the kernel (launch_number of its name), grid x y z, block x y z, bytes of shared memory
//   word 8: LaunchStream; word 9: units of the record; word 10: line of the launch
// The arguments follow, each at a multiple of its alignment. Structs and numbers are stored as they are.
// Pointers take 8 bytes: the address; on devices without addresses a code and the offset in bytes. Codes: 0:
// null; n: the pointer parameter with index n - 1 of the launching kernel; kLaunchVariable plus
// launch_number(name): a variable.
#pragma once

#include <cstdint>
#include <string_view>

namespace quern::ir {

inline constexpr std::string_view kLaunchHead = "__lib_launch_head";
inline constexpr std::string_view kLaunchQueue = "__lib_launch_queue";
inline constexpr uint32_t kLaunchUnit = 16;
inline constexpr uint32_t kLaunchHeader = 48;
inline constexpr uint32_t kLaunchVariable = 0x80000000U;

enum class LaunchStream : uint32_t { kBlock = 0, kTail = 1, kForget = 2 };

// A number for a name (FNV-1a, 31 bits).
constexpr uint32_t launch_number(std::string_view name) {
  uint32_t h = 2166136261U;
  for (const char c : name) h = (h ^ static_cast<uint8_t>(c)) * 16777619U;
  return h & 0x7fffffffU;
}

}  // namespace quern::ir
