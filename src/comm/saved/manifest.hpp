// The manifest of a checkpoint: a text file that names the files that belong to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quern::comm::saved {

// The part of an array that one rank has written.
struct Part {
  std::uint64_t count = 0, checksum = 0;
};

struct Entry {
  std::string name;
  std::uint64_t element_bytes = 0;
  bool is_blocks = true;    // else rank 0 has the only part
  std::vector<Part> parts;  // of all ranks
  std::uint64_t count() const;
};

struct Manifest {
  std::uint64_t generation = 0, step = 0;
  int ranks = 0;
  std::vector<Entry> entries;

  std::string text() const;
  static std::optional<Manifest> parse(const std::string& text);  // nothing: it is damaged
  // Where an array begins in the file of a rank.
  std::uint64_t offset_of(std::size_t entry, int rank) const;
};

// Checksums are of blocks of this size, combined in sequence.
inline constexpr std::size_t kBlock = std::size_t{1} << 20;

class Checksum {
 public:
  void add_block(std::span<const std::byte> block);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x9e3779b97f4a7c15;
};

std::uint64_t checksum_of(const std::string& text);

}  // namespace quern::comm::saved
