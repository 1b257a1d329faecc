#include "driver/interface/info.hpp"

#include <iterator>

namespace quern::driver {

namespace {

struct FeatureText {
  Feature feature;
  std::string_view name, meaning;
};

constexpr FeatureText kFeatureTexts[] = {
    {Feature::fp16, "fp16", "half precision arithmetic"},
    {Feature::bf16, "bf16", "bfloat16 arithmetic"},
    {Feature::fp64, "fp64", "double precision"},
    {Feature::int8, "int8", "8-bit memory access"},
    {Feature::int16, "int16", "16-bit memory access"},
    {Feature::int64, "int64", "64-bit integers"},
    {Feature::atomics16, "atomics16", "16-bit atomics"},
    {Feature::atomics64, "atomics64", "64-bit atomics"},
    {Feature::atomics_f16, "atomics_f16", "half precision atomics"},
    {Feature::atomics_f32, "atomics_f32", "float atomics"},
    {Feature::atomics_f64, "atomics_f64", "double precision atomics"},
    {Feature::system_scope, "system_scope", "atomics that are visible to the host"},
    {Feature::warps, "warps", "warp operations"},
    {Feature::divergent_barriers, "divergent_barriers", "barriers in divergent control flow"},
    {Feature::grid_barrier, "grid_barrier", "grid-wide barriers"},
    {Feature::clusters, "clusters", "thread block clusters"},
    {Feature::addresses, "addresses", "device addresses (pointers in memory, in structs, or cast)"},
    {Feature::generic_pointers, "generic_pointers", "pointers that may point to several address spaces"},
    {Feature::dynamic_shared, "dynamic_shared", "dynamic shared memory"},
    {Feature::variables, "variables", "__device__ variables that the host sets and reads"},
    {Feature::print, "print", "printf"},
    {Feature::assert, "assert", "assert and trap"},
    {Feature::clock, "clock", "a clock for kernels (clock())"},
    {Feature::shared_memory, "shared_memory", "memory that host and device share"},
    {Feature::managed_memory, "managed_memory", "managed memory that migrates between host and device"},
    {Feature::mapped_memory, "mapped_memory", "host memory that kernels can access"},
    {Feature::timestamps, "timestamps", "device timestamps for events"},
    {Feature::graphs, "graphs", "native graphs"},
    {Feature::persistent, "persistent", "persistent kernels"},
};

constexpr bool is_complete() {  // a row for every feature, in order
  for (size_t i = 0; i < std::size(kFeatureTexts); ++i) {
    if (kFeatureTexts[i].feature != static_cast<Feature>(i)) return false;
  }
  return std::size(kFeatureTexts) == kFeatureCount;
}
static_assert(is_complete());

constexpr std::string_view kCodeNames[] = {
#define X(id, text) text,
    QUERN_CODE_KINDS(X)
#undef X
};

constexpr std::string_view kDeviceKindNames[] = {"discrete", "integrated", "virtual",
                                                 "cpu",      "simulated",  "other"};

}  // namespace

std::string_view name(Feature feature) { return kFeatureTexts[static_cast<size_t>(feature)].name; }
std::string_view meaning(Feature feature) { return kFeatureTexts[static_cast<size_t>(feature)].meaning; }
std::string_view name(CodeKind kind) { return kCodeNames[static_cast<size_t>(kind)]; }
std::string_view name(DeviceKind kind) { return kDeviceKindNames[static_cast<size_t>(kind)]; }

std::vector<ir::Matrix> matrices_of_sm(int architecture) {
  using enum ir::MatrixType;
  std::vector<ir::Matrix> out;
  const auto add = [&](ir::MatrixType type, ir::MatrixShape shape, bool is_half_sum, bool is_saturating) {
    out.push_back({.type = type, .shape = shape, .is_half_sum = is_half_sum, .is_saturating = is_saturating});
  };
  const ir::MatrixShape square = ir::MatrixShape::k16x16x16;
  for (const ir::MatrixShape shape : {square, ir::MatrixShape::k32x8x16, ir::MatrixShape::k8x32x16}) {
    for (const bool yes : {false, true}) {
      if (architecture >= 75) add(kHalf, shape, yes, false);
      if (architecture >= 75) add(kI8, shape, false, yes);
      if (architecture >= 75) add(kU8, shape, false, yes);
    }
    if (architecture >= 80) add(kBfloat, shape, false, false);
  }
  if (architecture >= 80) add(kTf32, ir::MatrixShape::k16x16x8, false, false);
  if (architecture >= 80) add(kDouble, ir::MatrixShape::k8x8x4, false, false);
  return out;
}

}  // namespace quern::driver
