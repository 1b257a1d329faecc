// Compares the CUDA driver with direct calls of the same library in one program: launch cost, copy bandwidth,
// and the speed of our generated code against the original kernel. Results are verified.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>

#include "base/shared_library.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "cuda_kernels.hpp"
#include "cuda_matrix_kernels.hpp"
#include "driver/cuda/compiler.hpp"
#include "driver/cuda/driver.hpp"
#include "driver/cuda/ptx.hpp"
#include "lang/compile.hpp"
#include "target/target.hpp"
#include "throttle_note.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;
using cuda::Address;
using cuda::Api;
using Clock = std::chrono::steady_clock;

[[noreturn]] void stop(const std::string& why) {
  std::printf("%s\n", why.c_str());
  std::exit(1);
}
template <typename T>
T need(base::Result<T> result) {
  if (!result.ok()) stop(result.error().to_string());
  return std::move(*result);
}
void need(const base::Result<>& result) {
  if (!result.ok()) stop(result.error().to_string());
}
void need(int32_t code) {
  if (code != 0) stop("a direct call failed with " + std::to_string(code));
}

double best_seconds(int rounds, const std::function<void()>& work) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The library's functions, and the same device opened by the driver.
struct Bench {
  Api api;
  int32_t (*upload)(Address, const void*, size_t) = nullptr;  // as cudaMemcpy does
  int32_t (*download)(void*, Address, size_t) = nullptr;
  cuda::StreamId stream = nullptr;
  std::unique_ptr<driver::Driver> driver;
  std::unique_ptr<driver::Device> device;
  std::unique_ptr<driver::Stream> queue;
  std::unique_ptr<cuda::Compiler> compiler;
  int architecture = 0;

  Bench() {
    const auto loaded = cuda::load_api(cuda::cuda_vendor());
    if (!loaded.ok()) {
      std::printf("CUDA is not measured: %s\n", loaded.error().to_string().c_str());
      std::exit(0);
    }
    api = *loaded;
    driver = cuda::make_driver();
    std::printf("%s\n", need(driver->start()).c_str());
    device = need(driver->open(0, {}));
    queue = need(device->create_stream({}));
    need(api.stream_create(&stream, cuda::kStreamNonBlocking, 0));
    const std::string_view names[] = {api.library};
    const auto library = need(base::SharedLibrary::open(names, ""));
    const auto find = [&](const char* name, auto& f) {
      f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(api.vendor->find(library, name, 3020, ""));
      if (f == nullptr) stop(std::string("there is no ") + name);
    };
    find("cuMemcpyHtoD", upload);
    find("cuMemcpyDtoH", download);
    int version = 0;
    need(api.driver_version(&version));
    compiler = need(cuda::Compiler::find(*api.vendor, version));
    const auto get = [&](int number) {
      int value = 0;
      need(api.device_attribute(&value, number, 0));
      return value;
    };
    architecture = get(75) * 10 + get(76);
    std::printf("%s, sm_%d, %s\n\n", device->info().name.c_str(), architecture, compiler->version().c_str());
  }
};

// ---- launches
// ----------------------------------------------------------------------------------------------

struct RawKernel {
  cuda::ModuleId module = nullptr;
  cuda::FunctionId function = nullptr;
};

RawKernel load_raw(Bench& b, const cuda::Compiler::Output& output, const std::string& name) {
  RawKernel raw;
  need(b.api.module_load(&raw.module, output.code.c_str(), 0, nullptr, nullptr));
  for (const driver::KernelInfo& k : cuda::read_ptx(output.ptx)) {
    if (k.name == name || k.entry == name)
      need(b.api.module_function(&raw.function, raw.module, k.entry.c_str()));
  }
  if (raw.function == nullptr) stop("there is no kernel " + name);
  return raw;
}

driver::Code emit(const char* text, const std::string& kernel, const target::Options& options) {
  lang::Compilation compiled = lang::compile("bench.cu", text, {});
  if (!compiled.ok) stop(compiled.rendered);
  const ir::Function* function = compiled.module.find_function(kernel);
  if (function == nullptr) stop("there is no kernel " + kernel);
  return need(
      target::emit(std::make_shared<ir::Module>(compiled.module.clone(*function)), "bench.cu", options));
}

driver::Code emit(const std::string& kernel, driver::Math math = driver::Math::exact) {
  target::Options o;
  o.kind = driver::CodeKind::kCudaCpp;
  o.features = target::every_feature();
  o.math = math;
  return emit(bench::kKernels, kernel, o);
}

