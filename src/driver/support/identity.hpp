// Device identities that are comparable across native APIs, so that one device shown by several is
// recognized.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace quern::driver {

// The vendor's name for a PCI vendor id (Vulkan reports the same); the number if unknown.
std::string vendor_of(uint32_t id);

std::string hex_of(std::span<const uint8_t> bytes);  // of a UUID, which several APIs report
std::string pci_of(uint32_t domain, uint32_t bus, uint32_t device, uint32_t function);  // "0000:65:00.0"

}  // namespace quern::driver
