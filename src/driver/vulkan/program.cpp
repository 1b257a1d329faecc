#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "driver/interface/arguments.hpp"
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;
using driver::CodeKind;
using driver::Feature;

namespace {

// A binary: this, the bytes of the module, the module, and what the pipeline cache holds.
constexpr std::string_view kMagic = "QUERNVK1";
constexpr uint32_t kMostPushed = 128;  // of a block of arguments; longer ones are read from memory

struct Parts {
  std::string_view module, cache;
};

Result<Parts> parts_of(const driver::Code& code) {
  if (code.kind == CodeKind::kSpirv) return Parts{code.bytes, {}};
  const std::string_view all = code.bytes;
  uint64_t size = 0;
  const size_t header = kMagic.size() + sizeof size;
  if (all.size() >= header) std::memcpy(&size, all.data() + kMagic.size(), sizeof size);
  if (!all.starts_with(kMagic) || all.size() < header || size > all.size() - header)
    return Error(ErrorKind::kBadInput, code.name + " is no program that vulkan stored");
  return Parts{all.substr(header, size), all.substr(header + size)};
}

uint32_t align_up(uint32_t n, uint32_t align) { return align <= 1 ? n : (n + align - 1) / align * align; }

}  // namespace

Program::~Program() {
  if (module != ShaderModule{}) device_.api_.vkDestroyShaderModule(device_.device_, module, nullptr);
  if (cache != PipelineCache{}) device_.api_.vkDestroyPipelineCache(device_.device_, cache, nullptr);
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
  Error error = failed("compiling it", code);
  const bool keeps = error.kind() == ErrorKind::kDeviceLost || error.kind() == ErrorKind::kOutOfMemory;
  return Error(keeps ? error.kind() : ErrorKind::kCompile,
               info_.name + " does not take " + what + ": " + error.message())
      .add_hint("QUERN_VALIDATE=1 may tell why");
}

Result<std::unique_ptr<driver::Program>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  if (code.kind != CodeKind::kSpirv && code.kind != CodeKind::kVulkanBinary)
    return Error(ErrorKind::kUnsupported,
                 "vulkan takes no " + std::string(driver::name(code.kind)) + " code");
  QUERN_TRY_ASSIGN(const Parts parts, parts_of(code));
  auto program = std::make_unique<Program>(*this);
  std::vector<uint32_t> words(parts.module.size() / 4);
  std::memcpy(words.data(), parts.module.data(), words.size() * 4);
  constexpr uint32_t kSpirvMagic = 0x07230203;
  if (parts.module.size() % 4 != 0 || words.size() < 5 || words[0] != kSpirvMagic)
    return Error(ErrorKind::kBadInput, code.name + " is no SPIR-V module");
  if (code.is_raw) {
    QUERN_TRY_ASSIGN(program->raw, reflect(words, code.defines));
  }
  program->code = code;
  program->code.bytes = std::string(parts.module);
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
  PipelineCacheCreateInfo cache;
  cache.bytes = parts.cache.size();
  cache.data = parts.cache.data();
  QUERN_VK(api_, vkCreatePipelineCache(device_, &cache, nullptr, &program->cache));
  QUERN_TRY(make_variables(*program));
  return program;
}

