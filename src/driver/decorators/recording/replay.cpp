#include "driver/decorators/recording/replay.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/messages.hpp"
#include "driver/decorators/recording/bytes.hpp"
#include "driver/decorators/recording/code.hpp"
#include "target/describe.hpp"
#include "target/needs.hpp"

namespace quern::recording {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Result;

std::string spell_byte(char byte) { return base::format("0x%02x", static_cast<unsigned char>(byte)); }

// The objects of one kind, by the number of the call that created them.
template <typename T>
using Table = std::map<uint64_t, std::unique_ptr<T>>;

// Downloads without recorded data are made too, up to this many bytes in total.
constexpr uint64_t kMostUnknownBytes = uint64_t{1} << 30;

class Replay {
 public:
  Replay(const Recording& recording, driver::Device& device)
      : recording_(recording), device_(checked::wrap(device, std::make_shared<checked::Violations>())) {}

  ~Replay() {
    for (auto& [number, stream] : streams_) (void)device_->synchronize(*stream);
    release(kernels_);
    release(programs_);
    release(events_);
    release(buffers_);
    release(streams_);
  }

  Result<Outcome> run() {
    for (number_ = 1; number_ <= recording_.calls.size(); ++number_) {
      const bool goes_on = check_result(make(Reader(entry().arguments)));
      if (bad_) return std::move(*bad_);
      ++out_.calls;
      if (!goes_on) break;
    }
    for (auto& [number, stream] : streams_) (void)device_->synchronize(*stream);
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
  struct Module {
    std::shared_ptr<const target::PortableProgram> portable;  // null: the user's own code
    std::map<std::string, Error, std::less<>> unsupported;    // kernels that the device cannot run
  };
  struct Pointer {
    uint32_t param = 0;
    uint64_t at = 0;  // offset in the parameter
  };
  struct Kernel {
    uint64_t program = 0;
    bool is_portable = false;
    size_t params = 0;              // of the recorded program; portable kernels
    std::vector<Pointer> pointers;  // inside struct parameters
  };
  // Address of a buffer at the time of the recording.
  struct Range {
    uint64_t begin = 0;
    uint64_t bytes = 0;
    uint64_t buffer = 0;
  };

  const Recording::Entry& entry() const { return recording_.calls[number_ - 1]; }
  std::string here(uint64_t number) const {
    return decorators::message::kCall(std::to_string(number),
                                      forward::name(recording_.calls[number - 1].call))
        .text;
  }

  // An error of the file, not of the device.
  Error bad(const base::MessageText& why) {
    (void)bad(why.text);
    if (!why.hint.empty()) bad_->add_hint(why.hint);
    return *bad_;
  }
  Error bad(const std::string& why) {
    bad_ = Error(ErrorKind::bad_input, decorators::message::kCannotReplay(here(number_), why));
    return *bad_;
  }

  void differs(uint64_t number, const base::MessageText& sentence) {
    ++out_.differences;
    if (first_ != 0 && first_ <= number) return;
    first_ = number;
    out_.first = sentence.str();
  }

  // Calls that a device may lack; no later call depends on them.
  static bool is_optional(Call call) { return call == Call::kTime || call == Call::kBinary; }

  // Returns false if a call fails that succeeded when recorded: later calls would be meaningless.
  bool check_result(const Result<>& result) {
    const auto& then = entry().failure;
    if (result.ok() && !then) return true;
    if (result.ok()) {
      if (is_optional(entry().call) && then->kind == base::to_string(ErrorKind::unsupported)) return true;
      differs(number_, decorators::message::kFailedWhenRecorded(here(number_), then->kind, then->message));
      return true;
    }
    const std::string_view kind = base::to_string(result.error().kind());
    if (then && then->kind == kind) return true;
    if (is_optional(entry().call) && result.error().kind() == ErrorKind::unsupported) return true;
    const std::string& text = result.error().message();
    differs(number_, then ? decorators::message::kFailedDifferently(here(number_), then->kind, kind, text)
                          : decorators::message::kSucceededWhenRecorded(here(number_), kind, text));
    return then.has_value();
  }

  void compare() {
    for (const Download& d : downloads_) {
      if (d.expected.empty()) continue;  // not known to be complete
      ++out_.downloads;
      out_.bytes += d.expected.size();
      const auto* now = reinterpret_cast<const char*>(d.bytes.data());
      const auto at = std::mismatch(d.expected.begin(), d.expected.end(), now).first - d.expected.begin();
      if (static_cast<size_t>(at) == d.expected.size()) continue;
      differs(d.number, decorators::message::kOtherData(here(d.number), std::to_string(at),
                                                        std::to_string(d.expected.size()),
                                                        spell_byte(now[at]), spell_byte(d.expected[at])));
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
    return bad(decorators::message::kUnknownNumbered(what, std::to_string(number)));
  }
  Result<driver::Stream*> stream(Reader& from) { return get(streams_, from.u64(), "stream"); }
  Result<driver::Event*> event(Reader& from) { return get(events_, from.u64(), "event"); }
  Result<driver::Module*> program(Reader& from) { return get(programs_, from.u64(), "program"); }

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
    return bad(decorators::message::kArgumentsOfCall());
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
      case Call::kCreateStream: {
        driver::StreamOptions options;
        options.priority = from.number<int32_t>();
        options.is_persistent = from.flag();
        QUERN_TRY(keep_reading(from));
        return keep(streams_, device_->create_stream(options));
      }
      case Call::kCreateEvent: return keep(events_, device_->create_event());
      case Call::kVariable: return variable(from);
      case Call::kUpload: return upload(from);
      case Call::kDownload: return download(from);
      case Call::kCopy: return copy(from);
      case Call::kFill: return fill(from);
      case Call::kLaunch: return launch(from);
      case Call::kRecord:
      case Call::kStreamWait: return stream_and_event(from);
      case Call::kReached:
      case Call::kWait:
      case Call::kTime: return with_event(from);
      case Call::kSynchronize:
      case Call::kCall:
      case Call::kTakeOutput:
      case Call::kTakeFindings: return with_stream(from);
      case Call::kBinary: {
        QUERN_TRY_ASSIGN(driver::Module * p, program(from));
        QUERN_TRY(device_->binary(*p));
        return {};
      }
      case Call::kDestroy: return destroy(from);
      case Call::kStart:
      case Call::kDevices:
      case Call::kOpen: break;
    }
    return bad(decorators::message::kNotADeviceCall());
  }

