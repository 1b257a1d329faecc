// Known defects of other vendors' drivers, and what Quern does about each one. The table in known_defects.cpp
// is the only place that names a driver's product or version because of a defect.
//
// To add a defect: add a name to `Defect`, a row to the table, and `has_defect(info, Defect::k…)` where the
// workaround is. `quern backends --defects` prints the table; scripts/doc_tables.py writes it to
// docs/defects.md, and a test compares the page with the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/interface/info.hpp"

namespace quern::driver {

enum class Defect : uint8_t {
  kLoopLimit,
  kWidenedComparison,
  kLostFloatAtomics,
  kZeroTimesNan,
  kSharedRead,
  kProcessorName,
  kSlowBinaries,
  kCompilerAborts,
  kShiftedNegation,
  kReservedShared,
  kBranchAfterBarrier,
};

/// A version of a driver's product: 22.3 of "Mesa 22.3.6".
struct ProductVersion {
  uint32_t major = 0, minor = 0;
  bool operator==(const ProductVersion&) const = default;
  bool operator<=(const ProductVersion& o) const {
    return major != o.major ? major < o.major : minor <= o.minor;
  }
};
inline constexpr ProductVersion kFirstVersion{};
inline constexpr ProductVersion kEveryLater{~uint32_t{0}, ~uint32_t{0}};

struct KnownDefect {
  Defect id;
  std::string_view name;     // short, for people: "loop-limit"
  std::string_view drivers;  // Quern's names of the drivers, separated by ", "
  std::string_view device;   // a part of the device's name; empty: any
  // Precedes the version in DeviceInfo::driver_version or api_version: "Mesa". Where api_version names the
  // product without its version, driver_version is the version.
  std::string_view product;
  ProductVersion first, last;  // affected versions, both inclusive
  std::string_view effect;     // without the workaround
  std::string_view action;     // Quern's workaround
  std::string_view reference;  // evidence
};

/// All known defects.
std::span<const KnownDefect> known_defects();

/// The defects of a device. Uses `name`, `driver`, `driver_version` and `api_version` only, so that a driver
/// may call this before the rest is filled in.
std::vector<const KnownDefect*> defects_of(const DeviceInfo& info);
bool has_defect(const DeviceInfo& info, Defect defect);

/// Number of iterations after which Mesa's llvmpipe ends all loops of a thread (Defect::kLoopLimit).
inline constexpr uint32_t kMesaLoopRounds = 65'535;

/// Bytes of shared memory that NVIDIA's OpenCL takes from a kernel with dynamic shared memory
/// (Defect::kReservedShared).
inline constexpr uint64_t kNvidiaReservedShared = 16;

/// "Mesa, all versions", "PoCL 3.0 to 3.1".
std::string versions_text(const KnownDefect& defect);

}  // namespace quern::driver
