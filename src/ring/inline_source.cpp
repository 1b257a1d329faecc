// Assembles the source text of an inline actor.
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quern/ring/inline_actor.hpp"
#include "ring/failure.hpp"

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

std::string hook(const char* name, const Body& body) {
  if (body.text == nullptr) return {};
  return std::string("  __device__ void quern_") + name + "_(quern::ring::Context& context)\n#line " +
         std::to_string(body.line) + " \"" + body.file + "\"\n" + body.text + "\n";
}

std::string call_of_hook(const char* name, const Body& body) {
  if (body.text == nullptr) return {};
  return std::string("__device__ void ") + name +
         "(State& state, quern::ring::Context& context) {\n  state.quern_" + name + "_(context);\n}\n";
}

std::string types(const ActorText& text) {
  std::string message;
  for (const std::string& f : split(text.message)) message += "  " + f + ";\n";
  return "struct Message {\n" + message + "};\nusing Reply = " + text.reply + ";\n";
}

std::string code(const ActorText& text) {
  std::string fields, parameters, arguments;
  for (const std::string& f : split(text.state)) fields += "  " + f + ";\n";
  for (const std::string& f : split(text.message)) {
    parameters += f + ", ";
    arguments += "message." + name_of(f) + ", ";
  }
  const ActorHooks& hooks = text.hooks;
  return "struct State {\n" + fields + "  __device__ Reply quern_on_message_(" + parameters +
         "quern::ring::Context& context)\n#line " + std::to_string(text.body.line) + " \"" + text.body.file +
         "\"\n" + text.body.text + "\n" + hook("on_start", hooks.start) + hook("on_idle", hooks.idle) +
         hook("on_stop", hooks.stop) +
         "};\n__device__ Reply on_message(State& state, const Message& message, quern::ring::Context& "
         "context) {\n"
         "  return state.quern_on_message_(" +
         arguments + "context);\n}\n" + call_of_hook("on_start", hooks.start) +
         call_of_hook("on_idle", hooks.idle) + call_of_hook("on_stop", hooks.stop);
}

std::string in_namespace(const char* name, const std::string& text) {
  return std::string("namespace ") + name + " {\n" + text + "}\n";
}

}  // namespace

std::string source_of(const ActorText& text) {
  return quern::detail::shared_code(text.body.file) + types(text) + code(text);
}

// All messages come before all bodies, so that each kind may send to each.
std::string source_of(std::span<const ActorText> kinds) {
  std::set<std::string_view> files;
  std::map<std::string_view, const Body*> names;
  std::string shared, first, second;
  for (const ActorText& kind : kinds) {
    const auto [known, is_new] = names.emplace(kind.name, &kind.body);
    if (!is_new &&
        (known->second->line != kind.body.line || std::string_view(known->second->file) != kind.body.file))
      fail(ErrorKind::invalid_use, message::kSameKind(kind.name));
    if (!is_new) continue;
    if (files.insert(kind.body.file).second) shared += quern::detail::shared_code(kind.body.file);
    first += in_namespace(kind.name, types(kind));
    second += in_namespace(kind.name, code(kind));
  }
  return shared + first + second;
}

}  // namespace quern::ring::detail
