#include "driver/sim/driver.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/text.hpp"
#include "driver/sim/messages.hpp"
#include "driver/sim/sim.hpp"
#include "driver/sim/spirv_code.hpp"
#include "driver/sim/spirv_emitted.hpp"
#include "driver/support/messages.hpp"
#include "driver/support/output_buffer.hpp"

namespace quern::sim {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Feature;

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

class SimBuffer final : public driver::Buffer {
 public:
  SimBuffer(sim::Device& device, std::mutex& mutex, Address at) : device_(device), mutex_(mutex) {
    address = at;
  }
  ~SimBuffer() override {
    const std::lock_guard lock(mutex_);
    (void)device_.free(address);
  }

 private:
  sim::Device& device_;
  std::mutex& mutex_;
};

// A variable's storage belongs to its program.
class VariableBuffer final : public driver::Buffer {};

class SimModule final : public driver::Module {
 public:
  explicit SimModule(std::mutex& mutex) : mutex_(mutex) {}
  ~SimModule() override {
    const std::lock_guard lock(mutex_);
    program.reset();  // frees its variables
    emitted.reset();
  }

  std::shared_ptr<sim::Module> program;
  driver::Code code;
  std::vector<spirv::Entry> entries;  // of SPIR-V: by the kernels' order in `code`
  std::unique_ptr<Emitted> emitted;   // of SPIR-V that our emitter wrote
  std::vector<std::unique_ptr<VariableBuffer>> variables;

 private:
  std::mutex& mutex_;
};

class SimKernel final : public driver::Kernel {
 public:
  SimModule* program = nullptr;
  const spirv::Entry* entry = nullptr;  // of SPIR-V
};

// Output and findings of a stream. Shared with events, which may outlive their stream.
struct Trace {
  driver::OutputBuffer output;
  std::vector<driver::Finding> findings;
  bool faulted = false;
};

class SimStream final : public driver::Stream {
 public:
  std::shared_ptr<Trace> trace = std::make_shared<Trace>();
};

class SimEvent final : public driver::Event {
 public:
  uint64_t reached_at = 0;
  std::shared_ptr<Trace> trace;
};

driver::Finding to_finding(const Report& r, const ir::Module& module) {
  driver::Finding f;
  f.kind = name(r.kind);
  f.message = r.message;
  f.kernel = r.kernel;
  if (r.pos.file < module.files.size()) f.file = module.files[r.pos.file].name;
  f.line = r.pos.line;
  f.column = r.pos.column;
  f.thread = {r.thread.x, r.thread.y, r.thread.z};
  f.block = {r.block.x, r.block.y, r.block.z};
  f.place = r.place;
  f.extent = r.extent;
  f.hint = r.hint;
  f.count = r.count;
  f.rendered = render(r, module);
  return f;
}

// Every call is complete when it returns, so the order of a stream is the order of its calls.
class SimDevice final : public driver::Device {
 public:
  SimDevice(driver::DeviceInfo info, const LaunchOptions& options)
      : info_(std::move(info)), options_(options) {}

  const driver::DeviceInfo& info() const override { return info_; }
  bool takes_stamps() const override { return true; }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    if (kind == driver::MemoryKind::shared)
      return Error(ErrorKind::unsupported, driver::message::kNoSharedMemory(info_.name));
    const std::lock_guard lock(mutex_);
    QUERN_TRY_ASSIGN(const Address address, device_.allocate(bytes));
    auto buffer = std::make_unique<SimBuffer>(device_, mutex_, address);
    buffer->bytes = bytes;
    buffer->kind = kind;
    return buffer;
  }

  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override {
    if (std::find(info_.code.begin(), info_.code.end(), code.kind) == info_.code.end())
      return Error(ErrorKind::unsupported,
                   driver::message::kUnsupportedCode(info_.driver, driver::name(code.kind)));
    auto program = std::make_unique<SimModule>(mutex_);
    program->code = code;
    if (code.kind != driver::CodeKind::kIr && !code.is_raw) {
      const std::lock_guard lock(mutex_);
      QUERN_TRY_ASSIGN(program->emitted, Emitted::load(device_, code));
      return program;
    }
    if (code.kind != driver::CodeKind::kIr) QUERN_TRY(understand(program->code, program->entries));
    if (program->code.module == nullptr) return Error(ErrorKind::internal, message::kNoModuleInCode());
    const std::lock_guard lock(mutex_);
    QUERN_TRY_ASSIGN(program->program, device_.load(program->code.module));
    return program;
  }

