#include "runtime/program.hpp"

#include <chrono>
#include <utility>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "runtime/needs.hpp"
#include "runtime/stream.hpp"
#include "target/describe.hpp"
#include "target/target.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

lang::CompileOptions options_for(const Source& source) {
  lang::CompileOptions options;
  options.defines = source.defines;
  options.include_dirs = source.include_dirs;
  options.read_file = [](const std::string& path) -> std::optional<std::string> {
    auto text = base::read_file(path);
    if (!text.ok()) return std::nullopt;
    return std::move(*text);
  };
  return options;
}

// "scan<float,256>" and "scan<float, 256>" are the same kernel.
std::string without_spaces(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c != ' ') out += c;
  }
  return out;
}

const lang::KernelInfo* find(const lang::Compilation& compiled, std::string_view name) {
  const std::string wanted = without_spaces(name);
  for (const lang::KernelInfo& k : compiled.kernels) {
    if (without_spaces(k.name) == wanted) return &k;
  }
  return nullptr;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Kernel::~Kernel() { device_->native().destroy(std::move(native_)); }

uint32_t Kernel::max_threads() const {
  uint32_t most = device_->info().limits.block_threads;
  if (native_->max_threads != 0) most = std::min(most, native_->max_threads);
  if (info().max_threads != 0) most = std::min(most, info().max_threads);
  return most;
}

Result<std::shared_ptr<Program>> Program::load(std::shared_ptr<Device> device, Source source) {
  std::shared_ptr<Program> program(new Program(std::move(device), std::move(source)));
  QUERN_TRY(program->understand());
  return program;
}

Result<> Program::understand() {
  if (source_.raw) {
    const auto& kinds = device_->info().code;
    if (std::find(kinds.begin(), kinds.end(), *source_.raw) == kinds.end()) {
      return Error(ErrorKind::kUnsupported,
                   device_->label() + " does not take " + std::string(driver::name(*source_.raw)) + " code");
    }
    driver::Code code;
    code.kind = *source_.raw;
    code.bytes = source_.text;
    code.name = source_.name;
    code.is_raw = true;
    QUERN_TRY_ASSIGN(whole_, device_->native().load(code));
    return {};
  }
  compiled_ = lang::compile(source_.name, source_.text, options_for(source_));
  for (const lang::KernelInfo& k : compiled_.kernels) {
    if (k.ok || k.is_template) return {};
  }
  if (!compiled_.ok)
    return Error(ErrorKind::kCompile, "no kernel of " + source_.name + " compiles\n" + compiled_.rendered);
  return {};
}

std::vector<std::string> Program::kernel_names() const {
  std::vector<std::string> names;
  for (const lang::KernelInfo& k : compiled_.kernels) names.push_back(k.name);
  return names;
}

Error Program::unknown(std::string_view name) const {
  const std::vector<std::string> names = kernel_names();
  Error error(ErrorKind::kNotFound, "there is no kernel '" + std::string(name) + "' in " + source_.name);
  if (const auto near = base::nearest(name, std::span<const std::string>(names))) {
    error.add_hint("did you mean '" + std::string(*near) + "'?");
  } else if (!names.empty()) {
    error.add_hint("its kernels are " + base::join(names, ", "));
  }
  return error;
}

Result<std::shared_ptr<Kernel>> Program::kernel(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second;
  QUERN_TRY_ASSIGN(auto kernel, source_.raw ? make_raw(name) : make(name));
  kernels_.emplace(std::string(name), kernel);
  return kernel;
}

// The module that has the kernel; a template instance nobody has asked for yet is compiled now.
Result<const ir::Module*> Program::module_with(std::string_view name, std::string& canonical) {
  const lang::KernelInfo* found = find(compiled_, name);
  if (found != nullptr && found->ok) {
    canonical = found->name;
    return &compiled_.module;
  }
  const std::string_view plain = name.substr(0, name.find('<'));
  const bool is_instance = plain.size() != name.size();
  const lang::KernelInfo* base = find(compiled_, plain);
  if (found == nullptr && !is_instance) return unknown(name);
  if (found == nullptr && base == nullptr) {
    const bool other_instances =
        std::any_of(compiled_.kernels.begin(), compiled_.kernels.end(),
                    [&](const lang::KernelInfo& k) { return k.name.substr(0, k.name.find('<')) == plain; });
    if (!other_instances) return unknown(name);
  }
  lang::CompileOptions options = options_for(source_);
  options.kernels = {std::string(name)};
  auto instance = std::make_unique<lang::Compilation>(lang::compile(source_.name, source_.text, options));
  if (!instance->ok || instance->kernels.empty() || !instance->kernels[0].ok)
    return Error(ErrorKind::kCompile,
                 "kernel '" + std::string(name) + "' does not compile\n" + instance->rendered);
  canonical = instance->kernels[0].name;
  instances_.push_back(std::move(instance));
  return &instances_.back()->module;
}

Result<std::shared_ptr<driver::Program>> Program::part_for(const ir::Module& module,
                                                           const ir::Function& function) {
  const bool shared = !target::describe_variables(module).empty() && &module == &compiled_.module;
  if (shared && whole_ != nullptr) return whole_;
  const driver::DeviceInfo& info = device_->info();
  target::Options options;
  options.kind = info.code.front();
  options.features = info.features;
  options.limits = info.limits;
  const auto own = std::make_shared<const ir::Module>(shared ? module.clone() : module.clone(function));
  QUERN_TRY_ASSIGN(const driver::Code code, target::emit(own, source_.name, options));
  QUERN_TRY_ASSIGN(auto native, device_->native().load(code));
  std::shared_ptr<driver::Program> part(native.release(), [device = device_](driver::Program* p) {
    device->native().destroy(std::unique_ptr<driver::Object>(p));
  });
  if (shared) whole_ = part;
  return part;
}

Result<std::shared_ptr<Kernel>> Program::make(std::string_view name) {
  const auto start = std::chrono::steady_clock::now();
  std::string canonical;
  QUERN_TRY_ASSIGN(const ir::Module* module, module_with(name, canonical));
  const ir::Function* function = module->find_function(canonical);
  if (function == nullptr)
    return Error(ErrorKind::kInternal, "kernel '" + canonical + "' is not in its module");
  const driver::KernelInfo info = target::describe(*module, *function);
  QUERN_TRY(check_needs(info, device_->info()));
  auto kernel = std::make_shared<Kernel>();
  kernel->device_ = device_;
  QUERN_TRY_ASSIGN(kernel->part_, part_for(*module, *function));
  QUERN_TRY_ASSIGN(kernel->native_, device_->native().kernel(*kernel->part_, canonical));
  kernel->hash_ = base::hash64(source_.text + '\0' + canonical);
  kernel->compile_seconds_ = seconds_since(start);
  return kernel;
}

Result<std::shared_ptr<Kernel>> Program::make_raw(std::string_view name) {
  auto kernel = std::make_shared<Kernel>();
  kernel->device_ = device_;
  kernel->part_ = whole_;
  QUERN_TRY_ASSIGN(kernel->native_, device_->native().kernel(*whole_, name));
  kernel->hash_ = base::hash64(source_.text + '\0' + std::string(name));
  return kernel;
}

bool Program::has_variables() const { return !target::describe_variables(compiled_.module).empty(); }

const ir::Function* Program::function(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto known = kernels_.find(name);
  if (known == kernels_.end() || source_.raw) return nullptr;
  const std::string& canonical = known->second->info().name;
  if (const ir::Function* f = compiled_.module.find_function(canonical)) return f;
  for (const auto& instance : instances_) {
    if (const ir::Function* f = instance->module.find_function(canonical)) return f;
  }
  return nullptr;
}

Result<driver::Place> Program::variable(std::string_view name, uint64_t bytes, uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const std::vector<driver::VariableInfo> variables = target::describe_variables(compiled_.module);
  std::vector<std::string> names;
  for (const driver::VariableInfo& v : variables) {
    names.push_back(v.name);
    if (v.name != name) continue;
    if (offset > v.bytes || bytes > v.bytes - offset) {
      return Error(ErrorKind::kInvalidUse,
                   "variable '" + v.name + "' has " + base::format_plural(v.bytes, "byte") + ", and " +
                       std::to_string(bytes) + " at offset " + std::to_string(offset) + " are asked for");
    }
    if (whole_ == nullptr) {
      const auto is_kernel = [](const ir::Function* f) { return f->is_kernel; };
      const auto& functions = compiled_.module.functions;
      const auto any = std::find_if(functions.begin(), functions.end(), is_kernel);
      if (any != functions.end()) QUERN_TRY(part_for(compiled_.module, **any));
    }
    if (whole_ == nullptr) break;
    QUERN_TRY_ASSIGN(driver::Place place, device_->native().variable(*whole_, name));
    place.offset += offset;
    return place;
  }
  Error error(ErrorKind::kNotFound, "there is no variable '" + std::string(name) + "' in " + source_.name);
  if (const auto near = base::nearest(name, std::span<const std::string>(names)))
    error.add_hint("did you mean '" + std::string(*near) + "'?");
  return error;
}

Result<> Program::write(std::string_view name, const void* from, uint64_t bytes, uint64_t offset) {
  QUERN_TRY_ASSIGN(const driver::Place place, variable(name, bytes, offset));
  return device_->default_stream().upload_to(place, from, bytes);
}

Result<> Program::read(std::string_view name, void* to, uint64_t bytes, uint64_t offset) {
  QUERN_TRY_ASSIGN(const driver::Place place, variable(name, bytes, offset));
  return device_->default_stream().download_from(place, to, bytes);
}

}  // namespace quern::runtime
