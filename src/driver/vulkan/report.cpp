// What kernels tell: printf and assert by reports, mistakes that the validation layer finds by its messages.
#include <algorithm>
#include <array>
#include <utility>

#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

Queue& as_queue(driver::Queue& queue) { return static_cast<Queue&>(queue); }

}  // namespace

Result<> Device::start_report(Report& report) {
  std::array<uint32_t, driver::kReportHeader> header;
  driver::start_report(header, driver::kReportWords);
  const std::lock_guard lock(own_mutex_);
  QUERN_TRY(upload(*own_queue_, {report.buffer.get(), 0}, header.data(), sizeof header));
  return as_queue(*own_queue_).timeline->wait(as_queue(*own_queue_).last);
}

Result<> Device::read_reports(Heard& heard) {
  const std::lock_guard heard_lock(heard.mutex);
  const size_t before = heard.findings.size();
  if (instance_->is_validated) hear_messages(heard);
  for (const std::shared_ptr<Report>& report : std::exchange(heard.reports, {})) {
    const std::lock_guard lock(own_mutex_);
    Queue& own = as_queue(*own_queue_);
    const auto read = [&](std::vector<uint32_t>& words) -> Result<> {
      QUERN_TRY(download(own, words.data(), {report->buffer.get(), 0}, words.size() * 4));
      QUERN_TRY(own.timeline->wait(own.last));
      return finish_host_copies();
    };
    std::vector<uint32_t> words(driver::kReportHeader);
    QUERN_TRY(read(words));
    const uint32_t used = std::min(words[1], driver::kReportWords);
    if (words[0] == 0 && used <= driver::kReportHeader) continue;
    words.resize(used);
    QUERN_TRY(read(words));
    QUERN_TRY(start_report(*report));
    driver::Reported said = driver::read_report(words, report->sites);
    heard.printed += said.printed;
    if (said.failure) heard.findings.push_back(std::move(*said.failure));
  }
  if (heard.findings.size() > before) return Error(ErrorKind::kKernelFault, heard.findings[before].rendered);
  return {};
}

void Device::hear_messages(Heard& heard) {
  for (std::string& text : instance_->messages.take()) {
    driver::Finding f;
    f.kind = "validation";
    f.message = text;
    f.rendered = "the validation layer finds: " + std::move(text);
    heard.findings.push_back(std::move(f));
  }
}

std::string Device::take_printed(driver::Queue& queue) {
  Heard& heard = *as_queue(queue).heard;
  const std::lock_guard lock(heard.mutex);
  return std::exchange(heard.printed, {});
}

std::vector<driver::Finding> Device::take_findings(driver::Queue& queue) {
  Heard& heard = *as_queue(queue).heard;
  const std::lock_guard lock(heard.mutex);
  return std::exchange(heard.findings, {});
}

}  // namespace quern::vulkan
