#include "driver/support/identity.hpp"

#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace quern::driver {

std::string vendor_of(uint32_t id) {
  constexpr std::pair<uint32_t, std::string_view> kVendors[] = {
      {0x10DE, "NVIDIA"},   {0x1002, "AMD"},       {0x8086, "Intel"},       {0x13B5, "Arm"},
      {0x5143, "Qualcomm"}, {0x106B, "Apple"},     {0x10005, "Mesa"},       {0x14E4, "Broadcom"},
      {0x1AE0, "Google"},   {0x1414, "Microsoft"}, {0x1010, "Imagination"},
  };
  for (const auto& [known, name] : kVendors) {
    if (known == id) return std::string(name);
  }
  return base::format("0x%x", id);
}

std::string hex_of(std::span<const uint8_t> bytes) {
  std::string out;
  for (const uint8_t byte : bytes) out += base::format("%02x", byte);
  return out;
}

std::string pci_of(uint32_t domain, uint32_t bus, uint32_t device, uint32_t function) {
  return base::format("%04x:%02x:%02x.%x", domain, bus, device, function);
}

}  // namespace quern::driver
