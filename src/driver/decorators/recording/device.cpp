#include "driver/decorators/recording/device.hpp"

#include <algorithm>
#include <utility>

#include "driver/decorators/forward/device.hpp"
#include "driver/decorators/messages.hpp"
#include "driver/decorators/recording/code.hpp"
#include "driver/decorators/recording/log.hpp"

namespace quern::recording {

namespace {

using base::ErrorKind;
using driver::Place;
using driver::Result;

template <typename T>
uint64_t id(T& object) {
  return forward::wrapper_of(object).id;
}

Writer& put(Writer& to, const Place& place) {
  return to.number(place.buffer == nullptr ? uint64_t{0} : id(*place.buffer)).number(place.offset);
}

Writer& put(Writer& to, const driver::Dim3& d) { return to.number(d.x).number(d.y).number(d.z); }

Writer describe(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) {
  Writer w;
  w.number(id(stream)).number(id(kernel));
  put(put(w, launch.grid), launch.block).number(launch.shared_bytes).number(launch.cooperative);
  put(w, launch.cluster);
  // Pointers extracted from structs are arguments only on devices without addresses; they come last.
  const auto is_field = [](const driver::ParamInfo& p) { return p.role == driver::ParamRole::kField; };
  const auto fields = std::count_if(kernel.info.params.begin(), kernel.info.params.end(), is_field);
  const size_t count = launch.arguments.size() - std::min<size_t>(launch.arguments.size(), fields);
  w.number(uint64_t{count});
  for (const driver::Argument& a : launch.arguments.first(count))
    put(w, a.place).raw(a.value, a.value != nullptr ? a.bytes : 0);
  return w;
}

class Device final : public forward::Device {
 public:
  Device(std::unique_ptr<driver::Device> inner, const std::shared_ptr<Log>& log)
      : forward::Device(std::move(inner), log), log_(log) {}
  ~Device() override { log_->close(); }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    Writer w;
    w.number(bytes).number(kind);
    return with_address(made(Call::kAllocate, w, [&] { return forward::Device::allocate(bytes, kind); }));
  }
  // Recorded as host memory that kernels can access.
  Result<std::unique_ptr<driver::Buffer>> import_host_memory(std::byte* host, uint64_t bytes) override {
    Writer w;
    w.number(bytes).number(driver::MemoryKind::mapped);
    return with_address(
        made(Call::kAllocate, w, [&] { return forward::Device::import_host_memory(host, bytes); }));
  }
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override {
    Writer w;
    QUERN_TRY(write(w, code));
    return made(Call::kLoad, w, [&] { return forward::Device::load(code); });
  }
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override {
    Writer w;
    w.number(id(program)).text(name);
    return made(Call::kKernel, w, [&] { return forward::Device::kernel(program, name); });
  }
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override {
    Writer w;
    w.number(int32_t{options.priority}).number(options.is_persistent);
    return made(Call::kCreateStream, w, [&] { return forward::Device::create_stream(options); });
  }
  Result<std::unique_ptr<driver::Event>> create_event() override {
    return made(Call::kCreateEvent, {}, [&] { return forward::Device::create_event(); });
  }

  Result<> upload(driver::Stream& stream, Place to, const void* from, uint64_t bytes) override {
    Writer w;
    put(w.number(id(stream)), to).raw(from, bytes);
    QUERN_TRY(run(Call::kUpload, w, [&] { return forward::Device::upload(stream, to, from, bytes); }));
    log_->submitted(id(stream));
    return {};
  }
  Result<> download(driver::Stream& stream, void* to, Place from, uint64_t bytes) override {
    Writer w;
    put(w.number(id(stream)), from).number(bytes);
    QUERN_TRY_ASSIGN(const uint64_t number, log_->call(Call::kDownload, w));
    auto result = forward::Device::download(stream, to, from, bytes);
    if (!result.ok()) {
      log_->failed(number, result.error());
    } else {
      log_->downloads(id(stream), number, to, bytes);
    }
    return result;
  }
  Result<> copy(driver::Stream& stream, Place to, Place from, uint64_t bytes) override {
    Writer w;
    put(put(w.number(id(stream)), to), from).number(bytes);
    QUERN_TRY(run(Call::kCopy, w, [&] { return forward::Device::copy(stream, to, from, bytes); }));
    log_->submitted(id(stream));
    return {};
  }
  Result<> fill(driver::Stream& stream, Place to, uint64_t value, uint32_t width, uint64_t bytes) override {
    Writer w;
    put(w.number(id(stream)), to).number(value).number(width).number(bytes);
    QUERN_TRY(run(Call::kFill, w, [&] { return forward::Device::fill(stream, to, value, width, bytes); }));
    log_->submitted(id(stream));
    return {};
  }
  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override {
    QUERN_TRY(run(Call::kLaunch, describe(stream, kernel, launch),
                  [&] { return forward::Device::launch(stream, kernel, launch); }));
    log_->submitted(id(stream));
    return {};
  }

