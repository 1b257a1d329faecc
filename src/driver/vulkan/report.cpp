// What kernels tell: printf and assert by reports, mistakes that the validation layer finds by its messages.
#include <algorithm>
#include <array>
#include <utility>

#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

namespace {

Queue& as_queue(driver::Queue& queue) { return static_cast<Queue&>(queue); }

}  // namespace

Result<> Device::start_report(const driver::Report& report) {
  std::array<uint32_t, driver::kReportHeader> header;
  driver::start_report(header, driver::kReportWords);
  const std::lock_guard lock(own_mutex_);
  QUERN_TRY(upload(*own_queue_, {report.buffer.get(), 0}, header.data(), sizeof header));
  return as_queue(*own_queue_).timeline->wait(as_queue(*own_queue_).last);
}

Result<> Device::read_reports(driver::Heard& heard) {
  const auto take = [this](const driver::Report& report) {
    const std::lock_guard lock(own_mutex_);
    Queue& own = as_queue(*own_queue_);
    const auto read = [&](std::span<uint32_t> words) -> Result<> {
      QUERN_TRY(download(own, words.data(), {report.buffer.get(), 0}, words.size_bytes()));
      QUERN_TRY(own.timeline->wait(own.last));
      return finish_host_copies();
    };
    return driver::take_words(read, [&] { return start_report(report); });
  };
  return heard.listen(take, validation_findings());
}

std::vector<driver::Finding> Device::validation_findings() {
  std::vector<driver::Finding> found;
  if (!instance_->is_validated) return found;
  for (std::string& text : instance_->messages.take()) {
    driver::Finding f;
    f.kind = "validation";
    f.message = text;
    f.rendered = "the validation layer finds: " + std::move(text);
    found.push_back(std::move(f));
  }
  return found;
}

std::string Device::take_printed(driver::Queue& queue) { return as_queue(queue).heard->take_printed(); }

std::vector<driver::Finding> Device::take_findings(driver::Queue& queue) {
  return as_queue(queue).heard->take_findings();
}

}  // namespace quern::vulkan
