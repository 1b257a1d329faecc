#include "device_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/store_watch.hpp"
#include "base/text.hpp"
#include "kernel_crash.hpp"
#include "messages.hpp"
#include "runtime/select.hpp"
#include "runtime/texture_text.hpp"
#include "sources.hpp"
#include "targets.hpp"

namespace quern::tool {

namespace {

// Observes cache hits and misses.
class CacheWatch {
 public:
  CacheWatch() {
    found_ = missing_ = 0;
    before_ = base::store_watch.exchange(on_store_access);
  }
  ~CacheWatch() { base::store_watch.store(before_); }
  CacheWatch(const CacheWatch&) = delete;
  CacheWatch& operator=(const CacheWatch&) = delete;

  bool has_all() const { return found_ != 0 && missing_ == 0; }

 private:
  static void on_store_access(std::string_view what, std::string_view key) {
    if (what == "found") ++found_;
    if (what == "missing") ++missing_;
    if (before_ != nullptr) before_(what, key);
  }
  static inline std::atomic<uint64_t> found_{0}, missing_{0};
  static inline base::StoreWatch before_ = nullptr;
};

using base::Error;
using base::ErrorKind;
using driver::Dim3;
using runtime::HostArgument;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

base::Result<std::optional<uint64_t>> parse_count(const Arguments& arguments, std::string_view name,
                                                  uint64_t least, uint64_t most = UINT64_MAX) {
  const auto text = arguments.value(name);
  if (!text) return std::optional<uint64_t>();
  const auto n = base::parse_uint(*text);
  if (!n || *n < least || *n > most) {
    const std::string range = most == UINT64_MAX ? "at least " + std::to_string(least)
                                                 : std::to_string(least) + " to " + std::to_string(most);
    return Error(ErrorKind::invalid_use, message::kInvalidValue(*text, name, "a count of " + range));
  }
  return std::optional<uint64_t>(*n);
}

std::string spell_params(const driver::KernelInfo& kernel) {
  std::string list;
  for (const driver::ParamInfo& p : kernel.params)
    list += (list.empty() ? "" : ", ") + p.spelling + " " + p.name;
  return list;
}

bool is_buffer_text(const std::string& text) {
  return text.find('[') != std::string::npos || (!text.empty() && text[0] == '@');
}

}  // namespace

base::Result<driver::Dim3> parse_dim(std::string_view name, const std::string& text) {
  std::vector<uint32_t> parts;
  for (std::string_view part : base::split(text, ',')) {
    const auto n = base::parse_uint(base::trim(part));
    if (!n || *n == 0 || *n > UINT32_MAX || parts.size() == 3) {
      return Error(ErrorKind::invalid_use,
                   message::kInvalidValue(text, name, "up to three counts of at least 1"));
    }
    parts.push_back(static_cast<uint32_t>(*n));
  }
  parts.resize(3, 1);
  return Dim3{parts[0], parts[1], parts[2]};
}

base::Result<RunRequest> parse_request(const Arguments& arguments) {
  RunRequest request;
  const KernelPath path = split_kernel_path(arguments.operands()[0]);
  QUERN_TRY_ASSIGN(request.source, runtime::read_source(path.file));
  const lang::CompileOptions options = compile_options(arguments);
  request.source.defines = options.defines;
  request.source.include_dirs = options.include_dirs;
  request.source.may_include = !arguments.has("--no-include");
  if (auto text = arguments.value("--math")) {
    QUERN_TRY_ASSIGN(request.source.math, parse_math(*text));
  }
  request.kernel = path.kernel;
  request.arguments.assign(arguments.operands().begin() + 1, arguments.operands().end());
  if (auto text = arguments.value("--grid")) {
    QUERN_TRY_ASSIGN(request.grid, parse_dim("--grid", *text));
  }
  if (auto text = arguments.value("--block")) {
    QUERN_TRY_ASSIGN(request.block, parse_dim("--block", *text));
  }
  if (auto text = arguments.value("--cluster")) {
    QUERN_TRY_ASSIGN(request.cluster, parse_dim("--cluster", *text));
  }
  QUERN_TRY_ASSIGN(const auto registers, parse_count(arguments, "--max-registers", 1, 1024));
  request.source.max_registers = static_cast<uint32_t>(registers.value_or(0));
  request.source.debug = arguments.has("--debug");
  request.source.check = arguments.has("--check-device");
  QUERN_TRY_ASSIGN(request.threads, parse_count(arguments, "--threads", 1));
  if (request.threads && arguments.has("--grid"))
    return base::Error(base::ErrorKind::invalid_use, message::kGridAndThreads());
  QUERN_TRY_ASSIGN(const auto shared, parse_count(arguments, "--shared", 0));
  QUERN_TRY_ASSIGN(const auto repeat, parse_count(arguments, "--repeat", 1));
  request.shared_bytes = shared.value_or(0);
  request.repeat = repeat.value_or(1);
  return request;
}

uint64_t RunArgument::element_bytes() const {
  return element != nullptr && element->size != 0 ? element->size
                                                  : std::max<uint64_t>(1, given.element_bytes());
}

std::string RunArgument::text(uint64_t index) const {
  const std::byte* at = content.data() + index * element_bytes();
  if (element != nullptr && element->size != 0) return runtime::print_value(element, at);
  if (given.lanes == 1) return runtime::print_number(given.type, at);
  std::string out;
  for (uint32_t k = 0; k < given.lanes; ++k)
    out += (k > 0 ? ", " : "{") +
           runtime::print_number(given.type, at + k * (given.element_bytes() / given.lanes));
  return out + "}";
}

base::Result<std::unique_ptr<DeviceRun>> DeviceRun::run(const RunRequest& request,
                                                        const std::string& device) {
  auto run = std::make_unique<DeviceRun>();
  QUERN_TRY_ASSIGN(run->device_, runtime::open({device, {}}));
  const CacheWatch cache;
  QUERN_TRY(run->prepare(request));
  QUERN_TRY(run->bind(request));
  const KernelCrash tells;
  QUERN_TRY(run->execute(request));
  run->is_from_cache_ = cache.has_all();
  QUERN_TRY(run->take_back());
  return run;
}

double DeviceRun::best() const {
  return seconds_.empty() ? 0 : *std::min_element(seconds_.begin(), seconds_.end());
}

const RunArgument* DeviceRun::buffer(std::string_view name) const {
  for (const RunArgument& a : arguments_) {
    if (a.is_buffer && a.param.name == name) return &a;
  }
  return nullptr;
}

base::Result<void> DeviceRun::prepare(const RunRequest& request) {
  const auto start = Clock::now();
  QUERN_TRY_ASSIGN(program_, runtime::Module::load(device_, request.source));
  std::string name = request.kernel;
  if (name.empty()) {
    const std::vector<std::string> names = program_->kernel_names();
    const std::string& file = request.source.name;
    if (names.empty()) return Error(ErrorKind::not_found, message::kNoKernel(file));
    if (names.size() > 1)
      return Error(ErrorKind::invalid_use,
                   message::kSeveralKernels(file, base::format_plural(names.size(), "kernel"), file, names[0],
                                            base::join(std::span(names).subspan(1), ", ")));
    name = names[0];
  }
  QUERN_TRY_ASSIGN(kernel_, program_->kernel(name));
  compile_seconds_ = seconds_since(start);
  return {};
}

base::Result<void> DeviceRun::bind(const RunRequest& request) {
  const driver::KernelInfo& info = kernel_->info();
  if (request.arguments.size() != info.params.size()) {
    return Error(ErrorKind::invalid_use,
                 message::kArgumentCount(info.name, base::format_plural(info.params.size(), "argument"),
                                         std::to_string(request.arguments.size()), spell_params(info)));
  }
  const std::string& kernel = request.kernel.empty() ? info.name : request.kernel;
  const ir::Function* function = program_->function(kernel);
  if (function == nullptr && program_->source().raw == driver::CodeKind::kSpirv) {
    // Vulkan reports sizes only; the simulator reads the types of the push constants from the module.
    QUERN_TRY_ASSIGN(const auto simulator, runtime::open({"std.gpu", {}}));
    QUERN_TRY_ASSIGN(types_, runtime::Module::load(simulator, request.source));
    if (types_->kernel(kernel).ok()) function = types_->function(kernel);
    if (function != nullptr && function->params.size() != info.params.size()) function = nullptr;
  }
  for (size_t i = 0; i < info.params.size(); ++i) {
    RunArgument& argument = arguments_.emplace_back();
    argument.param = info.params[i];
    QUERN_TRY(bind_one(argument, function != nullptr ? function->params[i] : nullptr, request.arguments[i]));
  }
  return device_->default_stream().synchronize();
}

base::Result<void> DeviceRun::bind_one(RunArgument& argument, const ir::Param* param,
                                       const std::string& text) {
  const driver::ParamInfo& p = argument.param;
  if (p.is_pointer) return bind_buffer(argument, param, text);
  if (p.object != driver::ParamObject::kNone) return bind_texture(argument, text);
  if (is_buffer_text(text)) {
    return Error(ErrorKind::invalid_use, message::kBufferForValue(p.name, p.spelling));
  }
  if (param == nullptr) return Error(ErrorKind::unsupported, message::kUnknownTypes());
  QUERN_TRY_ASSIGN(argument.value, runtime::parse_value(text, param->type, p.name));
  return {};
}

base::Result<void> DeviceRun::bind_texture(RunArgument& argument, const std::string& text) {
  QUERN_TRY_ASSIGN(const runtime::HostTexture given, runtime::parse_texture(text));
  const uint64_t bytes = given.texels.bytes.size();
  QUERN_TRY_ASSIGN(argument.memory,
                   device_->allocate(given.bytes(), driver::MemoryKind::device, argument.param.name));
  QUERN_TRY(
      device_->default_stream().upload({argument.memory.get(), 0, bytes}, given.texels.bytes.data(), bytes));
  QUERN_TRY(device_->default_stream().synchronize());
  argument.texture = given.is_surface ? ArgumentKind::surface : ArgumentKind::texture;
  argument.value.resize(sizeof given.descriptor);
  std::memcpy(argument.value.data(), &given.descriptor, sizeof given.descriptor);
  return {};
}

base::Result<void> DeviceRun::bind_buffer(RunArgument& argument, const ir::Param* param,
                                          const std::string& text) {
  const driver::ParamInfo& p = argument.param;
  if (text == "null" || text == "nullptr" || text == "0") return {};
  if (!is_buffer_text(text)) {
    return Error(ErrorKind::invalid_use, message::kValueForBuffer(p.name, p.spelling, text));
  }
  QUERN_TRY_ASSIGN(argument.given, runtime::parse_buffer(text, param != nullptr ? param->elem : nullptr));
  // The element type of raw code's buffers is chosen by the user.
  if (param != nullptr && !program_->source().raw) {
    QUERN_TRY(runtime::check_buffer(argument.given, *param));
    argument.element = param->elem;
  }
  const uint64_t bytes = argument.given.count * argument.given.element_bytes();
  QUERN_TRY_ASSIGN(argument.memory, device_->allocate(bytes, driver::MemoryKind::device, p.name));
  if (!argument.given.is_undefined)
    QUERN_TRY(device_->default_stream().upload({argument.memory.get(), 0, bytes}, argument.given.bytes.data(),
                                               bytes));
  argument.is_buffer = true;
  argument.content.resize(bytes);
  return {};
}

base::Result<runtime::LaunchConfig> DeviceRun::shape(const RunRequest& request) const {
  runtime::LaunchConfig shape;
  shape.shared_bytes = request.shared_bytes;
  shape.cluster_size = request.cluster;
  uint64_t threads = 1;
  for (const RunArgument& a : arguments_) {
    if (a.is_buffer) threads = std::max(threads, a.count());
  }
  threads = request.threads.value_or(threads);
  const uint64_t most = std::min<uint64_t>(256, kernel_->max_threads());
  const Dim3 usual{static_cast<uint32_t>(std::min(most, threads)), 1, 1};
  shape.block_size = request.block.value_or(kernel_->info().block.value_or(usual));
  if (request.grid) {
    shape.grid_size = *request.grid;
    return shape;
  }
  const uint64_t per_block = std::max<uint64_t>(1, shape.block_size.count());
  const uint64_t blocks = (threads + per_block - 1) / per_block;
  if (blocks > device_->info().limits.grid.x)
    return Error(ErrorKind::invalid_use, message::kTooManyThreads(base::format_count(threads)));
  shape.grid_size = {static_cast<uint32_t>(blocks), 1, 1};
  return shape;
}

base::Result<void> DeviceRun::execute(const RunRequest& request) {
  std::vector<HostArgument> list;
  for (const RunArgument& a : arguments_) {
    HostArgument& to = list.emplace_back();
    if (a.is_buffer) {
      to.kind = ArgumentKind::memory;
      to.slice = {a.memory.get(), 0, a.memory->bytes()};
    } else if (!a.param.is_pointer) {
      to.kind = a.texture.value_or(ArgumentKind::bytes);
      to.bytes = a.value.data();
      to.size = a.value.size();
      if (a.texture) to.slice = {a.memory.get(), 0, a.memory->bytes()};
    }
  }
  QUERN_TRY_ASSIGN(const runtime::LaunchConfig shape, this->shape(request));
  runtime::Stream& stream = device_->default_stream();
  output_ = device_->redirect_output([this](std::string_view text) { printed_ += text; });
  const auto start = Clock::now();
  QUERN_TRY(stream.prepare(*kernel_, shape));
  compile_seconds_ += seconds_since(start);
  for (uint64_t i = 0; i < request.repeat && !fault_; ++i) {
    QUERN_TRY_ASSIGN(const auto begin, stream.record());
    QUERN_TRY_ASSIGN(launched_, stream.launch(*kernel_, shape, list));
    QUERN_TRY_ASSIGN(const auto end, stream.record());
    if (auto done = stream.synchronize(); !done.ok()) {
      if (done.error().kind() != ErrorKind::kernel_fault) return done;
      fault_ = std::move(done).error();
    }
    const auto from = begin->time(), to = end->time();
    seconds_.push_back(from.ok() && to.ok() ? static_cast<double>(*to - *from) * 1e-9 : 0);
  }
  findings_ = stream.take_findings();
  return {};
}

base::Result<void> DeviceRun::take_back() {
  runtime::Stream& stream = device_->default_stream();
  for (RunArgument& a : arguments_) {
    if (a.is_buffer)
      QUERN_TRY(stream.download(a.content.data(), {a.memory.get(), 0, a.content.size()}, a.content.size()));
  }
  return stream.synchronize();
}

}  // namespace quern::tool
