// A driver that enumerates its devices once and keeps the list. `Found` has at least a DeviceInfo `info`.
#pragma once

#include <optional>

#include "base/processor_name.hpp"
#include "base/text.hpp"
#include "driver/interface/driver.hpp"
#include "driver/support/known_defects.hpp"
#include "driver/support/messages.hpp"

namespace quern::driver {

template <typename Found>
class ListingDriver : public Driver {
 public:
  Result<std::vector<DeviceInfo>> devices() final {
    QUERN_TRY(find());
    std::vector<DeviceInfo> out;
    for (const Found& f : found_) out.push_back(f.info);
    return out;
  }

 protected:
  // Adds the devices that it finds and skips unusable ones. It may find none.
  virtual Result<> look() = 0;

  void add(Found found) {
    found.info.index = static_cast<uint32_t>(found_.size());
    found_.push_back(std::move(found));
  }
  void pass_over(base::Error why) {
    if (!why_) why_ = std::move(why);
  }
  // Returns an error if look() found no device and skipped at least one: the reason for the first.
  Result<> find() {
    if (!found_.empty()) return {};
    why_.reset();
    QUERN_TRY(look());
    if (found_.empty() && why_) return *why_;
    return {};
  }
  const std::vector<Found>& found() const { return found_; }

  Result<const Found*> at(uint32_t index) {
    QUERN_TRY(find());
    if (index < found_.size()) return &found_[index];
    return base::Error(
        base::ErrorKind::not_found,
        message::kUnknownIndex(name(), std::to_string(index), base::format_plural(found_.size(), "device")));
  }

  // The error for an unknown option; `known` lists the known ones.
  base::Error refuse(const OpenOptions::value_type& option, std::string_view known) const {
    return base::Error(base::ErrorKind::invalid_use,
                       message::kUnknownOption(name(), option.first, name(), known));
  }

  // Rejects a device whose compiler would use instructions that this machine does not offer.
  static Result<> check_processor(const DeviceInfo& info) {
    if (!has_defect(info, Defect::kProcessorName) || !base::is_misnamed_processor()) return {};
    return base::Error(base::ErrorKind::unsupported, message::kMisnamedProcessor(info.name));
  }

 private:
  std::vector<Found> found_;
  std::optional<base::Error> why_;
};

}  // namespace quern::driver
