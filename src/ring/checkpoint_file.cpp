#include "ring/checkpoint_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>

#include "ring/failure.hpp"

#if defined(__unix__)
#include <unistd.h>
#endif

namespace quern::ring {
namespace {

constexpr char kMagic[] = "QRNRING";  // and the version
constexpr std::size_t kMagicBytes = 8;
constexpr char kVersion = '3';

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::byte b : bytes) sum = (sum ^ static_cast<unsigned char>(b)) * 0x100000001b3;
  return sum;
}

class Writer {
 public:
  void add(std::uint64_t word) { add(std::as_bytes(std::span<const std::uint64_t, 1>(&word, 1))); }
  void add(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Throws where the file ends too soon.
class Reader {
 public:
  Reader(const std::string& path, std::span<const std::byte> bytes) : path_(path), rest_(bytes) {}

  std::vector<std::byte> bytes(std::uint64_t count) {
    if (count > rest_.size()) refuse();
    const std::span<const std::byte> piece = rest_.first(count);
    rest_ = rest_.subspan(count);
    return {piece.begin(), piece.end()};
  }
  std::uint64_t word() {
    std::uint64_t word = 0;
    const std::vector<std::byte> piece = bytes(sizeof word);
    std::memcpy(&word, piece.data(), sizeof word);
    return word;
  }
  // Of things that have at least one byte each.
  std::uint64_t count() {
    const std::uint64_t count = word();
    if (count > rest_.size()) refuse();
    return count;
  }
  void end() const {
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    fail(ErrorKind::bad_input, "'" + path_ + "' is no whole checkpoint of an actor");
  }

  const std::string& path_;
  std::span<const std::byte> rest_;
};

// A file beside it takes its place when it is on the disk.
void write_whole(const std::string& path, const std::vector<std::byte>& bytes) {
  const std::string beside = path + ".new";
  std::FILE* const file = std::fopen(beside.c_str(), "wb");
  bool is_ok = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
               std::fflush(file) == 0;
#if defined(__unix__)
  is_ok = is_ok && ::fsync(::fileno(file)) == 0;
#endif
  if (file != nullptr) is_ok = std::fclose(file) == 0 && is_ok;
  if (is_ok && std::rename(beside.c_str(), path.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  (void)std::remove(beside.c_str());
  fail(ErrorKind::io, "the checkpoint '" + path + "' cannot be written: " + why);
}

std::vector<std::byte> read_whole(const std::string& path) {
  const auto refuse = [&] {
    fail(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io,
         "the checkpoint '" + path + "' cannot be read: " + std::strerror(errno));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) refuse();
  std::vector<std::byte> bytes;
  std::byte piece[1 << 14];
  for (std::size_t n = 0; (n = std::fread(piece, 1, sizeof piece, file.get())) != 0;)
    bytes.insert(bytes.end(), piece, piece + n);
  if (std::ferror(file.get()) != 0) refuse();
  return bytes;
}

// The version; 0: it is none of ours, or not whole.
int version_of(std::span<const std::byte> bytes) {
  if (bytes.size() < kMagicBytes + 8) return 0;
  if (std::memcmp(bytes.data(), kMagic, kMagicBytes - 1) != 0) return 0;
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - 8, 8);
  if (sum != checksum(bytes.first(bytes.size() - 8))) return 0;
  return static_cast<char>(bytes[kMagicBytes - 1]) - '0';
}

}  // namespace

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint, const Sizes& sizes) {
  Writer file;
  file.add(std::as_bytes(std::span(kMagic, kMagicBytes - 1)));
  file.add(std::as_bytes(std::span(&kVersion, 1)));
  file.add(sizes.state);
  file.add(sizes.message);
  file.add(checkpoint.messages.size());
  file.add(checkpoint.timers.size());
  file.add(checkpoint.buffers.size());
  file.add(checkpoint.state);
  for (const SavedMessage& message : checkpoint.messages) {
    file.add(message.is_urgent ? 1 : 0);
    file.add(message.left);
    file.add(message.bytes);
  }
  for (const SavedTimer& timer : checkpoint.timers) {
    file.add(timer.kind);
    file.add(timer.left);
    file.add(timer.message);
  }
  for (const std::vector<std::byte>& buffer : checkpoint.buffers) {
    file.add(buffer.size());
    file.add(buffer);
  }
  file.add(checksum(file.bytes()));
  write_whole(path, file.bytes());
}

Checkpoint read_checkpoint(const std::string& path, const Sizes& sizes) {
  const std::vector<std::byte> all = read_whole(path);
  const int version = version_of(all);
  if (version == 0)
    fail(ErrorKind::bad_input, "'" + path + "' is no checkpoint of an actor, or not a whole one");
  if (version > kVersion - '0')
    fail(ErrorKind::bad_input, "the checkpoint '" + path + "' was written by a newer version");
  Reader file(path, std::span(all).subspan(kMagicBytes, all.size() - kMagicBytes - 8));
  const std::uint64_t state = file.word(), message = file.word();
  if (state != sizes.state || message != sizes.message)
    fail(ErrorKind::invalid_use, "the checkpoint '" + path + "' is of an actor with a State of " +
                                     std::to_string(state) + " and a Message of " + std::to_string(message) +
                                     " bytes; this one has " + std::to_string(sizes.state) + " and " +
                                     std::to_string(sizes.message));
  const std::uint64_t messages = file.count(), timers = version < 2 ? 0 : file.count(),
                      buffers = version < 3 ? 0 : file.count();
  Checkpoint out;
  out.state = file.bytes(state);
  for (std::uint64_t i = 0; i < messages; ++i) {
    SavedMessage& saved = out.messages.emplace_back();
    saved.is_urgent = version >= 3 && file.word() != 0;
    saved.left = version >= 3 ? file.word() : 0;
    saved.bytes = file.bytes(message);
  }
  for (std::uint64_t i = 0; i < timers; ++i) {
    SavedTimer& timer = out.timers.emplace_back();
    timer.kind = file.word();
    timer.left = file.word();
    timer.message = file.bytes(message);
    if (timer.kind != SavedTimer::kByTime && timer.kind != SavedTimer::kByMessages)
      fail(ErrorKind::bad_input, "a checkpoint of an actor has a timer of no known kind");
  }
  for (std::uint64_t i = 0; i < buffers; ++i) out.buffers.push_back(file.bytes(file.word()));
  file.end();
  return out;
}

}  // namespace quern::ring
