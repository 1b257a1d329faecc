#include "driver/native/driver.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.hpp"
#include "driver/native/messages.hpp"
#include "driver/native/pool.hpp"
#include "driver/support/messages.hpp"

namespace quern::native {

namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using driver::Feature;

constexpr size_t kAlign = 256;

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

class NativeBuffer final : public driver::Buffer {
 public:
  ~NativeBuffer() override { std::free(host); }
};

class NativeModule final : public driver::Module {
 public:
  driver::Code code;
};

class NativeKernel final : public driver::Kernel {
 public:
  driver::HostFunction function;
};

// The fault of a stream's kernel, until a wait on the stream or on an event returns it. Events may outlive
// the stream, and other threads may wait for them.
class Fault {
 public:
  void set(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }
  Result<> tell() {
    const std::lock_guard lock(mutex_);
    if (text_.empty()) return {};
    return Error(ErrorKind::kernel_fault, std::exchange(text_, {}));
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

class NativeStream final : public driver::Stream {
 public:
  driver::OutputBuffer output;
  std::vector<driver::Finding> findings;
  const std::shared_ptr<Fault> fault = std::make_shared<Fault>();
};

class NativeEvent final : public driver::Event {
 public:
  uint64_t reached_at = 0;
  std::shared_ptr<Fault> fault;
};

std::byte* at(const driver::Place& place) {
  return place.buffer != nullptr ? place.buffer->host + place.offset : nullptr;
}

// Every call is complete when it returns, so the order of a stream is the order of its calls.
class NativeDevice final : public driver::Device {
 public:
  explicit NativeDevice(driver::DeviceInfo info) : info_(std::move(info)) {}

  const driver::DeviceInfo& info() const override { return info_; }
  bool takes_stamps() const override { return true; }

  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    const uint64_t size = std::max<uint64_t>(kAlign, (bytes + kAlign - 1) / kAlign * kAlign);
    void* memory = size <= info_.memory_bytes ? std::aligned_alloc(kAlign, size) : nullptr;
    if (memory == nullptr) {
      return Error(ErrorKind::out_of_memory,
                   message::kNoHostMemory(base::format_bytes(bytes), base::format_bytes(info_.memory_bytes)));
    }
    auto buffer = std::make_unique<NativeBuffer>();
    buffer->bytes = bytes;
    buffer->kind = kind;
    buffer->host = static_cast<std::byte*>(memory);
    buffer->address = reinterpret_cast<uint64_t>(memory);
    return buffer;
  }

  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override {
    if (code.kind != driver::CodeKind::kHostFunction)
      return Error(ErrorKind::unsupported, message::kOnlyInline(driver::name(code.kind)));
    if (code.host.run == nullptr) {
      return Error(ErrorKind::unsupported, message::kExternShared());
    }
    auto program = std::make_unique<NativeModule>();
    program->code = code;
    return program;
  }

  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override {
    const driver::Code& code = static_cast<NativeModule&>(program).code;
    for (const driver::KernelInfo& k : code.kernels) {
      if (k.name != name) continue;
      auto kernel = std::make_unique<NativeKernel>();
      kernel->info = k;
      kernel->function = code.host;
      return kernel;
    }
    return Error(ErrorKind::not_found, driver::message::kUnknownKernel(name));
  }

  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions&) override {
    return std::make_unique<NativeStream>();
  }
  Result<> upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) override {
    const driver::Stamped stamped(stream.take_stamp());
    if (bytes != 0) std::memcpy(at(to), from, bytes);
    return {};
  }
  Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override {
    const driver::Stamped stamped(stream.take_stamp());
    if (bytes != 0) std::memcpy(to, at(from), bytes);
    return {};
  }
  Result<> copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) override {
    const driver::Stamped stamped(stream.take_stamp());
    if (bytes != 0) std::memcpy(at(to), at(from), bytes);
    return {};
  }

  Result<> fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override {
    const driver::Stamped stamped(stream.take_stamp());
    return driver::Device::fill(stream, to, value, width, bytes);
  }

  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override {
    const driver::Stamped stamped(stream.take_stamp());
    auto& k = static_cast<NativeKernel&>(kernel);
    auto& q = static_cast<NativeStream&>(stream);
    std::vector<std::byte*> pointers(launch.arguments.size());
    std::vector<void*> arguments(launch.arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const driver::Argument& a = launch.arguments[i];
      pointers[i] = at(a.place);
      arguments[i] =
          k.info.params[i].is_pointer ? static_cast<void*>(&pointers[i]) : const_cast<void*>(a.value);
    }
    Grid grid;
    grid.function = k.function;
    grid.kernel = k.info.name;
    grid.output = &q.output;
    grid.arguments = arguments.data();
    grid.blocks = launch.grid;
    grid.threads = launch.block;
    grid.shared_bytes = launch.shared_bytes;
    pool_.run(grid);
    if (grid.finding) q.findings.push_back(std::move(*grid.finding));
    if (grid.stopped)
      q.fault->set(q.findings.empty() ? "the kernel was stopped" : q.findings.back().rendered);
    return {};
  }

  Result<std::unique_ptr<driver::Event>> create_event() override { return std::make_unique<NativeEvent>(); }
  Result<> record(driver::Stream& stream, driver::Event& event) override {
    auto& e = static_cast<NativeEvent&>(event);
    e.reached_at = now();
    e.fault = static_cast<NativeStream&>(stream).fault;
    return {};
  }
  Result<> wait(driver::Stream&, driver::Event&) override { return {}; }
  Result<bool> reached(driver::Event&) override { return true; }
  Result<> wait(driver::Event& event) override {
    const auto& fault = static_cast<NativeEvent&>(event).fault;
    return fault != nullptr ? fault->tell() : Result<>();
  }
  Result<uint64_t> time(driver::Event& event) override { return static_cast<NativeEvent&>(event).reached_at; }

  Result<> synchronize(driver::Stream& stream) override {
    return static_cast<NativeStream&>(stream).fault->tell();
  }

  std::string take_output(driver::Stream& stream) override {
    return static_cast<NativeStream&>(stream).output.take();
  }
  std::vector<driver::Finding> take_findings(driver::Stream& stream) override {
    return std::exchange(static_cast<NativeStream&>(stream).findings, {});
  }

 private:
  driver::DeviceInfo info_;
  Pool pool_;
};

