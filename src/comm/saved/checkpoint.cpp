// Checkpoints over ranks, in two phases: all ranks write files into a new folder and agree that they are
// complete; then rank 0 replaces the manifest, which names that folder.
#include "quern/comm/checkpoint.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "comm/failure.hpp"
#include "comm/saved/files.hpp"
#include "comm/saved/manifest.hpp"

namespace quern::comm {

namespace {

using saved::Checksum;
using saved::Entry;
using saved::File;
using saved::kBlock;
using saved::Manifest;
using Words = std::vector<std::uint64_t>;

constexpr const char* kManifest = "manifest";

std::string data_folder(std::uint64_t generation) { return "data-" + std::to_string(generation); }
std::string part_name(int rank) { return "rank-" + std::to_string(rank); }

// The ranks with a share in one checkpoint. An error of one rank is thrown by all.
class Members {
 public:
  Members(const Communicator& ranks, const char* operation)
      : ranks_(ranks), device_(ranks.device()), operation_(operation) {}

  bool is_first() const { return ranks_.rank() == 0; }
  const char* operation() const { return operation_; }

  // The words of all ranks in sequence. All pass the same number.
  Words gather(const Words& own) const {
    Buffer<std::uint64_t> in = device_.upload(own);
    Buffer<std::uint64_t> out = device_.allocate<std::uint64_t>(own.size() * size());
    ranks_.all_gather(device_, in, out);
    return out.download();
  }

  // The text of rank 0 on all ranks.
  std::string broadcast(const std::string& text) const {
    const Words sizes = gather({text.size()});
    std::string out = text;
    out.resize(sizes[0]);
    if (out.empty()) return out;
    Buffer<char> data = device_.upload(std::vector<char>(out.begin(), out.end()));
    ranks_.broadcast(device_, data, 0);
    const std::vector<char> all = data.download();
    return {all.begin(), all.end()};
  }

  // Does something on this rank, and throws if any rank has failed.
  template <typename Work>
  void together(const Work& work) const {
    std::optional<Error> error;
    try {
      work();
    } catch (const Error& own) {
      error = own;
    }
    const Words states = gather({error ? 1u : 0u});
    if (error) throw Error(*error);
    const auto failed = std::find(states.begin(), states.end(), 1u);
    if (failed != states.end())
      fail(ErrorKind::io, message::kCheckpointRank(operation_, std::to_string(failed - states.begin())));
  }

  std::size_t size() const { return static_cast<std::size_t>(ranks_.size()); }
  int rank() const { return ranks_.rank(); }

 private:
  const Communicator& ranks_;
  const Device device_;
  const char* const operation_;
};

void check_arrays(const Members& members, std::span<const SavedArray> arrays) {
  std::set<std::string> names;
  for (const SavedArray& array : arrays) {
    const std::string& name = array.name();
    const bool is_clean =
        std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) > ' '; });
    if (name.empty() || name.size() > 100 || !is_clean)
      fail(ErrorKind::invalid_use, message::kCheckpointName(members.operation(), name));
    if (!names.insert(name).second)
      fail(ErrorKind::invalid_use, message::kCheckpointTwice(members.operation(), name));
  }
}

// Equal on all ranks if they pass the same arrays.
std::uint64_t signature_of(std::uint64_t step, std::span<const SavedArray> arrays) {
  std::string all = std::to_string(step);
  for (const SavedArray& array : arrays) {
    all += ' ' + array.name() + ' ' + std::to_string(array.element_bytes()) +
           (array.spread() == Spread::blocks ? " blocks" : " copies");
  }
  return saved::checksum_of(all);
}

void check_same(const Members& members, std::uint64_t signature) {
  for (const std::uint64_t other : members.gather({signature})) {
    if (other != signature) fail(ErrorKind::invalid_use, message::kCheckpointDiffers(members.operation()));
  }
}

bool is_writer(const SavedArray& array, int rank) { return array.spread() == Spread::blocks || rank == 0; }

Slice<std::byte> bytes_from(const SavedArray& array, std::uint64_t first, std::uint64_t bytes) {
  return Slice<std::byte>(array.range().bytes).slice(first, bytes);
}

