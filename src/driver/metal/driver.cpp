#include "driver/metal/driver.hpp"

#include "driver/metal/device.hpp"
#include "driver/metal/messages.hpp"
#include "driver/support/listing_driver.hpp"

namespace quern::metal {

namespace {

using base::Error;
using base::ErrorKind;

class MetalDriver final : public driver::ListingDriver<Found> {
 public:
  std::string_view name() const override { return "metal"; }

  Result<std::string> start() override {
    if (api_ == nullptr) {
      QUERN_TRY_ASSIGN(Api api, Api::load());
      api_ = std::make_shared<const Api>(std::move(api));
    }
    const Pool pool(*api_);
    // Here already: drivers are started in a child process first, where a crash does no harm.
    if (native_devices().empty()) return Error(ErrorKind::not_found, message::kNoDevice());
    const SystemVersion system = api_->system();
    return "macOS " + std::to_string(system.major) + "." + std::to_string(system.minor);
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    QUERN_TRY_ASSIGN(const Found* const found, at(index));
    Found chosen = *found;
    for (const auto& [key, value] : options) {
      if (key != "warps" || (value != "memory" && value != "native"))
        return refuse({key + "=" + value, value}, "warps=memory|native");
      if (value == "native") continue;
      chosen.info.native.remove(driver::Feature::warps);
      chosen.info.matrices.clear();
    }
    return Device::open(chosen);
  }

 private:
  // A program without CoreGraphics has no default device, so the list is asked first.
  std::vector<Ref> native_devices() const {
    std::vector<Ref> out;
    const Ref all(*api_, api_->copy_all_devices != nullptr ? api_->copy_all_devices() : nullptr);
    const uint64_t count = all ? api_->send<uint64_t>(all.get(), Sel::kCount) : 0;
    for (uint64_t i = 0; i < count; ++i)
      out.push_back(Ref::retain(*api_, api_->send<Id>(all.get(), Sel::kObjectAtIndex, i)));
    if (!out.empty()) return out;
    if (Ref one(*api_, api_->create_default_device()); one) out.push_back(std::move(one));
    return out;
  }

  Result<> look() override {
    const Pool pool(*api_);
    for (Ref& id : native_devices()) add(describe(api_, std::move(id)));
    pass_over(Error(ErrorKind::not_found, message::kNoDevice()));
    return {};
  }

  std::shared_ptr<const Api> api_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<MetalDriver>(); }

}  // namespace quern::metal