// Seconds per node of a graph of equal launches until it has completed: ours, and captured with direct calls.
std::pair<double, double> graph_seconds(Bench& b, const driver::Command& launch,
                                        const std::function<void()>& plain_launch) {
  constexpr int kNodes = 100;
  const std::vector<driver::Command> commands(kNodes, launch);
  const auto graph = need(b.device->make_graph(commands));
  if (!graph->is_native) stop("the graph is not the device's own");
  need(b.api.capture_begin(b.stream, cuda::kCaptureOfThread));
  for (int i = 0; i < kNodes; ++i) plain_launch();
  cuda::GraphId captured = nullptr;
  need(b.api.capture_end(b.stream, &captured));
  cuda::RunnableId runnable = nullptr;
  need(b.api.graph_make(&runnable, captured, 0));
  double ours = 1e30, plain = 1e30;
  for (int round = 0; round < 200; ++round) {
    ours = std::min(ours, best_seconds(1, [&] {
                      need(b.device->run_graph(*b.queue, *graph));
                      need(b.device->synchronize(*b.queue));
                    }));
    plain = std::min(plain, best_seconds(1, [&] {
                       need(b.api.graph_run(runnable, b.stream));
                       need(b.api.stream_synchronize(b.stream));
                     }));
  }
  need(b.api.graph_end(runnable));
  need(b.api.graph_destroy(captured));
  return {ours / kNodes, plain / kNodes};
}

void bench_launches(Bench& b) {
  const auto program = need(b.device->load(emit("empty")));
  const auto kernel = need(b.device->kernel(*program, "empty"));
  const auto memory = need(b.device->allocate(64, driver::MemoryKind::device));
  const RawKernel raw =
      load_raw(b, need(b.compiler->compile("bench.cu", bench::kKernels, b.architecture, {})), "empty");
  int n = 0;
  float a = 0;
  Address address = memory->address;
  void* pointers[] = {&n, &a, &address, &address};
  const driver::Argument arguments[] = {
      {{}, &n, 4}, {{}, &a, 4}, {{memory.get(), 0}, nullptr, 0}, {{memory.get(), 0}, nullptr, 0}};
  const driver::Launch launch{{1, 1, 1}, {32, 1, 1}, 0, arguments, false};
  constexpr int kLaunches = 500;  // fewer than a queue holds: measures only the cost of enqueuing
  double ours = 1e30, theirs = 1e30;
  for (int round = 0; round < 200; ++round) {
    ours = std::min(ours, best_seconds(1, [&] {
                      for (int i = 0; i < kLaunches; ++i)
                        (void)b.device->launch(*b.queue, *kernel, launch).ok();
                    }));
    need(b.device->synchronize(*b.queue));
    theirs = std::min(theirs, best_seconds(1, [&] {
                        for (int i = 0; i < kLaunches; ++i)
                          (void)b.api.launch(raw.function, 1, 1, 1, 32, 1, 1, 0, b.stream, pointers, nullptr);
                      }));
    need(b.api.stream_synchronize(b.stream));
  }
  // In turn, and often: a single run is as short as a disturbance of the machine.
  std::vector<double> our_waits, their_waits;
  constexpr int kWaits = 5000;
  for (int round = 0; round < kWaits; ++round) {
    our_waits.push_back(best_seconds(1, [&] {
      need(b.device->launch(*b.queue, *kernel, launch));
      need(b.device->synchronize(*b.queue));
    }));
    their_waits.push_back(best_seconds(1, [&] {
      need(b.api.launch(raw.function, 1, 1, 1, 32, 1, 1, 0, b.stream, pointers, nullptr));
      need(b.api.stream_synchronize(b.stream));
    }));
  }
  const double our_wait = median(our_waits), their_wait = median(their_waits);
  base::Table table({{"launch of 4 arguments"},
                     {"ours", Align::kRight},
                     {"plain", Align::kRight},
                     {"ratio", Align::kRight}});
  table.add_row({"enqueue", format("%.0f ns", ours / kLaunches * 1e9),
                 format("%.0f ns", theirs / kLaunches * 1e9), format("%.2f", ours / theirs)});
  table.add_row({"launch and wait", format("%.2f us", our_wait * 1e6), format("%.2f us", their_wait * 1e6),
                 format("%.2f", our_wait / their_wait)});
  cuda::Context context = nullptr;
  need(b.api.context_retain(&context, 0));
  const double use = best_seconds(200, [&] {
    for (int i = 0; i < kLaunches; ++i) (void)b.api.context_use(context);
  });
  table.add_row(
      {"making the context current, in each of our calls", format("%.0f ns", use / kLaunches * 1e9), "", ""});
  driver::Command command;
  command.kernel = kernel.get();
  command.launch = launch;
  const auto [our_node, their_node] = graph_seconds(b, command, [&] {
    need(b.api.launch(raw.function, 1, 1, 1, 32, 1, 1, 0, b.stream, pointers, nullptr));
  });
  table.add_row({"node of a graph", format("%.0f ns", our_node * 1e9), format("%.0f ns", their_node * 1e9),
                 format("%.2f", our_node / their_node)});
  std::printf("%s\n", table.to_string().c_str());
  need(b.api.module_unload(raw.module));
}

