#include "driver/cpu/driver.hpp"

#include "driver/cpu/api.hpp"
#include "driver/cpu/device.hpp"
#include "driver/support/messages.hpp"

namespace quern::cpu {
namespace {

using driver::Result;

class CpuDriver : public driver::Driver {
 public:
  std::string_view name() const override { return "cpu"; }

  Result<std::string> start() override {
    // Loading LLVM takes longer than many kernels run: its presence is only checked by name until it is
    // needed.
    if (const std::string library = llvm_library_name(); !library.empty()) return "LLVM (" + library + ")";
    QUERN_TRY_ASSIGN(const LlvmApi* api, llvm_api());
    return "LLVM " + api->version;
  }

  Result<std::vector<driver::DeviceInfo>> devices() override {
    QUERN_TRY_ASSIGN(const Settings s, settings({}));
    return std::vector<driver::DeviceInfo>{describe(s)};
  }

  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (index != 0)
      return base::Error(base::ErrorKind::not_found,
                         driver::message::kUnknownIndex("cpu", std::to_string(index), "1 device"));
    QUERN_TRY_ASSIGN(Settings s, settings(options));
    return std::unique_ptr<driver::Device>(std::make_unique<CpuDevice>(std::move(s)));
  }
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<CpuDriver>(); }

}  // namespace quern::cpu
