#include <algorithm>
#include <array>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "driver/cuda/device.hpp"
#include "driver/cuda/messages.hpp"
#include "driver/cuda/ptx.hpp"
#include "driver/support/messages.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;
using driver::CodeKind;

namespace {

std::string without_spaces(std::string_view text) {
  std::string out(text);
  std::erase(out, ' ');
  return out;
}

const driver::KernelInfo* find(const std::vector<driver::KernelInfo>& all, std::string_view name) {
  const std::string wanted = without_spaces(name);
  for (const driver::KernelInfo& k : all) {
    if (k.entry == name || without_spaces(k.name) == wanted) return &k;
  }
  return nullptr;
}

Error unknown(std::string_view name) {
  return Error(ErrorKind::not_found, driver::message::kUnknownKernel(name));
}

}  // namespace

Module::~Module() {
  if (id == nullptr || device_.is_lost()) return;
  (void)device_.api_->context_use(device_.context_);
  const driver::SuspendedScope suspended;
  (void)device_.api_->module_unload(id);
}

Result<std::vector<std::string>> Device::options_for(const driver::Code& code) const {
  std::vector<std::string> options;
  for (const auto& [name, value] : code.defines) options.push_back("-D" + name + "=" + value);
  if (!api_->vendor->is_cuda()) {
    if (!code.is_raw) options.emplace_back("-w");
    if (!code.is_raw && code.math == driver::Math::exact) options.emplace_back("-ffp-contract=off");
    if (code.math == driver::Math::fast) options.emplace_back("-ffast-math");
    if (code.debug) options.insert(options.end(), {"-g", "-O0"});
    if (const int khz = attribute(Attribute::kWallKhz); khz > 0 && !code.is_raw)
      options.push_back("-DQUERN_WALL_KHZ=" + std::to_string(khz));
    if (code.max_registers != 0)
      return Error(ErrorKind::unsupported, message::kRegisterLimit(code.name, compiler_->version(),
                                                                   std::to_string(code.max_registers)));
    return options;
  }
  options.insert(options.end(), {"--std=c++17", code.debug ? "--device-debug" : "--generate-line-info"});
  if (code.max_registers != 0) options.push_back("--maxrregcount=" + std::to_string(code.max_registers));
  const bool has_folder = compiler_->library().find('/') != std::string::npos;
  if (code.is_raw && has_folder) {  // CUDA headers next to the compiler
    const std::string root = base::join_path(base::path_folder(compiler_->library()), "..");
    for (const char* part : {"/include", "/targets/x86_64-linux/include", "/targets/sbsa-linux/include"}) {
      if (base::is_folder(root + part)) options.push_back("--include-path=" + root + part);
    }
  }
  if (!code.is_raw) options.emplace_back("--disable-warnings");
  if (!code.is_raw && code.math == driver::Math::exact) options.emplace_back("--fmad=false");
  if (code.math == driver::Math::fast) options.emplace_back("--use_fast_math");
  return options;
}

Result<> Device::check_shared(const driver::Code& code) const {
  // Larger sizes must be dynamic: the compiler's own message is less clear.
  const auto limit = static_cast<uint64_t>(attribute(Attribute::kSharedBytes));
  for (const driver::KernelInfo& k : code.kernels) {
    if (k.shared_bytes > limit)
      return Error(ErrorKind::unsupported, message::kStaticShared(k.name, base::format_bytes(k.shared_bytes),
                                                                  info_.name, base::format_bytes(limit)));
  }
  return {};
}