// ---- copies
// ------------------------------------------------------------------------------------------------

// The last column adds a wait after the direct call, which may return before an upload has completed.
void add_copy(Bench& b, base::Table& table, const std::string& what, size_t bytes,
              const std::function<void()>& our_copy, const std::function<int32_t()>& plain_copy) {
  const int rounds = bytes > (16 << 20) ? 7 : 50;
  const double ours = best_seconds(rounds, our_copy);
  const double plain = best_seconds(rounds, [&] { need(plain_copy()); });
  const double complete = best_seconds(rounds, [&] {
    need(plain_copy());
    need(b.api.stream_synchronize(nullptr));
  });
  const auto rate = [&](double s) { return format("%.2f GB/s", static_cast<double>(bytes) / s * 1e-9); };
  table.add_row({what, base::format_bytes(bytes), rate(ours), rate(plain), format("%.1f us", ours * 1e6),
                 format("%.1f us", plain * 1e6), format("%.2f x", plain / ours),
                 format("%.2f x", complete / ours)});
}

void bench_copies(Bench& b) {
  base::Table table({{"copy"},
                     {"bytes", Align::kRight},
                     {"ours", Align::kRight},
                     {"plain", Align::kRight},
                     {"ours", Align::kRight},
                     {"plain", Align::kRight},
                     {"faster", Align::kRight},
                     {"than complete", Align::kRight}});
  for (const size_t bytes : {size_t{4}, size_t{64} << 10, size_t{256} << 10, size_t{1} << 20, size_t{4} << 20,
                             size_t{16} << 20, size_t{64} << 20, size_t{256} << 20, size_t{1} << 30}) {
    const auto memory = need(b.device->allocate(bytes, driver::MemoryKind::device));
    const auto pinned = need(b.device->allocate(bytes, driver::MemoryKind::pinned));
    std::vector<uint8_t> from(bytes), to(bytes);
    for (size_t i = 0; i < bytes; ++i) from[i] = static_cast<uint8_t>(i * 31 + i / 4099);
    std::memcpy(pinned->host, from.data(), bytes);
    const driver::Place place{memory.get(), 0};
    const auto add = [&](const std::string& kind, void* source, void* target) {
      const auto up = [&] {
        need(b.device->upload(*b.queue, place, source, bytes));
        need(b.device->synchronize(*b.queue));
      };
      const auto down = [&] {
        need(b.device->download(*b.queue, target, place, bytes));
        need(b.device->synchronize(*b.queue));
      };
      add_copy(b, table, "upload" + kind, bytes, up,
               [&] { return b.upload(memory->address, source, bytes); });
      need(b.device->fill(*b.queue, place, 0, 1, bytes));
      up();
      std::memset(target, 0, bytes);
      down();
      if (std::memcmp(target, from.data(), bytes) != 0)
        stop("the downloaded data differs from the uploaded data");
      add_copy(b, table, "download" + kind, bytes, down,
               [&] { return b.download(target, memory->address, bytes); });
    };
    add("", from.data(), to.data());
    add(", pinned", pinned->host, pinned->host);
  }
  std::printf("%s\n", table.to_string().c_str());
}

// ---- generated code
// ----------------------------------------------------------------------------------------

struct Spec {
  const char* name;
  driver::Dim3 grid, block;
  const char* arguments;  // n: size, f: 1.5, a b c: buffers
  int size;
  double bytes;  // minimum traffic, for a rate; 0: not memory-bound
  bool is_integer = false;
};

