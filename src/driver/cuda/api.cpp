#include "driver/cuda/api.hpp"

#include "base/environment.hpp"
#include "base/shared_library.hpp"
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

// CUDA's numbers, which are HIP's too. Those that are not here are defects of ours.
constexpr Meaning kMeanings[] = {
    {2, ErrorKind::kOutOfMemory, "there is not enough memory", "free buffers, or work in smaller parts"},
    {4, ErrorKind::kDeviceLost, "the driver is shutting down", ""},
    {34, ErrorKind::kUnsupported, "the library is the toolkit's stub",
     "remove the stubs folder from LD_LIBRARY_PATH"},
    {35, ErrorKind::kUnsupported, "the kernel module is older than the library", "update the GPU's driver"},
    {36, ErrorKind::kUnsupported, "the call needs a newer driver", "update the GPU's driver"},
    {46, ErrorKind::kUnsupported, "the device is busy or reserved for another process",
     "end that process, or set its compute mode to default: nvidia-smi -c 0"},
    {100, ErrorKind::kNotFound, "there is no device", ""},
    {101, ErrorKind::kUnsupported, "the device cannot be used", "see whether nvidia-smi shows it"},
    {102, ErrorKind::kUnsupported, "the device has no licence for computing", ""},
    {200, ErrorKind::kBadInput, "the program is no code for this device", ""},
    {209, ErrorKind::kUnsupported, "the program has no code for this device",
     "compile it for this architecture"},
    {214, ErrorKind::kDeviceLost, "the device's memory has an error that cannot be corrected",
     "reset or replace it"},
    {218, ErrorKind::kCompile, "the PTX is not valid", ""},
    {220, ErrorKind::kDeviceLost, "the link between devices has an error that cannot be corrected", ""},
    {221, ErrorKind::kUnsupported, "the driver's PTX compiler is not installed",
     "install libnvidia-ptxjitcompiler"},
    {222, ErrorKind::kUnsupported, "the PTX is of a newer version than the driver",
     "update the GPU's driver"},
    {223, ErrorKind::kUnsupported, "compiling PTX is switched off", "unset CUDA_DISABLE_PTX_JIT"},
    {226, ErrorKind::kDeviceLost, "the device has stopped after an error", ""},
    {300, ErrorKind::kBadInput, "the program's text is not valid", ""},
    {303, ErrorKind::kUnsupported, "a library of the driver does not start", "reinstall the GPU's driver"},
    {304, ErrorKind::kUnsupported, "the operating system refuses the driver",
     "see the rights of /dev/nvidia*"},
    {500, ErrorKind::kNotFound, "the name is not there", ""},
    {700, ErrorKind::kDeviceLost, "a kernel reads or writes where it has no memory", "run it with --on sim"},
    {701, ErrorKind::kInvalidUse, "a block needs more registers than there are", "launch smaller blocks"},
    {702, ErrorKind::kDeviceLost, "a kernel runs longer than this system allows", "launch less work at once"},
    {709, ErrorKind::kDeviceLost, "the context is gone", ""},
    {710, ErrorKind::kDeviceLost, "an assert of a kernel fails", ""},
    {714, ErrorKind::kDeviceLost, "a kernel's stack is damaged or too small", ""},
    {715, ErrorKind::kDeviceLost, "a kernel traps or comes to an illegal instruction", ""},
    {716, ErrorKind::kDeviceLost, "a kernel's access is not aligned", "run it with --on sim"},
    {717, ErrorKind::kDeviceLost, "a kernel's access is in the wrong memory", ""},
    {718, ErrorKind::kDeviceLost, "a kernel jumps to where no code is", ""},
    {719, ErrorKind::kDeviceLost, "a kernel traps or fails", ""},
    {720, ErrorKind::kInvalidUse, "the blocks of the grid do not fit the device at once",
     "launch fewer blocks"},
    {721, ErrorKind::kDeviceLost, "a kernel leaves tensor memory behind", ""},
    {800, ErrorKind::kInvalidUse, "the call is not permitted here",
     "functions called by a queue may not use the GPU"},
    {801, ErrorKind::kUnsupported, "the device cannot do that", ""},
    {802, ErrorKind::kUnsupported, "the system is not ready", "start nvidia-fabricmanager"},
    {803, ErrorKind::kUnsupported, "the library and the kernel module are of different versions",
     "restart the machine"},
    {804, ErrorKind::kUnsupported, "the compatibility library does not support this device",
     "remove cuda-compat"},
    {805, ErrorKind::kUnsupported, "the MPS server cannot be reached", "see nvidia-cuda-mps-control"},
    {806, ErrorKind::kDeviceLost, "the MPS server does not answer", ""},
    {807, ErrorKind::kUnsupported, "the MPS server is not ready", "try again in a moment"},
    {808, ErrorKind::kUnsupported, "the MPS server has no room for another process", ""},
    {809, ErrorKind::kUnsupported, "the MPS server has no connection left", ""},
    {810, ErrorKind::kDeviceLost, "the MPS server has ended this process", ""},
    {909, ErrorKind::kTimeout, "the call runs out of time", ""},
    {999, ErrorKind::kUnsupported, "the driver gives no reason",
     "see dmesg; after a suspend: reload nvidia_uvm"},
};

const Meaning* find(int32_t code) {
  for (const Meaning& m : kMeanings) {
    if (m.code == code) return &m;
  }
  return nullptr;
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

Result<Api> load_api(const Vendor& vendor) {
  std::vector<std::string_view> names(vendor.libraries.begin(), vendor.libraries.end());
  const auto own = base::env_text(std::string(vendor.environment).c_str());
  if (own) names = {*own};
  QUERN_TRY_ASSIGN(const base::SharedLibrary library, base::SharedLibrary::open(names, vendor.hint));
  Api api;
  api.vendor = &vendor;
  api.library = library.name();
  const auto load = [&](auto& function, const char* cuda, int version, const char* hip) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        vendor.find(library, cuda, version, hip));
    return function != nullptr;
  };
#define X(name, cuda, version, hip, parameters) (void)load(api.name, cuda, version, hip);
  QUERN_CUDA_NEWER_SYMBOLS(X)
#undef X
#define X(name, cuda, version, hip, parameters)                                                             \
  if (!load(api.name, cuda, version, hip))                                                                  \
    return Error(ErrorKind::kUnsupported, std::string(vendor.maker) +                                       \
                                              "'s driver is too old: " + api.library +                      \
                                              " has no function '" + (vendor.is_cuda() ? cuda : hip) + "'") \
        .add_hint(std::string(vendor.hint));
  QUERN_CUDA_SYMBOLS(X)
#undef X
  return api;
}

bool is_sticky(int32_t code) {
  const Meaning* m = find(code);
  return m != nullptr && m->kind == ErrorKind::kDeviceLost;
}

std::string describe_error(const Api& api, int32_t code) {
  const Meaning* m = find(code);
  const std::string name = code_name(api, code);
  return m != nullptr ? std::string(m->text) + " (" + name + ")" : name;
}

Error failed(const Api& api, std::string_view call, int32_t code) {
  const Meaning* m = find(code);
  Error error(m != nullptr ? m->kind : ErrorKind::kInternal,
              std::string(native_name(*api.vendor, call)) + " fails: " + describe_error(api, code));
  if (m != nullptr && !m->hint.empty()) error.add_hint(std::string(m->hint));
  return error;
}

}  // namespace quern::cuda
