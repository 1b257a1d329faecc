// Loads a relocatable ELF object for this processor and links it to the functions and variables it refers to.
// No page is ever writable and executable at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace quern::cpu {

// Returns the address of a symbol that the object does not define; null: unknown.
using Resolver = std::function<const void*(std::string_view)>;

class ShownCode;

class CodeObject {
 public:
  static base::Result<std::unique_ptr<CodeObject>> load(std::string_view bytes, const Resolver& resolve);
  // Registers the code with debuggers and profilers, under the kernel's name.
  void show(std::string_view bytes, const std::string& name);
  ~CodeObject();
  CodeObject(const CodeObject&) = delete;
  CodeObject& operator=(const CodeObject&) = delete;

  const void* find(const std::string& symbol) const;
  bool has(uint64_t address) const {
    const auto first = reinterpret_cast<uint64_t>(memory_);
    return address >= first && address - first < code_bytes_;
  }

 private:
  friend class ObjectLoader;
  CodeObject();
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0, code_bytes_ = 0;
  std::vector<uint64_t> places_;  // offsets of the sections from memory_
  std::unique_ptr<ShownCode> shown_;
  std::unordered_map<std::string, const void*> symbols_;
};

// Places an object for any processor, without running it: for tests of the other architecture's relocations.
base::Result<std::string> link_image(std::string_view bytes, const Resolver& resolve);

}  // namespace quern::cpu
