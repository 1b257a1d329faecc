// The libraries in use on one device, and native handles for them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "ops/engine.hpp"
#include "ops/vendor/library.hpp"
#include "quern/interop.hpp"

namespace quern::ops::vendor {

class GpuBlas;
class GpuFft;
class HostBlas;

// Memory for a library on a device.
struct DeviceMemory {
  void* pointer = nullptr;
  std::size_t bytes = 0;
};

// The address of an operand's element 0 in kernels and in libraries of the device's vendor.
void* device_pointer(const detail::View& view);
// The same for the host. Throws Error if the host cannot access the memory.
void* host_pointer(const detail::View& view);
// The CUstream or hipStream_t. Marks the stream as busy and makes the device's context current.
void* native_stream(const Stream& stream);

class Libraries {
 public:
  static std::shared_ptr<Libraries> of(const Device& device);

  // Why a library is not used on this device any more; empty: no call of it has failed.
  std::string failure(Name library) const;
  void note_failure(Name library, const std::string& why);

  // Temporary memory for the work of one stream, from the device's pool. It is kept, because the work of a
  // stream runs in order. `mutex` must be held.
  DeviceMemory workspace(const Device& device, void* stream, std::size_t bytes);

  std::mutex mutex;  // of all below
  std::unique_ptr<GpuBlas> gpu_blas;
  std::unique_ptr<GpuFft> gpu_fft;
  std::array<std::shared_ptr<const HostBlas>, 8> host_blas;  // by Name

  Libraries();
  ~Libraries();
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

 private:
  struct Area {
    void* stream;
    Buffer<std::byte> memory;
  };
  mutable std::mutex failures_mutex_;
  std::array<std::string, 8> failures_;  // by Name
  std::list<Area> areas_;                // most recently used first
};

// Runs `work`, which uses the library. None if it fails, and the library is not required: then our kernels
// are used, in this call and in later ones.
std::optional<Receipt> attempt(const Device& device, const Choice& choice,
                               const std::function<Receipt(Libraries& libraries)>& work);

}  // namespace quern::ops::vendor
