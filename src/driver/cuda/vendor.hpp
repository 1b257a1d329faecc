// The differences between the two vendors, whose APIs are otherwise the same: names, locations, numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_library.hpp"
#include "driver/cuda/api.hpp"
#include "driver/interface/info.hpp"

namespace quern::cuda {

// clang-format off
// Device attributes: name here, CUDA's number, HIP's number.
#define QUERN_CUDA_ATTRIBUTES(X)                                                        \
  X(BlockThreads, 1, 56)           X(BlockX, 2, 26)             X(BlockY, 3, 27)        \
  X(BlockZ, 4, 28)                 X(GridX, 5, 29)              X(GridY, 6, 30)         \
  X(GridZ, 7, 31)                  X(SharedBytes, 8, 74)        X(ConstantBytes, 9, 83) \
  X(Warp, 10, 87)                  X(BlockRegisters, 12, 71)    X(ClockKhz, 13, 5)      \
  X(Units, 16, 63)                 X(RunLimit, 17, 18)          X(Integrated, 18, 16)   \
  X(MapsHost, 19, 3)               X(ComputeMode, 20, 6)        X(Concurrent, 31, 8)    \
  X(Ecc, 32, 0)                    X(MemoryKhz, 36, 60)         X(BusWidth, 37, 59)     \
  X(L2Bytes, 38, 19)               X(UnitThreads, 39, 57)       X(CopyEngines, 40, 2)   \
  X(Unified, 41, 85)               X(Major, 75, 23)             X(Minor, 76, 61)        \
  X(UnitShared, 81, 76)            X(UnitRegisters, 82, 72)     X(Managed, 83, 24)      \
  X(HostAtomics, 86, 15)           X(Pageable, 88, 65)          X(ConcurrentManaged, 89, 9) \
  X(Cooperative, 95, 10)           X(SharedOptIn, 97, 75)       X(UnitBlocks, 106, 25)  \
  X(Pools, 115, 88)                X(Clusters, 120, -1)         X(WallKhz, -1, 10017)
// clang-format on

enum class Attribute : uint8_t {
#define X(id, cuda, hip) k##id,
  QUERN_CUDA_ATTRIBUTES(X)
#undef X
};

struct Vendor {
  std::string_view driver;       // "cuda"
  std::string_view maker;        // "NVIDIA"
  std::string_view what;         // "CUDA"
  std::string_view environment;  // the variable that overrides the library
  std::string_view compiler_environment;
  std::span<const std::string_view> libraries;
  std::span<const std::string_view>
      nodes;                     // device nodes, one of which exists if there is a device; empty: not known
  std::string_view hint;         // how to install the libraries
  std::string_view why_none;     // hint if no device is found
  std::string_view why_no_node;  // hint if none of `nodes` exists
  std::span<const int> attributes;
  driver::CodeKind text;
  driver::CodeKind binary;
  // The run-time compiler: prefix of its functions ("CreateProgram", …)
  std::string_view compiler;
  std::string_view get_code;  // "GetCUBIN"
  std::string_view compiler_name;
  std::string_view compiler_hint;
  std::vector<std::string> (*compiler_places)();
  // Returns the function of that name and API version; null if there is none.
  void* (*find)(const base::SharedLibrary& library, const char* cuda_name, int version, const char* hip_name);

  bool is_cuda() const { return text == driver::CodeKind::kCudaCpp; }
};

const Vendor& cuda_vendor();

}  // namespace quern::cuda
