// A line of text built in a signal handler: does not allocate or lock. Text beyond the capacity is cut off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quern::base {

class SignalText {
 public:
  SignalText& add(std::string_view text);
  SignalText& add_number(std::uint64_t number, unsigned radix = 10);
  void write(int descriptor) const;  // best effort
  std::string_view text() const { return {text_, size_}; }

 private:
  char text_[1024];
  std::size_t size_ = 0;
};

}  // namespace quern::base
