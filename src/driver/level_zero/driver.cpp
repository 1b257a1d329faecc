#include "driver/level_zero/driver.hpp"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "driver/level_zero/device.hpp"
#include "driver/level_zero/messages.hpp"
#include "driver/support/identity.hpp"
#include "driver/support/listing_driver.hpp"

namespace quern::level_zero {

namespace {

using base::Error;
using base::ErrorKind;

// The first render node that this process may not open; empty: there is none.
std::string forbidden_node() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/dri", ignored)) {
    const std::string path = entry.path().string();
    if (entry.path().filename().string().starts_with("renderD") && ::access(path.c_str(), R_OK | W_OK) != 0)
      return path;
  }
  return {};
}

class LevelZeroDriver final : public driver::ListingDriver<Found> {
 public:
  std::string_view name() const override { return "level_zero"; }

  Result<std::string> start() override {
    if (api_ == nullptr) {
      QUERN_TRY_ASSIGN(Api api, Api::load());
      QUERN_TRY(initialize(api));
      api_ = std::make_shared<const Api>(std::move(api));
    }
    QUERN_TRY_ASSIGN(const auto all, drivers());
    std::vector<std::string> versions;
    for (const ZeDriver d : all) {
      uint32_t version = 0;
      QUERN_ZE(zeDriverGetApiVersion(d, &version));
      versions.push_back(base::format("Level Zero %u.%u", version >> 16, version & 0xFFFF));
    }
    return base::join(versions, ", ");
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    QUERN_TRY_ASSIGN(const Found* const found, at(index));
    Options chosen;
    for (const auto& option : options) QUERN_TRY(choose(*found, option, chosen));
    return Device::open(*found, chosen);
  }

 private:
  Result<> choose(const Found& found, const driver::OpenOptions::value_type& option, Options& chosen) const {
    const auto& [key, value] = option;
    if (key == "registers" && (value == "large" || value == "normal")) {
      chosen.has_large_registers = value == "large";
      return {};
    }
    const auto size = key == "subgroup" ? base::parse_uint(value) : std::nullopt;
    if (!size) return refuse({key + "=" + value, value}, "registers=large|normal and subgroup=N");
    const auto& sizes = found.subgroup_sizes;
    chosen.subgroup_size = static_cast<uint32_t>(*size);
    if (std::find(sizes.begin(), sizes.end(), *size) != sizes.end()) return {};
    std::vector<std::string> names;
    for (const uint32_t s : sizes) names.push_back(std::to_string(s));
    return Error(ErrorKind::unsupported,
                 message::kSubgroupSize(found.info.name, value, base::join(names, ", ")));
  }

  // A driver that may not open a render node is, to the loader, no driver.
  static Result<> initialize(const Api& api) {
    const ZeResult code = api.zeInit(0);
    if (code == kSuccess) return {};
    Error error = failed("zeInit", code);
    const bool is_denied = code == kInsufficientPermissions;
    const std::string node =
        is_denied || error.kind() == ErrorKind::not_found ? forbidden_node() : std::string();
    if (is_denied || !node.empty())
      return Error(ErrorKind::unsupported,
                   message::kNoPermission(node.empty() ? "the GPU's files in /dev/dri" : node));
    if (error.kind() == ErrorKind::not_found) return Error(ErrorKind::not_found, message::kNoDriver());
    return error;
  }

  Result<std::vector<ZeDriver>> drivers() {
    uint32_t count = 0;
    QUERN_ZE(zeDriverGet(&count, nullptr));
    std::vector<ZeDriver> all(count);
    if (count != 0) QUERN_ZE(zeDriverGet(&count, all.data()));
    if (count == 0) return Error(ErrorKind::not_found, message::kNoDriver());
    return all;
  }

  Result<> look() override {
    QUERN_TRY_ASSIGN(const auto all, drivers());
    const auto sysman = sysman_devices(*api_);
    const bool is_core_sysman = base::env_text("ZES_ENABLE_SYSMAN").value_or("") == "1";
    for (const ZeDriver d : all) {
      const auto ids =
          list_of<ZeDevice>([&](uint32_t* count, ZeDevice* to) { return api_->zeDeviceGet(d, count, to); });
      for (const ZeDevice id : ids) {
        DeviceProperties p;
        if (api_->zeDeviceGetProperties(id, &p) != kSuccess) continue;
        const ZeDevice same = find_sysman(*api_, sysman, id, p);
        Found found = describe(api_, d, id, same == nullptr && is_core_sysman ? id : same);
        if (p.kind == kTypeGpu || p.kind == kTypeCpu) {
          add(std::move(found));
        } else {
          pass_over(Error(ErrorKind::unsupported, message::kNotGpu(found.info.name)));
        }
      }
    }
    pass_over(Error(ErrorKind::not_found, message::kNoDevice()));
    return {};
  }

  std::shared_ptr<const Api> api_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<LevelZeroDriver>(); }

}  // namespace quern::level_zero
