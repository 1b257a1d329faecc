#include "driver/decorators/checked/launch.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "driver/decorators/messages.hpp"

namespace quern::checked {

namespace {

using driver::Dim3;

std::string spell(const Dim3& d) { return base::format("(%u,%u,%u)", d.x, d.y, d.z); }

bool exceeds(const Dim3& d, const Dim3& limit) { return d.x > limit.x || d.y > limit.y || d.z > limit.z; }

std::optional<base::MessageText> wrong_shape(const driver::Launch& launch, const driver::Kernel& kernel,
                                             const driver::DeviceInfo& device) {
  const driver::Limits& limits = device.limits;
  const uint64_t threads = launch.block.count();
  if (launch.grid.count() == 0 || exceeds(launch.grid, limits.grid))
    return decorators::message::kSizeOutside("grid", spell(launch.grid), spell(limits.grid));
  if (threads == 0 || exceeds(launch.block, limits.block))
    return decorators::message::kSizeOutside("block", spell(launch.block), spell(limits.block));
  if (kernel.info.block && *kernel.info.block != launch.block)
    return decorators::message::kCompiledForBlock(spell(launch.block), spell(*kernel.info.block));
  uint64_t most = limits.block_threads;
  for (const uint32_t own : {kernel.max_threads, kernel.info.max_threads}) {
    if (own != 0) most = std::min<uint64_t>(most, own);
  }
  if (threads > most)
    return decorators::message::kThreadsExceedLimit(std::to_string(threads), std::to_string(most));
  const uint64_t fixed = kernel.info.shared_bytes;
  if (launch.shared_bytes > limits.shared_bytes || fixed > limits.shared_bytes - launch.shared_bytes)
    return decorators::message::kSharedExceedsLimit(
        std::to_string(launch.shared_bytes), std::to_string(fixed), std::to_string(limits.shared_bytes));
  if (kernel.info.needs_cooperative && !launch.cooperative) return decorators::message::kNotCooperative();
  return std::nullopt;
}

std::optional<base::MessageText> wrong_argument(const driver::Argument& a, const driver::ParamInfo& p) {
  const auto set_to = [&](const base::MessageText& what) {
    return decorators::message::kParameterSet(p.name, p.spelling, what.text);
  };
  if (p.is_pointer) {
    if (a.value != nullptr) return set_to(decorators::message::kValueForPlace());
  } else if (a.place.buffer != nullptr) {
    return set_to(decorators::message::kPlaceForValue());
  } else if (a.bytes != p.bytes) {
    return set_to(decorators::message::kArgumentSize(std::to_string(a.bytes), std::to_string(p.bytes)));
  } else if (a.value == nullptr && p.bytes != 0) {
    return set_to(decorators::message::kNoValue());
  }
  return std::nullopt;
}

}  // namespace

std::optional<base::MessageText> wrong_with(const driver::Launch& launch, const driver::Kernel& kernel,
                                            const driver::DeviceInfo& device) {
  const auto with = [&](const base::MessageText& what) {
    return decorators::message::kLaunchWith(kernel.info.name, what.text);
  };
  if (const auto wrong = wrong_shape(launch, kernel, device)) return with(*wrong);
  const auto& params = kernel.info.params;
  if (launch.arguments.size() != params.size())
    return with(decorators::message::kArgumentCount(std::to_string(launch.arguments.size()),
                                                    std::to_string(params.size())));
  for (size_t i = 0; i < params.size(); ++i) {
    if (const auto wrong = wrong_argument(launch.arguments[i], params[i])) return with(*wrong);
  }
  return std::nullopt;
}

std::optional<base::MessageText> wrong_with(const driver::Code& code, const driver::DeviceInfo& device) {
  const std::string_view kind = driver::name(code.kind);
  if (std::find(device.code.begin(), device.code.end(), code.kind) == device.code.end())
    return decorators::message::kLoadOfKind(kind, device.id());
  if (code.kind == driver::CodeKind::kIr && code.module == nullptr)
    return decorators::message::kLoadWithoutModule(kind);
  std::set<std::string_view> names;
  for (const driver::KernelInfo& k : code.kernels) {
    if (!names.insert(k.name).second) return decorators::message::kLoadTwoKernels(kind, k.name);
    const auto missing = k.needs.missing_from(device.features).list();
    if (!missing.empty())
      return decorators::message::kLoadNeedsFeature(kind, k.name, driver::meaning(missing.front()),
                                                    device.id());
  }
  return std::nullopt;
}

}  // namespace quern::checked
