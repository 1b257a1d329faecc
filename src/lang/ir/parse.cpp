// Parses the text form. Recursive descent over tokens, in one pass; calls of functions that are defined later
// are resolved at the end. The input is not trusted: nesting is limited, numbers are checked, and the
// verifier runs at the end.
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "lang/ir/float_bits.hpp"
#include "lang/ir/literal.hpp"
#include "lang/ir/messages.hpp"
#include "lang/ir/op_form.hpp"
#include "lang/ir/text.hpp"
#include "lang/ir/text_lexer.hpp"
#include "lang/ir/verify_parts.hpp"

namespace quern::ir {
namespace {

constexpr int kMostNested =
    200;                         // blocks in blocks; deep enough for any kernel, shallow enough for any stack
constexpr int kMostArrays = 32;  // arrays in arrays

const std::unordered_map<std::string_view, Op>& op_names() {
  static const std::unordered_map<std::string_view, Op> names = [] {
    std::unordered_map<std::string_view, Op> result;
    for (size_t i = 0; i < kOpCount; ++i) result.emplace(info(static_cast<Op>(i)).name, static_cast<Op>(i));
    return result;
  }();
  return names;
}

// Finds `word` among the names of an enumeration's first `count` values.
template <typename Enum>
bool match(std::string_view word, int count, Enum& out) {
  for (int i = 0; i < count; ++i) {
    if (name(static_cast<Enum>(i)) != word) continue;
    out = static_cast<Enum>(i);
    return true;
  }
  return false;
}

class Parser {
 public:
  Parser(std::string_view text, Module& module, ParseError& error)
      : text_(text), lexer_(text), module_(module), types_(module.types()), error_(error) {
    token_ = lexer_.next();
  }

  bool run() {
    while (token_.kind != TokenKind::kEnd) {
      if (!item()) return false;
    }
    return tie_calls() && resolve_relocations() && verified();
  }

 private:
  // Messages: the first one is reported.
  bool fail(const Token& at, const base::MessageText& message) {
    return fail(static_cast<size_t>(at.text.data() - text_.data()), message.text + ".");
  }
  bool fail(size_t offset, std::string message) {
    if (!error_.message.empty()) return false;
    locate(text_, offset, error_.line, error_.column);
    error_.message = std::move(message);
    return false;
  }
  bool fail_here(const std::string& wanted) {
    if (token_.kind == TokenKind::kEnd) return fail(token_, message::kUnexpectedEnd(wanted));
    if (token_.kind == TokenKind::kBad && token_.text[0] == '"')
      return fail(token_, message::kUnterminatedString());
    return fail(token_, message::kExpected(wanted, shown(token_)));
  }
  static std::string shown(const Token& token) {
    const auto byte = static_cast<unsigned char>(token.text[0]);
    if (token.kind == TokenKind::kBad && (byte < 0x20 || byte >= 0x7f))
      return "the byte " + std::to_string(byte);
    constexpr size_t kMost = 40;
    return "\"" + std::string(token.text.substr(0, kMost)) + (token.text.size() > kMost ? "…\"" : "\"");
  }

  // Tokens.
  Token take() { return std::exchange(token_, lexer_.next()); }
  bool accept(char c) {
    if (!token_.is(c)) return false;
    take();
    return true;
  }
  bool accept(std::string_view word) {
    if (!token_.is(word)) return false;
    take();
    return true;
  }
  bool expect(char c) { return accept(c) || fail_here("\"" + std::string(1, c) + "\""); }
  bool expect(std::string_view word) { return accept(word) || fail_here("\"" + std::string(word) + "\""); }

