// Cost of the front end and the IR: time from text to prepared IR, and memory relative to the size of the
// source. All generated kernels are kept (a compilation that drops one fails the run). Also the time in which
// the host's compiler reads <quern/quern.hpp>, relative to the standard headers that it includes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "lang/compile.hpp"

namespace {

constexpr const char* kBlock = R"(
struct Body@ { float x, y, z, mass; };
template <typename T, int N> __device__ T dot@(const T* a, const T* b) {
  T sum = 0;
  for (int i = 0; i < N; ++i) sum += a[i] * b[i];
  return sum;
}
__device__ float3 force@(const Body@& a, const Body@& b, float softening) {
  float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
  float inv = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
  float s = b.mass * inv * inv * inv;
  return make_float3(dx * s, dy * s, dz * s);
}
__global__ void step@(Body@* bodies, float3* speed, int n, float dt) {
  __shared__ Body@ tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Body@ mine = bodies[min(i, n - 1)];
  float3 sum = make_float3(0, 0, 0);
  for (int t = 0; t < gridDim.x; ++t) {
    tile[threadIdx.x] = bodies[min(t * 256 + (int)threadIdx.x, n - 1)];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 256; ++k) {
      float3 f = force@(mine, tile[k], 1e-4f);
      sum.x += f.x; sum.y += f.y; sum.z += f.z;
    }
    __syncthreads();
  }
  if (i < n) {
    float v[3] = {sum.x, sum.y, sum.z}, w[3] = {dt, dt, dt};
    speed[i].x += dot@<float, 3>(v, w);
    speed[i].y += sum.y * dt;
    speed[i].z += sum.z * dt;
    if (fabsf(speed[i].x) > 1e3f) speed[i].x = copysignf(1e3f, speed[i].x);
  }
}
)";

std::string program(int lines, size_t& kernels) {
  std::string text;
  const std::string block = kBlock;
  const auto block_lines = static_cast<int>(std::count(block.begin(), block.end(), '\n'));
  kernels = 0;
  for (int at = 0; at < lines; at += block_lines, ++kernels) {
    std::string copy = block;
    for (size_t p = copy.find('@'); p != std::string::npos; p = copy.find('@'))
      copy.replace(p, 1, std::to_string(kernels));
    text += copy;
  }
  return text;
}

void compile_all(const std::string& text, size_t kernels) {
  const auto c = quern::lang::compile("bench.cu", text, {});
  if (!c.ok || c.kernels.size() != kernels || c.module.functions.size() != kernels) {
    std::fputs(c.rendered.c_str(), stderr);
    std::exit(1);
  }
}

double best_ms(const std::string& text, size_t kernels, int rounds) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const std::clock_t start =
        std::clock();  // this process's CPU time: other work on the machine does not count
    compile_all(text, kernels);
    best = std::min(best, static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC);
  }
  return best;
}

// Peak resident memory of a child process that compiles, minus that of one that compiles almost nothing.
long peak_kib(const std::string& text, size_t kernels) {
  const pid_t child = fork();
  if (child == 0) {
    compile_all(text, kernels);
    std::_Exit(0);
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) < 0 || status != 0) std::exit(1);
  return used.ru_maxrss;
}

// Runs the host's compiler. Returns its CPU time in milliseconds; negative: it failed.
double compiler_ms(const std::string& arguments) {
  const char* const named = std::getenv("CXX");
  const std::string command = std::string("exec ") + (named != nullptr ? named : "c++") +
                              " -std=c++20 -I" QUERN_SOURCE_DIR "/include " + arguments;
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    std::_Exit(127);
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) < 0 || status != 0) return -1;
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) * 1e-3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

// The standard headers that the public headers in a list of dependencies include, as a program.
std::string standard_headers(const std::string& dependencies) {
  std::set<std::string> includes;
  std::istringstream paths(dependencies);
  for (std::string path; paths >> path;) {
    if (path.find("/include/quern/") == std::string::npos) continue;
    std::istringstream lines(quern::base::read_file(path).value_or(""));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#include <")) includes.insert(line);
    }
  }
  std::string program;
  for (const std::string& line : includes) program += line + "\n";
  return program;
}

void measure_headers() {
  constexpr int kTimes = 7;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("quern_bench_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string quern = folder / "quern.cpp", standard = folder / "standard.cpp", list = folder / "list";
  bool is_ready = quern::base::write_file(quern, "#include <quern/quern.hpp>\n").ok();
  is_ready = is_ready && compiler_ms("-M -o '" + list + "' '" + quern + "'") >= 0;
  is_ready =
      is_ready &&
      quern::base::write_file(standard, standard_headers(quern::base::read_file(list).value_or(""))).ok();
  if (!is_ready) {
    std::printf("headers are not measured: the host's compiler does not work\n");
    std::filesystem::remove_all(folder);
    return;
  }
  double all = 1e30, alone = 1e30;
  for (int i = 0; i < kTimes; ++i) {
    all = std::min(all, compiler_ms("-fsyntax-only '" + quern + "'"));
    alone = std::min(alone, compiler_ms("-fsyntax-only '" + standard + "'"));
  }
  std::filesystem::remove_all(folder);
  std::printf("#include <quern/quern.hpp>        %8.0f ms, %.2f times its standard headers (goal: 1.30)\n",
              all, all / alone);
}

int refuse(const std::string& what) {
  std::fprintf(stderr,
               "bench_compile: '%s' is not an option with a number\n  hint: use --lines N or --source N\n",
               what.c_str());
  return 2;
}

// `--source LINES` prints the text, `--lines LINES` measures it alone: for the same benchmark in a browser
// (tests/web/compile_bench.py).
int measure_or_print(const std::string& what, size_t lines) {
  size_t kernels = 0;
  const std::string text = program(lines, kernels);
  if (what == "--source") {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  if (what != "--lines") return refuse(what);
  std::printf("%zu lines, %zu kernels, %.3f ms\n", lines, kernels, best_ms(text, kernels, 50));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) return measure_or_print(argv[1], std::strtoul(argv[2], nullptr, 10));
  if (argc != 1) return refuse(argv[1]);
  size_t one = 0, two = 0, many = 0;
  const std::string tiny = program(1, one), small = program(100, two), large = program(10000, many);
  const long floor_kib = peak_kib(tiny, one);
  const std::clock_t start = std::clock();
  compile_all(tiny, one);
  std::printf("first compilation in a process    %8.2f ms (the library is indexed once)\n",
              static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC);
  std::printf("100 lines, %3zu kernels            %8.2f ms\n", two, best_ms(small, two, 50));
  std::printf("10,000 lines, %3zu kernels         %8.2f ms\n", many, best_ms(large, many, 5));
  const long grown = peak_kib(large, many) - floor_kib;
  std::printf("peak memory of 10,000 lines       %8.1f MiB, %.0f times the source\n",
              static_cast<double>(grown) / 1024,
              static_cast<double>(grown) * 1024 / static_cast<double>(large.size()));
  measure_headers();
}
