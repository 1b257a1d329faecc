// Floats in large pages, like the device's buffers.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <sys/mman.h>

namespace quern::bench {

class LargePages {
 public:
  explicit LargePages(int floats) : floats_(static_cast<size_t>(floats)) {
    constexpr size_t kPage = size_t{2} << 20;
    const size_t bytes = (floats_ * sizeof(float) + kPage - 1) / kPage * kPage;
    memory_.reset(static_cast<float*>(std::aligned_alloc(kPage, bytes)));
    (void)::madvise(memory_.get(), bytes, MADV_HUGEPAGE);
    std::fill_n(memory_.get(), floats_, 1.0f);
  }
  float* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  size_t floats_;
  std::unique_ptr<float, Free> memory_;
};

}  // namespace quern::bench