  template <typename T>
  bool number(T& out, const char* what) {
    const Token token = token_;
    if (token.kind != TokenKind::kNumber) return fail_here(what);
    constexpr bool kSigned = std::numeric_limits<T>::is_signed;
    const std::optional<uint64_t> bits =
        parse_number(types_.get(kSigned ? TypeKind::kI64 : TypeKind::kU64), token.text);
    if (!bits) return fail(token, message::kMalformedNumber());
    const T value = static_cast<T>(*bits);
    const bool kept = kSigned ? static_cast<int64_t>(value) == static_cast<int64_t>(*bits) : value == *bits;
    if (!kept) return fail(token, message::kNumberOutOfRange());
    out = value;
    take();
    return true;
  }

  bool string(std::string& out, const char* what) {
    if (token_.kind != TokenKind::kString) return fail_here(what);
    const Token token = take();
    return unquote(token.text, out) || fail(token, message::kUnknownEscape());
  }

  // A plain or quoted name.
  bool name_text(std::string& out) {
    if (token_.kind == TokenKind::kString) return string(out, "a name");
    if (token_.kind != TokenKind::kWord) return fail_here("a name");
    out = take().text;
    return true;
  }

  bool position(Pos& pos) {
    if (token_.kind != TokenKind::kPosition) return true;
    take();
    std::array<uint32_t, 3> parts{};
    size_t count = 0;
    do {
      if (!number(parts[count++], "a number of the position")) return false;
    } while (count < 3 && accept(':'));
    const Token end = token_;
    uint16_t length = 1;
    if (accept('+') && !number(length, "a length")) return false;
    if (count == 1) return fail(end, message::kIncompletePosition());
    const uint32_t file = count == 3 ? parts[0] : 0;
    const uint32_t column = parts[count - 1];
    if (file > 0xffff || column > 0xffff) return fail(end, message::kPositionTooLarge());
    pos = {parts[count - 2], static_cast<uint16_t>(column), length, static_cast<uint16_t>(file)};
    return true;
  }

  // Types.
  bool type(const Type*& out, int depth = 0) {
    if (token_.is('[')) return array(out, depth);
    if (accept('%')) {
      const Token at = token_;
      std::string name;
      if (!name_text(name)) return false;
      out = types_.find_struct(name);
      return out != nullptr || fail(at, message::kUnknownStruct());
    }
    if (accept("ptr")) {
      Space space = Space::kGeneric;
      if (!expect('<')) return false;
      if (token_.kind != TokenKind::kWord || !match(token_.text, 5, space))
        return fail_here("an address space");
      take();
      out = types_.ptr(space);
      return expect('>');
    }
    TypeKind kind = TypeKind::kVoid;
    if (token_.kind != TokenKind::kWord || !match(token_.text, static_cast<int>(TypeKind::kPtr), kind)) {
      return fail_here("a type");
    }
    take();
    out = types_.get(kind);
    return true;
  }

  bool array(const Type*& out, int depth) {
    if (depth >= kMostArrays) return fail(token_, message::kArraysTooDeep());
    const Token at = take();
    uint64_t count = 0;
    const Type* elem = nullptr;
    if (!number(count, "the number of elements") || !expect("x") || !type(elem, depth + 1) || !expect(']'))
      return false;
    if (!is_sized(elem)) return fail(at, message::kElementWithoutSize());
    out = types_.array(elem, count);
    return count == 0 || is_sized(out) || fail(at, message::kArrayTooLarge());
  }

  // Items of the module.
  bool item() {
    if (token_.is("file")) return file();
    if (token_.is("struct")) return structure();
    if (token_.is("kernel") || token_.is("func")) return function();
    Space space = Space::kGeneric;
    if (token_.kind == TokenKind::kWord && match(token_.text, 5, space)) return global(space);
    return fail_here("file, struct, kernel, func, or the space of a variable");
  }

  bool file() {
    take();
    const Token at = token_;
    size_t index = 0;
    File file;
    if (!number(index, "the number of the file") || !string(file.name, "the name of the file")) return false;
    if (index != module_.files.size()) return fail(at, message::kFileNumber());
    if (index > 0xffff) return fail(at, message::kTooManyFiles());
    module_.files.push_back(std::move(file));
    return true;
  }

