#include "base/store.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/sealed.hpp"
#include "base/store_watch.hpp"
#include "base/text.hpp"

namespace quern::base {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "quern store 1\n";
constexpr std::string_view kArchiveMagic = "quern archive 1\n";
constexpr std::string_view kSuffix = ".kept";
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of one entry
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kUsualLimit = 1024;  // MiB
constexpr std::uint64_t kMostMebibytes = std::uint64_t{1} << 40;
constexpr std::int64_t kFresh = 60;        // seconds in which a use is not written down again
constexpr std::int64_t kAbandoned = 3600;  // seconds after which a half-written file or a lock is nobody's
constexpr auto kPatience = std::chrono::milliseconds(100);

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= 128 && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string one_line(std::string_view label) {
  std::string out(label.substr(0, 200));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  return out;
}

// The label and a new line, then the contents; sealed for the key.
std::string packed(const std::string& key, std::string_view label, std::string_view contents) {
  std::string rest = one_line(label);
  rest += '\n';
  rest += contents;
  return sealed(kMagic, rest, key);
}

// The label and the contents; nothing where the file is damaged.
std::optional<std::pair<std::string_view, std::string_view>> unpacked(const std::string& key,
                                                                      std::string_view file) {
  const auto rest = unsealed(kMagic, file, key);
  const std::size_t line = rest ? rest->find('\n') : std::string_view::npos;
  if (line == std::string_view::npos) return std::nullopt;
  return std::pair(rest->substr(0, line), rest->substr(line + 1));
}

std::int64_t now() { return static_cast<std::int64_t>(std::time(nullptr)); }

// One process at a time, as long as it lives. Who held it takes the file away, and who waited for it finds
// the entry; what a killed process leaves goes when the folder is trimmed.
class KeyLock {
 public:
  explicit KeyLock(std::string path) : path_(std::move(path)) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (std::chrono::steady_clock::now() >= end) {
        ::close(file_);
        file_ = -1;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  KeyLock(const KeyLock&) = delete;
  KeyLock& operator=(const KeyLock&) = delete;
  ~KeyLock() {
    if (file_ < 0) return;
    ::unlink(path_.c_str());
    ::close(file_);
  }

 private:
  std::string path_;
  int file_ = -1;
};

struct Found {
  std::string name;
  std::uint64_t bytes;
  std::int64_t used;
};

Result<std::vector<Found>> files_of(const std::string& folder) {
  std::vector<Found> out;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    const std::string name = at->path().filename().string();
    struct stat status = {};
    if (::stat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    out.push_back(
        {name, static_cast<std::uint64_t>(status.st_size), static_cast<std::int64_t>(status.st_mtime)});
  }
  if (failure && failure != std::errc::no_such_file_or_directory)
    return Error(ErrorKind::kIo, "cannot read the folder '" + folder + "': " + failure.message());
  return out;
}

std::string key_of(const std::string& name) {
  if (!std::string_view(name).ends_with(kSuffix)) return {};
  const std::string key = name.substr(0, name.size() - kSuffix.size());
  return is_key(key) ? key : std::string();
}

bool is_abandoned(const Found& file) {
  const std::string_view name = file.name;
  return (name.ends_with(".tmp") || name.ends_with(".lock")) && now() - file.used > kAbandoned;
}

Error cannot_remove(const std::string& file) {
  return Error(ErrorKind::kIo, "cannot take '" + file + "' away: " + std::strerror(errno));
}

}  // namespace

Store::Store(std::string folder, std::uint64_t limit) : limit_(limit), unchecked_(0) {
  const std::string all = folder.empty() ? cache_folder() : std::move(folder);
  if (limit_ == 0) {
    const auto wanted = env_uint("QUERN_CACHE_LIMIT", kUsualLimit);
    limit_ = std::clamp<std::uint64_t>(wanted.value_or(kUsualLimit), 1, kMostMebibytes) * kMebibyte;
  }
  unchecked_ = limit_;  // the first that is put measures the folder
  if (all.empty()) {
    why_not_ = env_text("QUERN_CACHE") ? "QUERN_CACHE is off"
                                       : "none of QUERN_CACHE, XDG_CACHE_HOME and HOME names a folder";
    return;
  }
  folder_ = join_path(all, "code");
  const auto made = make_folders(folder_);
  if (made.ok() || is_folder(folder_)) return;
  why_not_ = made.error().message();
  folder_.clear();
}

Result<> Store::must_keep() const {
  if (!folder_.empty()) return {};
  return Error(ErrorKind::kBadInput, "no compiled code is kept here: " + why_not_);
}

std::string Store::path(const std::string& key) const {
  return join_path(folder_, key + std::string(kSuffix));
}

std::optional<Store::Entry> Store::read(const std::string& key, std::string* contents) const {
  struct stat status = {};
  const std::string file = path(key);
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  Entry entry{key, "", static_cast<std::uint64_t>(status.st_size), static_cast<std::int64_t>(status.st_mtime),
              false};
  const auto bytes = read_file(file, kMostBytes);
  if (!bytes.ok()) return entry;
  if (const auto parts = unpacked(key, *bytes)) {
    entry.is_whole = true;
    entry.label = parts->first;
    if (contents != nullptr) *contents = parts->second;
  }
  return entry;
}

std::optional<std::string> Store::find(const std::string& key) const {
  if (folder_.empty() || !is_key(key)) return std::nullopt;
  std::string contents;
  const std::optional<Entry> entry = read(key, &contents);
  const bool is_there = entry && entry->is_whole;
  tell_store_watch(is_there ? "found" : "missing", key);
  if (!is_there) return std::nullopt;
  if (now() - entry->used > kFresh) ::utimensat(AT_FDCWD, path(key).c_str(), nullptr, 0);
  return contents;
}

void Store::put(const std::string& key, std::string_view label, std::string_view contents) const {
  if (folder_.empty() || !is_key(key) || contents.size() > std::min(kMostBytes / 2, limit_)) return;
  const std::string file = packed(key, label, contents);
  if (!write_file(path(key), file).ok()) return;  // next time it is made again
  tell_store_watch("kept", key);
  keep_within_limit(file.size());
}

// Measured when a sixteenth of the limit came in, so that it is over by so much at most.
void Store::keep_within_limit(std::uint64_t added) const {
  if (unchecked_.fetch_add(added, std::memory_order_relaxed) + added < limit_ / 16) return;
  unchecked_.store(0, std::memory_order_relaxed);
  if (!trim(limit_ - limit_ / 16).ok()) return;
}

Result<std::string> Store::get(const std::string& key, std::string_view label,
                               const std::function<Result<std::string>()>& make) const {
  if (std::optional<std::string> kept = find(key)) return std::move(*kept);
  if (folder_.empty() || !is_key(key)) return make();
  const KeyLock lock(join_path(folder_, key + ".lock"));
  if (std::optional<std::string> kept = find(key)) return std::move(*kept);
  QUERN_TRY_ASSIGN(std::string made, make());
  put(key, label, made);
  return made;
}

Result<std::vector<Store::Entry>> Store::list() const {
  std::vector<Entry> out;
  if (folder_.empty()) return out;
  QUERN_TRY_ASSIGN(const std::vector<Found> files, files_of(folder_));
  for (const Found& file : files) {
    const std::string key = key_of(file.name);
    if (key.empty()) continue;
    if (auto entry = read(key, nullptr)) out.push_back(std::move(*entry));
  }
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) {
    return a.used != b.used ? a.used > b.used : a.key < b.key;
  });
  return out;
}

