#include <algorithm>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "driver/level_zero/device.hpp"
#include "driver/level_zero/messages.hpp"
#include "driver/support/messages.hpp"

namespace quern::level_zero {

using base::Error;
using base::ErrorKind;
using driver::CodeKind;
using driver::Feature;

namespace {

// The complete output of the compiler; destroys the log.
std::string take_log(const Api& api, ZeLog log) {
  if (log == nullptr) return {};
  size_t size = 0;
  std::string text;
  if (api.zeModuleBuildLogGetString(log, &size, nullptr) == kSuccess && size > 1) {
    text.resize(size);
    if (api.zeModuleBuildLogGetString(log, &size, text.data()) != kSuccess) text.clear();
  }
  (void)api.zeModuleBuildLogDestroy(log);
  return std::string(base::trim(text.substr(0, text.find('\0'))));
}

}  // namespace

std::string Device::build_flags(const driver::Code& code) const {
  constexpr uint32_t kUsualRegisters = 128;  // of a thread, without the large register file
  std::vector<std::string> flags;
  if (options_.has_large_registers || code.max_registers > kUsualRegisters)
    flags.emplace_back("-ze-opt-large-register-file");
  if (found_.has_large_buffers) flags.emplace_back("-ze-opt-greater-than-4GB-buffer-required");
  if (code.debug) flags.emplace_back("-g -ze-opt-disable");
  return base::join(flags, " ");
}

std::string Device::cache_key(const driver::Code& code) const {
  base::Hasher hasher;
  const driver::DeviceInfo& i = found_.info;
  for (const std::string_view part : {std::string_view(i.name), std::string_view(i.vendor),
                                      std::string_view(i.driver_version), std::string_view(i.api_version)})
    hasher.add_field(part);
  hasher.add(options_.subgroup_size).add_field(build_flags(code)).add_field(code.bytes);
  return "level_zero-" + hasher.finish().to_string();
}

Result<Owned<ZeModule>> Device::make_module(const driver::Code& code, std::string_view bytes,
                                            uint32_t format) {
  const std::string flags = build_flags(code);
  ModuleDesc desc;
  desc.format = format;
  desc.bytes = bytes.size();
  desc.input = reinterpret_cast<const uint8_t*>(bytes.data());
  desc.build_flags = flags.c_str();
  ZeModule module = nullptr;
  ZeLog log = nullptr;
  const ZeResult status = api_->zeModuleCreate(context_->id.get(), found_.id, &desc, &module, &log);
  const std::string said = take_log(*api_, log);
  if (status == kSuccess) return Owned<ZeModule>(module, api_->zeModuleDestroy);
  Error error = failed("zeModuleCreate", status);
  if (error.kind() != ErrorKind::compile) return check(std::move(error)).error();
  return Error(error.kind(), message::kCompileFailed(code.name, found_.info.name,
                                                     said.empty() ? error.message() : "\n" + said));
}

Result<Owned<ZeKernel>> Device::make_kernel(ZeModule module, const std::string& entry) {
  KernelDesc desc;
  desc.name = entry.c_str();
  ZeKernel made = nullptr;
  QUERN_ZE(zeKernelCreate(module, &desc, &made));
  return Owned<ZeKernel>(made, api_->zeKernelDestroy);
}

// Of all kernels together. `subgroup_size`: the largest that a kernel was compiled for.
Result<uint64_t> Device::spilled_bytes(ZeModule module, const driver::Code& code, uint32_t& subgroup_size) {
  uint64_t sum = 0;
  subgroup_size = 0;
  for (const driver::KernelInfo& k : code.kernels) {
    if (!k.refused.empty()) continue;
    QUERN_TRY_ASSIGN(const auto kernel, make_kernel(module, k.entry));
    KernelProperties properties;
    QUERN_ZE(zeKernelGetProperties(kernel.get(), &properties));
    sum += properties.spill_bytes;
    subgroup_size = std::max(subgroup_size, properties.max_subgroup_size);
  }
  return sum;
}

// The compiler's own choice of the subgroup size, unless kernels spill registers to memory: a thread of a
// smaller subgroup has more of them.
Result<Owned<ZeModule>> Device::compile_by_need(const driver::Code& code) {
  if (options_.subgroup_size != 0)
    return make_module(code, with_subgroup_size(code.bytes, options_.subgroup_size), kFormatSpirv);
  QUERN_TRY_ASSIGN(auto best, make_module(code, code.bytes, kFormatSpirv));
  uint32_t size = 0;
  QUERN_TRY_ASSIGN(uint64_t spilled, spilled_bytes(best.get(), code, size));
  std::vector<uint32_t> smaller = found_.subgroup_sizes;
  std::sort(smaller.rbegin(), smaller.rend());
  for (const uint32_t s : smaller) {
    if (spilled == 0) break;
    if (s >= size) continue;
    auto other = make_module(code, with_subgroup_size(code.bytes, s), kFormatSpirv);
    if (!other.ok()) continue;  // the device does not compile these kernels for that size
    uint32_t unused = 0;
    const auto less = spilled_bytes(other->get(), code, unused);
    if (!less.ok() || *less >= spilled) continue;
    spilled = *less;
    best = std::move(*other);
  }
  return best;
}

Result<std::string> Device::binary_of(ZeModule module) {
  size_t size = 0;
  QUERN_ZE(zeModuleGetNativeBinary(module, &size, nullptr));
  std::string binary(size, '\0');
  QUERN_ZE(zeModuleGetNativeBinary(module, &size, reinterpret_cast<uint8_t*>(binary.data())));
  return binary;
}

// A cached binary that the device does not accept any more counts as missing.
Result<Owned<ZeModule>> Device::compile(const driver::Code& code) {
  const std::string key = cache_key(code);
  if (const auto kept = store_.find(key)) {
    if (auto module = make_module(code, *kept, kFormatNative); module.ok()) return module;
    QUERN_TRY(alive());
  }
  QUERN_TRY_ASSIGN(auto module, compile_by_need(code));
  if (const auto bytes = binary_of(module.get()); bytes.ok())
    store_.put(key, found_.info.driver + " " + code.name, *bytes);
  return module;
}

Result<std::unique_ptr<driver::Module>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  if (code.kind != CodeKind::kSpirvKernel)
    return Error(ErrorKind::unsupported,
                 driver::message::kUnsupportedCode("level_zero", driver::name(code.kind)));
  if (code.is_raw) return Error(ErrorKind::unsupported, message::kUnknownParameters(code.name));
  auto program = std::make_unique<Module>();
  program->code = code;
  program->code.module.reset();
  program->code.bytes.clear();
  QUERN_TRY_ASSIGN(program->id, compile(code));
  QUERN_TRY(make_variables(*program));
  return std::unique_ptr<driver::Module>(std::move(program));
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Module& program, std::string_view name) {
  QUERN_TRY(alive());
  auto& p = static_cast<Module&>(program);
  auto kernel = std::make_unique<Kernel>();
  kernel->program = &p;
  QUERN_TRY_ASSIGN(const driver::KernelInfo* const found, find_kernel(p.code, name));
  kernel->info = *found;
  const auto prepare = [&]() -> Result<> {
    QUERN_TRY_ASSIGN(kernel->id, make_kernel(p.id.get(), found->entry));
    // Pointers in memory lead to allocations that are no arguments.
    if (found->needs.has(Feature::addresses))
      QUERN_ZE(zeKernelSetIndirectAccess(kernel->id.get(), kIndirectAll));
    PreferredGroupSize preferred;
    KernelProperties properties;
    properties.next = &preferred;
    QUERN_ZE(zeKernelGetProperties(kernel->id.get(), &properties));
    const uint32_t most = properties.max_subgroup_size * properties.max_subgroups;
    kernel->max_threads = most != 0 ? std::min(most, found_.info.limits.block_threads) : 0;
    kernel->local_bytes = uint64_t{properties.private_bytes} + properties.spill_bytes;
    kernel->preferred_multiple = preferred.multiple != 0 ? preferred.multiple : properties.max_subgroup_size;
    return {};
  };
  QUERN_TRY(check(prepare()));
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

// Level Zero does not report how many blocks a compute unit holds.
driver::Occupancy Device::occupancy(driver::Kernel& kernel, uint32_t, uint64_t) {
  const auto& k = static_cast<Kernel&>(kernel);
  const uint32_t most = k.max_threads != 0 ? k.max_threads : found_.info.limits.block_threads;
  if (k.preferred_multiple == 0 || k.preferred_multiple > most) return {};
  return {0, 0, most / k.preferred_multiple * k.preferred_multiple};
}

}  // namespace quern::level_zero