  Result<> allocate(Reader& from) {
    const uint64_t bytes = from.u64();
    const auto kind = from.number<driver::MemoryKind>();
    QUERN_TRY(keep_reading(from));
    if (kind > driver::MemoryKind::mapped) return bad(decorators::message::kUnknownMemoryKind());
    if (kind >= driver::MemoryKind::shared) note(decorators::message::kSharesMemory());
    QUERN_TRY(keep(buffers_, device_->allocate(bytes, available(kind))));
    if (entry().data && entry().data->size() == sizeof(uint64_t))
      ranges_.push_back({Reader(*entry().data).u64(), bytes, number_});
    return {};
  }

  // The host does not access memory in a replay, so device memory is sufficient.
  driver::MemoryKind available(driver::MemoryKind kind) const {
    const driver::FeatureSet& features = device_->info().features;
    const auto needed = kind == driver::MemoryKind::shared    ? driver::Feature::shared_memory
                        : kind == driver::MemoryKind::managed ? driver::Feature::managed_memory
                                                              : driver::Feature::mapped_memory;
    return kind < driver::MemoryKind::shared || features.has(needed) ? kind : driver::MemoryKind::device;
  }

  Result<> load(Reader& from) {
    auto program = read_program(from);
    if (!program.ok()) return bad(program.error().message());
    QUERN_TRY(keep_reading(from));
    if (program->portable != nullptr) return load_portable(*program->portable);
    const auto& kinds = device_->info().code;
    if (std::find(kinds.begin(), kinds.end(), program->raw.kind) == kinds.end())
      return Error(ErrorKind::unsupported,
                   decorators::message::kCodeNotAccepted(program->raw.name, driver::name(program->raw.kind),
                                                         device_->info().id()));
    recorded_programs_[number_] = {};
    return keep(programs_, device_->load(program->raw));
  }

