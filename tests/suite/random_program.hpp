// Random kernels in the kernel language with one correct result on every device: no races, no uninitialized
// reads, barriers and warp operations only in uniform control flow, floats only with operations that IEEE 754
// defines exactly. Every kernel has the same parameters, so that a runner needs no other information.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quern::test {

struct Statement {
  std::string head;                            // "if (a < b)", or a whole simple statement
  std::vector<std::vector<Statement>> blocks;  // below it
  std::vector<std::string> between;            // between the blocks: "else"
  std::string tail;                            // after the last block: "while (…);"
};

struct RandomFeatures {
  bool barriers = true, atomics = true, warps = true, pointers = true, structs = true, templates = true;
  bool doubles = true, int64 = true, narrow = true;
  bool specials = true;    // infinities and NaN
  bool long_loops = true;  // beyond 65,535 rounds
  bool calls = true;       // recursion, and calls through pointers that are chosen at run time
};

// __global__ void k(int n, const int* in_i, const float* in_f, int* out_i, float* out_f, unsigned* acc)
// with `threads` elements in each array and 16 in acc (all 0 at first).
struct RandomProgram {
  uint64_t seed = 0;
  uint32_t grid = 1, block = 32;
  std::string prelude;
  std::vector<Statement> body;

  uint32_t threads() const { return grid * block; }
  std::string text() const;
  size_t statements() const;
};

RandomProgram make_random_program(uint64_t seed, const RandomFeatures& features = {});

// Every program with one statement removed, or one replaced by its contents: the ways to shrink it.
std::vector<RandomProgram> smaller(const RandomProgram& program);

}  // namespace quern::test
