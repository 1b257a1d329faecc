// What the kernels of a stream have told, for drivers whose kernels tell it by reports (report.hpp).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/driver.hpp"
#include "driver/interface/report.hpp"
#include "driver/support/output_buffer.hpp"

namespace quern::driver {

// Where the kernels of a program write what they print and where they fail.
struct Report {
  std::unique_ptr<Buffer> buffer;
  std::vector<ReportSite> sites;
};

// The words of a report, which is empty again afterwards. `read` fills words from its beginning, and waits
// for them; `clear` writes the header of an empty one.
base::Result<std::vector<uint32_t>> take_words(
    const std::function<base::Result<>(std::span<uint32_t> words)>& read,
    const std::function<base::Result<>()>& clear);

// Events may outlive their stream, and several threads may wait.
class DeviceLog {
 public:
  using Take = std::function<base::Result<std::vector<uint32_t>>(const Report&)>;

  void expect(const std::shared_ptr<Report>& report);  // a launch may write it
  void fail(base::Error error);                        // some work has failed: the next listen() says so
  // Takes what was written since the last time, when nothing that writes it is in flight, and adds other
  // findings. The first of the new findings is the error.
  base::Result<> listen(const Take& take, std::vector<Finding> others = {});
  std::string take_output();
  std::vector<Finding> take_findings();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Report>> reports_;
  OutputBuffer output_;
  std::vector<Finding> findings_;
  std::mutex failure_mutex_;  // work fails while somebody listens
  std::optional<base::Error> failure_;
};

}  // namespace quern::driver
