// How devices are named across native interfaces, so that one that several of them show is known again.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace quern::driver {

// The maker by its number on the PCI bus, which Vulkan tells too; the number where it is not known.
std::string vendor_of(uint32_t id);

std::string hex_of(std::span<const uint8_t> bytes);  // of a UUID, which several interfaces tell
std::string pci_of(uint32_t domain, uint32_t bus, uint32_t device, uint32_t function);  // "0000:65:00.0"

}  // namespace quern::driver
