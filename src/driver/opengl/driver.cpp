#include "driver/opengl/driver.hpp"

#include "base/processor_name.hpp"
#include "base/text.hpp"
#include "driver/opengl/device.hpp"

namespace quern::opengl {

namespace {

using base::Error;
using base::ErrorKind;

constexpr Seconds kPatience(60);

class OpenglDriver final : public driver::Driver {
 public:
  explicit OpenglDriver(bool is_es) : is_es_(is_es) {}

  std::string_view name() const override { return is_es_ ? "gles" : "opengl"; }

  Result<std::string> start() override {
    QUERN_TRY(look());
    return found_.front().info.driver_version + ", EGL " + found_.front().api.version;
  }

  Result<std::vector<driver::DeviceInfo>> devices() override {
    QUERN_TRY(look());
    std::vector<driver::DeviceInfo> out;
    for (const Found& f : found_) out.push_back(f.info);
    return out;
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    QUERN_TRY_ASSIGN(const Seconds patience, patience_of(options));
    QUERN_TRY(look());
    if (index >= found_.size()) {
      return Error(ErrorKind::kNotFound, std::string(name()) + " has " +
                                             base::format_plural(found_.size(), "device") + ", there is no " +
                                             std::string(name()) + ":" + std::to_string(index));
    }
    return Device::open(found_[index].api, is_es_, index, patience);
  }

 private:
  struct Found {
    Api api;
    driver::DeviceInfo info;
  };

  // How long a launch may take before the device counts as lost.
  Result<Seconds> patience_of(const driver::OpenOptions& options) const {
    Seconds patience = kPatience;
    for (const auto& [key, value] : options) {
      if (key != "patience") {
        return Error(ErrorKind::kInvalidUse,
                     std::string(name()) + " knows the option patience; '" + key + "' is given");
      }
      const auto seconds = base::parse_double(value);
      if (!seconds || !(*seconds > 0)) {
        return Error(ErrorKind::kInvalidUse,
                     std::string(name()) + "'s patience is in seconds; '" + value + "' is given");
      }
      patience = Seconds(*seconds);
    }
    return patience;
  }

  // What EGL lists; the display that it takes by itself is one of these devices again, and counts where none
  // of them works.
  Result<> look() {
    if (!found_.empty()) return {};
    QUERN_TRY_ASSIGN(const std::vector<Api> displays, Api::load());
    std::optional<Error> first;
    for (const Api& api : displays) {
      if (!found_.empty() && &api == &displays.back()) break;
      auto info = ask(api);
      if (info.ok()) {
        info->index = static_cast<uint32_t>(found_.size());
        found_.push_back({api, std::move(*info)});
      } else if (!first) {
        first = std::move(info).error();
      }
    }
    if (found_.empty()) return *first;
    return {};
  }

  Result<driver::DeviceInfo> ask(const Api& api) const {
    QUERN_TRY_ASSIGN(const auto context, Context::create(api, is_es_, kPatience));
    QUERN_TRY_ASSIGN(driver::DeviceInfo info,
                     context->run<driver::DeviceInfo>([is_es = is_es_](Gl& gl) -> Result<driver::DeviceInfo> {
                       return describe(*gl, is_es);
                     }));
    if (info.kind == driver::DeviceKind::kCpu && base::is_misnamed_processor()) {
      return Error(ErrorKind::kUnsupported,
                   info.name +
                       " compiles for this processor by its name, and the system does not offer all of its "
                       "instructions (SVE): kernels would crash")
          .add_hint("use the device 'cpu'");
    }
    return info;
  }

  bool is_es_;
  std::vector<Found> found_;
};

// OpenGL ES 3.0 in a browser. It is here to say why it is not.
class WebglDriver final : public driver::Driver {
 public:
  std::string_view name() const override { return "webgl2"; }
  Result<std::string> start() override {
    return Error(ErrorKind::kUnsupported, "WebGL 2 has no compute shaders and no storage buffers")
        .add_hint("in a browser kernels run through WebGPU: `quern emit --target wgsl`");
  }
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
