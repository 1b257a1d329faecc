#include "runtime/device_launches.hpp"

#include <algorithm>
#include <cstring>

#include "base/round_up.hpp"
#include "runtime/argument_binder.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;
using driver::Command;

namespace {

constexpr uint32_t kMaxLaunchDepth = 24;  // as in CUDA
constexpr uint64_t kWordBytes = 4;
constexpr uint64_t kLaunchHeadBytes = 16;
constexpr uint64_t kUnitsPerPendingLaunch = 12;  // library/device_launch.cuh

enum Word : uint32_t { kKernel = 0, kGrid = 1, kBlock = 4, kShared = 7, kKind = 8, kUnits = 9, kLine = 10 };

uint64_t units_in(const std::vector<driver::VariableInfo>& variables) {
  for (const driver::VariableInfo& v : variables) {
    if (v.name == ir::kLaunchQueue) return v.bytes / ir::kLaunchUnit;
  }
  return 0;
}

}  // namespace

bool DeviceLaunches::Record::is_tail() const {
  return words[kKind] == static_cast<uint32_t>(ir::LaunchStream::kTail);
}

Result<> DeviceLaunches::clear(Kernel& kernel) {
  const std::lock_guard lock(stream_.mutex_);
  driver::Device& native = stream_.device_.native();
  stream_.busy_ = true;
  Command c;
  c.kind = Command::Kind::kFill;
  QUERN_TRY_ASSIGN(c.to, native.variable(*kernel.part_, std::string(ir::kLaunchHead)));
  c.width = kWordBytes;
  c.bytes = kLaunchHeadBytes;
  return native.submit(*stream_.driver_stream_, c);
}

// Waits for the kernel.
Result<std::vector<uint32_t>> DeviceLaunches::take_records(Kernel& kernel) {
  const std::lock_guard lock(stream_.mutex_);
  driver::Device& native = stream_.device_.native();
  driver::Stream& driver_stream = *stream_.driver_stream_;
  uint32_t head[kLaunchHeadBytes / kWordBytes] = {};
  std::vector<uint32_t> words;
  QUERN_TRY_ASSIGN(const driver::Place counts, native.variable(*kernel.part_, std::string(ir::kLaunchHead)));
  QUERN_TRY(native.download(driver_stream, head, counts, kLaunchHeadBytes));
  QUERN_TRY(stream_.finish());
  if (head[0] == 0) return words;
  const uint64_t units = units_in(table_.variables);
  if (head[0] > units / kUnitsPerPendingLaunch || head[1] > units)
    return Error(ErrorKind::kernel_fault,
                 message::kPendingLaunches(kernel.info().name, std::to_string(head[0]),
                                           std::to_string(units / kUnitsPerPendingLaunch)));
  words.resize(head[1] * uint64_t{ir::kLaunchUnit} / kWordBytes);
  QUERN_TRY_ASSIGN(const driver::Place queue, native.variable(*kernel.part_, std::string(ir::kLaunchQueue)));
  QUERN_TRY(native.download(driver_stream, words.data(), queue, words.size() * kWordBytes));
  QUERN_TRY(stream_.finish());
  return words;
}

// In the order of the records, which is the order of each block's launches; tail launches come last.
Result<> DeviceLaunches::run(Kernel& kernel, const ArgumentBinder& bound, uint32_t depth) {
  QUERN_TRY_ASSIGN(const std::vector<uint32_t> words, take_records(kernel));
  if (words.empty()) return {};
  if (depth > kMaxLaunchDepth)
    return Error(ErrorKind::kernel_fault,
                 message::kLaunchDepth(kernel.info().name, std::to_string(kMaxLaunchDepth)));
  QUERN_TRY(clear(kernel));
  std::vector<Record> records;
  for (size_t at = 0; at < words.size();) {
    const uint64_t units = words[at + kUnits];
    if (units == 0 || units > (words.size() - at) * kWordBytes / ir::kLaunchUnit) break;
    records.push_back({&words[at]});
    at += units * ir::kLaunchUnit / kWordBytes;
  }
  std::stable_partition(records.begin(), records.end(), [](const Record& r) { return !r.is_tail(); });
  for (const Record& r : records) QUERN_TRY(launch(kernel, bound, r, depth));
  return {};
}

Result<> DeviceLaunches::launch(Kernel& parent, const ArgumentBinder& bound, const Record& record,
                                uint32_t depth) {
  const std::string& name = parent.info().name;
  const auto known = table_.children.find(record.words[kKernel]);
  if (known == table_.children.end())
    return Error(ErrorKind::internal, message::kUnknownChild(name, std::to_string(record.words[kKernel])));
  const LaunchTable::Child& child = known->second;
  if (child.kernel == nullptr) {
    const std::string why = child.error ? child.error->message() : std::string();
    return Error(child.error ? child.error->kind() : ErrorKind::internal,
                 message::kChildNotCompiled(name, child.name, why));
  }
  ++count_;
  return launch_child(parent, bound, record, *child.kernel, depth);
}

