// Reports: how kernels send printf output and failures to the host where the device has no native printf and
// assert. A report is a buffer of 32-bit words that the kernel gets as a hidden parameter.
//   [0] 1 + the site of the first failure; 0: none     [1] index of the first free word
//   [2] total number of words                          [3] number of printf calls that did not fit
//   [4..6] thread and [7..9] block of the failure
// One record per printf follows: the site, then two words for each argument that is not a string literal.
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

// Writes the header of an empty report of `words` words.
void start_report(std::span<uint32_t, kReportHeader> header, uint32_t words);

struct Reported {
  std::string printed;
  uint64_t calls = 0;          // number of printf calls in `printed`
  uint64_t dropped_calls = 0;  // printf calls that did not fit into the buffer
  std::optional<Finding> failure;
};
Reported read_report(std::span<const uint32_t> words, std::span<const ReportSite> sites);

}  // namespace quern::driver