  bool structure() {
    take();
    if (!expect('%')) return false;
    const Token at = token_;
    std::string name;
    if (!name_text(name)) return false;
    if (types_.find_struct(name) != nullptr) return fail(at, message::kDuplicateStruct());
    std::vector<Field> fields;
    if (!expect('{')) return false;
    while (!token_.is('}')) {
      if (!fields.empty() && !expect(',')) return false;
      if (!field(fields.emplace_back())) return false;
    }
    take();
    uint64_t size = 0;
    uint64_t align = 0;
    if (!expect("size") || !number(size, "a size") || !expect("align") || !number(align, "an alignment"))
      return false;
    types_.define_struct(types_.declare_struct(name), std::move(fields), size, align);
    return true;
  }

  bool field(Field& out) {
    if (!name_text(out.name) || !expect(':') || !type(out.type)) return false;
    if (token_.kind != TokenKind::kPosition) return fail_here("the offset of the field");
    take();
    return number(out.offset, "the offset of the field");
  }

  bool global(Space space) {
    take();
    if (!expect('@')) return false;
    const Token at = token_;
    std::string name;
    const Type* object = nullptr;
    if (!name_text(name) || !expect(':') || !type(object)) return false;
    Global* made = module_.add_global(name, object, space);
    if (!globals_.emplace(std::move(name), made).second) return fail(at, message::kDuplicateVariable());
    if (!expect("align") || !number(made->align, "an alignment")) return false;
    made->is_literal = accept("literal");
    if (accept('=') && !initial_bytes(made->init)) return false;
    while (accept("pointer")) {
      if (!relocation(made)) return false;
    }
    return position(made->pos);
  }

  bool relocation(Global* global) {
    Relocation made;
    if (!number(made.at, "the place of the pointer") || !expect('@')) return false;
    const Token at = token_;
    std::string name;
    if (!name_text(name) || !expect('+') || !number(made.distance, "a distance")) return false;
    relocations_.push_back({global, made, std::move(name), at});
    return true;
  }

  // Initial data may point to variables that are defined later.
  bool resolve_relocations() {
    for (Pointer& pointer : relocations_) {
      const auto target = globals_.find(pointer.name);
      if (target == globals_.end()) return fail(pointer.at, message::kUnknownVariable());
      pointer.made.target = target->second;
      pointer.global->pointers.push_back(pointer.made);
    }
    return true;
  }

  bool initial_bytes(std::vector<uint8_t>& out) {
    const bool hex = accept("hex");
    const Token at = token_;
    std::string bytes;
    if (!string(bytes, "a string of initial data")) return false;
    if (!hex) {
      out.assign(bytes.begin(), bytes.end());
      return true;
    }
    if (bytes.size() % 2 != 0) return fail(at, message::kOddHexDigits());
    out.reserve(bytes.size() / 2);
    for (size_t i = 0; i < bytes.size(); i += 2) {
      const std::string digits = "0x" + bytes.substr(i, 2);
      const std::optional<uint64_t> byte = parse_number(types_.get(TypeKind::kU8), digits);
      if (!byte) return fail(at, message::kHexDigit());
      out.push_back(static_cast<uint8_t>(*byte));
    }
    return true;
  }

  // Functions.
  bool function() {
    const bool is_kernel = take().text == "kernel";
    if (!expect('@')) return false;
    const Token at = token_;
    std::string name;
    if (!name_text(name)) return false;
    function_ = module_.add_function(name);
    function_->is_kernel = is_kernel;
    if (!functions_.emplace(std::move(name), function_).second)
      return fail(at, message::kDuplicateFunction());
    values_.clear();
    labels_.clear();
    if (!expect('(')) return false;
    while (!token_.is(')')) {
      if (!function_->params.empty() && !expect(',')) return false;
      if (!param()) return false;
    }
    take();
    if (token_.kind == TokenKind::kArrow) {
      take();
      if (!type(function_->result)) return false;
    }
    return function_marks() && braced(function_->body, 0);
  }