  std::vector<std::string> kernel_names(driver::Module& program) override {
    std::vector<std::string> names;
    for (const driver::KernelInfo& k : static_cast<SimModule&>(program).code.kernels) names.push_back(k.name);
    return names;
  }

  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override {
    auto& p = static_cast<SimModule&>(program);
    for (size_t i = 0; i < p.code.kernels.size(); ++i) {
      if (p.code.kernels[i].name != name) continue;
      auto kernel = std::make_unique<SimKernel>();
      kernel->info = p.code.kernels[i];
      kernel->program = &p;
      if (!kernel->info.refused.empty()) return Error(ErrorKind::unsupported, kernel->info.refused);
      if (p.code.module != nullptr) kernel->function = p.code.module->find_function(name);
      if (!p.entries.empty()) kernel->entry = &p.entries[i];
      return kernel;
    }
    const std::vector<std::string> names = kernel_names(program);
    Error error(ErrorKind::not_found, driver::message::kUnknownKernel(name));
    if (!names.empty()) error.add_hint(driver::message::kUseOneOf(base::join(names, ", ")).text);
    return error;
  }

  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions&) override {
    return std::make_unique<SimStream>();
  }

  Result<> upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) override {
    const driver::Stamped stamped(stream.take_stamp());
    const std::lock_guard lock(mutex_);
    return device_.upload(to.buffer->address + to.offset,
                          {static_cast<const std::byte*>(from), static_cast<size_t>(bytes)});
  }

  Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override {
    const driver::Stamped stamped(stream.take_stamp());
    const std::lock_guard lock(mutex_);
    return device_.download(from.buffer->address + from.offset,
                            {static_cast<std::byte*>(to), static_cast<size_t>(bytes)});
  }

  Result<> copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) override {
    const driver::Stamped stamped(stream.take_stamp());
    const std::lock_guard lock(mutex_);
    return device_.copy(to.buffer->address + to.offset, from.buffer->address + from.offset, bytes);
  }

  Result<> fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override {
    const driver::Stamped stamped(stream.take_stamp());
    return driver::Device::fill(stream, to, value, width, bytes);
  }

  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override {
    const driver::Stamped stamped(stream.take_stamp());
    auto& k = static_cast<SimKernel&>(kernel);
    Trace& q = *static_cast<SimStream&>(stream).trace;
    LaunchConfig config;
    config.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    config.block = {launch.block.x, launch.block.y, launch.block.z};
    config.cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
    config.dynamic_shared_bytes = launch.shared_bytes;
    config.options = options_;
    if (k.program->emitted != nullptr) {
      const std::lock_guard lock(mutex_);
      QUERN_TRY_ASSIGN(const Emitted::Outcome outcome,
                       k.program->emitted->launch(k.info, launch.arguments, config));
      note(q, outcome.result, *outcome.module);
      q.output.append(outcome.reported.printed, outcome.reported.calls);
      q.output.drop(outcome.reported.dropped_calls);
      if (outcome.reported.failure) {
        q.findings.push_back(*outcome.reported.failure);
        q.faulted = true;
      }
      return {};
    }
    if (k.entry != nullptr) QUERN_TRY(bind_arguments(*k.entry, launch.arguments, config));
    for (size_t i = 0; i < launch.arguments.size() && k.entry == nullptr; ++i) {
      const driver::Argument& a = launch.arguments[i];
      if (k.info.params[i].is_pointer) {
        config.args.emplace_back(a.place.buffer != nullptr ? a.place.buffer->address + a.place.offset
                                                           : uint64_t{0});
      } else {
        const auto* bytes = static_cast<const std::byte*>(a.value);
        config.args.emplace_back(std::vector<std::byte>(bytes, bytes + a.bytes));
      }
    }
    const std::lock_guard lock(mutex_);
    QUERN_TRY_ASSIGN(LaunchResult result, device_.launch(*k.program->program, k.info.name, config));
    note(q, result, k.program->program->module());
    return {};
  }

  Result<std::unique_ptr<driver::Event>> create_event() override { return std::make_unique<SimEvent>(); }
  Result<> record(driver::Stream& stream, driver::Event& event) override {
    auto& e = static_cast<SimEvent&>(event);
    const std::lock_guard lock(mutex_);
    e.reached_at = now();
    e.trace = static_cast<SimStream&>(stream).trace;
    return {};
  }
  Result<> wait(driver::Stream&, driver::Event&) override { return {}; }
  Result<bool> reached(driver::Event&) override { return true; }
  Result<> wait(driver::Event& event) override {
    const std::lock_guard lock(mutex_);
    const auto& trace = static_cast<SimEvent&>(event).trace;
    return trace != nullptr ? outcome(*trace) : Result<>();
  }
  Result<uint64_t> time(driver::Event& event) override {
    const std::lock_guard lock(mutex_);
    return static_cast<SimEvent&>(event).reached_at;
  }

  Result<> synchronize(driver::Stream& stream) override {
    const std::lock_guard lock(mutex_);
    return outcome(*static_cast<SimStream&>(stream).trace);
  }

  Result<driver::Place> variable(driver::Module& program, std::string_view name) override {
    auto& p = static_cast<SimModule&>(program);
    const auto v = p.emitted != nullptr ? p.emitted->variable(name) : p.program->variable(name);
    if (!v) return driver::Device::variable(program, name);
    const std::lock_guard lock(mutex_);
    for (const auto& known : p.variables) {
      if (known->address == v->address) return driver::Place{known.get(), 0};
    }
    auto buffer = std::make_unique<VariableBuffer>();
    buffer->bytes = v->bytes;
    buffer->address = v->address;
    p.variables.push_back(std::move(buffer));
    return driver::Place{p.variables.back().get(), 0};
  }

  std::string take_output(driver::Stream& stream) override {
    const std::lock_guard lock(mutex_);
    return static_cast<SimStream&>(stream).trace->output.take();
  }
  std::vector<driver::Finding> take_findings(driver::Stream& stream) override {
    const std::lock_guard lock(mutex_);
    return std::exchange(static_cast<SimStream&>(stream).trace->findings, {});
  }

 private:
  static void note(Trace& trace, const LaunchResult& result, const ir::Module& module) {
    trace.output.append(result.printed, result.prints);
    trace.output.drop(result.dropped_prints);
    for (const Report& r : result.reports) trace.findings.push_back(to_finding(r, module));
    trace.faulted |= !result.clean();
  }

  // Returns the findings to the waiting caller, once.
  static Result<> outcome(Trace& trace) {
    if (!std::exchange(trace.faulted, false)) return {};
    if (trace.findings.empty()) return Error(ErrorKind::kernel_fault, message::kStopped());
    const driver::Finding& first = trace.findings.front();
    Error error(ErrorKind::kernel_fault, first.rendered);
    if (trace.findings.size() > 1)
      error.add_context(base::format("running '%s', with %s more", first.kernel.c_str(),
                                     base::format_plural(trace.findings.size() - 1, "finding").c_str()));
    return error;
  }

  driver::DeviceInfo info_;
  LaunchOptions options_;
  std::mutex mutex_;  // sim::Device is not thread-safe
  sim::Device device_;
};

