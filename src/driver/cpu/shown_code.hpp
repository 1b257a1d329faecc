// Registers generated code with debuggers and profilers: gdb gets the object with its line table, perf reads
// the kernel's name from /tmp/perf-PID.map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quern::cpu {

struct GdbEntry;

class ShownCode {
 public:
  // `places`: offsets of the object's sections from `memory`.
  ShownCode(std::string_view object, const std::byte* memory, const std::vector<uint64_t>& places,
            uint64_t code_bytes, const std::string& name);
  ~ShownCode();
  ShownCode(const ShownCode&) = delete;
  ShownCode& operator=(const ShownCode&) = delete;

 private:
  std::string object_;
  std::unique_ptr<GdbEntry> entry_;
};

}  // namespace quern::cpu
