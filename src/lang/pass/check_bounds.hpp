// Check mode for devices without bounds checks: rewrites a kernel so that accesses outside of a buffer,
// variable or array, and failed asserts, are reported to the host instead of performed. The target only needs
// 32-bit atomics. Findings are written to a small buffer, which is the kernel's last parameter; the sizes of
// the buffers of its pointer parameters come before it.
#pragma once

#include <string>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// The words of that buffer: the number of failures; then, for the first one, the distance in bytes and the
// extent (two words each), thread and block (three each), and the number of the site.
inline constexpr uint32_t kCheckWords = 12;

struct CheckSite {
  std::string kernel;
  std::string file;
  uint32_t line = 0, column = 0;
  bool is_assert = false;
  std::string name;      // of the object; of an assert: its condition
  uint64_t element = 0;  // bytes of an element of the object
};

// A kernel with added parameters: the sizes of the objects that these parameters point to (u64), then the
// buffer.
struct CheckedKernel {
  std::string name;
  std::vector<uint32_t> extents;
};

struct Checks {
  std::vector<CheckSite> sites;
  std::vector<CheckedKernel> kernels;
};

struct CheckOptions {
  uint32_t first_site = 0;      // its index
  bool dynamic_shared = false;  // kernels can query the size
};

// The module must be prepared. Accesses through pointers that may point into several objects, or that are
// loaded from memory, stay unchecked.
Checks check_bounds(ir::Module& module, const CheckOptions& options);

}  // namespace quern::pass
