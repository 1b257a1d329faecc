// Detects calls of host functions in inline kernels at compile time. The host compiler accepts them because
// it sees the whole program; the device compiler sees only the kernel's text and QUERN_CODE.
//
// A call is rejected if its name is unqualified, is not part of the kernel language, is not used in any other
// way in the kernel's text (as a variable or parameter would be), and is not defined in a preceding
// QUERN_CODE. Less certain cases are left to the device compiler.
#pragma once

#pragma GCC system_header  // friend definitions per template argument are intended

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "quern/export.hpp"
#include "quern/kernel_names.hpp"
#include "quern/text.hpp"

namespace quern::detail {

// Code that kernels share.
struct CodeText {
  const char* written;
  const char* expanded;
  const char* file;
  int line;
};
QUERN_API bool register_code(const CodeText& code);

// ---- The texts of all QUERN_CODE so far. Each is registered under a number by defining a function for it.

template <int Number>
struct CodeSlot {
  friend constexpr auto quern_code_at(CodeSlot<Number>);
};
template <int Number, typename Code>
struct CodeEntry {
  friend constexpr auto quern_code_at(CodeSlot<Number>) { return Code{}; }
};
// `code` returns the CodeText.
template <int Number, typename Code>
auto add_code(Code code) -> std::enable_if_t<sizeof(CodeEntry<Number, Code>) != 0, bool> {
  return register_code(code());
}
template <int Number>
constexpr std::string_view code_text() {
  if constexpr (requires { quern_code_at(CodeSlot<Number>{}); }) {
    return decltype(quern_code_at(CodeSlot<Number>{})){}().expanded;
  } else {
    return {};
  }
}

// ---- The kernel's text. Compilers evaluate constant expressions slowly and limit their steps, hence plain
// loops.

constexpr std::size_t kLongestChecked = 6000;  // characters
constexpr std::size_t kMostCalls = 32;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// C++ keywords and types that may precede a parenthesis without being called.
inline constexpr std::string_view kNeverCalled[] = {
    "alignas",  "alignof",  "asm",      "auto",   "bool",  "case",     "catch",  "char",          "constexpr",
    "decltype", "double",   "else",     "float",  "for",   "if",       "int",    "long",          "new",
    "noexcept", "operator", "requires", "return", "short", "signed",   "sizeof", "static_assert", "switch",
    "throw",    "typeid",   "uchar",    "uint",   "ulong", "unsigned", "ushort", "void",          "while"};

constexpr int compare(std::string_view a, std::string_view b) {
  const std::size_t size = a.size() < b.size() ? a.size() : b.size();
  const int order = __builtin_memcmp(a.data(), b.data(), size);
  return order != 0 ? order : a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}
template <std::size_t Size>
constexpr bool is_in(const std::string_view (&sorted)[Size], std::string_view name) {
  std::size_t begin = 0, end = Size;
  while (begin < end) {
    const std::size_t middle = (begin + end) / 2;
    const int order = compare(name, sorted[middle]);
    if (order == 0) return true;
    if (order < 0)
      end = middle;
    else
      begin = middle + 1;
  }
  return false;
}
// A name of the language or of the implementation, or certainly a type.
constexpr bool is_no_host_function(std::string_view name) {
  return name[0] == '_' ||
         (name.size() > 2 && name[name.size() - 2] == '_' && name[name.size() - 1] == 't') ||
         is_in(kNeverCalled, name) || is_in(kKernelNames, name);
}

// Whether the name that begins at `begin`, before a parenthesis, is a call: neither a member nor a
// declaration.
constexpr bool is_called(const char* text, std::size_t begin) {
  std::size_t i = begin;
  while (i > 0 && is_blank(text[i - 1])) --i;
  if (i == 0 || text[i - 1] == '.' || text[i - 1] == ':' || text[i - 1] == '>') return false;
  if (!is_name(text[i - 1])) return true;
  // "Body b(1)" declares b; "return f(1)" calls f.
  const std::size_t end = i;
  while (i > 0 && is_name(text[i - 1])) --i;
  const std::string_view previous(text + i, end - i);
  return compare(previous, "return") == 0 || compare(previous, "else") == 0 || compare(previous, "do") == 0;
}

struct Calls {
  std::string_view names[kMostCalls] = {};
  std::size_t count = 0;
  constexpr bool has(std::string_view name) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (compare(names[i], name) == 0) return true;
    }
    return false;
  }
};

