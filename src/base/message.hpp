// Texts of diagnostics and errors. Each area lists its texts in one header, `messages.hpp`, as constants:
//
//   inline constexpr Message<2> kAssignToConst{"cannot {} '{}': it is const", "copy it to a variable"};
//   sema.error(loc, message::kAssignToConst("increment", name));
//
// Rewording a text is one edit there. A test names the constant and its arguments, never the words. This
// header includes no other and has no source file: libraries that do not link this layer use it too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quern::base {

// The text of one occurrence: arguments are filled in.
struct MessageText {
  const void* id = nullptr;  // the address of the Message, which identifies it
  std::string text;          // the problem, without a trailing period
  std::string hint;          // the remedy, in the imperative; may be empty

  std::string str() const { return hint.empty() ? text : text + "; " + hint; }
};

// Replaces each `{}` by the next argument.
[[gnu::noinline]] inline std::string fill_message(std::string_view text, const std::string_view*& next) {
  std::string result;
  for (size_t at = text.find("{}"); at != std::string_view::npos; at = text.find("{}")) {
    result.append(text.substr(0, at)).append(*next++);
    text.remove_prefix(at + 2);
  }
  return result.append(text);
}

// Implementation of Message: arguments are those of the text, and then those of the hint.
[[gnu::noinline]] inline MessageText fill_message(const void* id, std::string_view text,
                                                  std::string_view hint, const std::string_view* arguments) {
  MessageText result{id, fill_message(text, arguments), {}};
  result.hint = fill_message(hint, arguments);
  return result;
}

// A text with `Count` arguments, written as `{}` in order, first in the text and then in the hint.
template <size_t Count>
class Message {
 public:
  consteval explicit Message(std::string_view text, std::string_view hint = {}) : text_(text), hint_(hint) {
    if (places(text) + places(hint) != Count) number_of_places_differs_from_number_of_arguments();
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  template <class... Arguments>
  MessageText operator()(const Arguments&... arguments) const {
    static_assert(sizeof...(Arguments) == Count, "this message has another number of arguments");
    // One more than needed: a message may have no arguments.
    const std::string_view list[Count + 1] = {std::string_view(arguments)...};
    return fill_message(this, text_, hint_, list);
  }

 private:
  // Not constexpr: a Message that reaches this call does not compile. Some folders are built without
  // exceptions.
  static void number_of_places_differs_from_number_of_arguments();

  static consteval size_t places(std::string_view text) {
    size_t count = 0;
    for (size_t i = 0; i + 1 < text.size(); ++i)
      if (text[i] == '{' && text[i + 1] == '}') ++count;
    return count;
  }

  std::string_view text_;
  std::string_view hint_;
};

}  // namespace quern::base
