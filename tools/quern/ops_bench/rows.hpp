// The measurements of `quern bench ops`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops_bench/vendor_blas.hpp"
#include "quern/device.hpp"
#include "quern/receipt.hpp"

namespace quern::tool {

// An operation on one shape.
struct BenchRow {
  std::string operation, type, shape;
  double work = 0;        // bytes or floating-point operations of a run
  bool is_flops = false;  // else bytes
  double seconds = 0;     // of a run
  std::string kernel;     // of the receipt: names the variant
  std::string wrong;      // empty: the result equals that of the host
  double share = 0;       // of the device's copy bandwidth or multiply-add throughput; 0: unknown
  double vendor_seconds = 0;
  std::string vendor;  // the library, or why there is none

  double rate() const { return work / seconds * 1e-9; }  // GB/s or GFLOP/s
  const char* unit() const { return is_flops ? "GFLOP/s" : "GB/s"; }
};

struct BenchPeaks {
  double gigabytes = 0, gigaflops = 0;  // measured: copies, float multiply-add; 0: unknown
};

enum class BenchSize { kTiny, kHost, kGpu };

// Measures every row. `blas`: null without a comparison. `on_row` is called before each one.
std::vector<BenchRow> measure_operations(const Device& device, BenchSize size, const BenchPeaks& peaks,
                                         const VendorBlas* blas,
                                         const std::function<void(const std::string&)>& on_row);

// A bar chart of the shares.
std::string bench_plot(const std::string& title, const std::vector<BenchRow>& rows);

}  // namespace quern::tool
