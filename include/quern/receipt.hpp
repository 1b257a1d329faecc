/// @file
/// Receipts: what a launch ran, where, and how long it took.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "quern/event.hpp"
#include "quern/export.hpp"
#include "quern/types/dim3.hpp"
#include "quern/types/feature.hpp"

namespace quern {

namespace runtime {
class Kernel;
}
namespace detail {
struct Access;
}

/// What a launch ran. Every launch returns one; a receipt that is not used costs 10 to 20 ns. Keeps the
/// kernel's module and device open. Copies are cheap. Thread-safe.
///
/// @code
/// const quern::Receipt receipt = gpu.launch(saxpy, quern::threads(n).timed(), n, a, x, y);
/// std::printf("%s\n", receipt.to_string().c_str());
/// @endcode
class QUERN_API Receipt {
 public:
  Receipt() = default;  ///< Of no launch: texts are empty, numbers are 0.

  /// Name of the device: "NVIDIA H200".
  std::string device() const;
  /// Driver of the device: "cuda".
  std::string driver() const;
  /// Name of the kernel: "saxpy". If another library did the work, its name and version: "cublas 13.0".
  std::string kernel() const;
  /// Hash of the kernel's source.
  std::uint64_t program() const;
  /// False: the host compiler's version of an inline kernel ran, not device code.
  bool is_native() const;
  /// Why this is not the requested device (Policy); empty if it is.
  std::string fallback_reason() const;
  /// Features of the kernel that the device lacks and Quern computed in software, which is slow: double
  /// precision on Metal.
  FeatureSet software() const;
  /// Blocks, as launched.
  Dim3 grid() const { return grid_; }
  /// Threads per block, as launched.
  Dim3 block() const { return block_; }
  /// Seconds that the compilation of the kernel took. 0 if an earlier receipt reported it.
  double compile_seconds() const { return compile_seconds_; }

  /// Seconds that the kernel took on the device; empty unless the launch was timed (LaunchConfig::timed).
  /// Waits for the kernel. Throws the error of the work, if any.
  std::optional<double> seconds() const;
  /// One line of text. Waits for the kernel if the launch was timed.
  std::string to_string() const;

  const Event& begin() const { return begin_; }  ///< Before the kernel of a timed launch.
  const Event& end() const { return end_; }      ///< After the kernel of a timed launch.

 private:
  friend class Stream;
  friend struct detail::Access;
  std::shared_ptr<const runtime::Kernel> kernel_;
  Dim3 grid_{0, 0, 0}, block_{0, 0, 0};
  double compile_seconds_ = 0;
  bool is_timed_ = false;
  Event begin_, end_;
};

}  // namespace quern
