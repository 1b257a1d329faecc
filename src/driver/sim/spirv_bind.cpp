#include "driver/sim/spirv_bind.hpp"

#include "base/text.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

using base::Error;
using base::ErrorKind;

static_assert(spirv::kSubgroupInvocations == kWarpSize &&
              spirv::kMaxWorkgroupInvocations == kMaxBlockThreads);

base::Result<void> bind_resources(const spirv::Entry& entry, std::span<const Binding> bindings,
                                  LaunchConfig& config) {
  if (bindings.size() != entry.resources.size()) {
    return Error(ErrorKind::invalid_use,
                 message::kResourceCount(entry.name, base::format_plural(entry.resources.size(), "resource"),
                                         std::to_string(bindings.size())));
  }
  config.args.assign(entry.params, Arg(uint64_t{0}));
  for (size_t k = 0; k < bindings.size(); ++k) {
    const spirv::Resource& r = entry.resources[k];
    const Binding& b = bindings[k];
    if (r.kind == spirv::ResourceKind::kWorkgroupMemory) {
      constexpr uint64_t kApart = 16;  // the alignment of every type
      config.args[r.param] = Arg(config.dynamic_shared_bytes);
      config.dynamic_shared_bytes += (b.bytes + kApart - 1) / kApart * kApart;
    } else {
      config.args[r.param] = b.value.empty() ? Arg(b.address) : Arg(b.value);
    }
    if (r.length.has_value()) config.args[*r.length] = Arg(b.bytes);
  }
  if (entry.local_size.has_value())
    config.block = {entry.local_size->x, entry.local_size->y, entry.local_size->z};
  return {};
}

}  // namespace quern::sim
