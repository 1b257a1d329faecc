#include "suite/status.hpp"

#include <set>

#include "base/table.hpp"
#include "base/text.hpp"

namespace quern::test {

namespace {

// Reasons that differ only in the kernel's name and the position are merged.
std::string general(std::string reason) {
  constexpr std::string_view kSources = QUERN_SOURCE_DIR "/";
  if (reason.starts_with(kSources)) reason.erase(0, kSources.size());
  const size_t place = reason.rfind(" (");
  if (place != std::string::npos && reason.find(".cu:", place) != std::string::npos && reason.back() == ')')
    reason.resize(place);
  const size_t open = reason.find('\''),
               close = open == std::string::npos ? open : reason.find('\'', open + 1);
  if (close == std::string::npos || reason.compare(0, 7, "kernel ") != 0) return reason;
  return "a kernel" + reason.substr(close + 1);
}

std::string cell(const Counts& c) {
  const uint32_t all = c.passed + c.refused + c.expected + c.failed;
  std::string text = base::format("%u/%u", c.passed, all);
  if (c.refused > 0) text += base::format(", %u refused", c.refused);
  if (c.expected > 0) text += base::format(", %u known", c.expected);
  if (c.failed > 0) text += base::format(", **%u wrong**", c.failed);
  return text;
}

}  // namespace

void DeviceStatus::add(const std::string& file, const std::string& name, const Outcome& outcome,
                       const ExpectedFailure* expected) {
  Counts& c = files[file];
  switch (outcome.kind) {
    case Outcome::Kind::kPassed:
      if (expected == nullptr) {
        ++c.passed;
      } else {
        ++c.failed;
        failures.push_back(name + ": passes, but is listed as an expected failure (" +
                           std::string(expected->reason) + ")");
      }
      return;
    case Outcome::Kind::kRefused:
      ++c.refused;
      ++refusals[general(outcome.reason)];
      return;
    case Outcome::Kind::kFailed:
      if (expected != nullptr) {
        ++c.expected;
      } else {
        ++c.failed;
        failures.push_back(name + ": " + outcome.reason);
      }
      return;
  }
}

Counts DeviceStatus::total() const {
  Counts sum;
  for (const auto& [file, c] : files) {
    sum.passed += c.passed;
    sum.refused += c.refused;
    sum.expected += c.expected;
    sum.failed += c.failed;
  }
  return sum;
}

bool DeviceStatus::is_right() const { return total().failed == 0 && random.differ == 0; }

std::string DeviceStatus::report() const {
  const Counts t = total();
  std::string out =
      base::format("%s (%s): %u cases passed, %u refused with a reason, %u known failures, %u wrong\n",
                   info.name.c_str(), info.id().c_str(), t.passed, t.refused, t.expected, t.failed);
  for (const auto& [reason, count] : refusals)
    out += base::format("  refused %u: %s\n", count, reason.c_str());
  for (const std::string& f : failures) out += "  wrong: " + f + "\n";
  if (random.ran > 0)
    out += base::format("  %llu random kernels: %llu differ from the simulator, %llu refused\n",
                        static_cast<unsigned long long>(random.ran),
                        static_cast<unsigned long long>(random.differ),
                        static_cast<unsigned long long>(random.refused));
  if (!random.first.empty()) out += random.first + "\n";
  for (const std::string& other : random.others) out += other + "\n";
  return out;
}

namespace {

constexpr std::string_view kOtherMachines =
    "\nResults on an NVIDIA H200 are in [performance.md](performance.md). Some drivers have not run on their "
    "hardware:\n"
    "\n"
    "- AMD: the HIP driver ran on the H200 through `tests/hip/hip_on_cuda.cpp`, a test library that maps "
    "HIP's functions to\n"
    "  CUDA's. `tests/target_cstyle` compiles every case with hiprtc for gfx90a (wave64) and gfx1030 "
    "(wave32).\n"
    "- Apple: the Metal driver ran only on the test device in `tests/metal/device`.\n"
    "- Intel: the Level Zero driver ran only on the test device in `tests/level_zero/device`.\n";

}  // namespace

std::string status_page(const std::vector<DeviceStatus>& devices) {
  std::string out =
      "# Status\n"
      "\n"
      "The suite writes this page (`quern_suite --status docs/status.md`); do not edit it. It shows the "
      "results of the cases in\n"
      "`tests/cases` on each device. *Refused*: the device lacks a feature that the kernel needs, and the "
      "error was reported\n"
      "before the launch. *Known*: an expected failure; `tests/suite/expected_failures.cpp` gives the "
      "reason.\n"
      "\n"
      "| device | driver | version | cases | random kernels |\n"
      "|---|---|---|---|---|\n";
  std::set<std::string> files;
  for (const DeviceStatus& d : devices) {
    out +=
        "| " + d.info.name + " | " + d.info.driver + " | " + d.info.driver_version + " | " + cell(d.total()) +
        " | " +
        (d.random.ran > 0 ? base::format("%llu, %llu differ", static_cast<unsigned long long>(d.random.ran),
                                         static_cast<unsigned long long>(d.random.differ))
                          : std::string(d.info.driver == "sim" ? "the reference" : "–")) +
        " |\n";
    for (const auto& [file, c] : d.files) files.insert(file);
  }
  out += kOtherMachines;
  out += "\n## By file\n\n| file |";
  for (const DeviceStatus& d : devices) out += " " + d.info.id() + " |";
  out += "\n|---|";
  for (size_t i = 0; i < devices.size(); ++i) out += "---|";
  out += "\n";
  for (const std::string& file : files) {
    out += "| " + file + " |";
    for (const DeviceStatus& d : devices) {
      const auto found = d.files.find(file);
      out += " " + (found != d.files.end() ? cell(found->second) : std::string("–")) + " |";
    }
    out += "\n";
  }
  bool any = false;
  for (const DeviceStatus& d : devices) {
    for (const auto& [reason, count] : d.refusals) {
      if (!any) out += "\n## Refused cases\n\n";
      any = true;
      out += base::format("- %s, %s: %s\n", d.info.id().c_str(), base::format_plural(count, "case").c_str(),
                          reason.c_str());
    }
  }
  return out;
}

}  // namespace quern::test
