#include "driver/recording/replay.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "driver/checked/device.hpp"
#include "driver/recording/bytes.hpp"
#include "driver/recording/code.hpp"

namespace quern::recording {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Result;

unsigned long long ull(uint64_t v) { return v; }

// The objects of one kind by the numbers of the calls that made them.
template <typename T>
using Table = std::map<uint64_t, std::unique_ptr<T>>;

class Replay {
 public:
  Replay(const Recording& recording, driver::Device& device)
      : recording_(recording), device_(checked::wrap(device, std::make_shared<checked::Violations>())) {}

  ~Replay() {
    for (auto& [number, queue] : queues_) (void)device_->synchronize(*queue);
    release(kernels_);
    release(programs_);
    release(events_);
    release(buffers_);
    release(queues_);
  }

  Result<Outcome> run() {
    for (number_ = 1; number_ <= recording_.calls.size(); ++number_) {
      const bool goes_on = judge(make(Reader(entry().arguments)));
      if (bad_) return std::move(*bad_);
      ++out_.calls;
      if (!goes_on) break;
    }
    for (auto& [number, queue] : queues_) (void)device_->synchronize(*queue);
    compare();
    return std::move(out_);
  }

 private:
  struct Download {
    uint64_t number = 0;
    std::vector<std::byte> bytes;
    std::string_view expected;
  };
  struct Variable {
    driver::Buffer* buffer = nullptr;
    uint64_t program = 0;
  };

  const Recording::Entry& entry() const { return recording_.calls[number_ - 1]; }
  std::string here(uint64_t number) const {
    return base::format("call %llu (%s)", ull(number),
                        std::string(forward::name(recording_.calls[number - 1].call)).c_str());
  }

  // The file is wrong, not the device.
  Error bad(const std::string& why) {
    bad_ = Error(ErrorKind::kBadInput, here(number_) + " of the recording cannot be made: " + why);
    return *bad_;
  }

  void differs(uint64_t number, std::string sentence) {
    ++out_.differences;
    if (first_ != 0 && first_ <= number) return;
    first_ = number;
    out_.first = std::move(sentence);
  }

  // False: what worked then fails now, and nothing behind it means anything.
  bool judge(const Result<>& result) {
    const auto& then = entry().failure;
    if (result.ok() && !then) return true;
    if (result.ok()) {
      differs(number_, here(number_) + " failed when it was recorded (" + std::string(then->kind) + ": " +
                           std::string(then->message) + ") and works here");
      return true;
    }
    const std::string_view kind = base::to_string(result.error().kind());
    if (then && then->kind == kind) return true;
    differs(number_, here(number_) +
                         (then ? " failed otherwise when it was recorded (" + std::string(then->kind) +
                                     ") and here with "
                               : std::string(" worked when it was recorded and fails here with ")) +
                         std::string(kind) + ": " + result.error().message());
    return then.has_value();
  }

  void compare() {
    for (const Download& d : downloads_) {
      if (d.expected.empty()) continue;  // nothing is known to have come
      ++out_.downloads;
      out_.bytes += d.expected.size();
      const auto* now = reinterpret_cast<const char*>(d.bytes.data());
      const auto at = std::mismatch(d.expected.begin(), d.expected.end(), now).first - d.expected.begin();
      if (static_cast<size_t>(at) == d.expected.size()) continue;
      differs(d.number,
              base::format("%s yields other data: byte %lld of %zu is 0x%02x and was 0x%02x",
                           here(d.number).c_str(), static_cast<long long>(at), d.expected.size(),
                           static_cast<unsigned char>(now[at]), static_cast<unsigned char>(d.expected[at])));
    }
  }

  template <typename T>
  void release(Table<T>& table) {
    for (auto& [number, object] : table) device_->destroy(std::move(object));
    table.clear();
  }

  template <typename T>
  Result<T*> get(Table<T>& table, uint64_t number, const char* what) {
    const auto found = table.find(number);
    if (found != table.end()) return found->second.get();
    return bad(base::format("it names %s %llu, which is not there", what, ull(number)));
  }
  Result<driver::Queue*> queue(Reader& from) { return get(queues_, from.u64(), "queue"); }
  Result<driver::Event*> event(Reader& from) { return get(events_, from.u64(), "event"); }
  Result<driver::Program*> program(Reader& from) { return get(programs_, from.u64(), "program"); }

