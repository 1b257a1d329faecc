#include "driver/support/reporting_device.hpp"

#include <algorithm>
#include <array>

#include "driver/interface/arguments.hpp"
#include "driver/support/messages.hpp"

namespace quern::driver {

using base::Error;
using base::ErrorKind;

bool reports(const KernelInfo& kernel) {
  return kernel.needs.has(Feature::print) || kernel.needs.has(Feature::assert);
}

Result<> ReportingDevice::make_own_stream() {
  QUERN_TRY_ASSIGN(own_stream_, create_stream({}));
  return {};
}

Result<const KernelInfo*> ReportingDevice::find_kernel(const Code& code, std::string_view name) {
  const auto found = std::find_if(code.kernels.begin(), code.kernels.end(),
                                  [&](const KernelInfo& k) { return k.name == name; });
  if (found == code.kernels.end()) return Error(ErrorKind::not_found, message::kUnknownKernel(name));
  if (!found->refused.empty()) return Error(ErrorKind::unsupported, found->refused);
  return &*found;
}

Result<Place> ReportingDevice::variable(Module& module, std::string_view name) {
  auto& p = static_cast<ReportingModule&>(module);
  for (size_t i = 0; i < p.code.variables.size(); ++i) {
    if (p.code.variables[i].name == name) return Place{p.variables[i].get(), 0};
  }
  return Device::variable(module, name);
}

std::string ReportingDevice::take_output(Stream& stream) { return device_log_of(stream).take_output(); }

std::vector<Finding> ReportingDevice::take_findings(Stream& stream) {
  return device_log_of(stream).take_findings();
}

Result<> ReportingDevice::make_variables(ReportingModule& module) {
  const std::lock_guard lock(own_mutex_);
  for (const VariableInfo& v : module.code.variables) {
    QUERN_TRY_ASSIGN(module.variables.emplace_back(), allocate(v.bytes, MemoryKind::device));
  }
  for (size_t i = 0; i < module.variables.size(); ++i) {
    const std::vector<uint8_t> initial = initial_value(
        module.code.variables[i], [&](uint32_t other) { return module.variables[other]->address; });
    QUERN_TRY(upload(*own_stream_, {module.variables[i].get(), 0}, initial.data(), initial.size()));
    QUERN_TRY(synchronize(*own_stream_));
  }
  if (module.code.sites.empty()) return {};
  module.report = std::make_shared<Report>();
  module.report->sites = module.code.sites;
  QUERN_TRY_ASSIGN(module.report->buffer, allocate(uint64_t{kReportWords} * 4, MemoryKind::device));
  return start_report(*module.report);
}

Result<> ReportingDevice::start_report(const Report& report) {
  std::array<uint32_t, kReportHeader> header;
  driver::start_report(header, kReportWords);
  QUERN_TRY(upload(*own_stream_, {report.buffer.get(), 0}, header.data(), sizeof header));
  return synchronize(*own_stream_);
}

Result<> ReportingDevice::read_reports(DeviceLog& device_log, std::vector<Finding> others) {
  const auto take = [this](const Report& report) {
    const std::lock_guard lock(own_mutex_);
    const auto read = [&](std::span<uint32_t> words) -> Result<> {
      QUERN_TRY(download(*own_stream_, words.data(), {report.buffer.get(), 0}, words.size_bytes()));
      return synchronize(*own_stream_);
    };
    return take_words(read, [&] { return start_report(report); });
  };
  return device_log.listen(take, std::move(others));
}

}  // namespace quern::driver
