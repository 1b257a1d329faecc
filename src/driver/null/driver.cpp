// Finds the library and its devices.
#include "driver/null/driver.hpp"

#include "driver/null/api.hpp"
#include "driver/null/device.hpp"
#include "driver/support/messages.hpp"

namespace quern::null {

namespace {

using base::Error;
using base::ErrorKind;

class NullDriver final : public driver::Driver {
 public:
  std::string_view name() const override { return "null"; }

  // kNotFound means "not installed". If the library is installed but does not work, return another kind, with
  // the fix as a hint. A real driver also returns the library's version.
  Result<std::string> start() override {
    QUERN_TRY_ASSIGN(api_, Api::load());
    return std::string("built-in library 1.0");
  }

  // Opens no device.
  Result<std::vector<driver::DeviceInfo>> devices() override {
    uint32_t count = 0;
    QUERN_TRY(check(api_.nullDeviceCount(&count), "nullDeviceCount"));
    std::vector<driver::DeviceInfo> found;
    for (uint32_t i = 0; i < count; ++i) found.push_back(describe(i));
    return found;
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (!options.empty())
      return Error(ErrorKind::invalid_use,
                   driver::message::kUnknownOption(name(), options.front().first, name(), "no options"));
    return NullDevice::open(api_, index);
  }

 private:
  Api api_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<NullDriver>(); }

}  // namespace quern::null
