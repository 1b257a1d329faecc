// Counts the errors reported to the program by kind, and keeps the most recent ones in full. Kept for the
// life of the process. Each error is also appended to the file `errors` in the cache folder, without source
// lines, unless QUERN_ERRORS is off; `quern status` shows the most recent ones. The file is small: old errors
// are removed. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace quern::runtime {

inline constexpr size_t kErrorKinds = static_cast<size_t>(base::ErrorKind::internal) + 1;

struct PastError {
  base::ErrorKind kind = base::ErrorKind::internal;
  std::string text;    // complete, as reported to the program
  std::string device;  // empty if none is involved; likewise the kernel
  std::string kernel;
  uint32_t stream = 0;
  int64_t time = 0;  // seconds since 1970
};

class ErrorHistory {
 public:
  static constexpr size_t kLast = 32;

  static ErrorHistory& instance();
  void add(PastError error);
  void clear();

  struct Copy {
    std::array<uint64_t, kErrorKinds> counts{};
    std::vector<PastError> last;  // oldest first
  };
  Copy copy() const;

 private:
  void keep(PastError error);

  mutable std::mutex mutex_;
  std::array<uint64_t, kErrorKinds> counts_{};
  std::deque<PastError> last_;
  uint32_t written_ = 0;
};

// One format for all errors: what failed, where (unless the message says it), the context, a hint.
//   out of memory: allocating 'activations' (96.0 GiB) failed: 61.2 GiB of 139 GiB are free
//     on NVIDIA H200 (cuda), kernel 'scan', stream 2
//     while allocating a buffer
//     hint: split the batch
std::string render(const base::Error& error, const std::string& device, const std::string& kernel,
                   uint32_t stream);

/// The errors reported to programs of this user, one JSON object per line, oldest first.
std::string kept_errors();

}  // namespace quern::runtime
