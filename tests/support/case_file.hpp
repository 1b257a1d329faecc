// Kernels with their inputs and expected results in one file, read by tests on every device. Lines above a
// kernel have the form
//   //! run squares(i32[4], 3) block 4            arguments as for `quern run`; also grid X,Y,Z,
//                                                 shared BYTES, seed N, spec ID=VALUE (SPIR-V)
//   //! out = 0 1 4 9                             a parameter's whole contents; `7*3` means 7 7 7
//   //! out[1:3] = 1 4                            a part of it
//   //! out ~1e-6 = 0.5                           within a relative error
//   //! prints hello\n                            the output of printf
//   //! report race @                             a finding of the simulator in the next line that
//                                                 ends with `//@` (`@2`: `//@2`); no others may occur
//   //! texture NAME = texture(f32[4,4]=iota)     the texture of a texture reference
//   //! check overflow                            enables that check too
// A case ends at the next `//! run`. Files of invalid programs are divided by lines `//---`; each part is
// followed by all diagnostics that it must give: `//! 3:7: the message`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::test {

struct Expectation {
  std::string name;
  bool has_range = false;
  uint64_t first = 0, last = 0;
  double tolerance = 0;  // 0: equal as printed
  std::vector<std::string> values;
  uint32_t line = 0;
};

struct ExpectedReport {
  std::string kind;
  uint32_t line = 0;
};

struct Case {
  std::string file;   // path
  uint32_t line = 0;  // of its `//! run`
  std::string kernel;
  std::vector<std::string> arguments;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint64_t shared = 0;
  uint64_t seed = 0;
  std::map<std::string, std::string> textures;  // of texture references, by name
  std::string checks;
  std::vector<std::string> specs;  // "3=128": specialization constants
  std::vector<Expectation> expected;
  std::vector<ExpectedReport> reports;
  std::string prints;
  bool expects_print = false;
};

struct WrongProgram {
  std::string file;
  uint32_t line = 0;  // of its first line
  std::string text;
  std::vector<std::string> diagnostics;  // "3:7: the message"
};

// All cases of a folder's files of one kind, in order. A file that cannot be parsed is an error.
base::Result<std::vector<Case>> read_cases(const std::string& folder, std::string_view extension = ".cu");
base::Result<std::vector<WrongProgram>> read_wrong_programs(const std::string& folder);

// A name for test listings: "pointers_swap_2".
std::string test_name(const std::string& file, const std::string& kernel, uint32_t line);

}  // namespace quern::test
