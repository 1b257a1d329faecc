#include "runtime/probe_memory.hpp"

#include <filesystem>

#include <dlfcn.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/program_path.hpp"
#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

constexpr std::string_view kFirstLine = "quern probe 2";
constexpr uint64_t kMostBytes = 1 << 20;
constexpr size_t kMostKept = 16;  // of the programs and environments in which a driver was tried

// Installing a library or a driver changes one of these.
constexpr const char* kPlaces[] = {"/etc/ld.so.cache",        "/etc/OpenCL/vendors",
                                   "/etc/vulkan/icd.d",       "/usr/share/vulkan/icd.d",
                                   "/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"};
constexpr const char* kVariables[] = {"LD_LIBRARY_PATH",           "LD_PRELOAD",
                                      "VK_ICD_FILENAMES",          "VK_DRIVER_FILES",
                                      "OCL_ICD_VENDORS",           "OCL_ICD_FILENAMES",
                                      "OPENCL_VENDOR_PATH",        "__EGL_VENDOR_LIBRARY_FILENAMES",
                                      "__EGL_VENDOR_LIBRARY_DIRS", "CUDA_VISIBLE_DEVICES",
                                      "ZE_AFFINITY_MASK",          "ZE_ENABLE_ALT_DRIVERS",
                                      "QUERN_CUDA_LIBRARY",        "QUERN_LEVEL_ZERO_LIBRARY",
                                      "QUERN_METAL_LIBRARY",       "QUERN_OPENCL_LIBRARY",
                                      "QUERN_HIP_LIBRARY",         "QUERN_VULKAN",
                                      "QUERN_WEBGPU_LIBRARY",      "QUERN_LLVM"};

// Identifies the version of a file.
void add_file(base::Hasher& hasher, const std::filesystem::path& path) {
  std::error_code none;
  const auto time = std::filesystem::last_write_time(path, none);
  hasher.add(none ? 0 : static_cast<uint64_t>(time.time_since_epoch().count()));
  const auto size = std::filesystem::file_size(path, none);
  hasher.add(none ? 0 : static_cast<uint64_t>(size));
}

// The library that contains this code, or the program.
std::filesystem::path own_file() {
  Dl_info info{};
  const bool is_known = ::dladdr(reinterpret_cast<const void*>(&own_file), &info) != 0;
  const std::filesystem::path file = is_known ? info.dli_fname : "";
  const bool is_library = file.extension() == ".so" || file.extension() == ".dylib" ||
                          file.string().find(".so.") != std::string::npos;
  return is_library ? file : std::filesystem::path(base::program_path());
}

// An entry is one line of fields separated by tabs.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\t' || c == '\\') out += '\\';
    out += c == '\n' ? 'n' : c == '\t' ? 't' : c;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size();
    const char c = is_escape ? text[++i] : text[i];
    out += is_escape && c == 'n' ? '\n' : is_escape && c == 't' ? '\t' : c;
  }
  return out;
}

std::optional<base::PrivateFolder> open_probes(const base::Result<base::PrivateFolder>& cache) {
  if (!cache.ok()) return std::nullopt;
  auto folder = cache->subfolder("probes");
  if (!folder.ok()) return std::nullopt;
  return std::move(*folder);
}

}  // namespace

std::string probe_surroundings() {
  base::Hasher hasher;
  add_file(hasher, own_file());
  hasher.add_field(base::read_file("/proc/sys/kernel/random/boot_id").value_or(""));
  for (const char* place : kPlaces) add_file(hasher, place);
  for (const char* name : kVariables) {
    const std::string value = base::env_text(name).value_or("");
    hasher.add_field(value);
    for (const std::string_view file : base::split(value, ':')) {
      if (file.find('/') != std::string_view::npos) add_file(hasher, file);
    }
  }
  return hasher.finish().to_string();
}

ProbeMemory::ProbeMemory()
    : folder_(open_probes(base::open_cache_folder())), surroundings_(probe_surroundings()) {}

ProbeMemory::ProbeMemory(const std::string& cache, std::string surroundings)
    : folder_(open_probes(base::PrivateFolder::open(cache))), surroundings_(std::move(surroundings)) {}

// A file has a line with the format and then one line per environment, newest last.
std::vector<ProbeMemory::Entry> ProbeMemory::read(const std::string& driver) const {
  std::vector<Entry> out;
  if (!folder_) return out;
  const auto file = folder_->read(driver, kMostBytes);
  if (!file.ok()) return out;
  const auto lines = base::split_lines(*file);
  if (lines.empty() || lines.front() != kFirstLine) return out;
  for (size_t i = 1; i < lines.size(); ++i) {
    const auto parts = base::split(lines[i], '\t');
    if (parts.size() == 4)
      out.push_back({std::string(parts[0]), std::string(parts[1]), unescaped(parts[2]), unescaped(parts[3])});
  }
  return out;
}

void ProbeMemory::write(const std::string& driver, const std::vector<Entry>& entries) const {
  std::string text = std::string(kFirstLine) + "\n";
  for (size_t i = entries.size() > kMostKept ? entries.size() - kMostKept : 0; i < entries.size(); ++i) {
    const Entry& e = entries[i];
    text += e.surroundings + "\t" + e.kind + "\t" + escaped(e.hint) + "\t" + escaped(e.text) + "\n";
  }
  (void)folder_->write(driver, text).ok();  // on failure it is tried again next time
}

std::optional<base::Result<std::string>> ProbeMemory::find(const std::string& driver) const {
  for (const Entry& e : read(driver)) {
    if (e.surroundings != surroundings_) continue;
    if (e.kind == "ok") return base::Result<std::string>(e.text);
    const auto kind = base::parse_uint(e.kind);
    if (!kind || *kind > static_cast<uint64_t>(ErrorKind::internal)) return std::nullopt;
    Error error(static_cast<ErrorKind>(*kind), e.text);
    error.add_hint((e.hint.empty() ? "" : e.hint + "; ") + message::kTryAgain().text);
    return base::Result<std::string>(std::move(error));
  }
  return std::nullopt;
}

std::vector<ProbeMemory::Entry> ProbeMemory::others(const std::string& driver) const {
  std::vector<Entry> entries = read(driver);
  std::erase_if(entries, [this](const Entry& e) { return e.surroundings == surroundings_; });
  return entries;
}

void ProbeMemory::put(const std::string& driver, const base::Result<std::string>& result) const {
  if (!folder_) return;
  std::vector<Entry> entries = others(driver);
  if (result.ok()) {
    entries.push_back({surroundings_, "ok", "", *result});
  } else {
    const Error& error = result.error();
    entries.push_back(
        {surroundings_, std::to_string(static_cast<uint64_t>(error.kind())), error.hint(), error.message()});
  }
  write(driver, entries);
}

void ProbeMemory::forget(const std::string& driver) const {
  if (folder_ && find(driver)) write(driver, others(driver));
}

}  // namespace quern::runtime