constexpr int kCount = 1 << 26;

struct Buffers {
  std::unique_ptr<driver::Buffer> a, b, c, before;  // `before`: the initial content of c
};

class Comparison {
 public:
  Comparison(Bench& b, Buffers& buffers) : b_(b), buffers_(buffers) {}

  void run(const Spec& spec, base::Table& table) {
    const driver::Code code = emit(spec.name);
    const std::string& entry = code.kernels.front().entry;
    const auto ours = need(b_.compiler->compile("ours.cu", code.bytes, b_.architecture, {"--fmad=false"}));
    const std::string fused = emit(spec.name, driver::Math::fused).bytes;
    const auto contracted = need(b_.compiler->compile("ours.cu", fused, b_.architecture, {"--fmad=true"}));
    const auto plain = need(b_.compiler->compile("plain.cu", bench::kKernels, b_.architecture, {}));
    const auto exact =
        need(b_.compiler->compile("plain.cu", bench::kKernels, b_.architecture, {"--fmad=false"}));
    const double t_ours = time(spec, entry, ours, our_),
                 t_contracted = time(spec, entry, contracted, contracted_);
    const double t_plain = time(spec, spec.name, plain, plain_),
                 t_exact = time(spec, spec.name, exact, exact_);
    const auto rate = spec.bytes == 0 ? "" : format("%.0f GB/s", spec.bytes / t_ours * 1e-9);
    table.add_row({spec.name, format("%.1f us", t_ours * 1e6), format("%.1f us", t_contracted * 1e6),
                   format("%.1f us", t_plain * 1e6), format("%.1f us", t_exact * 1e6),
                   format("%.3f", t_ours / t_plain), format("%.3f", t_contracted / t_plain),
                   format("%.3f", t_ours / t_exact), rate, compare(spec, our_, exact_),
                   compare(spec, contracted_, plain_)});
    fused_.push_back(t_contracted / t_plain);
    exact_ratios_.push_back(t_ours / t_exact);
  }

  std::string summary() const {
    return "with the same freedom as the original: fused " + mean(fused_) + "; exact " + mean(exact_ratios_);
  }

 private:
  // The result of one launch from the same initial data, then the mean time of many.
  double time(const Spec& spec, const std::string& entry, const cuda::Compiler::Output& output,
              std::vector<uint32_t>& result) {
    const RawKernel raw = load_raw(b_, output, entry);
    int n = spec.size;
    float f = 1.5f;
    std::vector<void*> pointers;
    for (const char* p = spec.arguments; *p != '\0'; ++p) {
      switch (*p) {
        case 'n': pointers.push_back(&n); break;
        case 'f': pointers.push_back(&f); break;
        case 'a': pointers.push_back(&buffers_.a->address); break;
        case 'b': pointers.push_back(&buffers_.b->address); break;
        default: pointers.push_back(&buffers_.c->address); break;
      }
    }
    const auto launch = [&] {
      need(b_.api.launch(raw.function, spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y,
                         spec.block.z, 0, b_.stream, pointers.data(), nullptr));
    };
    need(b_.api.copy(buffers_.c->address, buffers_.before->address, size_t{kCount} * 4, b_.stream));
    launch();
    need(b_.api.stream_synchronize(b_.stream));
    result.resize(1 << 22);
    need(b_.download(result.data(), buffers_.c->address, result.size() * 4));
    cuda::EventId start = nullptr, end = nullptr;
    need(b_.api.event_create(&start, 0));
    need(b_.api.event_create(&end, 0));
    float best = 1e30f;
    constexpr int kRounds = 7, kLaunches = 20;
    for (int r = 0; r < kRounds; ++r) {
      need(b_.api.event_record(start, b_.stream));
      for (int i = 0; i < kLaunches; ++i) launch();
      need(b_.api.event_record(end, b_.stream));
      need(b_.api.event_synchronize(end));
      float ms = 0;
      need(b_.api.event_elapsed(&ms, start, end));
      best = std::min(best, ms / kLaunches);
    }
    need(b_.api.event_destroy(start));
    need(b_.api.event_destroy(end));
    need(b_.api.module_unload(raw.module));
    return static_cast<double>(best) * 1e-3;
  }

