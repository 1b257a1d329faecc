// Check mode for devices that do not check by themselves: a kernel is rewritten so that accesses outside of a
// buffer, a variable or an array, and asserts that fail, are told to the host instead of done. It needs
// nothing of the target but 32-bit atomics: what is found is written to a small buffer that the kernel gets
// as its last parameter; before it come the sizes of the buffers behind its pointer parameters.
#pragma once

#include <string>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// The words of that buffer: how often something failed; of the first time the distance in bytes and the
// extent, two words each, thread and block, three each, and the number of the site.
inline constexpr uint32_t kCheckWords = 12;

struct CheckSite {
  std::string kernel;
  std::string file;
  uint32_t line = 0, column = 0;
  bool is_assert = false;
  std::string name;      // of the object; of an assert: its condition
  uint64_t element = 0;  // bytes of an element of the object
};

// A kernel that got parameters: sizes of what these of its own point to (u64), then the buffer.
struct CheckedKernel {
  std::string name;
  std::vector<uint32_t> extents;
};

struct Checks {
  std::vector<CheckSite> sites;
  std::vector<CheckedKernel> kernels;
};

struct CheckOptions {
  uint32_t first_site = 0;      // its number
  bool dynamic_shared = false;  // kernels can ask how much there is
};

// The module is prepared. Accesses through pointers that may point into several objects, or come out of
// memory, stay unchecked.
Checks check_bounds(ir::Module& module, const CheckOptions& options);

}  // namespace quern::pass
