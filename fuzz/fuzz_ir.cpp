// Arbitrary bytes as the IR's text form: parsing is safe, parsed modules are well formed, and printing is a
// fixed point.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "lang/ir/text.hpp"
#include "lang/ir/verify.hpp"

namespace {

void require(bool holds, const char* what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%s\n", what, detail.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace quern::ir;
  ParseError error;
  const std::optional<Module> module =
      parse(std::string_view(reinterpret_cast<const char*>(data), size), error);
  if (!module) {
    require(!error.message.empty() && error.line != 0, "An error without a message or a location.",
            error.message);
    return 0;
  }
  const std::string defect = verify(*module);
  require(defect.empty(), "The parser accepted a malformed module.", defect);
  const std::string once = print(*module);
  const std::optional<Module> again = parse(once, error);
  require(again.has_value(), "The printed text does not parse.", error.message + "\n" + once);
  require(print(*again) == once, "The text changes when printed again.", once);
  require(print(module->clone()) == once, "The clone prints differently.", once);
  return 0;
}
