#include "output.hpp"

#include <array>
#include <cerrno>
#include <string>

#include <unistd.h>

#include "base/output_file.hpp"
#include "base/terminal_filter.hpp"

namespace quern::tool {

namespace {

struct Output {
  int descriptor;
  base::TerminalFilter filter{};
  std::FILE* control = nullptr;
};

// The streams are in use until the process ends.
std::array<Output, 2>& outputs() {
  static auto* const kOutputs = new std::array<Output, 2>{Output{STDOUT_FILENO}, Output{STDERR_FILENO}};
  return *kOutputs;
}

#if defined(__GLIBC__)

// The stream's lock is held. Returns 0 and sets errno if the text cannot be written, as fopencookie requires.
ssize_t write_filtered(void* cookie, const char* text, size_t size) {
  auto& output = *static_cast<Output*>(cookie);
  const int failure = base::write_all(output.descriptor, output.filter.feed({text, size}));
  errno = failure;
  return failure == 0 ? static_cast<ssize_t>(size) : 0;
}

std::FILE* filtered(Output& output, int buffering) {
  std::FILE* const stream = ::fopencookie(&output, "w", {nullptr, write_filtered, nullptr, nullptr});
  if (stream != nullptr) (void)std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

#endif

}  // namespace

void filter_output() {
#if defined(__GLIBC__)  // other C libraries do not let a program replace its standard streams
  auto& [out, err] = outputs();
  if (std::FILE* stream = filtered(out, ::isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF); stream != nullptr) {
    out.control = stdout;
    stdout = stream;
  }
  if (std::FILE* stream = filtered(err, _IONBF); stream != nullptr) {
    err.control = stderr;
    stderr = stream;
  }
#endif
}

void finish_output() {
  for (Output& output : outputs()) (void)base::write_all(output.descriptor, output.filter.finish());
}

std::FILE* control_stream(std::FILE* stream) {
  const Output& output = outputs()[stream == stdout ? 0 : 1];
  if (output.control == nullptr) return stream;
  (void)std::setvbuf(output.control, nullptr, _IONBF, 0);
  return output.control;
}

}  // namespace quern::tool
