// Base of devices whose programs keep their variables in buffers, and whose kernels report printf output and
// failures through a buffer (interface/report.hpp).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/interface/driver.hpp"
#include "driver/support/device_log.hpp"

namespace quern::driver {

class ReportingModule : public Module {
 public:
  Code code;
  std::vector<std::unique_ptr<Buffer>> variables;  // in the order of code.variables
  std::shared_ptr<Report> report;                  // null: no kernel writes a report
};

class ReportingStream : public Stream {
 public:
  std::shared_ptr<DeviceLog> device_log = std::make_shared<DeviceLog>();
};

// Whether the kernel writes a report.
bool reports(const KernelInfo& kernel);

class ReportingDevice : public Device {
 public:
  Result<Place> variable(Module& module, std::string_view name) override;
  std::string take_output(Stream& stream) override;
  std::vector<Finding> take_findings(Stream& stream) override;

 protected:
  // Creates the stream for the device's internal work. Call it before the functions below.
  Result<> make_own_stream();
  void drop_own_stream() { own_stream_.reset(); }
  Stream& own_stream() { return *own_stream_; }
  static DeviceLog& device_log_of(Stream& stream) {
    return *static_cast<ReportingStream&>(stream).device_log;
  }

  // The kernel with this name; an error if the code does not contain it.
  static Result<const KernelInfo*> find_kernel(const Code& code, std::string_view name);
  // Allocates the variables with their initial values, and an empty report.
  Result<> make_variables(ReportingModule& module);
  // Reads the reports; no kernel that writes them is in flight. Adds `others`.
  Result<> read_reports(DeviceLog& device_log, std::vector<Finding> others = {});

 private:
  Result<> start_report(const Report& report);

  std::unique_ptr<Stream> own_stream_;
  std::mutex own_mutex_;
};

}  // namespace quern::driver
