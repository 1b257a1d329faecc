#include "driver/support/device_log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quern::driver {

using base::Error;
using base::ErrorKind;

Result<std::vector<uint32_t>> take_words(const std::function<Result<>(std::span<uint32_t> words)>& read,
                                         const std::function<Result<>()>& clear) {
  std::vector<uint32_t> words(kReportHeader);
  QUERN_TRY(read(words));
  const uint32_t used = std::min(words[1], kReportWords);
  if (words[0] == 0 && used <= kReportHeader) return words;
  words.resize(used);
  QUERN_TRY(read(words));
  QUERN_TRY(clear());
  return words;
}

void DeviceLog::expect(const std::shared_ptr<Report>& report) {
  const std::lock_guard lock(mutex_);
  if (std::find(reports_.begin(), reports_.end(), report) == reports_.end()) reports_.push_back(report);
}

void DeviceLog::fail(Error error) {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = std::move(error);
}

Result<> DeviceLog::listen(const Take& take, std::vector<Finding> others) {
  {
    const std::lock_guard lock(failure_mutex_);
    if (failure_) return *std::exchange(failure_, std::nullopt);
  }
  const std::lock_guard lock(mutex_);
  const size_t before = findings_.size();
  std::move(others.begin(), others.end(), std::back_inserter(findings_));
  for (const std::shared_ptr<Report>& report : std::exchange(reports_, {})) {
    QUERN_TRY_ASSIGN(const std::vector<uint32_t> words, take(*report));
    Reported said = read_report(words, report->sites);
    output_.append(said.printed, said.calls);
    output_.drop(said.dropped_calls);
    if (said.failure) findings_.push_back(std::move(*said.failure));
  }
  if (findings_.size() == before) return {};
  const Finding& first = findings_[before];
  return Error(first.kind == "limit" ? ErrorKind::unsupported : ErrorKind::kernel_fault, first.rendered);
}

std::string DeviceLog::take_output() {
  const std::lock_guard lock(mutex_);
  return output_.take();
}

std::vector<Finding> DeviceLog::take_findings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(findings_, {});
}

}  // namespace quern::driver
