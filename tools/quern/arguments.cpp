#include <algorithm>

#include "base/text.hpp"
#include "command.hpp"
#include "messages.hpp"

namespace quern::tool {

namespace {

const Arguments::Option* find_option(std::span<const Arguments::Option> options, std::string_view name) {
  auto it = std::find_if(options.begin(), options.end(),
                         [&](const Arguments::Option& o) { return o.name == name; });
  return it == options.end() ? nullptr : &*it;
}

bool is_option_word(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !base::parse_double(word);
}

base::Error unknown_option(std::string_view word, std::span<const Arguments::Option> options) {
  std::vector<std::string_view> names;
  for (const auto& o : options) names.push_back(o.name);
  base::Error error(base::ErrorKind::invalid_use, message::kUnknownOption(word));
  if (auto near = base::nearest(word, names)) error.add_hint(message::kDidYouMean(*near).text);
  return error;
}

}  // namespace

base::Result<Arguments> Arguments::parse(std::span<const std::string_view> words,
                                         std::span<const Option> options) {
  Arguments out;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") {
      for (++i; i < words.size(); ++i) out.operands_.emplace_back(words[i]);
      break;
    }
    if (!is_option_word(word)) {
      out.operands_.emplace_back(word);
      continue;
    }
    std::string_view name = word;
    std::optional<std::string_view> value;
    if (word.substr(0, 2) == "--") {
      if (const size_t equals = word.find('='); equals != std::string_view::npos) {
        name = word.substr(0, equals);
        value = word.substr(equals + 1);
      }
    } else if (word.size() > 2 && find_option(options, word.substr(0, 2)) != nullptr) {
      name = word.substr(0, 2);
      value = word.substr(2);
    }
    const Option* option = find_option(options, name);
    if (option == nullptr) return unknown_option(name, options);
    if (!option->takes_value) {
      if (value) return base::Error(base::ErrorKind::invalid_use, message::kTakesNoValue(name));
    } else if (!value) {
      if (i + 1 >= words.size()) {
        return base::Error(base::ErrorKind::invalid_use, message::kRequiresValue(name));
      }
      value = words[++i];
    }
    out.options_.emplace_back(std::string(name), std::string(value.value_or("")));
  }
  return out;
}

bool Arguments::has(std::string_view name) const {
  return std::any_of(options_.begin(), options_.end(), [&](const auto& o) { return o.first == name; });
}

std::optional<std::string> Arguments::value(std::string_view name) const {
  for (auto it = options_.rbegin(); it != options_.rend(); ++it) {
    if (it->first == name) return it->second;
  }
  return {};
}

std::vector<std::string> Arguments::values(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : options_) {
    if (key == name) out.push_back(value);
  }
  return out;
}

}  // namespace quern::tool
