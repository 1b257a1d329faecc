#include "driver/opencl/driver.hpp"

#include "driver/opencl/device.hpp"
#include "driver/opencl/messages.hpp"
#include "driver/support/listing_driver.hpp"
#include "driver/support/manifests.hpp"
#include "driver/support/messages.hpp"

namespace quern::opencl {

namespace {

using base::Error;
using base::ErrorKind;
using driver::CodeKind;

struct Found {
  std::shared_ptr<const Api> api;  // with the extensions of its platform
  DeviceId id;
  driver::DeviceInfo info;
};

class OpenclDriver final : public driver::ListingDriver<Found>, public driver::InteropDriver {
 public:
  std::string_view name() const override { return "opencl"; }

  Result<std::string> start() override {
    if (api_ == nullptr) {
      QUERN_TRY_ASSIGN(Api api, Api::load());
      api_ = std::make_shared<const Api>(std::move(api));
    }
    QUERN_TRY_ASSIGN(const std::vector<Platform> all, platforms());
    std::string says;
    for (const Platform p : all) says += (says.empty() ? "" : ", ") + text(p, kPlatformName);
    return says;
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    QUERN_TRY_ASSIGN(const Found* const found, at(index));
    driver::DeviceInfo info = found->info;
    for (const auto& [key, value] : options) QUERN_TRY(choose(info, key, value));
    return Device::open(found->api, found->id, std::move(info));
  }

  Result<std::unique_ptr<driver::Device>> open_native(const driver::AnyDevice& handle,
                                                      driver::KeepAlive keep_alive) override {
    const auto& native = std::get<interop::opencl::Device>(handle);
    QUERN_TRY(find());
    for (const Found& f : found()) {
      if (f.id != reinterpret_cast<DeviceId>(native.device)) continue;
      if (native.context == nullptr || f.api->clRetainContext == nullptr) break;
      return Device::open(f.api, f.id, f.info, reinterpret_cast<Context>(native.context),
                          std::move(keep_alive));
    }
    return Error(ErrorKind::invalid_use, message::kOpenContext());
  }

 private:
  // code=il or code=text: the only form of code to use.
  static Result<> choose(driver::DeviceInfo& info, const std::string& key, const std::string& value) {
    if (key != "code" || (value != "il" && value != "text"))
      return Error(ErrorKind::invalid_use,
                   driver::message::kUnknownOption("opencl", key + "=" + value, "opencl",
                                                   "the options code=il and code=text"));
    const bool is_il = value == "il";
    const CodeKind wanted = is_il ? CodeKind::kSpirvKernel : CodeKind::kOpenclC;
    if (!is_il) info.features.remove(driver::Feature::generic_pointers);
    std::erase(info.code, is_il ? CodeKind::kOpenclC : CodeKind::kSpirvKernel);
    if (info.code.front() == wanted) return {};
    return Error(
        ErrorKind::unsupported,
        message::kCodeOption(info.name, is_il ? "does not accept SPIR-V" : "has no compiler for OpenCL C"));
  }

  static std::string unloadable_drivers() {
    constexpr const char* kVariables[] = {"OCL_ICD_VENDORS"};
    constexpr const char* kFolders[] = {"/etc/OpenCL/vendors"};
    return driver::describe_unloadable(driver::libraries_of_manifests(kVariables, kFolders, {}));
  }

  Result<std::vector<Platform>> platforms() {
    uint32_t count = 0;
    if (const int32_t code = api_->clGetPlatformIDs(0, nullptr, &count); code != 0 || count == 0)
      return Error(ErrorKind::not_found, message::kNoPlatform(unloadable_drivers()));
    std::vector<Platform> all(count);
    QUERN_CL(*api_, clGetPlatformIDs(count, all.data(), nullptr));
    return all;
  }

  std::string text(Platform p, uint32_t what) {
    return text_of([&](size_t bytes, void* to, size_t* size) {
      return api_->clGetPlatformInfo(p, what, bytes, to, size);
    });
  }

  Result<> look() override {
    QUERN_TRY_ASSIGN(const std::vector<Platform> all, platforms());
    for (const Platform p : all) {
      uint32_t count = 0;
      if (api_->clGetDeviceIDs(p, kDeviceTypeAll, 0, nullptr, &count) != 0)
        continue;  // a platform without devices
      std::vector<DeviceId> ids(count);
      if (api_->clGetDeviceIDs(p, kDeviceTypeAll, count, ids.data(), nullptr) != 0) continue;
      const auto api = std::make_shared<const Api>(api_->with_extensions(p));
      for (const DeviceId id : ids) {
        driver::DeviceInfo info = describe(*api, id);
        if (info.api_version < "OpenCL 1.2") {
          pass_over(Error(ErrorKind::unsupported, message::kTooOld(info.name, info.api_version)));
          continue;
        }
        info.details.emplace_back("platform", text(p, kPlatformName) + ", " + text(p, kPlatformVersion));
        add({api, id, std::move(info)});
      }
    }
    pass_over(Error(ErrorKind::not_found, message::kNoDevice()));
    return {};
  }

  std::shared_ptr<const Api> api_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<OpenclDriver>(); }

}  // namespace quern::opencl
