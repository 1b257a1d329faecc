#include "driver/webgpu/driver.hpp"

#include "driver/support/listing_driver.hpp"
#include "driver/webgpu/device.hpp"

namespace quern::webgpu {

namespace {

class WebgpuDriver final : public driver::ListingDriver<Adapter> {
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
    QUERN_TRY_ASSIGN(const Adapter* const found, at(index));
    QUERN_TRY_ASSIGN(Adapter adapter, find_again(*found));
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
      add(std::move(one));
    }
    return {};
  }

  std::shared_ptr<Instance> instance_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<WebgpuDriver>(); }

}  // namespace quern::webgpu
