#include "driver/cuda/driver.hpp"

#include <fstream>
#include <mutex>

#include "base/text.hpp"
#include "driver/cuda/device.hpp"

namespace quern::cuda {

namespace {

using base::Error;
using base::ErrorKind;

// "580.95.05", as the kernel module tells it; empty where it does not (WSL, AMD).
std::string module_version(const Vendor& vendor) {
  if (!vendor.is_cuda()) return {};
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  for (const std::string_view word : base::split(line, ' ')) {
    if (word.size() > 4 && word.find('.') != std::string_view::npos &&
        word.find_first_not_of("0123456789.") == std::string_view::npos)
      return std::string(word);
  }
  return {};
}

class CudaDriver final : public driver::Driver {
 public:
  explicit CudaDriver(const Vendor& vendor) : vendor_(vendor) {}

  std::string_view name() const override { return vendor_.driver; }

  Result<std::string> start() override {
    if (api_ == nullptr) {
      QUERN_TRY_ASSIGN(Api api, load_api(vendor_));
      QUERN_TRY(init(api));
      api_ = std::make_shared<const Api>(std::move(api));
    }
    int version = 0;
    QUERN_CU(*api_, driver_version(&version));
    const std::string module = module_version(vendor_);
    return std::string(vendor_.what) + base::format(" %d.%d", version / 1000, version % 1000 / 10) +
           (module.empty() ? "" : ", driver " + module);
  }

  Result<std::vector<driver::DeviceInfo>> devices() override {
    int count = 0;
    QUERN_CU(*api_, device_count(&count));
    find_compiler();
    std::vector<driver::DeviceInfo> out;
    for (int i = 0; i < count; ++i) {
      DeviceId id = 0;
      QUERN_CU(*api_, device_get(&id, i));
      QUERN_TRY_ASSIGN(driver::DeviceInfo info, describe(*api_, id, static_cast<uint32_t>(i)));
      info.driver_version = module_version(vendor_);
      choose_code(id, info);
      out.push_back(std::move(info));
    }
    return out;
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (!options.empty())
      return Error(ErrorKind::kInvalidUse,
                   std::string(name()) + " knows no options; '" + options[0].first + "' is given");
    QUERN_TRY_ASSIGN(std::vector<driver::DeviceInfo> all, devices());
    if (index >= all.size())
      return Error(ErrorKind::kNotFound, std::string(name()) + " has " +
                                             base::format_plural(all.size(), "device") + ", there is no " +
                                             std::string(name()) + ":" + std::to_string(index));
    DeviceId id = 0;
    QUERN_CU(*api_, device_get(&id, static_cast<int>(index)));
    return Device::open(api_, id, std::move(all[index]), compiler_);
  }

 private:
  Result<> init(const Api& api) const {
    constexpr int32_t kNoDevice = 100, kNoSuchDevice = 101;  // the second is what HIP says
    const int32_t code = api.init(0);
    if (code == 0) return {};
    if (code == kNoDevice || (code == kNoSuchDevice && !vendor_.is_cuda()))
      return Error(ErrorKind::kNotFound, std::string(vendor_.maker) + "'s driver finds no device")
          .add_hint(std::string(vendor_.why_none));
    return failed(api, "init", code);
  }

  // Without NVRTC kernels are written as PTX, which every driver compiles.
  void choose_code(DeviceId id, driver::DeviceInfo& info) const {
    std::string says = "none is found";
    if (compiler_ != nullptr) {
      says = compiler_->version() + ", " + compiler_->library();
    } else if (vendor_.is_cuda()) {
      says += ": kernels are PTX of ours, which the driver compiles";
      std::swap(info.code[0], info.code[1]);
    }
    const int major = read_attribute(*api_, id, Attribute::kMajor);
    const int minor = read_attribute(*api_, id, Attribute::kMinor);
    info.code_version = base::format("sm_%d%d", major, minor);
    info.matrices = driver::matrices_of_sm(major * 10 + minor);
    info.details.emplace_back("compiler", std::move(says));
  }

  // Once: it is a large library.
  void find_compiler() {
    const std::lock_guard lock(mutex_);
    int version = 0;
    if (has_looked_ || api_->driver_version(&version) != 0) return;
    has_looked_ = true;
    if (auto found = Compiler::find(vendor_, version); found.ok()) compiler_ = std::move(*found);
  }

  const Vendor& vendor_;
  std::shared_ptr<const Api> api_;
  std::mutex mutex_;
  bool has_looked_ = false;
  std::shared_ptr<const Compiler> compiler_;  // null: none is found
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver_of(const Vendor& vendor) {
  return std::make_unique<CudaDriver>(vendor);
}

std::unique_ptr<driver::Driver> make_driver() { return make_driver_of(cuda_vendor()); }

}  // namespace quern::cuda
