#include "driver/decorators/recoverable/device.hpp"

#include <algorithm>
#include <cstring>

#include "driver/decorators/messages.hpp"
#include "driver/decorators/recoverable/core.hpp"

namespace quern::recoverable {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Place;
using Kind = LoggedCall::Kind;

// An object as the layer above sees it; the native object is replaced after a loss.
template <typename Base, typename State>
class Held final : public Base {
 public:
  Held(std::shared_ptr<Core> core, std::shared_ptr<State> state)
      : core_(std::move(core)), state_(std::move(state)) {}
  ~Held() override { core_->release(*state_); }

  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<Core> core_;
  std::shared_ptr<State> state_;
};

using HeldBuffer = Held<driver::Buffer, BufferState>;
using HeldKernel = Held<driver::Kernel, KernelState>;
using HeldStream = Held<driver::Stream, StreamState>;
using HeldEvent = Held<driver::Event, EventState>;

// A variable belongs to its program.
class Variable final : public driver::Buffer {
 public:
  Variable(std::shared_ptr<ModuleState> owner, std::shared_ptr<BufferState> variable)
      : module(std::move(owner)), state(std::move(variable)) {
    bytes = state->bytes;
  }
  const std::shared_ptr<ModuleState> module;
  const std::shared_ptr<BufferState> state;
};

class HeldModule final : public driver::Module {
 public:
  HeldModule(std::shared_ptr<Core> core, std::shared_ptr<ModuleState> state)
      : core_(std::move(core)), state_(std::move(state)) {
    for (const auto& [name, variable] : state_->variables)
      variables_.emplace(name, std::make_unique<Variable>(state_, variable));
  }
  ~HeldModule() override { core_->release(*state_); }

  const std::shared_ptr<ModuleState>& state() const { return state_; }
  Variable* find(std::string_view name) const {
    const auto at = variables_.find(name);
    return at == variables_.end() ? nullptr : at->second.get();
  }

 private:
  std::shared_ptr<Core> core_;
  std::shared_ptr<ModuleState> state_;
  std::map<std::string, std::unique_ptr<Variable>, std::less<>> variables_;
};

// Pinned memory is plain host memory: it survives every loss, and calls on it are copies or host functions.
class HostBuffer final : public driver::Buffer {
 public:
  explicit HostBuffer(uint64_t size) : memory_(std::max<uint64_t>(size, 1)) {
    bytes = size;
    kind = driver::MemoryKind::pinned;
    host = memory_.data();
  }

 private:
  std::vector<std::byte> memory_;
};

std::byte* host_of(const Place& place) {
  const auto* const buffer = dynamic_cast<HostBuffer*>(place.buffer);
  return buffer == nullptr ? nullptr : buffer->host + place.offset;
}

void fill_host(std::byte* to, uint64_t value, uint32_t width, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += width) std::memcpy(to + i, &value, width);
}

const auto& state_of(driver::Module& o) { return static_cast<HeldModule&>(o).state(); }
const auto& state_of(driver::Kernel& o) { return static_cast<HeldKernel&>(o).state(); }
const auto& state_of(driver::Stream& o) { return static_cast<HeldStream&>(o).state(); }
const auto& state_of(driver::Event& o) { return static_cast<HeldEvent&>(o).state(); }

LoggedPlace logged(const Place& place) {
  if (place.buffer == nullptr) return {};
  if (const auto* variable = dynamic_cast<Variable*>(place.buffer))
    return {variable->state, place.offset, variable->module};
  return {static_cast<HeldBuffer&>(*place.buffer).state(), place.offset};
}

std::vector<std::byte> bytes_of(const void* from, uint64_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  return from == nullptr ? std::vector<std::byte>() : std::vector<std::byte>(first, first + bytes);
}

class RecoverableDevice final : public Device {
 public:
  explicit RecoverableDevice(std::shared_ptr<Core> core) : core_(std::move(core)) {}

