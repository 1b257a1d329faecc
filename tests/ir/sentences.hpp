// Messages as the verifier and the parser of textual IR print them.
#pragma once

#include <string>

#include "lang/ir/messages.hpp"

namespace quern::ir {

inline std::string sentence(const base::MessageText& message) { return message.text + "."; }

// "Kernel k returns a value.": of a function, or of a variable.
inline std::string sentence(const std::string& subject, const base::MessageText& message) {
  return subject + " " + sentence(message);
}

// Of an instruction of the kernel k: its number, and its operation with its position if it has one.
inline std::string sentence(int number, const std::string& op, const base::MessageText& message) {
  return sentence("Kernel k: instruction " + std::to_string(number) + " (" + op + ")", message);
}

}  // namespace quern::ir
