#include "driver/cpu/device.hpp"

#include <bit>
#include <system_error>
#include <thread>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "driver/cpu/api.hpp"
#include "driver/cpu/memory.hpp"
#include "driver/cpu/messages.hpp"
#include "driver/cpu/stream.hpp"
#include "driver/support/messages.hpp"

namespace quern::cpu {

using base::Error;
using base::ErrorKind;
using driver::Feature;
using driver::Result;

namespace {

constexpr uint32_t kMostLanes = 64;
constexpr uint64_t kUsualLanes = ~uint64_t{0};  // not set by the user
constexpr uint32_t kMostThreads = 1024;
constexpr uint64_t kSharedBytes = 96 << 10;

CpuStream& own(driver::Stream& stream) { return static_cast<CpuStream&>(stream); }
CpuEvent& own(driver::Event& event) { return static_cast<CpuEvent&>(event); }
std::byte* at(const driver::Place& place) { return place.buffer->host + place.offset; }

Result<> take_fault(Messages& messages) {
  std::string fault;
  {
    const std::lock_guard<std::mutex> lock(messages.mutex);
    fault.swap(messages.fault);
  }
  if (fault.empty()) return {};
  return Error(ErrorKind::kernel_fault, std::move(fault));
}

}  // namespace

Result<Settings> settings(const driver::OpenOptions& options) {
  Settings s;
  std::string vectors = base::env_text("QUERN_CPU_VECTORS").value_or("");
  QUERN_TRY_ASSIGN(uint64_t width, base::env_uint("QUERN_CPU_WIDTH", kUsualLanes));
  QUERN_TRY_ASSIGN(uint64_t threads,
                   base::env_uint("QUERN_CPU_THREADS", std::max(1u, std::thread::hardware_concurrency())));
  std::string effort = base::env_text("QUERN_CPU_EFFORT").value_or("auto");
  QUERN_TRY_ASSIGN(s.last_cache, base::env_uint("QUERN_CPU_CACHE", host_last_cache()));
  for (const auto& [key, value] : options) {
    const auto number = base::parse_uint(value);
    if (key == "effort") {
      effort = value;
    } else if (key == "vectors") {
      vectors = value;
    } else if (key == "cache" && number) {
      s.last_cache = *number;
    } else if ((key == "width" || key == "threads") && number) {
      (key == "width" ? width : threads) = *number;
    } else {
      return Error(
          ErrorKind::invalid_use,
          driver::message::kUnknownOption(
              "cpu", key + "=" + value, "cpu",
              "the options width=N, threads=N, vectors=NAME, cache=BYTES and effort=quick|full|auto"));
    }
  }
  s.processor = host_processor();
  if (!vectors.empty()) {
    QUERN_TRY_ASSIGN(s.processor, host_processor(vectors));
  }
  if (effort != "auto" && effort != "quick" && effort != "full") {
    return Error(ErrorKind::bad_input, message::kEffort(effort));
  }
  if (effort != "auto") s.effort = effort == "quick" ? Effort::kQuick : Effort::kFull;
  s.is_width_chosen = width != kUsualLanes;
  if (!s.is_width_chosen) width = usual_lanes(s.processor);
  if (width == 0 || width > kMostLanes || !std::has_single_bit(width)) {
    return Error(ErrorKind::bad_input, message::kWidth(std::to_string(width), std::to_string(kMostLanes)));
  }
  if (threads == 0 || threads > kMostThreads) {
    return Error(ErrorKind::bad_input,
                 message::kThreads(std::to_string(threads), std::to_string(kMostThreads)));
  }
  s.width = static_cast<uint32_t>(width);
  s.threads = static_cast<uint32_t>(threads);
  QUERN_TRY_ASSIGN(s.is_debugged, base::env_flag("QUERN_CPU_DEBUG", false));
  s.library = llvm_library_name();
  return s;
}

driver::DeviceInfo describe(const Settings& s) {
  driver::DeviceInfo d;
  d.name = host_name();
  d.driver = "cpu";
  d.kind = driver::DeviceKind::cpu;
  d.vendor = s.processor.is_aarch64 ? "ARM" : "x86";
  d.driver_version = s.library;
  d.memory_bytes = host_memory();
  d.compute_units = s.threads;
  d.features = {Feature::fp16,           Feature::bf16,
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
                Feature::clock,          Feature::shared_memory,
                Feature::timestamps,     Feature::persistent};
  d.limits.shared_bytes = kSharedBytes;
  d.limits.buffer_bytes = d.memory_bytes;
  d.limits.warp_size = 32;
  d.limits.cluster_blocks = 8;
  d.code = {driver::CodeKind::kIr};
  d.details = {
      {"LLVM", s.library},
      {"processor features", s.processor.features},
      {"vector registers", base::format("%u bits, %s", s.processor.vector_bits, s.processor.vectors.c_str())},
      {"lanes",
       std::to_string(s.width) + (s.is_width_chosen ? "" : ", fewer for blocks that do not fill them")},
      {"threads", std::to_string(s.threads)},
      {"last cache", s.last_cache != 0 ? base::format_bytes(s.last_cache) : "not known"},
      {"object cache", s.cache->folder().empty() ? "none" : s.cache->folder()}};
  return d;
}

CpuDevice::CpuDevice(Settings settings)
    : settings_(std::move(settings)), pool_(settings_.threads - 1), info_(describe(settings_)) {}

Result<std::unique_ptr<driver::Buffer>> CpuDevice::allocate(uint64_t bytes, driver::MemoryKind kind) {
  return allocate_memory(bytes, kind);
}

Result<std::unique_ptr<driver::Buffer>> CpuDevice::import_host_memory(std::byte* host, uint64_t bytes) {
  return borrow_memory(host, bytes);
}

Result<std::unique_ptr<driver::Module>> CpuDevice::load(const driver::Code& code) {
  QUERN_TRY_ASSIGN(auto program, CpuModule::create(code, settings_));
  return std::unique_ptr<driver::Module>(std::move(program));
}

Result<std::unique_ptr<driver::Kernel>> CpuDevice::kernel(driver::Module& program, std::string_view name) {
  auto& own_program = static_cast<CpuModule&>(program);
  // Uses the kernel's description of the layer above; a bare module has kernels too.
  driver::KernelInfo about;
  about.name = about.entry = std::string(name);
  for (const driver::KernelInfo& k : own_program.kernels()) {
    if (k.name == name) about = k;
  }
  const ir::Function* function = own_program.module().find_function(about.entry);
  if (function == nullptr) function = own_program.module().find_function(name);
  if (function == nullptr || !function->is_kernel)
    return Error(ErrorKind::not_found, driver::message::kUnknownKernel(name));
  return std::unique_ptr<driver::Kernel>(
      std::make_unique<CpuKernel>(own_program, *function, std::move(about)));
}

Result<std::unique_ptr<driver::Stream>> CpuDevice::create_stream(const driver::StreamOptions&) {
  try {
    return std::unique_ptr<driver::Stream>(std::make_unique<CpuStream>(pool_));
  } catch (const std::system_error& e) {
    return Error(ErrorKind::out_of_memory, message::kNoStreamThread(e.what()));
  }
}

Result<> CpuDevice::upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) {
  own(stream).copy(at(to), from, bytes);
  return {};
}
Result<> CpuDevice::download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) {
  own(stream).copy(to, at(from), bytes);
  return {};
}
Result<> CpuDevice::copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) {
  own(stream).copy(at(to), at(from), bytes);
  return {};
}
Result<> CpuDevice::fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                         uint64_t bytes) {
  own(stream).fill(at(to), value, width, bytes);
  return {};
}

