// A decorator that counts objects of the wrapped device that were not destroyed: buffers, programs, kernels,
// streams and events, and the device itself.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "driver/interface/driver.hpp"

namespace quern::inject {

struct Counts {
  std::atomic<int64_t> buffers{0}, programs{0}, kernels{0}, streams{0}, events{0}, devices{0};
  std::atomic<int64_t> bytes{0};   // of the buffers
  std::atomic<uint64_t> calls{0};  // objects ever created

  int64_t alive() const { return buffers + programs + kernels + streams + events + devices; }
  std::string to_string() const;
};

std::unique_ptr<driver::Device> count(std::unique_ptr<driver::Device> inner, std::shared_ptr<Counts> counts);

}  // namespace quern::inject
