// The errors that the program was told, counted by kind, and the last of them with all they said. Kept for
// the whole process. Each is also written to the file `errors` in the cache's folder, without source lines,
// unless QUERN_ERRORS is off; `quern status` shows the end. The file is small: old errors are removed. Any
// thread may call.
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

inline constexpr size_t kErrorKinds = static_cast<size_t>(base::ErrorKind::kInternal) + 1;

struct PastError {
  base::ErrorKind kind = base::ErrorKind::kInternal;
  std::string text;    // all of it, as the program was told
  std::string device;  // empty where none is concerned; so is the kernel
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
    std::vector<PastError> last;  // the oldest first
  };
  Copy copy() const;

 private:
  void keep(PastError error);

  mutable std::mutex mutex_;
  std::array<uint64_t, kErrorKinds> counts_{};
  std::deque<PastError> last_;
  uint32_t written_ = 0;
};

// One format for all: what failed, where (as far as the sentence does not say it), while doing what, a hint.
//   out of memory: 'activations' asks for 96.0 GiB, 61.2 GiB are free
//     on NVIDIA H200 (cuda), kernel 'scan', stream 2
//     while allocating a buffer
//     hint: split the batch
std::string render(const base::Error& error, const std::string& device, const std::string& kernel,
                   uint32_t stream);

/// The errors that programs of this user were given, one JSON object per line, the oldest first.
std::string kept_errors();

}  // namespace quern::runtime
