// Stream::launch: checks arguments against parameters and sizes against limits, then calls the driver.
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"
#include "lang/ir/small_vector.hpp"
#include "runtime/graph.hpp"
#include "runtime/messages.hpp"
#include "runtime/module.hpp"
#include "runtime/profile/on.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Dim3;
using driver::ParamInfo;
using ir::TypeKind;

constexpr size_t kMaxArguments = 128;

bool is_integer(TypeKind t) { return t >= TypeKind::kI8 && t <= TypeKind::kU64; }
bool is_float(TypeKind t) { return t >= TypeKind::kF16 && t <= TypeKind::kF64; }
bool is_signed(TypeKind t) {
  return t == TypeKind::kI8 || t == TypeKind::kI16 || t == TypeKind::kI32 || t == TypeKind::kI64;
}

std::string spell(const Dim3& d) { return base::format("(%u,%u,%u)", d.x, d.y, d.z); }

std::string spell(const HostArgument& a) {
  switch (a.kind) {
    case ArgumentKind::integer: return std::to_string(a.integer);
    case ArgumentKind::unsigned_integer: return std::to_string(a.unsigned_integer);
    case ArgumentKind::real: return base::format("%.9g", a.real);
    case ArgumentKind::boolean: return a.unsigned_integer != 0 ? "true" : "false";
    case ArgumentKind::bytes: return "a value of " + base::format_plural(a.size, "byte");
    case ArgumentKind::memory: return a.type != nullptr ? "a buffer of " + std::string(a.type) : "a buffer";
    case ArgumentKind::null: return "nullptr";
  }
  return "?";
}

const char* article(std::string_view type) {
  const bool is_spoken_as_vowel = type.starts_with("int") || type.starts_with("unsigned");
  return is_spoken_as_vowel ? "an" : "a";
}

Error mismatch(const Kernel& kernel, size_t index, const HostArgument& a, const base::MessageText& why = {}) {
  const ParamInfo& p = kernel.info().params[index];
  return Error(ErrorKind::invalid_use,
               message::kArgumentMismatch(kernel.info().name, std::to_string(index + 1), spell(a), p.name,
                                          article(p.spelling), p.spelling,
                                          why.text.empty() ? std::string() : "; " + why.text));
}

// Whether the integer fits a type of this size. C++ code often passes negative numbers to unsigned parameters
// for their bits, so only values that would lose bits are rejected.
bool fits(const HostArgument& a, const ParamInfo& p) {
  if (p.bytes >= 8) return true;
  const uint32_t bits = p.bytes * 8;
  if (a.kind == ArgumentKind::integer && a.integer < 0) return a.integer >= -(int64_t{1} << (bits - 1));
  return a.unsigned_integer <= (uint64_t{1} << (is_signed(p.type) ? bits - 1 : bits)) - 1;
}

// Whether the buffer's element type is compatible with the parameter's. As in C++, integers are not floats;
// the signedness of integers is ignored. Elements of 2 bytes may hold half-precision floats, and integers may
// hold vectors and structs of their size: hosts have no such types.
bool is_compatible(const HostArgument& a, const ParamInfo& p) {
  const bool is_number = is_integer(p.element) || p.element == TypeKind::kBool;
  if (a.element == ElementKind::real) return !is_number;
  return a.element == ElementKind::other || !is_float(p.element) || p.element_bytes == 2;
}

// A buffer of bytes may hold structs of any size.
bool holds_structs(const HostArgument& a, const ParamInfo& p) {
  const bool is_number = is_integer(p.element) || is_float(p.element) || p.element == TypeKind::kBool;
  return a.element == ElementKind::bytes && !is_number;
}

double real_value(const HostArgument& a) {
  if (a.kind == ArgumentKind::real) return a.real;
  return a.kind == ArgumentKind::integer ? static_cast<double>(a.integer)
                                         : static_cast<double>(a.unsigned_integer);
}

void store_float(TypeKind type, double value, uint64_t& to) {
  to = 0;
  if (type == TypeKind::kF64) {
    std::memcpy(&to, &value, 8);
  } else if (type == TypeKind::kF32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(&to, &narrow, 4);
  } else {
    const uint16_t bits = type == TypeKind::kF16 ? ir::f64_to_f16(value) : ir::f64_to_bf16(value);
    std::memcpy(&to, &bits, 2);
  }
}

class Binder {
 public:
  Binder(const Kernel& kernel, Device& device) : kernel_(kernel), device_(device) {}