std::uint64_t write_array(const SavedArray& array, const File& file, std::vector<std::byte>& block) {
  Checksum sum;
  const std::uint64_t size = array.range().bytes.size;
  for (std::uint64_t at = 0; at < size; at += kBlock) {
    const std::span<std::byte> part(block.data(), std::min<std::uint64_t>(kBlock, size - at));
    bytes_from(array, at, part.size()).download(part);
    sum.add_block(part);
    file.write(part);
  }
  return sum.value();
}

// Count and checksum of each array.
Words write_parts(const Members& members, const std::string& path, std::span<const SavedArray> arrays) {
  const File file = File::create(members.operation(), path + "/" + part_name(members.rank()));
  std::vector<std::byte> block(kBlock);
  Words out;
  for (const SavedArray& array : arrays) {
    const bool writes = is_writer(array, members.rank());
    out.push_back(writes ? array.size() : 0);
    out.push_back(writes ? write_array(array, file, block) : 0);
  }
  file.make_durable();
  return out;
}

// `parts`: those of all ranks in sequence.
Manifest manifest_of(std::uint64_t generation, std::uint64_t step, const Members& members,
                     std::span<const SavedArray> arrays, const Words& parts) {
  Manifest out{generation, step, static_cast<int>(members.size()), {}};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Entry entry{arrays[i].name(), arrays[i].element_bytes(), arrays[i].spread() == Spread::blocks, {}};
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      const std::size_t at = (rank * arrays.size() + i) * 2;
      entry.parts.push_back({parts[at], parts[at + 1]});
    }
    out.entries.push_back(std::move(entry));
  }
  return out;
}

// The number of the new folder, which is empty. On rank 0.
std::uint64_t begin_folder(const char* operation, const std::string& folder) {
  saved::make_folder(operation, folder);
  const auto text = saved::read_text(operation, folder + "/" + kManifest);
  const std::optional<Manifest> last = text ? Manifest::parse(*text) : std::nullopt;
  const std::uint64_t generation = last ? last->generation + 1 : 1;
  // A checkpoint that was interrupted has left such folders. Without a manifest there is nothing to keep.
  if (last || !text) saved::remove_other_data(folder, last ? data_folder(last->generation) : "");
  if (text && !last) fail(ErrorKind::io, message::kCheckpointBadManifest(folder + "/" + kManifest));
  saved::make_folder(operation, folder + "/" + data_folder(generation));
  return generation;
}

void load_part(const SavedArray& array, const Manifest& manifest, std::size_t index, int rank,
               std::uint64_t begin, std::uint64_t end, std::uint64_t part_begin, const std::string& path,
               std::vector<std::byte>& block) {
  const Entry& entry = manifest.entries[index];
  const saved::Part& part = entry.parts[static_cast<std::size_t>(rank)];
  const std::uint64_t size = part.count * entry.element_bytes, offset = manifest.offset_of(index, rank);
  const std::string name = path + "/" + part_name(rank);
  const File file = File::open("restore", name);
  Checksum sum;
  for (std::uint64_t at = 0; at < size; at += kBlock) {
    const std::span<std::byte> bytes(block.data(), std::min<std::uint64_t>(kBlock, size - at));
    file.read(bytes, offset + at);
    sum.add_block(bytes);
    // Bytes of the whole array: this block is [from, from + bytes.size()), and the rank wants [begin, end).
    const std::uint64_t from = part_begin + at;
    const std::uint64_t first = std::max(begin, from), last = std::min(end, from + bytes.size());
    if (first < last)
      bytes_from(array, first - begin, last - first).upload(bytes.subspan(first - from, last - first));
  }
  if (sum.value() != part.checksum) fail(ErrorKind::io, message::kCheckpointDamaged(entry.name, name));
}