// Compiled code is cached under a key of everything it depends on. Text that includes other headers is not
// cached: they may have changed.
Result<Compiler::Output> Device::compile_or_find(const driver::Code& code) const {
  constexpr std::string_view kForm = "quern gpu code 1";
  const int architecture =
      api_->vendor->is_cuda() ? attribute(Attribute::kMajor) * 10 + attribute(Attribute::kMinor) : 0;
  QUERN_TRY_ASSIGN(std::vector<std::string> options, options_for(code));
  const bool keeps = !code.is_raw || code.bytes.find("#include") == std::string::npos;
  std::string all(kForm);
  // AMD's compiler queries the device itself, and several chips may share a name.
  const std::string chip = api_->vendor->is_cuda() ? std::to_string(architecture) : info_.uuid + info_.pci;
  for (const std::string& part : {compiler_->version(), compiler_->library(), chip, info_.name, code.name,
                                  std::string(code.is_raw ? "raw" : "ours")})
    all += '\0' + part;
  for (const std::string& option : options) all += '\0' + option;
  const std::string key = base::hash128(all + '\0' + code.bytes).to_string();
  // Cache entry: whether it is PTX, the PTX of raw code up to a NUL, the code.
  const auto make = [&]() -> Result<std::string> {
    QUERN_TRY_ASSIGN(const Compiler::Output made,
                     compiler_->compile(code.name, code.bytes, architecture, options, code.is_raw));
    return (made.is_ptx ? "p" : "b") + (code.is_raw ? made.ptx : "") + '\0' + made.code;
  };
  QUERN_TRY_ASSIGN(const std::string kept,
                   keeps ? store_.get(key, info_.driver + " " + code.name, make) : make());
  const size_t end = kept.find('\0');
  if (end == std::string::npos) return Error(ErrorKind::internal, message::kCachedCodeTruncated());
  return Compiler::Output{kept.substr(end + 1), kept.substr(1, end - 1), kept.front() == 'p'};
}

Result<> Device::compile(const driver::Code& code, Module& program) {
  if (compiler_ == nullptr) {
    int version = 0;
    QUERN_DO(nullptr, driver_version(&version));
    return Compiler::find(*api_->vendor, version).error();  // the reason why there is none
  }
  QUERN_TRY(check_shared(code));
  QUERN_TRY_ASSIGN(Compiler::Output output, compile_or_find(code));
  program.is_ptx = output.is_ptx;
  program.code.kind = output.is_ptx ? CodeKind::kPtx : api_->vendor->binary;
  program.code.bytes = std::move(output.code);
  if (code.is_raw) program.code.kernels = read_ptx(output.ptx);
  return {};
}

Result<> Device::load_image(Module& program) {
  constexpr int kMaxRegisters = 0, kErrorLog = 5, kErrorLogBytes = 6, kDebug = 11, kLineInfo = 13;
  std::array<char, 4096> log{};
  std::vector<int> options;
  std::vector<void*> values;
  const auto set = [&](int option, uintptr_t value) {
    options.push_back(option);
    values.push_back(reinterpret_cast<void*>(value));  // NOLINT(performance-no-int-to-ptr): as CUDA wants it
  };
  if (program.is_ptx) {
    set(kErrorLog, reinterpret_cast<uintptr_t>(log.data()));
    set(kErrorLogBytes, log.size());
    set(program.code.debug ? kDebug : kLineInfo, 1);
    if (program.code.max_registers != 0) set(kMaxRegisters, program.code.max_registers);
  }
  const driver::SuspendedScope suspended;
  const int32_t code =
      api_->module_load(&program.id, program.code.bytes.c_str(), static_cast<uint32_t>(options.size()),
                        options.data(), values.data());
  if (code == 0) return {};
  program.id = nullptr;
  Error error = fail("module_load", code);
  const std::string_view says = base::trim(log.data());
  return Error(error.kind(),
               message::kLoadFailed(info_.name, program.code.name, error.message(),
                                    says.empty() ? "" : "\n" + std::string(says), error.hint()));
}

Result<std::unique_ptr<driver::Module>> Device::load(const driver::Code& code) {
  QUERN_TRY(use());
  auto program = std::make_unique<Module>(*this);
  program->code = code;
  program->code.module.reset();
  if (code.kind == api_->vendor->text) {
    QUERN_TRY(compile(code, *program));
  } else if (code.kind == CodeKind::kPtx && api_->vendor->is_cuda()) {
    program->is_ptx = true;
    QUERN_TRY(check_shared(code));
    if (code.is_raw) program->code.kernels = read_ptx(code.bytes);
  } else if (code.kind != api_->vendor->binary) {
    return Error(ErrorKind::unsupported,
                 driver::message::kUnsupportedCode(info_.name, driver::name(code.kind)));
  }
  QUERN_TRY(load_image(*program));
  return std::unique_ptr<driver::Module>(std::move(program));
}

