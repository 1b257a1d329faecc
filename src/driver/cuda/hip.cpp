#include "driver/cuda/hip.hpp"

#include "base/environment.hpp"
#include "driver/cuda/driver.hpp"

namespace quern::hip {

namespace {

constexpr std::string_view kLibraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                           "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};

constexpr std::string_view kNodes[] = {"/dev/kfd", "/dev/dxg"};  // the second: WSL

constexpr int kAttributes[] = {
#define X(id, cuda, hip) hip,
    QUERN_CUDA_ATTRIBUTES(X)
#undef X
};

void* find(const base::SharedLibrary& library, const char*, int, const char* hip_name) {
  return *hip_name != '\0' ? library.find(hip_name) : nullptr;
}

// A separate library since ROCm 5.4, part of the main one before.
std::vector<std::string> compiler_places() {
  std::vector<std::string> places = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so",
                                     "/opt/rocm/lib/libhiprtc.so"};
  if (const auto own = base::env_text("QUERN_HIP_LIBRARY")) places = {*own};
  for (const std::string_view name : kLibraries) places.emplace_back(name);
  return places;
}

constexpr cuda::Vendor kHip = {
    .driver = "hip",
    .maker = "AMD",
    .what = "HIP",
    .environment = "QUERN_HIP_LIBRARY",
    .compiler_environment = "QUERN_HIPRTC",
    .libraries = kLibraries,
    .nodes = kNodes,
    .hint = "install AMD's ROCm (Debian and Ubuntu: libamdhip64)",
    .why_none =
        "check the permissions of /dev/kfd (group render) and HIP_VISIBLE_DEVICES, which may hide devices",
    .why_no_node =
        "load the kernel's amdgpu driver; start a container with --device /dev/kfd --device /dev/dri",
    .attributes = kAttributes,
    .text = driver::CodeKind::kHipCpp,
    .binary = driver::CodeKind::kHipObject,
    .compiler = "hiprtc",
    .get_code = "Code",
    .compiler_name = "hiprtc",
    .compiler_hint = "install AMD's ROCm, or set QUERN_HIPRTC to the library",
    .compiler_places = compiler_places,
    .find = find,
};

}  // namespace

const cuda::Vendor& vendor() { return kHip; }

std::unique_ptr<driver::Driver> make_driver() { return cuda::make_driver_of(kHip); }

}  // namespace quern::hip
