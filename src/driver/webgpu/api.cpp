#include "driver/webgpu/api.hpp"

#include "base/text.hpp"
#include "driver/support/native_code.hpp"

namespace quern::webgpu {

using base::Error;
using base::ErrorKind;

namespace {

// All of WGPUErrorType; the last one exists in older headers only.
constexpr driver::NativeCode kErrors[] = {
    {kValidation, "WGPUErrorType_Validation", ErrorKind::internal},
    {kOutOfMemory, "WGPUErrorType_OutOfMemory", ErrorKind::out_of_memory},
    {kInternal, "WGPUErrorType_Internal", ErrorKind::internal},
    {kUnknown, "WGPUErrorType_Unknown", ErrorKind::internal},
    {kLostError, "WGPUErrorType_DeviceLost", ErrorKind::device_lost},
};

// Messages of wgpu-native are lists of causes on several lines.
std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == '\n' || c == '\t' || c == ' ';
    if (!is_space) out += c;
    if (is_space && !out.empty() && out.back() != ' ') out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

std::string Api::describe() const {
  if (!is_wgpu() || GetVersion == nullptr) return library + ", " + std::string(layout->name);
  const uint32_t v = GetVersion();
  return base::format("wgpu-native %u.%u.%u.%u", v >> 24, v >> 16 & 0xff, v >> 8 & 0xff, v & 0xff);
}

std::string string_of(Text text) {
  if (text.data == nullptr) return {};
  return text.length == SIZE_MAX ? std::string(text.data) : std::string(text.data, text.length);
}

Error failed(std::string_view call, uint32_t type, const std::string& message) {
  const driver::NativeCode* const known = driver::find_code(kErrors, type);
  return {known != nullptr ? known->kind : ErrorKind::internal,
          std::string(call) + " failed: " + driver::name_of(kErrors, type) + ": " + one_line(message)};
}

bool is_known(uint32_t type) { return driver::is_known(kErrors, type); }

}  // namespace quern::webgpu