  static std::string compare(const Spec& spec, const std::vector<uint32_t>& got,
                             const std::vector<uint32_t>& wanted) {
    double worst = 0;
    size_t other = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      if (got[i] == wanted[i]) continue;
      ++other;
      float x = 0, y = 0;
      std::memcpy(&x, &got[i], 4);
      std::memcpy(&y, &wanted[i], 4);
      worst = std::max(worst, static_cast<double>(std::fabs(x - y) / std::max(1e-6f, std::fabs(y))));
    }
    if (other == 0) return "same bits";
    return spec.is_integer ? format("WRONG: %zu differ", other)
                           : format("%zu differ, at most %.1e", other, worst);
  }

  static std::string mean(const std::vector<double>& ratios) {
    double sum = 0;
    for (const double r : ratios) sum += std::log(r);
    return format("%.3f in the geometric mean of %zu, at most %.3f",
                  std::exp(sum / static_cast<double>(ratios.size())), ratios.size(),
                  *std::max_element(ratios.begin(), ratios.end()));
  }

  Bench& b_;
  Buffers& buffers_;
  std::vector<double> fused_, exact_ratios_;
  std::vector<uint32_t> our_, contracted_, plain_, exact_;
};

void bench_code(Bench& b) {
  constexpr uint32_t kBlocks = kCount / 256;
  constexpr double kBytes = 4.0 * kCount;
  const Spec specs[] = {
      {"copy", {kBlocks, 1, 1}, {256, 1, 1}, "nac", kCount, 2 * kBytes},
      {"scale", {kBlocks, 1, 1}, {256, 1, 1}, "nfac", kCount, 2 * kBytes},
      {"add", {kBlocks, 1, 1}, {256, 1, 1}, "nabc", kCount, 3 * kBytes},
      {"triad", {kBlocks, 1, 1}, {256, 1, 1}, "nfabc", kCount, 3 * kBytes},
      {"saxpy_stride", {1056, 1, 1}, {256, 1, 1}, "nfac", kCount, 3 * kBytes},
      {"reduce", {1056, 1, 1}, {256, 1, 1}, "nac", kCount, kBytes},
      {"warp_sums", {kBlocks, 1, 1}, {256, 1, 1}, "nac", kCount, kBytes * 33 / 32},
      {"transpose", {256, 256, 1}, {32, 8, 1}, "nac", 8192, 2 * kBytes},
      {"matmul", {128, 128, 1}, {16, 16, 1}, "nabc", 2048, 0},
      {"stencil", {256, 1024, 1}, {32, 8, 1}, "nac", 8192, 2 * kBytes},
      {"nbody", {128, 1, 1}, {256, 1, 1}, "nac", 32768, 0},
      {"mandelbrot", {16, 4096, 1}, {256, 1, 1}, "nc", 4096, 0, true},
      {"histogram", {1056, 1, 1}, {256, 1, 1}, "nac", kCount, kBytes, true},
      {"black_scholes", {kBlocks, 1, 1}, {256, 1, 1}, "nabc", kCount, 3 * kBytes},
      {"integers", {kBlocks, 1, 1}, {256, 1, 1}, "nac", kCount, 0, true},
      {"copy4", {kBlocks / 4, 1, 1}, {256, 1, 1}, "nac", kCount / 4, 2 * kBytes},
      {"triad_double", {kBlocks / 2, 1, 1}, {256, 1, 1}, "nfabc", kCount / 2, 3 * kBytes},
      {"gather", {kBlocks / 4, 1, 1}, {256, 1, 1}, "nabc", kCount / 4, 0},
      {"reverse", {kBlocks, 1, 1}, {256, 1, 1}, "nac", kCount, 2 * kBytes},
      {"dot", {1056, 1, 1}, {256, 1, 1}, "nabc", kCount, 2 * kBytes},
      {"block_scan", {kBlocks, 1, 1}, {256, 1, 1}, "nac", kCount, 2 * kBytes},
      {"sort_step", {kBlocks / 2, 1, 1}, {256, 1, 1}, "nac", kCount, 0},
      {"softmax", {8192, 1, 1}, {256, 1, 1}, "nac", 8192, 0},
      {"layer_norm", {8192, 1, 1}, {256, 1, 1}, "nabc", 1024, 2 * kBytes},
      {"gelu", {kBlocks, 1, 1}, {256, 1, 1}, "nac", kCount, 2 * kBytes},
      {"attention_step", {512, 1, 1}, {256, 1, 1}, "nabc", 8192, 0},
      {"matmul_naive", {128, 128, 1}, {16, 16, 1}, "nabc", 2048, 0},
      {"matmul_registers", {32, 32, 1}, {16, 16, 1}, "nabc", 2048, 0},
      {"matvec", {1024, 1, 1}, {256, 1, 1}, "nabc", 8192, kBytes},
      {"stencil3d", {13, 50, 1}, {32, 8, 1}, "nac", 400, 8.0 * 400 * 400 * 400},
      {"sobel", {256, 1024, 1}, {32, 8, 1}, "nac", 8192, 2 * kBytes},
      {"grey", {kBlocks, 1, 1}, {256, 1, 1}, "nac", kCount, kBytes * 5 / 4, true},
      {"butterfly", {kBlocks / 4, 1, 1}, {256, 1, 1}, "nac", kCount / 2, 2 * kBytes},
      {"nearest", {kBlocks / 4, 1, 1}, {256, 1, 1}, "nabc", kCount / 4, 0, true},
      {"random_walk", {kBlocks / 4, 1, 1}, {256, 1, 1}, "nfc", kCount / 4, 0},
  };
  Buffers buffers;
  std::vector<float> values(kCount);
  uint32_t state = 1;
  const auto make = [&](bool zero) {
    for (float& v : values) {
      state = state * 1664525u + 1013904223u;
      v = zero ? 0.0f : static_cast<float>(state >> 8) * 0x1p-24f;
    }
    auto buffer = need(b.device->allocate(size_t{kCount} * 4, driver::MemoryKind::device));
    need(b.device->upload(*b.queue, {buffer.get(), 0}, values.data(), size_t{kCount} * 4));
    need(b.device->synchronize(*b.queue));
    return buffer;
  };
  buffers.a = make(false);
  buffers.b = make(false);
  buffers.c = make(true);
  buffers.before = make(true);
  base::Table table({{"kernel"},
                     {"ours", Align::kRight},
                     {"ours+fmad", Align::kRight},
                     {"plain", Align::kRight},
                     {"plain-fmad", Align::kRight},
                     {"ours/plain", Align::kRight},
                     {"ours+fmad/plain", Align::kRight},
                     {"ours/plain-fmad", Align::kRight},
                     {"rate", Align::kRight},
                     {"ours, plain-fmad"},
                     {"ours+fmad, plain"}});
  Comparison comparison(b, buffers);
  for (const Spec& s : specs) comparison.run(s, table);
  std::printf("%s%s\n", table.to_string().c_str(), comparison.summary().c_str());
}

