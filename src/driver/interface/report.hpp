// What kernels tell the host where the device has no printf and no assert of its own: 32-bit words in a
// buffer that the kernel gets as a hidden parameter.
//   [0] 1 + the site of the first failure, 0: none     [1] the first word that is free
//   [2] how many words there are                       [3] calls of printf that did not fit
//   [4..6] thread and [7..9] block of the failure
// Then one record for each printf: the site, and two words for each argument that is no literal string.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "driver/interface/code.hpp"
#include "driver/interface/finding.hpp"

namespace quern::driver {

inline constexpr uint32_t kReportHeader = 10;
inline constexpr uint32_t kReportWords = 1 << 18;

// An empty report of that many words: its header.
void start_report(std::span<uint32_t, kReportHeader> header, uint32_t words);

struct Reported {
  std::string printed;
  uint64_t calls = 0;          // of printf, whose text is in `printed`
  uint64_t dropped_calls = 0;  // that the buffer had no room for
  std::optional<Finding> failure;
};
Reported read_report(std::span<const uint32_t> words, std::span<const ReportSite> sites);

}  // namespace quern::driver