driver::DeviceInfo describe() {
  driver::DeviceInfo info;
  utsname system{};
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  info.name = base::format("%u× %s", processors, ::uname(&system) == 0 ? system.machine : "processor");
  info.driver = "native";
  info.kind = driver::DeviceKind::cpu;
  info.vendor = "Quern";
  info.memory_bytes =
      static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  info.compute_units = processors;
  info.features = {Feature::fp16,           Feature::bf16,
                   Feature::fp64,           Feature::int8,
                   Feature::int16,          Feature::int64,
                   Feature::atomics16,      Feature::atomics64,
                   Feature::atomics_f16,    Feature::atomics_f32,
                   Feature::atomics_f64,    Feature::system_scope,
                   Feature::warps,          Feature::divergent_barriers,
                   Feature::addresses,      Feature::generic_pointers,
                   Feature::dynamic_shared, Feature::variables,
                   Feature::print,          Feature::assert,
                   Feature::clock,          Feature::shared_memory,
                   Feature::timestamps};
  info.limits.shared_bytes = uint64_t{1} << 20;
  info.limits.buffer_bytes = info.memory_bytes;
  info.code = {driver::CodeKind::kHostFunction};
  info.details = {{"runs", "inline kernels only, as compiled by the program's own compiler"}};
  return info;
}

class NativeDriver final : public driver::Driver {
 public:
  std::string_view name() const override { return "native"; }
  Result<std::string> start() override {
    return std::string("inline kernels, compiled by the host's compiler");
  }
  Result<std::vector<driver::DeviceInfo>> devices() override { return std::vector{describe()}; }
  Result<std::unique_ptr<driver::Device>> open(uint32_t index, const driver::OpenOptions& options) override {
    if (index != 0)
      return Error(ErrorKind::not_found,
                   driver::message::kUnknownIndex("native", std::to_string(index), "1 device"));
    if (!options.empty())
      return Error(ErrorKind::invalid_use,
                   driver::message::kUnknownOption("native", options[0].first, "native", "no options"));
    return std::make_unique<NativeDevice>(describe());
  }
};

}  // namespace

std::unique_ptr<driver::Driver> make_driver() { return std::make_unique<NativeDriver>(); }

}  // namespace quern::native
