#include "runtime/decorate.hpp"

#include <atomic>
#include <string>
#include <utility>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/decorators/limited/device.hpp"
#include "driver/decorators/recording/device.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

namespace {

std::string next_file(const std::string& path) {
  static std::atomic<uint32_t> count{0};
  const uint32_t number = ++count;
  return number == 1 ? path : path + "." + std::to_string(number);
}

void log_violation(const std::string& sentence) {
  base::log(base::LogLevel::kError, "checked: %s", sentence.c_str());
}

}  // namespace

driver::Result<double> parse_time_limit(std::string_view text) {
  const auto seconds = base::parse_double(text);
  if (seconds && *seconds > 0) return *seconds;
  return base::Error(base::ErrorKind::invalid_use, message::kTimeLimit(text));
}

// Faults belong to the device, so they come first. The recording does not contain calls that the check
// rejects.
driver::Result<std::unique_ptr<driver::Device>> decorate(std::unique_ptr<driver::Device> native,
                                                         std::optional<double> time_limit, bool with_faults) {
  if (const auto plan = base::env_text("QUERN_FAULTS"); plan && with_faults) {
    auto faults = faulty::Faults::parse(*plan);
    if (!faults.ok()) return std::move(faults).error().add_context("reading QUERN_FAULTS");
    native = faulty::wrap(std::move(native), *faults);
  }
  if (const auto limit = base::env_text("QUERN_TIME_LIMIT"); limit && !time_limit) {
    QUERN_TRY_ASSIGN(time_limit, parse_time_limit(*limit));
  }
  if (time_limit) native = limited::wrap(std::move(native), *time_limit);
  if (const auto path = base::env_text("QUERN_RECORD")) {
    auto recorded = recording::wrap(std::move(native), next_file(*path));
    if (!recorded.ok()) return std::move(recorded).error().add_context("reading QUERN_RECORD");
    native = std::move(*recorded);
  }
  QUERN_TRY_ASSIGN(const bool is_checked, base::env_flag("QUERN_CHECKED", false));
  if (is_checked)
    native = checked::wrap(std::move(native), std::make_shared<checked::Violations>(log_violation));
  return native;
}

}  // namespace quern::runtime