  // Kernels that this device cannot run fail when they are requested.
  Result<> load_portable(const target::PortableProgram& recorded) {
    auto portable = std::make_shared<target::PortableProgram>(recorded);
    auto module = std::make_shared<ir::Module>(recorded.module->clone());
    auto unsupported = target::remove_unsupported(*module, device_->info());
    for (const ir::Function* f : module->functions) {
      if (f->is_kernel && target::describe(*module, *f, true).needs.has(driver::Feature::addresses))
        note(decorators::message::kReadsAddresses(f->name));
    }
    std::erase_if(portable->checked, [&](const auto& k) { return unsupported.contains(k.name); });
    portable->module = std::move(module);
    recorded_programs_[number_] = {portable, {unsupported.begin(), unsupported.end()}};
    QUERN_TRY_ASSIGN(const driver::Code code, target::compile_for(device_->info(), portable));
    return keep(programs_, device_->load(code));
  }

  static void add_pointers(const ir::Type& type, Pointer where, std::vector<Pointer>& to) {
    if (type.is_ptr()) to.push_back(where);
    for (const ir::Field& f : type.fields) add_pointers(*f.type, {where.param, where.at + f.offset}, to);
    for (uint64_t i = 0; type.is_array() && type.elem->size != 0 && i < type.count; ++i)
      add_pointers(*type.elem, {where.param, where.at + i * type.elem->size}, to);
  }

  Result<> kernel(Reader& from) {
    const uint64_t owner = from.u64();
    QUERN_TRY_ASSIGN(driver::Module * p, get(programs_, owner, "program"));
    const std::string_view name = from.text();
    QUERN_TRY(keep_reading(from));
    const Module& program = recorded_programs_[owner];
    if (const auto found = program.unsupported.find(name); found != program.unsupported.end())
      return found->second;
    Kernel recorded{owner, program.portable != nullptr, 0, {}};
    if (recorded.is_portable) {
      const ir::Module& module = *program.portable->module;
      const ir::Function* function = module.find_function(name);
      if (function == nullptr || !function->is_kernel) return bad(decorators::message::kKernelNotInModule());
      recorded.params = function->params.size();
      for (uint32_t i = 0; i < recorded.params; ++i) {
        const ir::Type* type = function->params[i]->type;
        if (!type->is_ptr()) add_pointers(*type, {i, 0}, recorded.pointers);
      }
    }
    QUERN_TRY(keep(kernels_, device_->kernel(*p, name)));
    recorded_kernels_[number_] = std::move(recorded);
    return {};
  }

  Result<> variable(Reader& from) {
    const uint64_t owner = from.u64();
    QUERN_TRY_ASSIGN(driver::Module * p, get(programs_, owner, "program"));
    const std::string_view name = from.text();
    QUERN_TRY(keep_reading(from));
    QUERN_TRY_ASSIGN(const driver::Place found, device_->variable(*p, name));
    variables_[number_] = {found.buffer, owner};
    return {};
  }

  Result<> upload(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Stream * q, stream(from));
    QUERN_TRY_ASSIGN(const driver::Place to, place(from));
    const std::string_view data = from.text();
    QUERN_TRY(keep_reading(from));
    return device_->upload(*q, to, data.data(), data.size());
  }

