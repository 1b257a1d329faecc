// Arbitrary bytes as content of the cache of compiled code: an entry, an archive of entries, and the object
// in an entry, which is placed and relocated for both processors, but not run.
#include "base/store_entry.hpp"
#include "bytes.hpp"
#include "driver/cpu/object.hpp"

namespace {

using namespace quern;

void link(std::string_view object) {
  static const int kNumber = 0;
  const auto linked = cpu::link_image(
      object, [](std::string_view name) -> const void* { return name == "unknown" ? nullptr : &kNumber; });
  if (!linked.ok()) fuzz::require(!linked.error().message().empty(), "An error without a message.");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  (void)base::unpack_entry("key", bytes);
  (void)base::parse_archive("input", bytes).ok();
  (void)base::parse_archive("input", std::string(base::kArchiveMagic) + std::string(bytes)).ok();
  const std::string file = base::pack_entry("key", "label", bytes);
  const auto entry = base::unpack_entry("key", file);
  fuzz::require(entry && entry->contents == bytes && entry->label == "label", "The packed entry is missing.");
  fuzz::require(!base::unpack_entry("other", file), "An entry is accepted for another key.");
  const auto archived = base::parse_archive(
      "input", std::string(base::kArchiveMagic) + "key " + std::to_string(file.size()) + "\n" + file);
  fuzz::require(archived.ok() && archived->size() == 1, "An archive is rejected.");
  link(bytes);
  return 0;
}
