// Inline kernels: their text, with its place in the program's file, becomes a module of its own.
#include "quern/inline_kernel.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <set>

#include "api/state.hpp"
#include "base/file.hpp"

namespace quern {

namespace detail {

namespace {

std::mutex& code_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::deque<CodeText>& all_code() {
  static std::deque<CodeText> code;
  return code;
}

std::string line_mark(const char* file, int line) {
  return "#line " + std::to_string(line) + " \"" + file + "\"\n";
}

// All that QUERN_CODE declared in the kernel's file, or in headers, which any file may include. A header's
// code is registered by each file that includes it, and is taken once.
std::string shared_code(const KernelText& kernel) {
  std::string out;
  std::set<std::pair<std::string, int>> taken;
  const std::lock_guard lock(code_mutex());
  for (const CodeText& c : all_code()) {
    const std::string file = c.file;
    const bool is_header =
        file.ends_with(".h") || file.ends_with(".hpp") || file.ends_with(".cuh") || file.ends_with(".hh");
    if (file != kernel.file && !is_header) continue;
    if (!taken.emplace(file, c.line).second) continue;
    out += line_mark(c.file, c.line) + c.text + "\n";
  }
  return out;
}

}  // namespace

bool register_code(const CodeText& code) {
  const std::lock_guard lock(code_mutex());
  all_code().push_back(code);
  return true;
}

// A kernel's place in the lists of all devices, from its first launch on.
static std::uint32_t slot_of(const KernelText& text) {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t slot = text.slot;
  if (slot != 0) return slot;
  const std::uint32_t next = ++last;
  return text.slot.compare_exchange_strong(slot, next) ? next : slot;
}

std::shared_ptr<runtime::Kernel> inline_kernel(DeviceState& state, const KernelText& text) {
  const std::uint32_t slot = slot_of(text);
  const std::lock_guard lock(state.mutex);
  if (slot >= state.inline_kernels.size()) state.inline_kernels.resize(slot + 1);
  std::shared_ptr<runtime::Kernel>& kernel = state.inline_kernels[slot];
  if (kernel != nullptr) return kernel;
  runtime::Source source;
  source.name = text.file;
  source.host = driver::HostFunction{text.run};
  source.text = "#define QUERN_DYNAMIC_SHARED(T, name) extern __shared__ T name[]\n" + shared_code(text) + line_mark(text.file, text.line) + "__global__ void " + text.name +
                text.parameters + text.body + "\n";
  auto program =
      unwrap(runtime::Program::load(state.device, std::move(source)), state.device.get(), text.name);
  kernel = unwrap(program->kernel(text.name), state.device.get(), text.name);
  return kernel;
}

}  // namespace detail
}  // namespace quern
