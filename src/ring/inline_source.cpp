// The text of an inline actor from its parts.
#include <string>
#include <string_view>
#include <vector>

#include "quern/ring/inline_actor.hpp"

namespace quern::ring::detail {
namespace {

// "(long total, Pair<int, 4> p)" → "long total", "Pair<int, 4> p"
std::vector<std::string> split(std::string_view list) {
  list = list.substr(1, list.size() - 2);
  std::vector<std::string> out;
  std::string now;
  int depth = 0;
  for (const char c : list) {
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      out.push_back(std::move(now));
      now.clear();
    } else {
      now += c;
    }
  }
  if (now.find_first_not_of(' ') != std::string::npos) out.push_back(std::move(now));
  return out;
}

bool is_in_name(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// "unsigned long total" → "total"
std::string name_of(const std::string& field) {
  std::size_t end = field.size();
  while (end > 0 && !is_in_name(field[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_in_name(field[begin - 1])) --begin;
  return field.substr(begin, end - begin);
}

}  // namespace

std::string source_of(const ActorText& text) {
  std::string fields, message, parameters, arguments;
  for (const std::string& f : split(text.state)) fields += "  " + f + ";\n";
  for (const std::string& f : split(text.message)) {
    message += "  " + f + ";\n";
    parameters += f + ", ";
    arguments += "message." + name_of(f) + ", ";
  }
  return quern::detail::shared_code(text.file) + "struct Message {\n" + message +
         "};\nusing Reply = " + text.reply + ";\nstruct State {\n" + fields +
         "  __device__ Reply quern_on_message_(" + parameters + "quern::ring::Context& context)\n#line " +
         std::to_string(text.line) + " \"" + text.file + "\"\n" + text.body +
         "\n};\n__device__ Reply on_message(State& state, const Message& message, quern::ring::Context& "
         "context) {\n  return state.quern_on_message_(" +
         arguments + "context);\n}\n";
}

}  // namespace quern::ring::detail
