#include "runtime/argument_text.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/file.hpp"
#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;
using ir::TypeKind;

constexpr uint64_t kLargestBuffer = uint64_t{1} << 40;

struct NamedType {
  std::string_view name;
  TypeKind kind;
  uint32_t bytes;
};
constexpr NamedType kTypes[] = {
    {"bool", TypeKind::kBool, 1}, {"i8", TypeKind::kI8, 1},     {"u8", TypeKind::kU8, 1},
    {"i16", TypeKind::kI16, 2},   {"u16", TypeKind::kU16, 2},   {"i32", TypeKind::kI32, 4},
    {"u32", TypeKind::kU32, 4},   {"i64", TypeKind::kI64, 8},   {"u64", TypeKind::kU64, 8},
    {"f16", TypeKind::kF16, 2},   {"bf16", TypeKind::kBF16, 2}, {"f32", TypeKind::kF32, 4},
    {"f64", TypeKind::kF64, 8},
};

const NamedType* find_type(std::string_view name) {
  for (const NamedType& t : kTypes) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

const NamedType& type_info(TypeKind kind) {
  for (const NamedType& t : kTypes) {
    if (t.kind == kind) return t;
  }
  return kTypes[0];
}

// Stores a number in the type's representation.
void store_number(TypeKind kind, double real, int64_t integer, std::byte* to) {
  switch (kind) {
    case TypeKind::kF16: {
      const uint16_t bits = ir::f64_to_f16(real);
      std::memcpy(to, &bits, 2);
      return;
    }
    case TypeKind::kBF16: {
      const uint16_t bits = ir::f64_to_bf16(real);
      std::memcpy(to, &bits, 2);
      return;
    }
    case TypeKind::kF32: {
      const auto f = static_cast<float>(real);
      std::memcpy(to, &f, 4);
      return;
    }
    case TypeKind::kF64: std::memcpy(to, &real, 8); return;
    case TypeKind::kBool: *to = static_cast<std::byte>(integer != 0); return;
    default: std::memcpy(to, &integer, type_info(kind).bytes); return;
  }
}

Error bad_argument(std::string_view text, const base::MessageText& why) {
  return Error(ErrorKind::invalid_use, message::kBufferText(text, why.text));
}

// "16", "16*16", "4,8": the total number of elements and the shape.
bool parse_count(std::string_view text, HostBuffer& out, base::MessageText& why) {
  out.count = 1;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '*' && text[i] != ',' && text[i] != 'x') continue;
    const auto n = base::parse_uint(base::trim(text.substr(start, i - start)));
    if (!n) {
      why = message::kNotACount(text);
      return false;
    }
    if (*n != 0 && out.count > kLargestBuffer / *n) {
      why = message::kExceedsLimit(base::format_bytes(kLargestBuffer));
      return false;
    }
    out.count *= *n;
    out.shape.push_back(static_cast<size_t>(*n));
    start = i + 1;
  }
  return true;
}

base::Result<void> fill(HostBuffer& b, std::string_view init, std::string_view whole) {
  const uint64_t n = b.count * b.lanes;
  const uint32_t size = type_info(b.type).bytes;
  auto put = [&](uint64_t i, double real, int64_t integer) {
    store_number(b.type, real, integer, b.bytes.data() + i * size);
  };
  if (init == "iota") {
    for (uint64_t i = 0; i < n; ++i) put(i, static_cast<double>(i), static_cast<int64_t>(i));
    return {};
  }
  if (init.substr(0, 4) == "rand") {
    uint64_t seed = 0;
    if (init.size() > 4) {
      const auto given = init[4] == ':' ? base::parse_uint(init.substr(5)) : std::nullopt;
      if (!given) return bad_argument(whole, message::kNotRandom(init));
      seed = *given;
    }
    std::mt19937_64 random(seed);
    for (uint64_t i = 0; i < n; ++i) {
      const uint64_t r = random();
      put(i, static_cast<double>(r >> 11) * 0x1p-53,
          static_cast<int64_t>(r % (b.type == TypeKind::kBool ? 2 : 100)));
    }
    return {};
  }
  if (!init.empty() && init[0] == '@') {
    QUERN_TRY_ASSIGN(std::string data, base::read_file(std::string(init.substr(1))));
    if (data.size() < b.bytes.size()) {
      return bad_argument(
          whole, message::kFileTooShort(base::format_bytes(data.size()), base::format_bytes(b.bytes.size())));
    }
    std::memcpy(b.bytes.data(), data.data(), b.bytes.size());
    return {};
  }
  if (const auto integer = base::parse_int(init)) {
    for (uint64_t i = 0; i < n; ++i) put(i, static_cast<double>(*integer), *integer);
    return {};
  }
  const auto real = base::parse_double(init);
  if (!real || !is_float(b.type)) {
    return bad_argument(whole, message::kNotValueOfType(init, type_info(b.type).name));
  }
  for (uint64_t i = 0; i < n; ++i) put(i, *real, 0);
  return {};
}

