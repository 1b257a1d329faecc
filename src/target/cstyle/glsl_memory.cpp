// Loads and stores on arrays of words. A whole word is an array element; all other accesses use functions
// that are generated for each array.
#include "lang/pass/walk.hpp"
#include "target/cstyle/glsl_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

namespace {

uint64_t words_of(const Type* type) { return std::max<uint64_t>((type->size + 3) / 4, 1); }

bool is_loose(const Type* type, uint32_t align) { return align != 0 && align < type->align; }

// Whether it consists of whole words wherever it may be.
bool is_whole(const Type* type, uint32_t align) {
  return type->size % 4 == 0 && type->align >= 4 && (align == 0 || align >= 4);
}

Expr number(uint64_t n) { return {std::to_string(n) + "u", kPrimary}; }

}  // namespace

GlslWriter::Address GlslWriter::address_of(const Value* pointer) {
  Address a;
  const Inst* i = ir::as_inst(pointer);
  const Value* base = pointer;
  if (i != nullptr && i->is(Op::kOffset)) {
    base = i->operand(0);
    a.scale = i->attr().scale;
    const auto named = named_.find(i);
    a.index = named != named_.end() ? Expr{named->second, kPrimary} : value(i->operand(1));
    if (i->operand(1)->type->size == 8) a.index = cast(TypeKind::kU32, a.index);
    if (const ir::Const* c = ir::as_const(i->operand(1)); c != nullptr && ir::int_value(c) >= 0) {
      a.add = static_cast<uint64_t>(ir::int_value(c)) * a.scale;
      a.scale = 0;
    }
  }
  const auto found = objects_.find(base);
  if (found == objects_.end()) {
    refuse(current_, message::kPointerFromMemory(dialect_.name));
    a.words = &objects_[nullptr];
  } else {
    a.words = &found->second;
  }
  return a;
}

Expr GlslWriter::byte_at(const Address& a) {
  std::vector<Expr> parts;
  if (a.words->has_offset) parts.push_back({a.words->name + "_offset", kPrimary});
  if (a.scale != 0) {
    const Expr index = cast(TypeKind::kU32, a.index);
    parts.push_back(a.scale == 1 ? index : binary(index, "*", number(a.scale), kProduct));
  }
  if (a.add != 0 || parts.empty()) parts.push_back(number(a.add));
  Expr sum = parts[0];
  for (size_t k = 1; k < parts.size(); ++k) sum = binary(sum, "+", parts[k], kSum);
  return sum;
}

// The index of a whole word.
Expr GlslWriter::word_at(const Address& a) {
  if (a.scale % 4 != 0 || a.add % 4 != 0) return binary(byte_at(a), ">>", {"2", kPrimary}, kShift);
  std::vector<Expr> parts;
  if (a.words->has_offset) parts.push_back({a.words->name + "_at", kPrimary});
  if (a.scale != 0) {
    const bool is_alone = !a.words->has_offset && a.add == 0 && a.scale == 4;
    if (is_alone) return a.index;
    const Expr index = cast(TypeKind::kU32, a.index);
    parts.push_back(a.scale == 4 ? index : binary(index, "*", number(a.scale / 4), kProduct));
  }
  if (a.add != 0 || parts.empty()) parts.push_back(number(a.add / 4));
  Expr sum = parts[0];
  for (size_t k = 1; k < parts.size(); ++k) sum = binary(sum, "+", parts[k], kSum);
  return sum;
}

Expr GlslWriter::wide_at(const Address& a) {
  return {a.words->name + "_wide[" + binary(byte_at(a), ">>", {"3", kPrimary}, kShift).text + "]", kPrimary};
}

Expr GlslWriter::to_wide(const Type* type, const Expr& e) {
  if (type->kind == TypeKind::kF64) return call("doubleBitsToInt64", {e});
  return type->kind == TypeKind::kI64 ? e : cast(TypeKind::kI64, e);
}

Expr GlslWriter::from_wide(const Type* type, const Expr& e) {
  if (type->kind == TypeKind::kF64) return call("int64BitsToDouble", {e});
  return type->kind == TypeKind::kI64 ? e : cast(type->kind, e);
}

Expr GlslWriter::to_bits(const Type* type, const Expr& e) {
  switch (type->kind) {
    case TypeKind::kBool:
    case TypeKind::kI32: return cast(TypeKind::kU32, e);
    case TypeKind::kI8: return cast(TypeKind::kU8, e);
    case TypeKind::kI16: return cast(TypeKind::kU16, e);
    case TypeKind::kF32: return call("floatBitsToUint", {e});
    case TypeKind::kI64: return call("unpackUint2x32", {cast(TypeKind::kU64, e)});
    case TypeKind::kU64: return call("unpackUint2x32", {e});
    case TypeKind::kF64: return call("unpackDouble2x32", {e});
    default: return e;
  }
}

