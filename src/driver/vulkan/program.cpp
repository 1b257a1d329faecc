#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

uint32_t align_up(uint32_t n, uint32_t align) { return align <= 1 ? n : (n + align - 1) / align * align; }

}  // namespace

Program::~Program() {
  if (module != ShaderModule{}) device_.api_.vkDestroyShaderModule(device_.device_, module, nullptr);
}

Kernel::~Kernel() {
  const DeviceApi& api = device_.api_;
  for (const Variant& v : variants) api.vkDestroyPipeline(device_.device_, v.pipeline, nullptr);
  if (layout != PipelineLayout{}) api.vkDestroyPipelineLayout(device_.device_, layout, nullptr);
  for (const DescriptorSetLayout set : sets) api.vkDestroyDescriptorSetLayout(device_.device_, set, nullptr);
}

// What the driver says of code that it does not take: little, unless the validation layer is there.
Error Device::refused(const std::string& what, int32_t code) {
  const std::vector<std::string> messages = instance_->messages.take();
  if (!messages.empty())
    return Error(ErrorKind::kCompile,
                 info_.name + " does not take " + what + ":\n" + base::join(messages, "\n"));
  Error error = failed(api_, "compiling it", code);
  const bool keeps = error.kind() == ErrorKind::kDeviceLost || error.kind() == ErrorKind::kOutOfMemory;
  return Error(keeps ? error.kind() : ErrorKind::kCompile,
               info_.name + " does not take " + what + ": " + error.message())
      .add_hint("QUERN_VALIDATE=1 may tell why");
}

