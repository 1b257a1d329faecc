#include "driver/webgpu/driver.hpp"

#include "driver/support/listing_driver.hpp"
#include "driver/webgpu/device.hpp"

namespace quern::webgpu {

namespace {

struct Found {
  Adapter adapter;
  driver::DeviceInfo info;
};

class WebgpuDriver final : public driver::ListingDriver<Found> {
 public:
  std::string_view name() const override { return "webgpu"; }

  Result<std::string> start() override {
    if (instance_ == nullptr) {
      QUERN_TRY_ASSIGN(Api api, Api::load());
      QUERN_TRY_ASSIGN(instance_, Instance::create(std::move(api)));
    }
    return instance_->api.describe();
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (!options.empty()) return refuse(options[0], "no options");
    QUERN_TRY_ASSIGN(const Found* const found, at(index));
    QUERN_TRY_ASSIGN(Adapter adapter, find_again(found->adapter));
    adapter.info.index = index;
    return Device::open(std::move(adapter));
  }

 private:
  Result<> look() override {
    QUERN_TRY(start());
    QUERN_TRY_ASSIGN(std::vector<Adapter> adapters, find_adapters(instance_));
    for (Adapter& one : adapters) {
      if (auto works = check_processor(one.info); !works.ok()) {
        pass_over(std::move(works).error());
        continue;
      }
      driver::DeviceInfo info = one.info;
      add({std::move(one), std::move(info)});
    }
    return {};
  }

  std::shared_ptr<Instance> instance_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<WebgpuDriver>(); }

}  // namespace quern::webgpu
