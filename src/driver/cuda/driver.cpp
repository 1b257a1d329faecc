#include "driver/cuda/driver.hpp"

#include <algorithm>
#include <fstream>
#include <future>
#include <map>
#include <mutex>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "driver/cuda/device.hpp"
#include "driver/cuda/messages.hpp"
#include "driver/support/messages.hpp"

namespace quern::cuda {

namespace {

using base::Error;
using base::ErrorKind;

// "580.95.05", as reported by the kernel module; empty if it does not report it (WSL, AMD).
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

class CudaDriver final : public driver::Driver, public driver::InteropDriver {
 public:
  explicit CudaDriver(const Vendor& vendor) : vendor_(vendor) {}

  std::string_view name() const override { return vendor_.driver; }

  bool in_use() const override { return api_in_use(vendor_); }

  Result<std::string> start() override {
    if (api_ == nullptr) {
      QUERN_TRY(look_for_node());
      QUERN_TRY_ASSIGN(Api api, load_api(vendor_));
      seek_compiler(api);
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
    QUERN_TRY_ASSIGN(const uint32_t count, count_devices());
    std::vector<driver::DeviceInfo> out;
    for (uint32_t i = 0; i < count; ++i) {
      QUERN_TRY_ASSIGN(driver::DeviceInfo info, described(i));
      out.push_back(std::move(info));
    }
    return out;
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (!options.empty())
      return Error(ErrorKind::invalid_use,
                   driver::message::kUnknownOption(name(), options[0].first, name(), "no options"));
    return open_in(index, nullptr, {});
  }

  Result<std::unique_ptr<driver::Device>> open_native(const driver::AnyDevice& handle,
                                                      driver::KeepAlive keep_alive) override {
    if (const auto* const hip = std::get_if<interop::hip::Device>(&handle))
      return open_in(static_cast<uint32_t>(hip->ordinal), reinterpret_cast<Context>(hip->context),
                     std::move(keep_alive));
    const auto& cuda = std::get<interop::cuda::Device>(handle);
    return open_in(static_cast<uint32_t>(cuda.ordinal), reinterpret_cast<Context>(cuda.context),
                   std::move(keep_alive));
  }

 private:
  Result<std::unique_ptr<driver::Device>> open_in(uint32_t index, Context native,
                                                  driver::KeepAlive keep_alive) {
    QUERN_TRY_ASSIGN(const uint32_t count, count_devices());
    if (index >= count)
      return Error(ErrorKind::not_found,
                   driver::message::kUnknownIndex(name(), std::to_string(index),
                                                  base::format_plural(count, "device")));
    DeviceId id = 0;
    QUERN_CU(*api_, device_get(&id, static_cast<int>(index)));
    QUERN_TRY_ASSIGN(driver::DeviceInfo info, described(index));
    return Device::open(api_, id, std::move(info), compiler_.get(), native, std::move(keep_alive));
  }

  // Without a node there is no device, and the libraries are too large to load just to find that out.
  Result<> look_for_node() const {
    const auto is_there = [](std::string_view node) { return base::file_exists(std::string(node)); };
    if (vendor_.nodes.empty() || base::env_text(std::string(vendor_.environment).c_str()) ||
        std::any_of(vendor_.nodes.begin(), vendor_.nodes.end(), is_there))
      return {};
    return Error(ErrorKind::not_found,
                 message::kNoDeviceNode(vendor_.maker, vendor_.nodes[0], vendor_.why_no_node));
  }

  Result<uint32_t> count_devices() const {
    int count = 0;
    QUERN_CU(*api_, device_count(&count));
    return static_cast<uint32_t>(count);
  }

  // Queried once: it takes half a millisecond, and does not change when the device is opened.
  Result<driver::DeviceInfo> described(uint32_t index) {
    const std::lock_guard lock(described_mutex_);
    if (const auto known = described_.find(index); known != described_.end()) return known->second;
    QUERN_TRY_ASSIGN(driver::DeviceInfo info, describe_one(index));
    return described_.emplace(index, std::move(info)).first->second;
  }

  Result<driver::DeviceInfo> describe_one(uint32_t index) const {
    DeviceId id = 0;
    QUERN_CU(*api_, device_get(&id, static_cast<int>(index)));
    QUERN_TRY_ASSIGN(driver::DeviceInfo info, describe(*api_, id, index));
    info.driver_version = module_version(vendor_);
    choose_code(id, info);
    return info;
  }

  Result<> init(const Api& api) const {
    constexpr int32_t kNoDevice = 100, kNoSuchDevice = 101;  // HIP returns the second
    const int32_t code = api.init(0);
    if (code == 0) return {};
    if (code == kNoDevice || (code == kNoSuchDevice && !vendor_.is_cuda()))
      return Error(ErrorKind::not_found, message::kNoDevice(vendor_.maker, vendor_.why_none));
    return failed(api, "init", code);
  }

  // Without NVRTC, or if NVRTC no longer supports the device, kernels are emitted as PTX, which every driver
  // compiles.
  void choose_code(DeviceId id, driver::DeviceInfo& info) const {
    const int major = read_attribute(*api_, id, Attribute::kMajor);
    const int minor = read_attribute(*api_, id, Attribute::kMinor);
    const std::string version = base::format("sm_%d%d", major, minor);
    if (vendor_.is_cuda()) {  // AMD's numbers have another meaning
      info.code_version = version;
      info.compute_capability = static_cast<uint32_t>(major * 10 + minor);
      info.matrices = driver::matrices_of_sm(major * 10 + minor);
    }
    std::string says = "not found";
    const auto& compiler = compiler_.get();
    const bool is_too_new = compiler != nullptr && compiler->is_too_new_for(major * 10 + minor);
    if (compiler != nullptr) says = compiler->version() + ", " + compiler->library();
    if (is_too_new) says += ", no longer compiles for " + version;
    if (vendor_.is_cuda() && (compiler == nullptr || is_too_new)) {
      says += ": kernels are emitted as PTX, which the driver compiles";
      std::swap(info.code[0], info.code[1]);
    }
    info.details.emplace_back("compiler", std::move(says));
  }

  // A large library, loaded while the driver starts.
  void seek_compiler(const Api& api) {
    int version = 0;
    if (api.driver_version(&version) != 0) version = 0;
    compiler_ = std::async(std::launch::async | std::launch::deferred, [this, version] {
                  auto found = Compiler::find(vendor_, version);
                  return found.ok() ? std::shared_ptr<Compiler>(std::move(*found)) : nullptr;
                }).share();
  }

  const Vendor& vendor_;
  std::shared_ptr<const Api> api_;
  std::shared_future<std::shared_ptr<Compiler>> compiler_;  // null: not found
  std::mutex described_mutex_;
  std::map<uint32_t, driver::DeviceInfo> described_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver_of(const Vendor& vendor) {
  return std::make_unique<CudaDriver>(vendor);
}

std::unique_ptr<driver::Driver> make_driver() { return make_driver_of(cuda_vendor()); }

}  // namespace quern::cuda