// `first`: of this rank's elements in the whole array.
void load_array(const SavedArray& array, const Manifest& manifest, std::size_t index, std::uint64_t first,
                const std::string& path, std::vector<std::byte>& block) {
  const Entry& entry = manifest.entries[index];
  const std::uint64_t begin = first * entry.element_bytes, end = begin + array.range().bytes.size;
  std::uint64_t part_begin = 0;
  for (int rank = 0; rank < manifest.ranks; ++rank) {
    const std::uint64_t size = entry.parts[static_cast<std::size_t>(rank)].count * entry.element_bytes;
    if (part_begin < end && part_begin + size > begin)
      load_part(array, manifest, index, rank, begin, end, part_begin, path, block);
    part_begin += size;
  }
}

std::size_t entry_for(const Manifest& manifest, const SavedArray& array) {
  const bool is_blocks = array.spread() == Spread::blocks;
  for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
    const Entry& entry = manifest.entries[i];
    if (entry.name == array.name() && entry.element_bytes == array.element_bytes() &&
        entry.is_blocks == is_blocks)
      return i;
  }
  fail(ErrorKind::not_found,
       message::kCheckpointNoArray(array.name(), std::to_string(array.element_bytes())));
}

// `counts`: of the arrays on all ranks in sequence.
void load_all(const Members& members, const Manifest& manifest, std::span<const SavedArray> arrays,
              const Words& counts, const std::string& path) {
  std::vector<std::byte> block(kBlock);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::size_t index = entry_for(manifest, arrays[i]);
    std::uint64_t before = 0, all = 0;
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      const std::uint64_t count = counts[rank * arrays.size() + i];
      if (static_cast<int>(rank) < members.rank()) before += count;
      all += count;
    }
    const bool is_blocks = arrays[i].spread() == Spread::blocks;
    const std::uint64_t wanted = is_blocks ? all : arrays[i].size();
    if (const std::uint64_t count = manifest.entries[index].count(); count != wanted)
      fail(ErrorKind::invalid_use,
           message::kCheckpointSize(arrays[i].name(), std::to_string(count), std::to_string(wanted)));
    load_array(arrays[i], manifest, index, is_blocks ? before : 0, path, block);
  }
}

}  // namespace

void checkpoint(const Communicator& ranks, const std::string& folder, std::uint64_t step,
                std::span<const SavedArray> arrays) {
  const Members members(ranks, "checkpoint");
  members.together([&] { check_arrays(members, arrays); });
  check_same(members, signature_of(step, arrays));
  std::uint64_t generation = 0;
  members.together([&] {
    if (members.is_first()) generation = begin_folder("checkpoint", folder);
  });
  generation = members.gather({generation})[0];
  const std::string path = folder + "/" + data_folder(generation);
  Words own;
  try {
    members.together([&] { own = write_parts(members, path, arrays); });
  } catch (...) {
    if (members.is_first()) saved::remove_other_data(folder, data_folder(generation - 1));
    throw;
  }
  const Words parts = own.empty() ? own : members.gather(own);
  members.together([&] {
    if (!members.is_first()) return;
    saved::make_folder_durable("checkpoint", path);
    saved::replace_file("checkpoint", folder, kManifest,
                        manifest_of(generation, step, members, arrays, parts).text());
    saved::remove_other_data(folder, data_folder(generation));
  });
}

std::optional<RestoredCheckpoint> restore(const Communicator& ranks, const std::string& folder,
                                          std::span<const SavedArray> arrays) {
  const Members members(ranks, "restore");
  members.together([&] { check_arrays(members, arrays); });
  check_same(members, signature_of(0, arrays));
  std::optional<std::string> text;
  members.together([&] {
    if (members.is_first()) text = saved::read_text("restore", folder + "/" + kManifest);
  });
  if (members.gather({text ? 1u : 0u})[0] == 0) return std::nullopt;
  std::optional<Manifest> manifest = Manifest::parse(members.broadcast(text.value_or("")));
  if (!manifest)  // on all ranks
    fail(ErrorKind::io, message::kCheckpointBadManifest(folder + "/" + kManifest));
  Words own;
  for (const SavedArray& array : arrays) own.push_back(array.size());
  const Words counts = own.empty() ? own : members.gather(own);
  members.together([&] {
    load_all(members, *manifest, arrays, counts, folder + "/" + data_folder(manifest->generation));
  });
  return RestoredCheckpoint{manifest->step, manifest->ranks};
}

}  // namespace quern::comm
