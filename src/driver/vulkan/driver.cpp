#include "driver/vulkan/driver.hpp"

#include "base/text.hpp"
#include "driver/support/listing_driver.hpp"
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

namespace {

using base::Error;
using base::ErrorKind;

struct Found {
  std::shared_ptr<InstanceApi> instance;
  PhysicalDevice physical = nullptr;
  Abilities abilities;
  driver::DeviceInfo info;
};

class VulkanDriver final : public driver::ListingDriver<Found> {
 public:
  std::string_view name() const override { return "vulkan"; }

  Result<std::string> start() override {
    if (instances_.empty()) {
      QUERN_TRY_ASSIGN(instances_, find_instances());
    }
    std::string says;
    for (const auto& api : instances_) {
      says += base::format("%s%s, Vulkan %u.%u", says.empty() ? "" : "; ", api->library.c_str(),
                           api->version >> 22 & 0x7F, api->version >> 12 & 0x3FF);
      if (api->is_validated) says += ", validated";
    }
    return says;
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (!options.empty())
      return Error(ErrorKind::kInvalidUse, "vulkan knows no options; '" + options[0].first + "' is given");
    QUERN_TRY_ASSIGN(const Found* const f, at(index));
    return Device::open(f->instance, f->physical, f->abilities, f->info);
  }

 private:
  // Devices that do not serve are left out; where none does, the first says why.
  Result<> look() override {
    QUERN_TRY(start());
    std::optional<Error> why;
    for (const auto& api : instances_) {
      auto all = api->devices();
      if (!all.ok() && !why) why = all.error();
      for (const PhysicalDevice physical : std::move(all).value_or(std::vector<PhysicalDevice>())) {
        auto abilities = Abilities::of(*api, physical);
        if (!abilities.ok()) {
          if (!why) why = std::move(abilities).error();
          continue;
        }
        driver::DeviceInfo info = describe(*abilities);
        if (auto fits = check_processor(info.name, info.kind); !fits.ok()) {
          if (!why) why = std::move(fits).error();
          continue;
        }
        add({api, physical, std::move(*abilities), std::move(info)});
      }
    }
    if (found().empty() && why) return std::move(*why);
    return {};
  }

  std::vector<std::shared_ptr<InstanceApi>> instances_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<VulkanDriver>(); }

}  // namespace quern::vulkan