base::Result<HostBuffer> from_npy(std::string_view path) {
  QUERN_TRY_ASSIGN(base::NpyArray array, base::read_npy(std::string(path)));
  HostBuffer b;
  bool found = false;
  for (const NamedType& t : kTypes) {
    if (npy_type(t.kind) == array.type && t.kind != TypeKind::kBF16) b.type = t.kind, found = true;
  }
  if (!found) {
    return Error(ErrorKind::unsupported, message::kNoSuchElements(path, base::to_string(array.type)));
  }
  b.shape = array.shape;
  b.count = array.count();
  b.bytes.resize(array.data.size());
  std::memcpy(b.bytes.data(), array.data.data(), array.data.size());
  return b;
}

}  // namespace

uint64_t HostBuffer::element_bytes() const { return uint64_t{type_info(type).bytes} * lanes; }

std::optional<base::NpyType> npy_type(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool: return base::NpyType::kBool;
    case TypeKind::kI8: return base::NpyType::kInt8;
    case TypeKind::kU8: return base::NpyType::kUint8;
    case TypeKind::kI16: return base::NpyType::kInt16;
    case TypeKind::kU16: return base::NpyType::kUint16;
    case TypeKind::kI32: return base::NpyType::kInt32;
    case TypeKind::kU32: return base::NpyType::kUint32;
    case TypeKind::kI64: return base::NpyType::kInt64;
    case TypeKind::kU64: return base::NpyType::kUint64;
    case TypeKind::kF16: return base::NpyType::kFloat16;
    case TypeKind::kBF16: return base::NpyType::kUint16;
    case TypeKind::kF32: return base::NpyType::kFloat32;
    case TypeKind::kF64: return base::NpyType::kFloat64;
    default: return {};
  }
}

namespace {

bool is_named(const ir::Type* element, std::string_view name) {
  if (element == nullptr || !element->is_struct() || name.empty()) return false;
  const std::string_view full = element->name;
  return full == name || (full.size() > name.size() + 2 && full.ends_with(name) &&
                          full.substr(full.size() - name.size() - 2, 2) == "::");
}

// A buffer of structs is a buffer of bytes with the struct's size as the element size.
base::Result<void> fill_structs(HostBuffer& b, const ir::Type* element, std::string_view init,
                                std::string_view whole) {
  if (!init.empty() && init[0] == '@') return fill(b, init, whole);
  if (init != "0" && (init.empty() || init[0] != '{')) {
    return bad_argument(whole, message::kStructText());
  }
  if (init == "0") return {};
  QUERN_TRY_ASSIGN(const std::vector<std::byte> one, parse_value(init, element, element->name));
  for (uint64_t i = 0; i < b.count; ++i) std::memcpy(b.bytes.data() + i * one.size(), one.data(), one.size());
  return {};
}

}  // namespace

