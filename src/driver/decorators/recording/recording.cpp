#include "driver/decorators/recording/recording.hpp"

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "driver/decorators/messages.hpp"
#include "driver/decorators/recording/bytes.hpp"
#include "driver/decorators/recording/format.hpp"

namespace quern::recording {

namespace {

using base::Error;
using base::ErrorKind;

class Parser {
 public:
  Parser(Recording& out, const std::string& name) : out_(out), name_(name), rest_(*out.bytes) {}

  base::Result<> run() {
    QUERN_TRY(start());
    while (!rest_.empty() && !out_.is_complete) QUERN_TRY(record());
    if (!rest_.empty()) return wrong(decorators::message::kDataAfterEnd());
    if (number_ == 0) return wrong(decorators::message::kIsEmpty());
    return {};
  }

 private:
  Error wrong(const base::MessageText& what) const {
    return Error(ErrorKind::bad_input, decorators::message::kRecordingInvalid(name_, what.text, what.hint));
  }
  Error damaged() const { return wrong(decorators::message::kChecksum(std::to_string(number_))); }
  Error senseless() const { return wrong(decorators::message::kUnexpectedContents(std::to_string(number_))); }
  Error cut_off() const { return wrong(decorators::message::kTruncatedInRecord(std::to_string(number_))); }

  std::string_view take(size_t size) {
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(part.size());
    return part;
  }

  base::Result<> start() {
    if (take(kMagic.size()) != kMagic)
      return Error(ErrorKind::bad_input, decorators::message::kNotARecording(name_));
    Reader version(take(4));
    const uint32_t given = version.u32();
    if (!version.ok()) return wrong(decorators::message::kTruncated());
    if (given == kVersion) return {};
    const base::MessageText hint =
        given < kVersion ? decorators::message::kRecordAgain() : decorators::message::kReplayWithOther();
    return wrong(
        decorators::message::kOtherVersion(std::to_string(given), std::to_string(kVersion), hint.text));
  }

  base::Result<> record() {
    ++number_;
    constexpr size_t kFront = 9, kBack = 8;
    if (rest_.size() < kFront + kBack) return cut_off();
    const std::string_view tag = rest_.substr(0, 1);
    Reader front(take(kFront));
    const auto kind = front.number<RecordKind>();
    const uint64_t size = front.u64();
    if (size > rest_.size() - kBack) return cut_off();
    const std::string_view bytes = take(static_cast<size_t>(size));
    check_ = base::Hasher(check_).add(tag).add(bytes).finish().low;
    if (Reader(take(kBack)).u64() != check_) return damaged();
    return understand(kind, Reader(bytes), bytes);
  }

  base::Result<> understand(RecordKind kind, Reader reader, std::string_view bytes) {
    if ((number_ == 1) != (kind == RecordKind::kHead)) return senseless();
    switch (kind) {
      case RecordKind::kHead: return head(reader);
      case RecordKind::kCall: return call(reader, bytes);
      case RecordKind::kFailed: return failure(reader);
      case RecordKind::kData: return data(reader);
      case RecordKind::kEnd: out_.is_complete = true; return {};
    }
    return senseless();
  }

  base::Result<> head(Reader& reader) {
    out_.device = reader.text();
    out_.device_name = reader.text();
    out_.driver_version = reader.text();
    if (!reader.ok() || !reader.at_end()) return senseless();
    return {};
  }

  base::Result<> call(Reader& reader, std::string_view bytes) {
    const std::string_view name = reader.text();
    if (!reader.ok()) return senseless();
    const auto known = forward::find_call(name);
    if (!known) return wrong(decorators::message::kUnknownCall(name));
    out_.calls.push_back({*known, bytes.substr(8 + name.size()), std::nullopt, std::nullopt});
    return {};
  }

  base::Result<> failure(Reader& reader) {
    const uint64_t number = reader.u64();
    Recording::Failure failure;
    failure.kind = reader.text();
    failure.message = reader.text();
    if (!reader.ok() || number == 0 || number > out_.calls.size()) return senseless();
    out_.calls[number - 1].failure = failure;
    return {};
  }

  base::Result<> data(Reader& reader) {
    const uint64_t number = reader.u64();
    const std::string_view bytes = reader.text();
    if (!reader.ok() || number == 0 || number > out_.calls.size()) return senseless();
    out_.calls[number - 1].data = bytes;
    return {};
  }

  Recording& out_;
  const std::string& name_;
  std::string_view rest_;
  uint64_t number_ = 0;
  uint64_t check_ = 0;
};

}  // namespace

base::Result<Recording> parse(std::string bytes, const std::string& name) {
  Recording recording;
  recording.bytes = std::make_shared<const std::string>(std::move(bytes));
  QUERN_TRY(Parser(recording, name).run());
  return recording;
}

base::Result<Recording> read(const std::string& path) {
  QUERN_TRY_ASSIGN(std::string bytes, base::read_file(path));
  return parse(std::move(bytes), path);
}

}  // namespace quern::recording
