#include "driver/decorators/checked/launch.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace quern::checked {

namespace {

using driver::Dim3;

unsigned long long ull(uint64_t v) { return v; }

std::string spell(const Dim3& d) { return base::format("(%u,%u,%u)", d.x, d.y, d.z); }

bool exceeds(const Dim3& d, const Dim3& limit) { return d.x > limit.x || d.y > limit.y || d.z > limit.z; }

std::optional<std::string> wrong_shape(const driver::Launch& launch, const driver::Kernel& kernel,
                                       const driver::DeviceInfo& device) {
  const driver::Limits& limits = device.limits;
  const uint64_t threads = launch.block.count();
  if (launch.grid.count() == 0 || exceeds(launch.grid, limits.grid))
    return "grid " + spell(launch.grid) + ", outside (1,1,1) to " + spell(limits.grid);
  if (threads == 0 || exceeds(launch.block, limits.block))
    return "block " + spell(launch.block) + ", outside (1,1,1) to " + spell(limits.block);
  if (kernel.info.block && *kernel.info.block != launch.block)
    return "block " + spell(launch.block) + ", but its code is compiled for " + spell(*kernel.info.block);
  uint64_t most = limits.block_threads;
  for (const uint32_t own : {kernel.max_threads, kernel.info.max_threads}) {
    if (own != 0) most = std::min<uint64_t>(most, own);
  }
  if (threads > most)
    return base::format("%llu threads per block, but the limit is %llu", ull(threads), ull(most));
  const uint64_t fixed = kernel.info.shared_bytes;
  if (launch.shared_bytes > limits.shared_bytes || fixed > limits.shared_bytes - launch.shared_bytes)
    return base::format("%llu bytes of dynamic and %llu of static shared memory, but a block has %llu",
                        ull(launch.shared_bytes), ull(fixed), ull(limits.shared_bytes));
  if (kernel.info.needs_cooperative && !launch.cooperative)
    return std::string("a non-cooperative launch, but it uses grid barriers");
  return std::nullopt;
}

std::optional<std::string> wrong_argument(const driver::Argument& a, const driver::ParamInfo& p) {
  const std::string start = "parameter '" + p.name + "' (" + p.spelling + ") set to ";
  if (p.is_pointer) {
    if (a.value != nullptr) return start + "a value, not a place";
  } else if (a.place.buffer != nullptr) {
    return start + "a place, not a value";
  } else if (a.bytes != p.bytes) {
    return start + base::format("%u bytes, but its size is %u", a.bytes, p.bytes);
  } else if (a.value == nullptr && p.bytes != 0) {
    return start + "no value";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> wrong_with(const driver::Launch& launch, const driver::Kernel& kernel,
                                      const driver::DeviceInfo& device) {
  const std::string start = "driver call launch runs kernel '" + kernel.info.name + "' with ";
  if (auto wrong = wrong_shape(launch, kernel, device)) return start + *wrong;
  const auto& params = kernel.info.params;
  if (launch.arguments.size() != params.size())
    return start + base::format("%zu arguments, but it takes %zu", launch.arguments.size(), params.size());
  for (size_t i = 0; i < params.size(); ++i) {
    if (auto wrong = wrong_argument(launch.arguments[i], params[i])) return start + *wrong;
  }
  return std::nullopt;
}

std::optional<std::string> wrong_with(const driver::Code& code, const driver::DeviceInfo& device) {
  const std::string start = "driver call load gives " + std::string(driver::name(code.kind)) + " code ";
  if (std::find(device.code.begin(), device.code.end(), code.kind) == device.code.end())
    return start + "to " + device.id() + ", which does not support it";
  if (code.kind == driver::CodeKind::kIr && code.module == nullptr) return start + "without its module";
  std::set<std::string_view> names;
  for (const driver::KernelInfo& k : code.kernels) {
    if (!names.insert(k.name).second) return start + "with two kernels '" + k.name + "'";
    const auto missing = k.needs.missing_from(device.features).list();
    if (!missing.empty())
      return start + "with kernel '" + k.name + "', which needs " +
             std::string(driver::meaning(missing.front())) + ", to " + device.id() +
             ", which does not support it";
  }
  return std::nullopt;
}

}  // namespace quern::checked