  bool function_marks() {
    if (accept("bounds")) {
      if (!expect('(') || !number(function_->max_threads, "a number of threads") || !expect(',') ||
          !number(function_->min_blocks, "a number of blocks") || !expect(')')) {
        return false;
      }
    }
    if (accept("cluster")) {
      auto& [x, y, z] = function_->cluster;
      if (!expect('(') || !number(x, "a number of blocks") || !expect(',') ||
          !number(y, "a number of blocks") || !expect(',') || !number(z, "a number of blocks") ||
          !expect(')')) {
        return false;
      }
    }
    function_->no_inline = accept("noinline");
    return position(function_->pos);
  }

  bool param() {
    std::string_view key;
    std::string name;
    const Type* param_type = nullptr;
    const Token at = token_;
    if (!local_name(key, name) || !expect(':') || !type(param_type)) return false;
    Param* made = module_.add_param(function_, param_type, std::move(name));
    if (!define(at, key, made)) return false;
    if (accept("of") && !type(made->elem)) return false;
    made->is_const_elem = accept("const");
    made->is_restrict = accept("restrict");
    if (token_.kind == TokenKind::kString && !string(made->spelling, "a spelling")) return false;
    return position(made->pos);
  }

  // %name, %"name", %name.2, %7: `key` is the unique spelling, `name` the user's name (empty: none).
  bool local_name(std::string_view& key, std::string& name) {
    if (!expect('%')) return false;
    const char* start = token_.text.data();
    std::string_view last = token_.text;
    name.clear();
    if (token_.kind == TokenKind::kNumber) {
      take();
    } else {
      if (!name_text(name)) return false;
      if (accept('.')) {
        if (token_.kind != TokenKind::kNumber) return fail_here("a number");
        last = take().text;
      }
    }
    key = std::string_view(start, static_cast<size_t>(last.data() + last.size() - start));
    return true;
  }

  bool define(const Token& at, std::string_view key, Value* value) {
    return values_.emplace(key, value).second || fail(at, message::kDuplicateValue());
  }

  // Blocks.
  bool braced(Block* block, int depth) {
    if (depth > kMostNested) return fail(token_, message::kBlocksTooDeep());
    if (!expect('{')) return false;
    while (!token_.is('}')) {
      if (!statement(block, depth)) return false;
    }
    take();
    return true;
  }

  bool statement(Block* block, int depth) {
    const Token start = token_;
    std::string_view key;
    std::string name;
    const bool named = start.is('%');
    if (named && (!local_name(key, name) || !expect('='))) return false;
    const Token word = token_;
    const auto known = word.kind == TokenKind::kWord ? op_names().find(word.text) : op_names().end();
    if (known == op_names().end()) return fail_here(named ? "an operation" : "an instruction or \"}\"");
    take();
    Inst* inst = module_.new_inst(known->second, nullptr, {});
    inst->id = static_cast<uint32_t>(places_.size());
    places_.push_back(static_cast<size_t>(start.text.data() - text_.data()));
    block->append(inst);
    if (has(inst->op, kControl)) {
      if (named) return fail(start, message::kNoResultToName());
      return control(*inst, depth);
    }
    if (!instruction(*inst) || !position(inst->pos)) return false;
    if (named != !inst->type->is_void()) {
      return fail(start, named ? message::kNoResultToName() : message::kUnnamedResult());
    }
    if (!named) return true;
    inst->name = module_.intern(name);
    return define(start, key, inst);
  }