Expr GlslWriter::from_bits(const Type* type, const Expr& e) {
  switch (type->kind) {
    case TypeKind::kBool: return binary({e.at(kPrimary), kPrimary}, "!=", {"0u", kPrimary}, kEquality);
    case TypeKind::kI8:
    case TypeKind::kI16:
    case TypeKind::kI32: return cast(type->kind, e);
    case TypeKind::kF32: return call("uintBitsToFloat", {e});
    case TypeKind::kI64: return cast(TypeKind::kI64, call("packUint2x32", {e}));
    case TypeKind::kU64: return call("packUint2x32", {e});
    case TypeKind::kF64: return call("packDouble2x32", {e});
    default: return e;
  }
}

Expr GlslWriter::to_pair(const Type* type, const Expr& e) {
  if (type->is_struct()) {  // the words of a 64-bit integer
    const std::string words = e.at(kPrimary);
    return {"uvec2(" + words + "[0], " + words + "[1])", kPrimary};
  }
  const Expr bits = to_bits(type, e);
  return type->size == 8 ? bits : Expr{"uvec2(" + bits.text + ", 0u)", kPrimary};
}

Expr GlslWriter::from_word(const Type* type, const Expr& e) {
  return from_bits(type, type->size == 8 ? e : Expr{e.at(kPrimary) + ".x", kPrimary});
}

std::string GlslWriter::put_name(const Words& words, int bits) {
  if (words.kind == Words::Kind::kConstant) refuse(current_, message::kWritesConstantData());
  const std::string own = words.kind == Words::Kind::kOwn ? "own_put" : "put";
  return unit_.helpers.use(own + std::to_string(bits), {},
                           {{"suffix", "_" + words.name}, {"name", words.name}});
}

Expr GlslWriter::read(const Address& a, const Type* type, uint32_t align) {
  const std::string& name = a.words->name;
  const std::string suffix = "_" + name;
  if (type->is_aggregate() || is_loose(type, align)) {
    const std::string n = std::to_string(words_of(type));
    if (is_whole(type, align)) {
      return call(
          unit_.helpers.use("get_words", {},
                            {{"suffix", suffix + "_" + n}, {"name", name}, {"n", n}, {"nu", n + "u"}}),
          {byte_at(a)});
    }
    const std::string get = unit_.helpers.use("get8", {}, {{"suffix", suffix}, {"name", name}});
    const std::string bytes = std::to_string(type->size);
    const Expr words = call(unit_.helpers.use("get_bytes", {},
                                              {{"suffix", suffix + "_" + bytes},
                                               {"n", n},
                                               {"nu", n + "u"},
                                               {"bytesu", bytes + "u"},
                                               {"get", get}}),
                            {byte_at(a)});
    return type->is_aggregate() ? words : leaf(words, type, 0);
  }
  if (type->size == 4) {
    const Expr element{name + "[" + word_at(a).text + "]", kPrimary};
    if (type->kind == a.words->word) return element;
    return from_bits(type, to_bits(unit_.module.types().get(a.words->word), element));
  }
  if (type->size == 8 && a.words->has_wide) return from_wide(type, wide_at(a));
  const std::string get = type->size == 8 ? "get64" : type->size == 2 ? "get16" : "get8";
  return from_bits(type,
                   call(unit_.helpers.use(get, {}, {{"suffix", suffix}, {"name", name}}), {byte_at(a)}));
}

std::string GlslWriter::written(const Address& a, const Type* type, uint32_t align, const Expr& v) {
  const std::string& name = a.words->name;
  const std::string suffix = "_" + name;
  if (type->is_aggregate()) {
    const std::string n = std::to_string(words_of(type)), bytes = std::to_string(type->size);
    const std::string function =
        is_whole(type, align)
            ? unit_.helpers.use("put_words", {},
                                {{"suffix", suffix + "_" + n}, {"name", name}, {"n", n}, {"nu", n + "u"}})
            : unit_.helpers.use("put_bytes", {},
                                {{"suffix", suffix + "_" + bytes},
                                 {"n", n},
                                 {"bytesu", bytes + "u"},
                                 {"put", put_name(*a.words, 8)}});
    return call(function, {byte_at(a), v}).text;
  }
  if (is_loose(type, align)) {
    refuse(current_, message::kWritesUnaligned());
    return {};
  }
  if (type->size == 4) {
    const Type* word = unit_.module.types().get(a.words->word);
    const Expr bits = type->kind == word->kind ? v : from_bits(word, to_bits(type, v));
    return name + "[" + word_at(a).text + "] = " + bits.text;
  }
  if (type->size == 8 && a.words->has_wide) return wide_at(a).text + " = " + to_wide(type, v).text;
  const std::string put = type->size == 8
                              ? unit_.helpers.use("put64", {}, {{"suffix", suffix}, {"name", name}})
                              : put_name(*a.words, static_cast<int>(type->size) * 8);
  return call(put, {byte_at(a), to_bits(type, v)}).text;
}