  Result<driver::Place> place(Reader& from, bool may_be_null = false) {
    const uint64_t number = from.u64();
    const uint64_t offset = from.u64();
    if (number == 0 && may_be_null) return driver::Place{};
    if (const auto found = variables_.find(number); found != variables_.end())
      return driver::Place{found->second.buffer, offset};
    QUERN_TRY_ASSIGN(driver::Buffer * buffer, get(buffers_, number, "buffer"));
    return driver::Place{buffer, offset};
  }

  Result<> keep_reading(const Reader& from) {
    if (from.ok() && from.at_end()) return {};
    return bad("its arguments are not those of the call");
  }

  template <typename T>
  Result<> keep(Table<T>& table, Result<std::unique_ptr<T>> made) {
    if (!made.ok()) return std::move(made).error();
    table[number_] = std::move(*made);
    return {};
  }

  Result<> make(Reader from) {
    switch (entry().call) {
      case Call::kAllocate: return allocate(from);
      case Call::kLoad: return load(from);
      case Call::kKernel: return kernel(from);
      case Call::kCreateQueue: {
        const driver::QueueOptions options{from.number<int32_t>()};
        QUERN_TRY(keep_reading(from));
        return keep(queues_, device_->create_queue(options));
      }
      case Call::kCreateEvent: return keep(events_, device_->create_event());
      case Call::kVariable: return variable(from);
      case Call::kUpload: return upload(from);
      case Call::kDownload: return download(from);
      case Call::kCopy: return copy(from);
      case Call::kFill: return fill(from);
      case Call::kLaunch: return launch(from);
      case Call::kRecord:
      case Call::kQueueWait: return queue_and_event(from);
      case Call::kReached:
      case Call::kWait:
      case Call::kTime: return with_event(from);
      case Call::kSynchronize:
      case Call::kCall:
      case Call::kTakePrinted:
      case Call::kTakeFindings: return with_queue(from);
      case Call::kBinary: {
        QUERN_TRY_ASSIGN(driver::Program * p, program(from));
        QUERN_TRY(device_->binary(*p));
        return {};
      }
      case Call::kDestroy: return destroy(from);
      case Call::kStart:
      case Call::kDevices:
      case Call::kOpen: break;
    }
    return bad("it is no call on a device");
  }

  Result<> allocate(Reader& from) {
    const uint64_t bytes = from.u64();
    const auto kind = from.number<driver::MemoryKind>();
    QUERN_TRY(keep_reading(from));
    if (kind > driver::MemoryKind::kMapped) return bad("it asks for an unknown kind of memory");
    if (kind >= driver::MemoryKind::kShared)
      note("the program shares memory with the device; what the host wrote there is not recorded");
    return keep(buffers_, device_->allocate(bytes, kind));
  }

  Result<> load(Reader& from) {
    auto code = read_code(from);
    if (!code.ok()) return bad(code.error().message());
    QUERN_TRY(keep_reading(from));
    for (const driver::KernelInfo& k : code->kernels) {
      if (k.needs.has(driver::Feature::kAddresses))
        note("kernel '" + k.name + "' finds addresses in memory; those are not translated");
    }
    return keep(programs_, device_->load(*code));
  }

  Result<> kernel(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Program * p, program(from));
    const std::string_view name = from.text();
    QUERN_TRY(keep_reading(from));
    return keep(kernels_, device_->kernel(*p, name));
  }

  Result<> variable(Reader& from) {
    const uint64_t owner = from.u64();
    QUERN_TRY_ASSIGN(driver::Program * p, get(programs_, owner, "program"));
    const std::string_view name = from.text();
    QUERN_TRY(keep_reading(from));
    QUERN_TRY_ASSIGN(const driver::Place found, device_->variable(*p, name));
    variables_[number_] = {found.buffer, owner};
    return {};
  }

