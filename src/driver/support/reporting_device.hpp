// What devices share whose programs keep their variables in buffers, and whose kernels tell the host what
// they print and where they fail by words in a buffer (interface/report.hpp).
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
  std::vector<std::unique_ptr<Buffer>> variables;  // as code.variables
  std::shared_ptr<Report> report;                  // null: none of its kernels tells anything
};

class ReportingStream : public Stream {
 public:
  std::shared_ptr<DeviceLog> device_log = std::make_shared<DeviceLog>();
};

// Whether the kernel tells the host by a report.
bool reports(const KernelInfo& kernel);

class ReportingDevice : public Device {
 public:
  Result<Place> variable(Module& module, std::string_view name) override;
  std::string take_output(Stream& stream) override;
  std::vector<Finding> take_findings(Stream& stream) override;

 protected:
  // What the device does by itself goes to a stream of its own, from the call on.
  Result<> make_own_stream();
  void drop_own_stream() { own_stream_.reset(); }
  Stream& own_stream() { return *own_stream_; }
  static DeviceLog& device_log_of(Stream& stream) {
    return *static_cast<ReportingStream&>(stream).device_log;
  }

  // The kernel of that name, which the device has code for.
  static Result<const KernelInfo*> find_kernel(const Code& code, std::string_view name);
  // Variables with their initial values, and an empty report.
  Result<> make_variables(ReportingModule& module);
  // What kernels have told; nothing that writes it is in flight. Other findings are added.
  Result<> read_reports(DeviceLog& device_log, std::vector<Finding> others = {});

 private:
  Result<> start_report(const Report& report);

  std::unique_ptr<Stream> own_stream_;
  std::mutex own_mutex_;
};

}  // namespace quern::driver
