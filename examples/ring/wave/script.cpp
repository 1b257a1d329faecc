#include "script.hpp"

#include <sstream>
#include <stdexcept>

namespace wave {
namespace {

[[noreturn]] void refuse(const std::string& line, const std::string& why) {
  throw std::invalid_argument("invalid script command '" + line + "': it " + why);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

float number(std::istringstream& in, const std::string& line, float least, float most) {
  float value = 0;
  if (!(in >> value)) refuse(line, "requires a number");
  if (!(value >= least && value <= most)) {
    std::ostringstream range;
    range << "requires a number from " << least << " to " << most;
    refuse(line, range.str());
  }
  return value;
}

void place(std::istringstream& in, const std::string& line, Size size, Message& message) {
  message.x = static_cast<int>(number(in, line, 0, static_cast<float>(size.width - 1)));
  message.y = static_cast<int>(number(in, line, 0, static_cast<float>(size.height - 1)));
}

ScriptLine parse_line(const std::string& text, Size size) {
  std::istringstream in(text);
  std::string word, rest;
  in >> word;
  ScriptLine line;
  line.text = text;
  Message& m = line.message;
  if (word == "impulse") {
    m.kind = Kind::kImpulse;
    place(in, text, size, m);
    m.value = number(in, text, -100, 100);
  } else if (word == "steps") {
    m.kind = Kind::kSteps;
    m.steps = static_cast<int>(number(in, text, 1, 10'000'000));
  } else if (word == "damping") {
    m.kind = Kind::kDamping;
    m.value = number(in, text, 0, 1);
  } else if (word == "speed") {
    m.kind = Kind::kSpeed;
    m.value = number(in, text, 0, 0.5f);
  } else if (word == "value") {
    m.kind = Kind::kValue;
    place(in, text, size, m);
  } else if (word == "clear") {
    m.kind = Kind::kClear;
  } else if (word == "frame") {
    line.what = ScriptLine::What::kFrame;
  } else if (word == "picture") {
    line.what = ScriptLine::What::kPicture;
  } else {
    refuse(text, "is not one of impulse, steps, damping, speed, value, clear, frame and picture");
  }
  if (in >> rest) refuse(text, "has too many arguments");
  return line;
}

}  // namespace

std::vector<ScriptLine> parse_script(const std::string& text, Size size) {
  std::vector<ScriptLine> lines;
  std::string line;
  for (const char c : text + ";") {
    if (c != ';' && c != '\n') {
      line += c;
      continue;
    }
    line = trimmed(line);
    if (!line.empty()) lines.push_back(parse_line(line, size));
    line.clear();
  }
  return lines;
}

}  // namespace wave
