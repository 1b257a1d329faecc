/// @file
/// Libraries of vendors: loading them at run time, and receipts of their work. For libraries on top of this
/// one, such as operations; programs do not need it. Not included by quern.hpp.
///
/// @code
/// const auto cublas = quern::extension::Library::open({"libcublas.so.13"}, "install CUDA");
/// auto* const version = reinterpret_cast<int (*)(int*)>(cublas.find("cublasGetVersion"));
/// @endcode
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quern/export.hpp"
#include "quern/receipt.hpp"

namespace quern {

class Device;
class Stream;

namespace extension {

/// A library that is loaded at run time. It stays loaded until the process ends. Copies refer to the same
/// library. Thread-safe.
class QUERN_API Library {
 public:
  /// No library.
  Library() = default;
  /// Loads the first of `names` that can be loaded: a bare name ("libcublas.so.13") is searched by the
  /// system's loader, a name with a '/' is opened as that file. `hint` is an imperative that says how to
  /// install the library. Throws Error with kind `not_found` if there is none, or `unsupported` if one exists
  /// and cannot be loaded.
  static Library open(const std::vector<std::string>& names, std::string_view hint);

  /// The address of a symbol; null if it does not exist.
  void* find(const char* symbol) const;
  /// The address of a symbol. Throws Error with kind `not_found` if it does not exist; the message names the
  /// library and the symbol.
  void* require(const char* symbol) const;
  /// The name that was opened; empty without a library.
  std::string name() const;

 private:
  std::shared_ptr<const void> library_;
};

/// Whether the stream records commands for a graph instead of submitting them. Throws Error with kind
/// `invalid_use` if its device is closed.
[[nodiscard]] QUERN_API bool is_recording(const Stream& stream);

/// A receipt of work that a library did on the device. Receipt::kernel() is `name`, for example
/// "cublas 13.0".
[[nodiscard]] QUERN_API Receipt library_receipt(const Device& device, std::string_view name);

}  // namespace extension
}  // namespace quern
