#include "base/signal_text.hpp"

#include <algorithm>

#include <unistd.h>

namespace quern::base {

SignalText& SignalText::add(std::string_view text) {
  const std::size_t fits = std::min(text.size(), sizeof text_ - size_);
  std::copy_n(text.data(), fits, text_ + size_);
  size_ += fits;
  return *this;
}

SignalText& SignalText::add_number(std::uint64_t number, unsigned radix) {
  char digits[64];
  std::size_t at = sizeof digits;
  do {
    digits[--at] = "0123456789abcdef"[number % radix];
    number /= radix;
  } while (number != 0);
  return add({digits + at, sizeof digits - at});
}

void SignalText::write(int descriptor) const {
  for (std::size_t done = 0; done < size_;) {
    const ssize_t n = ::write(descriptor, text_ + done, size_ - done);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace quern::base
