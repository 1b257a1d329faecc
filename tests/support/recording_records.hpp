// A recording as a list of records that can be reordered, duplicated, deleted and changed, and written again
// as a file with correct checksums and call numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "driver/decorators/forward/call.hpp"
#include "driver/decorators/recording/bytes.hpp"
#include "driver/decorators/recording/format.hpp"

namespace quern::test {

class RecordingRecords {
 public:
  using Kind = recording::RecordKind;

  // Returns nothing if the bytes are not a sequence of records. Does not verify checksums.
  static std::optional<RecordingRecords> parse(std::string_view file) {
    constexpr size_t kStart = 12, kFront = 9, kBack = 8;
    if (file.size() < kStart || !file.starts_with(recording::kMagic)) return std::nullopt;
    RecordingRecords out;
    uint64_t calls = 0;
    for (file.remove_prefix(kStart); !file.empty();) {
      recording::Reader front(file.substr(0, kFront));
      const auto kind = front.number<Kind>();
      const uint64_t size = front.u64();
      if (!front.ok() || size > file.size() - kFront || file.size() - kFront - size < kBack)
        return std::nullopt;
      calls += kind == Kind::kCall ? 1 : 0;
      out.records_.push_back({kind, kind == Kind::kCall ? calls : 0, std::string(file.substr(kFront, size))});
      file.remove_prefix(kFront + size + kBack);
    }
    return out;
  }

  std::string to_file() const {
    recording::Writer version;
    version.number(recording::kVersion);
    std::string file = std::string(recording::kMagic) + version.bytes();
    uint64_t check = 0;
    for (const Record& r : records_) {
      const char tag = static_cast<char>(r.kind);
      check = base::Hasher(check).add(std::string_view(&tag, 1)).add(r.payload).finish().low;
      recording::Writer front, back;
      front.number(r.kind).number(uint64_t{r.payload.size()});
      back.number(check);
      file += front.bytes() + r.payload + back.bytes();
    }
    return file;
  }

  // Changes of the order. References to calls follow their calls, so that most results can be replayed for a
  // while. No kernel, argument or size changes. Positions are those of records; 0 is the head record, which
  // stays. Each returns a description of the change.
  static constexpr uint32_t kOrderChanges = 4;
  std::string change_order(uint32_t kind, size_t from, size_t to) {
    if (records_.size() < 3) return "nothing";
    from = 1 + from % (records_.size() - 1);
    to = 1 + to % (records_.size() - 1);
    std::string what;
    switch (kind % kOrderChanges) {
      case 0:
        what = "delete " + describe(from);
        records_.erase(at(from));
        break;
      case 1: {
        what = "duplicate " + describe(from) + " at " + std::to_string(to);
        Record copy = records_[from];
        copy.number = 0;  // references name the first
        records_.insert(at(to), std::move(copy));
        break;
      }
      case 2: {
        what = "move " + describe(from) + " to " + std::to_string(to);
        Record moved = std::move(records_[from]);
        records_.erase(at(from));
        records_.insert(at(std::min(to, records_.size())), std::move(moved));
        break;
      }
      default:
        what = "swap " + describe(from) + " and " + describe(to);
        std::swap(records_[from], records_[to]);
        break;
    }
    renumber();
    return what;
  }

  // Makes one random change, of the order or of a record. Changed sizes let kernels access memory out of
  // bounds: for the simulator only.
  template <typename Random>
  std::string mutate(Random& random) {
    if (records_.size() < 3) return "nothing";
    const auto kind = static_cast<uint32_t>(random() % (kOrderChanges + 2));
    const size_t from = pick(random), to = pick(random);
    if (kind < kOrderChanges) return change_order(kind, from - 1, to - 1);
    return kind == kOrderChanges ? retarget(from, random) : change(from, random);
  }

  // Without the records that refer to deleted calls, directly or through others.
  RecordingRecords without_dangling() const {
    RecordingRecords out = *this;
    const auto is_dangling = [](const Record& r) {
      const std::vector<size_t> places = references(r);
      return std::any_of(places.begin(), places.end(),
                         [&](size_t p) { return read(r.payload, p) == kNowhere; });
    };
    while (std::erase_if(out.records_, is_dangling) != 0) out.renumber();
    return out;
  }

  size_t size() const { return records_.size(); }

 private:
  struct Record {
    Kind kind;
    uint64_t number;  // of a call, before it was moved; 0: none
    std::string payload;
  };

  static constexpr uint64_t kNowhere = uint64_t{1} << 40;  // not the number of any call

