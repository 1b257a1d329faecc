#include "runtime/error_history.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/private_folder.hpp"
#include "base/program_path.hpp"
#include "base/text.hpp"
#include "runtime/status.hpp"

namespace quern::runtime {

namespace {

constexpr uint32_t kMostWritten = 20;      // per process, so that a failing loop does not flood the file
constexpr uint64_t kMostBytes = 32 << 10;  // then the older half is removed
constexpr uint64_t kMostRead = 16 << 20;   // a longer file was not written by us
constexpr size_t kMostText = 500;          // of one error

constexpr const char* kFile = "errors";  // in the cache folder

// "   12 |   out[i] = x;" or "      |   ^": a line of the user's program in a diagnostic.
bool is_excerpt(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of("0123456789"), line.size()));
  return line.starts_with(" |") || line.starts_with('|');
}

// The text for the file: without source lines, and truncated.
std::string written_text(const std::string& text) {
  std::string out;
  for (const std::string_view line : base::split_lines(text)) {
    if (is_excerpt(line)) continue;
    if (!out.empty()) out += '\n';
    out += line;
  }
  if (out.size() > kMostText) out.resize(kMostText);
  return out;
}

// One line of JSON in a single atomic write.
void write_line(const PastError& error) {
  if (!base::env_flag("QUERN_ERRORS", true).value_or(true)) return;
  const auto folder = base::open_cache_folder();
  if (!folder.ok()) return;
  base::JsonWriter json;
  json.begin_object().member("time", error.time).member("process", static_cast<int64_t>(::getpid()));
  json.member("program", base::path_name(base::program_path()));
  json.member("kind", base::to_string(error.kind)).member("device", error.device);
  json.member("kernel", error.kernel).member("stream", error.stream);
  json.member("text", written_text(error.text)).end_object();
  const auto size = folder->append(kFile, json.take() + '\n');
  if (!size.ok() || *size <= kMostBytes) return;
  if (const auto all = folder->read(kFile, kMostRead); all.ok()) {
    const size_t half = all->find('\n', all->size() / 2);
    if (half != std::string::npos) (void)folder->write(kFile, std::string_view(*all).substr(half + 1)).ok();
  }
}

}  // namespace

std::string kept_errors() {
  const auto folder = base::open_cache_folder();
  return folder.ok() ? folder->read(kFile, kMostRead).value_or(std::string()) : std::string();
}

ErrorHistory& ErrorHistory::instance() {
  static ErrorHistory* const kHistory = new ErrorHistory();  // errors may occur during process exit
  return *kHistory;
}

void ErrorHistory::add(PastError error) {
  keep(std::move(error));
  write_status();
}

void ErrorHistory::keep(PastError error) {
  error.time = static_cast<int64_t>(std::time(nullptr));
  const std::lock_guard lock(mutex_);
  ++counts_[static_cast<size_t>(error.kind)];
  if (written_ < kMostWritten) {
    ++written_;
    write_line(error);
  }
  last_.push_back(std::move(error));
  if (last_.size() > kLast) last_.pop_front();
}

void ErrorHistory::clear() {
  const std::lock_guard lock(mutex_);
  counts_ = {};
  last_.clear();
}

ErrorHistory::Copy ErrorHistory::copy() const {
  const std::lock_guard lock(mutex_);
  return {counts_, {last_.begin(), last_.end()}};
}

std::string render(const base::Error& error, const std::string& device, const std::string& kernel,
                   uint32_t stream) {
  std::string where;
  const auto add = [&](const std::string& text, const std::string& unless) {
    if (error.message().find(unless) == std::string::npos) where += (where.empty() ? "" : ", ") + text;
  };
  if (!device.empty()) add(device, device);
  if (!kernel.empty()) add("kernel '" + kernel + "'", kernel);
  if (stream > 1) add("stream " + std::to_string(stream), "stream " + std::to_string(stream));
  std::string text = error.to_string();
  if (where.empty()) return text;
  const size_t at = std::string(base::to_string(error.kind())).size() + 2 + error.message().size();
  text.insert(at, "\n  on " + where);
  return text;
}

}  // namespace quern::runtime
