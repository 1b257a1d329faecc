// Preloaded by tests on drivers that make code with LLVM for this processor. LLVM concludes the instructions
// of an ARM processor from its name; a virtual machine may show a name with SVE and not offer it, and code of
// llvmpipe dies there. This answers for LLVM with the name of a processor without SVE.
#include <cstddef>

namespace llvm {

struct StringRef {
  const char* data;
  size_t length;
};

namespace sys {
StringRef getHostCPUName() { return {"neoverse-n1", 11}; }
}  // namespace sys

}  // namespace llvm