// Functions that the text calls and that are not part of the kernel language. Literals are skipped.
constexpr Calls foreign_calls(std::string_view whole) {
  Calls calls;
  if (whole.size() > kLongestChecked) return calls;
  const char* const text = whole.data();
  const std::size_t size = whole.size();
  for (std::size_t i = 1; i < size; ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < size && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    }
    if (c != '(') continue;
    std::size_t end = i;
    while (end > 0 && is_blank(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_name(text[begin - 1])) --begin;
    if (begin == end || calls.count == kMostCalls) continue;
    const std::string_view name(text + begin, end - begin);
    if (!is_no_host_function(name) && is_called(text, begin) && !calls.has(name))
      calls.names[calls.count++] = name;
  }
  return calls;
}

// Position of the next occurrence of the name from `at` on; the text's size if there is none.
constexpr std::size_t find_name(std::string_view whole, std::string_view name, std::size_t at) {
  const char* const text = whole.data();
  const std::size_t size = whole.size(), length = name.size();
  const char first = name[0];
  for (; at + length <= size; ++at) {
    if (text[at] != first || (at > 0 && is_name(text[at - 1]))) continue;
    const std::size_t end = at + length;
    if (__builtin_memcmp(text + at, name.data(), length) == 0 && (end == size || !is_name(text[end])))
      return at;
  }
  return size;
}
constexpr bool has_name(std::string_view text, std::string_view name) {
  return find_name(text, name, 0) != text.size();
}

// Whether the kernel declares the name itself, which implies another use of it.
constexpr bool is_declared_in(std::string_view text, std::string_view name) {
  const std::size_t size = text.size();
  for (std::size_t at = find_name(text, name, 0); at != size; at = find_name(text, name, at + 1)) {
    std::size_t after = at + name.size(), before = at;
    while (after < size && is_blank(text.data()[after])) ++after;
    while (before > 0 && is_blank(text.data()[before - 1])) --before;
    const char last = before > 0 ? text.data()[before - 1] : '{';
    if (last == '.' || last == ':') continue;
    if (after == size || text.data()[after] != '(' || !is_called(text.data(), at)) return true;
  }
  return false;
}

template <typename Body, int Number>
constexpr std::string_view host_function() {
  constexpr std::string_view text = Body::quern_expanded_;
#ifdef QUERN_NO_CALL_CHECK
  constexpr Calls calls;
#else
  constexpr Calls calls = foreign_calls(text);
#endif
  if constexpr (calls.count == 0) {
    return {};
  } else {
    return [&]<int... Code>(std::integer_sequence<int, Code...>)->std::string_view {
      // The name may then be declared elsewhere.
      if (has_name(text, "using") || (has_name(code_text<Code>(), "using") || ...)) return {};
      for (std::size_t i = 0; i < calls.count; ++i) {
        if (is_declared_in(text, calls.names[i])) continue;
        if (!(has_name(code_text<Code>(), calls.names[i]) || ...)) return calls.names[i];
      }
      return {};
    }
    (std::make_integer_sequence<int, Number>());
  }
}

// ---- The error.

struct no_host_functions {};
#ifdef __clang__  // Clang prints a Text as numbers, or truncates it
template <char... Name>
inline constexpr bool is_in_quern_code = false;
template <char... Name>
constexpr void refuse_call() {
  static_assert(is_in_quern_code<Name...>,
                "the kernel calls this host function: declare it in QUERN_CODE(...) before the kernel");
}
#endif

// The result is a pointer to a complete type if there is no error.
template <typename Body, int Number, Text Name>
constexpr auto check_calls() {
  constexpr std::string_view function = host_function<Body, Number>();
  if constexpr (function.empty()) {
    return static_cast<no_host_functions*>(nullptr);
  } else {
    constexpr auto called = copied<function.size()>(function);
#ifdef __clang__
    [&]<std::size_t... I>(std::index_sequence<I...>) { refuse_call<called.data[I]...>(); }
    (std::make_index_sequence<function.size()>());
    return static_cast<no_host_functions*>(nullptr);
#else
    return static_cast<compile_error<joined<"kernel ", Name, " calls the host function '", called,
                                            "': declare it in QUERN_CODE(...) before the kernel">()>*>(
        nullptr);
#endif
  }
}

}  // namespace quern::detail
