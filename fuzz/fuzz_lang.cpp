// Arbitrary bytes as a program: the front end must return IR or errors, and never crash, hang or leak.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lang/compile.hpp"
#include "lang/ir/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  quern::lang::CompileOptions options;
  options.check_uninstantiated = true;
  // The only files are a header that includes itself and one that does not exist.
  options.read_file = [](const std::string& path) -> quern::base::Result<std::string> {
    if (path.size() >= 5 && path.compare(path.size() - 5, 5, "a.cuh") == 0)
      return "#include \"a.cuh\"\nint from_header;\n";
    return quern::base::Error(quern::base::ErrorKind::not_found, "no such file");
  };
  const auto compiled =
      quern::lang::compile("fuzz.cu", std::string(reinterpret_cast<const char*>(data), size), options);
  if (!quern::ir::verify(compiled.module).empty()) std::abort();
  return 0;
}