driver::DeviceInfo describe_ir() {
  driver::DeviceInfo info;
  info.name = "simulator";
  info.driver = "sim";
  info.kind = driver::DeviceKind::simulated;
  info.vendor = "Quern";
  info.memory_bytes = DeviceOptions().memory_limit;
  info.compute_units = 1;
  info.features = {Feature::fp16,           Feature::bf16,
                   Feature::fp64,           Feature::int8,
                   Feature::int16,          Feature::int64,
                   Feature::atomics16,      Feature::atomics64,
                   Feature::atomics_f16,    Feature::atomics_f32,
                   Feature::atomics_f64,    Feature::system_scope,
                   Feature::warps,          Feature::divergent_barriers,
                   Feature::grid_barrier,   Feature::clusters,
                   Feature::addresses,      Feature::generic_pointers,
                   Feature::dynamic_shared, Feature::variables,
                   Feature::print,          Feature::assert,
                   Feature::clock,          Feature::timestamps};
  info.limits.shared_bytes = uint64_t{1} << 24;
  info.limits.cluster_blocks = 8;
  info.limits.buffer_bytes = info.memory_bytes;
  info.code = {driver::CodeKind::kIr};
  info.checks_library = true;
  info.code_version = "sim";  // keeps the operations that it checks more precisely than their lowering
  info.details = {{"checks", "bounds, uninitialized reads, races, barriers, alignment, division, warps"}};
  return info;
}

