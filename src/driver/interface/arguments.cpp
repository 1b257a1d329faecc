#include "driver/interface/arguments.hpp"

#include <cstring>

#include "base/round_up.hpp"

namespace quern::driver {

namespace {

// Calls `place(index, offset)` for each non-pointer parameter. Returns where the pointers' offsets begin.
template <typename Place>
uint64_t lay_out(const KernelInfo& kernel, const Place& place) {
  uint64_t at = 0;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ParamInfo& p = kernel.params[i];
    if (p.is_pointer) continue;
    at = base::round_up(at, p.align);
    place(i, at);
    at += p.bytes;
  }
  return base::round_up(at, 4);
}

}  // namespace

uint64_t block_bytes(const KernelInfo& kernel) {
  uint64_t at = lay_out(kernel, [](size_t, uint64_t) {});
  for (const ParamInfo& p : kernel.params) at += p.is_pointer ? 4 : 0;
  return at;
}

void pack_block(const KernelInfo& kernel, std::span<const Argument> arguments, std::span<std::byte> to) {
  uint64_t at = lay_out(kernel, [&](size_t i, uint64_t offset) {
    std::memcpy(to.data() + offset, arguments[i].value, arguments[i].bytes);
  });
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    if (!kernel.params[i].is_pointer) continue;
    const Place& place = arguments[i].place;
    const auto offset = place.buffer != nullptr ? static_cast<uint32_t>(place.offset) : kNullOffset;
    std::memcpy(to.data() + at, &offset, 4);
    at += 4;
  }
}

std::vector<uint8_t> initial_value(const VariableInfo& variable,
                                   const std::function<uint64_t(uint32_t)>& address) {
  std::vector<uint8_t> bytes = variable.initial;
  bytes.resize(variable.bytes);
  for (const VariablePointer& p : variable.pointers) {
    const uint64_t at = address(p.variable) + static_cast<uint64_t>(p.distance);
    if (p.at + sizeof at <= bytes.size()) std::memcpy(bytes.data() + p.at, &at, sizeof at);
  }
  return bytes;
}

void pack_addresses(const KernelInfo& kernel, std::span<const Argument> arguments,
                    const std::function<uint64_t(Place)>& pointer, std::span<const uint64_t> hidden,
                    std::span<std::byte> to) {
  const auto put = [&](uint64_t at, const void* from, uint64_t bytes) {
    if (bytes != 0 && at + bytes <= to.size()) std::memcpy(to.data() + at, from, bytes);
  };
  uint64_t at = 0;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ParamInfo& p = kernel.params[i];
    at = base::round_up(at, p.align);
    const uint64_t address = p.is_pointer ? pointer(arguments[i].place) : 0;
    put(at, p.is_pointer ? static_cast<const void*>(&address) : arguments[i].value, p.bytes);
    at += p.bytes;
  }
  put(base::round_up(at, 8), hidden.data(), hidden.size_bytes());
}

}  // namespace quern::driver
