#include "lang/sema/unsupported.hpp"

namespace quern::lang {

namespace {

struct Entry {
  std::string_view prefix;
  bool whole;  // the whole name, not only its prefix
  std::string_view reason;
};

constexpr std::string_view kTexture = "textures and surfaces are not available; read from a buffer";
constexpr std::string_view kHost = "it exists only on the host; pass a pointer and a size";
constexpr std::string_view kHeap = "memory cannot be allocated inside a kernel; pass a buffer";

constexpr std::string_view kWideInteger =
    "128-bit integers are not available; use two 64-bit halves and __umul64hi";

constexpr std::string_view kDeviceWide =
    "it is host code that launches its own kernels; kernels can use the block and warp parts of cub";

constexpr std::string_view kWideCharacter = "characters in kernels have 1 byte; use char";
constexpr std::string_view kCoroutine = "coroutines are not available in kernels";
constexpr std::string_view kSemaphore = "use an atomic, cuda::barrier or cuda::latch";
constexpr std::string_view kSmallFloat =
    "of the floats with 8 or fewer bits, only E4M3 and E5M2 are available";

constexpr Entry kEntries[] = {
    {"texture", true, kTexture},
    {"surface", true, kTexture},
    {"cudaTextureObject_t", true, kTexture},
    {"cudaSurfaceObject_t", true, kTexture},
    {"CUtexObject", true, kTexture},
    {"CUsurfObject", true, kTexture},
    {"tex1D", false, kTexture},
    {"tex2D", false, kTexture},
    {"tex3D", false, kTexture},
    {"surf1D", false, kTexture},
    {"surf2D", false, kTexture},
    {"surf3D", false, kTexture},
    {"DeviceReduce", false, kDeviceWide},
    {"DeviceScan", false, kDeviceWide},
    {"DeviceSegmented", false, kDeviceWide},
    {"DeviceRadixSort", true, kDeviceWide},
    {"DeviceMergeSort", true, kDeviceWide},
    {"DeviceHistogram", true, kDeviceWide},
    {"DeviceSelect", true, kDeviceWide},
    {"DevicePartition", true, kDeviceWide},
    {"DeviceRunLengthEncode", true, kDeviceWide},
    {"DeviceAdjacentDifference", true, kDeviceWide},
    {"DeviceSpmv", true, kDeviceWide},
    {"DeviceFor", true, kDeviceWide},
    {"thrust", true, "the library thrust is not available in kernels"},
    {"curand", false, "only the curand generators XORWOW and Philox4x32-10 are available"},
    {"cufft", false, "the library cufft is not available in kernels"},
    {"cublas", false, "the library cublas is not available in kernels"},
    {"vector", true, kHost},
    {"string", true, kHost},
    {"shared_ptr", true, kHost},
    {"unique_ptr", true, kHost},
    {"map", true, kHost},
    {"unordered_map", true, kHost},
    {"set", true, kHost},
    {"list", true, kHost},
    {"deque", true, kHost},
    {"cout", true, "kernels print with printf"},
    {"cerr", true, "kernels print with printf"},
    {"malloc", true, kHeap},
    {"free", true, kHeap},
    {"cudaMalloc", true, kHeap},
    {"cudaFree", true, kHeap},
    {"cudaStream", false, "kernels cannot launch kernels or use streams"},
    {"cudaEvent", false, "events belong to the host"},
    {"__int128", true, kWideInteger},
    {"__int128_t", true, kWideInteger},
    {"__uint128_t", true, kWideInteger},
    {"wchar_t", true, kWideCharacter},
    {"char8_t", true, kWideCharacter},
    {"char16_t", true, kWideCharacter},
    {"char32_t", true, kWideCharacter},
    {"alloca", true, "the size of an array must be known at compile time; pass a buffer"},
    {"va_list", true, "functions with variable arguments are not available in kernels"},
    {"co_await", true, kCoroutine},
    {"co_return", true, kCoroutine},
    {"co_yield", true, kCoroutine},
    {"counting_semaphore", true, kSemaphore},
    {"binary_semaphore", true, kSemaphore},
    {"multi_grid_group", true, "a grid runs on one device"},
    {"this_multi_grid", true, "a grid runs on one device"},
    {"__nv_fp8_e8m0", false, kSmallFloat},
    {"__nv_fp6", false, kSmallFloat},
    {"__nv_fp4", false, kSmallFloat},
    {"cudaDeviceSynchronize", true, "kernels cannot launch kernels, so there is nothing to wait for"},
    {"cudaGraph", false, "graphs are created by the host"},
};

}  // namespace

std::string_view unsupported_name(std::string_view name) {
  for (const Entry& e : kEntries) {
    if (e.whole ? name == e.prefix : name.substr(0, e.prefix.size()) == e.prefix) return e.reason;
  }
  return {};
}

}  // namespace quern::lang
