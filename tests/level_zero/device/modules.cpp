// Modules and kernels: SPIR-V becomes IR, and the processor's driver compiles that.
#include <algorithm>
#include <cstring>

#include "level_zero/device/objects.hpp"

using namespace quern;                   // NOLINT(google-build-using-namespace)
using namespace quern::test_level_zero;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::string_view kBinary = "native binary of the Level Zero test device 1.2.3\n";

// The subgroup size that the module's entry points ask for; 0: none.
uint32_t required_subgroup_size(std::string_view module) {
  std::vector<uint32_t> words(module.size() / 4);
  std::memcpy(words.data(), module.data(), words.size() * 4);
  for (size_t i = 5; i + 3 < words.size() && words[i] >> 16 != 0; i += words[i] >> 16) {
    if ((words[i] & 0xFFFF) == 16 && words[i + 2] == 35) return words[i + 3];
  }
  return 0;
}

base::Result<> build(Module& module) {
  module.code.kind = driver::CodeKind::kSpirvKernel;
  module.code.bytes = module.spirv;
  module.code.name = "module";
  module.code.is_raw = true;
  QUERN_TRY(sim::understand(module.code, module.entries));
  module.code.kind = driver::CodeKind::kIr;
  QUERN_TRY_ASSIGN(module.program, the_driver().cpu->load(module.code));
  return {};
}

}  // namespace

ZE(zeModuleCreate)(ZeContext context, ZeDevice device, const ModuleDesc* desc, ZeModule* to, ZeLog* log) {
  ENTER(zeModuleCreate);
  (void)as<test_level_zero::Context>(context);
  (void)as<test_level_zero::Device>(device);
  NEED(desc != nullptr && desc->input != nullptr && to != nullptr, kNullPointer);
  auto module = std::make_unique<Module>();
  module->spirv.assign(reinterpret_cast<const char*>(desc->input), desc->bytes);
  module->flags = desc->build_flags != nullptr ? desc->build_flags : "";
  if (desc->format == kFormatNative) {
    NEED(module->spirv.starts_with(kBinary), kBadBinary);
    module->spirv.erase(0, kBinary.size());
  }
  if (const uint32_t size = required_subgroup_size(module->spirv); size != 0) module->subgroup_size = size;
  const auto built = build(*module);
  if (log != nullptr) {
    auto* const text = new Log;
    if (!built.ok()) text->text = built.error().to_string();
    *log = handle_of<ZeLog>(text);
  }
  NEED(built.ok(), kBuildFailure);
  *to = handle_of<ZeModule>(module.release());
  return kSuccess;
}

ZE(zeModuleDestroy)(ZeModule module) {
  ENTER(zeModuleDestroy);
  delete as<Module>(module);
  return kSuccess;
}

ZE(zeModuleGetNativeBinary)(ZeModule module, size_t* size, uint8_t* to) {
  ENTER(zeModuleGetNativeBinary);
  const std::string binary = std::string(kBinary) + as<Module>(module)->spirv;
  *size = binary.size();
  if (to != nullptr) std::memcpy(to, binary.data(), binary.size());
  return kSuccess;
}

ZE(zeModuleBuildLogGetString)(ZeLog log, size_t* size, char* to) {
  ENTER(zeModuleBuildLogGetString);
  const std::string& text = as<Log>(log)->text;
  *size = text.size() + 1;
  if (to != nullptr) std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

ZE(zeModuleBuildLogDestroy)(ZeLog log) {
  ENTER(zeModuleBuildLogDestroy);
  delete as<Log>(log);
  return kSuccess;
}

ZE(zeKernelCreate)(ZeModule module, const KernelDesc* desc, ZeKernel* to) {
  ENTER(zeKernelCreate);
  NEED(desc != nullptr && desc->name != nullptr && to != nullptr, kNullPointer);
  auto* const m = as<Module>(module);
  const auto entry = std::find_if(m->entries.begin(), m->entries.end(),
                                  [&](const spirv::Entry& e) { return e.name == desc->name; });
  NEED(entry != m->entries.end(), kNoKernel);
  auto native = the_driver().cpu->kernel(*m->program, desc->name);
  NEED(native.ok(), kNoKernel);
  auto* const kernel = new test_level_zero::Kernel;
  kernel->module = m;
  kernel->entry = &*entry;
  kernel->native = std::make_shared<NativeKernel>(NativeKernel{m->program, std::move(*native)});
  kernel->arguments.resize(entry->resources.size());
  *to = handle_of<ZeKernel>(kernel);
  return kSuccess;
}

ZE(zeKernelDestroy)(ZeKernel kernel) {
  ENTER(zeKernelDestroy);
  delete as<test_level_zero::Kernel>(kernel);
  return kSuccess;
}

ZE(zeKernelSetGroupSize)(ZeKernel kernel, uint32_t x, uint32_t y, uint32_t z) {
  ENTER(zeKernelSetGroupSize);
  NEED(uint64_t{x} * y * z != 0 && uint64_t{x} * y * z <= 1024, kBadGroupSize);
  as<test_level_zero::Kernel>(kernel)->block = {x, y, z};
  return kSuccess;
}

ZE(zeKernelSetArgumentValue)(ZeKernel kernel, uint32_t index, size_t size, const void* value) {
  ENTER(zeKernelSetArgumentValue);
  auto* const k = as<test_level_zero::Kernel>(kernel);
  NEED(index < k->arguments.size(), kBadIndex);
  const spirv::Resource& r = k->entry->resources[index];
  if (r.kind == spirv::ResourceKind::kWorkgroupMemory) {
    NEED(value == nullptr && size != 0 && size <= 64 << 10, kBadSize);
    const uint64_t bytes = size;
    const auto* const at = reinterpret_cast<const std::byte*>(&bytes);
    k->arguments[index] = std::vector<std::byte>(at, at + sizeof bytes);
    return kSuccess;
  }
  const uint64_t wanted = r.block != nullptr ? r.block->size : sizeof(void*);
  NEED(size == wanted && value != nullptr, kBadSize);
  const auto* const at = static_cast<const std::byte*>(value);
  k->arguments[index] = std::vector<std::byte>(at, at + size);
  return kSuccess;
}

ZE(zeKernelSetIndirectAccess)(ZeKernel kernel, uint32_t) {
  ENTER(zeKernelSetIndirectAccess);
  (void)as<test_level_zero::Kernel>(kernel);
  return kSuccess;
}

ZE(zeKernelGetProperties)(ZeKernel kernel, KernelProperties* p) {
  ENTER(zeKernelGetProperties);
  const auto* const k = as<test_level_zero::Kernel>(kernel);
  p->arguments = static_cast<uint32_t>(k->arguments.size());
  p->max_subgroup_size = k->module->subgroup_size;
  p->max_subgroups = 1024 / k->module->subgroup_size;
  p->spill_bytes = is_odd("spills") && k->module->subgroup_size > 8 ? 64 * k->module->subgroup_size : 0;
  if (p->next != nullptr) static_cast<PreferredGroupSize*>(p->next)->multiple = k->module->subgroup_size;
  return kSuccess;
}