  Result<> bind(size_t index, const HostArgument& given) {
    const ParamInfo& p = kernel_.info().params[index];
    driver::Argument& to = arguments_[index];
    if (p.is_pointer) return bind_pointer(index, given, p, to);
    if (given.kind == ArgumentKind::bytes) {
      if (given.size != p.bytes)
        return mismatch(kernel_, index, given,
                        message::kParameterBytes(base::format_plural(p.bytes, "byte")));
      to.value = given.bytes;
      to.bytes = p.bytes;
      return {};
    }
    if (given.kind == ArgumentKind::memory || given.kind == ArgumentKind::null)
      return mismatch(kernel_, index, given);
    QUERN_TRY(bind_number(index, given, p));
    to.value = &numbers_[index];
    to.bytes = p.bytes;
    return {};
  }

  // Hidden arguments for check mode, after the regular arguments are bound; and pointers inside structs,
  // which must be null on devices without addresses.
  Result<> bind_hidden(std::span<const HostArgument> given, driver::Place checks) {
    size_t at = given.size();
    for (const ParamInfo& p : kernel_.hidden()) {
      driver::Argument& to = arguments_[at];
      if (p.role == driver::ParamRole::kChecks) {
        to.place = checks;
      } else if (p.role == driver::ParamRole::kField) {
        uint64_t pointer = 0;
        std::memcpy(&pointer, static_cast<const std::byte*>(arguments_[p.of].value) + p.at, sizeof pointer);
        if (pointer != 0)
          return Error(ErrorKind::unsupported,
                       message::kPointerInArgument(kernel_.info().name, std::to_string(p.of + 1), p.name,
                                                   device_.label()));
      } else {
        const HostArgument& a = given[p.of];
        numbers_[at] = a.kind == ArgumentKind::memory ? a.slice.bytes : 0;
        to.value = &numbers_[at];
        to.bytes = p.bytes;
      }
      ++at;
    }
    return {};
  }

  std::span<const driver::Argument> arguments() const {
    return {arguments_, kernel_.info().params.size() + kernel_.hidden().size()};
  }

 private:
  Result<> bind_pointer(size_t index, const HostArgument& given, const ParamInfo& p, driver::Argument& to) {
    if (given.kind == ArgumentKind::null) return {};
    if (given.kind != ArgumentKind::memory) return mismatch(kernel_, index, given);
    if (given.slice.memory == nullptr)
      return mismatch(kernel_, index, given, message::kNoMemory("the buffer"));
    if (&given.slice.memory->device() != &device_) {
      return mismatch(kernel_, index, given,
                      message::kBufferOfOtherDevice(given.slice.memory->device().label_beside(device_)));
    }
    if (!given.slice.is_inside())
      return mismatch(
          kernel_, index, given,
          message::kRangeOutside("the buffer", std::to_string(given.slice.memory->bytes()),
                                 std::to_string(given.slice.bytes), std::to_string(given.slice.offset)));
    const bool is_typed = given.size != 0 && p.element_bytes != 0 && !holds_structs(given, p);
    if (is_typed && given.size != p.element_bytes) {
      return mismatch(kernel_, index, given,
                      message::kElementBytes(std::to_string(p.element_bytes), std::to_string(given.size)));
    }
    if (is_typed && !is_compatible(given, p)) {
      return mismatch(kernel_, index, given).add_hint(message::kElementType().text);
    }
    to.place = given.slice.place();
    return {};
  }

  Result<> bind_number(size_t index, const HostArgument& given, const ParamInfo& p) {
    uint64_t& to = numbers_[index];
    if (is_float(p.type)) {
      store_float(p.type, real_value(given), to);
    } else if (p.type == TypeKind::kBool) {
      to = given.kind == ArgumentKind::real ? given.real != 0 : given.unsigned_integer != 0;
    } else if (!is_integer(p.type)) {
      return mismatch(kernel_, index, given);
    } else if (given.kind == ArgumentKind::real) {
      return mismatch(kernel_, index, given, message::kIntegerRequired());
    } else if (!fits(given, p)) {
      return mismatch(kernel_, index, given, message::kValueDoesNotFit());
    } else {
      to = given.unsigned_integer;  // little-endian: the low bytes
    }
    return {};
  }

  const Kernel& kernel_;
  Device& device_;
  driver::Argument arguments_[kMaxArguments];
  uint64_t numbers_[kMaxArguments];
};

