#include "target/cstyle/helpers.hpp"

#include <algorithm>
#include <cctype>

namespace quern::target::cstyle {

namespace {

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A dialect-specific form of a helper has the dialect's name as suffix.
std::string_view own_name(Language language) {
  switch (language) {
    case Language::kCuda: return "/cuda";
    case Language::kHip: return "/hip";
    case Language::kMsl: return "/msl";
    case Language::kGlsl:
    case Language::kGlslEs: return "/glsl";
    default: return "/opencl";
  }
}

const HelperText* find(const Dialect& dialect, std::string_view name) {
  const std::string own = std::string(name) + std::string(own_name(dialect.language));
  const HelperText* found = nullptr;
  for (const auto& table : {number_helpers(), float_helpers(), rounding_helpers(), thread_helpers(),
                            memory_helpers(), msl_helpers(), glsl_helpers()}) {
    for (const HelperText& h : table) {
      if (h.name == own) return &h;
      if (h.name == name) found = &h;
    }
  }
  return found;
}

// OpenCL: PoCL gives each group its own shared arrays only if kernels access them directly; an array that a
// function accesses is shared by all groups.
std::string always_inlined(std::string text) {
  constexpr std::string_view kFunction = "static ", kHow = "__attribute__((always_inline)) ";
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    if (text.compare(at, kFunction.size(), kFunction) == 0) text.insert(at + kFunction.size(), kHow);
  }
  return text;
}

// GLSL: float variables are computed as written.
std::string with_precise(const std::string& text) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const size_t first = line.find_first_not_of(' ');
    const std::string_view rest = first == std::string_view::npos ? std::string_view() : line.substr(first);
    const bool is_real = rest.substr(0, 6) == "float " || rest.substr(0, 7) == "double ";
    const bool is_variable = first > 1 && is_real;  // a function begins the line
    out += std::string(line.substr(0, is_variable ? first : 0)) + (is_variable ? "precise " : "") +
           std::string(is_variable ? rest : line) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string Helpers::word(std::string_view word, bool is_cast) {
  if (word == "fn") return std::string(dialect_.function);
  for (uint8_t k = 0; k < 14; ++k) {
    const auto kind = static_cast<ir::TypeKind>(k);
    if (ir::name(kind) != word) continue;
    // A language without narrow integers has functions that truncate.
    const std::string cut = "cast_" + std::string(word);
    return is_cast && is_glsl(dialect_) && find(dialect_, cut) != nullptr ? use(cut)
                                                                          : std::string(dialect_.types[k]);
  }
  if (word.size() == 7 && word.substr(0, 6) == "thread")
    return std::string(dialect_.index[0][static_cast<size_t>(word[6] - '0')]);
  if (word.size() == 6 && word.substr(0, 5) == "block")
    return std::string(dialect_.index[1][static_cast<size_t>(word[5] - '0')]);
  if (word.size() == 5 && word.substr(0, 4) == "size")
    return std::string(dialect_.index[2][static_cast<size_t>(word[4] - '0')]);
  for (const Word& w : dialect_.words) {
    if (w.word != word) continue;
    const bool is_helper = w.text.substr(0, 6) == "quern_";
    return is_helper ? use(w.text.substr(6)) : std::string(w.text);
  }
  return "quern_missing_" + std::string(word);  // an internal error: no compiler accepts it
}

std::string Helpers::fill(std::string_view text, std::initializer_list<ir::TypeKind> types, Values values) {
  std::string given;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      given += text[i];
      continue;
    }
    size_t end = i + 1;
    const bool is_kind = end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0;
    while (end < text.size() && is_word_char(text[end]) && !(is_kind && end > i + 1)) ++end;
    const std::string_view key = text.substr(i + 1, end - i - 1);
    if (is_kind) {
      const auto at = static_cast<size_t>(key[0] - '0');
      if (at < types.size()) given += ir::name(types.begin()[at]);
    }
    for (const auto& [name, value] : values) {
      if (name == key) given += value;
    }
    i = end - 1;
  }
  std::string out;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] != '@') {
      out += given[i];
      continue;
    }
    const bool cast = i + 1 < given.size() && given[i + 1] == '(';
    const size_t begin = i + 1 + (cast ? 1 : 0);
    size_t end = begin;
    while (end < given.size() && is_word_char(given[end])) ++end;
    const std::string spelled = word(std::string_view(given).substr(begin, end - begin), cast);
    out += cast && !dialect_.functional_casts ? "(" + spelled + ")" : spelled;
    i = end - (cast ? 0 : 1);
  }
  return out;
}

std::string Helpers::use(std::string_view name, std::initializer_list<ir::TypeKind> types, Values values) {
  std::string full = "quern_" + std::string(name);
  for (const ir::TypeKind kind : types) full += "_" + std::string(ir::name(kind));
  for (const auto& [key, value] : values) {
    if (key == "suffix") full += value;
  }
  if (!known_.insert(full).second) return full;
  const HelperText* helper = find(dialect_, full.substr(6));
  if (helper == nullptr) helper = find(dialect_, name);
  define(full, helper != nullptr ? fill(helper->text, types, values) : "quern_missing_" + full + "\n");
  return full;
}

// Called functions must be defined before their callers: `quern_f32_of_f16(` is the helper "f32_of_f16".
void Helpers::define(const std::string& name, std::string text) {
  const std::string prefix = "quern_";
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
    size_t end = at;
    while (end < text.size() && is_word_char(text[end])) ++end;
    const std::string called = text.substr(at, end - at);
    if (called != name && end < text.size() && text[end] == '(') require(called);
  }
  const bool has_shared = dialect_.language == Language::kOpencl && text.find("__local") != std::string::npos;
  text_ += is_glsl(dialect_) ? with_precise(text) : has_shared ? always_inlined(std::move(text)) : text;
}

void Helpers::require(std::string_view called) {
  if (known_.count(std::string(called)) != 0) return;
  std::string_view rest = called.substr(6);
  if (find(dialect_, rest) != nullptr) {
    use(rest);
    return;
  }
  // One or two kinds after the name: to_int_i32_f32.
  const auto kind_of = [](std::string_view text) {
    for (uint8_t k = 0; k < 14; ++k) {
      if (ir::name(static_cast<ir::TypeKind>(k)) == text) return static_cast<ir::TypeKind>(k);
    }
    return ir::TypeKind::kVoid;
  };
  const size_t cut = rest.rfind('_');
  if (cut == std::string_view::npos) return;
  const ir::TypeKind kind = kind_of(rest.substr(cut + 1));
  if (kind != ir::TypeKind::kVoid && find(dialect_, rest.substr(0, cut)) != nullptr)
    use(rest.substr(0, cut), {kind});
}

}  // namespace quern::target::cstyle
