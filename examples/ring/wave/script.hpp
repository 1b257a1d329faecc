// Commands as text, to control a simulation without a terminal:
//   impulse X Y STRENGTH; steps N; damping D; speed S; value X Y; clear; frame; picture
#pragma once

#include <string>
#include <vector>

#include "field.hpp"

namespace wave {

struct ScriptLine {
  enum class What { kMessage, kFrame, kPicture };
  What what = What::kMessage;
  Message message{};
  std::string text;
};

// Throws std::invalid_argument with one sentence.
std::vector<ScriptLine> parse_script(const std::string& text, Size size);

}  // namespace wave