Result<std::unique_ptr<driver::Program>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  if (code.kind != driver::CodeKind::kSpirv)
    return Error(ErrorKind::kUnsupported,
                 "vulkan takes no " + std::string(driver::name(code.kind)) + " code");
  auto program = std::make_unique<Program>(*this);
  std::vector<uint32_t> words(code.bytes.size() / 4);
  std::memcpy(words.data(), code.bytes.data(), words.size() * 4);
  constexpr uint32_t kSpirvMagic = 0x07230203;
  if (code.bytes.size() % 4 != 0 || words.size() < 5 || words[0] != kSpirvMagic)
    return Error(ErrorKind::kBadInput, code.name + " is no SPIR-V module");
  if (code.is_raw) {
    QUERN_TRY_ASSIGN(program->raw, target::spirv::reflect(words, code.defines));
  }
  program->code = code;
  program->code.bytes.clear();
  program->code.module.reset();
  ShaderModuleCreateInfo module;
  module.bytes = words.size() * 4;
  module.code = words.data();
  const int32_t made = api_.vkCreateShaderModule(device_, &module, nullptr, &program->module);
  if (made < 0) return refused(code.name, made);
  if (instance_->is_validated) {
    if (const auto messages = instance_->messages.take(); !messages.empty())
      return Error(ErrorKind::kCompile, code.name + " is not valid:\n" + base::join(messages, "\n"));
  }
  QUERN_TRY(make_variables(*program));
  return program;
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Program& program, std::string_view name) {
  QUERN_TRY(alive());
  auto& p = static_cast<Program&>(program);
  auto kernel = std::make_unique<Kernel>(*this);
  kernel->program = &p;
  if (p.code.is_raw) {
    const auto found = std::find_if(p.raw.entries.begin(), p.raw.entries.end(),
                                    [&](const RawEntry& e) { return e.name == name; });
    if (found == p.raw.entries.end())
      return Error(ErrorKind::kNotFound, "there is no kernel '" + std::string(name) + "'");
    kernel->raw = &*found;
    QUERN_TRY(lay_out_raw(*kernel));
  } else {
    QUERN_TRY_ASSIGN(const driver::KernelInfo* const found, find_kernel(p.code, name));
    kernel->info = *found;
    QUERN_TRY(lay_out(*kernel));
  }
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

// The block of arguments has pointers to variables and to the report behind the user's own. Where there are
// no addresses all of these are bound, as target/target.hpp has it.
Result<> Device::lay_out(Kernel& kernel) {
  const driver::KernelInfo& info = kernel.info;
  const Program& program = *kernel.program;
  kernel.has_report = driver::reports(info);
  if (kernel.has_report && program.report == nullptr)
    return Error(ErrorKind::kInternal, "kernel '" + info.name + "' reports, and its code has no sites");
  const bool is_bound = info.block_by_address && !has_addresses();
  kernel.push_bytes = is_bound ? 0 : info.block_by_address ? 8 : align_up(info.block_bytes, 4);
  if (kernel.push_bytes > kMostPushed)
    return Error(ErrorKind::kInternal, "the code of kernel '" + info.name + "' pushes too many arguments");
  uint32_t number = 0;
  for (size_t i = 0; i < info.params.size() && !has_addresses(); ++i) {
    if (info.params[i].is_pointer)
      kernel.bound.push_back({0, number++, 0, kDescriptorStorage, static_cast<int32_t>(i), nullptr});
  }
  const auto hide = [&](driver::Buffer* b, uint32_t set, uint32_t binding) {
    if (has_addresses()) {
      kernel.hidden.push_back(b->address);
    } else {
      kernel.bound.push_back({set, binding, 0, kDescriptorStorage, -1, b});
    }
  };
  for (const auto& v : program.variables) hide(v.get(), 0, number++);
  if (kernel.has_report) hide(program.report->buffer.get(), 1, 0);
  if (is_bound) kernel.bound.push_back({1, 1, 0, kDescriptorStorage, -1, nullptr});
  const uint32_t most =
      std::min(has_.properties.limits.stage_storage_buffers, has_.maintenance.set_descriptors);
  if (kernel.bound.size() > most)
    return Error(ErrorKind::kUnsupported,
                 base::format("kernel '%s' needs %zu buffers with its variables, and %s binds up to %u",
                              info.name.c_str(), kernel.bound.size(), info_.name.c_str(), most));
  return make_layout(kernel);
}

// The buffers are the first parameters, in their order; the push constants are the last one.
Result<> Device::lay_out_raw(Kernel& kernel) {
  const RawEntry& raw = *kernel.raw;
  kernel.info = target::spirv::describe(raw);
  int32_t param = 0;
  for (const target::spirv::RawBuffer& b : raw.buffers) {
    const uint32_t descriptor = b.is_uniform ? kDescriptorUniform : kDescriptorStorage;
    for (uint32_t element = 0; element < b.count; ++element)
      kernel.bound.push_back({b.set, b.binding, element, descriptor, param++, nullptr});
  }
  kernel.push_bytes = raw.push_bytes;
  const uint32_t most = std::min(has_.properties.limits.push_bytes, kMostRawPushed);
  if (raw.push_bytes > most)
    return Error(ErrorKind::kUnsupported,
                 base::format("kernel '%s' takes %u bytes of push constants, and the limit of %s is %u",
                              raw.name.c_str(), raw.push_bytes, info_.name.c_str(), most));
  return make_layout(kernel);
}

Result<> Device::make_layout(Kernel& kernel) {
  uint32_t set_count = 0;
  for (const Kernel::Bound& b : kernel.bound) set_count = std::max(set_count, b.set + 1);
  if (set_count > has_.properties.limits.bound_sets)
    return Error(ErrorKind::kUnsupported,
                 "kernel '" + kernel.info.name + "' has too many descriptor sets for " + info_.name);
  for (uint32_t set = 0; set < set_count; ++set) {
    std::vector<DescriptorBinding> bindings;
    for (const Kernel::Bound& b : kernel.bound) {
      if (b.set != set) continue;
      if (b.element > 0) {
        ++bindings.back().count;
        continue;
      }
      DescriptorBinding& to = bindings.emplace_back();
      to.binding = b.binding;
      to.descriptor = b.descriptor;
    }
    DescriptorSetLayoutCreateInfo info;
    info.count = static_cast<uint32_t>(bindings.size());
    info.bindings = bindings.data();
    QUERN_VK(api_, vkCreateDescriptorSetLayout(device_, &info, nullptr, &kernel.sets.emplace_back()));
  }
  const PushConstantRange range{kStageCompute, 0, align_up(kernel.push_bytes, 4)};
  PipelineLayoutCreateInfo info;
  info.set_count = set_count;
  info.sets = kernel.sets.data();
  info.range_count = range.bytes == 0 ? 0 : 1;
  info.ranges = &range;
  QUERN_VK(api_, vkCreatePipelineLayout(device_, &info, nullptr, &kernel.layout));
  return {};
}

std::vector<std::string> Device::kernel_names(driver::Program& program) {
  std::vector<std::string> names;
  const auto& p = static_cast<Program&>(program);
  for (const RawEntry& e : p.raw.entries) names.push_back(e.name);
  for (const driver::KernelInfo& k : p.code.kernels) names.push_back(k.name);
  return names;
}

}  // namespace quern::vulkan