  std::vector<Record>::iterator at(size_t i) { return records_.begin() + static_cast<ptrdiff_t>(i); }
  // Not the head record.
  template <typename Random>
  size_t pick(Random& random) const {
    return 1 + static_cast<size_t>(random() % (records_.size() - 1));
  }

  static std::string_view call_name(const Record& r) {
    return r.kind == Kind::kCall ? recording::Reader(r.payload).text() : std::string_view("data");
  }
  std::string describe(size_t i) const {
    return "record " + std::to_string(i) + " (" + std::string(call_name(records_[i])) + ")";
  }

  static uint64_t read(const std::string& bytes, size_t at) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }

  // The positions of call numbers in the payload.
  static std::vector<size_t> references(const Record& r) {
    std::vector<size_t> places;
    if (r.kind == Kind::kFailed || r.kind == Kind::kData) places = {0};
    if (r.kind == Kind::kCall) {
      using forward::Call;
      const std::string_view name = call_name(r);
      const size_t start = 8 + name.size();
      switch (forward::find_call(name).value_or(Call::kStart)) {
        case Call::kAllocate:
        case Call::kLoad:
        case Call::kCreateStream:
        case Call::kCreateEvent:
        case Call::kStart:
        case Call::kDevices:
        case Call::kOpen: break;
        case Call::kUpload:
        case Call::kDownload:
        case Call::kFill:
        case Call::kRecord:
        case Call::kStreamWait: places = {start, start + 8}; break;
        case Call::kCopy: places = {start, start + 8, start + 24}; break;
        case Call::kLaunch: places = launch_references(r.payload, start); break;
        default: places = {start};
      }
    }
    std::erase_if(places, [&](size_t p) { return p + 8 > r.payload.size(); });
    return places;
  }

  static std::vector<size_t> launch_references(const std::string& payload, size_t start) {
    std::vector<size_t> places = {start, start + 8};
    constexpr size_t kShape = 12 + 12 + 8 + 1 + 12;
    size_t next = start + 16 + kShape;
    if (next + 8 > payload.size()) return places;
    const uint64_t count = read(payload, next);
    next += 8;
    for (uint64_t i = 0; i < count && next + 24 <= payload.size(); ++i) {
      places.push_back(next);
      const uint64_t bytes = read(payload, next + 16);
      if (bytes > payload.size()) break;
      next += 24 + bytes;
    }
    return places;
  }

  void renumber() {
    std::vector<std::pair<uint64_t, uint64_t>> numbers;  // old and new
    uint64_t calls = 0;
    for (Record& r : records_) {
      if (r.kind != Kind::kCall) continue;
      ++calls;
      if (r.number != 0) numbers.emplace_back(r.number, calls);
      r.number = calls;
    }
    for (Record& r : records_) {
      for (const size_t place : references(r)) {
        const uint64_t before = read(r.payload, place);
        if (before == 0) continue;  // null
        const auto found =
            std::find_if(numbers.begin(), numbers.end(), [&](const auto& n) { return n.first == before; });
        const uint64_t now = found != numbers.end() ? found->second : kNowhere;
        std::memcpy(r.payload.data() + place, &now, sizeof now);
      }
    }
  }

  // Arguments of launches are kept: a kernel with another buffer may write out of bounds, which is not the
  // replay's fault.
  template <typename Random>
  std::string retarget(size_t i, Random& random) {
    const std::vector<size_t> places = references(records_[i]);
    if (places.empty()) return "nothing";
    const uint64_t other = random() % records_.size();
    const size_t most = call_name(records_[i]) == "launch" ? 2 : places.size();
    const size_t place = places[random() % std::min(most, places.size())];
    std::memcpy(records_[i].payload.data() + place, &other, sizeof other);
    return "let " + describe(i) + " name call " + std::to_string(other);
  }

  // A number near the end of the arguments: offsets and sizes. Launch sizes are kept, because they only take
  // long.
  template <typename Random>
  std::string change(size_t i, Random& random) {
    std::string& payload = records_[i].payload;
    const std::string_view name = call_name(records_[i]);
    if (name == "launch" || name == "load" || payload.size() < 16 + name.size()) return "nothing";
    const size_t first = records_[i].kind == Kind::kCall ? 8 + name.size() : 8;
    const size_t place = first + random() % (payload.size() - first);
    payload[place] = static_cast<char>(random() % 4 == 0 ? random() : payload[place] ^ 1);
    return "change byte " + std::to_string(place) + " of " + describe(i);
  }

  std::vector<Record> records_;
};

}  // namespace quern::test
