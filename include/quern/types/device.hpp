/// @file
/// Properties of devices.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quern/types/dim3.hpp"
#include "quern/types/feature.hpp"

namespace quern {

/// The kind of a device.
enum class DeviceKind : std::uint8_t {
  discrete,     ///< A GPU with its own memory.
  integrated,   ///< A GPU that shares the memory of the host.
  virtual_gpu,  ///< A GPU of a virtual machine.
  cpu,          ///< The processor of the host.
  simulated,    ///< The simulator.
  other,        ///< Unknown.
};

/// What happens if no device matches a request. The use of another device is logged and reported by
/// Device::fallback_reason and Receipt::fallback_reason. QUERN_STRICT=1 turns all policies into `require`.
enum class Policy : std::uint8_t {
  require,  ///< An error.
  prefer,   ///< The best other device that meets the conditions (`accepts` and has=…).
  allow,    ///< The same, otherwise any device.
};

/// Limits of a device.
struct Limits {
  std::uint32_t block_threads = 1024;     ///< Threads per block.
  Dim3 block{1024, 1024, 64};             ///< Threads per block in each dimension.
  Dim3 grid{2147483647, 65535, 65535};    ///< Blocks per grid in each dimension.
  std::uint64_t shared_bytes = 48 << 10;  ///< Static and dynamic shared memory together, per block.
  std::uint64_t buffer_bytes = 0;         ///< Size of a buffer; 0: unknown.
  std::uint64_t argument_bytes = 4096;    ///< All parameters of a kernel together.
  std::uint32_t buffers = 0;              ///< Pointer parameters per kernel; 0: unlimited.
  std::uint32_t warp_size = 32;           ///< Threads per warp.
  std::uint32_t cluster_blocks = 0;       ///< Blocks per cluster; 0: no clusters.
  std::uint32_t loop_rounds = 0;          ///< Iterations of all loops of a thread together; 0: unlimited.
};

/// Properties of a device.
struct DeviceInfo {
  std::string name;                     ///< "NVIDIA H200"
  std::string driver;                   ///< "cuda"
  std::uint32_t index = 0;              ///< Among the devices of the driver.
  DeviceKind kind = DeviceKind::other;  ///< Discrete, integrated, …
  std::string vendor;                   ///< "NVIDIA"
  std::string driver_version;           ///< Version of the native driver.
  std::string api_version;              ///< "CUDA 13.0"
  std::string uuid;                     ///< Empty if unknown. Equal values mean the same hardware.
  std::string pci;                      ///< Empty if unknown. Equal values mean the same hardware.
  std::uint64_t memory_bytes = 0;       ///< Size of the device's memory; 0: unknown.
  std::uint32_t compute_units = 0;      ///< Multiprocessors, compute units or cores.
  std::uint32_t clock_mhz = 0;          ///< Clock rate; 0: unknown.
  /// NVIDIA devices: the compute capability, 90 for sm_90; 0: another device.
  std::uint32_t compute_capability = 0;
  FeatureSet features;  ///< Supported features.
  Limits limits;        ///< Sizes of blocks, grids, shared memory and others.
  /// Further properties as name and text.
  std::vector<std::pair<std::string, std::string>> details;
  int score = 0;  ///< Used for selection; the highest score is the default. Simulators have 0.
  /// The id of the same hardware under the preferred driver; empty if this is the preferred one.
  std::string same_as;
  std::vector<std::string> also_as;  ///< Ids of the same hardware under other drivers.

  /// Driver and index, for example "cuda:0".
  std::string id() const { return driver + ":" + std::to_string(index); }
  /// Whether the device has a feature.
  bool has(Feature feature) const { return features.has(feature); }
};

}  // namespace quern
