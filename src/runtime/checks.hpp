// What check mode found on a device (lang/pass/check_bounds.hpp): the buffer that kernels tell it in, and the
// places in the user's text that the numbers in it stand for.
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

  // The number that the next site will have, and the sites that got numbers from there on. Between the two
  // calls nobody else may add any: hold `lock`.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  uint32_t next_site() const { return static_cast<uint32_t>(sites_.size()); }
  void add(std::vector<pass::CheckSite> sites);

  // Where kernels write; made when it is first asked for.
  base::Result<driver::Place> place(driver::Stream& driver_stream);
  // Behind the launch: what was found is the error, and the board is empty again. Waits.
  base::Result<> take_error(driver::Stream& driver_stream);

 private:
  base::Result<> clear(driver::Stream& driver_stream);

  driver::Device& device_;
  std::mutex mutex_;
  std::vector<pass::CheckSite> sites_;
  std::unique_ptr<driver::Buffer> board_;
};

}  // namespace quern::runtime
