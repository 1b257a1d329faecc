// Every error that CUDA's and HIP's public documentation list, with its kind, its meaning and what helps.
// HIP's numbers are those of CUDA's driver and runtime, and two of its own.
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

constexpr auto kOurs = ErrorKind::kInternal;  // we call it wrongly
constexpr auto kMemory = ErrorKind::kOutOfMemory;
constexpr auto kLost = ErrorKind::kDeviceLost;
constexpr auto kUnsupported = ErrorKind::kUnsupported;
constexpr auto kMissing = ErrorKind::kNotFound;
constexpr auto kBadInput = ErrorKind::kBadInput;
constexpr auto kMisuse = ErrorKind::kInvalidUse;

// In the order of their codes.
constexpr Meaning kMeanings[] = {
    {1, kOurs, "a value is not allowed", ""},
    {2, kMemory, "there is not enough memory", "free buffers, or work in smaller parts"},
    {3, kOurs, "the driver was not started", ""},
    {4, kLost, "the driver is shutting down", ""},
    {5, kUnsupported, "the profiler is switched off", ""},
    {6, kOurs, "the profiler was not started", ""},
    {7, kOurs, "the profiler was started before", ""},
    {8, kOurs, "the profiler was stopped before", ""},
    {9, kMisuse, "the launch has a shape that the device cannot have", ""},
    {12, kOurs, "a row of an array is too long", ""},
    {13, kMissing, "there is no such variable", ""},
    {17, kOurs, "an address is not the device's", ""},
    {21, kOurs, "a copy's direction is none", ""},
    {34, kUnsupported, "the library is the toolkit's stub", "remove the stubs folder from LD_LIBRARY_PATH"},
    {35, kUnsupported, "the kernel module is older than the library", "update the GPU's driver"},
    {36, kUnsupported, "the call needs a newer driver", "update the GPU's driver"},
    {46, kUnsupported, "the device is busy or reserved for another process",
     "end that process, or set its compute mode to default: nvidia-smi -c 0"},
    {52, kOurs, "a launch was not configured", ""},
    {53, kLost, "an earlier launch failed", ""},
    {98, kOurs, "the function is none of this device", ""},
    {100, kMissing, "there is no device", ""},
    {101, kUnsupported, "the device cannot be used", "see whether nvidia-smi shows it"},
    {102, kUnsupported, "the device has no licence for computing", ""},
    {200, kBadInput, "the program is no code for this device", ""},
    {201, kOurs, "no context is current, or it is gone", ""},
    {202, kOurs, "the context is current already", ""},
    {205, kUnsupported, "memory cannot be mapped", ""},
    {206, kUnsupported, "memory cannot be unmapped", ""},
    {207, kOurs, "an array is mapped", ""},
    {208, kOurs, "the resource is mapped already", ""},
    {209, kUnsupported, "the program has no code for this device", "compile it for this architecture"},
    {210, kOurs, "the resource is taken already", ""},
    {211, kOurs, "the resource is not mapped", ""},
    {212, kOurs, "the resource is not mapped as an array", ""},
    {213, kOurs, "the resource is not mapped as a pointer", ""},
    {214, kLost, "the device's memory has an error that cannot be corrected", "reset or replace it"},
    {215, kUnsupported, "the device has no such limit", ""},
    {216, kUnsupported, "another thread of the process uses the context", ""},
    {217, kUnsupported, "the two devices cannot reach each other's memory", ""},
    {218, ErrorKind::kCompile, "the PTX is not valid", ""},
    {219, kOurs, "the graphics context is not valid", ""},
    {220, kLost, "the link between devices has an error that cannot be corrected", ""},
    {221, kUnsupported, "the driver's PTX compiler is not installed", "install libnvidia-ptxjitcompiler"},
    {222, kUnsupported, "the PTX is of a newer version than the driver", "update the GPU's driver"},
    {223, kUnsupported, "compiling PTX is switched off", "unset CUDA_DISABLE_PTX_JIT"},
    {224, kUnsupported, "the device cannot be cut into parts that way", ""},
    {225, kUnsupported, "kernels of this device cannot wait for kernels that they launch", ""},
    {226, kLost, "the device has stopped after an error", ""},
    {300, kBadInput, "the program's text is not valid", ""},
    {301, kMissing, "a file is not there", ""},
    {302, kUnsupported, "a library of the driver lacks a function", "reinstall the GPU's driver"},
    {303, kUnsupported, "a library of the driver does not start", "reinstall the GPU's driver"},
    {304, kUnsupported, "the operating system refuses the driver", "see the rights of /dev/nvidia*"},
    {400, kOurs, "a handle is not valid", ""},
    {401, kOurs, "an object is not in the state that the call needs", ""},
    {402, kOurs, "the answer would lose a part of it", ""},
    {500, kMissing, "the name is not there", ""},
    {600, kOurs, "the work is not over yet", ""},
    {700, kLost, "a kernel reads or writes where it has no memory",
     "run it with --on sim, or with QUERN_CHECK=1"},
    {701, kMisuse, "a block needs more registers than there are", "launch smaller blocks"},
    {702, kLost, "a kernel runs longer than this system allows", "launch less work at once"},
    {703, kMisuse, "a kernel uses textures in a way that this launch does not allow", ""},
    {704, kOurs, "the access to the other device's memory was allowed before", ""},
    {705, kOurs, "the access to the other device's memory was not allowed", ""},
    {708, kOurs, "the device's context is in use already", ""},
    {709, kLost, "the context is gone", ""},
    {710, kLost, "an assert of a kernel fails", "QUERN_CHECK=1 names its values"},
    {711, kUnsupported, "the device reaches no more devices than it does", ""},
    {712, kOurs, "the memory was pinned before", ""},
    {713, kOurs, "the memory was not pinned", ""},
    {714, kLost, "a kernel's stack is damaged or too small", ""},
    {715, kLost, "a kernel traps or comes to an illegal instruction", ""},
    {716, kLost, "a kernel's access is not aligned", "run it with --on sim"},
    {717, kLost, "a kernel's access is in the wrong memory", ""},
    {718, kLost, "a kernel jumps to where no code is", ""},
    {719, kLost, "a kernel traps or fails", ""},
    {720, kMisuse, "the blocks of the grid do not fit the device at once", "launch fewer blocks"},
    {721, kLost, "a kernel leaves tensor memory behind", ""},
    {800, kMisuse, "the call is not permitted here", "functions called by a stream may not use the GPU"},
    {801, kUnsupported, "the device cannot do that", ""},
    {802, kUnsupported, "the system is not ready", "start nvidia-fabricmanager"},
    {803, kUnsupported, "the library and the kernel module are of different versions", "restart the machine"},
    {804, kUnsupported, "the compatibility library does not support this device", "remove cuda-compat"},
    {805, kUnsupported, "the MPS server cannot be reached", "see nvidia-cuda-mps-control"},
    {806, kLost, "the MPS server does not answer", ""},
    {807, kUnsupported, "the MPS server is not ready", "try again in a moment"},
    {808, kUnsupported, "the MPS server has no room for another process", ""},
    {809, kUnsupported, "the MPS server has no connection left", ""},
    {810, kLost, "the MPS server has ended this process", ""},
    {811, kUnsupported, "kernels of this device launch no kernels", ""},
    {812, kUnsupported, "the program launches kernels in a way that the driver does not know", ""},
    {900, kOurs, "a graph that is recorded cannot have this", ""},
    {901, kOurs, "the recording of the graph was spoilt by an earlier error", ""},
    {902, kOurs, "two recordings would become one", ""},
    {903, kOurs, "the recording began on another stream", ""},
    {904, kOurs, "a stream did not come back to the recording", ""},
    {905, kOurs, "the recording would depend on what is not recorded", ""},
    {906, kOurs, "the recording would depend on the default stream", ""},
    {907, kOurs, "the event was recorded in a graph", ""},
    {908, kOurs, "the recording began in another thread", ""},
    {909, ErrorKind::kTimeout, "the call runs out of time", ""},
    {910, kOurs, "the graph differs in more than can be changed", ""},
    {911, kLost, "another device fails", ""},
    {912, kMisuse, "the cluster of blocks is of a size that the kernel cannot have",
     "launch smaller clusters"},
    {913, kOurs, "the function is not loaded", ""},
    {914, kOurs, "the resource is of the wrong kind", ""},
    {915, kOurs, "the resource is set up wrongly", ""},
    {916, kUnsupported, "the device changes its keys", "try again in a moment"},
    {917, kOurs, "the stream is detached", ""},
    {999, kUnsupported, "the driver gives no reason", "see dmesg; after a suspend: reload nvidia_uvm"},
    {1052, kMemory, "the runtime below the driver has no memory", ""},
    {1053, kUnsupported, "the runtime below the driver fails", "see dmesg"},
};

// Two codes mean something else to HIP.
constexpr Meaning kHipMeanings[] = {{911, kOurs, "the format of a texture's elements is none", ""},
                                    {912, kOurs, "the texture is none", ""}};

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
  return m != nullptr && m->kind == ErrorKind::kDeviceLost;
}

std::string describe_error(const Api& api, int32_t code) {
  const Meaning* m = find(*api.vendor, code);
  const std::string name = code_name(api, code);
  return m != nullptr ? std::string(m->text) + " (" + name + ")" : name;
}

Error failed(const Api& api, std::string_view call, int32_t code) {
  const Meaning* m = find(*api.vendor, code);
  Error error(m != nullptr ? m->kind : ErrorKind::kInternal,
              std::string(native_name(*api.vendor, call)) + " fails: " + describe_error(api, code));
  if (m != nullptr && !m->hint.empty()) error.add_hint(std::string(m->hint));
  return error;
}

}  // namespace quern::cuda