  bool instruction(Inst& inst) {
    if (!modifiers(inst)) return false;
    const Type* context = nullptr;
    switch (yields(inst.op)) {
      case Yields::kNothing: break;
      case Yields::kFixed:
        inst.type = types_.get(fixed_result(inst.op));
        if (inst.is(Op::kPtrToInt) && accept("u32")) inst.type = types_.get(TypeKind::kU32);
        break;
      case Yields::kVariable: inst.type = types_.ptr(Space::kLocal); return type(inst.mutable_attr().type);
      case Yields::kCalled: return call(inst);
      case Yields::kCompared:
        inst.type = types_.get(TypeKind::kBool);
        if (!type(context)) return false;
        break;
      case Yields::kTyped:
        if (!type(inst.type)) return false;
        context = inst.type;
        break;
    }
    return operands(inst, context) && trailing(inst);
  }

  bool modifiers(Inst& inst) {
    const uint32_t counts = attributes(inst.op);
    constexpr uint32_t kNeeded =
        kAttrRmw | kAttrShuffle | kAttrRound | kAttrSpace | kAttrScope | kAttrDimension;
    uint32_t given = 0;
    while (accept('.')) {
      const Token word = token_;
      if (word.kind != TokenKind::kWord) return fail_here("a word");
      take();
      const uint32_t which = modifier(counts & ~given, word.text, inst.mutable_attr());
      if (which == 0) return fail(word, message::kUnexpectedWord(info(inst.op).name, shown(word)));
      given |= which;
    }
    if ((counts & kNeeded & ~given) == 0) return true;
    return fail_here("a period and the kind of " + std::string(info(inst.op).name));
  }

  // Sets the member of `attr`, among those in `open`, for which `word` is a value; returns which one.
  static uint32_t modifier(uint32_t open, std::string_view word, Attr& attr) {
    if ((open & kAttrRmw) != 0 && match(word, 10, attr.rmw)) return kAttrRmw;
    if ((open & kAttrShuffle) != 0 && match(word, 4, attr.shuffle)) return kAttrShuffle;
    if ((open & kAttrRound) != 0 && match(word, 4, attr.round)) return kAttrRound;
    if ((open & kAttrSpace) != 0 && match(word, 5, attr.space)) return kAttrSpace;
    if ((open & kAttrScope) != 0 && match(word, 3, attr.scope)) return kAttrScope;
    if ((open & kAttrDimension) != 0 && word.size() == 1 && word[0] >= 'x' && word[0] <= 'z') {
      attr.index = static_cast<uint32_t>(word[0] - 'x');
      return kAttrDimension;
    }
    const auto flag = [&](uint32_t which, std::string_view name, bool& member) {
      if ((open & which) == 0 || word != name) return uint32_t{0};
      member = true;
      return which;
    };
    return flag(kAttrVolatile, "volatile", attr.is_volatile) | flag(kAttrStray, "stray", attr.stray) |
           flag(kAttrFast, "fast", attr.fast);
  }

  bool operands(Inst& inst, const Type* context) {
    const uint32_t counts = attributes(inst.op);
    bool first = true;
    if ((counts & kAttrText) != 0) {
      if (!string(inst.mutable_attr().text, "a string")) return false;
      first = false;
    }
    if ((counts & kAttrTarget) != 0) return target(inst);
    if (inst.is(Op::kConstruct)) return parenthesized(inst);
    if (inst.is(Op::kReturn)) return returned(inst);
    const int arity = info(inst.op).arity;
    for (int i = 0; arity < 0 ? token_.is(',') : i < arity; ++i) {
      if (!first && !expect(',')) return false;
      first = false;
      if (!operand(inst, context)) return false;
    }
    return true;
  }

  // Nothing if the next token cannot be a value.
  bool returned(Inst& inst) {
    const bool word = token_.kind == TokenKind::kWord && op_names().contains(token_.text);
    if (word || token_.is('}') || token_.kind == TokenKind::kPosition) return true;
    return operand(inst, function_->result);
  }

  bool parenthesized(Inst& inst) {
    if (!expect('(')) return false;
    while (!token_.is(')')) {
      if (!inst.operands.empty() && !expect(',')) return false;
      if (!operand(inst, nullptr)) return false;
    }
    take();
    return true;
  }