Result<> Device::make_variables(Program& program) {
  const std::lock_guard lock(own_mutex_);
  for (const driver::VariableInfo& v : program.code.variables) {
    QUERN_TRY_ASSIGN(auto buffer, allocate(v.bytes, driver::MemoryKind::kDevice));
    std::vector<uint8_t> initial = v.initial;
    initial.resize(v.bytes);
    QUERN_TRY(upload(*own_queue_, {buffer.get(), 0}, initial.data(), initial.size()));
    program.variables.push_back(std::move(buffer));
  }
  QUERN_TRY(synchronize(*own_queue_));
  if (program.code.sites.empty()) return {};
  program.report = std::make_shared<driver::Report>();
  program.report->sites = program.code.sites;
  QUERN_TRY_ASSIGN(program.report->buffer,
                   allocate(uint64_t{driver::kReportWords} * 4, driver::MemoryKind::kDevice));
  return start_report(*program.report);
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Program& program, std::string_view name) {
  QUERN_TRY(alive());
  auto& p = static_cast<Program&>(program);
  auto kernel = std::make_unique<Kernel>(*this);
  kernel->program = &p;
  const auto by_name = [&](const auto& k) { return k.name == name; };
  const Error unknown(ErrorKind::kNotFound, "there is no kernel '" + std::string(name) + "'");
  if (p.code.is_raw) {
    const auto found = std::find_if(p.raw.entries.begin(), p.raw.entries.end(), by_name);
    if (found == p.raw.entries.end()) return unknown;
    kernel->raw = &*found;
    QUERN_TRY(lay_out_raw(*kernel));
  } else {
    const auto found = std::find_if(p.code.kernels.begin(), p.code.kernels.end(), by_name);
    if (found == p.code.kernels.end()) return unknown;
    if (!found->refused.empty()) return Error(ErrorKind::kUnsupported, found->refused);
    kernel->info = *found;
    QUERN_TRY(lay_out(*kernel));
  }
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

// The block of arguments: the parameters as C lays them out, then the addresses of variables and report.
// Where there are no addresses, as target/target.hpp has it.
Result<> Device::lay_out(Kernel& kernel) {
  const driver::KernelInfo& info = kernel.info;
  const Program& program = *kernel.program;
  kernel.has_report = info.needs.has(Feature::kPrint) || info.needs.has(Feature::kAssert);
  if (kernel.has_report && program.report == nullptr)
    return Error(ErrorKind::kInternal, "kernel '" + info.name + "' reports, and its code has no sites");
  if (!has_addresses()) {
    uint32_t binding = 0;
    for (size_t i = 0; i < info.params.size(); ++i) {
      if (info.params[i].is_pointer)
        kernel.bound.push_back({0, binding++, 0, kDescriptorStorage, static_cast<int32_t>(i), nullptr});
    }
    const auto own = [&](driver::Buffer* b) {
      kernel.bound.push_back({0, binding++, 0, kDescriptorStorage, -1, b});
    };
    for (const auto& v : program.variables) own(v.get());
    if (kernel.has_report) own(program.report->buffer.get());
    kernel.block_bytes = kernel.push_bytes = static_cast<uint32_t>(driver::block_bytes(info));
    return make_layout(kernel);
  }
  uint32_t at = 0;
  for (const driver::ParamInfo& p : info.params) {
    at = align_up(at, p.is_pointer ? 8 : p.align);
    kernel.offsets.push_back(at);
    at += p.is_pointer ? 8 : p.bytes;
  }
  const auto hidden = static_cast<uint32_t>(program.variables.size() + (kernel.has_report ? 1 : 0));
  kernel.block_bytes = hidden == 0 ? at : align_up(at, 8) + hidden * 8;
  if (align_up(info.block_bytes, 8) != align_up(kernel.block_bytes, 8))
    return Error(ErrorKind::kInternal,
                 base::format("the code of kernel '%s' takes %u bytes of arguments, and there are %u",
                              info.name.c_str(), info.block_bytes, kernel.block_bytes));
  kernel.push_bytes = info.block_by_address ? 8 : align_up(info.block_bytes, 4);
  if (kernel.push_bytes > kMostPushed)
    return Error(ErrorKind::kInternal, "the code of kernel '" + info.name + "' pushes too many arguments");
  return make_layout(kernel);
}

// Buffers by set and binding, then the push constants as one struct: as std.gpu takes them.
Result<> Device::lay_out_raw(Kernel& kernel) {
  const RawEntry& raw = *kernel.raw;
  kernel.info.name = kernel.info.entry = raw.name;
  kernel.info.block = raw.block;
  kernel.info.shared_bytes = raw.shared_bytes;
  for (const RawBuffer& b : raw.buffers) {
    for (uint32_t element = 0; element < b.count; ++element) {
      driver::ParamInfo p;
      p.name = b.count == 1 ? b.name : b.name + "." + std::to_string(element);
      p.spelling = b.is_uniform ? "uniform buffer" : "buffer";
      p.type = ir::TypeKind::kPtr;
      p.is_pointer = true;
      p.is_written = b.is_written;
      p.bytes = p.align = 8;
      const uint32_t descriptor = b.is_uniform ? kDescriptorUniform : kDescriptorStorage;
      kernel.bound.push_back(
          {b.set, b.binding, element, descriptor, static_cast<int32_t>(kernel.info.params.size()), nullptr});
      kernel.info.params.push_back(std::move(p));
    }
  }
  kernel.block_bytes = kernel.push_bytes = raw.push_bytes;
  if (raw.push_bytes != 0) {
    driver::ParamInfo p;
    p.name = raw.push_name;
    p.spelling = "struct of " + base::format_plural(raw.push_bytes, "byte");
    p.bytes = raw.push_bytes;
    p.align = 4;
    kernel.info.params.push_back(std::move(p));
  }
  if (raw.push_bytes > has_.properties.limits.push_bytes)
    return Error(ErrorKind::kUnsupported,
                 base::format("kernel '%s' takes %u bytes of push constants, and the limit of %s is %u",
                              raw.name.c_str(), raw.push_bytes, info_.name.c_str(),
                              has_.properties.limits.push_bytes));
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

Result<driver::Place> Device::variable(driver::Program& program, std::string_view name) {
  auto& p = static_cast<Program&>(program);
  for (size_t i = 0; i < p.code.variables.size(); ++i) {
    if (p.code.variables[i].name == name) return driver::Place{p.variables[i].get(), 0};
  }
  return driver::Device::variable(program, name);
}

std::vector<std::string> Device::kernel_names(driver::Program& program) {
  std::vector<std::string> names;
  const auto& p = static_cast<Program&>(program);
  for (const RawEntry& e : p.raw.entries) names.push_back(e.name);
  for (const driver::KernelInfo& k : p.code.kernels) names.push_back(k.name);
  return names;
}

Result<driver::Code> Device::binary(driver::Program& program) {
  QUERN_TRY(alive());
  const auto& p = static_cast<Program&>(program);
  size_t size = 0;
  QUERN_VK(api_, vkGetPipelineCacheData(device_, p.cache, &size, nullptr));
  std::string cache(size, '\0');
  QUERN_VK(api_, vkGetPipelineCacheData(device_, p.cache, &size, cache.data()));
  cache.resize(size);
  driver::Code code = p.code;
  code.kind = CodeKind::kVulkanBinary;
  const uint64_t module_bytes = p.code.bytes.size();
  code.bytes = kMagic;
  code.bytes.append(reinterpret_cast<const char*>(&module_bytes), sizeof module_bytes);
  code.bytes += p.code.bytes + cache;
  return code;
}

}  // namespace quern::vulkan
