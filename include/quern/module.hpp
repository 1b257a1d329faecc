// Kernels from text and files. A Module holds the kernels of one source on one device; a Kernel is one of
// them.
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

namespace quern {

namespace runtime {
class Kernel;
class Program;
}  // namespace runtime

// Languages a module may be written in. kernel: CUDA C++, for every device. The others are a target's own.
enum class Language { kernel, cuda, ptx, cubin, hip, opencl_c, spirv, glsl, msl, wgsl };

// How freely numbers are computed. exact: the same roundings on every device. fused: a * b + c may be rounded
// once where the device has an instruction for it, and signed integers are taken not to overflow, as nvcc
// does. fast: approximate functions, division and roots too.
enum class Math { exact, fused, fast };

struct ModuleOptions {
  std::vector<std::pair<std::string, std::string>> defines{};  // as -D
  std::vector<std::string> include_dirs{};                     // as -I
  Language language = Language::kernel;
  Math math = Math::exact;
  std::uint32_t max_registers =
      0;               // of a thread, where the device's compiler takes a limit; 0: its own choice
  bool debug = false;  // code for a debugger: not optimised, with variables where it has them
  // Accesses outside of buffers and arrays, and failed asserts, become errors of the launch that name kernel,
  // line, index and extent, on every device. Launches wait. QUERN_CHECK=1 asks it of all modules.
  bool check = false;
  std::string name = "kernels.cu";  // what messages call a text
  /// false: #include finds the built-in headers only and reads nothing from the disk. For servers that
  /// compile text from strangers: without it an #include reads any file of the process, and errors show parts
  /// of it.
  bool may_include = true;
  /// false: errors name the file and line of an included file without showing its text. Messages can still
  /// contain names from it.
  bool quotes_includes = true;
};

struct Parameter {
  std::string name;
  std::string type;  // as written: "const float*"
  bool is_pointer = false;
  std::uint32_t bytes = 0;  // of a value; of the elements, for a pointer
};

// How much of a device's compute units launches of a kernel can fill; 0: not known.
struct Occupancy {
  std::uint32_t unit_blocks = 0;   // blocks of the given size that a unit holds at once
  std::uint32_t unit_threads = 0;  // threads that it can hold
  std::uint32_t best_block = 0;    // threads in the blocks that fill it best
};

// A kernel of a module. Copies refer to the same one.
class QUERN_API Kernel {
 public:
  Kernel() = default;
  const std::string& name() const;
  std::vector<Parameter> parameters() const;
  bool writes(std::size_t parameter) const;  // whether it may store through this pointer
  std::uint32_t max_threads() const;         // that a block of it may have here
  std::uint64_t shared_bytes() const;        // static shared memory of a block
  std::uint32_t registers() const;           // of a thread; 0: not known
  std::uint64_t local_bytes() const;         // of a thread, in the device's memory
  // With blocks of so many threads and so much dynamic shared memory.
  Occupancy occupancy(std::uint32_t block_threads, std::uint64_t dynamic_shared_bytes = 0) const;
  explicit operator bool() const { return state_ != nullptr; }

 private:
  friend class Module;
  friend class Stream;
  explicit Kernel(std::shared_ptr<runtime::Kernel> state) : state_(std::move(state)) {}
  std::shared_ptr<runtime::Kernel> state_;
};

class QUERN_API Module {
 public:
  Module() = default;
  std::vector<std::string> kernels() const;

  // By name as the source writes it: "step", "ns::step", "scan<float, 256>" (instantiated on request).
  Kernel kernel(std::string_view name) const;

  // A __device__ or __constant__ variable, set and read as a whole or from an offset.
  template <detail::Plain T>
  void write(std::string_view variable, const T& value) const {
    write_bytes(variable, &value, sizeof(T), 0);
  }
  template <detail::Plain T>
  void write(std::string_view variable, std::span<const T> values, std::size_t first = 0) const {
    write_bytes(variable, values.data(), values.size_bytes(), first * sizeof(T));
  }
  template <detail::Plain T>
  T read(std::string_view variable) const {
    T value;
    read_bytes(variable, &value, sizeof(T), 0);
    return value;
  }
  template <detail::Plain T>
  void read(std::string_view variable, std::span<T> values, std::size_t first = 0) const {
    read_bytes(variable, values.data(), values.size_bytes(), first * sizeof(T));
  }

 private:
  friend class Device;
  explicit Module(std::shared_ptr<runtime::Program> state) : state_(std::move(state)) {}
  void write_bytes(std::string_view variable, const void* from, std::size_t bytes, std::size_t offset) const;
  void read_bytes(std::string_view variable, void* to, std::size_t bytes, std::size_t offset) const;
  std::shared_ptr<runtime::Program> state_;
};

}  // namespace quern
