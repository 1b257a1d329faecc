#include "runtime/score.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/environment.hpp"
#include "base/private_folder.hpp"
#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

namespace {

using driver::DeviceInfo;
using driver::DeviceKind;

constexpr std::array<std::string_view, 10> kOrder = {"cuda",  "hip",    "level_zero", "opencl", "vulkan",
                                                     "metal", "webgpu", "opengl",     "gles",   "cpu"};

size_t order(const DeviceInfo& info) {
  return static_cast<size_t>(std::find(kOrder.begin(), kOrder.end(), info.driver) - kOrder.begin());
}

int of_kind(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::discrete: return 1000;
    case DeviceKind::integrated: return 500;
    case DeviceKind::virtual_gpu: return 100;
    case DeviceKind::cpu: return 50;
    case DeviceKind::simulated: return 0;
    case DeviceKind::other: return 10;
  }
  return 0;
}

// "Vulkan 1.3.2" has 3, "OpenCL 3.0" 7; our own drivers, without a version, count as newest.
int of_version(const std::string& text) {
  constexpr unsigned long kMost = 10;
  const size_t at = text.find_first_of("0123456789");
  if (at == std::string::npos) return kMost;
  char* end = nullptr;
  const unsigned long major = std::min(100ul, std::strtoul(text.c_str() + at, &end, 10));
  const unsigned long minor = *end == '.' ? std::min(9ul, std::strtoul(end + 1, nullptr, 10)) : 0;
  return static_cast<int>(std::min(kMost, (major * 10 + minor) / 4));
}

int log2_of(uint64_t v) { return v == 0 ? 0 : static_cast<int>(std::bit_width(v)) - 1; }

int of_measured(const DeviceInfo& info) {
  constexpr std::array<std::string_view, 2> kChoices = {"table", "measured"};
  if (base::env_choice("QUERN_SCORE", kChoices, 0).value_or(0) == 0) return 0;
  const auto m = measured(info);
  if (!m) return 0;
  const auto points = [](double rate) {
    return std::clamp(static_cast<int>(4 * std::log2(1 + rate)), 0, 50);
  };
  return points(m->gigabytes) + points(m->gigaflops / 16);
}

// CUDA writes domains with eight digits on some machines.
std::string_view address(const DeviceInfo& info) {
  constexpr size_t kDigits = 12;  // "0000:3b:00.0"
  const std::string_view all = info.pci;
  return all.size() > kDigits ? all.substr(all.size() - kDigits) : all;
}

bool has_uuid(const DeviceInfo& info) { return info.uuid.find_first_not_of('0') != std::string::npos; }

// Partitions of one card (MIG) share its address; a driver distinguishes them by their UUIDs.
bool is_same(const DeviceInfo& a, const DeviceInfo& b) {
  const bool have_uuids = has_uuid(a) && has_uuid(b);
  if (have_uuids && a.uuid == b.uuid) return true;
  if (have_uuids && a.driver == b.driver) return false;
  return !a.pci.empty() && address(a) == address(b);
}

bool goes_before(const DeviceInfo& a, const DeviceInfo& b) {
  return a.score != b.score ? a.score > b.score : order(a) < order(b);
}

constexpr const char* kMeasuredFile = "measured";  // in the cache folder
constexpr uint64_t kMostBytes = 1 << 20;           // size limit of the file

// Empty if nothing was measured or the folder is not safe to use.
std::string read_measured(const base::Result<base::PrivateFolder>& cache) {
  if (!cache.ok()) return {};
  return cache->read(kMeasuredFile, kMostBytes).value_or(std::string());
}

std::string key(const DeviceInfo& info) {
  return info.driver + "\t" + info.name + "\t" + info.driver_version + "\t";
}

}  // namespace

int score(const DeviceInfo& info) {
  if (info.kind == DeviceKind::simulated) return 0;
  const bool only_inline_kernels = info.code == std::vector{driver::CodeKind::kHostFunction};
  if (only_inline_kernels) return 1;
  const int memory = std::min(40, std::max(0, log2_of(info.memory_bytes) - 20) * 2);
  const int units = std::min(20, log2_of(info.compute_units) * 2);
  return of_kind(info.kind) + of_version(info.api_version) + memory + units + of_measured(info);
}

std::vector<DeviceInfo> ranked(std::vector<DeviceInfo> all) {
  for (DeviceInfo& info : all) info.score = score(info);
  for (DeviceInfo& a : all) {
    for (DeviceInfo& b : all) {
      if (&a != &b && is_same(a, b)) a.score = b.score = std::max(a.score, b.score);
    }
  }
  std::stable_sort(all.begin(), all.end(), goes_before);
  for (auto first = all.begin(); first != all.end(); ++first) {
    if (!first->same_as.empty()) continue;
    for (auto other = std::next(first); other != all.end(); ++other) {
      if (!other->same_as.empty() || !is_same(*first, *other)) continue;
      other->same_as = first->id();
      first->also_as.push_back(other->id());
    }
  }
  return all;
}

// A line for each device: driver, name, the driver's version, and the numbers.
std::optional<Measured> measured(const DeviceInfo& info) {
  const std::string file = read_measured(base::open_cache_folder());
  const std::string wanted = key(info);
  for (const std::string_view line : base::split_lines(file)) {
    if (!line.starts_with(wanted)) continue;
    const auto numbers = base::split(line.substr(wanted.size()), '\t');
    if (numbers.size() != 2) continue;
    const auto bytes = base::parse_double(numbers[0]), flops = base::parse_double(numbers[1]);
    if (bytes && flops) return Measured{*bytes, *flops};
  }
  return std::nullopt;
}

base::Result<> remember(const DeviceInfo& info, const Measured& measured) {
  const auto cache = base::open_cache_folder();
  if (!cache.ok()) {
    return base::Error(base::ErrorKind::not_found, message::kNoCacheFolder(cache.error().message()));
  }
  std::string text;
  const std::string before = read_measured(cache);
  for (const std::string_view line : base::split_lines(before)) {
    if (!line.starts_with(key(info))) text += std::string(line) + "\n";
  }
  text += key(info) + base::format("%.3f\t%.3f\n", measured.gigabytes, measured.gigaflops);
  return cache->write(kMeasuredFile, text);
}

}  // namespace quern::runtime