// The cluster size of the launch, otherwise of the kernel. Ignored if the device has no clusters and the
// launch requests none.
Result<Dim3> cluster_of(const Kernel& kernel, const LaunchConfig& config, const Dim3& grid) {
  const driver::DeviceInfo& device = kernel.device().info();
  const std::optional<Dim3>& own = kernel.info().cluster;
  const bool is_asked = config.cluster_size != Dim3{0, 0, 0};
  const Dim3 c = is_asked ? config.cluster_size : own.value_or(Dim3{});
  const auto wrong = [&](const base::MessageText& what) {
    return Error(ErrorKind::invalid_use, message::kClusterFailed(kernel.info().name, spell(c), what.text));
  };
  if (c == Dim3{}) return c;
  if (c.count() == 0) return wrong(message::kClusterOfZero());
  if (is_asked && own && *own != c) return wrong(message::kCompiledClusterSize(spell(*own)));
  if (!device.features.has(driver::Feature::clusters)) {
    if (!is_asked) return Dim3{};
    return wrong(message::kClustersNotSupported(kernel.device().label()));
  }
  if (c.count() > device.limits.cluster_blocks)
    return wrong(
        message::kClusterTooLarge(kernel.device().label(), std::to_string(device.limits.cluster_blocks)));
  if (grid.x % c.x != 0 || grid.y % c.y != 0 || grid.z % c.z != 0)
    return wrong(message::kGridNotMultipleOfCluster(spell(grid)));
  return c;
}

uint32_t blocks_for(uint32_t threads, uint32_t block) {
  return static_cast<uint32_t>((uint64_t{threads} + block - 1) / block);
}

// Chooses a block size: rows of whole warps in one dimension, 16 by 16 in two, 8 by 8 by 4 in three.
void choose(const Kernel& kernel, const Dim3& threads, Dim3& grid, Dim3& block) {
  const uint32_t most = kernel.max_threads();
  if (kernel.info().block) {
    block = *kernel.info().block;
    grid = {blocks_for(threads.x, block.x), blocks_for(threads.y, block.y), blocks_for(threads.z, block.z)};
    return;
  }
  if (threads.z > 1) {
    block = {8, 8, 4};
  } else if (threads.y > 1) {
    block = {16, 16, 1};
  } else {
    block = {256, 1, 1};
  }
  const Dim3& limit = kernel.device().info().limits.block;
  block = {std::min(block.x, limit.x), std::min(block.y, limit.y), std::min(block.z, limit.z)};
  while (block.count() > most) {
    uint32_t& widest = block.z > 1 ? block.z : block.y > block.x ? block.y : block.x;
    widest = std::max(1u, widest / 2);
  }
  block.x = std::min(block.x, std::max(1u, threads.x));
  grid = {blocks_for(threads.x, block.x), blocks_for(threads.y, block.y), blocks_for(threads.z, block.z)};
}

Result<> check_shape(const Kernel& kernel, const driver::Launch& launch) {
  const driver::DeviceInfo& info = kernel.device().info();
  const driver::Limits& limits = info.limits;
  const auto wrong = [&](const base::MessageText& what) {
    return Error(ErrorKind::invalid_use, message::kLaunchFailed(kernel.info().name, what.str()));
  };
  const Dim3 &g = launch.grid, &b = launch.block;
  if (g.count() == 0) return wrong(message::kAtLeastOne("grid", spell(g)));
  if (b.count() == 0) return wrong(message::kAtLeastOne("block", spell(b)));
  if (g.x > limits.grid.x || g.y > limits.grid.y || g.z > limits.grid.z)
    return wrong(message::kGridTooLarge(spell(g), kernel.device().label(), spell(limits.grid)));
  if (b.x > limits.block.x || b.y > limits.block.y || b.z > limits.block.z ||
      b.count() > limits.block_threads)
    return wrong(message::kBlockTooLarge(spell(b), kernel.device().label(), spell(limits.block),
                                         std::to_string(limits.block_threads)));
  if (kernel.info().block && *kernel.info().block != b)
    return wrong(message::kCompiledBlockSize(spell(b), spell(*kernel.info().block)));
  if (b.count() > kernel.max_threads()) {
    const uint32_t registers = kernel.native().registers;
    const base::MessageText why = kernel.info().max_threads != 0 ? message::kLaunchBoundsAllow()
                                  : registers != 0 ? message::kRegistersAllow(std::to_string(registers))
                                                   : message::kResourcesAllow();
    return wrong(
        message::kTooManyThreads(std::to_string(b.count()), why.text, std::to_string(kernel.max_threads())));
  }
  const uint64_t shared = kernel.info().shared_bytes;
  if (launch.shared_bytes > limits.shared_bytes || shared > limits.shared_bytes - launch.shared_bytes)
    return wrong(message::kTooMuchSharedMemory(base::format_bytes(launch.shared_bytes),
                                               base::format_bytes(shared), kernel.device().label(),
                                               base::format_bytes(limits.shared_bytes)));
  return {};
}

}  // namespace