// Describes a kernel of which only the device code is known: parameters have sizes, but no types.
Result<> Device::describe_raw(Kernel& kernel) const {
  if (api_->function_parameter == nullptr)
    return Error(ErrorKind::unsupported, message::kUnknownParameters(kernel.info.name));
  for (size_t i = 0;; ++i) {
    size_t offset = 0, size = 0;
    if (api_->function_parameter(kernel.id, i, &offset, &size) != 0) return {};
    driver::ParamInfo p;
    p.name = std::to_string(i + 1);
    p.bytes = p.align = static_cast<uint32_t>(size);
    p.is_pointer = size == 8;
    p.spelling = p.is_pointer ? "pointer" : "value of " + base::format_plural(size, "byte");
    p.type = p.is_pointer ? ir::TypeKind::kPtr : size == 4 ? ir::TypeKind::kI32 : ir::TypeKind::kStruct;
    kernel.info.params.push_back(std::move(p));
  }
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Module& program, std::string_view name) {
  QUERN_TRY(use());
  auto& p = static_cast<Module&>(program);
  auto kernel = std::make_unique<Kernel>();
  const driver::KernelInfo* known = find(p.code.kernels, name);
  if (known != nullptr) {
    if (!known->refused.empty()) return Error(ErrorKind::unsupported, known->refused);
    kernel->info = *known;
  } else {
    if (!p.code.is_raw) return unknown(name);
    kernel->info.name = kernel->info.entry = name;
  }
  const driver::SuspendedScope suspended;  // the code may be loaded lazily, now
  const int32_t code = api_->module_function(&kernel->id, p.id, kernel->info.entry.c_str());
  if (code == kNotFound) return unknown(name);
  if (code != 0) return fail("module_function", code);
  if (known == nullptr) QUERN_TRY(describe_raw(*kernel));
  const auto get = [&](int what) {
    int value = 0;
    return api_->function_attribute(&value, what, kernel->id) == 0 ? static_cast<uint32_t>(value) : 0;
  };
  kernel->max_threads = get(kFunctionMaxThreads);
  kernel->registers = get(kFunctionRegisters);
  kernel->local_bytes = get(kFunctionLocalBytes);
  if (p.code.is_raw) kernel->info.shared_bytes = get(kFunctionSharedBytes);
  {
    const std::lock_guard lock(streams_mutex_);
    kernel->label = &*labels_.insert(kernel->info.name).first;
  }
  const uint64_t fixed = get(kFunctionSharedBytes), most = info_.limits.shared_bytes;
  if (most > fixed &&
      api_->function_set != nullptr)  // also without static shared memory: dynamic may be used
    QUERN_DO(nullptr, function_set(kernel->id, kFunctionMaxDynamicShared, static_cast<int>(most - fixed)));
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

Result<driver::Place> Device::variable(driver::Module& program, std::string_view name) {
  QUERN_TRY(use());
  auto& p = static_cast<Module&>(program);
  for (const auto& [known, buffer] : p.variables) {
    if (known == name) return driver::Place{buffer.get(), 0};
  }
  std::string entry(name);
  for (const driver::VariableInfo& v : p.code.variables) {
    if (v.name == name) entry = v.entry;
  }
  auto buffer = std::make_unique<Buffer>(*this);
  size_t bytes = 0;
  const int32_t code = api_->module_global(&buffer->address, &bytes, p.id, entry.c_str());
  if (code == kNotFound) return driver::Device::variable(program, name);
  if (code != 0) return fail("module_global", code);
  buffer->bytes = bytes;
  p.variables.emplace_back(name, std::move(buffer));
  return driver::Place{p.variables.back().second.get(), 0};
}

std::vector<std::string> Device::kernel_names(driver::Module& program) {
  std::vector<std::string> names;
  for (const driver::KernelInfo& k : static_cast<Module&>(program).code.kernels) names.push_back(k.name);
  return names;
}

Result<driver::Code> Device::binary(driver::Module& program) {
  auto& p = static_cast<Module&>(program);
  if (p.is_ptx) return Error(ErrorKind::unsupported, message::kPtxNotStored());
  return p.code;
}

driver::Occupancy Device::occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) {
  if (!use().ok()) return {};
  const FunctionId id = static_cast<Kernel&>(kernel).id;
  driver::Occupancy found;
  int blocks = 0, grid = 0, best = 0;
  if (api_->occupancy(&blocks, id, static_cast<int>(threads), shared_bytes) == 0)
    found.max_blocks_per_unit = static_cast<uint32_t>(blocks);
  const bool has_best = api_->occupancy_best != nullptr;
  if (has_best && api_->occupancy_best(&grid, &best, id, nullptr, shared_bytes, 0) == 0)
    found.best_block = static_cast<uint32_t>(best);
  found.max_threads_per_unit = static_cast<uint32_t>(attribute(Attribute::kUnitThreads));
  return found;
}

}  // namespace quern::cuda
