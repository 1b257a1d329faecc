#include "driver/opengl/driver.hpp"

#include "base/text.hpp"
#include "driver/opengl/device.hpp"
#include "driver/opengl/messages.hpp"
#include "driver/support/listing_driver.hpp"

namespace quern::opengl {

namespace {

using base::Error;
using base::ErrorKind;

constexpr Seconds kPatience(60);

struct Found {
  Api api;
  driver::DeviceInfo info;
};

class OpenglDriver final : public driver::ListingDriver<Found>, public driver::InteropDriver {
 public:
  explicit OpenglDriver(bool is_es) : is_es_(is_es) {}

  std::string_view name() const override { return is_es_ ? "gles" : "opengl"; }

  Result<std::string> start() override {
    QUERN_TRY(find());
    return found().front().info.driver_version + ", EGL " + found().front().api.version;
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    QUERN_TRY_ASSIGN(const Seconds patience, patience_of(options));
    QUERN_TRY_ASSIGN(const Found* const found, at(index));
    return Device::open(found->api, is_es_, index, patience);
  }

  Result<std::unique_ptr<driver::Device>> open_native(const driver::AnyDevice& handle,
                                                      driver::KeepAlive keep_alive) override {
    const auto& native = std::get<interop::opengl::Device>(handle);
    if (native.display == nullptr || native.context == nullptr)
      return Error(ErrorKind::invalid_use, message::kOpenNull());
    QUERN_TRY(find());
    Api api = found().front().api;
    uint32_t index = 0;
    for (uint32_t i = 0; i < found().size(); ++i) {
      if (found()[i].api.display == native.display) index = i;
    }
    api.display = native.display;
    return Device::open(api, is_es_, index, kPatience, native.context, std::move(keep_alive));
  }

 private:
  // How long a launch may take before the device is considered lost.
  Result<Seconds> patience_of(const driver::OpenOptions& options) const {
    Seconds patience = kPatience;
    for (const auto& [key, value] : options) {
      if (key != "patience") return refuse({key, value}, "the option patience");
      const auto seconds = base::parse_double(value);
      if (!seconds || !(*seconds > 0)) {
        return Error(ErrorKind::invalid_use, message::kPatience(name(), value));
      }
      patience = Seconds(*seconds);
    }
    return patience;
  }

  // Devices that EGL lists. The default display is one of them, and is used only if none of them works.
  Result<> look() override {
    QUERN_TRY_ASSIGN(const std::vector<Api> displays, Api::load());
    for (const Api& api : displays) {
      if (!found().empty() && &api == &displays.back()) break;
      if (auto info = ask(api); info.ok()) {
        add({api, std::move(*info)});
      } else {
        pass_over(std::move(info).error());
      }
    }
    return {};
  }

  Result<driver::DeviceInfo> ask(const Api& api) const {
    QUERN_TRY_ASSIGN(const auto context, Context::create(api, is_es_, kPatience));
    QUERN_TRY_ASSIGN(driver::DeviceInfo info,
                     context->run<driver::DeviceInfo>([is_es = is_es_](Gl& gl) -> Result<driver::DeviceInfo> {
                       return describe(*gl, is_es);
                     }));
    QUERN_TRY(check_processor(info));
    return info;
  }

  bool is_es_;
};

// OpenGL ES 3.0 in a browser: listed only to report why it is unavailable.
class WebglDriver final : public driver::Driver {
 public:
  std::string_view name() const override { return "webgl2"; }
  Result<std::string> start() override { return Error(ErrorKind::unsupported, message::kWebGl()); }
  Result<std::vector<driver::DeviceInfo>> devices() override { return std::vector<driver::DeviceInfo>(); }
  Result<std::unique_ptr<driver::Device>> open(uint32_t, const driver::OpenOptions&) override {
    return start().error();
  }
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<OpenglDriver>(false); }
std::unique_ptr<driver::Driver> make_es_driver() { return std::make_unique<OpenglDriver>(true); }
std::unique_ptr<driver::Driver> make_webgl_driver() { return std::make_unique<WebglDriver>(); }

}  // namespace quern::opengl
