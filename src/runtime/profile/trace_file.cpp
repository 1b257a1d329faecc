#include "runtime/profile/trace_file.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/job_rank.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/output_file.hpp"
#include "base/program_path.hpp"
#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::profile {

namespace {

constexpr uint32_t kHost = 1;
constexpr uint32_t kStreams = 1000;  // maximum number of threads per process

uint32_t thread_of(uint32_t process, uint32_t stream) { return process * kStreams + stream; }

void append(std::string& text, uint64_t number) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

std::string dimensions(const driver::Dim3& d) { return base::format("%u,%u,%u", d.x, d.y, d.z); }

std::string program_name() {
  const std::string path = base::program_path();
  return path.empty() ? "host" : std::string(base::path_name(path));
}

// Locked by this process, and truncated. Nothing: another process has locked it.
base::Result<std::optional<base::Descriptor>> open_alone(const std::string& path) {
  QUERN_TRY_ASSIGN(base::Descriptor file, base::open_output(path, base::OutputMode::kKeep, "the trace"));
  struct stat status = {};
  const bool is_file = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  // A pipe or a device cannot be locked.
  if (is_file && (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || ::ftruncate(file.get(), 0) != 0))
    return std::optional<base::Descriptor>();
  return std::optional(std::move(file));
}

std::string with_process_id(const std::string& path) {
  const std::string extension(base::path_extension(path));
  return path.substr(0, path.size() - extension.size()) + "." + std::to_string(::getpid()) + extension;
}

// Time 0 in microseconds since 1970, and the rank: `quern profile --merge` aligns traces by them.
std::string origin_event(uint64_t start) {
  using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::nanoseconds;
  const auto past = std::chrono::steady_clock::now().time_since_epoch() - nanoseconds(start);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  base::JsonWriter json;
  json.begin_object().member("ph", "M").member("name", "quern_origin").member("pid", kHost).member("tid", 1);
  json.key("args").begin_object();
  json.member("microseconds", static_cast<uint64_t>(duration_cast<microseconds>(now - past).count()));
  if (const auto place = base::job_rank()) json.member("rank", place->rank).member("ranks", place->size);
  json.end_object().end_object();
  return json.take() + ",\n";
}

}  // namespace

base::Result<std::unique_ptr<TraceFile>> TraceFile::open(const std::string& path, uint64_t start) {
  QUERN_TRY_ASSIGN(std::optional<base::Descriptor> file, open_alone(path));
  if (!file) {
    QUERN_TRY_ASSIGN(file, open_alone(with_process_id(path)));
  }
  if (!file) return base::os_error(runtime::message::kTraceFile(path).text, EWOULDBLOCK);
  std::unique_ptr<TraceFile> trace(new TraceFile(file->release(), start));
  trace->text_ = "[\n";
  trace->add_metadata("process_name", kHost, 1, program_name());
  const std::string rank = base::job_rank_text();
  trace->add_metadata("process_labels", kHost, 1,
                      (rank.empty() ? rank : rank + ", ") + "process " + std::to_string(::getpid()));
  trace->text_ += origin_event(start);
  return trace;
}

TraceFile::~TraceFile() {
  if (file_ >= 0) ::close(file_);
}

void TraceFile::begin(char phase, std::string_view name, uint32_t process, uint32_t thread) {
  text_ += "{\"ph\":\"";
  text_ += phase;
  text_ += "\",\"name\":";
  text_ += base::json_quote(name);
  member("pid", process);
  member("tid", thread);
}

void TraceFile::member(const char* name, uint64_t number) {
  text_ += ",\"";
  text_ += name;
  text_ += "\":";
  append(text_, number);
}

void TraceFile::member(const char* name, std::string_view text) {
  text_ += ",\"";
  text_ += name;
  text_ += "\":";
  text_ += base::json_quote(text);
}

// Microseconds with three decimals: nanosecond resolution.
void TraceFile::time(const char* name, uint64_t nanoseconds) {
  member(name, nanoseconds / 1000);
  const auto rest = static_cast<uint32_t>(nanoseconds % 1000);
  text_ += '.';
  text_ += static_cast<char>('0' + rest / 100);
  text_ += static_cast<char>('0' + rest / 10 % 10);
  text_ += static_cast<char>('0' + rest % 10);
}

void TraceFile::add_metadata(const char* what, uint32_t process, uint32_t thread, std::string_view value) {
  begin('M', what, process, thread);
  text_ += ",\"args\":{\"";
  text_ += std::strcmp(what, "process_labels") == 0 ? "labels" : "name";
  text_ += "\":";
  text_ += base::json_quote(value);
  text_ += '}';
  end();
}

