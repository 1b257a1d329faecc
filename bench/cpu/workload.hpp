// A kernel with its data, and the same work by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "quern/launch.hpp"

namespace quern::bench {

// 32-bit numbers, as stored in memory.
struct Array {
  std::vector<uint32_t> words;
  bool is_float = true;
  bool is_result = false;      // compared
  uint32_t element_words = 1;  // 4: float4
};

// The arguments of a kernel, in the order of its parameters.
struct Given {
  enum class Kind : uint8_t { kInteger, kReal, kArray } kind = Kind::kInteger;
  int integer = 0;
  float real = 0;
  size_t array = 0;
  Given(int v) : integer(v) {}
  Given(float v) : kind(Kind::kReal), real(v) {}
  static Given place(size_t index) {
    Given g(0);
    g.kind = Kind::kArray;
    g.array = index;
    return g;
  }
};

struct Workload {
  std::string name;  // also the kernel's
  std::string about;
  Dim3 grid, block;
  std::vector<Array> arrays;
  std::vector<Given> arguments;
  // Bytes that memory and caches move for the loop, if they are the bottleneck: a line that is only written
  // is read first. Kernels with non-temporal stores move less, and exceed the rate of a copy loop.
  double bytes = 0;
  double flops = 0;
  double tolerance = 1e-5;
  std::function<void(std::vector<Array>&)> loop;
  // An alternative to compare with, on all threads.
  struct Beside {
    std::string what{};
    std::function<void(std::vector<Array>&)> run{};
  } beside{};
};

std::vector<Workload> workloads(int stream_floats);

}  // namespace quern::bench