base::Result<HostBuffer> parse_buffer(std::string_view text, const ir::Type* element) {
  if (!text.empty() && text[0] == '@') return from_npy(text.substr(1));
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return bad_argument(text, message::kCountMissing());
  }
  HostBuffer b;
  std::string_view type = text.substr(0, open);
  const bool is_struct = is_named(element, type);
  if (const size_t x = type.rfind('x'); !is_struct && x != std::string_view::npos && x > 0) {
    const auto lanes = base::parse_uint(type.substr(x + 1));
    if (lanes && *lanes >= 1 && *lanes <= 16) {
      b.lanes = static_cast<uint32_t>(*lanes);
      type = type.substr(0, x);
    }
  }
  const NamedType* named = find_type(is_struct ? "u8" : type);
  if (named == nullptr) return bad_argument(text, message::kNotAType(type));
  b.type = named->kind;
  if (is_struct) b.lanes = static_cast<uint32_t>(element->size);
  base::MessageText why;
  if (!parse_count(text.substr(open + 1, close - open - 1), b, why)) return bad_argument(text, why);
  if (b.count > kLargestBuffer / b.element_bytes()) {
    return bad_argument(text, message::kExceedsLimit(base::format_bytes(kLargestBuffer)));
  }
  if (b.lanes > 1) b.shape.push_back(b.lanes);
  const std::string_view rest = text.substr(close + 1);
  if (rest.empty()) {
    b.is_undefined = true;
    b.bytes.resize(0);
    return b;
  }
  if (rest[0] != '=') return bad_argument(text, message::kEqualsMissing());
  try {
    b.bytes.resize(b.count * b.element_bytes());
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::out_of_memory,
                 message::kBufferAllocation(text, base::format_bytes(b.count * b.element_bytes())));
  }
  QUERN_TRY(is_struct ? fill_structs(b, element, rest.substr(1), text) : fill(b, rest.substr(1), text));
  return b;
}

namespace {

// float4 and similar types: a struct of equal numbers.
bool is_vector(const ir::Type* t, TypeKind& kind, uint32_t& lanes) {
  if (!t->is_struct() || t->fields.empty()) return false;
  kind = t->fields[0].type->kind;
  for (const ir::Field& f : t->fields) {
    if (f.type->kind != kind || !f.type->is_scalar()) return false;
  }
  lanes = static_cast<uint32_t>(t->fields.size());
  return true;
}

}  // namespace

base::Result<void> check_buffer(const HostBuffer& b, const ir::Param& p) {
  if (p.elem == nullptr) return {};
  TypeKind kind = p.elem->kind;
  uint32_t lanes = 1;
  const bool plain = p.elem->is_scalar() && !p.elem->is_ptr();
  if (!plain && !is_vector(p.elem, kind, lanes)) {
    const bool fits = p.elem->size != 0 && (b.count * b.element_bytes()) % p.elem->size == 0;
    if (fits) return {};
    return Error(ErrorKind::invalid_use,
                 message::kStructBytes(p.name, p.spelling, std::to_string(p.elem->size),
                                       std::to_string(b.count * b.element_bytes()), p.elem->name));
  }
  const bool same = b.type == kind && (b.lanes == lanes || (b.count * b.lanes) % lanes == 0);
  if (same) return {};
  std::string wanted(type_info(kind).name);
  if (lanes > 1) wanted += "x" + std::to_string(lanes);
  std::string given(type_info(b.type).name);
  if (b.lanes > 1) given += "x" + std::to_string(b.lanes);
  return Error(ErrorKind::invalid_use, message::kBufferType(p.name, p.spelling, given, wanted));
}

// ---- scalars and structs

namespace {

class ValueParser {
 public:
  ValueParser(std::string_view text, std::string_view param) : text_(text), param_(param) {}

  base::Result<void> read(const ir::Type* type, std::byte* to) {
    skip_space();
    if (type->is_struct() || type->is_array()) return braces(type, to);
    size_t end = at_;
    while (end < text_.size() && text_[end] != ',' && text_[end] != '}') ++end;
    const std::string_view word = base::trim(text_.substr(at_, end - at_));
    at_ = end;
    return number(word, type, to);
  }

  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }

  Error error(const base::MessageText& why) const {
    return Error(ErrorKind::invalid_use, message::kValueText(text_, param_, why.str()));
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  base::Result<void> braces(const ir::Type* type, std::byte* to) {
    if (at_ >= text_.size() || text_[at_] != '{') return error(message::kExpectedStruct());
    ++at_;
    const size_t n = type->is_struct() ? type->fields.size() : type->count;
    for (size_t i = 0; i < n; ++i) {
      skip_space();
      if (at_ < text_.size() && text_[at_] == '}') break;  // the rest is zero
      if (i > 0) {
        if (at_ >= text_.size() || text_[at_] != ',') return error(message::kCommaMissing());
        ++at_;
      }
      const ir::Type* member = type->is_struct() ? type->fields[i].type : type->elem;
      const uint64_t offset = type->is_struct() ? type->fields[i].offset : i * type->elem->size;
      QUERN_TRY(read(member, to + offset));
    }
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '}') {
      return error(
          message::kBraceMissing(type->name, base::format_plural(n, "field"), n == 1 ? "it" : "them"));
    }
    ++at_;
    return {};
  }

