// Cold start: a process opens a CUDA device, compiles a kernel of a hundred lines, runs it and gets its
// result. Each variant is a separate process, run several times; the best counts: direct calls of CUDA's
// driver interface and NVRTC, Quern with NVRTC, and both with precompiled code.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "base/shared_library.hpp"
#include "base/store.hpp"
#include "base/text.hpp"
#include "driver/cuda/compiler.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace): a program
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;
constexpr uint32_t kCount = 1 << 16;

// A hundred lines that no compiler folds away.
std::string kernel_text() {
  std::string text =
      "__global__ void work(int n, float* x) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n  float v = x[i];\n";
  for (int line = 0; line < 94; ++line) {
    text += line % 3 == 0 ? base::format("  v = v * %d.5f + sqrtf(fabsf(v) + %d.0f);\n", line % 7, line)
            : line % 3 == 1
                ? base::format("  if (v > %d.0f) v -= %d.25f * floorf(v * 0.125f);\n", line, line % 5)
                : base::format("  v += (i %% %d) * 0.03125f;\n", line + 3);
  }
  return text + "  x[i] = v;\n}\n";
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "bench_start: %s\n", why.c_str());
  std::exit(2);
}
void need(int32_t code, const char* what) {
  if (code != 0) stop(std::string(what) + " failed with " + std::to_string(code));
}

