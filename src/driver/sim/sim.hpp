// The device `sim`: interprets lowered IR (pass::prepare) exactly, one thread at a time, and checks every
// step: bounds, uninitialized reads, races, barriers, alignment, division by zero. A Device owns simulated
// memory; a loaded module owns its __device__ and __constant__ variables; launch() runs one kernel to
// completion and returns its findings. The same module, arguments and seed give the same run, bit for bit. A
// Device is not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/message.hpp"
#include "base/result.hpp"
#include "lang/ir/ir.hpp"

namespace quern::sim {

template <typename T = void>
using Result = base::Result<T>;

// A simulated device address: a 64-bit number that may be stored in memory and computed with. 0 is null.
using Address = uint64_t;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

inline constexpr uint32_t kWarpSize = 32;
inline constexpr uint32_t kMaxBlockThreads = 1024;

// The checks, as bits. Regardless of these, a kernel never accesses foreign memory: an invalid load returns
// zero, an invalid store is dropped.
enum Check : uint32_t {
  kCheckBounds = 1,
  kCheckUninitialized = 2,
  kCheckRaces = 4,
  kCheckBarriers =
      8,  // threads of a block that wait at different barriers, or skip one; wrong barriers of PTX
  kCheckAlignment = 16,
  kCheckDivision = 32,  // integer division by zero
  kCheckOverflow = 64,  // signed add, sub, mul, neg, div
  kCheckShifts = 128,   // amounts outside of 0 … width-1
  kCheckWarps = 256,    // masks without the caller, values of inactive lanes
  kDefaultChecks = kCheckBounds | kCheckUninitialized | kCheckRaces | kCheckBarriers | kCheckAlignment |
                   kCheckDivision | kCheckWarps,
  kAllChecks = kDefaultChecks | kCheckOverflow | kCheckShifts,
};

enum class ReportKind : uint8_t {
  kOutOfBounds,
  kUninitialized,
  kRace,
  kDivergentBarrier,
  kDeadlock,
  kMisaligned,
  kDivisionByZero,
  kOverflow,
  kShift,
  kWarp,
  kBarrier,  // misuse of an mbarrier or of a barrier with a number
  kAsync,    // misuse of asynchronous copies and matrix products
  kTexture,
  kUseAfterFree,
  kInvalidFree,
  kLaunch,
  kAssert,
  kTrap,
  kLimit,
  kInternal,
};
std::string_view name(ReportKind kind);  // "out of bounds", "race", …

// The other access of a race, or the other threads of a deadlock.
struct Party {
  ir::Pos pos;
  Dim3 thread{0, 0, 0};
  Dim3 block{0, 0, 0};
  bool wrote = false;
};

struct Report {
  ReportKind kind = ReportKind::kInternal;
  std::string message;  // one sentence, without a full stop
  std::string kernel;
  ir::Pos pos;
  Dim3 thread{0, 0, 0};
  Dim3 block{0, 0, 0};
  std::string place;  // "bins[3]", "tile[16][0]", "p[2].x"; empty if no memory is involved
  Address address = 0;
  uint64_t extent = 0;  // elements of the object (bytes if its element type is not known)
  uint32_t access_bytes = 0;
  std::string value;  // the value stored, divided, shifted, …; may be empty
  std::optional<Party> other;
  std::string hint;    // what to write instead, if that is certain
  uint64_t count = 1;  // number of occurrences at this position