  const driver::DeviceInfo& info() const override { return core_->info(); }
  Result<> checkpoint() override { return core_->checkpoint(); }
  uint64_t generation() const override { return core_->generation(); }
  bool survives_device_loss() const override { return core_->can_stay(); }
  void exclusive_access(driver::Buffer& buffer,
                        std::shared_ptr<driver::ExclusiveAccess> exclusive_access) override {
    if (auto* const held = dynamic_cast<HeldBuffer*>(&buffer))
      core_->exclusive_access(*held->state(), std::move(exclusive_access));
  }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    if (kind == driver::MemoryKind::pinned) return std::make_unique<HostBuffer>(bytes);
    if (kind == driver::MemoryKind::host_backed) return allocate_host_backed(bytes);
    if (kind != driver::MemoryKind::device)
      return Error(ErrorKind::unsupported, decorators::message::kHostWritesNotRecoverable());
    auto state = std::make_shared<BufferState>();
    state->bytes = bytes;
    const Result<> made = core_->make(state, [&](driver::Device& device) -> Result<> {
      QUERN_TRY_ASSIGN(state->owned, device.allocate(bytes, kind));
      state->at = {state->owned.get(), 0};
      return {};
    });
    QUERN_TRY(made);
    auto buffer = std::make_unique<HeldBuffer>(core_, std::move(state));
    buffer->bytes = bytes;
    return buffer;
  }

  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override {
    auto state = std::make_shared<ModuleState>();
    state->code = code;
    const Result<> made = core_->make(state, [&](driver::Device& device) -> Result<> {
      QUERN_TRY_ASSIGN(state->inner, device.load(state->code));
      state->made_for(info());
      for (const driver::VariableInfo& v : code.variables) {
        auto place = device.variable(*state->inner, v.name);
        if (!place.ok() && place.error().kind() == ErrorKind::not_found) continue;  // no kernel uses it
        if (!place.ok()) return std::move(place).error();
        auto variable = std::make_shared<BufferState>();
        variable->bytes = v.bytes;
        variable->variable = v.name;
        variable->module = state.get();
        variable->at = *place;
        state->variables[v.name] = std::move(variable);
      }
      return {};
    });
    QUERN_TRY(made);
    return std::make_unique<HeldModule>(core_, std::move(state));
  }

  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& module, std::string_view name) override {
    auto state = std::make_shared<KernelState>();
    state->module = state_of(module);
    state->name = name;
    auto kernel = std::make_unique<HeldKernel>(core_, state);
    const Result<> made = core_->make(state, [&](driver::Device& device) -> Result<> {
      QUERN_TRY_ASSIGN(state->inner, device.kernel(*state->module->inner, name));
      state->info = kernel->info = state->inner->info;
      kernel->max_threads = state->inner->max_threads;
      kernel->registers = state->inner->registers;
      kernel->local_bytes = state->inner->local_bytes;
      return {};
    });
    QUERN_TRY(made);
    return kernel;
  }

  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override {
    auto state = std::make_shared<StreamState>();
    state->options = options;
    const Result<> made = core_->make(state, [&](driver::Device& device) -> Result<> {
      QUERN_TRY_ASSIGN(state->inner, device.create_stream(options));
      return {};
    });
    QUERN_TRY(made);
    return std::make_unique<HeldStream>(core_, std::move(state));
  }

  Result<std::unique_ptr<driver::Event>> create_event() override {
    auto state = std::make_shared<EventState>();
    const Result<> made = core_->make(state, [&](driver::Device& device) -> Result<> {
      QUERN_TRY_ASSIGN(state->inner, device.create_event());
      return {};
    });
    QUERN_TRY(made);
    return std::make_unique<HeldEvent>(core_, std::move(state));
  }

  Result<> upload(driver::Stream& stream, Place to, const void* from, uint64_t bytes) override {
    if (std::byte* const host = host_of(to))
      return call(stream,
                  [host, data = bytes_of(from, bytes)] { std::memcpy(host, data.data(), data.size()); });
    LoggedCall call = started(Kind::kUpload, stream);
    call.to = logged(to);
    QUERN_TRY(core_->admit(call.to));
    call.data = bytes_of(from, bytes);
    return core_->submit(std::move(call), [&](driver::Device& device) {
      return device.upload(inner(stream), inner(to), from, bytes);
    });
  }

  Result<> download(driver::Stream& stream, void* to, Place from, uint64_t bytes) override {
    if (const std::byte* const host = host_of(from))
      return call(stream, [host, to, bytes] { std::memcpy(to, host, bytes); });
    LoggedCall call = started(Kind::kDownload, stream);
    call.from = logged(from);
    QUERN_TRY(core_->admit(call.from));
    call.target = to;
    call.bytes = bytes;
    return core_->submit(std::move(call), [&](driver::Device& device) {
      return device.download(inner(stream), to, inner(from), bytes);
    });
  }

  Result<> copy(driver::Stream& stream, Place to, Place from, uint64_t bytes) override {
    if (std::byte* const host = host_of(to)) return download(stream, host, from, bytes);
    if (const std::byte* const host = host_of(from)) return upload(stream, to, host, bytes);
    LoggedCall call = started(Kind::kCopy, stream);
    call.to = logged(to);
    call.from = logged(from);
    QUERN_TRY(core_->admit(call.to));
    QUERN_TRY(core_->admit(call.from));
    call.bytes = bytes;
    return core_->submit(std::move(call), [&](driver::Device& device) {
      return device.copy(inner(stream), inner(to), inner(from), bytes);
    });
  }

  Result<> fill(driver::Stream& stream, Place to, uint64_t value, uint32_t width, uint64_t bytes) override {
    if (std::byte* const host = host_of(to))
      return call(stream, [=] { fill_host(host, value, width, bytes); });
    LoggedCall call = started(Kind::kFill, stream);
    call.to = logged(to);
    QUERN_TRY(core_->admit(call.to));
    call.value = value;
    call.width = width;
    call.bytes = bytes;
    return core_->submit(std::move(call), [&](driver::Device& device) {
      return device.fill(inner(stream), inner(to), value, width, bytes);
    });
  }

  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override {
    const auto below = [&](driver::Device& device) {
      std::vector<driver::Argument> arguments(launch.arguments.begin(), launch.arguments.end());
      for (driver::Argument& a : arguments) a.place = inner(a.place);
      driver::Launch there = launch;
      there.arguments = arguments;
      return device.launch(inner(stream), *state_of(kernel)->inner, there);
    };
    if (is_persistent(stream)) {
      state_of(kernel)->module->stays = true;
      return core_->on_persistent(*state_of(stream), below);
    }
    LoggedCall call = started(Kind::kLaunch, stream);
    call.kernel = state_of(kernel);
    call.launch = launch;
    call.launch.arguments = {};
    for (const driver::Argument& a : launch.arguments) {
      if (host_of(a.place) != nullptr)
        return Error(ErrorKind::unsupported, decorators::message::kPinnedNotRecoverable());
      call.arguments.push_back({logged(a.place), bytes_of(a.value, a.bytes)});
      QUERN_TRY(core_->admit(call.arguments.back().place));
    }
    return core_->submit(std::move(call), below);
  }

  Result<> record(driver::Stream& stream, driver::Event& event) override {
    if (is_persistent(stream))
      return core_->on_persistent(*state_of(stream), [&](driver::Device& device) {
        return device.record(inner(stream), *state_of(event)->inner);
      });
    LoggedCall call = started(Kind::kRecord, stream);
    call.event = state_of(event);
    return core_->submit(std::move(call), [&](driver::Device& device) {
      return device.record(inner(stream), *state_of(event)->inner);
    });
  }

  Result<> wait(driver::Stream& stream, driver::Event& event) override {
    LoggedCall call = started(Kind::kWait, stream);
    call.event = state_of(event);
    return core_->submit(std::move(call), [&](driver::Device& device) {
      return device.wait(inner(stream), *state_of(event)->inner);
    });
  }

  // Runs once, even if the stream reaches it on several devices.
  Result<> call(driver::Stream& stream, std::function<void()> function) override {
    LoggedCall call = started(Kind::kFunction, stream);
    call.function = [function = std::move(function), is_over = std::make_shared<std::atomic<bool>>(false)] {
      if (!is_over->exchange(true)) function();
    };
    const std::function<void()> once = call.function;
    return core_->submit(std::move(call),
                         [&](driver::Device& device) { return device.call(inner(stream), once); });
  }

  Result<bool> reached(driver::Event& event) override {
    bool is_reached = false;
    const Result<> asked_for = core_->wait(
        [&](driver::Device& device) -> Result<> {
          QUERN_TRY_ASSIGN(is_reached, device.reached(*state_of(event)->inner));
          return {};
        },
        [&](Log& log) {
          if (is_reached) log.wait_for(state_of(event));
        });
    QUERN_TRY(asked_for);
    return is_reached;
  }

  Result<> wait(driver::Event& event) override {
    return core_->wait([&](driver::Device& device) { return device.wait(*state_of(event)->inner); },
                       [&](Log& log) { log.wait_for(state_of(event)); });
  }

  Result<> synchronize(driver::Stream& stream) override {
    const auto& state = state_of(stream);
    if (is_persistent(stream))
      return core_->on_persistent(*state,
                                  [&](driver::Device& device) { return device.synchronize(*state->inner); });
    return core_->wait(
        [&](driver::Device& device) -> Result<> {
          if (auto fault = std::exchange(state->fault, std::nullopt)) return *fault;
          return device.synchronize(*state->inner);
        },
        [&](Log& log) { log.wait_for(state); });
  }

  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override {
    return core_->attempt([&](driver::Device& device) {
      return device.prepare(*state_of(kernel)->inner, block, shared_bytes);
    });
  }
  Result<uint64_t> time(driver::Event& event) override {
    return core_->attempt([&](driver::Device& device) { return device.time(*state_of(event)->inner); });
  }
  Result<driver::Code> binary(driver::Module& module) override {
    return core_->attempt([&](driver::Device& device) { return device.binary(*state_of(module)->inner); });
  }
  Result<Place> variable(driver::Module& module, std::string_view name) override {
    if (Variable* variable = static_cast<HeldModule&>(module).find(name)) return Place{variable, 0};
    return Error(ErrorKind::not_found, decorators::message::kUnknownVariable(name));
  }

  std::vector<std::string> kernel_names(driver::Module& module) override {
    return asked<std::vector<std::string>>(
        [&](driver::Device& device) { return device.kernel_names(*state_of(module)->inner); });
  }
  std::string take_output(driver::Stream& stream) override {
    return asked<std::string>([&](driver::Device& device) {
      return is_gone(stream) ? std::string() : device.take_output(inner(stream));
    });
  }
  std::vector<driver::Finding> take_findings(driver::Stream& stream) override {
    return asked<std::vector<driver::Finding>>([&](driver::Device& device) {
      return is_gone(stream) ? std::vector<driver::Finding>() : device.take_findings(inner(stream));
    });
  }
  driver::Occupancy occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) override {
    return asked<driver::Occupancy>([&](driver::Device& device) {
      return device.occupancy(*state_of(kernel)->inner, threads, shared_bytes);
    });
  }
  uint64_t free_memory() override {
    return asked<uint64_t>([&](driver::Device& device) { return device.free_memory(); });
  }

 private:
  // Memory that persistent kernels share with the host; it survives the loss of the device.
  Result<std::unique_ptr<driver::Buffer>> allocate_host_backed(uint64_t bytes) {
    if (!core_->can_stay())
      return Error(ErrorKind::unsupported, decorators::message::kCannotAccessHostMemory(info().name));
    auto state = std::make_shared<BufferState>();
    state->bytes = bytes;
    state->kind = driver::MemoryKind::host_backed;
    state->host_backed = std::make_unique<Pages>(bytes);
    if (state->host_backed->data() == nullptr)
      return Error(ErrorKind::out_of_memory, decorators::message::kNoHostMemoryLeft());
    const Result<> made = core_->make(state, [&](driver::Device& device) -> Result<> {
      QUERN_TRY_ASSIGN(state->owned,
                       device.import_host_memory(state->host_backed->data(), state->host_backed->size()));
      state->at = {state->owned.get(), 0};
      return {};
    });
    QUERN_TRY(made);
    auto* const host = state->host_backed->data();
    auto buffer = std::make_unique<HeldBuffer>(core_, std::move(state));
    buffer->bytes = bytes;
    buffer->kind = driver::MemoryKind::host_backed;
    buffer->host = host;
    return buffer;
  }

  static LoggedCall started(Kind kind, driver::Stream& stream) {
    LoggedCall call;
    call.kind = kind;
    call.stream = state_of(stream);
    return call;
  }
  static bool is_persistent(driver::Stream& stream) { return state_of(stream)->options.is_persistent; }
  static bool is_gone(driver::Stream& stream) { return state_of(stream)->inner == nullptr; }
  static driver::Stream& inner(driver::Stream& stream) { return *state_of(stream)->inner; }
  static Place inner(const Place& place) { return logged(place).now(); }

  // For calls that cannot fail: does nothing if no device is left.
  template <typename T, typename Ask>
  T asked(Ask&& ask) {
    auto answer = core_->attempt([&](driver::Device& device) -> Result<T> { return ask(device); });
    return answer.ok() ? std::move(*answer) : T{};
  }

  std::shared_ptr<Core> core_;
};

}  // namespace

Result<std::unique_ptr<Device>> open(Options options) {
  QUERN_TRY_ASSIGN(auto core, Core::open(std::move(options)));
  return std::unique_ptr<Device>(new RecoverableDevice(std::move(core)));
}

}  // namespace quern::recoverable
