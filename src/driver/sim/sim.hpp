// The device `sim`: it interprets prepared IR (pass::prepare) one thread at a time, exactly, and checks every
// step: bounds, uninitialised reads, races, barriers, alignment, division by zero. A Device owns simulated
// memory; a Module is an ir::Module loaded onto it, with its __device__ and __constant__ variables; launch()
// runs one kernel to its end and tells what it found. Same program, arguments and seed: same run, bit for
// bit. One thread at a time per Device.
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

#include "base/result.hpp"
#include "lang/ir/ir.hpp"

namespace quern::sim {

template <typename T = void>
using Result = base::Result<T>;

// A simulated device address: a plain 64-bit number that may be stored in memory and computed with. 0 is
// null.
using Address = uint64_t;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

inline constexpr uint32_t kWarpSize = 32;
inline constexpr uint32_t kMaxBlockThreads = 1024;

// What to look for, as bits. Whatever is chosen, a kernel never reaches memory that is not its own: a bad
// load reads as zero, a bad store is dropped.
enum Check : uint32_t {
  kCheckBounds = 1,
  kCheckUninitialised = 2,
  kCheckRaces = 4,
  kCheckBarriers = 8,  // threads of a block that wait at different barriers, or pass one by
  kCheckAlignment = 16,
  kCheckDivision = 32,  // integers, by zero
  kCheckOverflow = 64,  // signed add, sub, mul, neg, div
  kCheckShifts = 128,   // amounts outside 0 … width-1
  kCheckWarps = 256,    // masks without the caller, values of lanes that are not there
  kDefaultChecks = kCheckBounds | kCheckUninitialised | kCheckRaces | kCheckBarriers | kCheckAlignment |
                   kCheckDivision | kCheckWarps,
  kAllChecks = kDefaultChecks | kCheckOverflow | kCheckShifts,
};

enum class ReportKind : uint8_t {
  kOutOfBounds,
  kUninitialised,
  kRace,
  kDivergentBarrier,
  kDeadlock,
  kMisaligned,
  kDivisionByZero,
  kOverflow,
  kShift,
  kWarp,
  kAssert,
  kTrap,
  kLimit,
  kInternal,
};
std::string_view name(ReportKind kind);  // "out of bounds", "race", …

// The other side of a race, or of threads that wait for each other.
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
  std::string place;  // "bins[3]", "tile[16][0]", "p[2].x"; empty when no memory is concerned
  Address address = 0;
  uint64_t extent = 0;  // elements of the object (bytes when its element is not known)
  uint32_t access_bytes = 0;
  std::string value;  // the value stored, divided, shifted…; may be empty
  std::optional<Party> other;
  std::string hint;    // what to write instead, when that is certain
  uint64_t count = 1;  // how often this kind came up at this place
};

// Several lines without a final newline: place, kind and message, the source line with a caret, who, and the
// hint.
std::string render(const Report& report, const ir::Module& module);

// One kernel argument: its bytes in the parameter's own layout. Pointers are Addresses.
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
  // Varies the order in which threads and blocks run and how long each runs; 0: in order, each as far as it
  // can go.
  uint64_t seed = 0;
  uint32_t checks = kDefaultChecks;
  uint32_t max_reports = 20;                    // distinct ones; further ones are only counted
  bool stop_on_error = false;                   // at the first report
  uint64_t step_limit = 0;                      // instructions of all threads together; 0: none
  double time_limit_s = 0;                      // 0: none
  std::function<void(std::string_view)> print;  // takes what printf writes; absent: LaunchResult::printed
  std::function<bool()> poll;                   // called now and then; false stops the launch
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
  std::vector<Report> reports;  // in the order of their first occurrence
  uint64_t more_reports = 0;    // distinct ones beyond max_reports
  std::string printed;
  uint64_t prints = 0, dropped_prints = 0;  // calls whose text is in `printed`, and that did not fit
  uint64_t instructions = 0;
  uint64_t threads = 0;  // that ran to their end
  uint64_t blocks = 0;
  bool stopped = false;        // ended early: failed assert, trap, deadlock, limit, stop_on_error, poll
  bool races_checked = false;  // to the end
  double seconds = 0;
  bool clean() const { return reports.empty() && !stopped; }
};

// What messages call an allocation. A kernel's own parameter name comes first when the buffer is its
// argument.
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

  // New memory is undefined: reading it before something is stored is reported. Sizes of 0 are allowed.
  Result<Address> allocate(uint64_t bytes, BufferInfo info = {});
  Result<> free(Address address);
  Result<> upload(Address to, std::span<const std::byte> from);
  Result<> download(Address from, std::span<std::byte> to) const;
  Result<> fill(Address to, uint8_t value, uint64_t bytes);
  Result<> copy(Address to, Address from, uint64_t bytes);
  std::optional<BufferView> find(Address address) const;  // the live allocation that holds the address
  uint64_t bytes_in_use() const;

  // Creates the module's variables, set to their initial values. The module must be verified and prepared.
  Result<std::shared_ptr<Module>> load(std::shared_ptr<const ir::Module> module);

  // Fails, with nothing run, on what the caller got wrong (kernel, geometry, arguments) and on memory that is
  // not there. Mistakes of the kernel are reports.
  Result<LaunchResult> launch(Module& program, std::string_view kernel, const LaunchConfig& config);

  // Conveniences over spans of any plain type.
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

// A module on a Device. Keeps the module alive; gives its variables back when it goes.
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
