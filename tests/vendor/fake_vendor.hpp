// Controls the fake libraries of vendors (fake_vendor.cpp): cuBLAS, cuFFT, rocBLAS, OpenBLAS and BLIS in one.
// Products and transforms are computed on the host immediately; products of 16-bit types are only recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace quern::test {

struct FakeVendorCall {
  std::string function;
  std::vector<long long> numbers;  // extents, strides and enumerations, in the order of the parameters
  void* stream = nullptr;          // that was set last
  void* workspace = nullptr;       // that was set last, after the stream
  std::size_t workspace_bytes = 0;
};

struct FakeVendor {
  virtual ~FakeVendor() = default;
  virtual void reset() = 0;
  virtual void fail(const std::string& function, int code) = 0;  // each call of it from now on
  virtual void set_wrong(bool is_wrong) = 0;                     // results of CBLAS are wrong
  virtual const std::vector<FakeVendorCall>& calls() const = 0;  // products and transforms
  virtual std::size_t count(const std::string& function) const = 0;
  virtual long alive() const = 0;  // handles and plans
};

// Exported by the fake as "fake_vendor".
using GetFakeVendor = FakeVendor*();

}  // namespace quern::test
