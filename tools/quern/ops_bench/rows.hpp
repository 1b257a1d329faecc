// The measurements of `quern bench ops`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/choice.hpp"
#include "quern/device.hpp"
#include "quern/receipt.hpp"

namespace quern::tool {

// An operation on one shape.
struct BenchRow {
  std::string operation, type, shape;
  std::string variant;    // that was measured; empty: the one that a call uses
  ops::Problem problem;   // without a shape for operations without variants
  double work = 0;        // bytes or floating-point operations of a run
  bool is_flops = false;  // else bytes
  double seconds = 0;     // of a run
  std::string kernel;     // of the receipt: names the variant
  std::string wrong;      // empty: the result equals that of the host
  double share = 0;       // of the device's copy bandwidth or multiply-add throughput; 0: unknown
  double vendor_seconds = 0, vendor_share = 0;
  std::string vendor;  // the library, "cublas 13.0", or why there is none

  bool is_compared() const { return vendor_seconds > 0; }
  double rate() const { return work / seconds * 1e-9; }  // GB/s or GFLOP/s
  const char* unit() const { return is_flops ? "GFLOP/s" : "GB/s"; }
};

struct BenchPeaks {
  double gigabytes = 0, gigaflops = 0;  // measured: copies, float multiply-add; 0: unknown
};

enum class BenchSize { kTiny, kHost, kGpu };

struct BenchRequest {
  std::vector<std::string> operations, types, shapes;  // empty: all
  bool compares = false;                               // also with the vendor's library if there is one
  bool all_variants = false;                           // a row for each variant of an operation
};

// Measures rows. `on_row` is called before each operation and shape.
std::vector<BenchRow> measure_operations(const Device& device, BenchSize size, const BenchPeaks& peaks,
                                         const BenchRequest& request,
                                         const std::function<void(const std::string&)>& on_row);

// A bar chart of the shares.
std::string bench_plot(const std::string& title, const std::vector<BenchRow>& rows);

}  // namespace quern::tool