  base::Result<void> number(std::string_view word, const ir::Type* type, std::byte* to) {
    if (type->is_ptr()) return error(message::kPointerInStruct());
    if (type->is_bool()) {
      if (word != "true" && word != "false" && word != "0" && word != "1")
        return error(message::kExpectedBool());
      *to = static_cast<std::byte>(word == "true" || word == "1");
      return {};
    }
    if (type->is_float()) {
      const auto real = base::parse_double(word);
      if (!real) return error(message::kExpectedNumber(word));
      store_number(type->kind, *real, 0, to);
      return {};
    }
    if (type->kind == TypeKind::kU64) {
      const auto u = base::parse_uint(word);
      if (!u) return error(message::kExpectedUnsigned());
      std::memcpy(to, &*u, 8);
      return {};
    }
    const auto i = base::parse_int(word);
    if (!i) return error(message::kExpectedInteger(word));
    const uint32_t bits = type->bits();
    const int64_t low = type->is_signed() ? -(int64_t{1} << (bits - 1)) : 0;
    const int64_t high = bits == 64 ? std::numeric_limits<int64_t>::max()
                                    : (int64_t{1} << (type->is_signed() ? bits - 1 : bits)) - 1;
    if (bits < 64 && (*i < low || *i > high)) {
      return error(message::kOutsideRange(std::to_string(*i), std::to_string(low), std::to_string(high)));
    }
    store_number(type->kind, 0, *i, to);
    return {};
  }

  std::string_view text_;
  std::string_view param_;
  size_t at_ = 0;
};

}  // namespace

base::Result<std::vector<std::byte>> parse_value(std::string_view text, const ir::Type* type,
                                                 std::string_view param) {
  std::vector<std::byte> bytes(type->size);
  ValueParser parser(text, param);
  QUERN_TRY(parser.read(type, bytes.data()));
  if (!parser.at_end()) return parser.error(message::kTextAfterValue());
  return bytes;
}

// ---- printing

// The sign of a NaN differs between processors and has no meaning.
std::string print_real(float value) { return std::isnan(value) ? "nan" : base::format_float(value); }
std::string print_real(double value) { return std::isnan(value) ? "nan" : base::format_double(value); }

std::string print_number(TypeKind kind, const std::byte* bytes) {
  auto read = [&]<typename T>(T) {
    T v;
    std::memcpy(&v, bytes, sizeof(T));
    return v;
  };
  switch (kind) {
    case TypeKind::kBool: return read(uint8_t{}) != 0 ? "true" : "false";
    case TypeKind::kI8: return std::to_string(read(int8_t{}));
    case TypeKind::kU8: return std::to_string(read(uint8_t{}));
    case TypeKind::kI16: return std::to_string(read(int16_t{}));
    case TypeKind::kU16: return std::to_string(read(uint16_t{}));
    case TypeKind::kI32: return std::to_string(read(int32_t{}));
    case TypeKind::kU32: return std::to_string(read(uint32_t{}));
    case TypeKind::kI64: return std::to_string(read(int64_t{}));
    case TypeKind::kU64: return std::to_string(read(uint64_t{}));
    case TypeKind::kF16: return print_real(ir::f16_to_f32(read(uint16_t{})));
    case TypeKind::kBF16: return print_real(ir::bf16_to_f32(read(uint16_t{})));
    case TypeKind::kF32: return print_real(read(float{}));
    case TypeKind::kF64: return print_real(read(double{}));
    default: return "?";
  }
}

std::string print_value(const ir::Type* type, const std::byte* bytes) {
  if (type->is_struct()) {
    std::string out = "{";
    for (size_t i = 0; i < type->fields.size(); ++i) {
      out += (i > 0 ? ", " : "") + print_value(type->fields[i].type, bytes + type->fields[i].offset);
    }
    return out + "}";
  }
  if (type->is_array()) {
    std::string out = "{";
    for (uint64_t i = 0; i < type->count; ++i)
      out += (i > 0 ? ", " : "") + print_value(type->elem, bytes + i * type->elem->size);
    return out + "}";
  }
  if (type->is_ptr()) {
    uint64_t address;
    std::memcpy(&address, bytes, 8);
    return base::format("0x%llx", static_cast<unsigned long long>(address));
  }
  return print_number(type->kind, bytes);
}

}  // namespace quern::runtime
