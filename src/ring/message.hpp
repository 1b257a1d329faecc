// Texts of errors. The library of ring kernels uses the public API alone, so it has its own form of
// base/message.hpp: messages.hpp lists the texts, and fail() throws them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quern::ring {

// The text of one occurrence: arguments are filled in.
struct MessageText {
  std::string text;  // the problem, without a trailing period
  std::string hint;  // the remedy, in the imperative; may be empty
};

// A text with `Count` arguments, written as `{}` in order, first in the text and then in the hint.
template <std::size_t Count>
class Message {
 public:
  consteval explicit Message(std::string_view text, std::string_view hint = {}) : text_(text), hint_(hint) {}
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  template <class... Arguments>
  MessageText operator()(const Arguments&... arguments) const {
    static_assert(sizeof...(Arguments) == Count, "this message has another number of arguments");
    // One more than needed: a message may have no arguments.
    const std::string_view list[Count + 1] = {std::string_view(arguments)...};
    const std::string_view* next = list;
    std::string text = fill(text_, next);
    return {std::move(text), fill(hint_, next)};
  }

 private:
  static std::string fill(std::string_view text, const std::string_view*& next) {
    std::string result;
    for (std::size_t at = text.find("{}"); at != std::string_view::npos; at = text.find("{}")) {
      result.append(text.substr(0, at)).append(*next++);
      text.remove_prefix(at + 2);
    }
    return result.append(text);
  }

  std::string_view text_;
  std::string_view hint_;
};

}  // namespace quern::ring