  bool target(Inst& inst) {
    const Token at = token_;
    if (at.kind != TokenKind::kWord) return fail_here("the label of a loop, switch or scope");
    const auto known = labels_.find(at.text);
    if (known == labels_.end()) return fail(at, message::kUnknownLabel());
    take();
    inst.mutable_attr().target = known->second;
    return true;
  }

  bool call(Inst& inst) {
    if (!token_.is('@') && !type(inst.type)) return false;
    if (!expect('@')) return false;
    const Token at = token_;
    std::string name;
    if (!name_text(name)) return false;
    calls_.push_back({&inst, std::move(name), at});
    inst.mutable_attr();
    return parenthesized(inst);
  }

  bool trailing(Inst& inst) {
    const uint32_t counts = attributes(inst.op);
    if ((counts & kAttrScale) != 0 && (!expect("scale") || !number(inst.mutable_attr().scale, "a scale")))
      return false;
    if (inst.is(Op::kFieldPtr) && (!expect("of") || !type(inst.mutable_attr().type))) return false;
    if ((counts & kAttrIndex) != 0 && (!expect("index") || !number(inst.mutable_attr().index, "an index")))
      return false;
    return (counts & kAttrAlign) == 0 || !accept("align") ||
           number(inst.mutable_attr().align, "an alignment");
  }

  // Operands.
  bool operand(Inst& inst, const Type* context) {
    Value* value = nullptr;
    if (!this->value(value, context)) return false;
    inst.operands.push_back(value);
    return true;
  }

  bool value(Value*& out, const Type* context) {
    const Token at = token_;
    if (at.is('%')) {
      std::string_view key;
      std::string name;
      if (!local_name(key, name)) return false;
      const auto known = values_.find(key);
      if (known == values_.end()) return fail(at, message::kUnknownValue());
      out = known->second;
      return true;
    }
    if (accept('@')) {
      const Token named = token_;
      std::string name;
      if (!name_text(name)) return false;
      const auto known = globals_.find(name);
      if (known == globals_.end()) return fail(named, message::kUnknownVariableAbove());
      out = known->second;
      return true;
    }
    return literal(out, context);
  }

  bool literal(Value*& out, const Type* context) {
    const Token at = token_;
    if (at.kind != TokenKind::kNumber && at.kind != TokenKind::kWord) return fail_here("a value");
    take();
    uint64_t nan_bits = 0;
    if (at.is("nan") && (!expect('(') || !number(nan_bits, "the bits of the NaN") || !expect(')')))
      return false;
    const Type* literal_type = context;
    if (at.is("true") || at.is("false")) literal_type = types_.get(TypeKind::kBool);
    if (accept(':') && !type(literal_type)) return false;
    if (literal_type == nullptr || literal_type->is_void()) return fail(at, message::kConstantWithoutType());
    if (at.is("undef")) {
      out = module_.undef(literal_type);
      return true;
    }
    const std::optional<uint64_t> bits = literal_bits(at, literal_type, nan_bits);
    if (!bits) return fail(at, message::kNotValueOfType(shown(at), to_string(literal_type)));
    out = module_.constant(literal_type, *bits);
    return true;
  }

  static std::optional<uint64_t> literal_bits(const Token& token, const Type* type, uint64_t nan_bits) {
    const auto when = [](bool condition, uint64_t bits) {
      return condition ? std::optional(bits) : std::nullopt;
    };
    if (token.is("true")) return when(type->is_bool(), 1);
    if (token.is("false")) return when(type->is_bool(), 0);
    if (token.is("null")) return when(type->is_ptr(), 0);
    if (token.is("zero")) return when(type->is_aggregate() && is_sized(type), 0);
    if (token.is("nan")) {
      if (!type->is_float()) return std::nullopt;
      const FloatFormat format = format_of(type->kind);
      return when(format.is_nan(nan_bits) && nan_bits <= format.sign() + (format.sign() - 1), nan_bits);
    }
    return parse_number(type, token.text);
  }

