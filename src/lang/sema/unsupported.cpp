#include "lang/sema/unsupported.hpp"

#include "lang/sema/messages_unsupported.hpp"

namespace quern::lang {

namespace {

struct Entry {
  std::string_view prefix;
  bool whole;  // the whole name, not only its prefix
  const base::Message<1>& message;
};

constexpr Entry kEntries[] = {
    {"surface", true, message::kNoSurfaceReferences},
    {"texCubemap", false, message::kNoCubemaps},
    {"surfCubemap", false, message::kNoCubemaps},
    {"cudaTextureTypeCubemap", false, message::kNoCubemaps},
    {"DeviceReduce", false, message::kNoDeviceWide},
    {"DeviceScan", false, message::kNoDeviceWide},
    {"DeviceSegmented", false, message::kNoDeviceWide},
    {"DeviceRadixSort", true, message::kNoDeviceWide},
    {"DeviceMergeSort", true, message::kNoDeviceWide},
    {"DeviceHistogram", true, message::kNoDeviceWide},
    {"DeviceSelect", true, message::kNoDeviceWide},
    {"DevicePartition", true, message::kNoDeviceWide},
    {"DeviceRunLengthEncode", true, message::kNoDeviceWide},
    {"DeviceAdjacentDifference", true, message::kNoDeviceWide},
    {"DeviceSpmv", true, message::kNoDeviceWide},
    {"DeviceFor", true, message::kNoDeviceWide},
    {"thrust", true, message::kNoThrust},
    {"curand", false, message::kNoCurand},
    {"cufft", false, message::kNoCufft},
    {"cublas", false, message::kNoCublas},
    {"vector", true, message::kHostOnly},
    {"string", true, message::kHostOnly},
    {"shared_ptr", true, message::kHostOnly},
    {"unique_ptr", true, message::kHostOnly},
    {"map", true, message::kHostOnly},
    {"unordered_map", true, message::kHostOnly},
    {"set", true, message::kHostOnly},
    {"list", true, message::kHostOnly},
    {"deque", true, message::kHostOnly},
    {"cout", true, message::kPrintWithPrintf},
    {"cerr", true, message::kPrintWithPrintf},
    {"cudaMalloc", true, message::kNoHeap},
    {"cudaFree", true, message::kNoHeap},
    {"cudaStream", false, message::kNoStreams},
    {"cudaEvent", false, message::kNoEvents},
    {"wchar_t", true, message::kNoWideCharacters},
    {"char8_t", true, message::kNoWideCharacters},
    {"char16_t", true, message::kNoWideCharacters},
    {"char32_t", true, message::kNoWideCharacters},
    {"alloca", true, message::kNoAlloca},
    {"va_list", true, message::kNoVariadicFunctions},
    {"co_await", true, message::kNoCoroutines},
    {"co_return", true, message::kNoCoroutines},
    {"co_yield", true, message::kNoCoroutines},
    {"multi_grid_group", true, message::kNoMultiGrid},
    {"this_multi_grid", true, message::kNoMultiGrid},
    {"__nv_fp8_e8m0", false, message::kNoSmallFloats},
    {"cudaDeviceSynchronize", true, message::kNothingToWaitFor},
    {"cudaGraph", false, message::kNoGraphs},
};

}  // namespace

std::optional<base::MessageText> unsupported_name(std::string_view name) {
  for (const Entry& e : kEntries) {
    if (e.whole ? name == e.prefix : name.substr(0, e.prefix.size()) == e.prefix) return e.message(name);
  }
  return std::nullopt;
}

}  // namespace quern::lang