Result<> Stream::prepare(Kernel& kernel, const LaunchConfig& config) {
  if (recording_ != nullptr) return {};
  QUERN_TRY(device_.check_caller());
  driver::Launch launch;
  launch.grid = config.grid_size;
  launch.block = config.block_size;
  if (config.total != Dim3{0, 0, 0}) choose(kernel, config.total, launch.grid, launch.block);
  launch.shared_bytes = config.shared_bytes;
  // Errors are reported in full by the launch.
  if (&kernel.device() != &device_ || !check_shape(kernel, launch).ok()) return {};
  const auto start = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  QUERN_TRY_ASSIGN(const bool has_compiled,
                   device_.native().prepare(kernel.native(), launch.block, launch.shared_bytes));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (has_compiled) kernel.add_compile_seconds(took.count());
  return {};
}

Result<driver::Launch> Stream::launch(Kernel& kernel, const LaunchConfig& config,
                                      std::span<const HostArgument> arguments) {
  QUERN_TRY(device_.check_caller());
  const driver::KernelInfo& info = kernel.info();
  if (&kernel.device() != &device_) {
    return Error(ErrorKind::invalid_use,
                 message::kKernelOfOtherDevice(info.name, kernel.device().label(),
                                               device_.label_beside(kernel.device())));
  }
  if (arguments.size() != info.params.size()) {
    return Error(ErrorKind::invalid_use,
                 message::kArgumentCount(info.name, base::format_plural(info.params.size(), "argument"),
                                         std::to_string(arguments.size())));
  }
  if (arguments.size() + kernel.hidden().size() > kMaxArguments) {
    return Error(ErrorKind::unsupported,
                 message::kTooManyArguments(info.name, std::to_string(arguments.size()),
                                            std::to_string(kMaxArguments)));
  }
  Binder binder(kernel, device_);
  for (size_t i = 0; i < arguments.size(); ++i) QUERN_TRY(binder.bind(i, arguments[i]));

  driver::Launch launch;
  launch.grid = config.grid_size;
  launch.block = config.block_size;
  if (config.total != Dim3{0, 0, 0}) {
    if (config.total.count() == 0) return launch;  // no threads: nothing to run
    choose(kernel, config.total, launch.grid, launch.block);
  }
  launch.shared_bytes = config.shared_bytes;
  launch.cooperative = info.needs_cooperative;
  QUERN_TRY_ASSIGN(launch.cluster, cluster_of(kernel, config, launch.grid));
  QUERN_TRY(check_shape(kernel, launch));
  const std::lock_guard lock(mutex_);
  driver::Place checks;
  if (kernel.is_checked()) {
    if (recording_ != nullptr) return no_part_of_graphs("a kernel in check mode").error();
    QUERN_TRY_ASSIGN(checks, device_.checks().place(*driver_stream_));
  }
  QUERN_TRY(binder.bind_hidden(arguments, checks));
  launch.arguments = binder.arguments();
  if (recording_ != nullptr) {
    QUERN_TRY(check_recording());
    recording_->add_launch(kernel, launch, arguments);
  } else {
    busy_ = true;
    if (device_.runs_in_process()) running_.begin(info.name, device_);
    if (info.needs.has(driver::Feature::print)) {
      QUERN_TRY(write_output());  // of earlier launches: the device's buffer is bounded
      prints_ = device_.prints_ = true;
    }
    if (profile::is_on()) [[unlikely]] {
      QUERN_TRY(launch_profiled(kernel, launch, arguments));
    } else {
      QUERN_TRY(device_.native().launch(*driver_stream_, kernel.native(), launch));
    }
    if (kernel.is_checked()) QUERN_TRY(report_checks());
  }
  launch.arguments = {};
  return launch;
}

}  // namespace quern::runtime