void TraceFile::add_device(uint32_t process, std::string_view label, std::string_view id) {
  if (!is_new(process, 0)) return;
  add_metadata("process_name", process, thread_of(process, 1), label);
  add_metadata("process_labels", process, thread_of(process, 1), id);
}

void TraceFile::add_stream(uint32_t process, uint32_t stream) {
  const uint32_t thread = thread_of(process, stream);
  if (is_new(process, thread))
    add_metadata("thread_name", process, thread, "stream " + std::to_string(stream));
}

void TraceFile::add_thread(uint32_t thread) {
  if (is_new(kHost, thread))
    add_metadata("thread_name", kHost, thread, "host thread " + std::to_string(thread));
}

void TraceFile::add_call(const Site& site, uint32_t thread, uint64_t from, uint64_t to, uint64_t flow) {
  begin('X', (site.kind == Kind::kKernel ? "launch " : "submit ") + site.name, kHost, thread);
  member("cat", "call");
  at(from);
  time("dur", to - from);
  end();
  begin('s', "launch", kHost, thread);
  member("cat", "launch");
  member("id", flow);
  at(from);
  end();
}

void TraceFile::add_run(const Site& site, uint32_t process, uint32_t stream, uint64_t from, uint64_t to,
                        uint64_t flow, TimedBy timed_by) {
  const bool is_kernel = site.kind == Kind::kKernel;
  const uint32_t on = thread_of(process, stream);
  begin('X', site.name, process, on);
  member("cat", name(site.kind));
  at(from);
  time("dur", to - from);
  text_ += ",\"args\":{\"bytes\":";
  append(text_, site.bytes);
  if (is_kernel && site.grid.count() != 0) {
    member("grid", dimensions(site.grid));
    member("block", dimensions(site.block));
    if (site.shared_bytes != 0) member("shared_bytes", site.shared_bytes);
    if (site.occupancy >= 0)
      member("occupancy_percent", static_cast<uint64_t>(std::lround(site.occupancy * 100)));
  }
  if (timed_by != TimedBy::kDevice) member("clock", timed_by == TimedBy::kHost ? "host" : "mean");
  text_ += '}';
  end();
  if (flow == 0) return;
  begin('f', "launch", process, on);
  member("cat", "launch");
  member("bp", "e");
  member("id", flow);
  at(from);
  end();
}

void TraceFile::add_counter(const HostEvent& event) {
  begin('C', event.name, event.process, thread_of(event.process, 1));
  at(event.begin);
  text_ += ",\"args\":{";
  for (const auto& [series, value] : event.series) {
    if (text_.back() != '{') text_ += ',';
    text_ += base::json_quote(series) + ":" + base::format_double(value);
  }
  text_ += '}';
  end();
}

void TraceFile::add(const HostEvent& event) {
  if (event.what == HostEvent::What::kCounter) return add_counter(event);
  if (event.what == HostEvent::What::kMemory) {
    begin('C', "memory", event.process, thread_of(event.process, 1));
    at(event.begin);
    text_ += ",\"args\":{\"in use\":";
    append(text_, event.in_use);
    member("reserved", event.reserved);
    text_ += '}';
    return end();
  }
  add_thread(event.thread);
  const bool is_slice = event.what == HostEvent::What::kSlice;
  begin(is_slice ? 'X' : 'i', event.name, kHost, event.thread);
  member("cat", event.category);
  at(event.begin);
  if (is_slice) {
    time("dur", event.end - event.begin);
  } else {
    member("s", "t");
  }
  end();
}

void TraceFile::flush() {
  const char* from = text_.data();
  size_t left = text_.size();
  while (left > 0 && file_ >= 0) {
    const ssize_t written = ::write(file_, from, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {  // disk full: the file stays readable
      base::log(base::LogLevel::kError, "writing the trace failed: %s; the trace ends here",
                std::strerror(errno));
      ::close(file_);
      file_ = -1;
      break;
    }
    from += written;
    left -= static_cast<size_t>(written);
  }
  text_.clear();
}

void TraceFile::close(uint64_t now, uint64_t dropped) {
  begin('i', "end of profile", kHost, 1);
  member("cat", "profile");
  member("s", "g");
  at(now);
  text_ += ",\"args\":{\"dropped\":";
  append(text_, dropped);
  text_ += "}}\n]\n";
  flush();
}

}  // namespace quern::profile
