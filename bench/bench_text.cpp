// Speed of the lexer: start-up with an empty file, and 10,000 lines of kernel code of several kinds.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "lang/text/preprocessor.hpp"

namespace {

using namespace quern::lang;  // NOLINT(google-build-using-namespace)

struct Result {
  double best_us = 1e30;
  size_t tokens = 0;
  size_t errors = 0;
};

Result measure(const std::string& text, int rounds) {
  Result result;
  for (int i = 0; i < rounds; ++i) {
    const std::clock_t start =
        std::clock();  // CPU time of this process: other work on the machine does not count
    SourceMap sources;
    IdentTable idents;
    Diagnostics diagnostics(sources);
    const auto file = sources.add("bench.cu", text);
    const Preprocessed done = preprocess(sources, file, idents, diagnostics, {});
    const double took_us = static_cast<double>(std::clock() - start) * 1e6 / CLOCKS_PER_SEC;
    result.best_us = std::min(result.best_us, took_us);
    result.tokens = done.tokens.size();
    result.errors = diagnostics.error_count();
  }
  return result;
}

std::string repeat(int lines, const std::string& block, int block_lines) {
  std::string text;
  for (int i = 0; i < lines; i += block_lines) {
    std::string copy = block;
    for (size_t at = copy.find('@'); at != std::string::npos; at = copy.find('@')) {
      copy.replace(at, 1, std::to_string(i));
    }
    text += copy;
  }
  return text;
}

void report(const char* what, const std::string& text, int rounds) {
  const Result r = measure(text, rounds);
  std::printf("%-28s %8zu bytes %8zu tokens %10.1f us %8.0f MB/s %6zu errors\n", what, text.size(), r.tokens,
              r.best_us, static_cast<double>(text.size()) / r.best_us, r.errors);
}

}  // namespace

int main() {
  report("empty file", "", 200);
  report("kernels, 10,000 lines",
         repeat(10000,
                "// One step of the solver, over all cells of the block.\n"
                "__global__ void step@(const float* __restrict__ in, float* out, int n) {\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i >= n) return;\n"
                "  float sum = 0.0f;\n"
                "  for (int k = 0; k < 16; ++k) {\n"
                "    sum += in[(i + k * 37) % n] * 0.125f;  /* weight */\n"
                "  }\n"
                "  out[i] = sum > 1e-6f ? sqrtf(sum) : -sum;\n"
                "}\n",
                10),
         20);
  report("macros, 10,000 lines",
         "#define IDX(x, y) ((y) * WIDTH + (x))\n#define WIDTH 1024\n#define SQ(x) ((x) * (x))\n"
         "#define CHECK(call) do { if ((call) != 0) fail(#call, __LINE__); } while (0)\n" +
             repeat(10000,
                    "#if WIDTH > @\n"
                    "  a[IDX(i + 1, j)] = SQ(b[IDX(i, j)]) + SQ(c[IDX(SQ(i), j - 1)]);\n"
                    "#else\n"
                    "  CHECK(cudaMemcpy(a, b, WIDTH * sizeof(float), kind));\n"
                    "#endif\n",
                    5),
         20);
  report("skipped, 10,000 lines",
         "#if 0\n" + repeat(10000, "  it's \"prose\" that nobody reads / or lexes @\n", 1) + "#endif\n", 20);
  report("defines, 10,000 lines", repeat(10000, "#define NAME_@(a, b) ((a) << @ | (b))\n", 1), 20);
  return 0;
}