  Result<> record(driver::Stream& stream, driver::Event& event) override {
    Writer w;
    w.number(id(stream)).number(id(event));
    QUERN_TRY(run(Call::kRecord, w, [&] { return forward::Device::record(stream, event); }));
    log_->recorded(id(stream), id(event));
    return {};
  }
  Result<> wait(driver::Stream& stream, driver::Event& event) override {
    Writer w;
    w.number(id(stream)).number(id(event));
    QUERN_TRY(run(Call::kStreamWait, w, [&] { return forward::Device::wait(stream, event); }));
    log_->waits(id(stream), id(event));
    return {};
  }
  Result<bool> reached(driver::Event& event) override {
    const auto point = log_->point(id(event));
    QUERN_TRY_ASSIGN(const uint64_t number, log_->call(Call::kReached, naming(event)));
    auto result = forward::Device::reached(event);
    if (!result.ok()) {
      log_->failed(number, result.error());
      return result;
    }
    log_->yielded(number, *result ? "1" : "0");
    if (*result && point) log_->reached(*point);
    return result;
  }
  Result<> wait(driver::Event& event) override {
    const auto point = log_->point(id(event));
    auto result = run(Call::kWait, naming(event), [&] { return forward::Device::wait(event); });
    if (point && is_over(result)) log_->reached(*point);
    return result;
  }
  Result<> synchronize(driver::Stream& stream) override {
    const forward::Point point = log_->last(id(stream));
    auto result =
        run(Call::kSynchronize, naming(stream), [&] { return forward::Device::synchronize(stream); });
    if (is_over(result)) log_->reached(point);
    return result;
  }

  Result<uint64_t> time(driver::Event& event) override {
    return run(Call::kTime, naming(event), [&] { return forward::Device::time(event); });
  }
  Result<Place> variable(driver::Module& program, std::string_view name) override {
    Writer w;
    w.number(id(program)).text(name);
    QUERN_TRY_ASSIGN(const uint64_t number, log_->call(Call::kVariable, w));
    auto place = forward::Device::variable(program, name);
    if (!place.ok()) {
      log_->failed(number, place.error());
    } else {
      forward::wrapper_of(*place->buffer).id = number;  // named by the last call that returned it
    }
    return place;
  }
  Result<driver::Code> binary(driver::Module& program) override {
    return run(Call::kBinary, naming(program), [&] { return forward::Device::binary(program); });
  }
  // The function may use data that was downloaded before.
  Result<> call(driver::Stream& stream, std::function<void()> function) override {
    const forward::Point before = log_->last(id(stream));
    auto around = [log = log_, before, function = std::move(function)] {
      log->reached(before);
      function();
    };
    QUERN_TRY(
        run(Call::kCall, naming(stream), [&] { return forward::Device::call(stream, std::move(around)); }));
    log_->submitted(id(stream));
    return {};
  }
  std::string take_output(driver::Stream& stream) override {
    (void)log_->call(Call::kTakeOutput, naming(stream));
    return forward::Device::take_output(stream);
  }
  std::vector<driver::Finding> take_findings(driver::Stream& stream) override {
    (void)log_->call(Call::kTakeFindings, naming(stream));
    return forward::Device::take_findings(stream);
  }

 protected:
  // A replay cannot repeat what other libraries do with the memory.
  Result<> allow_interop() override {
    return base::Error(ErrorKind::unsupported, decorators::message::kRecordedNativeHandles());
  }

 private:
  template <typename T>
  static Writer naming(T& object) {
    Writer w;
    w.number(id(object));
    return w;
  }

  static bool is_over(const Result<>& result) {
    return result.ok() || result.error().kind() == ErrorKind::kernel_fault;
  }

  // Writes the call, makes it, and writes its failure if it fails.
  template <typename Make>
  auto run(Call call, const Writer& arguments, Make&& make) -> decltype(make()) {
    QUERN_TRY_ASSIGN(const uint64_t number, log_->call(call, arguments));
    auto result = make();
    if (!result.ok()) log_->failed(number, result.error());
    return result;
  }

  // The same for calls that create an object, which is identified by the call's number.
  template <typename Make>
  auto made(Call call, const Writer& arguments, Make&& make) -> decltype(make()) {
    QUERN_TRY_ASSIGN(const uint64_t number, log_->call(call, arguments));
    auto result = make();
    if (result.ok()) {
      forward::wrapper_of(**result).id = number;
    } else {
      log_->failed(number, result.error());
    }
    return result;
  }

  // A replay finds the buffer by its address if a struct argument contains it.
  Result<std::unique_ptr<driver::Buffer>> with_address(Result<std::unique_ptr<driver::Buffer>> result) {
    if (!result.ok() || (*result)->address == 0) return result;
    Writer address;
    address.number((*result)->address);
    log_->yielded(id(**result), address.bytes());
    return result;
  }

  std::shared_ptr<Log> log_;
};

}  // namespace

Result<std::unique_ptr<driver::Device>> wrap(std::unique_ptr<driver::Device> inner, const std::string& path) {
  QUERN_TRY_ASSIGN(const std::shared_ptr<Log> log, Log::create(path, inner->info()));
  return std::make_unique<Device>(std::move(inner), log);
}

}  // namespace quern::recording
