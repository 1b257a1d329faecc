/// @file
/// Kernels from text and files. A Module contains the kernels of one source on one device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/export.hpp"
#include "quern/texture.hpp"
#include "quern/types/launch.hpp"

namespace quern {

namespace runtime {
class Kernel;
class Module;
}  // namespace runtime

/// The language of a module. `kernel`: CUDA C++, for every device. The others: native code of one kind of
/// device.
enum class SourceKind { portable, native_cuda, ptx, cubin, hip, opencl_c, spirv, glsl, msl, wgsl };

/// Options for compilation.
struct ModuleOptions {
  std::vector<std::pair<std::string, std::string>> defines{};  ///< As -D.
  std::vector<std::string> include_dirs{};                     ///< As -I.
  /// Language of the source.
  SourceKind source_kind = SourceKind::portable;
  /// Freedom of floating-point arithmetic.
  Math math = Math::exact;
  /// Registers per thread, if the device's compiler accepts a limit; 0: no limit.
  std::uint32_t max_registers = 0;
  bool debug = false;  ///< Unoptimized code with variables, for a debugger.
  /// Out-of-bounds accesses and failed asserts become errors of the launch that name kernel, line, index and
  /// extent, on every device. Launches wait. QUERN_CHECK=1 enables it for all modules.
  bool check = false;
  std::string name = "kernels.cu";  ///< Name of the source text in messages.
  /// false: `#include` finds only the built-in headers and reads nothing from the disk. For servers that
  /// compile untrusted text: otherwise an `#include` can read any file that the process can, and errors show
  /// parts of it.
  bool may_include = true;
  /// false: errors name the file and line of an included file without showing its text. Messages can still
  /// contain names from it.
  bool quotes_includes = true;
};

/// A parameter of a kernel.
struct Parameter {
  /// Name in the source; may be empty.
  std::string name;
  std::string type;  ///< As written: "const float*".
  /// Whether it is a pointer.
  bool is_pointer = false;
  std::uint32_t bytes = 0;  ///< Size of the value; for a pointer, of an element.
};

/// A kernel of a module. Copies refer to the same kernel. Thread-safe.
class QUERN_API Kernel {
 public:
  Kernel() = default;
  /// Name in the source.
  const std::string& name() const;
  /// The parameters in order.
  std::vector<Parameter> parameters() const;
  bool writes(std::size_t parameter) const;  ///< Whether it may store through this pointer parameter.
  std::uint32_t max_threads() const;         ///< Maximum threads per block on this device.
  std::uint64_t shared_bytes() const;        ///< Static shared memory per block.
  std::uint32_t registers() const;           ///< Registers per thread; 0: unknown.
  std::uint64_t local_bytes() const;         ///< Local memory per thread.
  /// Occupancy with this block size and dynamic shared memory per block.
  Occupancy occupancy(std::uint32_t block_threads, std::uint64_t dynamic_shared_bytes = 0) const;
  /// Whether it is a kernel.
  explicit operator bool() const { return state_ != nullptr; }

 private:
  friend class Module;
  friend class Stream;
  explicit Kernel(std::shared_ptr<runtime::Kernel> state) : state_(std::move(state)) {}
  std::shared_ptr<runtime::Kernel> state_;
};

/// The kernels and variables of one source on one device. Created by Device::load and Device::compile. Copies
/// refer to the same module. Thread-safe.
class QUERN_API Module {
 public:
  Module() = default;
  /// Names of the kernels.
  std::vector<std::string> kernels() const;

  /// A kernel by its name in the source: "step", "ns::step", "scan<float, 256>" (instantiated on request).
  /// Throws Error with kind `not_found` or `compile`.
  Kernel kernel(std::string_view name) const;

  /// Binds a texture to a texture reference, for example `texture<float, 2> name;`. Launches from now on use
  /// it, until another one is bound. The module keeps its texels allocated. Throws Error with kind
  /// `not_found`.
  void bind_texture(std::string_view reference, const Texture& texture) const;

  /// Writes a __device__ or __constant__ variable.
  template <detail::Plain T>
  void write(std::string_view variable, const T& value) const {
    write_bytes(variable, &value, sizeof(T), 0);
  }
  /// Writes elements of an array variable, from index `first` on.
  template <detail::Plain T>
  void write(std::string_view variable, std::span<const T> values, std::size_t first = 0) const {
    write_bytes(variable, values.data(), values.size_bytes(), first * sizeof(T));
  }
  /// Reads a variable.
  template <detail::Plain T>
  T read(std::string_view variable) const {
    T value;
    read_bytes(variable, &value, sizeof(T), 0);
    return value;
  }
  /// Reads elements of an array variable, from index `first` on.
  template <detail::Plain T>
  void read(std::string_view variable, std::span<T> values, std::size_t first = 0) const {
    read_bytes(variable, values.data(), values.size_bytes(), first * sizeof(T));
  }

 private:
  friend class Device;
  explicit Module(std::shared_ptr<runtime::Module> state) : state_(std::move(state)) {}
  void write_bytes(std::string_view variable, const void* from, std::size_t bytes, std::size_t offset) const;
  void read_bytes(std::string_view variable, void* to, std::size_t bytes, std::size_t offset) const;
  std::shared_ptr<runtime::Module> state_;
};

}  // namespace quern
