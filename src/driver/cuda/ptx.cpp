#include "driver/cuda/ptx.hpp"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

#include "base/text.hpp"

namespace quern::cuda {

namespace {

using ir::TypeKind;

struct Spelled {
  std::string_view word;
  TypeKind type;
  uint32_t bytes;
  std::string_view source;
};
constexpr Spelled kTypes[] = {
    {".s8", TypeKind::kI8, 1, "signed char"}, {".u8", TypeKind::kU8, 1, "unsigned char"},
    {".s16", TypeKind::kI16, 2, "short"},     {".u16", TypeKind::kU16, 2, "unsigned short"},
    {".s32", TypeKind::kI32, 4, "int"},       {".u32", TypeKind::kI32, 4, "int"},  // both are written so
    {".s64", TypeKind::kI64, 8, "long long"}, {".u64", TypeKind::kI64, 8, "long long"},
    {".f16", TypeKind::kF16, 2, "half"},      {".f32", TypeKind::kF32, 4, "float"},
    {".f64", TypeKind::kF64, 8, "double"},    {".b8", TypeKind::kStruct, 1, "struct"},
    {".b16", TypeKind::kF16, 2, "half"},      {".b32", TypeKind::kI32, 4, "int"},
    {".b64", TypeKind::kI64, 8, "long long"},
};

std::string demangled(const std::string& entry) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, &status), &std::free);
  if (text == nullptr) return entry;
  const std::string name = text.get();
  return name.starts_with("void ") ? name.substr(5) : name;  // mangled templates include their result type
}

// The position where the name ends and its parameters begin.
size_t source_end(const std::string& name) {
  size_t depth = 0, end = 0;
  while (end < name.size() && (name[end] != '(' || depth != 0)) {
    depth += name[end] == '<' ? 1 : 0;
    depth -= name[end] == '>' && depth != 0 ? 1 : 0;
    ++end;
  }
  return end;
}

// ".param .align 8 .b8 name[16]".
driver::ParamInfo read_parameter(std::string_view text) {
  driver::ParamInfo p;
  bool is_marked = false, is_align = false;
  for (const std::string_view word : base::split(text, ' ')) {
    if (is_align) p.align = static_cast<uint32_t>(base::parse_uint(word).value_or(0));
    is_align = word == ".align";
    is_marked = is_marked || word == ".ptr";
    for (const Spelled& s : kTypes) {
      if (word != s.word) continue;
      p.type = s.type;
      p.bytes = s.bytes;
      p.spelling = s.source;
    }
  }
  const size_t open = text.find('['), close = text.find(']');
  if (open != std::string_view::npos && close != std::string_view::npos) {
    p.type = TypeKind::kStruct;
    p.bytes = static_cast<uint32_t>(base::parse_uint(text.substr(open + 1, close - open - 1)).value_or(0));
  }
  p.is_pointer = is_marked;
  if (p.align == 0 || is_marked) p.align = p.bytes;
  return p;
}

// Parameter types of a mangled entry, as in the source: "int", "float const*". Empty: not known.
std::vector<std::string> source_types(const std::string& entry) {
  const std::string name = demangled(entry);
  const size_t close = name.rfind(')');
  size_t open = source_end(name);
  if (close == std::string::npos || open >= close) return {};
  std::vector<std::string> types(1);
  size_t depth = 0;
  for (++open; open < close; ++open) {
    const char c = name[open];
    depth += c == '<' || c == '(' ? 1 : 0;
    depth -= (c == '>' || c == ')') && depth != 0 ? 1 : 0;
    if (c == ',' && depth == 0) {
      types.emplace_back();
    } else {
      types.back() += c;
    }
  }
  for (std::string& t : types) t = base::trim(t);
  return types;
}

// Determines which 64-bit values are pointers if the text does not mark them (since CUDA 12.3 it mostly
// does): by the mangled name; without one, all of them may be.
void find_pointers(driver::KernelInfo& kernel) {
  const std::vector<std::string> types = source_types(kernel.entry);
  const bool is_known = types.size() == kernel.params.size();
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    driver::ParamInfo& p = kernel.params[i];
    if (is_known) p.spelling = types[i];
    const bool is_pointer =
        is_known ? types[i].ends_with('*') || types[i].ends_with('&') : p.type == TypeKind::kI64;
    p.is_pointer = p.is_pointer || (p.bytes == 8 && is_pointer);
    if (!p.is_pointer) continue;
    p.type = TypeKind::kPtr;
    if (!is_known) p.spelling = "pointer";
  }
}

}  // namespace

std::string source_name(const std::string& entry) {
  const std::string name = demangled(entry);
  return name.substr(0, source_end(name));
}

std::vector<driver::KernelInfo> read_ptx(std::string_view text) {
  std::vector<driver::KernelInfo> kernels;
  constexpr std::string_view kEntry = ".entry ";
  for (size_t at = text.find(kEntry); at != std::string_view::npos; at = text.find(kEntry, at)) {
    at += kEntry.size();
    const size_t body = std::min(text.find('{', at), text.size());
    const size_t open = std::min(text.find('(', at), body);
    driver::KernelInfo k;
    k.entry = std::string(base::trim(text.substr(at, open - at)));
    k.name = source_name(k.entry);
    if (open != body) {
      const size_t close = std::min(text.find(')', open), body);
      std::string list(text.substr(open + 1, close - open - 1));
      for (char& c : list) c = c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
      for (const std::string_view part : base::split(list, ',')) {
        if (base::trim(part).empty()) continue;
        k.params.push_back(read_parameter(part));
        k.params.back().name = std::to_string(k.params.size());
      }
    }
    find_pointers(k);
    kernels.push_back(std::move(k));
    at = body;
  }
  return kernels;
}

}  // namespace quern::cuda
