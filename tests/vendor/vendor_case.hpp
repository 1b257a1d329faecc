// Operations with the fake libraries of vendors, and with a device whose driver is a fake.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/shared_library.hpp"
#include "base/temporary_folder.hpp"
#include "cuda/fake_cuda.hpp"
#include "ops/choice.hpp"
#include "quern/interop.hpp"
#include "quern/ops.hpp"
#include "quern/ops/tune.hpp"
#include "quern/quern.hpp"
#include "support/devices.hpp"
#include "vendor/fake_vendor.hpp"

namespace quern::ops {

class VendorCase : public testing::Test {
 protected:
  static constexpr std::string_view kFiles[] = {"libcublas.so.13", "libcublasLt.so.13", "libcufft.so.12",
                                                "librocblas.so.5", "libopenblas.so.0",  "libblis.so.4"};

  void SetUp() override {
    ::setenv("QUERN_CACHE", cache_.path().c_str(), 1);
    ::unsetenv("QUERN_TUNE");
    use(QUERN_FAKE_VENDOR);
    fake = control<test::GetFakeVendor>(QUERN_FAKE_VENDOR, "fake_vendor");
    fake->reset();
  }
  void TearDown() override {
    ::unsetenv("QUERN_VENDOR_LIBRARIES");
    ::unsetenv("QUERN_CACHE");
  }

  // QUERN_VENDOR_LIBRARIES is a folder in which all libraries are this one. Empty: a folder without
  // libraries.
  void use(const std::string& library) {
    const std::string folder = folders_ / std::to_string(++uses_);
    std::filesystem::create_directory(folder);
    for (const std::string_view name : kFiles) {
      if (!library.empty()) std::filesystem::create_symlink(library, folder + "/" + std::string(name));
    }
    ::setenv("QUERN_VENDOR_LIBRARIES", folder.c_str(), 1);
  }
  // As if a tuning had chosen the library for all shapes of the class.
  static void choose(const Device& device, const char* operation, const Shape& shape, Element element,
                     vendor::Name library) {
    TuneResult result;
    result.variant = vendor::variant_of(library);
    result.source = TuneSource::measured;
    remember_result(device, *find_tunable(operation), {shape, element}, result);
  }
  template <typename Work>
  static std::string message_of(const Work& work) {
    try {
      work();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
  template <typename Get>
  static std::invoke_result_t<Get> control(const char* library, const char* symbol) {
    const std::string_view names[] = {library};
    auto loaded = base::SharedLibrary::open(names, "");
    Get* get = nullptr;
    if (!loaded.ok() || !loaded->load(symbol, get).ok()) throw std::runtime_error("a fake is missing");
    return get();
  }

  test::FakeVendor* fake = nullptr;

 private:
  base::TemporaryFolder cache_, folders_;
  int uses_ = 0;
};

// Small whole numbers: sums are exact in any order.
template <typename T>
std::vector<T> small_numbers(std::int64_t count, int step) {
  std::vector<T> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<T>(static_cast<float>(static_cast<int>(i) * step % 7 - 3));
  return out;
}

template <typename T>
Tensor<T> uploaded(const Device& device, const Shape& shape, int step) {
  Tensor<T> out(device, shape);
  out.upload(small_numbers<T>(shape.size(), step));
  return out;
}

// alpha * a * b + beta * c, for values in row-major order and `batches` of them.
template <typename T>
std::vector<T> reference(const Shape& s, const std::vector<T>& a, const std::vector<T>& b, std::vector<T> c,
                         double alpha, double beta) {
  const auto m = static_cast<std::size_t>(s[0]), n = static_cast<std::size_t>(s[1]),
             k = static_cast<std::size_t>(s[2]);
  for (std::size_t at = 0; at < c.size(); ++at) {
    const std::size_t batch = at / (m * n), i = at / n % m, j = at % n;
    const T* const left = a.data() + batch * m * k % a.size();
    const T* const right = b.data() + batch * k * n % b.size();
    T sum = 0;
    for (std::size_t d = 0; d < k; ++d) sum += left[i * k + d] * right[d * n + j];
    c[at] = static_cast<T>(alpha) * sum + (beta == 0 ? 0 : static_cast<T>(beta) * c[at]);
  }
  return c;
}

}  // namespace quern::ops
