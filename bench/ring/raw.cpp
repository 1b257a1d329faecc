#include "raw.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "raw_kernels.hpp"

namespace quern::bench {
namespace {

using Clock = std::chrono::steady_clock;

void need(int32_t code, const char* what) {
  if (code == 0) return;
  std::printf("a direct call of CUDA failed with %d: %s\n", code, what);
  std::exit(1);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint32_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint32_t>(seconds_since(start) * 1e9);
}

}  // namespace

std::unique_ptr<Raw> Raw::open(std::string& why) {
  std::unique_ptr<Raw> raw(new Raw);
  return raw->start(why) ? std::move(raw) : nullptr;
}

bool Raw::start(std::string& why) {
  auto loaded = cuda::load_api(cuda::cuda_vendor());
  if (!loaded.ok()) {
    why = loaded.error().message();
    return false;
  }
  api_ = *loaded;
  int devices = 0, version = 0, major = 0, minor = 0;
  if (api_.init(0) != 0 || api_.device_count(&devices) != 0 || devices == 0) {
    why = "no CUDA device found";
    return false;
  }
  need(api_.driver_version(&version), "the driver's version");
  need(api_.context_retain(&context_, 0), "the context");
  need(api_.context_use(context_), "the context");
  need(api_.stream_create(&stream_, cuda::kStreamNonBlocking, 0), "a stream");
  need(api_.device_attribute(&major, 75, 0), "an attribute");
  need(api_.device_attribute(&minor, 76, 0), "an attribute");
  architecture_ = major * 10 + minor;
  auto compiler = cuda::Compiler::find(*api_.vendor, version);
  if (!compiler.ok()) {
    why = compiler.error().message();
    return false;
  }
  compiler_ = std::move(*compiler);
  for (cuda::Address& field : fields_) field = allocate(kCells * sizeof(float));
  return true;
}

Raw::~Raw() {
  if (stream_ == nullptr) return;
  (void)api_.stream_synchronize(stream_);
  for (const cuda::ModuleId m : modules_) (void)api_.module_unload(m);
  for (const cuda::Address a : addresses_) (void)api_.free(a);
  for (void* p : pinned_) (void)api_.free_host(p);
  (void)api_.stream_destroy(stream_);
}

cuda::FunctionId Raw::kernel(const char* text, const char* name) {
  const auto output = compiler_->compile("raw.cu", text, architecture_, {"--fmad=false"});
  if (!output.ok()) {
    std::printf("%s\n", output.error().to_string().c_str());
    std::exit(1);
  }
  cuda::ModuleId module = nullptr;
  cuda::FunctionId function = nullptr;
  need(api_.module_load(&module, output->code.c_str(), 0, nullptr, nullptr), "a module");
  modules_.push_back(module);
  need(api_.module_function(&function, module, name), name);
  return function;
}

void Raw::launch(cuda::FunctionId f, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
                 void** arguments, unsigned shared_bytes) {
  need(api_.launch(f, grid_x, grid_y, 1, block_x, block_y, 1, shared_bytes, stream_, arguments, nullptr),
       "a launch");
}

void Raw::wait() { need(api_.stream_synchronize(stream_), "waiting"); }

cuda::Address Raw::allocate(std::size_t bytes) {
  cuda::Address address = 0;
  need(api_.allocate(&address, bytes), "memory");
  addresses_.push_back(address);
  need(api_.fill8(address, 0, bytes, stream_), "filling");
  wait();
  return address;
}

template <typename T>
T* Raw::pinned(std::size_t count) {
  void* p = nullptr;
  need(api_.allocate_host(&p, count * sizeof(T), cuda::kHostPortable | cuda::kHostMapped), "pinned memory");
  pinned_.push_back(p);
  T* const out = static_cast<T*>(p);
  for (std::size_t i = 0; i < count; ++i) out[i] = T{};
  return out;
}

tool::Latency Raw::calls(std::uint64_t count) {
  const cuda::FunctionId f = kernel(kPingPong, "ping_pong");
  auto* const lines = pinned<std::uint64_t>(64);
  const std::atomic_ref<std::uint64_t> in(lines[0]), out(lines[32]);
  cuda::Address in_address = 0, out_address = 0;
  need(api_.host_address(&in_address, lines, 0), "an address");
  out_address = in_address + 32 * sizeof(std::uint64_t);
  const std::uint64_t warm = 100;
  auto n = static_cast<unsigned>(count + warm);
  void* arguments[] = {&in_address, &out_address, &n};
  launch(f, 1, 1, 1, 1, arguments);
  std::vector<std::uint32_t> times(count);
  std::uint32_t expected = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto add = static_cast<std::uint32_t>(i % 1000 + 1);
    const auto start = Clock::now();
    in.store((i + 1) << 32 | add, std::memory_order_release);
    std::uint64_t word = 0;
    do word = out.load(std::memory_order_acquire);
    while (word >> 32 != i + 1);
    if (i >= warm) times[i - warm] = nanoseconds_since(start);
    expected += add;
    wrong += static_cast<std::uint32_t>(word) != expected ? 1 : 0;
  }
  wait();
  tool::Latency result = tool::summarize(times);
  result.wrong = wrong;
  return result;
}

