#include "driver/support/reporting_device.hpp"

#include <algorithm>
#include <array>

#include "driver/interface/arguments.hpp"

namespace quern::driver {

using base::Error;
using base::ErrorKind;

bool reports(const KernelInfo& kernel) {
  return kernel.needs.has(Feature::kPrint) || kernel.needs.has(Feature::kAssert);
}

Result<> ReportingDevice::make_own_queue() {
  QUERN_TRY_ASSIGN(own_queue_, create_queue({}));
  return {};
}

Result<const KernelInfo*> ReportingDevice::find_kernel(const Code& code, std::string_view name) {
  const auto found = std::find_if(code.kernels.begin(), code.kernels.end(),
                                  [&](const KernelInfo& k) { return k.name == name; });
  if (found == code.kernels.end())
    return Error(ErrorKind::kNotFound, "there is no kernel '" + std::string(name) + "'");
  if (!found->refused.empty()) return Error(ErrorKind::kUnsupported, found->refused);
  return &*found;
}

Result<Place> ReportingDevice::variable(Program& program, std::string_view name) {
  auto& p = static_cast<ReportingProgram&>(program);
  for (size_t i = 0; i < p.code.variables.size(); ++i) {
    if (p.code.variables[i].name == name) return Place{p.variables[i].get(), 0};
  }
  return Device::variable(program, name);
}

std::string ReportingDevice::take_printed(Queue& queue) { return heard_of(queue).take_printed(); }

std::vector<Finding> ReportingDevice::take_findings(Queue& queue) { return heard_of(queue).take_findings(); }

Result<> ReportingDevice::make_variables(ReportingProgram& program) {
  const std::lock_guard lock(own_mutex_);
  for (const VariableInfo& v : program.code.variables) {
    QUERN_TRY_ASSIGN(program.variables.emplace_back(), allocate(v.bytes, MemoryKind::kDevice));
  }
  for (size_t i = 0; i < program.variables.size(); ++i) {
    const std::vector<uint8_t> initial = initial_value(
        program.code.variables[i], [&](uint32_t other) { return program.variables[other]->address; });
    QUERN_TRY(upload(*own_queue_, {program.variables[i].get(), 0}, initial.data(), initial.size()));
    QUERN_TRY(synchronize(*own_queue_));
  }
  if (program.code.sites.empty()) return {};
  program.report = std::make_shared<Report>();
  program.report->sites = program.code.sites;
  QUERN_TRY_ASSIGN(program.report->buffer, allocate(uint64_t{kReportWords} * 4, MemoryKind::kDevice));
  return start_report(*program.report);
}

Result<> ReportingDevice::start_report(const Report& report) {
  std::array<uint32_t, kReportHeader> header;
  driver::start_report(header, kReportWords);
  QUERN_TRY(upload(*own_queue_, {report.buffer.get(), 0}, header.data(), sizeof header));
  return synchronize(*own_queue_);
}

Result<> ReportingDevice::read_reports(Heard& heard, std::vector<Finding> others) {
  const auto take = [this](const Report& report) {
    const std::lock_guard lock(own_mutex_);
    const auto read = [&](std::span<uint32_t> words) -> Result<> {
      QUERN_TRY(download(*own_queue_, words.data(), {report.buffer.get(), 0}, words.size_bytes()));
      return synchronize(*own_queue_);
    };
    return take_words(read, [&] { return start_report(report); });
  };
  return heard.listen(take, std::move(others));
}

}  // namespace quern::driver
