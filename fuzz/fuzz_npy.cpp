// Arbitrary bytes as a .npy file: an array whose data matches its shape, or an error; writing it gives it
// again.
#include <cstring>

#include "base/npy.hpp"
#include "bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace quern;
  const auto array = base::parse_npy(fuzz::text_of(data, size));
  if (!array.ok()) {
    fuzz::require(!array.error().message().empty(), "An error without a message.");
    return 0;
  }
  fuzz::require(array->count() * base::npy_size(array->type) == array->data.size(), "The data does not fit.");
  const auto file = base::format_npy(array->type, array->shape, std::as_bytes(std::span(array->data)));
  fuzz::require(file.ok(), "The array cannot be written.");
  const auto again = base::parse_npy(*file);
  fuzz::require(again.ok() && again->shape == array->shape && again->data == array->data,
                "The written array reads differently.");
  return 0;
}