Result<std::vector<Store::Entry>> Store::verify() const {
  QUERN_TRY_ASSIGN(std::vector<Entry> all, list());
  std::erase_if(all, [](const Entry& e) { return e.is_whole; });
  for (const Entry& e : all) {
    if (::unlink(path(e.key).c_str()) != 0 && errno != ENOENT) return cannot_remove(path(e.key));
  }
  return all;
}

Result<std::uint64_t> Store::trim(std::uint64_t limit) const {
  std::uint64_t gone = 0, total = 0;
  std::optional<Error> refused;
  if (folder_.empty()) return gone;
  QUERN_TRY_ASSIGN(std::vector<Found> files, files_of(folder_));
  const auto remove = [&](const Found& file) {
    const std::string name = join_path(folder_, file.name);
    if (::unlink(name.c_str()) == 0) {
      gone += file.bytes;
    } else if (errno != ENOENT && !refused) {
      refused = cannot_remove(name);
    }
  };
  for (const Found& file : files) {
    if (is_abandoned(file)) remove(file);
  }
  std::erase_if(files, [](const Found& file) { return key_of(file.name).empty(); });
  for (const Found& file : files) total += file.bytes;
  std::sort(files.begin(), files.end(), [](const Found& a, const Found& b) { return a.used < b.used; });
  for (auto file = files.begin(); file != files.end() && total > limit; ++file) {
    remove(*file);
    total -= file->bytes;
  }
  if (refused) return std::move(*refused);
  return gone;
}

// For each entry a line with its key and its size, then the file.
Result<std::size_t> Store::write_archive(const std::string& to) const {
  QUERN_TRY(must_keep());
  std::string out(kArchiveMagic);
  std::size_t count = 0;
  QUERN_TRY_ASSIGN(const std::vector<Entry> all, list());
  for (const Entry& e : all) {
    const auto file = e.is_whole ? read_file(path(e.key), kMostBytes) : Error(ErrorKind::kIo, "");
    if (!file.ok()) continue;
    out += format("%s %zu\n", e.key.c_str(), file->size());
    out += *file;
    ++count;
  }
  QUERN_TRY(write_file(to, out));
  return count;
}

Result<std::size_t> Store::read_archive(const std::string& from) const {
  QUERN_TRY(must_keep());
  QUERN_TRY_ASSIGN(const std::string file, read_file(from));
  const auto damaged = [&] {
    return Error(ErrorKind::kBadInput, "'" + from + "' is no archive of `quern cache export`, or is damaged");
  };
  std::string_view rest = file;
  if (!rest.starts_with(kArchiveMagic)) return damaged();
  rest.remove_prefix(kArchiveMagic.size());
  std::size_t count = 0;
  while (!rest.empty()) {
    const std::size_t line = rest.find('\n');
    if (line == std::string_view::npos) return damaged();
    const std::vector<std::string_view> words = split(rest.substr(0, line), ' ');
    const auto size = words.size() == 2 ? parse_uint(words[1]) : std::nullopt;
    rest.remove_prefix(line + 1);
    if (!size || *size > rest.size() || !is_key(words[0])) return damaged();
    const std::string key(words[0]);
    const auto parts = unpacked(key, rest.substr(0, *size));
    if (!parts) return damaged();
    QUERN_TRY(write_file(path(key), rest.substr(0, *size)));
    rest.remove_prefix(*size);
    ++count;
  }
  keep_within_limit(limit_);
  return count;
}

}  // namespace quern::base