  Result<> upload(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Queue * q, queue(from));
    QUERN_TRY_ASSIGN(const driver::Place to, place(from));
    const std::string_view data = from.text();
    QUERN_TRY(keep_reading(from));
    return device_->upload(*q, to, data.data(), data.size());
  }

  Result<> download(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Queue * q, queue(from));
    QUERN_TRY_ASSIGN(const driver::Place what, place(from));
    const uint64_t bytes = from.u64();
    QUERN_TRY(keep_reading(from));
    if (bytes > what.buffer->bytes) return bad("it asks for more than the buffer holds");
    if (entry().data && entry().data->size() != bytes) return bad("its data has another size");
    downloads_.push_back({number_, std::vector<std::byte>(bytes), entry().data.value_or("")});
    return device_->download(*q, downloads_.back().bytes.data(), what, bytes);
  }

  Result<> copy(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Queue * q, queue(from));
    QUERN_TRY_ASSIGN(const driver::Place to, place(from));
    QUERN_TRY_ASSIGN(const driver::Place what, place(from));
    const uint64_t bytes = from.u64();
    QUERN_TRY(keep_reading(from));
    return device_->copy(*q, to, what, bytes);
  }

  Result<> fill(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Queue * q, queue(from));
    QUERN_TRY_ASSIGN(const driver::Place to, place(from));
    const uint64_t value = from.u64();
    const uint32_t width = from.u32();
    const uint64_t bytes = from.u64();
    QUERN_TRY(keep_reading(from));
    return device_->fill(*q, to, value, width, bytes);
  }

  static driver::Dim3 dim(Reader& from) {
    driver::Dim3 d;
    d.x = from.u32();
    d.y = from.u32();
    d.z = from.u32();
    return d;
  }

  Result<> launch(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Queue * q, queue(from));
    QUERN_TRY_ASSIGN(driver::Kernel * k, get(kernels_, from.u64(), "kernel"));
    driver::Launch launch;
    launch.grid = dim(from);
    launch.block = dim(from);
    launch.shared_bytes = from.u64();
    launch.cooperative = from.flag();
    launch.cluster = dim(from);
    std::vector<driver::Argument> arguments;
    std::vector<std::vector<char>> values;  // aligned, unlike in the file
    const uint64_t count = from.count(24);
    values.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
      driver::Argument a;
      QUERN_TRY_ASSIGN(a.place, place(from, true));
      const std::string_view value = from.text();
      values.emplace_back(value.begin(), value.end());
      if (!value.empty()) {
        a.value = values.back().data();
        a.bytes = static_cast<uint32_t>(values.back().size());
      }
      arguments.push_back(a);
    }
    QUERN_TRY(keep_reading(from));
    launch.arguments = arguments;
    return device_->launch(*q, *k, launch);
  }

  Result<> queue_and_event(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Queue * q, queue(from));
    QUERN_TRY_ASSIGN(driver::Event * e, event(from));
    QUERN_TRY(keep_reading(from));
    return entry().call == Call::kRecord ? device_->record(*q, *e) : device_->wait(*q, *e);
  }

  // An event that had been reached then is waited for: the calls behind may rely on it.
  Result<> with_event(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Event * e, event(from));
    QUERN_TRY(keep_reading(from));
    if (entry().call == Call::kWait || entry().data == "1") return device_->wait(*e);
    if (entry().call == Call::kTime) {
      QUERN_TRY(device_->time(*e));
    } else {
      QUERN_TRY(device_->reached(*e));
    }
    return {};
  }

  Result<> with_queue(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Queue * q, queue(from));
    QUERN_TRY(keep_reading(from));
    if (entry().call == Call::kSynchronize) return device_->synchronize(*q);
    if (entry().call == Call::kCall) return device_->call(*q, [] {});
    if (entry().call == Call::kTakePrinted) {
      out_.printed += device_->take_printed(*q);
    } else {
      (void)device_->take_findings(*q);
    }
    return {};
  }

  template <typename T>
  bool destroy(Table<T>& table, uint64_t number) {
    const auto found = table.find(number);
    if (found == table.end()) return false;
    device_->destroy(std::move(found->second));
    table.erase(found);
    return true;
  }

  Result<> destroy(Reader& from) {
    const uint64_t number = from.u64();
    QUERN_TRY(keep_reading(from));
    std::erase_if(variables_, [&](const auto& v) { return v.second.program == number; });
    if (variables_.erase(number) != 0 || destroy(buffers_, number) || destroy(kernels_, number) ||
        destroy(events_, number) || destroy(queues_, number) || destroy(programs_, number))
      return {};
    return bad(base::format("it names object %llu, which is not there", ull(number)));
  }

  void note(std::string text) {
    if (std::find(out_.notes.begin(), out_.notes.end(), text) == out_.notes.end())
      out_.notes.push_back(std::move(text));
  }

  const Recording& recording_;
  std::unique_ptr<driver::Device> device_;
  uint64_t number_ = 0;
  uint64_t first_ = 0;  // call with the first difference
  std::optional<Error> bad_;
  Outcome out_;
  Table<driver::Buffer> buffers_;
  std::map<uint64_t, Variable> variables_;
  Table<driver::Program> programs_;
  Table<driver::Kernel> kernels_;
  Table<driver::Queue> queues_;
  Table<driver::Event> events_;
  std::vector<Download> downloads_;
};

}  // namespace

base::Result<Outcome> replay(const Recording& recording, driver::Device& device) {
  return Replay(recording, device).run();
}

}  // namespace quern::recording