tool::Latency Raw::launches(std::uint64_t count) {
  const cuda::FunctionId f = kernel(kAddOne, "add");
  cuda::Address number = allocate(4), total = allocate(8);
  auto* const from = pinned<int>(1);
  auto* const to = pinned<long long>(1);
  void* arguments[] = {&number, &total};
  std::vector<std::uint32_t> times(count);
  long long expected = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count + 100; ++i) {
    const auto start = Clock::now();
    *from = static_cast<int>(i % 1000 + 1);
    need(api_.upload(number, from, 4, stream_), "an upload");
    launch(f, 1, 1, 1, 1, arguments);
    wait();
    need(api_.download(to, total, 8, stream_), "a download");
    wait();
    if (i >= 100) times[i - 100] = nanoseconds_since(start);
    expected += *from;
    wrong += *to != expected ? 1 : 0;
  }
  tool::Latency result = tool::summarize(times);
  result.wrong = wrong;
  return result;
}

tool::FlowResult Raw::flow(std::uint64_t messages, bool by_copies) {
  constexpr std::uint64_t kSlots = 1 << 14, kBatch = 64;
  const cuda::FunctionId f =
      by_copies ? kernel(kDrainByCopies, "drain_by_copies") : kernel(kDrainRing, "drain");
  const unsigned shared_bytes = by_copies ? kDrainWindow * kDrainStages * 64 : 0;
  if (by_copies)
    need(api_.function_set(f, cuda::kFunctionMaxDynamicShared, static_cast<int>(shared_bytes)),
         "shared memory");
  auto* const ring = pinned<std::uint64_t>(kSlots * 8);
  auto* const lines = pinned<std::uint64_t>(64);
  const std::atomic_ref<std::uint64_t> tail(lines[0]), head(lines[32]);
  cuda::Address ring_address = 0, tail_address = 0, sum_address = allocate(8);
  need(api_.host_address(&ring_address, ring, 0), "an address");
  need(api_.host_address(&tail_address, lines, 0), "an address");
  cuda::Address head_address = tail_address + 32 * sizeof(std::uint64_t);
  std::uint64_t end = messages / kBatch * kBatch, expected = 0;
  unsigned mask = kSlots - 1;
  void* arguments[] = {&ring_address, &mask, &tail_address, &head_address, &end, &sum_address};
  launch(f, 1, 1, 256, 1, arguments, shared_bytes);
  const auto start = Clock::now();
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < end; i += kBatch) {
    while (i + kBatch - seen > kSlots) seen = head.load(std::memory_order_acquire);
    for (std::uint64_t k = i; k < i + kBatch; ++k) {
      std::uint64_t* const to = ring + (k & (kSlots - 1)) * 8;
      to[0] = k;
      for (std::uint64_t w = 1; w < 7; ++w) to[w] = w;
      to[7] = 0;
      expected += 21 + k;
    }
    tail.store(i + kBatch, std::memory_order_release);
  }
  wait();
  tool::FlowResult out;
  out.per_second = static_cast<double>(end) / seconds_since(start);
  std::uint64_t sum = 0;
  need(api_.download(&sum, sum_address, 8, stream_), "a download");
  wait();
  out.is_right = sum == expected;
  return out;
}

