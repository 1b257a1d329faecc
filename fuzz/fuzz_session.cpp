// Arbitrary bytes as a file of Session::save, unchanged and with a correct checksum.
#include "base/sealed.hpp"
#include "bytes.hpp"
#include "runtime/session_file.hpp"

namespace {

void read(std::string_view file) {
  const auto saved = quern::runtime::parse_saved("input", file);
  if (saved.ok()) return;
  quern::fuzz::require(!saved.error().message().empty(), "An error without a message.");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = quern::fuzz::text_of(data, size);
  read(bytes);
  read(quern::base::sealed(quern::runtime::kSessionMagic, bytes));
  return 0;
}
