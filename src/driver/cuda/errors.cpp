// Every error in the public documentation of CUDA and HIP, with its kind, meaning and hint. HIP uses the
// codes of CUDA's driver and runtime, and two additional ones.
#include <algorithm>

#include "driver/cuda/api.hpp"
#include "driver/cuda/vendor.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;

namespace {

struct Meaning {
  int32_t code;
  ErrorKind kind;
  std::string_view text;
  std::string_view hint;
};

constexpr auto kOurs = ErrorKind::internal;  // a bug in Quern's use of the API
constexpr auto kMemory = ErrorKind::out_of_memory;
constexpr auto kLost = ErrorKind::device_lost;
constexpr auto kUnsupported = ErrorKind::unsupported;
constexpr auto kMissing = ErrorKind::not_found;
constexpr auto kBadInput = ErrorKind::bad_input;
constexpr auto kMisuse = ErrorKind::invalid_use;

// Sorted by code.
constexpr Meaning kMeanings[] = {
    {1, kOurs, "invalid value", ""},
    {2, kMemory, "out of memory", "free buffers, or process the data in smaller batches"},
    {3, kOurs, "the driver is not initialized", ""},
    {4, kLost, "the driver is shutting down", ""},
    {5, kUnsupported, "the profiler is disabled", ""},
    {6, kOurs, "the profiler was not started", ""},
    {7, kOurs, "the profiler is already started", ""},
    {8, kOurs, "the profiler is already stopped", ""},
    {9, kMisuse, "the device does not support this launch configuration", ""},
    {12, kOurs, "the pitch of an array is too large", ""},
    {13, kMissing, "there is no such variable", ""},
    {17, kOurs, "invalid device pointer", ""},
    {21, kOurs, "invalid copy direction", ""},
    {34, kUnsupported, "the library is the CUDA toolkit's stub",
     "remove the stubs folder from LD_LIBRARY_PATH"},
    {35, kUnsupported, "the kernel module is older than the library", "update the GPU's driver"},
    {36, kUnsupported, "the call needs a newer driver", "update the GPU's driver"},
    {46, kUnsupported, "the device is busy or reserved for another process",
     "end that process, or set the compute mode to default: nvidia-smi -c 0"},
    {52, kOurs, "a launch was not configured", ""},
    {53, kLost, "an earlier launch failed", ""},
    {98, kOurs, "the function does not belong to this device", ""},
    {100, kMissing, "there is no device", ""},
    {101, kUnsupported, "the device cannot be used", "check that nvidia-smi lists it"},
    {102, kUnsupported, "the device has no licence for computing", ""},
    {200, kBadInput, "the module is not a valid image for this device", ""},
    {201, kOurs, "invalid context", ""},
    {202, kOurs, "the context is already current", ""},
    {205, kUnsupported, "memory cannot be mapped", ""},
    {206, kUnsupported, "memory cannot be unmapped", ""},
    {207, kOurs, "an array is mapped", ""},
    {208, kOurs, "the resource is already mapped", ""},
    {209, kUnsupported, "the module has no code for this device", "compile it for this architecture"},
    {210, kOurs, "the resource is already acquired", ""},
    {211, kOurs, "the resource is not mapped", ""},
    {212, kOurs, "the resource is not mapped as an array", ""},
    {213, kOurs, "the resource is not mapped as a pointer", ""},
    {214, kLost, "uncorrectable ECC error in device memory", "reset or replace it"},
    {215, kUnsupported, "the device does not support this limit", ""},
    {216, kUnsupported, "another thread of the process uses the context", ""},
    {217, kUnsupported, "the devices do not support peer access", ""},
    {218, ErrorKind::compile, "invalid PTX", ""},
    {219, kOurs, "invalid graphics context", ""},
    {220, kLost, "uncorrectable NVLink error", ""},
    {221, kUnsupported, "the driver's PTX compiler is not installed", "install libnvidia-ptxjitcompiler"},
    {222, kUnsupported, "the PTX version is newer than the driver supports", "update the GPU's driver"},
    {223, kUnsupported, "PTX compilation is disabled", "unset CUDA_DISABLE_PTX_JIT"},
    {224, kUnsupported, "the device does not support this execution affinity", ""},
    {225, kUnsupported, "the device does not support synchronization with child kernels", ""},
    {226, kLost, "the device was stopped after an error", ""},
    {300, kBadInput, "invalid kernel source", ""},
    {301, kMissing, "file not found", ""},
    {302, kUnsupported, "a library of the driver lacks a function", "reinstall the GPU's driver"},
    {303, kUnsupported, "a library of the driver failed to initialize", "reinstall the GPU's driver"},
    {304, kUnsupported, "an operating system call failed", "check the permissions of /dev/nvidia*"},
    {400, kOurs, "invalid handle", ""},
    {401, kOurs, "an object is in an invalid state for this call", ""},
    {402, kOurs, "the result would lose information", ""},
    {500, kMissing, "name not found", ""},
    {600, kOurs, "the work is not complete yet", ""},
    {700, kLost, "a kernel accessed an invalid address", "run it with --on sim, or with QUERN_CHECK=1"},
    {701, kMisuse, "the launch needs more registers than the device has", "launch smaller blocks"},
    {702, kLost, "a kernel exceeded the system's time limit", "launch less work at a time"},
    {703, kMisuse, "incompatible texturing mode", ""},
    {704, kOurs, "peer access is already enabled", ""},
    {705, kOurs, "peer access is not enabled", ""},
    {708, kOurs, "the primary context is already active", ""},
    {709, kLost, "the context was destroyed", ""},
    {710, kLost, "an assertion in a kernel failed", "set QUERN_CHECK=1 to see its values"},
    {711, kUnsupported, "too many peer devices", ""},
    {712, kOurs, "the host memory is already registered", ""},
    {713, kOurs, "the host memory is not registered", ""},
    {714, kLost, "hardware stack error: a kernel's stack is corrupted or too small", ""},
    {715, kLost, "a kernel trapped or executed an illegal instruction", ""},
    {716, kLost, "a kernel made a misaligned access", "run it with --on sim"},
    {717, kLost, "a kernel used an address of the wrong address space", ""},
    {718, kLost, "a kernel's program counter is invalid", ""},
    {719, kLost, "a kernel trapped or failed", ""},
    {720, kMisuse, "the grid is too large for a cooperative launch", "launch fewer blocks"},
    {721, kLost, "a kernel did not free its tensor memory", ""},
    {800, kMisuse, "the call is not permitted here", "do not use the GPU in a host function of a stream"},
    {801, kUnsupported, "the operation is not supported", ""},
    {802, kUnsupported, "the system is not ready", "start nvidia-fabricmanager"},
    {803, kUnsupported, "the library and the kernel module have different versions", "restart the machine"},
    {804, kUnsupported, "the compatibility library does not support this device", "remove cuda-compat"},
    {805, kUnsupported, "the MPS server cannot be reached", "check nvidia-cuda-mps-control"},
    {806, kLost, "the MPS server does not respond", ""},
    {807, kUnsupported, "the MPS server is not ready", "try again in a moment"},
    {808, kUnsupported, "the MPS server has too many clients", ""},
    {809, kUnsupported, "the MPS server has no connections left", ""},
    {810, kLost, "the MPS server terminated this process", ""},
    {811, kUnsupported, "the device does not support dynamic parallelism", ""},
    {812, kUnsupported, "the driver does not support this version of dynamic parallelism", ""},
    {900, kOurs, "the operation is not permitted during stream capture", ""},
    {901, kOurs, "the stream capture was invalidated by an earlier error", ""},
    {902, kOurs, "two stream captures would be merged", ""},
    {903, kOurs, "the stream capture began on another stream", ""},
    {904, kOurs, "a forked stream was not joined to the stream capture", ""},
    {905, kOurs, "the stream capture would depend on uncaptured work", ""},
    {906, kOurs, "the stream capture would depend on the legacy default stream", ""},
    {907, kOurs, "the event was recorded in a capturing stream", ""},
    {908, kOurs, "the stream capture began in another thread", ""},
    {909, ErrorKind::timeout, "the call timed out", ""},
    {910, kOurs, "the graph update changes more than is supported", ""},
    {911, kLost, "an external device failed", ""},
    {912, kMisuse, "the kernel does not support this cluster size", "launch smaller clusters"},
    {913, kOurs, "the function is not loaded", ""},
    {914, kOurs, "invalid resource type", ""},
    {915, kOurs, "invalid resource configuration", ""},
    {916, kUnsupported, "the device is rotating its keys", "try again in a moment"},
    {917, kOurs, "the stream is detached", ""},
    {999, kUnsupported, "unknown error", "check dmesg; after a suspend, reload nvidia_uvm"},
    {1052, kMemory, "the ROCr runtime is out of memory", ""},
    {1053, kUnsupported, "the ROCr runtime failed", "check dmesg"},
};

// Two codes have another meaning in HIP.
constexpr Meaning kHipMeanings[] = {{911, kOurs, "invalid texture element format", ""},
                                    {912, kOurs, "invalid texture", ""}};

const Meaning* find(const Vendor& vendor, int32_t code) {
  if (!vendor.is_cuda()) {
    for (const Meaning& m : kHipMeanings) {
      if (m.code == code) return &m;
    }
  }
  const auto* const at = std::lower_bound(std::begin(kMeanings), std::end(kMeanings), code,
                                          [](const Meaning& m, int32_t c) { return m.code < c; });
  return at != std::end(kMeanings) && at->code == code ? at : nullptr;
}

std::string code_name(const Api& api, int32_t code) {
  const char* name = nullptr;
  if (api.error_name != nullptr && api.error_name(code, &name) == 0 && name != nullptr) return name;
  return "error " + std::to_string(code);
}

// The native name of a function, for messages.
std::string_view native_name(const Vendor& vendor, std::string_view field) {
#define X(name, cuda, version, hip, parameters) \
  if (field == #name) return vendor.is_cuda() ? cuda : hip;
  QUERN_CUDA_NEWER_SYMBOLS(X)
  QUERN_CUDA_SYMBOLS(X)
#undef X
  return field;
}

}  // namespace

bool is_known(const Vendor& vendor, int32_t code) { return find(vendor, code) != nullptr; }

bool is_sticky(const Vendor& vendor, int32_t code) {
  const Meaning* m = find(vendor, code);
  return m != nullptr && m->kind == ErrorKind::device_lost;
}

std::string describe_error(const Api& api, int32_t code) {
  const Meaning* m = find(*api.vendor, code);
  const std::string name = code_name(api, code);
  return m != nullptr ? std::string(m->text) + " (" + name + ")" : name;
}

Error failed(const Api& api, std::string_view call, int32_t code) {
  const Meaning* m = find(*api.vendor, code);
  Error error(m != nullptr ? m->kind : ErrorKind::internal,
              std::string(native_name(*api.vendor, call)) + " failed: " + describe_error(api, code));
  if (m != nullptr && !m->hint.empty()) error.add_hint(std::string(m->hint));
  return error;
}

}  // namespace quern::cuda
