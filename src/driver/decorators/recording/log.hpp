// Writes the recording: calls in order, and the data of downloads as soon as they are known to be complete.
// Shared by the device and its objects. Thread-safe.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/decorators/forward/call.hpp"
#include "driver/decorators/forward/object.hpp"
#include "driver/decorators/forward/progress.hpp"
#include "driver/decorators/recording/bytes.hpp"
#include "driver/decorators/recording/format.hpp"

namespace quern::recording {

using forward::Call;

class Log final : public forward::Watcher {
 public:
  static base::Result<std::shared_ptr<Log>> create(const std::string& path, const driver::DeviceInfo& device);
  Log(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  ~Log() override;

  // Writes the call; returns its number.
  base::Result<uint64_t> call(Call call, const Writer& arguments);
  void failed(uint64_t call, const base::Error& error);
  void yielded(uint64_t call, std::string_view bytes);
  void gone(const driver::Object& object, forward::Wrapper& wrapper) override;
  void close();

  // Progress of the streams.
  void submitted(uint64_t stream);
  void downloads(uint64_t stream, uint64_t call, const void* to, uint64_t bytes);
  void recorded(uint64_t stream, uint64_t event);
  void waits(uint64_t stream, uint64_t event);
  forward::Point last(uint64_t stream);
  std::optional<forward::Point> point(uint64_t event);
  void reached(const forward::Point& point);  // downloads up to there are complete

 private:
  struct Download {
    forward::Point point;
    uint64_t call = 0;
    const void* to = nullptr;
    uint64_t bytes = 0;
  };
  base::Result<> write(RecordKind kind, const std::string& bytes);

  std::string path_;
  std::FILE* file_;
  std::mutex mutex_;
  uint64_t calls_ = 0;
  uint64_t check_ = 0;
  forward::Progress progress_;
  std::vector<Download> pending_;
};

}  // namespace quern::recording
