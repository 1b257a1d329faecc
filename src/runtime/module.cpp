#include "runtime/module.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <sys/resource.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "lang/pass/check_bounds.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/texture_references.hpp"
#include "lang/pass/walk.hpp"
#include "lang/text/messages.hpp"
#include "runtime/device_launches.hpp"
#include "runtime/messages.hpp"
#include "runtime/profile/recorder.hpp"
#include "runtime/stream.hpp"
#include "target/describe.hpp"
#include "target/descriptor.hpp"
#include "target/needs.hpp"
#include "target/portable.hpp"
#include "target/split_grids.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

Result<driver::Math> math_of(const Source& source) {
  if (source.math) return *source.math;
  constexpr std::string_view kNames[] = {"exact", "fused", "fast"};
  QUERN_TRY_ASSIGN(const size_t choice, base::env_choice("QUERN_MATH", kNames, 0));
  return static_cast<driver::Math>(choice);
}

// The simulator has its own checks, and inline kernels run unchanged.
Result<bool> is_checked(const Source& source, const driver::DeviceInfo& info) {
  QUERN_TRY_ASSIGN(const bool all, base::env_flag("QUERN_CHECK", false));
  return (all || source.check) && info.kind != driver::DeviceKind::simulated &&
         info.code.front() != driver::CodeKind::kHostFunction;
}

std::shared_ptr<const ir::Module> with_checks(const ir::Module& module, CheckBoard& board,
                                              const driver::DeviceInfo& info,
                                              std::vector<pass::CheckedKernel>& checked) {
  auto copy = std::make_shared<ir::Module>(module.clone());
  const auto lock = board.lock();
  pass::CheckOptions options;
  options.first_site = board.next_site();
  options.dynamic_shared = info.code.front() != driver::CodeKind::kHipCpp;
  pass::Checks checks = pass::check_bounds(*copy, options);
  board.add(std::move(checks.sites));
  checked = std::move(checks.kernels);
  return copy;
}

// Pointers that are arguments of launches in the form of lang/ir/launch_record.hpp: for devices without
// addresses, and for recoverable devices, whose addresses change when they are lost.
Result<std::shared_ptr<const ir::Module>> with_named_pointers(const ir::Module& module, bool is_recoverable) {
  auto copy = std::make_shared<ir::Module>(module.clone());
  (void)pass::lower_pointers(*copy);
  const ir::Function* left = nullptr;
  for (const ir::Function* f : copy->functions) {
    ir::walk(f->body, [&](const ir::Inst* i) {
      if (!i->is(ir::Op::kStore) || !i->operand(1)->type->is_ptr()) return;
      const ir::Value* to = i->operand(0);
      while (const ir::Inst* const step = ir::as_inst(to)) {
        if (!step->is(ir::Op::kOffset) && !step->is(ir::Op::kSpaceCast)) break;
        to = step->operand(0);
      }
      if (pass::is_launch_queue(to)) left = f;
    });
  }
  if (left != nullptr)
    return Error(ErrorKind::unsupported, is_recoverable ? message::kLaunchInSession(left->name)
                                                        : message::kLaunchWithoutAddresses(left->name));
  return std::shared_ptr<const ir::Module>(std::move(copy));
}

