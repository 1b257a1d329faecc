#include "driver/opengl/driver.hpp"

#include "base/processor_name.hpp"
#include "driver/opengl/device.hpp"

namespace quern::opengl {

namespace {

using base::Error;
using base::ErrorKind;

class OpenglDriver final : public driver::Driver {
 public:
  explicit OpenglDriver(bool is_es) : is_es_(is_es) {}

  std::string_view name() const override { return is_es_ ? "gles" : "opengl"; }

  Result<std::string> start() override {
    QUERN_TRY(look());
    return info_->driver_version + ", EGL " + api_->version;
  }

  Result<std::vector<driver::DeviceInfo>> devices() override {
    QUERN_TRY(look());
    return std::vector{*info_};
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (!options.empty()) {
      return Error(ErrorKind::kInvalidUse,
                   std::string(name()) + " knows no options; '" + options[0].first + "' is given");
    }
    QUERN_TRY(look());
    if (index != 0) {
      return Error(ErrorKind::kNotFound, std::string(name()) + " has 1 device, there is no " +
                                             std::string(name()) + ":" + std::to_string(index));
    }
    return Device::open(*api_, is_es_);
  }

 private:
  // The one device that EGL gives when it is not asked for another.
  Result<> look() {
    if (info_) return {};
    if (!api_) {
      QUERN_TRY_ASSIGN(api_, Api::load());
    }
    QUERN_TRY_ASSIGN(const auto context, Context::create(*api_, is_es_));
    QUERN_TRY_ASSIGN(info_, context->run<driver::DeviceInfo>([&]() -> Result<driver::DeviceInfo> {
      return describe(context->gl(), is_es_);
    }));
    if (info_->kind == driver::DeviceKind::kCpu && base::is_misnamed_processor()) {
      const std::string name = std::exchange(info_, std::nullopt)->name;
      return Error(ErrorKind::kUnsupported,
                   name +
                       " compiles for this processor by its name, and the system does not offer all of its "
                       "instructions (SVE): kernels would crash")
          .add_hint("use the device 'cpu'");
    }
    return {};
  }

  bool is_es_;
  std::optional<Api> api_;
  std::optional<driver::DeviceInfo> info_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<OpenglDriver>(false); }
std::unique_ptr<driver::Driver> make_es_driver() { return std::make_unique<OpenglDriver>(true); }

}  // namespace quern::opengl
