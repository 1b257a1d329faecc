#include "base/message.hpp"

namespace quern::base {

static std::string fill(std::string_view text, const std::string_view*& next) {
  std::string result;
  for (size_t at = text.find("{}"); at != std::string_view::npos; at = text.find("{}")) {
    result.append(text.substr(0, at)).append(*next++);
    text.remove_prefix(at + 2);
  }
  return result.append(text);
}

MessageText fill_message(const void* id, std::string_view text, std::string_view hint,
                         const std::string_view* arguments) {
  MessageText result{id, fill(text, arguments), {}};
  result.hint = fill(hint, arguments);
  return result;
}

}  // namespace quern::base
