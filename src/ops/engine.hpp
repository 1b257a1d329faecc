// The kernels of operations on one device. Thread-safe.
#pragma once

#include <array>
#include <concepts>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/collapse.hpp"
#include "quern/device.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"

namespace quern::ops {

// Written in the kernel language; embedded by the build.
struct LibraryFile {
  std::string_view name;
  std::string_view text;
};
std::span<const LibraryFile> library_files();

// An operation's function: the name of its type in the kernel language, and the code that defines it.
struct FunctionText {
  std::string type;
  std::string code;
};
FunctionText text_of(Combine combine);
FunctionText text_of(const Function& function);
// A class `name` that calls a lambda expression. Diagnostics have positions in `file`.
std::string functor_text(const std::string& name, const std::string& lambda, const std::string& file);

std::string_view name_of(Element element);  // in the kernel language: "__half"
std::size_t bytes_of(Element element);
Element unsigned_of(Element element);  // the unsigned integer of the same size
// The type in which elements are combined: at least 32 bits, and as wide as the result for sums.
Element accumulator_of(Combine combine, Element in, Element out);
std::string index_text(std::size_t axes, std::size_t tensors);  // "quern_ops::Index<2, 1>"

// Arguments of a template: instance("quern_ops::fill", "float", 2, true) is "quern_ops::fill<float, 2,
// true>".
inline void append_argument(std::string& text, std::string_view argument) { text += argument; }
void append_argument(std::string& text, std::integral auto argument) {
  if constexpr (std::same_as<decltype(argument), bool>) {
    text += argument ? "true" : "false";
  } else {
    text += std::to_string(argument);
  }
}
template <typename First, typename... Others>
std::string arguments(const First& first, const Others&... others) {
  std::string text;
  append_argument(text, first);
  (append_argument(text += ", ", others), ...);
  return text;
}
template <typename... A>
std::string instance(std::string_view name, const A&... all) {
  return std::string(name) + "<" + arguments(all...) + ">";
}

// The tensor's memory from element `first` on, as an argument of its element type.
Argument argument_of(const detail::View& view, std::int64_t first = 0);

// Line of text/index.cuh: the only axis of a layout.
struct Line {
  std::int64_t first = 0, stride = 0;
};
Line line_of(const detail::Layout& layout);

bool is_complex(Element element);
bool is_float8(Element element);
// Throws if the element type is complex or an 8-bit float, which the operation does not support.
void check_not_complex(const char* operation, const detail::View& view);
// Throws if the element types differ.
void check_same_type(const char* operation, const detail::View& in, const detail::View& out);

// Everything that determines a kernel: its template, and numbers and enumerators in a fixed order. Making a
// key is much faster than making the kernel's text.
class KernelKey {
 public:
  template <typename... Numbers>
  explicit KernelKey(std::string_view name, Numbers... numbers) {
    const std::array<std::int64_t, sizeof...(numbers)> all{static_cast<std::int64_t>(numbers)...};
    bytes_.reserve(name.size() + 1 + sizeof all);
    bytes_.append(name).push_back('\0');
    bytes_.append(reinterpret_cast<const char*>(all.data()), sizeof all);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// What Engine::kernel() compiles: embedded files, code after them, and the name of the kernel.
struct KernelSource {
  std::vector<std::string_view> files;
  std::string code, name;
};

class Engine {
 public:
  static std::shared_ptr<Engine> of(const Device& device);

  // A kernel of embedded files after the given code: kernel(device, {"index", "reduce"}, code,
  // "quern_ops::reduce_parts<float, ...>").
  Kernel kernel(const Device& device, std::initializer_list<std::string_view> files, const std::string& code,
                const std::string& name);

  // The same for a kernel with a key. `source` returns its KernelSource; it is called if the key is new.
  template <typename Source>
  Kernel kernel(const Device& device, const KernelKey& key, const Source& source) {
    if (Kernel known = find(key.bytes())) return known;
    return compile(device, key.bytes(), source());
  }

 private:
  Kernel find(const std::string& key);
  Kernel compile(const Device& device, const std::string& key, const KernelSource& source);

  std::mutex mutex_;
  std::map<std::string, Module> modules_;            // by text
  std::unordered_map<std::string, Kernel> kernels_;  // by keys; or files, code and name
};

// Temporary memory from the device's pool. It may be destroyed while kernels use it.
class Workspace {
 public:
  Workspace(const Device& device, std::size_t bytes)  // 0: no memory
      : memory_(bytes == 0 ? Buffer<std::byte>()
                           : device.allocate<std::byte>(bytes, MemoryKind::device, "workspace of ops")) {}
  // The first elements, with one axis.
  detail::View view(Element element, std::int64_t count) const;
  // For a parameter that points to elements, or to structs.
  Argument elements(Element element) const;
  Argument structs() const { return Argument(Slice<std::byte>(memory_.bytes())); }

 private:
  Buffer<std::byte> memory_;
};

// The argument of a kernel for Index<R, N>: bytes in the layout of that struct.
class IndexBytes {
 public:
  IndexBytes(const Iteration& iteration, std::span<const std::int64_t> first);
  Argument argument() const { return Argument::of_bytes(words_.data(), words_.size() * sizeof words_[0]); }

 private:
  std::vector<std::int64_t> words_;
};

}  // namespace quern::ops