Expr GlslWriter::load(const Inst* i) { return read(address_of(i->operand(0)), i->type, i->attr().align); }

std::string GlslWriter::assignment(const Inst* i) {
  const Inst* var = ir::as_inst(i->operand(0));
  if (var != nullptr && folding_.is_plain(var)) return KernelWriter::assignment(i);
  const Value* v = i->operand(1);
  return written(address_of(i->operand(0)), v->type, i->attr().align, value(v));
}

void GlslWriter::define_pointer(const Inst* i) {
  if (!i->is(Op::kOffset)) {
    refuse(i, message::kPointerFromMemory(dialect_.name));
    return;
  }
  const std::string name = pretty("at");
  text_.line(unit_.types.value(i->operand(1)->type) + " " + name + " = " + value(i->operand(1)).text + ";");
  named_[i] = name;
}

void GlslWriter::variable(const Inst* var) {
  if (folding_.is_plain(var)) KernelWriter::variable(var);
}

void GlslWriter::copy(const Inst* i) {
  Address to = address_of(i->operand(0)), from = address_of(i->operand(1));
  const ir::Const* bytes = ir::as_const(i->operand(2));
  const auto fits = [](const Address& a) { return a.scale % 4 == 0 && a.add % 4 == 0; };
  const std::string at = names_.make("i");
  const bool whole = bytes != nullptr && bytes->bits % 4 == 0 && fits(to) && fits(from);
  const Expr count = bytes != nullptr ? number(whole ? bytes->bits / 4 : bytes->bits)
                                      : cast(TypeKind::kU32, value(i->operand(2)));
  text_.open("for (uint " + at + " = 0u; " + at + " < " + count.text + "; " + at + " = " + at + " + 1u)");
  const Expr step{at, kPrimary};
  if (whole) {
    text_.line(to.words->name + "[" + binary(cast(TypeKind::kU32, word_at(to)), "+", step, kSum).text +
               "] = " + from.words->name + "[" +
               binary(cast(TypeKind::kU32, word_at(from)), "+", step, kSum).text + "];");
  } else {
    const std::string get =
        unit_.helpers.use("get8", {}, {{"suffix", "_" + from.words->name}, {"name", from.words->name}});
    text_.line(put_name(*to.words, 8) + "(" + binary(byte_at(to), "+", step, kSum).text + ", " + get + "(" +
               binary(byte_at(from), "+", step, kSum).text + "));");
  }
  text_.close();
}

void GlslWriter::set(const Inst* i) {
  const Address to = address_of(i->operand(0));
  const ir::Const* bytes = ir::as_const(i->operand(2));
  const Expr count = bytes != nullptr ? number(bytes->bits) : cast(TypeKind::kU32, value(i->operand(2)));
  const std::string at = names_.make("i");
  text_.open("for (uint " + at + " = 0u; " + at + " < " + count.text + "; " + at + " = " + at + " + 1u)");
  text_.line(put_name(*to.words, 8) + "(" + binary(byte_at(to), "+", {at, kPrimary}, kSum).text + ", " +
             value(i->operand(1)).text + ");");
  text_.close();
}

// A number at a byte offset of an aggregate that was loaded as a whole.
Expr GlslWriter::leaf(const Expr& words, const Type* type, uint64_t at) {
  const auto word = [&](uint64_t n) { return words.at(kPrimary) + "[" + std::to_string(n) + "]"; };
  if (type->is_aggregate()) {
    std::string text = unit_.types.value(type) + "(";
    for (uint64_t k = 0; k < words_of(type); ++k) {
      const uint64_t byte = at + 4 * k, shift = byte % 4 * 8;
      std::string one =
          shift == 0 ? word(byte / 4) : "(" + word(byte / 4) + " >> " + std::to_string(shift) + ")";
      // The rest of the word is in the next one, unless the aggregate ends before it.
      if (shift != 0 && at + type->size > (byte / 4 + 1) * 4)
        one += " | (" + word(byte / 4 + 1) + " << " + std::to_string(32 - shift) + ")";
      text += (k == 0 ? "" : ", ") + one;
    }
    return {text + ")", kPrimary};
  }
  if (type->size == 8)
    return from_bits(type, {"uvec2(" + word(at / 4) + ", " + word(at / 4 + 1) + ")", kPrimary});
  if (type->size == 4) return from_bits(type, {word(at / 4), kPrimary});
  const std::string moved =
      at % 4 == 0 ? word(at / 4) : "(" + word(at / 4) + " >> " + std::to_string(at % 4 * 8) + ")";
  return from_bits(type, {"(" + moved + (type->size == 1 ? " & 255u)" : " & 65535u)"), kPrimary});
}