  // Control.
  bool control(Inst& inst, int depth) {
    if (!inst.is(Op::kIf)) {
      const Token at = token_;
      if (at.kind != TokenKind::kWord) return fail_here("a label");
      take();
      if (!labels_.emplace(at.text, &inst).second) return fail(at, message::kDuplicateLabel());
    }
    if (info(inst.op).arity == 1 && !operand(inst, nullptr)) return false;
    if (inst.is(Op::kLoop) && accept("unroll")) {
      if (!expect('(') || !number(inst.mutable_attr().unroll, "a number") || !expect(')')) return false;
    }
    if (!position(inst.pos)) return false;
    return inst.is(Op::kSwitch) ? cases(inst, depth) : regions(inst, depth);
  }

  bool regions(Inst& inst, int depth) {
    static constexpr std::array<std::string_view, 3> kLoopWords = {"", "body", "step"};
    const size_t count = inst.is(Op::kIf) ? 2 : inst.is(Op::kLoop) ? 3 : 1;
    for (size_t i = 0; i < count; ++i) {
      Block* block = module_.new_block(function_, &inst);
      inst.blocks.push_back(block);
      const std::string_view word = i == 0 ? "" : inst.is(Op::kIf) ? "else" : kLoopWords[i];
      const bool optional = inst.is(Op::kIf) ? i == 1 : i == 2;
      if (!word.empty() && !accept(word)) {
        if (optional) continue;
        return fail_here("\"" + std::string(word) + "\"");
      }
      if (!braced(block, depth + 1)) return false;
    }
    return true;
  }

  bool cases(Inst& inst, int depth) {
    if (!expect('{')) return false;
    inst.mutable_attr();
    while (!token_.is('}')) {
      SwitchCase one;
      if (accept("case")) {
        do {
          if (!number(one.values.emplace_back(), "a case value")) return false;
        } while (accept(','));
      } else if (!accept("default")) {
        return fail_here("case, default or \"}\"");
      }
      inst.mutable_attr().cases.push_back(std::move(one));
      inst.blocks.push_back(module_.new_block(function_, &inst));
      if (!braced(inst.blocks.back(), depth + 1)) return false;
    }
    take();
    return true;
  }

  // The end.
  bool tie_calls() {
    for (const Call& call : calls_) {
      const auto known = functions_.find(call.name);
      if (known == functions_.end()) return fail(call.at, message::kUnknownFunction());
      call.inst->mutable_attr().callee = known->second;
    }
    return true;
  }

  bool verified() {
    const Inst* at = nullptr;
    std::string defect = verify_module(module_, at);
    return defect.empty() || fail(at != nullptr ? places_[at->id] : 0, std::move(defect));
  }

  struct Call {
    Inst* inst;
    std::string name;
    Token at;
  };

  struct Pointer {
    Global* global;
    Relocation made;
    std::string name;
    Token at;
  };

  std::string_view text_;
  TextLexer lexer_;
  Token token_;
  Module& module_;
  TypeTable& types_;
  ParseError& error_;
  std::unordered_map<std::string, Function*> functions_;
  std::unordered_map<std::string, Global*> globals_;
  std::vector<Call> calls_;
  std::vector<Pointer> relocations_;
  std::vector<size_t> places_;  // position of each instruction in the text, by its id
  // Of the current function; keys are spellings in text_.
  Function* function_ = nullptr;
  std::unordered_map<std::string_view, Value*> values_;
  std::unordered_map<std::string_view, Inst*> labels_;
};

}  // namespace

std::optional<Module> parse(std::string_view text, ParseError& error) {
  error = {};
  Module module;
  if (!Parser(text, module, error).run()) return std::nullopt;
  return module;
}

}  // namespace quern::ir
