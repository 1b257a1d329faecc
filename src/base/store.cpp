#include "base/store.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <thread>

#include <sys/file.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/messages.hpp"
#include "base/output_file.hpp"
#include "base/store_entry.hpp"
#include "base/store_watch.hpp"
#include "base/text.hpp"

namespace quern::base {

namespace {

constexpr std::string_view kSuffix = ".kept";
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of one entry
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kUsualLimit = 1024;  // MiB
constexpr std::uint64_t kMostMebibytes = std::uint64_t{1} << 40;
constexpr std::int64_t kFresh = 60;        // seconds in which a repeated use is not recorded
constexpr std::int64_t kAbandoned = 3600;  // seconds after which a half-written file or a lock is abandoned
constexpr auto kPatience = std::chrono::milliseconds(100);

std::int64_t now() { return static_cast<std::int64_t>(std::time(nullptr)); }

// A lock between processes. The holder removes the file, and those that waited find the entry; locks of
// killed processes are removed when the folder is trimmed.
class KeyLock {
 public:
  KeyLock(const PrivateFolder& folder, std::string name) : folder_(folder), name_(std::move(name)) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    auto file = folder_.open_file(name_);
    if (!file.ok()) return;
    while (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
      if (std::chrono::steady_clock::now() >= end) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    file_ = std::move(*file);
  }
  KeyLock(const KeyLock&) = delete;
  KeyLock& operator=(const KeyLock&) = delete;
  ~KeyLock() {
    if (file_.get() >= 0) (void)folder_.remove(name_);
  }

 private:
  const PrivateFolder& folder_;
  std::string name_;
  Descriptor file_;
};

using Found = PrivateFolder::File;

std::string name_of(const std::string& key) { return key + std::string(kSuffix); }

std::string key_of(const std::string& name) {
  if (!std::string_view(name).ends_with(kSuffix)) return {};
  const std::string key = name.substr(0, name.size() - kSuffix.size());
  return is_store_key(key) ? key : std::string();
}

bool is_abandoned(const Found& file) {
  const std::string_view name = file.name;
  return (name.ends_with(".tmp") || name.ends_with(".lock")) && now() - file.used > kAbandoned;
}

Error cannot_remove(const std::string& file, int failure) {
  return os_error("cannot remove '" + file + "'", failure);
}

// The folder "code" in the cache folder.
Result<PrivateFolder> open_code_folder(const std::string& cache) {
  QUERN_TRY_ASSIGN(const PrivateFolder folder, PrivateFolder::open(cache));
  return folder.subfolder("code");
}

}  // namespace

Store::Store(std::string folder, std::uint64_t limit) : limit_(limit), unchecked_(0) {
  const std::string all = folder.empty() ? cache_folder() : std::move(folder);
  if (limit_ == 0) {
    const auto wanted = env_uint("QUERN_CACHE_LIMIT", kUsualLimit);
    limit_ = std::clamp<std::uint64_t>(wanted.value_or(kUsualLimit), 1, kMostMebibytes) * kMebibyte;
  }
  unchecked_ = limit_;  // the first write measures the folder
  if (all.empty()) {
    why_not_ = why_no_cache_folder();
    return;
  }
  auto opened = open_code_folder(all);
  if (opened.ok()) {
    files_ = std::move(*opened);
    folder_ = files_->path();
    return;
  }
  warn_unsafe_cache(opened.error());
  why_not_ = opened.error().message();
}

Result<> Store::must_keep() const {
  if (files_) return {};
  return Error(ErrorKind::bad_input, message::kCacheDisabled(why_not_));
}

std::string Store::path(const std::string& key) const { return join_path(folder_, name_of(key)); }

std::optional<Store::Entry> Store::read(const std::string& key, std::string* contents) const {
  const auto info = files_->info(name_of(key));
  if (!info.ok()) return std::nullopt;
  Entry entry{key, "", info->bytes, info->used, false};
  const auto bytes = files_->read(name_of(key), kMostBytes);
  if (!bytes.ok()) return entry;
  if (const auto unpacked = unpack_entry(key, *bytes)) {
    entry.is_whole = true;
    entry.label = unpacked->label;
    if (contents != nullptr) *contents = unpacked->contents;
  }
  return entry;
}

std::optional<std::string> Store::find(const std::string& key) const {
  if (!files_ || !is_store_key(key)) return std::nullopt;
  std::string contents;
  const std::optional<Entry> entry = read(key, &contents);
  const bool is_there = entry && entry->is_whole;
  notify_store_watch(is_there ? "found" : "missing", key);
  if (!is_there) return std::nullopt;
  if (now() - entry->used > kFresh) files_->touch(name_of(key));
  return contents;
}

void Store::put(const std::string& key, std::string_view label, std::string_view contents) const {
  if (!files_ || !is_store_key(key) || contents.size() > std::min(kMostBytes / 2, limit_)) return;
  const std::string file = pack_entry(key, label, contents);
  if (!files_->write(name_of(key), file).ok()) return;  // made again next time
  notify_store_watch("kept", key);
  keep_within_limit(file.size());
}

// Measured after writes of 1/16 of the limit, so that the limit is exceeded by at most that.
void Store::keep_within_limit(std::uint64_t added) const {
  if (unchecked_.fetch_add(added, std::memory_order_relaxed) + added < limit_ / 16) return;
  unchecked_.store(0, std::memory_order_relaxed);
  if (!trim(limit_ - limit_ / 16).ok()) return;
}

Result<std::string> Store::get(const std::string& key, std::string_view label,
                               const std::function<Result<std::string>()>& make) const {
  if (std::optional<std::string> kept = find(key)) return std::move(*kept);
  if (!files_ || !is_store_key(key)) return make();
  const KeyLock lock(*files_, key + ".lock");
  if (std::optional<std::string> kept = find(key)) return std::move(*kept);
  QUERN_TRY_ASSIGN(std::string made, make());
  put(key, label, made);
  return made;
}

Result<std::vector<Store::Entry>> Store::list() const {
  std::vector<Entry> out;
  if (!files_) return out;
  QUERN_TRY_ASSIGN(const std::vector<Found> files, files_->list());
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
    const int failure = files_->remove(name_of(e.key));
    if (failure != 0 && failure != ENOENT) return cannot_remove(path(e.key), failure);
  }
  return all;
}

Result<std::uint64_t> Store::trim(std::uint64_t limit) const {
  std::uint64_t gone = 0, total = 0;
  std::optional<Error> refused;
  if (!files_) return gone;
  QUERN_TRY_ASSIGN(std::vector<Found> files, files_->list());
  const auto remove = [&](const Found& file) {
    const int failure = files_->remove(file.name);
    if (failure == 0) {
      gone += file.bytes;
    } else if (failure != ENOENT && !refused) {
      refused = cannot_remove(join_path(folder_, file.name), failure);
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

Result<std::size_t> Store::write_archive(const std::string& to) const {
  QUERN_TRY(must_keep());
  std::string out(kArchiveMagic);
  std::size_t count = 0;
  QUERN_TRY_ASSIGN(const std::vector<Entry> all, list());
  for (const Entry& e : all) {
    const auto file = e.is_whole ? files_->read(name_of(e.key), kMostBytes) : Error(ErrorKind::io, "");
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
  QUERN_TRY_ASSIGN(const std::vector<ArchivedEntry> entries, parse_archive(from, file));
  for (const ArchivedEntry& e : entries) QUERN_TRY(files_->write(name_of(e.key), e.file));
  keep_within_limit(limit_);
  return entries.size();
}

}  // namespace quern::base