lang::CompileOptions options_for(const Source& source) {
  lang::CompileOptions options;
  options.defines = source.defines;
  options.include_dirs = source.include_dirs;
  options.read_file = [&source](const std::string& path) -> base::Result<std::string> {
    for (const auto& [name, text] : source.files) {
      if (path == name) return text;
    }
    if (source.may_include) return read_header(path);
    return base::Error(base::ErrorKind::invalid_use, lang::message::kIncludesDisabled());
  };
  options.quotes_includes = source.quotes_includes;
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

Result<> copy_variables(driver::Device& device, driver::Stream& driver_stream, driver::Module& from,
                        driver::Module& to, const std::vector<driver::VariableInfo>& variables) {
  for (const driver::VariableInfo& v : variables) {
    QUERN_TRY_ASSIGN(const driver::Place source, device.variable(from, v.name));
    QUERN_TRY_ASSIGN(const driver::Place target, device.variable(to, v.name));
    QUERN_TRY(device.copy(driver_stream, target, source, v.bytes));
  }
  return device.synchronize(driver_stream);
}

// Stack size of a thread that is started with default attributes.
uint64_t default_stack_bytes() {
  constexpr uint64_t kUsual = 8 << 20;
  rlimit limit{};
  return ::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : kUsual;
}

// Bytes of a thread's arrays and structs. Small ones become registers.
uint64_t local_bytes(const ir::Module& module, const ir::Function& kernel) {
  constexpr uint64_t kSmall = 256;
  uint64_t sum = 0;
  const ir::Module own = module.clone(kernel);
  for (const ir::Function* f : own.functions) {
    ir::walk(f->body, [&](const ir::Inst* i) {
      if (i->is(ir::Op::kVar) && i->attr().type->size > kSmall) sum += i->attr().type->size;
    });
  }
  return sum;
}

// OpenCL for CPUs (PoCL) keeps the local variables of a whole block on the stack of one thread; the process
// crashes without a report if they do not fit. Returns the number of threads that fit; 0: no limit.
Result<uint32_t> threads_that_fit_stack(const ir::Module& module, const ir::Function& kernel,
                                        const Device& device) {
  if (device.info().driver != "opencl" || !device.runs_in_process()) return 0u;
  const uint64_t each = local_bytes(module, kernel);
  const uint64_t room = default_stack_bytes() / 8 * 7;  // the rest is for the code that runs the block
  if (each <= room / std::max(1u, device.info().limits.block_threads)) return 0u;
  if (each <= room) return static_cast<uint32_t>(room / each);
  return Error(ErrorKind::unsupported, message::kStackTooSmall(kernel.name, base::format_bytes(each),
                                                               device.label(), base::format_bytes(room)));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

driver::FeatureSet Kernel::software() const {
  const driver::FeatureSet software = target::software_features(device_->info());
  return is_raw_ ? driver::FeatureSet() : software.missing_from(software.missing_from(info_.needs));
}

Kernel::~Kernel() { device_->retire(std::move(native_)); }

void Kernel::set(std::shared_ptr<driver::Module> part, std::unique_ptr<driver::Kernel> native) {
  part_ = std::move(part);
  native_ = std::move(native);
  uint32_t most = device_->info().limits.block_threads;
  for (const uint32_t own : {native_->max_threads, native_->info.max_threads, stack_threads_}) {
    if (own != 0) most = std::min(most, own);
  }
  max_threads_ = most;
}

Result<std::shared_ptr<Module>> Module::load(std::shared_ptr<Device> device, Source source) {
  QUERN_TRY(device->check_caller());
  std::shared_ptr<Module> program(new Module(std::move(device), std::move(source)));
  QUERN_TRY(program->understand());
  return program;
}

Result<> Module::understand() {
  launches_ = std::make_shared<LaunchTable>();
  if (source_.raw) {
    const auto& kinds = device_->info().code;
    if (std::find(kinds.begin(), kinds.end(), *source_.raw) == kinds.end()) {
      return Error(ErrorKind::unsupported,
                   message::kCodeNotSupported(device_->label(), driver::name(*source_.raw)));
    }
    driver::Code code;
    code.kind = *source_.raw;
    code.bytes = source_.text;
    code.name = source_.name;
    code.is_raw = true;
    code.math = source_.math.value_or(driver::Math::exact);
    code.defines = source_.defines;
    code.max_registers = source_.max_registers;
    code.debug = source_.debug;
    QUERN_TRY_ASSIGN(whole_, load_native(code));
    return {};
  }
  if (target::takes_only_host_functions(device_->info()) && !source_.host) {
    return Error(ErrorKind::unsupported, message::kInlineKernelsOnly(source_.name, device_->label()));
  }
  const profile::Scope scope("compile", profile::is_on() ? "read " + source_.name : std::string());
  compiled_ = lang::compile(source_.name, source_.text, options_for(source_));
  note_launched(compiled_);
  for (const lang::KernelInfo& k : compiled_.kernels) {
    if (k.ok || k.is_template) return {};
  }
  if (!compiled_.ok)
    return Error(ErrorKind::compile, message::kNoValidKernel(source_.name, compiled_.rendered));
  return {};
}

std::vector<std::string> Module::kernel_names() const {
  const std::lock_guard lock(mutex_);
  return names();
}

std::vector<std::string> Module::names() const {
  if (source_.raw) return device_->native().kernel_names(*whole_);
  std::vector<std::string> out;
  for (const lang::KernelInfo& k : compiled_.kernels) out.push_back(k.name);
  return out;
}

Error Module::unknown(std::string_view name) const {
  const std::vector<std::string> known = names();
  Error error(ErrorKind::not_found, message::kUnknownKernel(name, source_.name));
  if (const auto near = base::nearest(name, std::span<const std::string>(known))) {
    error.add_hint(message::kDidYouMean(*near).text);
  } else if (!known.empty()) {
    error.add_hint(message::kKernelsAre(base::join(known, ", ")).text);
  }
  return error;
}

Result<std::shared_ptr<Kernel>> Module::kernel(std::string_view name) {
  QUERN_TRY(device_->check_caller());
  QUERN_TRY_ASSIGN(std::shared_ptr<Kernel> kernel, find_or_make(name));
  if (!kernel->launches_kernels()) return kernel;
  fill_launch_table();
  // The module owns the kernels that this one launches: it must outlive the pointer.
  struct Owner {
    std::shared_ptr<Module> module;
    std::shared_ptr<Kernel> kernel;
  };
  auto owner = std::make_shared<Owner>(Owner{shared_from_this(), std::move(kernel)});
  return std::shared_ptr<Kernel>(owner, owner->kernel.get());
}

void Module::note_launched(const lang::Compilation& compiled) {
  for (const std::string& name : compiled.launched) {
    if (std::find(launched_.begin(), launched_.end(), name) == launched_.end()) launched_.push_back(name);
  }
}

// Compiles the kernels that kernels launch. That of one may find further ones.
void Module::fill_launch_table() {
  const std::lock_guard lock(launches_->mutex);
  for (size_t i = 0;; ++i) {
    std::string name;
    {
      const std::lock_guard own(mutex_);
      launches_->variables = target::describe_variables(compiled_.module);
      if (i >= launched_.size()) return;
      name = launched_[i];
    }
    LaunchTable::Child& child = launches_->children[ir::launch_number(name)];
    if (child.kernel != nullptr) continue;
    child.name = name;
    auto made = find_or_make(name);
    if (made.ok()) {
      child.kernel = *std::move(made);
    } else {
      child.error = std::move(made).error();
    }
  }
}

Result<std::shared_ptr<Kernel>> Module::find_or_make(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const std::string key = without_spaces(name);
  if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second;
  const profile::Scope scope("compile", profile::is_on() ? "compile " + std::string(name) : std::string());
  const auto start = std::chrono::steady_clock::now();
  QUERN_TRY_ASSIGN(auto kernel, source_.raw ? make_raw(name) : make(name));
  kernel->compile_seconds_ = seconds_since(start);
  kernels_.emplace(key, kernel);
  return kernel;
}

Result<std::shared_ptr<Kernel>> Module::make(std::string_view name) {
  const lang::KernelInfo* found = find(compiled_, name);
  if (found != nullptr && found->ok) return make_from(compiled_.module, found->name);
  QUERN_TRY(check_instance(name));
  return make_instance(name);
}

// Whether a kernel that is not in the module may be worth compiling: it has errors, which are then reported,
// or it is an instance of one of our templates.
Result<> Module::check_instance(std::string_view name) const {
  if (find(compiled_, name) != nullptr) return {};
  const std::string_view plain = name.substr(0, name.find('<'));
  const bool is_ours =
      std::any_of(compiled_.kernels.begin(), compiled_.kernels.end(),
                  [&](const lang::KernelInfo& k) { return k.name.substr(0, k.name.find('<')) == plain; });
  if (plain.size() == name.size() || !is_ours) return unknown(name);
  return {};
}

Result<lang::Compilation> Module::compile(std::vector<std::string> kernels) const {
  lang::CompileOptions options = options_for(source_);
  options.kernels = std::move(kernels);
  lang::Compilation compiled = lang::compile(source_.name, source_.text, options);
  const bool all = std::all_of(compiled.kernels.begin(), compiled.kernels.end(),
                               [](const lang::KernelInfo& k) { return k.ok; });
  if (compiled.ok && all && !compiled.kernels.empty()) return compiled;
  return Error(ErrorKind::compile, message::kKernelDoesNotCompile(options.kernels.back(), compiled.rendered));
}

Result<std::shared_ptr<Kernel>> Module::make_instance(std::string_view name) {
  QUERN_TRY_ASSIGN(lang::Compilation alone, compile({std::string(name)}));
  note_launched(alone);
  const lang::KernelInfo& instance = alone.kernels[0];
  if (!target::describe_variables(alone.module).empty()) {
    const ir::Function* function = alone.module.find_function(instance.name);
    if (function != nullptr) QUERN_TRY(target::check_needs(alone.module, *function, device_->info(), true));
    QUERN_TRY(join(instance));
    return make_from(compiled_.module, instance.name);
  }
  QUERN_TRY_ASSIGN(auto kernel, make_from(alone.module, instance.name));
  others_.push_back(std::move(alone.module));
  return kernel;
}

// The instance and all previous kernels are compiled together, and loaded programs are reloaded with it. The
// previous ones come first, so that numbers assigned by the compiler do not change.
Result<> Module::join(const lang::KernelInfo& instance) {
  std::vector<std::string> all;
  for (const lang::KernelInfo& k : compiled_.kernels) {
    if (k.ok) all.push_back(k.name);
  }
  all.push_back(instance.name);
  QUERN_TRY_ASSIGN(lang::Compilation together, compile(std::move(all)));
  if (whole_ != nullptr) {
    QUERN_TRY_ASSIGN(const auto fresh, load_whole(together.module));
    QUERN_TRY(rebind(fresh));
  }
  others_.push_back(std::exchange(compiled_.module, std::move(together.module)));
  compiled_.kernels.push_back(instance);
  for (lang::KernelInfo& k : together.kernels) {  // those that it launches
    if (find(compiled_, k.name) == nullptr) compiled_.kernels.push_back(std::move(k));
  }
  return {};
}

// Moves variables and kernels to the reloaded program, while nothing runs.
Result<> Module::rebind(const std::shared_ptr<driver::Module>& fresh) {
  driver::Device& native = device_->native();
  std::vector<std::pair<Kernel*, std::unique_ptr<driver::Kernel>>> moved;
  const auto give_up = [&](Error error) {
    for (auto& [kernel, made] : moved) device_->retire(std::move(made));
    return error;
  };
  for (const auto& [name, kernel] : kernels_) {
    if (kernel->part_ != whole_) continue;
    auto made = native.kernel(*fresh, kernel->info().name);
    if (!made.ok()) return give_up(std::move(made).error());
    moved.emplace_back(kernel.get(), std::move(*made));
  }
  auto copied = device_->pause([&](driver::Stream& driver_stream) -> Result<> {
    QUERN_TRY(
        copy_variables(native, driver_stream, *whole_, *fresh, target::describe_variables(compiled_.module)));
    for (auto& [kernel, made] : moved) {
      auto before = std::move(kernel->native_);
      kernel->set(fresh, std::move(made));
      made = std::move(before);
    }
    return {};
  });
  if (!copied.ok()) return give_up(std::move(copied).error());
  for (auto& [kernel, before] : moved) device_->retire(std::move(before));
  whole_ = fresh;
  return {};
}

Result<std::shared_ptr<driver::Module>> Module::load_native(const driver::Code& code) const {
  QUERN_TRY_ASSIGN(auto native, device_->native().load(code));
  return std::shared_ptr<driver::Module>(native.release(), [device = device_](driver::Module* p) {
    device->retire(std::unique_ptr<driver::Object>(p));
  });
}

Result<std::shared_ptr<driver::Module>> Module::load_module(
    const std::shared_ptr<const ir::Module>& original) const {
  QUERN_TRY_ASSIGN(const driver::Math math, math_of(source_));
  QUERN_TRY_ASSIGN(const bool checks, is_checked(source_, device_->info()));
  auto portable = std::make_shared<target::PortableProgram>();
  *portable = {source_.name, original, math, source_.max_registers, source_.debug, {}, source_.host};
  if (checks)
    portable->module = with_checks(*original, device_->checks(), device_->info(), portable->checked);
  if (!device_->info().features.has(driver::Feature::grid_barrier) &&
      target::has_grid_barriers(*portable->module)) {
    auto split = std::make_shared<ir::Module>(portable->module->clone());
    QUERN_TRY_ASSIGN(portable->split, target::split_grids(*split, device_->info()));
    portable->module = std::move(split);
    for (const pass::SplitKernel& k : portable->split) splits_[k.name] = k;
  }
  const bool keeps_addresses =
      device_->recoverable() == nullptr && device_->info().features.has(driver::Feature::addresses);
  if (!keeps_addresses && portable->module->find_global(ir::kLaunchQueue) != nullptr) {
    QUERN_TRY_ASSIGN(portable->module,
                     with_named_pointers(*portable->module, device_->recoverable() != nullptr));
  }
  QUERN_TRY_ASSIGN(const driver::Code code, target::compile_for(device_->info(), std::move(portable)));
  return load_native(code);
}

// All kernels that the device can run.
Result<std::shared_ptr<driver::Module>> Module::load_whole(const ir::Module& module) const {
  auto own = std::make_shared<ir::Module>(module.clone());
  (void)target::remove_unsupported(*own, device_->info(), true);
  return load_module(own);
}

Result<> Module::need_whole(const ir::Module& module) {
  if (whole_ != nullptr) return {};
  QUERN_TRY_ASSIGN(whole_, load_whole(module));
  return {};
}

// The program that contains the kernel: the shared one if it uses variables, otherwise its own.
Result<std::shared_ptr<driver::Module>> Module::load_part(const ir::Module& module,
                                                          const ir::Function& function) {
  auto own = std::make_shared<ir::Module>(module.clone(function));
  if (!target::describe_variables(*own).empty()) {
    QUERN_TRY(need_whole(module));
    return whole_;
  }
  return load_module(own);
}

Result<std::shared_ptr<Kernel>> Module::make_from(const ir::Module& module, std::string_view name) {
  const ir::Function* function = module.find_function(name);
  if (function == nullptr) return Error(ErrorKind::internal, message::kKernelNotInModule(name));
  QUERN_TRY(target::check_needs(module, *function, device_->info(), true));
  QUERN_TRY_ASSIGN(const uint32_t stack_threads, threads_that_fit_stack(module, *function, *device_));
  QUERN_TRY_ASSIGN(auto part, load_part(module, *function));
  QUERN_TRY_ASSIGN(auto native, device_->native().kernel(*part, name));
  auto kernel = finish(std::move(part), std::move(native), stack_threads);
  kernel->launches_kernels_ = module.clone(*function).find_global(ir::kLaunchQueue) != nullptr;
  kernel->launch_table_ = launches_;
  kernel->file_ = source_.name;
  return kernel;
}

Result<std::shared_ptr<Kernel>> Module::make_raw(std::string_view name) {
  QUERN_TRY_ASSIGN(auto native, device_->native().kernel(*whole_, name));
  auto kernel = finish(whole_, std::move(native));
  kernel->is_raw_ = true;
  return kernel;
}

std::shared_ptr<Kernel> Module::finish(std::shared_ptr<driver::Module> part,
                                       std::unique_ptr<driver::Kernel> native, uint32_t stack_threads) const {
  auto kernel = std::make_shared<Kernel>();
  kernel->stack_threads_ = stack_threads;
  kernel->device_ = device_;
  kernel->info_ = native->info;
  auto& params = kernel->info_.params;
  const auto first = std::find_if(params.begin(), params.end(), [](const driver::ParamInfo& p) {
    return p.role != driver::ParamRole::kUser;
  });
  kernel->hidden_.assign(first, params.end());
  kernel->textures_ = textures_;
  if (const auto split = splits_.find(native->info.name); split != splits_.end())
    kernel->split_ = split->second;
  kernel->is_checked_ = std::any_of(
      first, params.end(), [](const driver::ParamInfo& p) { return p.role == driver::ParamRole::kChecks; });
  params.erase(first, params.end());
  kernel->hash_ = base::hash64(source_.text + '\0' + native->info.name);
  kernel->is_native_ = !target::takes_only_host_functions(device_->info());
  kernel->set(std::move(part), std::move(native));
  return kernel;
}

bool Module::has_variables() const {
  const std::lock_guard lock(mutex_);
  return !target::describe_variables(compiled_.module).empty();
}

const ir::Function* Module::function(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto known = kernels_.find(without_spaces(name));
  if (known == kernels_.end()) return nullptr;
  if (source_.raw) return known->second->native().function;
  const std::string& canonical = known->second->info().name;
  if (const ir::Function* f = compiled_.module.find_function(canonical)) return f;
  for (const ir::Module& m : others_) {
    if (const ir::Function* f = m.find_function(canonical)) return f;
  }
  return nullptr;
}

// The mutex is held: the place becomes invalid when the program is reloaded.
Result<driver::Place> Module::variable(std::string_view name, uint64_t bytes, uint64_t offset) {
  const std::vector<driver::VariableInfo> variables = target::describe_variables(compiled_.module);
  std::vector<std::string> known;
  for (const driver::VariableInfo& v : variables) {
    known.push_back(v.name);
    if (v.name != name) continue;
    if (offset > v.bytes || bytes > v.bytes - offset) {
      return Error(ErrorKind::invalid_use,
                   message::kVariableRange(v.name, base::format_plural(v.bytes, "byte"),
                                           std::to_string(bytes), std::to_string(offset)));
    }
    QUERN_TRY(need_whole(compiled_.module));
    QUERN_TRY_ASSIGN(driver::Place place, device_->native().variable(*whole_, name));
    place.offset += offset;
    return place;
  }
  Error error(ErrorKind::not_found, message::kUnknownVariable(name, source_.name));
  if (const auto near = base::nearest(name, std::span<const std::string>(known)))
    error.add_hint(message::kDidYouMean(*near).text);
  else if (source_.text.find(name) != std::string::npos)
    error.add_hint(message::kVariableNotCompiled().str());
  return error;
}

Result<> Module::bind_texture(std::string_view reference, const TextureDescriptor& descriptor,
                              const Slice& texels) {
  const std::lock_guard lock(mutex_);
  const auto has = [&](const ir::Module& module) {
    const ir::Global* const global = module.find_global(reference);
    return global != nullptr && pass::is_texture_reference(global->object);
  };
  if (!has(compiled_.module) && std::none_of(others_.begin(), others_.end(), has))
    return Error(ErrorKind::not_found, message::kUnknownReference(reference, source_.name));
  if (texels.memory == nullptr || &texels.memory->device() != device_.get())
    return Error(ErrorKind::invalid_use,
                 message::kTextureOfOtherDevice(texels.memory == nullptr
                                                    ? "no device"
                                                    : texels.memory->device().label_beside(*device_)));
  textures_->bind(std::string(reference), {descriptor, texels, MemoryPtr::share(*texels.memory)});
  return {};
}

Result<> Module::write(std::string_view name, const void* from, uint64_t bytes, uint64_t offset) {
  const std::lock_guard lock(mutex_);
  QUERN_TRY_ASSIGN(const driver::Place place, variable(name, bytes, offset));
  return device_->default_stream().upload_to(place, from, bytes);
}

Result<> Module::read(std::string_view name, void* to, uint64_t bytes, uint64_t offset) {
  const std::lock_guard lock(mutex_);
  QUERN_TRY_ASSIGN(const driver::Place place, variable(name, bytes, offset));
  return device_->default_stream().download_from(place, to, bytes);
}

}  // namespace quern::runtime
