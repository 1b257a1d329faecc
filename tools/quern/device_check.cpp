#include "device_check.hpp"

#include "runtime/select.hpp"
#include "targets.hpp"

namespace quern::tool {

namespace {

constexpr driver::Dim3 kLine{256, 1, 1};
constexpr driver::Dim3 kBox{10, 5, 2};  // rows that do not fill a vector, and a last one that is partial

}  // namespace

base::Result<std::unique_ptr<DeviceCheck>> DeviceCheck::open(const std::string& device) {
  auto check = std::make_unique<DeviceCheck>();
  QUERN_TRY_ASSIGN(check->device_, runtime::open({device, {}}));
  return check;
}

base::Result<> DeviceCheck::compile(const ir::Module& module, const ir::Function& kernel,
                                    const std::string& file) {
  QUERN_TRY_ASSIGN(const driver::Code code, emit_kernel(module, kernel, file, driver::CodeKind::kIr, false));
  driver::Device& native = device_->native();
  QUERN_TRY_ASSIGN(auto program, native.load(code));
  QUERN_TRY_ASSIGN(auto loaded, native.kernel(*program, kernel.name));
  for (const driver::Dim3& block : {kLine, kBox}) QUERN_TRY(native.prepare(*loaded, block, 0));
  native.destroy(std::move(loaded));
  native.destroy(std::move(program));
  return {};
}

}  // namespace quern::tool
