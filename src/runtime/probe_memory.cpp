#include "runtime/probe_memory.hpp"

#include <filesystem>
#include <vector>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

constexpr std::string_view kFirstLine = "quern probe 1";
constexpr uint64_t kMostBytes = 1 << 16;

// Installing a library or a driver changes one of these.
constexpr const char* kPlaces[] = {"/etc/ld.so.cache",        "/etc/OpenCL/vendors",
                                   "/etc/vulkan/icd.d",       "/usr/share/vulkan/icd.d",
                                   "/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"};
constexpr const char* kVariables[] = {"LD_LIBRARY_PATH",
                                      "LD_PRELOAD",
                                      "VK_ICD_FILENAMES",
                                      "VK_DRIVER_FILES",
                                      "OCL_ICD_VENDORS",
                                      "OCL_ICD_FILENAMES",
                                      "OPENCL_VENDOR_PATH",
                                      "__EGL_VENDOR_LIBRARY_FILENAMES",
                                      "__EGL_VENDOR_LIBRARY_DIRS",
                                      "CUDA_VISIBLE_DEVICES",
                                      "QUERN_CUDA_LIBRARY",
                                      "QUERN_OPENCL_LIBRARY",
                                      "QUERN_HIP_LIBRARY",
                                      "QUERN_VULKAN",
                                      "QUERN_LLVM"};

std::string surroundings_now() {
  base::Hasher hasher;
  std::error_code none;
  hasher.add_field(std::filesystem::read_symlink("/proc/self/exe", none).string());
  hasher.add_field(base::read_file("/proc/sys/kernel/random/boot_id").value_or(""));
  for (const char* place : kPlaces) {
    const auto time = std::filesystem::last_write_time(place, none);
    hasher.add(none ? 0 : static_cast<uint64_t>(time.time_since_epoch().count()));
  }
  for (const char* name : kVariables) hasher.add_field(base::env_text(name).value_or(""));
  return hasher.finish().to_string();
}

std::string default_folder() {
  const std::string cache = base::cache_folder();
  return cache.empty() ? cache : base::join_path(cache, "probes");
}

}  // namespace

ProbeMemory::ProbeMemory() : ProbeMemory(default_folder(), surroundings_now()) {}

ProbeMemory::ProbeMemory(std::string folder, std::string surroundings)
    : folder_(std::move(folder)), surroundings_(std::move(surroundings)) {
  if (!folder_.empty() && !base::make_folders(folder_).ok()) folder_.clear();
}

// The surroundings are part of the name, so that programs do not take each other's.
std::string ProbeMemory::path(const std::string& driver) const {
  return base::join_path(folder_, driver + "-" + surroundings_);
}

// Lines: the format, "ok" or the number of the error's kind, the hint; then the text.
std::optional<base::Result<std::string>> ProbeMemory::find(const std::string& driver) const {
  if (folder_.empty()) return std::nullopt;
  const auto file = base::read_file(path(driver), kMostBytes);
  if (!file.ok()) return std::nullopt;
  std::string_view rest = *file;
  std::vector<std::string> lines;
  for (int i = 0; i < 3; ++i) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (lines[0] != kFirstLine) return std::nullopt;
  if (lines[1] == "ok") return base::Result<std::string>(std::string(rest));
  const auto kind = base::parse_uint(lines[1]);
  if (!kind || *kind > static_cast<uint64_t>(ErrorKind::kInternal)) return std::nullopt;
  Error error(static_cast<ErrorKind>(*kind), std::string(rest));
  error.add_hint((lines[2].empty() ? "" : lines[2] + "; ") + "`quern backends` tries it again");
  return base::Result<std::string>(std::move(error));
}

void ProbeMemory::put(const std::string& driver, const base::Result<std::string>& result) const {
  if (folder_.empty()) return;
  std::string text = std::string(kFirstLine) + "\n";
  if (result.ok()) {
    text += "ok\n\n" + *result;
  } else {
    const Error& error = result.error();
    std::string hint = error.hint();
    for (char& c : hint) c = c == '\n' ? ' ' : c;
    text += std::to_string(static_cast<uint64_t>(error.kind())) + "\n" + hint + "\n" + error.message();
  }
  (void)base::write_file(path(driver), text).ok();  // else it is tried again next time
}

void ProbeMemory::forget(const std::string& driver) const {
  std::error_code none;
  if (!folder_.empty()) std::filesystem::remove(path(driver), none);
}

}  // namespace quern::runtime
