#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "driver/support/messages.hpp"
#include "driver/vulkan/device.hpp"
#include "driver/vulkan/messages.hpp"
#include "spirv/grammar/module_header.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;
using driver::Feature;

namespace {

// Ids of specialization constants in emitted modules.
enum : uint32_t { kBlockX, kBlockY, kBlockZ, kDynamicShared };

}  // namespace

// The error for code that the driver rejects: it gives few details without the validation layer.
Error Device::refused(const std::string& what, int32_t code) {
  const std::vector<std::string> messages = instance_->messages.take();
  if (!messages.empty())
    return Error(ErrorKind::compile, message::kRejected(info_.name, what, base::join(messages, "\n")));
  Error error = failed(api_, "compiling", code);
  const bool keeps = error.kind() == ErrorKind::device_lost || error.kind() == ErrorKind::out_of_memory;
  return Error(keeps ? error.kind() : ErrorKind::compile,
               message::kRejectedWithoutReason(info_.name, what, error.message()));
}

Result<std::unique_ptr<driver::Module>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  if (code.kind != driver::CodeKind::kSpirv)
    return Error(ErrorKind::unsupported,
                 driver::message::kUnsupportedCode("vulkan", driver::name(code.kind)));
  auto program = std::make_unique<Module>();
  if (!spirv::has_module_header(code.bytes))
    return Error(ErrorKind::bad_input, driver::message::kNotSpirv(code.name));
  std::vector<uint32_t> words(code.bytes.size() / 4);
  std::memcpy(words.data(), code.bytes.data(), words.size() * 4);
  if (code.is_raw) {
    QUERN_TRY_ASSIGN(program->raw, spirv::reflect(words, code.defines));
  }
  program->code = code;
  program->code.bytes.clear();
  program->code.module.reset();
  const ShaderModuleCreateInfo module{.bytes = words.size() * 4, .code = words.data()};
  ShaderModule made = {};
  const int32_t status = api_.vkCreateShaderModule(device_, &module, nullptr, &made);
  if (status < 0) return refused(code.name, status);
  program->module = {made, {device_, api_.vkDestroyShaderModule}};
  if (instance_->is_validated) {
    if (const auto messages = instance_->messages.take(); !messages.empty())
      return Error(ErrorKind::compile, message::kInvalidSpirv(code.name, base::join(messages, "\n")));
  }
  QUERN_TRY(make_variables(*program));
  return program;
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Module& program, std::string_view name) {
  QUERN_TRY(alive());
  auto& p = static_cast<Module&>(program);
  auto kernel = std::make_unique<Kernel>();
  kernel->program = &p;
  if (p.code.is_raw) {
    const auto found = std::find_if(p.raw.entries.begin(), p.raw.entries.end(),
                                    [&](const RawEntry& e) { return e.name == name; });
    if (found == p.raw.entries.end())
      return Error(ErrorKind::not_found, driver::message::kUnknownKernel(name));
    kernel->raw = &*found;
    QUERN_TRY(lay_out_raw(*kernel));
  } else {
    QUERN_TRY_ASSIGN(const driver::KernelInfo* const found, find_kernel(p.code, name));
    kernel->info = *found;
    QUERN_TRY(lay_out(*kernel));
  }
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

Result<Device::Pipelines::Found> Device::pipeline(Kernel& kernel, const driver::Dim3& block,
                                                  uint64_t shared_bytes) {
  const driver::BlockConfig shape{block, kernel.info.needs.has(Feature::dynamic_shared) ? shared_bytes : 0};
  return kernel.pipelines.get(shape, [&] { return make_pipeline(kernel, shape); });
}

Result<Owned<Pipeline>> Device::make_pipeline(const Kernel& kernel, const driver::BlockConfig& shape) {
  std::vector<SpecializationEntry> entries;
  std::vector<uint64_t> data;
  const auto set = [&](uint32_t id, uint64_t value, size_t bytes) {
    entries.push_back({id, static_cast<uint32_t>(data.size() * 8), bytes});
    data.push_back(value);  // little-endian: the low bytes
  };
  if (kernel.raw == nullptr) {
    set(kBlockX, shape.block.x, 4);
    set(kBlockY, shape.block.y, 4);
    set(kBlockZ, shape.block.z, 4);
    if (kernel.info.needs.has(Feature::dynamic_shared)) set(kDynamicShared, shape.shared_bytes, 4);
  } else {
    for (const spirv::RawConstant& c : kernel.program->raw.constants) set(c.id, c.bits, c.bytes);
  }
  const SpecializationInfo constants{static_cast<uint32_t>(entries.size()), entries.data(), data.size() * 8,
                                     data.data()};
  const RequiredSubgroupSize warps{.size = kWarp};
  ComputePipelineCreateInfo info{.stage = {.module = kernel.program->module.get(),
                                           .entry = kernel.info.entry.c_str(),
                                           .constants = &constants},
                                 .layout = kernel.layout.get()};
  if (kernel.raw == nullptr && kernel.info.needs.has(Feature::warps) && has_.fixes_warps()) {
    if (has_.sets_subgroups()) info.stage.next = &warps;
    if (has_.full_subgroups() && shape.block.x % warps.size == 0) info.stage.flags = kFullSubgroups;
  }
  Pipeline made = {};
  const int32_t code = api_.vkCreateComputePipelines(device_, cache_.get(), 1, &info, nullptr, &made);
  if (code < 0 || made == Pipeline{}) return refused("kernel '" + kernel.info.name + "'", code);
  return Owned<Pipeline>(made, {device_, api_.vkDestroyPipeline});
}

Result<bool> Device::prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) {
  QUERN_TRY(alive());
  QUERN_TRY_ASSIGN(const auto found, pipeline(static_cast<Kernel&>(kernel), block, shared_bytes));
  return found.is_new;
}

std::vector<std::string> Device::kernel_names(driver::Module& program) {
  std::vector<std::string> names;
  const auto& p = static_cast<Module&>(program);
  for (const RawEntry& e : p.raw.entries) names.push_back(e.name);
  for (const driver::KernelInfo& k : p.code.kernels) names.push_back(k.name);
  return names;
}

}  // namespace quern::vulkan
