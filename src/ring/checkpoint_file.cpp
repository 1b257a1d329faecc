#include "ring/checkpoint_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/failure.hpp"

namespace quern::ring {
namespace {

constexpr char kMagic[] = "QRNRING";  // followed by the version
constexpr std::size_t kMagicBytes = 8;
constexpr char kVersion = '3';

class Writer {
 public:
  void add(std::uint64_t word) { add(std::as_bytes(std::span<const std::uint64_t, 1>(&word, 1))); }
  void add(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Throws if the file is truncated.
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
  // A count of items that have at least one byte each.
  std::uint64_t count() {
    const std::uint64_t count = word();
    if (count > rest_.size()) refuse();
    return count;
  }
  void end() const {
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] void refuse() const { fail(ErrorKind::bad_input, message::kIncomplete(path_)); }

  const std::string& path_;
  std::span<const std::byte> rest_;
};

[[noreturn]] void refuse_file(const std::string& path, const char* verb, const std::string& why, int number) {
  fail(number == ENOENT ? ErrorKind::not_found : ErrorKind::io, message::kCheckpointFile(path, verb, why));
}

// Closes the file on every path out of a function.
class File {
 public:
  explicit File(int number) : number_(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  int get() const { return number_; }
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// Writes a new file in the same folder and renames it once it is on disk. O_EXCL: a file that another user
// created under that name (a link, a pipe) is not written.
void write_whole(const std::string& path, const std::vector<std::byte>& bytes) {
  static std::atomic<unsigned> counter{0};
  const std::string beside =
      path + "." + std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1)) + ".new";
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const auto open = [&] { return ::open(beside.c_str(), kFlags, 0666); };
  int opened = open();
  // Left over from an earlier process with the same id.
  if (opened < 0 && errno == EEXIST && ::unlink(beside.c_str()) == 0) opened = open();
  File file(opened);
  if (file.get() < 0) refuse_file(path, "written", std::strerror(errno), EIO);
  if (write_all(file.get(), bytes) && ::fsync(file.get()) == 0 && file.close() &&
      std::rename(beside.c_str(), path.c_str()) == 0)
    return;
  const std::string why = std::strerror(errno);
  (void)::unlink(beside.c_str());
  refuse_file(path, "written", why, EIO);
}

// Regular files only; opening a pipe does not block.
std::vector<std::byte> read_whole(const std::string& path) {
  const auto refuse = [&] { refuse_file(path, "read", std::strerror(errno), errno); };
  const File file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) refuse();
  if (S_ISDIR(status.st_mode)) refuse_file(path, "read", std::strerror(EISDIR), EISDIR);
  if (!S_ISREG(status.st_mode)) refuse_file(path, "read", "it is not a regular file", EINVAL);
  std::vector<std::byte> bytes;
  std::byte piece[1 << 14];
  for (;;) {
    const ssize_t n = ::read(file.get(), piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse();
    if (n == 0) return bytes;
    bytes.insert(bytes.end(), piece, piece + n);
  }
}

// The version; 0: not a checkpoint, or incomplete.
int version_of(std::span<const std::byte> bytes) {
  if (bytes.size() < kMagicBytes + 8) return 0;
  if (std::memcmp(bytes.data(), kMagic, kMagicBytes - 1) != 0) return 0;
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - 8, 8);
  if (sum != checkpoint_checksum(bytes.first(bytes.size() - 8))) return 0;
  return static_cast<char>(bytes[kMagicBytes - 1]) - '0';
}

}  // namespace

std::uint64_t checkpoint_checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::byte b : bytes) sum = (sum ^ static_cast<unsigned char>(b)) * 0x100000001b3;
  return sum;
}

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
  file.add(checkpoint_checksum(file.bytes()));
  write_whole(path, file.bytes());
}

Checkpoint read_checkpoint(const std::string& path, const Sizes& sizes) {
  return parse_checkpoint(path, read_whole(path), sizes);
}

Checkpoint parse_checkpoint(const std::string& path, std::span<const std::byte> all, const Sizes& sizes) {
  const int version = version_of(all);
  if (version == 0) fail(ErrorKind::bad_input, message::kNotCheckpoint(path));
  if (version > kVersion - '0') fail(ErrorKind::bad_input, message::kNewerCheckpoint(path));
  Reader file(path, all.subspan(kMagicBytes, all.size() - kMagicBytes - 8));
  const std::uint64_t state = file.word(), message = file.word();
  if (state != sizes.state || message != sizes.message)
    fail(ErrorKind::invalid_use,
         message::kCheckpointSizes(path, std::to_string(state), std::to_string(message),
                                   std::to_string(sizes.state), std::to_string(sizes.message)));
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
      fail(ErrorKind::bad_input, message::kTimerKind());
  }
  for (std::uint64_t i = 0; i < buffers; ++i) out.buffers.push_back(file.bytes(file.word()));
  file.end();
  return out;
}

}  // namespace quern::ring
