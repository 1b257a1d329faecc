// One Metal device behind the driver interface. A stream is a command queue; each submission is one command
// buffer, which signals the stream's shared event at its end. Streams wait for each other's events on the
// device. A graph is encoded again each time it runs, into one command buffer.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/store.hpp"
#include "driver/metal/api.hpp"
#include "driver/support/command_device.hpp"

namespace quern::metal {

using driver::Command;

// A device as the driver found it.
struct Found {
  std::shared_ptr<const Api> api;
  Ref id;
  driver::DeviceInfo info;
  bool is_unified = false;  // host and device share all memory
};

/// Everything the device reports about its properties.
Found describe(const std::shared_ptr<const Api>& api, Ref id);

// The allocated MTLBuffers of a device, for kernels that reach memory through pointers in memory.
struct LiveBuffers {
  std::mutex mutex;
  std::set<Id> all;
};

class Buffer final : public driver::Buffer {
 public:
  Buffer(Ref memory, std::shared_ptr<LiveBuffers> live);
  ~Buffer() override;
  Id id() const { return memory_.get(); }

  std::byte* contents = nullptr;  // null: private storage

 private:
  Ref memory_;
  std::shared_ptr<LiveBuffers> live_;
};

class Module final : public driver::ReportingModule {  // without the code's bytes
 public:
  Ref library;
  std::string identity;  // hash of everything that its pipelines depend on
};

class Kernel final : public driver::Kernel {
 public:
  Ref pipeline;
  Module* program = nullptr;
  uint32_t execution_width = 0;  // threads of a SIMD-group
};

// A copy to host memory after its command buffer has completed.
struct HostCopy {
  void* to = nullptr;
  const std::byte* from = nullptr;  // contents of `staging`
  Ref staging;
  uint64_t bytes = 0;
};

// A submitted command buffer.
struct Submission {
  Ref commands;
  uint64_t value = 0;  // of the stream's event, at its end
  std::vector<HostCopy> copies;
};

// The submissions of a stream. Marks share it, so that they may outlive the stream.
struct Line {
  Ref event;  // MTLSharedEvent
  std::mutex mutex;
  std::deque<Submission> in_flight;
  std::atomic<uint64_t> done{0};  // value known to be reached
};

struct Point {
  std::shared_ptr<Line> line;
  uint64_t value = 0;
};

struct Mark final : driver::Mark {
  Mark(std::shared_ptr<const Api> a, Point p, Ref c)
      : api(std::move(a)), point(std::move(p)), commands(std::move(c)) {}
  std::shared_ptr<const Api> api;
  Point point;
  Ref commands;
};

class Device;

class Stream final : public driver::ReportingStream {
 public:
  explicit Stream(Device& device) : device_(device) {}
  ~Stream() override;

  Ref queue;
  std::shared_ptr<Line> line;
  Ref last_commands;         // of the last submission; null: there was none
  uint64_t last = 0;         // its value
  std::vector<Point> waits;  // for the next submission

 private:
  Device& device_;
};

// A command buffer that is being encoded. At most one encoder is open.
struct Encoding {
  enum class Kind : uint8_t { kNone, kCompute, kBlit };
  Id commands = nullptr;  // autoreleased
  Id encoder = nullptr;
  Kind kind = Kind::kNone;
  std::vector<HostCopy> copies;
};

class Device final : public driver::CommandDevice {
 public:
  static Result<std::unique_ptr<driver::Device>> open(const Found& found);
  ~Device() override;

  const driver::DeviceInfo& info() const override { return found_.info; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;
  uint64_t free_memory() override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override;
  driver::Occupancy occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) override;

  // commands.cpp
  Result<std::unique_ptr<driver::Graph>> make_graph(std::span<const Command> commands) override;

  // stream.cpp
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override;
  void drain(Stream& stream);  // waits for its work

 private:
  explicit Device(const Found& found) : found_(found), api_(found.api) {}

  Result<> start();
  Id id() const { return found_.id.get(); }
  Result<driver::ClockPair> align();
  // The error of a message that returned nil; `error` is its NSError, or nil.
  base::Error failed(std::string_view what, Id error, base::ErrorKind kind) const;
  base::Error no_memory(uint64_t bytes) const;

  // memory.cpp
  Result<Ref> make_buffer(uint64_t bytes, uint64_t options);
  Result<std::byte*> touch(driver::Stream& stream, driver::Place place) override;

  // module.cpp
  Result<Ref> compile(const std::string& text, const std::string& name, driver::Math math);
  Result<Ref> make_pipeline(Id library, const std::string& entry, const std::string& name,
                            const std::string& identity = {});
  std::string identity_of(const driver::Code& code) const;
  Result<> make_byte_kernels();

  // archive.cpp
  Ref archived_pipeline(Id function, const std::string& key, const std::string& name);
  Ref find_pipeline(Id descriptor, const std::string& key);
  Ref open_archive(const std::string& path);
  Ref pipeline_from(Id descriptor, Id archive, uint64_t options);
  void keep_archive(Id archive, const std::string& key, const std::string& name);

  // stream.cpp
  Result<> submit(Stream& stream, Encoding& encoding);
  Result<Encoding> begin(Stream& stream);
  Result<> retire(Line& line);
  Result<> retire_all();
  Result<> wait_on(const Point& point);
  Result<std::shared_ptr<driver::Mark>> set_mark(driver::Stream& stream) override;
  Result<> follow(driver::Stream& stream, driver::Mark& mark) override;
  Result<bool> is_passed(driver::Mark& mark) override;
  Result<> wait_for(driver::Mark& mark) override;
  Result<> finish(driver::Stream& stream) override;
  Result<uint64_t> ticks(const driver::Mark& mark) override;

  // commands.cpp
  Result<> run(driver::Stream& stream, std::span<const Command> commands) override;
  Result<> encode(Stream& stream, Encoding& encoding, const Command& command);
  Result<> open_encoder(Encoding& encoding, Encoding::Kind kind);
  void end_encoder(Encoding& encoding) const;
  Result<> encode_upload(Encoding& encoding, const Command& command);
  Result<> encode_download(Encoding& encoding, const Command& command);
  Result<> encode_fill(Encoding& encoding, const Command& command);
  Result<> encode_copy(Encoding& encoding, Id to, uint64_t to_offset, Id from, uint64_t from_offset,
                       uint64_t bytes);
  Result<> encode_launch(Encoding& encoding, const Kernel& kernel, const driver::Launch& launch);
  Result<> bind(Id encoder, const Kernel& kernel, const driver::Launch& launch);
  void dispatch_bytes(Id encoder, uint64_t bytes) const;

  const Found found_;
  std::shared_ptr<const Api> api_;
  std::shared_ptr<LiveBuffers> live_ = std::make_shared<LiveBuffers>();
  std::unique_ptr<driver::Buffer> nothing_;     // bound for null
  Ref byte_library_, copy_bytes_, fill_bytes_;  // pipelines for what blits cannot do
  std::mutex bytes_mutex_;
  base::Store store_;  // binary archives of pipelines
  std::mutex lines_mutex_;
  std::vector<std::weak_ptr<Line>> lines_;
};

inline Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }
inline Id id_of(const driver::Buffer& buffer) { return static_cast<const Buffer&>(buffer).id(); }

}  // namespace quern::metal