  // Sets the message, and the hint if `text` has one.
  void set(base::MessageText text) {
    message = std::move(text.text);
    if (!text.hint.empty()) hint = std::move(text.hint);
  }
};

// Several lines without a final newline: position, kind and message, the source line with a caret, the
// thread, and the hint.
std::string render(const Report& report, const ir::Module& module);

// One kernel argument: its bytes in the parameter's layout. Pointers are Addresses.
class Arg {
 public:
  template <typename T>
  requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>) Arg(const T& value) : bytes_(sizeof(T)) {
    std::memcpy(bytes_.data(), &value, sizeof(T));
  }
  explicit Arg(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

struct LaunchOptions {
  // Varies the schedule of threads and blocks; 0: in order, each as far as it can run.
  uint64_t seed = 0;
  uint32_t checks = kDefaultChecks;
  uint32_t max_reports = 20;   // distinct ones; others are only counted
  bool stop_on_error = false;  // at the first report
  uint64_t step_limit = 0;     // total instructions of all threads; 0: none
  double time_limit_s = 0;     // 0: none
  std::function<void(std::string_view)>
      print;                   // receives the output of printf; absent: LaunchResult::printed
  std::function<bool()> poll;  // called periodically; returning false stops the launch
};

struct LaunchConfig {
  Dim3 grid;
  Dim3 block;
  uint64_t dynamic_shared_bytes = 0;
  std::vector<Arg> args;
  LaunchOptions options;
  Dim3 cluster{1, 1, 1};
};

struct LaunchResult {
  std::vector<Report> reports;  // in order of first occurrence
  uint64_t more_reports = 0;    // distinct ones beyond max_reports
  std::string printed;
  uint64_t prints = 0, dropped_prints = 0;  // calls whose text is in `printed`, and calls that did not fit
  uint64_t instructions = 0;
  uint64_t threads = 0;  // that ran to completion
  uint64_t blocks = 0;
  bool stopped = false;        // ended early: failed assert, trap, deadlock, limit, stop_on_error, poll
  bool races_checked = false;  // until the end
  double seconds = 0;
  bool clean() const { return reports.empty() && !stopped; }
};

// The name of an allocation in messages. If the buffer is a kernel's argument, the parameter's name is used
// instead.
struct BufferInfo {
  std::string label;
  uint32_t element_bytes = 0;  // 0: not known
};

struct BufferView {
  Address address = 0;
  uint64_t bytes = 0;
  std::string_view label;
};

struct DeviceOptions {
  uint64_t memory_limit = uint64_t{8} << 30;  // bytes of simulated device memory
};

struct Variable {
  std::string_view name;
  Address address = 0;
  uint64_t bytes = 0;
  const ir::Type* type = nullptr;
  bool is_constant = false;
};

class Memory;
class Module;

class Device {
 public:
  explicit Device(const DeviceOptions& options = {});
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  // New memory is undefined: reading it before it is written is reported. A size of 0 is allowed.
  Result<Address> allocate(uint64_t bytes, BufferInfo info = {});
  Result<> free(Address address);
  Result<> upload(Address to, std::span<const std::byte> from);
  Result<> download(Address from, std::span<std::byte> to) const;
  Result<> fill(Address to, uint8_t value, uint64_t bytes);
  Result<> copy(Address to, Address from, uint64_t bytes);
  std::optional<BufferView> find(Address address) const;  // the live allocation that contains the address
  uint64_t bytes_in_use() const;

  // Creates the module's variables with their initial values. The module must be verified and lowered.
  Result<std::shared_ptr<Module>> load(std::shared_ptr<const ir::Module> module);

  // Fails, without running anything, on errors of the caller (kernel, launch size, arguments) and if out of
  // memory. Errors of the kernel are reports.
  Result<LaunchResult> launch(Module& program, std::string_view kernel, const LaunchConfig& config);

  // Convenience functions for spans of any trivially copyable type.
  template <typename T>
  Result<Address> upload_new(std::span<const T> from, std::string label) {
    auto address = allocate(from.size_bytes(), {std::move(label), sizeof(T)});
    if (!address.ok()) return address;
    QUERN_TRY(upload(*address, std::as_bytes(from)));
    return address;
  }
  template <typename T>
  Result<std::vector<T>> download_as(Address from, size_t count) const {
    std::vector<T> to(count);
    QUERN_TRY(download(from, std::as_writable_bytes(std::span<T>(to))));
    return to;
  }

 private:
  std::shared_ptr<Memory> memory_;
};

struct Code;

// A module on a Device. Keeps the module alive; frees its variables when it is destroyed.
class Module {
 public:
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const ir::Module& module() const { return *module_; }
  std::optional<Variable> variable(std::string_view name) const;
  std::vector<Variable> variables() const;  // without literals
  Result<> write(std::string_view name, std::span<const std::byte> from, uint64_t offset = 0);
  Result<> read(std::string_view name, std::span<std::byte> to, uint64_t offset = 0) const;

 private:
  friend class Device;
  Module(std::shared_ptr<Memory> memory, std::shared_ptr<const ir::Module> module);
  Result<> create_variables();
  Result<> store_pointer(Address at, const ir::Relocation& pointer);
  Result<const Code*> code_for(const ir::Function& kernel, uint32_t checks);

  std::shared_ptr<Memory> memory_;
  std::shared_ptr<const ir::Module> module_;
  std::vector<Address> variables_;  // by index in module().globals; 0: shared
  struct Entry;
  std::vector<std::unique_ptr<Entry>> codes_;
};

}  // namespace quern::sim
