// Compiled pipelines as binary archives in the cache of compiled code. Metal reads and writes archives by
// path: they are in a folder that only this user can write, for the duration of a call. Everything here is
// optional: without an archive, Metal compiles the pipeline.
#include <atomic>

#include <unistd.h>

#include "driver/metal/device.hpp"

namespace quern::metal {

namespace {

constexpr uint64_t kMostArchiveBytes = uint64_t{64} << 20;

// A file of the cache folder with a name that no other process uses. Removed at the end.
class ArchiveFile {
 public:
  static Result<ArchiveFile> make(const base::Store& store) {
    QUERN_TRY_ASSIGN(const base::PrivateFolder cache, base::PrivateFolder::open(store.folder()));
    QUERN_TRY_ASSIGN(base::PrivateFolder folder, cache.subfolder("metal"));
    return ArchiveFile(std::move(folder));
  }
  ArchiveFile(ArchiveFile&& other) noexcept
      : folder_(std::move(other.folder_)), name_(std::exchange(other.name_, {})) {}
  ArchiveFile(const ArchiveFile&) = delete;
  ~ArchiveFile() {
    if (!name_.empty()) (void)folder_.remove(name_);
  }

  std::string path() const { return folder_.path() + "/" + name_; }
  Result<> write(std::string_view contents) const { return folder_.write(name_, contents); }
  Result<std::string> read() const { return folder_.read(name_, kMostArchiveBytes); }

 private:
  explicit ArchiveFile(base::PrivateFolder folder) : folder_(std::move(folder)) {
    static std::atomic<uint64_t> count = 0;
    name_ = std::to_string(::getpid()) + "-" + std::to_string(++count) + ".metallib";
  }

  base::PrivateFolder folder_;
  std::string name_;
};

}  // namespace

// The pipeline of the stored archive, or a new one, whose archive is stored. Null: Metal makes no archives
// here, or the function does not compile.
Ref Device::archived_pipeline(Id function, const std::string& key, const std::string& name) {
  if (store_.folder().empty()) return {};
  const Ref descriptor(*api_, api_->send<Id>(api_->objc_getClass("MTLComputePipelineDescriptor"), Sel::kNew));
  if (!descriptor) return {};
  api_->send(descriptor.get(), Sel::kSetComputeFunction, function);
  if (Ref found = find_pipeline(descriptor.get(), key)) return found;
  const Ref archive = open_archive({});
  Id error = nullptr;
  if (!archive || !api_->ask(archive.get(), Sel::kAddFunctions, descriptor.get(), &error)) return {};
  Ref pipeline = pipeline_from(descriptor.get(), archive.get(), 0);
  if (pipeline) keep_archive(archive.get(), key, name);
  return pipeline;
}

// An archive that Metal refuses, after an update for example, counts as missing.
Ref Device::find_pipeline(Id descriptor, const std::string& key) {
  const auto kept = store_.find(key);
  if (!kept) return {};
  const auto file = ArchiveFile::make(store_);
  if (!file.ok() || !file->write(*kept).ok()) return {};
  const Ref archive = open_archive(file->path());
  return archive ? pipeline_from(descriptor, archive.get(), kFailOnArchiveMiss) : Ref();
}

// An empty path: a new archive.
Ref Device::open_archive(const std::string& path) {
  const Ref descriptor(*api_, api_->send<Id>(api_->objc_getClass("MTLBinaryArchiveDescriptor"), Sel::kNew));
  if (!descriptor) return {};
  if (!path.empty())
    api_->send(descriptor.get(), Sel::kSetUrl,
               api_->send<Id>(api_->objc_getClass("NSURL"), Sel::kFileUrl, api_->string_of(path)));
  Id error = nullptr;
  return {*api_, api_->send<Id>(id(), Sel::kNewArchive, descriptor.get(), &error)};
}

Ref Device::pipeline_from(Id descriptor, Id archive, uint64_t options) {
  const Id archives = api_->send<Id>(api_->objc_getClass("NSArray"), Sel::kArrayWithObject, archive);
  api_->send(descriptor, Sel::kSetBinaryArchives, archives);
  Id error = nullptr;
  const Id no_reflection = nullptr;
  return {*api_,
          api_->send<Id>(id(), Sel::kNewDescribedPipeline, descriptor, options, no_reflection, &error)};
}

void Device::keep_archive(Id archive, const std::string& key, const std::string& name) {
  const auto file = ArchiveFile::make(store_);
  if (!file.ok()) return;
  const Id url = api_->send<Id>(api_->objc_getClass("NSURL"), Sel::kFileUrl, api_->string_of(file->path()));
  Id error = nullptr;
  if (url == nullptr || !api_->ask(archive, Sel::kSerialize, url, &error)) return;
  if (const auto contents = file->read(); contents.ok())
    store_.put(key, "pipeline of '" + name + "' for " + found_.info.name, *contents);
}

}  // namespace quern::metal
