// Measures one operation after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ops/choice.hpp"
#include "ops_bench/rows.hpp"
#include "quern/device.hpp"
#include "quern/module.hpp"

namespace quern::tool {

// Numbers from `low` to `high`.
template <typename T>
std::vector<T> random_numbers(std::size_t count, std::uint32_t seed, double low, double high) {
  std::vector<T> out(count);
  for (T& v : out) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<T>(low + (high - low) * (static_cast<double>(seed >> 8) * 0x1p-24));
  }
  return out;
}

std::string differs(std::size_t at, double got, double want);
BenchRow row_of(const char* operation, ops::Element element, const ops::Shape& shape, double work);

// How to run a row once.
struct BenchJob {
  std::function<Receipt()> run;
  std::function<void()> prepare;       // before each run, not measured; may be empty
  std::function<std::string()> check;  // of the last run's result: empty, or what is wrong
};

// Times of a GPU's work without that of the host that submits it: the work waits for a kernel that runs until
// all of it is submitted. On other devices, the time of the host.
class BenchClock {
 public:
  explicit BenchClock(const Device& device);
  // Seconds of one of `repeats` runs.
  double measure(const BenchJob& job, int repeats) const;

 private:
  void delay(double seconds) const;

  const Device& device_;
  bool is_gpu_;
  Kernel spin_;
  mutable Buffer<float> out_;
  double rounds_per_second_ = 0;
};

class Bench {
 public:
  Bench(const Device& device, const BenchPeaks& peaks, const BenchRequest& request,
        const std::function<void(const std::string&)>& on_row)
      : device_(device), clock_(device), peaks_(peaks), request_(request), on_row_(on_row) {}

  void multiply(BenchSize size);
  void transform(std::int64_t batches, std::int64_t n);
  void primitives(std::int64_t n, std::int64_t keys);
  void rows_of(std::int64_t rows, std::int64_t columns);
  bool wants_any(std::initializer_list<const char*> operations) const;
  std::vector<BenchRow> take() { return std::move(rows_); }

 private:
  template <typename T>
  void multiply(const ops::Shape& shape, ops::Precision precision = ops::Precision::full);
  bool wants(const BenchRow& row) const;
  void add(BenchRow row, const BenchJob& job);
  std::optional<Variant> find_library(BenchRow& row, const BenchJob& job) const;
  void measure(BenchRow& row, const BenchJob& job, const std::optional<Variant>& library,
               const Variant* own) const;
  void finish(BenchRow row);

  const Device& device_;
  BenchClock clock_;
  const BenchPeaks& peaks_;
  const BenchRequest& request_;
  const std::function<void(const std::string&)>& on_row_;
  std::vector<BenchRow> rows_;
};

}  // namespace quern::tool