  Result<> download(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Stream * q, stream(from));
    QUERN_TRY_ASSIGN(const driver::Place what, place(from));
    const uint64_t bytes = from.u64();
    QUERN_TRY(keep_reading(from));
    if (bytes > what.buffer->bytes) return bad(decorators::message::kBeyondBuffer());
    if (entry().data && entry().data->size() != bytes) return bad(decorators::message::kOtherDataSize());
    if (!entry().data) unknown_bytes_ += bytes;
    if (unknown_bytes_ > kMostUnknownBytes) return bad(decorators::message::kTooMuchUnknownData());
    downloads_.push_back({number_, std::vector<std::byte>(bytes), entry().data.value_or("")});
    return device_->download(*q, downloads_.back().bytes.data(), what, bytes);
  }

  Result<> copy(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Stream * q, stream(from));
    QUERN_TRY_ASSIGN(const driver::Place to, place(from));
    QUERN_TRY_ASSIGN(const driver::Place what, place(from));
    const uint64_t bytes = from.u64();
    QUERN_TRY(keep_reading(from));
    return device_->copy(*q, to, what, bytes);
  }

  Result<> fill(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Stream * q, stream(from));
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
    QUERN_TRY_ASSIGN(driver::Stream * q, stream(from));
    const uint64_t number = from.u64();
    QUERN_TRY_ASSIGN(driver::Kernel * k, get(kernels_, number, "kernel"));
    const Kernel& recorded = recorded_kernels_.at(number);
    for (const driver::ParamInfo& p : k->info.params) {
      if (p.object == driver::ParamObject::kTensorMap) return bad(decorators::message::kRecordedTensorMap());
    }
    driver::Launch launch;
    launch.grid = dim(from);
    launch.block = dim(from);
    launch.shared_bytes = from.u64();
    launch.cooperative = from.flag();
    launch.cluster = dim(from);
    Arguments arguments;
    QUERN_TRY(read_arguments(from, arguments));
    QUERN_TRY(keep_reading(from));
    if (recorded.is_portable) QUERN_TRY(adapt(recorded, *k, arguments));
    uses_addresses_ |= !recorded.pointers.empty() || k->info.needs.has(driver::Feature::addresses);
    if (!device_->info().features.has(driver::Feature::clusters)) launch.cluster = {1, 1, 1};
    launch.arguments = arguments.list;
    return device_->launch(*q, *k, launch);
  }

  struct Arguments {
    std::vector<driver::Argument> list;
    std::vector<std::vector<char>> values;  // aligned, unlike in the file
  };

  Result<> read_arguments(Reader& from, Arguments& to) {
    const uint64_t count = from.count(24);
    to.values.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
      driver::Argument a;
      QUERN_TRY_ASSIGN(a.place, place(from, true));
      const std::string_view value = from.text();
      to.values.emplace_back(value.begin(), value.end());
      if (!value.empty()) {
        a.value = to.values.back().data();
        a.bytes = static_cast<uint32_t>(to.values.back().size());
      }
      to.list.push_back(a);
    }
    return {};
  }

  // Converts the portable parameters to those of the kernel on this device. Addresses inside structs become
  // those of the buffers here, or separate arguments if the device has no addresses.
  Result<> adapt(const Kernel& recorded, const driver::Kernel& kernel, Arguments& arguments) {
    if (arguments.list.size() != recorded.params)
      return bad(decorators::message::kParameterCount(std::to_string(arguments.list.size()),
                                                      std::to_string(recorded.params)));
    const auto& params = kernel.info.params;
    if (params.size() > recorded.params) {
      for (size_t i = recorded.params; i < params.size(); ++i) {
        QUERN_TRY_ASSIGN(const driver::Place place, find(arguments, {params[i].of, params[i].at}));
        arguments.list.push_back({place, nullptr, 0});
      }
      return {};
    }
    for (const Pointer& pointer : recorded.pointers) {
      QUERN_TRY_ASSIGN(const driver::Place place, find(arguments, pointer));
      if (place.buffer == nullptr) continue;
      const uint64_t address = place.buffer->address + place.offset;
      std::memcpy(arguments.values[pointer.param].data() + pointer.at, &address, sizeof address);
    }
    return {};
  }

  // The place that had this address when it was recorded; the end of a buffer belongs to it.
  Result<driver::Place> find(const Arguments& arguments, const Pointer& pointer) {
    uint64_t address = 0;
    if (pointer.param >= arguments.values.size() ||
        arguments.values[pointer.param].size() < pointer.at + sizeof address)
      return bad(decorators::message::kStructTooSmall());
    std::memcpy(&address, arguments.values[pointer.param].data() + pointer.at, sizeof address);
    if (address == 0) return driver::Place{};
    const std::string argument = std::to_string(pointer.param + 1);
    const Range* within = nullptr;
    const Range* end_of = nullptr;
    for (const Range& r : ranges_) {
      if (address < r.begin || address - r.begin > r.bytes) continue;
      const bool is_within = address - r.begin < r.bytes;
      if (is_within && within != nullptr) return bad(decorators::message::kAmbiguousAddress(argument));
      (is_within ? within : end_of) = &r;
    }
    const Range* found = within != nullptr ? within : end_of;
    if (found != nullptr) return driver::Place{buffers_.at(found->buffer).get(), address - found->begin};
    if (device_->info().kind != driver::DeviceKind::simulated)
      return bad(decorators::message::kUntranslatedAddress(argument));
    note(decorators::message::kForeignAddress(argument));
    return driver::Place{};
  }

  Result<> stream_and_event(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Stream * q, stream(from));
    QUERN_TRY_ASSIGN(driver::Event * e, event(from));
    QUERN_TRY(keep_reading(from));
    return entry().call == Call::kRecord ? device_->record(*q, *e) : device_->wait(*q, *e);
  }

  // Waits for an event that had been reached: later calls may rely on it.
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

  Result<> with_stream(Reader& from) {
    QUERN_TRY_ASSIGN(driver::Stream * q, stream(from));
    QUERN_TRY(keep_reading(from));
    if (entry().call == Call::kSynchronize) return device_->synchronize(*q);
    if (entry().call == Call::kCall) return device_->call(*q, [] {});
    if (entry().call == Call::kTakeOutput) {
      out_.printed += device_->take_output(*q);
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

  Result<> check_program_end(uint64_t program) {
    for (const auto& [number, kernel] : recorded_kernels_) {
      if (kernel.program == program)
        return bad(
            decorators::message::kModuleBeforeItsKernel(std::to_string(program), std::to_string(number)));
    }
    recorded_programs_.erase(program);
    return {};
  }

  // The checked device does not know which memory a kernel reaches through addresses.
  void finish_uses_by_address() {
    if (!std::exchange(uses_addresses_, false)) return;
    for (auto& [number, stream] : streams_) (void)device_->synchronize(*stream);
  }

  // The checked device waits for work in flight that uses the object.
  Result<> destroy(Reader& from) {
    const uint64_t number = from.u64();
    QUERN_TRY(keep_reading(from));
    if (programs_.contains(number)) QUERN_TRY(check_program_end(number));
    if (programs_.contains(number) || buffers_.contains(number)) finish_uses_by_address();
    std::erase_if(variables_, [&](const auto& v) { return v.second.program == number; });
    std::erase_if(ranges_, [&](const Range& r) { return r.buffer == number; });
    recorded_kernels_.erase(number);
    if (variables_.erase(number) != 0 || destroy(buffers_, number) || destroy(kernels_, number) ||
        destroy(events_, number) || destroy(streams_, number) || destroy(programs_, number))
      return {};
    return bad(decorators::message::kUnknownObject(std::to_string(number)));
  }

  void note(const base::MessageText& message) {
    std::string text = message.str();
    if (std::find(out_.notes.begin(), out_.notes.end(), text) == out_.notes.end())
      out_.notes.push_back(std::move(text));
  }

  const Recording& recording_;
  std::unique_ptr<driver::Device> device_;
  uint64_t number_ = 0;
  uint64_t first_ = 0;  // number of the first call that differs
  std::optional<Error> bad_;
  Outcome out_;
  Table<driver::Buffer> buffers_;
  std::map<uint64_t, Variable> variables_;
  Table<driver::Module> programs_;
  Table<driver::Kernel> kernels_;
  Table<driver::Stream> streams_;
  Table<driver::Event> events_;
  std::map<uint64_t, Module> recorded_programs_;
  std::map<uint64_t, Kernel> recorded_kernels_;
  std::vector<Range> ranges_;
  bool uses_addresses_ = false;  // work in flight may use memory that is not an argument
  uint64_t unknown_bytes_ = 0;
  std::vector<Download> downloads_;
};

}  // namespace

base::Result<Outcome> replay(const Recording& recording, driver::Device& device) {
  return Replay(recording, device).run();
}

}  // namespace quern::recording