Result<> DeviceLaunches::launch_child(Kernel& parent, const ArgumentBinder& bound, const Record& record,
                                      Kernel& child, uint32_t depth) {
  const uint32_t* const w = record.words;
  LaunchConfig config;
  config.grid_size = {w[kGrid], w[kGrid + 1], w[kGrid + 2]};
  config.block_size = {w[kBlock], w[kBlock + 1], w[kBlock + 2]};
  config.shared_bytes = w[kShared];
  ArgumentBinder binder(child, stream_.device_);
  QUERN_TRY(bind(parent, bound, record, child, binder));
  auto launched = stream_.launch_bound(child, config, binder, {});
  if (!launched.ok()) {
    return std::move(launched).error().add_context(
        message::kLaunchedBy(parent.info().name, parent.file_, std::to_string(w[kLine])).text);
  }
  return child.launches_kernels() ? run(child, binder, depth + 1) : Result<>();
}

Result<> DeviceLaunches::bind(Kernel& parent, const ArgumentBinder& bound, const Record& record,
                              Kernel& child, ArgumentBinder& binder) {
  const auto& params = child.info().params;
  uint64_t at = ir::kLaunchHeader;
  for (size_t i = 0; i < params.size(); ++i) {
    const driver::ParamInfo& p = params[i];
    constexpr uint64_t kPointerBytes = 8;
    const uint64_t bytes = p.is_pointer ? kPointerBytes : p.bytes;
    at = base::round_up(at, std::max<uint64_t>(p.is_pointer ? kPointerBytes : p.align, kWordBytes));
    const uint32_t* const words = record.words + at / kWordBytes;
    at += bytes;
    if (p.object != driver::ParamObject::kNone)
      return Error(ErrorKind::unsupported,
                   message::kChildTexture(child.info().name, parent.info().name, p.name));
    if (!p.is_pointer) {
      binder.bind_bytes(i, reinterpret_cast<const std::byte*>(words));
      continue;
    }
    const auto found = find(parent, bound, words);
    if (!found)
      return Error(ErrorKind::kernel_fault, message::kChildPointer(child.info().name, parent.info().name,
                                                                   std::to_string(i + 1), p.name));
    binder.bind_place(i, found->place, found->room);
  }
  return {};
}

std::optional<DeviceLaunches::Target> DeviceLaunches::find(Kernel& parent, const ArgumentBinder& bound,
                                                           const uint32_t* words) {
  const uint32_t low = words[0], high = words[1];
  const bool survives_loss = stream_.device_.recoverable() != nullptr;  // addresses do not
  if (!survives_loss && stream_.device_.info().features.has(driver::Feature::addresses))
    return find_address(parent, uint64_t{high} << 32 | low);
  if (low == 0) return Target();
  Target target;
  if ((low & ir::kLaunchVariable) != 0) {
    const auto variable = find_variable(parent, low & ~ir::kLaunchVariable);
    if (!variable) return std::nullopt;
    target = *variable;
  } else {
    if (low > bound.arguments().size()) return std::nullopt;
    target = {bound.arguments()[low - 1].place, bound.room(low - 1)};
    if (target.place.buffer == nullptr) return Target();
  }
  const auto offset = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(high)));
  target.place.offset += offset;
  target.room = offset <= target.room ? target.room - offset : 0;
  return target;
}

std::optional<DeviceLaunches::Target> DeviceLaunches::find_address(Kernel& parent, uint64_t address) {
  if (address == 0) return Target();
  const auto [place, room] = stream_.device_.find(address);
  if (place.buffer != nullptr) return Target{place, room};
  for (const driver::VariableInfo& v : table_.variables) {
    const std::lock_guard lock(stream_.mutex_);
    auto variable = stream_.device_.native().variable(*parent.part_, v.name);
    if (!variable.ok() || variable->buffer == nullptr) continue;
    const uint64_t first = variable->buffer->address + variable->offset;
    if (variable->buffer->address == 0 || address < first || address - first > v.bytes) continue;
    return Target{{variable->buffer, variable->offset + (address - first)}, v.bytes - (address - first)};
  }
  return std::nullopt;
}

std::optional<DeviceLaunches::Target> DeviceLaunches::find_variable(Kernel& parent, uint32_t number) {
  for (const driver::VariableInfo& v : table_.variables) {
    if (ir::launch_number(v.name) != number) continue;
    const std::lock_guard lock(stream_.mutex_);
    auto variable = stream_.device_.native().variable(*parent.part_, v.name);
    if (variable.ok()) return Target{*variable, v.bytes};
  }
  return std::nullopt;
}

}  // namespace quern::runtime
