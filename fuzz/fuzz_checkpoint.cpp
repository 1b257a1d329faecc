// Arbitrary bytes as a checkpoint of an actor, unchanged and with a correct checksum.
#include <cstring>
#include <span>
#include <vector>

#include "bytes.hpp"
#include "quern/error.hpp"
#include "ring/checkpoint_file.hpp"

namespace {

void read(std::span<const std::byte> bytes, const quern::ring::Sizes& sizes) {
  try {
    const auto checkpoint = quern::ring::parse_checkpoint("input", bytes, sizes);
    quern::fuzz::require(checkpoint.state.size() == sizes.state, "The state has another size.");
    for (const auto& message : checkpoint.messages)
      quern::fuzz::require(message.bytes.size() == sizes.message, "A message has another size.");
  } catch (const quern::Error& e) {
    quern::fuzz::require(!e.message().empty(), "An error without a message.");
  }
}

}  // namespace

// The first two bytes are the sizes of the actor's types.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  quern::ring::Sizes sizes;
  sizes.state = data[0];
  sizes.message = data[1];
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 2, size - 2));
  read(bytes, sizes);
  // The version, the sizes and the counts come from the input; the other fixed fields do not.
  std::vector<std::byte> whole(8);
  std::memcpy(whole.data(), "QRNRING3", 8);
  if (!bytes.empty() && bytes[0] < std::byte{3})
    whole[7] = static_cast<std::byte>('1' + static_cast<int>(bytes[0]));
  for (const uint64_t word : {uint64_t{data[0]}, uint64_t{data[1]}}) {
    const auto added = std::as_bytes(std::span(&word, 1));
    whole.insert(whole.end(), added.begin(), added.end());
  }
  whole.insert(whole.end(), bytes.begin(), bytes.end());
  const uint64_t sum = quern::ring::checkpoint_checksum(whole);
  const auto added = std::as_bytes(std::span(&sum, 1));
  whole.insert(whole.end(), added.begin(), added.end());
  read(whole, sizes);
  return 0;
}
