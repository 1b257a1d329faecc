// The output and findings of a stream's kernels, for drivers whose kernels write reports (report.hpp).
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

// The buffer into which the kernels of a program write printf output and failures.
struct Report {
  std::unique_ptr<Buffer> buffer;
  std::vector<ReportSite> sites;
};

// Returns the words of a report and empties it. `read` fills words from the start of the report and blocks
// until they are there; `clear` writes the header of an empty report.
base::Result<std::vector<uint32_t>> take_words(
    const std::function<base::Result<>(std::span<uint32_t> words)>& read,
    const std::function<base::Result<>()>& clear);

// Thread-safe: events may outlive their stream, and several threads may wait for them.
class DeviceLog {
 public:
  using Take = std::function<base::Result<std::vector<uint32_t>>(const Report&)>;

  void expect(const std::shared_ptr<Report>& report);  // a launch may write to it
  void fail(base::Error error);  // some work failed: the next listen() returns the error
  // Reads everything written since the last call, and adds `others`. No kernel that writes a report may be in
  // flight. Returns the first new finding as the error.
  base::Result<> listen(const Take& take, std::vector<Finding> others = {});
  std::string take_output();
  std::vector<Finding> take_findings();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Report>> reports_;
  OutputBuffer output_;
  std::vector<Finding> findings_;
  std::mutex failure_mutex_;  // separate, because work may fail during listen()
  std::optional<base::Error> failure_;
};

}  // namespace quern::driver