// ---- matrix units
// ------------------------------------------------------------------------------------------

// The folder of the toolkit's headers; empty: not installed.
std::string find_headers() {
  namespace fs = std::filesystem;
  std::vector<std::string> places;
  if (const char* own = std::getenv("QUERN_CUDA_INCLUDE")) places.emplace_back(own);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().starts_with("cuda")) places.push_back(entry.path() / "include");
  }
  for (const std::string& place : places) {
    if (fs::exists(place + "/mma.h")) return place;
  }
  return {};
}

// Small multiples of a quarter: every product and sum is exact, so results do not depend on the order.
float small_number(size_t i) { return static_cast<float>((i * 2654435761u >> 13) % 17) * 0.25f - 2.0f; }
uint16_t as_half(float v) {
  if (v == 0) return 0;
  int exponent = 0;
  const float m = std::frexp(std::fabs(v), &exponent);
  const auto bits = static_cast<uint32_t>((m * 2 - 1) * 1024) | static_cast<uint32_t>(exponent + 14) << 10;
  return static_cast<uint16_t>(bits | (v < 0 ? 0x8000u : 0u));
}

class MatrixBench {
 public:
  MatrixBench(Bench& b, int size)
      : b_(b), size_(size), count_(static_cast<size_t>(size) * static_cast<size_t>(size)) {
    std::vector<uint16_t> values(count_);
    for (size_t i = 0; i < count_; ++i) values[i] = as_half(small_number(i));
    for (auto* m : {&left_, &right_}) {
      *m = need(b_.device->allocate(count_ * 2, driver::MemoryKind::device));
      need(b_.device->upload(*b_.queue, {m->get(), 0}, values.data(), count_ * 2));
    }
    product_ = need(b_.device->allocate(count_ * 4, driver::MemoryKind::device));
    need(b_.device->synchronize(*b_.queue));
  }