// Prints how long each part took.
class Parts {
 public:
  void end(const char* name) {
    const auto now = Clock::now();
    std::printf("%s=%.6f\n", name, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  Clock::time_point last_ = Clock::now();
};

void print(const std::vector<float>& values) {
  std::printf("result %.6g %.6g\n", double{values.front()}, double{values.back()});
  std::fflush(stdout);
}

// Uses a cubin in `path` if it is not empty: the file is read, or written if it does not exist.
void plain(const std::string& path) {
  Parts parts;
  auto api = cuda::load_api(cuda::cuda_vendor());
  if (!api.ok()) stop(api.error().message());
  parts.end("library");
  need(api->init(0), "cuInit");
  parts.end("cuInit");
  cuda::DeviceId device = 0;
  cuda::Context context = nullptr;
  int version = 0;
  need(api->device_get(&device, 0), "cuDeviceGet");
  need(api->driver_version(&version), "cuDriverGetVersion");
  need(api->context_retain(&context, device), "cuDevicePrimaryCtxRetain");
  need(api->context_use(context), "cuCtxSetCurrent");
  parts.end("context");
  std::string code;
  if (auto kept = base::read_file(path); kept.ok()) {
    code = *kept;
  } else {
    auto compiler = cuda::Compiler::find(cuda::cuda_vendor(), version);
    if (!compiler.ok()) stop(compiler.error().message());
    int major = 0, minor = 0;
    need(api->device_attribute(&major, 75, device), "cuDeviceGetAttribute");
    need(api->device_attribute(&minor, 76, device), "cuDeviceGetAttribute");
    auto made = (*compiler)->compile("work.cu", "extern \"C\" " + kernel_text(), major * 10 + minor,
                                     {"--std=c++17", "--fmad=false"}, false);
    if (!made.ok()) stop(made.error().message());
    code = made->code;
    if (!path.empty()) (void)base::write_file(path, code);
  }
  parts.end("compile");
  cuda::ModuleId module = nullptr;
  cuda::FunctionId function = nullptr;
  need(api->module_load(&module, code.c_str(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
  need(api->module_function(&function, module, "work"), "cuModuleGetFunction");
  parts.end("module");
  cuda::StreamId stream = nullptr;
  cuda::Address memory = 0;
  std::vector<float> values(kCount, 1.5f);
  need(api->stream_create(&stream, cuda::kStreamNonBlocking, 0), "cuStreamCreate");
  need(api->allocate(&memory, kCount * 4), "cuMemAlloc");
  need(api->upload(memory, values.data(), kCount * 4, stream), "cuMemcpyHtoDAsync");
  int n = kCount;
  void* arguments[] = {&n, &memory};
  need(api->launch(function, kCount / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr), "cuLaunchKernel");
  need(api->download(values.data(), memory, kCount * 4, stream), "cuMemcpyDtoHAsync");
  need(api->stream_synchronize(stream), "cuStreamSynchronize");
  parts.end("launch");
  print(values);
}

void ours(Parts& parts) {
  const Device gpu = open("cuda");
  parts.end("open");
  const Module module = gpu.compile(kernel_text());
  const Kernel kernel = module.kernel("work");
  parts.end("compile");
  auto memory = gpu.upload(std::vector<float>(kCount, 1.5f));
  gpu.launch(kernel, grid(kCount / 256, 256), int{kCount}, memory);
  const std::vector<float> values = memory.download();
  parts.end("launch");
  print(values);
}

using Times = std::map<std::string, double>;

struct Way {
  const char* name;
  std::string command;
  std::string forgets;  // a cache that is emptied before each process
  Times best = {};      // by part; "printed": since the start; "total": including the process exit
  std::string result = {};
};

void run_once(Way& way) {
  // The driver cleans up after the last process in the background; a process that starts soon shares some of
  // that state.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  if (!way.forgets.empty()) (void)base::Store(way.forgets).clear();
  Times own;
  const auto start = Clock::now();
  FILE* const pipe = popen(way.command.c_str(), "r");
  if (pipe == nullptr) stop("starting a process failed");
  char line[256];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    const std::string text(base::trim(line));
    const size_t equals = text.find('=');
    if (equals != std::string::npos) own[text.substr(0, equals)] = std::atof(text.c_str() + equals + 1);
    if (!text.starts_with("result")) continue;
    own["printed"] = std::chrono::duration<double>(Clock::now() - start).count();
    if (!way.result.empty() && way.result != text) stop("results differ: " + way.result + " and " + text);
    way.result = text;
  }
  if (pclose(pipe) != 0) stop("'" + way.command + "' failed");
  if (way.result.empty()) stop("'" + way.command + "' has no result");
  own["total"] = std::chrono::duration<double>(Clock::now() - start).count();
  for (const auto& [name, seconds] : own) {
    const auto known = way.best.find(name);
    way.best[name] = known == way.best.end() ? seconds : std::min(known->second, seconds);
  }
}

void show(const Way& way) {
  std::printf("%-34s", way.name);
  for (const char* part :
       {"library", "cuInit", "context", "open", "compile", "module", "launch", "printed", "close", "total"}) {
    const auto found = way.best.find(part);
    if (found != way.best.end()) std::printf("  %s %.1f ms", part, found->second * 1e3);
  }
  std::printf("\n");
}

// The four variants alternate: other work on the machine affects all of them.
int compare(const std::string& self) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "quern_bench_start";
  const std::string kept = folder / "kept", forgotten = folder / "forgotten";
  fs::create_directories(kept);
  const auto with = [&](const std::string& cache) { return "QUERN_CACHE='" + cache + "' " + self; };
  Way ways[] = {{"plain calls, NVRTC", self + " plain", ""},
                {"Quern, NVRTC", with(forgotten) + " ours", forgotten},
                {"plain calls, cubin from a file", self + " plain " + kept + "/plain.cubin", ""},
                {"Quern, from its cache", with(kept) + " ours", ""}};
  for (int round = -1; round < kRounds; ++round) {
    for (Way& way : ways) run_once(way);
    if (round >= 0) continue;
    for (Way& way : ways)
      way.best.clear();  // the first start tries the driver in a child process, and fills the cache
  }
  for (const Way& way : ways) show(way);
  std::printf("Quern: %.1f ms with NVRTC, %.1f ms from the cache\n",
              (ways[1].best.at("total") - ways[0].best.at("total")) * 1e3,
              (ways[3].best.at("total") - ways[2].best.at("total")) * 1e3);
  fs::remove_all(folder);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    if (mode == "plain") {
      plain(argc > 2 ? argv[2] : "");
    } else if (mode == "ours") {
      Parts parts;
      ours(parts);
      parts.end("close");
    } else {
      const auto here = cuda::load_api(cuda::cuda_vendor());
      if (!here.ok()) {
        std::printf("cold start is not measured: %s\n", here.error().message().c_str());
        return 0;
      }
      return compare(argv[0]);
    }
  } catch (const Error& error) {
    stop(error.what());
  }
  return 0;
}
