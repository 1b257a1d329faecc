#include "comm/saved/manifest.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <sstream>

namespace quern::comm::saved {

namespace {

constexpr const char* kFirstLine = "quern-checkpoint 1";
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60;  // of all parts together
constexpr int kMostRanks = 1 << 20;

std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  lane ^= word * 0x9fb21c651e98df25;
  lane = lane << 29 | lane >> 35;
  return lane * 0xa0761d6478bd642f;
}

std::uint64_t word_at(const std::byte* data, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, bytes);
  return word;
}

bool read_entry(std::istringstream& in, int ranks, Entry& entry) {
  std::string spread;
  in >> entry.name >> entry.element_bytes >> spread;
  entry.is_blocks = spread == "blocks";
  if (!in || (!entry.is_blocks && spread != "copies") || entry.element_bytes == 0) return false;
  std::uint64_t left = kMostBytes / entry.element_bytes;
  for (int rank = 0; rank < ranks; ++rank) {
    Part part;
    if (!(in >> part.count >> part.checksum) || part.count > left) return false;
    left -= part.count;
    entry.parts.push_back(part);
  }
  return true;
}

}  // namespace

// Four lanes, so that the processor multiplies several words at a time.
void Checksum::add_block(std::span<const std::byte> block) {
  std::array<std::uint64_t, 4> lanes = {value_, value_ + 1, value_ + 2, value_ + 3};
  std::size_t at = 0;
  for (; at + 32 <= block.size(); at += 32) {
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = mixed(lanes[i], word_at(block.data() + at + i * 8, 8));
  }
  for (; at < block.size(); at += 8)
    lanes[0] = mixed(lanes[0], word_at(block.data() + at, std::min<std::size_t>(8, block.size() - at)));
  value_ = mixed(mixed(mixed(lanes[0], lanes[1]), lanes[2]), lanes[3] + block.size());
}

std::uint64_t checksum_of(const std::string& text) {
  Checksum sum;
  sum.add_block(std::as_bytes(std::span(text)));
  return sum.value();
}

std::uint64_t Entry::count() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += part.count;
  return sum;
}

std::uint64_t Manifest::offset_of(std::size_t entry, int rank) const {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < entry; ++i)
    offset += entries[i].parts[static_cast<std::size_t>(rank)].count * entries[i].element_bytes;
  return offset;
}

std::string Manifest::text() const {
  std::ostringstream out;
  out << kFirstLine << "\ngeneration " << generation << "\nstep " << step << "\nranks " << ranks << '\n';
  for (const Entry& entry : entries) {
    out << "array " << entry.name << ' ' << entry.element_bytes << (entry.is_blocks ? " blocks" : " copies");
    for (const Part& part : entry.parts) out << ' ' << part.count << ' ' << part.checksum;
    out << '\n';
  }
  const std::string all = out.str();
  return all + "end " + std::to_string(checksum_of(all)) + "\n";
}

std::optional<Manifest> Manifest::parse(const std::string& text) {
  const std::size_t end = text.rfind("end ");
  if (end == std::string::npos ||
      text.substr(end) != "end " + std::to_string(checksum_of(text.substr(0, end))) + "\n")
    return std::nullopt;
  std::istringstream in(text);
  std::string line, word;
  Manifest out;
  std::getline(in, line);
  if (line != kFirstLine) return std::nullopt;
  in >> word >> out.generation >> word >> out.step >> word >> out.ranks;
  if (!in || out.ranks < 1 || out.ranks > kMostRanks) return std::nullopt;
  while (in >> word && word == "array") {
    if (!read_entry(in, out.ranks, out.entries.emplace_back())) return std::nullopt;
  }
  return word == "end" ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace quern::comm::saved
