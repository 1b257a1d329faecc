#include "driver/decorators/recording/log.hpp"

#include <cerrno>

#include "base/hash.hpp"
#include "base/output_file.hpp"
#include "driver/decorators/messages.hpp"

namespace quern::recording {

using base::Error;
using base::ErrorKind;

base::Result<std::shared_ptr<Log>> Log::create(const std::string& path, const driver::DeviceInfo& device) {
  QUERN_TRY_ASSIGN(base::Descriptor opened,
                   base::open_output(path, base::OutputMode::kTruncate, "the recording"));
  std::FILE* file = ::fdopen(opened.get(), "wb");
  if (file == nullptr) return base::os_error(decorators::message::kCannotWrite(path).text, errno);
  (void)opened.release();  // fclose closes it
  auto log = std::make_shared<Log>(path, file);
  Writer start;
  start.number(kVersion);
  std::fwrite(kMagic.data(), 1, kMagic.size(), file);
  std::fwrite(start.bytes().data(), 1, start.bytes().size(), file);
  Writer head;
  head.text(device.id()).text(device.name).text(device.driver_version);
  QUERN_TRY(log->write(RecordKind::kHead, head.bytes()));
  return log;
}

Log::~Log() { close(); }

void Log::close() {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) return;
  (void)write(RecordKind::kEnd, {});
  std::fclose(file_);
  file_ = nullptr;
}

base::Result<> Log::write(RecordKind kind, const std::string& bytes) {
  if (file_ == nullptr) return {};
  const char tag = static_cast<char>(kind);
  const base::Hash128 hash = base::Hasher(check_).add(std::string_view(&tag, 1)).add(bytes).finish();
  check_ = hash.low;
  Writer front, back;
  front.number(kind).number(uint64_t{bytes.size()});
  back.number(check_);
  bool is_written = true;
  for (const std::string* part : {&front.bytes(), &bytes, &back.bytes()})
    is_written = is_written && std::fwrite(part->data(), 1, part->size(), file_) == part->size();
  if (is_written && std::fflush(file_) == 0) return {};  // a crash in the call must not lose the record
  return base::os_error(decorators::message::kCannotWrite(path_).text, errno);
}

base::Result<uint64_t> Log::call(Call call, const Writer& arguments) {
  Writer record;
  record.text(forward::name(call));
  const std::lock_guard lock(mutex_);
  QUERN_TRY(write(RecordKind::kCall, record.bytes() + arguments.bytes()));
  return ++calls_;
}

void Log::failed(uint64_t call, const Error& error) {
  Writer record;
  record.number(call).text(base::to_string(error.kind())).text(error.message());
  const std::lock_guard lock(mutex_);
  if (error.kind() == ErrorKind::device_lost) pending_.clear();  // their data never arrives
  (void)write(RecordKind::kFailed, record.bytes());
}

void Log::yielded(uint64_t call, std::string_view bytes) {
  Writer record;
  record.number(call).text(bytes);
  const std::lock_guard lock(mutex_);
  (void)write(RecordKind::kData, record.bytes());
}

void Log::gone(const driver::Object&, forward::Wrapper& wrapper) {
  Writer arguments;
  const uint64_t id = wrapper.id;
  arguments.number(id);
  (void)call(Call::kDestroy, arguments);
  const std::lock_guard lock(mutex_);
  std::erase_if(pending_, [&](const Download& d) { return d.point.stream == id; });
  progress_.forget(id);
}

void Log::submitted(uint64_t stream) {
  const std::lock_guard lock(mutex_);
  progress_.submit(stream);
}

void Log::downloads(uint64_t stream, uint64_t call, const void* to, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  pending_.push_back({progress_.submit(stream), call, to, bytes});
}

void Log::recorded(uint64_t stream, uint64_t event) {
  const std::lock_guard lock(mutex_);
  progress_.record(stream, event);
}

void Log::waits(uint64_t stream, uint64_t event) {
  const std::lock_guard lock(mutex_);
  progress_.wait(stream, event);
}

forward::Point Log::last(uint64_t stream) {
  const std::lock_guard lock(mutex_);
  return progress_.last(stream);
}

std::optional<forward::Point> Log::point(uint64_t event) {
  const std::lock_guard lock(mutex_);
  return progress_.recorded(event);
}

void Log::reached(const forward::Point& point) {
  const std::lock_guard lock(mutex_);
  progress_.reach(point);
  std::erase_if(pending_, [this](const Download& d) {
    if (!progress_.is_done(d.point)) return false;
    Writer record;
    record.number(d.call).raw(d.to, d.bytes);
    (void)write(RecordKind::kData, record.bytes());
    return true;
  });
}

}  // namespace quern::recording
