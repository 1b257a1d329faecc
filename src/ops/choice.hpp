// Variants of the kernels of tunable operations. The sizes that a kernel takes as template arguments are
// parameters of a Variant; the first variant of an operation is its default.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/vendor/library.hpp"
#include "quern/device.hpp"
#include "quern/ops/element.hpp"
#include "quern/ops/matmul.hpp"
#include "quern/ops/shape.hpp"
#include "quern/tune.hpp"

namespace quern::ops {

// What the choice of a variant depends on.
struct Problem {
  Shape shape;  // extents in the order of TunableOperation
  Element element{};
  std::uint32_t alignment = 0;  // as in TuneRequest
  Precision precision = Precision::full;
};

struct Tunable {
  std::string_view name;     // of the operation
  std::string_view extents;  // "MxNxK"
  std::string_view summary;
  std::vector<std::string_view> files;  // of text/, which the result depends on
  std::vector<Variant> (*variants)(const DeviceInfo& info, const Problem& problem);
  bool last_is_exact = false;  // the variants depend on the last extent
  bool is_complex = false;     // elements are complex, else real

  // Whether measure_variants() takes this type.
  bool takes(Element element, Precision precision) const;
};
std::span<const Tunable> tunables();
const Tunable* find_tunable(std::string_view name);

std::string_view short_name_of(Element element);    // "f32"
std::string_view types_of(const Problem& problem);  // also "tf32"

// Name, shape class, types, source and variants.
TuneRequest describe_tuning(const Device& device, const Tunable& tunable, const Problem& problem);

// The variant of an operation for a call: of a VariantScope, else as QUERN_TUNE says. Looks at the disk once
// per device and class of problems. If a vendor's library was chosen, the fastest variant of our kernels.
Variant variant_for(const Device& device, std::string_view operation, const Problem& problem);
// The vendor's library that a call uses instead of our kernels.
vendor::Choice library_for(const Device& device, std::string_view operation, const Problem& problem);
// Later calls of variant_for() and library_for() use this result.
void remember_result(const Device& device, const Tunable& tunable, const Problem& problem,
                     const TuneResult& result);

// While it exists, this thread uses the variant for the operation.
class VariantScope {
 public:
  VariantScope(std::string_view operation, const Variant& variant);
  ~VariantScope();
  VariantScope(const VariantScope&) = delete;
  VariantScope& operator=(const VariantScope&) = delete;

  // Null: none for this operation.
  static const Variant* current(std::string_view operation);

 private:
  const VariantScope* before_;
  std::string_view operation_;
  const Variant& variant_;
};

// Variants of the operations. matmul.cpp, reduce.cpp, scan.cpp, sort.cpp, normalize.cpp, attention_wgmma.cpp
std::vector<Variant> matmul_variants(const DeviceInfo& info, const Problem& problem);
std::vector<Variant> lane_variants(const DeviceInfo& info, const Problem& problem);   // matmul on processors
std::vector<Variant> tile_variants(const DeviceInfo& info, const Problem& problem);   // matmul otherwise
std::vector<Variant> async_variants(const DeviceInfo& info, const Problem& problem);  // f32, f64 on NVIDIA
std::vector<Variant> wgmma_variants(const DeviceInfo& info, const Problem& problem);
std::vector<Variant> reduce_variants(const DeviceInfo& info, const Problem& problem);
std::vector<Variant> scan_variants(const DeviceInfo& info, const Problem& problem);
std::vector<Variant> sort_variants(const DeviceInfo& info, const Problem& problem);
std::vector<Variant> norm_variants(const DeviceInfo& info, const Problem& problem);
std::vector<Variant> attention_variants(const DeviceInfo& info, const Problem& problem);
std::vector<Variant> fft_variants(const DeviceInfo& info, const Problem& problem);

// The default first, and then the others.
std::vector<Variant> with_default(const Variant& standard, std::vector<Variant> others);

// Measures the variants of an operation on temporary operands.
TuneResult measure_variants(const Device& device, const Tunable& tunable, const Problem& problem,
                            const TuneOptions& options);

}  // namespace quern::ops
