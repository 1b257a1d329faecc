// Text as a template argument, and parsing of an inline kernel's parameter list at compile time, so that the
// compiler's error names a wrong argument.
#pragma once

#include <cstddef>
#include <string_view>

namespace quern::detail {

template <std::size_t N>
struct Text {
  char data[N]{};
  constexpr Text() = default;
  constexpr Text(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) data[i] = text[i];
  }
  constexpr std::string_view view() const { return {data, N - 1}; }
};

template <std::size_t Size>
constexpr Text<Size + 1> copied(std::string_view text) {
  Text<Size + 1> out;
  for (std::size_t i = 0; i < Size; ++i) out.data[i] = text[i];
  return out;
}

constexpr bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The text of parameter `index` of "(int n, float a)", without parentheses and outer spaces.
constexpr std::string_view parameter(std::string_view list, std::size_t index) {
  list = list.substr(1, list.size() - 2);
  std::size_t begin = 0, depth = 0, at = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c != ',' || (depth != 0 && i < list.size())) continue;
    if (at == index) {
      std::string_view one = list.substr(begin, i - begin);
      while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
      while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
      return one;
    }
    ++at;
    begin = i + 1;
  }
  return {};
}

// Name and type of a parameter: "float a" has the name "a" and the type "float".
constexpr std::string_view parameter_name(std::string_view one) {
  std::size_t i = one.size();
  while (i > 0 && is_name(one[i - 1])) --i;
  return one.substr(i);
}
constexpr std::string_view parameter_type(std::string_view one) {
  one.remove_suffix(parameter_name(one).size());
  while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
  return one;
}

// Concatenates texts.
template <Text... Parts>
constexpr auto joined() {
  Text<(Parts.view().size() + ... + 1)> out;
  std::size_t at = 0;
  for (std::string_view part : {Parts.view()...}) {
    for (char c : part) out.data[at++] = c;
  }
  return out;
}

// A number as decimal digits.
template <std::size_t Number>
constexpr auto digits() {
  constexpr std::size_t count = [] {
    std::size_t n = 1;
    for (std::size_t rest = Number / 10; rest != 0; rest /= 10) ++n;
    return n;
  }();
  Text<count + 1> out;
  for (std::size_t i = count, rest = Number; i-- > 0; rest /= 10)
    out.data[i] = static_cast<char>('0' + rest % 10);
  return out;
}

// The name (or the type) of a parameter, as a text.
template <Text List, std::size_t Index, bool Name>
constexpr auto part_of_parameter() {
  constexpr std::string_view one = parameter(List.view(), Index);
  constexpr std::string_view part = Name ? parameter_name(one) : parameter_type(one);
  return copied<part.size()>(part);
}

// The message is part of the type's name, so the compiler's first line shows it.
template <Text Message>
struct compile_error;

// A type's name as the host compiler prints it.
template <typename T>
constexpr auto type_in_function_name() {
  return std::string_view(
      __PRETTY_FUNCTION__);  // "constexpr auto …() [with T = float]", "auto …() [T = float]"
}
template <typename T>
constexpr std::string_view type_name() {
  constexpr std::string_view text = type_in_function_name<T>();
  constexpr std::size_t begin = text.find("T = ") + 4;
  return text.substr(begin, text.size() - begin - 1);
}
template <typename T>
constexpr auto type_text() {
  return copied<type_name<T>().size()>(type_name<T>());
}

// "argument 2 of saxpy is quern::Buffer<float>, parameter 'a' is float"
template <Text Name, Text List, std::size_t Index, typename Given>
constexpr auto wrong_type() {
  constexpr auto name = part_of_parameter<List, Index, true>(),
                 type = part_of_parameter<List, Index, false>();
  return joined<"argument ", digits<Index + 1>(), " of ", Name, " is ", type_text<Given>(), ", parameter '",
                name, "' is ", type>();
}

// "saxpy takes 4 arguments (int n, float a), 5 are given"
template <Text Name, Text List, std::size_t Takes, std::size_t Given>
constexpr auto wrong_count() {
  return joined<Name, " takes ", digits<Takes>(), " arguments ", List, ", ", digits<Given>(), " are given">();
}

}  // namespace quern::detail
