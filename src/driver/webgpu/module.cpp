#include <algorithm>

#include "base/text.hpp"
#include "driver/interface/arguments.hpp"
#include "driver/support/messages.hpp"
#include "driver/webgpu/device.hpp"
#include "driver/webgpu/messages.hpp"

namespace quern::webgpu {

using base::Error;
using base::ErrorKind;

namespace {

constexpr std::string_view kEnable = "enable subgroups;\n";
constexpr std::string_view kUniformBlock = "@group(1) @binding(0) var<uniform> quern_arguments";
constexpr std::string_view kImmediateBlock = "var<immediate> quern_arguments";

BindingList own_bindings(const Kernel& kernel) {
  BindingList out(kernel.bound.size());
  for (uint32_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

// The version of WGSL code (docs/targets.md): bindings, and whether grids need several dispatches.
std::string version_text(const FormKey& key) {
  std::string out;
  for (const uint32_t b : key.bindings) out += (out.empty() ? "" : ",") + std::to_string(b);
  return out + (key.is_wide ? " wide" : "");
}

// Whether the text declares the n-th buffer as read-only (target/target.hpp).
bool is_read_only(const Kernel& kernel, uint32_t n) {
  const driver::Binding& binding = kernel.bound.all()[n];
  if (binding.parameter >= 0) return !kernel.info.params[static_cast<size_t>(binding.parameter)].is_written;
  const uint32_t first = kernel.bound.size() - static_cast<uint32_t>(kernel.info.variables.size()) -
                         (driver::reports(kernel.info) ? 1 : 0);
  const uint32_t variable = n - first;
  return variable < kernel.info.variables.size() &&
         kernel.owner->code.variables[kernel.info.variables[variable]].is_constant;
}

// By binding. A binding is read-only if all of its buffers are.
std::vector<uint32_t> binding_types(const Kernel& kernel, const BindingList& bindings, const Layout& layout) {
  std::vector<uint32_t> out;
  for (uint32_t n = 0; n < bindings.size(); ++n) {
    if (bindings[n] >= out.size()) out.resize(bindings[n] + 1, layout.binding_type.read_only);
    if (!is_read_only(kernel, n)) out[bindings[n]] = layout.binding_type.storage;
  }
  return out;
}

}  // namespace

uint64_t argument_block_bytes(const driver::KernelInfo& kernel) {
  constexpr uint64_t kRow = 16;  // one more, which is zero
  return (driver::block_bytes(kernel) + kRow - 1) / kRow * kRow + kRow;
}

// The text as this library takes it.
std::string Device::adapted(const driver::Code& code, bool uses_immediates) const {
  std::string text = code.bytes;
  if (!has_.enables_subgroups && text.starts_with(kEnable)) text = text.substr(kEnable.size());
  return uses_immediates ? base::replace_all(text, std::string(kUniformBlock), std::string(kImmediateBlock))
                         : text;
}

// The lock is held.
Result<Owned> Device::make_module(const driver::Code& code, const std::string& text) {
  auto module = gpu_->create_module(text);
  if (module.ok() || module.error().kind() != ErrorKind::internal) return module;
  return Error(ErrorKind::compile, message::kCompileFailed(code.name, info_.name, module.error().message()));
}

Result<std::unique_ptr<driver::Module>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  if (code.kind != driver::CodeKind::kWgsl) {
    return Error(ErrorKind::unsupported,
                 driver::message::kUnsupportedCode("webgpu", driver::name(code.kind)));
  }
  if (code.is_raw) {
    return Error(ErrorKind::unsupported, message::kRawWgsl(code.name));
  }
  auto module = std::make_unique<Module>();
  module->code = code;
  module->uses_immediates =
      has_.has_immediates && std::all_of(code.kernels.begin(), code.kernels.end(), [&](const auto& k) {
        return argument_block_bytes(k) <= limits_.immediates;
      });
  {
    const std::lock_guard lock(gpu_->mutex);
    const driver::Preparation now;
    QUERN_TRY_ASSIGN(module->handle, make_module(code, adapted(code, module->uses_immediates)));
  }
  QUERN_TRY(make_variables(*module));
  return std::unique_ptr<driver::Module>(std::move(module));
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Module& module, std::string_view name) {
  auto& m = static_cast<Module&>(module);
  QUERN_TRY_ASSIGN(const driver::KernelInfo* const found, find_kernel(m.code, name));
  auto kernel = std::make_unique<Kernel>();
  kernel->owner = &m;
  kernel->info = *found;
  kernel->bound.add_parameters(*found);
  for (const uint32_t v : found->variables) kernel->bound.add_own(m.variables[v].get());
  if (driver::reports(*found)) kernel->bound.add_own(m.report->buffer.get());
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

// Without arguments the bindings of a launch are not known: each buffer is assumed to be bound once.
Result<bool> Device::prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) {
  QUERN_TRY(alive());
  auto& k = static_cast<Kernel&>(kernel);
  if (k.bound.size() > limits_.storage_buffers) return false;
  QUERN_TRY_ASSIGN(Form* const form, this->form(k, {own_bindings(k)}));
  QUERN_TRY_ASSIGN(const auto found, pipeline(k, *form, {block, shared_bytes}));
  return found.is_new;
}

Result<Form*> Device::form(Kernel& kernel, const FormKey& key) {
  const std::lock_guard lock(kernel.forms_mutex);
  const auto known = kernel.forms.find(key);
  if (known != kernel.forms.end()) return known->second.get();
  QUERN_TRY_ASSIGN(auto made, make_form(kernel, key));
  return (kernel.forms[key] = std::move(made)).get();
}

Result<std::unique_ptr<Form>> Device::make_form(Kernel& kernel, const FormKey& key) {
  const driver::Preparation now;
  auto form = std::make_unique<Form>();
  const driver::Code* code = &kernel.owner->code;
  driver::Code other;
  if (key != FormKey{own_bindings(kernel)}) {
    if (!code->remake) {
      return Error(ErrorKind::unsupported,
                   key.is_wide
                       ? message::kOnlyNarrowGrids(kernel.info.name, std::to_string(limits_.workgroups))
                       : message::kOnlyDistinctBuffers(kernel.info.name));
    }
    driver::DeviceInfo device = info_;
    device.code_version = version_text(key);
    QUERN_TRY_ASSIGN(other, code->remake(device));
    code = &other;
  }
  QUERN_TRY_ASSIGN(const driver::KernelInfo* const info, find_kernel(*code, kernel.info.name));
  form->entry = info->entry;
  const bool by_immediates = kernel.owner->uses_immediates;
  const std::lock_guard lock(gpu_->mutex);
  if (code == &other) {
    QUERN_TRY_ASSIGN(form->own_module, make_module(other, adapted(other, by_immediates)));
  }
  form->module = code == &other ? form->own_module.get() : kernel.owner->handle.get();
  QUERN_TRY_ASSIGN(form->group_layout,
                   gpu_->create_group_layout(binding_types(kernel, key.bindings, *(*gpu_)->layout)));
  const Handle groups[] = {form->group_layout.get(), arguments_layout_.get()};
  QUERN_TRY_ASSIGN(form->layout, gpu_->create_layout(std::span(groups).first(by_immediates ? 1 : 2),
                                                     by_immediates ? argument_block_bytes(kernel.info) : 0));
  return form;
}

// The sizes of a block and of shared memory are constants of the pipeline.
Result<driver::Variants<Owned>::Found> Device::pipeline(const Kernel& kernel, Form& form,
                                                        const driver::BlockConfig& shape) {
  return form.pipelines.get(shape, [&]() -> Result<Owned> {
    const uint64_t words = std::max<uint64_t>((shape.shared_bytes + 3) / 4, 1);
    const Constant constants[] = {
        {nullptr, text_of("quern_block_x"), static_cast<double>(shape.block.x)},
        {nullptr, text_of("quern_block_y"), static_cast<double>(shape.block.y)},
        {nullptr, text_of("quern_block_z"), static_cast<double>(shape.block.z)},
        {nullptr, text_of("quern_shared_words"), static_cast<double>(words)},
    };
    // Another kernel of the module may use it; Dawn rejects a constant that the kernel does not use.
    const bool has_dynamic = kernel.info.needs.has(driver::Feature::dynamic_shared);
    const std::lock_guard lock(gpu_->mutex);
    auto made = gpu_->create_pipeline(form.layout.get(), form.module, form.entry,
                                      std::span(constants).first(has_dynamic ? 4 : 3));
    if (made.ok() || made.error().kind() != ErrorKind::internal) return made;
    return Error(ErrorKind::compile, message::kCompileFailed("kernel '" + kernel.info.name + "'", info_.name,
                                                             made.error().message()));
  });
}

}  // namespace quern::webgpu