driver::DeviceInfo describe_spirv() {
  driver::DeviceInfo info = describe_ir();
  info.name = "SPIR-V simulator";
  info.code_version.clear();
  info.driver = "std.gpu";
  info.api_version = "SPIR-V 1.6";
  // The features of Vulkan, for kernels in CUDA C++.
  for (const Feature f : {Feature::grid_barrier, Feature::clusters, Feature::clock}) info.features.remove(f);
  info.limits.cluster_blocks = 0;
  constexpr uint8_t kEveryWidth = 16 | 32 | 64;
  info.floats = {kEveryWidth, kEveryWidth, kEveryWidth};
  info.native = {Feature::int8, Feature::int16};
  info.code = {driver::CodeKind::kSpirv, driver::CodeKind::kSpirvKernel};
  info.checks_library = false;
  return info;
}

Result<uint32_t> parse_checks(std::string_view list) {
  uint32_t checks = kDefaultChecks;
  for (std::string_view what : base::split(list, '+')) {
    if (what == "none") {
      checks = 0;
    } else if (what == "overflow") {
      checks |= kCheckOverflow;
    } else if (what == "shifts") {
      checks |= kCheckShifts;
    } else if (what == "all") {
      checks = kAllChecks;
    } else {
      return Error(ErrorKind::invalid_use, message::kCheckOption(what));
    }
  }
  return checks;
}

Result<LaunchOptions> parse_options(const driver::OpenOptions& options) {
  LaunchOptions out;
  for (const auto& [key, value] : options) {
    if (key == "seed") {
      const auto seed = base::parse_uint(value);
      if (!seed) return Error(ErrorKind::invalid_use, message::kSeedOption(value));
      out.seed = *seed;
    } else if (key == "check") {
      QUERN_TRY_ASSIGN(out.checks, parse_checks(value));
    } else if (key == "time_limit") {
      const auto seconds = base::parse_double(value);
      if (!seconds || !(*seconds > 0)) return Error(ErrorKind::invalid_use, message::kTimeLimitOption(value));
      out.time_limit_s = *seconds;
    } else {
      return Error(ErrorKind::invalid_use, driver::message::kUnknownOption(
                                               "sim", key, "sim", "the options seed, check and time_limit"));
    }
  }
  return out;
}

class SimDriver final : public driver::Driver {
 public:
  explicit SimDriver(driver::DeviceInfo info) : info_(std::move(info)) {}
  std::string_view name() const override { return info_.driver; }
  Result<std::string> start() override { return std::string("checks every access"); }
  Result<std::vector<driver::DeviceInfo>> devices() override { return std::vector{info_}; }
  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (index != 0)
      return Error(ErrorKind::not_found,
                   driver::message::kUnknownIndex(info_.driver, std::to_string(index), "1 device"));
    driver::DeviceInfo info = info_;
    driver::OpenOptions others;
    for (const auto& [key, value] : options) {
      // The kind of code to which kernels are compiled.
      const auto kind = std::find_if(info.code.begin(), info.code.end(),
                                     [&v = value](driver::CodeKind k) { return driver::name(k) == v; });
      if (key == "code" && kind != info.code.end()) {
        std::rotate(info.code.begin(), kind, info.code.end());
      } else {
        others.emplace_back(key, value);
      }
    }
    QUERN_TRY_ASSIGN(const LaunchOptions launch, parse_options(others));
    return std::make_unique<SimDevice>(std::move(info), launch);
  }

 private:
  driver::DeviceInfo info_;
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<SimDriver>(describe_ir()); }
std::unique_ptr<driver::Driver> make_spirv_driver() { return std::make_unique<SimDriver>(describe_spirv()); }

}  // namespace quern::sim
