// Results of check mode on a device (lang/pass/check_bounds.hpp): the buffer that kernels write them to, and
// the source locations that the numbers in it refer to.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/driver.hpp"
#include "lang/pass/check_bounds.hpp"

namespace quern::runtime {

class CheckBoard {
 public:
  explicit CheckBoard(driver::Device& device) : device_(device) {}

  // The number of the next site, and registration of the sites that got numbers from there on. Nobody else
  // may add sites between the two calls: hold `lock`.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  uint32_t next_site() const { return static_cast<uint32_t>(sites_.size()); }
  void add(std::vector<pass::CheckSite> sites);

  // The buffer that kernels write to; allocated on first use.
  base::Result<driver::Place> place(driver::Stream& driver_stream);
  // Called after the launch. Returns a found violation as an error and clears the buffer. Waits.
  base::Result<> take_error(driver::Stream& driver_stream);

 private:
  base::Result<> clear(driver::Stream& driver_stream);

  driver::Device& device_;
  std::mutex mutex_;
  std::vector<pass::CheckSite> sites_;
  std::unique_ptr<driver::Buffer> board_;
};

}  // namespace quern::runtime