  void run(base::Table& table, const std::string& what, const cuda::Compiler::Output& output,
           const std::string& entry) {
    const RawKernel raw = load_raw(b_, output, entry);
    int n = size_;
    void* pointers[] = {&n, &left_->address, &right_->address, &product_->address};
    const auto tiles = static_cast<uint32_t>(size_ / 128);
    const auto launch = [&] {
      need(b_.api.launch(raw.function, tiles, tiles, 1, 256, 1, 1, 0, b_.stream, pointers, nullptr));
    };
    need(b_.device->fill(*b_.queue, {product_.get(), 0}, 0, 4, count_ * 4));
    need(b_.device->synchronize(*b_.queue));
    const double seconds = best_seconds(10, [&] {
      launch();
      need(b_.api.stream_synchronize(b_.stream));
    });
    const double work = 2.0 * size_ * size_ * size_;
    table.add_row({what, std::to_string(size_), format("%.1f us", seconds * 1e6),
                   format("%.1f TFLOP/s", work / seconds * 1e-12), check()});
    need(b_.api.module_unload(raw.module));
  }

 private:
  std::string check() {
    std::vector<float> got(count_);
    need(b_.download(got.data(), product_->address, count_ * 4));
    const auto n = static_cast<size_t>(size_);
    size_t wrong = 0;
    constexpr size_t kLooked = 4096;
    for (size_t s = 0; s < kLooked; ++s) {
      const size_t i = s * 7919 % n, j = s * 104729 % n;
      float sum = 0;
      for (size_t k = 0; k < n; ++k) sum += small_number(i * n + k) * small_number(k * n + j);
      wrong += got[i * n + j] != sum ? 1 : 0;
    }
    return wrong == 0 ? format("correct in %zu elements", kLooked) : format("WRONG in %zu places", wrong);
  }

  Bench& b_;
  int size_;
  size_t count_;
  std::unique_ptr<driver::Buffer> left_, right_, product_;
};

void bench_matrices(Bench& b) {
  target::Options o;
  o.kind = driver::CodeKind::kCudaCpp;
  o.features = target::every_feature();
  o.version = format("sm_%d", b.architecture);
  o.matrices = driver::matrices_of_sm(b.architecture);
  const driver::Code text = emit(bench::kMatrixKernels, "gemm_half", o);
  o.kind = driver::CodeKind::kPtx;
  const driver::Code ptx = emit(bench::kMatrixKernels, "gemm_half", o);
  o.kind = driver::CodeKind::kCudaCpp;
  o.matrices.clear();
  const driver::Code loops = emit(bench::kMatrixKernels, "gemm_half", o);
  const auto compile = [&](const driver::Code& code) {
    return need(b.compiler->compile("ours.cu", code.bytes, b.architecture, {"--fmad=false"}));
  };
  base::Table table({{"half matrices, wmma"},
                     {"size", Align::kRight},
                     {"time", Align::kRight},
                     {"rate", Align::kRight},
                     {"result"}});
  const std::string headers = find_headers();
  for (const int size : {1024, 2048, 4096, 8192}) {
    MatrixBench matrices(b, size);
    matrices.run(table, "ours, CUDA text", compile(text), text.kernels.front().entry);
    matrices.run(table, "ours, PTX", {ptx.bytes, ptx.bytes, true}, ptx.kernels.front().entry);
    if (size <= 2048)
      matrices.run(table, "ours, without the units", compile(loops), loops.kernels.front().entry);
    if (headers.empty()) continue;
    matrices.run(table, "plain, with mma.h",
                 need(b.compiler->compile("plain.cu", bench::kMatrixKernels, b.architecture,
                                          {"--include-path=" + headers})),
                 "gemm_half");
  }
  std::printf(
      "\n%s%s", table.to_string().c_str(),
      headers.empty() ? "there is no mma.h of the toolkit (QUERN_CUDA_INCLUDE names its folder)\n" : "");
}

}  // namespace

int main(int argc, char** argv) {
  Bench bench;
  quern::bench::ThrottleNote throttling(bench.device->info());
  if (argc > 1 && std::string(argv[1]) == "copies") {
    bench_copies(bench);
    throttling.print();
    return 0;
  }
  if (argc > 1 && std::string(argv[1]) == "matrices") {
    bench_matrices(bench);
    throttling.print();
    return 0;
  }
  bench_launches(bench);
  bench_copies(bench);
  bench_code(bench);
  bench_matrices(bench);
  throttling.print();
  return 0;
}