void GlslWriter::put_leaf(const std::string& words, const Type* type, uint64_t at, const Expr& v) {
  const auto word = [&](uint64_t n) { return words + "[" + std::to_string(n) + "]"; };
  if (type->is_aggregate() && (at % 4 != 0 || type->size % 4 != 0)) {
    refuse(current_, message::kWritesPartOfWord());
    return;
  }
  if (type->is_aggregate() || type->size == 8) {
    const std::string part = names_.make("part");
    const bool is_pair = !type->is_aggregate();
    text_.line((is_pair ? "uvec2" : unit_.types.value(type)) + " " + part + " = " +
               (is_pair ? to_bits(type, v) : v).text + ";");
    for (uint64_t k = 0; k < words_of(type); ++k)
      text_.line(word(at / 4 + k) + " = " + part + "[" + std::to_string(k) + "];");
    return;
  }
  if (type->size == 4) {
    text_.line(word(at / 4) + " = " + to_bits(type, v).text + ";");
    return;
  }
  const std::string shift = std::to_string(at % 4 * 8), mask = type->size == 1 ? "255u" : "65535u";
  text_.line(word(at / 4) + " = (" + word(at / 4) + " & ~(" + mask + " << " + shift + ")) | (" +
             to_bits(type, v).at(kUnary) + " << " + shift + ");");
}

Expr GlslWriter::extract(const Inst* i) {
  const Value* whole = i->operand(0);
  const uint32_t index = i->attr().index;
  const uint64_t at =
      whole->type->is_array() ? index * whole->type->elem->size : whole->type->fields[index].offset;
  const Inst* from = ir::as_inst(whole);
  const Inst* var = from != nullptr && from->is(Op::kLoad) ? ir::as_inst(from->operand(0)) : nullptr;
  const bool is_plain = var != nullptr && folding_.is_plain(var);
  if (from != nullptr && from->is(Op::kLoad) && named_.count(from) == 0 && !is_plain) {
    Address a = address_of(from->operand(0));
    a.add += at;
    return read(a, i->type, from->attr().align);
  }
  return leaf(value(whole), i->type, at);
}

void GlslWriter::aggregate(const Inst* i) {
  const Type* type = i->type;
  const std::string name = pretty(i->name);
  const auto offset = [&](uint32_t k) {
    return type->is_array() ? k * type->elem->size : type->fields[k].offset;
  };
  const bool is_insert = i->is(Op::kInsert);
  text_.line(unit_.types.value(type) + " " + name + " = " +
             (is_insert ? value(i->operand(0)) : zero(type)).text + ";");
  if (is_insert) {
    put_leaf(name, i->operand(1)->type, offset(i->attr().index), value(i->operand(1)));
  } else {
    for (uint32_t k = 0; k < i->operands.size(); ++k)
      put_leaf(name, i->operand(k)->type, offset(k), value(i->operand(k)));
  }
  named_[i] = name;
}

Expr GlslWriter::zero(const Type* type) {
  if (!type->is_aggregate()) return KernelWriter::zero(type);
  constexpr uint64_t kMost = 4096;
  const uint64_t n = words_of(type);
  if (n > kMost) refuse(current_, message::kStructValueTooLarge());
  std::string text = unit_.types.value(type) + "(";
  for (uint64_t k = 0; k < std::min(n, kMost); ++k) text += k == 0 ? "0u" : ", 0u";
  return {text + ")", kPrimary};
}

// The offset of an argument in its buffer (pass::lower_pointers).
Expr GlslWriter::pointer_number(const Inst* i) { return {named_.at(i->operand(0)) + "_offset", kPrimary}; }

// The only remaining question is whether an argument is null.
Expr GlslWriter::compare_pointers(const Inst* i) {
  const Value* a = i->operand(0);
  const Value* b = i->operand(1);
  if (pass::is_const_zero(a)) std::swap(a, b);
  if (a->kind != ir::ValueKind::kParam || !pass::is_const_zero(b)) {
    refuse(i, message::kPointersNotComparable());
    return literal(i->type, 0);
  }
  return {named_.at(a) + "_offset " + (i->is(Op::kEq) ? "==" : "!=") + " 0xffffffffu", kEquality};
}

}  // namespace quern::target::cstyle
