// Finds the library and its devices.
#include "driver/null/driver.hpp"

#include "driver/null/api.hpp"
#include "driver/null/device.hpp"

namespace quern::null {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Result;

class NullDriver final : public driver::Driver {
 public:
  std::string_view name() const override { return "null"; }

  // A real driver keeps the Api, queries the library's version and returns it as text. kNotFound means "not
  // installed"; if the library is installed but does not work, return another kind, with the fix as a hint.
  Result<std::string> start() override {
    const auto api = Api::load();
    if (api.ok())
      return Error(ErrorKind::kUnsupported, "null is a skeleton, even where its library is found");
    return Error(api.error().kind(), "null is a skeleton: " + api.error().message())
        .add_hint("see docs/driver.md for how to make a driver of it");
  }

  // A real driver describes each device completely (see describe() in device.cpp). It opens none here.
  Result<std::vector<driver::DeviceInfo>> devices() override { return std::vector<driver::DeviceInfo>(); }

  // A real driver parses the options, rejects unknown ones, and opens the device.
  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions&) override {
    return Error(ErrorKind::kNotFound, "null has no device " + std::to_string(index));
  }
};

}  // namespace

base::Result<Api> Api::load() {
  constexpr std::string_view kNames[] = {"libnull-compute.so.1", "libnull-compute.so"};
  QUERN_TRY_ASSIGN(const auto library, base::SharedLibrary::open(kNames, ""));
  Api api;
#define X(name, result, parameters) QUERN_TRY(library.load(#name, api.name));
#define O(name, result, parameters) api.name = reinterpret_cast<decltype(api.name)>(library.find(#name));
  QUERN_NULL_API(X, O)
#undef O
#undef X
  return api;
}

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<NullDriver>(); }

}  // namespace quern::null