void Raw::clear_fields() {
  for (const cuda::Address field : fields_)
    need(api_.fill8(field, 0, kCells * sizeof(float), stream_), "filling");
  if (step_ == nullptr) step_ = kernel(kFieldKernels, "step");
  wait();
}

void Raw::step_once(int number) {
  void* arguments[] = {&fields_[number & 1], &fields_[1 - (number & 1)]};
  launch(step_, kSide / 32, kSide / 8, 32, 8, arguments);
}

Raw::Mixed Raw::mixed(const std::vector<FieldMessage>& messages, bool is_lazy) {
  clear_fields();
  const cuda::FunctionId impulse = kernel(kFieldKernels, "impulse"), sample = kernel(kFieldKernels, "sample");
  cuda::Address command = allocate(sizeof(FieldMessage)), answer = allocate(sizeof(float));
  auto* const from = pinned<FieldMessage>(1);
  auto* const to = pinned<float>(1);
  Mixed out;
  for (int round = 0; round < 4; ++round) {  // the first one warms up
    clear_fields();
    out.samples.clear();
    int steps = 0;
    const auto start = Clock::now();
    for (const FieldMessage& m : messages) {
      void* arguments[] = {&command, &fields_[steps & 1], &answer};
      if (!is_lazy || m.kind != Kind::kSteps) {
        *from = m;
        need(api_.upload(command, from, sizeof(FieldMessage), stream_), "an upload");
      }
      if (m.kind == Kind::kImpulse) launch(impulse, 1, 1, 1, 1, arguments);
      if (m.kind == Kind::kSample) launch(sample, 1, 1, 1, 1, arguments);
      for (int s = 0; s < m.steps; ++s) step_once(steps++);
      // The command's memory is overwritten by the next one, so the uploader must wait.
      if (!is_lazy || m.kind == Kind::kImpulse) wait();
      if (is_lazy && m.kind != Kind::kSample) continue;
      need(api_.download(to, answer, sizeof(float), stream_), "a download");
      wait();
      if (m.kind == Kind::kSample) out.samples.push_back(*to);
    }
    wait();
    const double seconds = seconds_since(start);
    if (round == 1 || (round > 1 && seconds < out.seconds)) out.seconds = seconds;
  }
  return out;
}

Raw::Steps Raw::steps(int count, bool as_graph) {
  clear_fields();
  const float one = 1.0f;
  need(api_.upload(fields_[0] + sizeof(float) * kMiddle, &one, sizeof one, stream_), "an upload");
  wait();
  Steps out;
  constexpr int kNodes = 100;
  cuda::GraphId captured = nullptr;
  cuda::RunnableId runnable = nullptr;
  if (as_graph) {
    need(api_.capture_begin(stream_, cuda::kCaptureOfThread), "a capture");
    for (int i = 0; i < kNodes; ++i) step_once(i);
    need(api_.capture_end(stream_, &captured), "a capture");
    need(api_.graph_make(&runnable, captured, 0), "a graph");
  }
  const auto start = Clock::now();
  if (as_graph) {
    for (int i = 0; i < count; i += kNodes) need(api_.graph_run(runnable, stream_), "a graph");
  } else {
    for (int i = 0; i < count; ++i) step_once(i);
  }
  wait();
  out.seconds = seconds_since(start);
  if (as_graph) {
    need(api_.graph_end(runnable), "a graph");
    need(api_.graph_destroy(captured), "a graph");
  }
  out.field.resize(kCells);
  need(api_.download(out.field.data(), fields_[count & 1], kCells * sizeof(float), stream_), "a download");
  wait();
  return out;
}

}  // namespace quern::bench