Result<> CpuDevice::launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) {
  auto& own_kernel = static_cast<CpuKernel&>(kernel);
  QUERN_TRY_ASSIGN(const Variant* variant, own_kernel.variant_for(launch.block));
  variant = own_kernel.promoted(variant);
  own(stream).launch(own_kernel, *variant, launch);
  return {};
}

Result<bool> CpuDevice::prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t) {
  auto& own_kernel = static_cast<CpuKernel&>(kernel);
  if (own_kernel.is_compiled_for(block)) return false;
  QUERN_TRY(own_kernel.variant_for(block));
  return true;
}

Result<std::unique_ptr<driver::Event>> CpuDevice::create_event() {
  return std::unique_ptr<driver::Event>(std::make_unique<CpuEvent>());
}
Result<> CpuDevice::record(driver::Stream& stream, driver::Event& event) {
  own(stream).record(own(event).point);
  return {};
}
Result<> CpuDevice::wait(driver::Stream& stream, driver::Event& event) {
  own(stream).wait(own(event).point);
  return {};
}
Result<bool> CpuDevice::reached(driver::Event& event) {
  const Point& p = *own(event).point;
  return p.is_reached(p.last());
}

Result<> CpuDevice::wait(driver::Event& event) {
  Point& p = *own(event).point;
  p.wait_for(p.last());
  const auto messages = p.messages();
  return messages != nullptr ? take_fault(*messages) : Result<>();
}
Result<> CpuDevice::synchronize(driver::Stream& stream) {
  own(stream).synchronize();
  return take_fault(own(stream).messages());
}
Result<uint64_t> CpuDevice::time(driver::Event& event) { return own(event).point->time(); }

Result<driver::Place> CpuDevice::variable(driver::Module& program, std::string_view name) {
  return static_cast<CpuModule&>(program).variable(name);
}
Result<> CpuDevice::call(driver::Stream& stream, std::function<void()> function) {
  own(stream).call(std::move(function));
  return {};
}

std::string CpuDevice::take_output(driver::Stream& stream) {
  Messages& m = own(stream).messages();
  const std::lock_guard<std::mutex> lock(m.mutex);
  return m.output.take();
}
std::vector<driver::Finding> CpuDevice::take_findings(driver::Stream& stream) {
  Messages& m = own(stream).messages();
  const std::lock_guard<std::mutex> lock(m.mutex);
  return std::exchange(m.findings, {});
}
// A worker runs one block at a time, in bundles of one thread per lane.
driver::Occupancy CpuDevice::occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t) {
  const llvm::Demand& demand = static_cast<CpuKernel&>(kernel).demand();
  const uint32_t width = usual_options(settings_.processor, settings_.width, demand, {threads, 1, 1}).width;
  return {1, (threads + width - 1) / width * width, 0};
}
uint64_t CpuDevice::free_memory() { return host_free_memory(); }

}  // namespace quern::cpu
