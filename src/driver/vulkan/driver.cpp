#include "driver/vulkan/driver.hpp"

#include "base/text.hpp"
#include "driver/support/listing_driver.hpp"
#include "driver/vulkan/device.hpp"
#include "driver/vulkan/messages.hpp"

namespace quern::vulkan {

namespace {

struct Found {
  std::shared_ptr<InstanceApi> instance;
  PhysicalDevice physical = nullptr;
  Abilities abilities;
  driver::DeviceInfo info;
};

class VulkanDriver final : public driver::ListingDriver<Found>, public driver::InteropDriver {
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
    if (!options.empty()) return refuse(options[0], "no options");
    QUERN_TRY_ASSIGN(const Found* const f, at(index));
    return Device::open(f->instance, f->physical, f->abilities, f->info);
  }

  Result<std::unique_ptr<driver::Device>> open_native(const driver::AnyDevice& handle,
                                                      driver::KeepAlive keep_alive) override {
    const auto& native = std::get<interop::vulkan::Device>(handle);
    if (native.instance == nullptr || native.physical_device == nullptr || native.device == nullptr ||
        native.queue == nullptr || native.create_info == nullptr)
      return base::Error(base::ErrorKind::invalid_use, message::kOpenNull());
    QUERN_TRY_ASSIGN(auto api, adopt_instance(reinterpret_cast<Instance>(native.instance)));
    QUERN_TRY_ASSIGN(Abilities abilities,
                     Abilities::of(*api, reinterpret_cast<PhysicalDevice>(native.physical_device)));
    abilities.restrict_to(*static_cast<const DeviceCreateInfo*>(native.create_info));
    driver::DeviceInfo info = describe(abilities);
    QUERN_TRY(check_processor(info));
    for (const Found& f : found()) {
      if (f.info.uuid == info.uuid) info.index = f.info.index;
    }
    return Device::open_native(std::move(api), std::move(abilities), std::move(info), native,
                               std::move(keep_alive));
  }

 private:
  Result<> look() override {
    QUERN_TRY(start());
    for (const auto& api : instances_) {
      auto all = api->devices();
      if (!all.ok()) pass_over(all.error());
      for (const PhysicalDevice physical : std::move(all).value_or(std::vector<PhysicalDevice>())) {
        if (auto one = ask(api, physical); one.ok()) {
          add(std::move(*one));
        } else {
          pass_over(std::move(one).error());
        }
      }
    }
    return {};
  }

  static Result<Found> ask(const std::shared_ptr<InstanceApi>& api, PhysicalDevice physical) {
    QUERN_TRY_ASSIGN(Abilities abilities, Abilities::of(*api, physical));
    driver::DeviceInfo info = describe(abilities);
    QUERN_TRY(check_processor(info));
    return Found{api, physical, std::move(abilities), std::move(info)};
  }

  std::vector<std::shared_ptr<InstanceApi>> instances_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<VulkanDriver>(); }

}  // namespace quern::vulkan
