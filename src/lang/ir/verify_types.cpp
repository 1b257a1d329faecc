#include <bit>
#include <optional>
#include <unordered_set>

#include "lang/ir/matrix.hpp"
#include "lang/ir/messages.hpp"
#include "lang/ir/op_form.hpp"
#include "lang/ir/tensor_map.hpp"
#include "lang/ir/verify_parts.hpp"

namespace quern::ir {
namespace {

// Larger objects are rejected, so that arithmetic on sizes cannot overflow.
constexpr uint64_t kMostBytes = uint64_t{1} << 48;

bool is_number(const Type* type) { return type->is_int() || type->is_float(); }
bool is_int_or_bool(const Type* type) { return type->is_int() || type->is_bool(); }
bool is_value(const Type* type) { return is_number(type) || type->is_bool(); }
bool is_wide_int(const Type* type) { return type->is_int() && type->size >= 4; }
bool is_wide_number(const Type* type) { return is_number(type) && type->size >= 4; }
bool is_word(const Type* type) { return type->kind == TypeKind::kI32 || type->kind == TypeKind::kU32; }
bool is_size(const Type* type) { return type->kind == TypeKind::kU64 || type->kind == TypeKind::kU32; }
// Also the two words of a 64-bit integer (expand::lower_wide_integers).
bool is_printed(const Type* type) {
  return type->is_scalar() || (type->is_struct() && type->name == kWordsName);
}
bool is_int(const Type* type) { return type->is_int(); }
bool is_float(const Type* type) { return type->is_float(); }
bool is_scalar(const Type* type) { return type->is_scalar(); }
bool is_ptr(const Type* type) { return type->is_ptr(); }
bool is_aggregate(const Type* type) { return type->is_aggregate(); }

class Checker {
 public:
  Checker(const TypeTable& types, const Inst& inst) : types_(types), inst_(inst), attr_(inst.attr()) {}

  std::optional<base::MessageText> run() {
    if (result_is_fixed()) check_op();
    return std::move(defect_);
  }

 private:
  using Predicate = bool (*)(const Type*);

  bool fail(base::MessageText defect) {
    if (!defect_) defect_ = std::move(defect);
    return false;
  }

  const Type* type_of(size_t i) const { return inst_.operand(i)->type; }
  const Type* get(TypeKind kind) const { return types_.get(kind); }

  bool operand_is(size_t i, const Type* wanted) {
    if (type_of(i) == wanted) return true;
    return fail(message::kOperandType(std::to_string(i + 1), to_string(type_of(i)), to_string(wanted)));
  }
  bool operand_is(size_t i, TypeKind kind) { return operand_is(i, get(kind)); }
  bool operand_is(size_t i, Predicate predicate, const char* what) {
    if (predicate(type_of(i))) return true;
    return fail(message::kOperandType(std::to_string(i + 1), to_string(type_of(i)), what));
  }
  bool result_is(const Type* wanted) {
    if (inst_.type == wanted) return true;
    return fail(message::kResultType(to_string(inst_.type), to_string(wanted)));
  }
  bool result_is(Predicate predicate, const char* what) {
    if (predicate(inst_.type)) return true;
    return fail(message::kResultType(to_string(inst_.type), what));
  }
  bool holds(bool condition, const base::Message<0>& defect) { return condition || fail(defect()); }

  bool result_is_fixed() {
    switch (yields(inst_.op)) {
      case Yields::kNothing: return result_is(get(TypeKind::kVoid));
      case Yields::kFixed:
        if (inst_.op == Op::kPtrToInt && inst_.type->kind == TypeKind::kU32) return true;  // lower_pointers
        return result_is(get(fixed_result(inst_.op)));
      case Yields::kCompared: return result_is(get(TypeKind::kBool));
      case Yields::kVariable: return result_is(types_.ptr(Space::kLocal));
      case Yields::kTyped: return holds(!inst_.type->is_void() || inst_.is(Op::kPtx), message::kNoResultType);
      case Yields::kCalled: return true;
    }
    return true;
  }

  // Letters of a signature (op.hpp) that more than one type matches.
  struct Kind {
    char letter;
    Predicate predicate;
    const char* name;
  };
  static const Kind& kind_of(char letter) {
    static constexpr Kind kKinds[] = {
        {'A', [](const Type*) { return true; }, "a type"},
        {'N', is_number, "a number"},
        {'I', is_int, "an integer"},
        {'B', is_int_or_bool, "an integer or bool"},
        {'W', is_wide_int, "a 32-bit or 64-bit integer"},
        {'D', is_word, "i32 or u32"},
        {'F', is_float, "a float"},
        {'M', is_wide_number, "a 32-bit or 64-bit number"},
        {'S', is_scalar, "a scalar"},
        {'p', is_ptr, "a pointer"},
        {'n', is_int, "an integer"},
        {'z', is_size, "u64 or u32"},
    };
    const Kind* kind = kKinds;
    while (kind->letter != letter) ++kind;  // the table of operations uses no others
    return *kind;
  }

  bool operand_matches(size_t i, char letter) {
    switch (letter) {
      case 'b': return operand_is(i, TypeKind::kBool);
      case 'c': return operand_is(i, TypeKind::kU8);
      case 'i': return operand_is(i, TypeKind::kI32);
      case 'u': return operand_is(i, TypeKind::kU32);
      case 'q': return operand_is(i, TypeKind::kU64);
      default: return operand_is(i, kind_of(letter).predicate, kind_of(letter).name);
    }
  }

  static bool is_shared(char letter) { return letter >= 'A' && letter <= 'Z'; }

  bool check_signature() {
    const Type* shared = nullptr;
    if (const char letter = result_letter(inst_.op); is_shared(letter)) {
      shared = inst_.type;
      if (!result_is(kind_of(letter).predicate, kind_of(letter).name)) return false;
    }
    for (size_t i = 0; i < inst_.operands.size(); ++i) {
      const char letter = operand_letter(inst_.op, i);
      if (letter == '\0') return true;
      const bool matches =
          is_shared(letter) && shared != nullptr ? operand_is(i, shared) : operand_matches(i, letter);
      if (!matches) return false;
      if (is_shared(letter)) shared = type_of(i);
    }
    return true;
  }

  bool check_op() {
    if (!check_signature()) return false;
    switch (group(inst_.op)) {
      case OpGroup::kValue: return check_value();
      case OpGroup::kPointer: return check_pointer();
      case OpGroup::kMemory:
      case OpGroup::kAtomic: return check_memory();
      case OpGroup::kMatrix: return check_matrix();
      case OpGroup::kIndex:
        return holds((attributes(inst_.op) & kAttrDimension) == 0 || attr_.index <= 2, message::kDimension);
      default: return check_other();
    }
  }

  bool check_value() {
    switch (inst_.op) {
      case Op::kConvert:
        return result_is(is_value, "a number or bool") && operand_is(0, is_value, "a number or bool");
      case Op::kConvertR: return check_convert_rounded();
      case Op::kBitcast: return check_bitcast();
      case Op::kExtract: return check_member(inst_.type);
      case Op::kInsert: return operand_is(0, inst_.type) && check_member(type_of(1));
      case Op::kConstruct: return check_construct();
      default: return true;
    }
  }

  bool check_convert_rounded() {
    return result_is(is_number, "a number") && operand_is(0, is_number, "a number") &&
           holds(inst_.type->is_float() || type_of(0)->is_float(), message::kRoundsBetweenIntegers);
  }

  bool check_bitcast() {
    if (!result_is(is_number, "a number") || !operand_is(0, is_number, "a number")) return false;
    if (inst_.type->size == type_of(0)->size) return true;
    return fail(message::kBitcastSize(to_string(type_of(0)), to_string(inst_.type)));
  }

  bool check_pointer() {
    switch (inst_.op) {
      case Op::kOffset:
        return operand_is(0, is_ptr, "a pointer") && result_is(type_of(0)) &&
               operand_is(1, is_wide_int, "a 32-bit or 64-bit integer");
      case Op::kFieldPtr: return check_field();
      case Op::kPtrDiff:
        return operand_is(0, is_ptr, "a pointer") && operand_is(1, type_of(0)) &&
               holds(attr_.scale != 0, message::kScaleOfZero);
      case Op::kMapShared:
        return result_is(is_ptr, "a pointer") && operand_is(0, is_ptr, "a pointer") &&
               operand_is(1, TypeKind::kU32);
      case Op::kIntToPtr: return result_is(is_ptr, "a pointer") && operand_is(0, TypeKind::kU64);
      case Op::kSharedPointer: return result_is(types_.ptr(Space::kShared)) && operand_is(0, TypeKind::kU32);
      case Op::kSpaceCast: return check_space_cast();
      case Op::kParamAddress:
        return result_is(types_.ptr(Space::kGeneric)) && operand_is(0, is_tensor_map, "a tensor map") &&
               holds(inst_.operand(0)->kind == ValueKind::kParam, message::kNotParameter);
      default: return true;
    }
  }

  bool check_memory() {
    switch (inst_.op) {
      case Op::kVar:
        return holds(attr_.type != nullptr && is_sized(attr_.type), message::kLocalWithoutSize) &&
               holds(
                   attr_.align == 0 || (std::has_single_bit(attr_.align) && attr_.align > attr_.type->align),
                   message::kLocalAlignment);
      case Op::kLoad: return check_access(inst_.type);
      case Op::kStore: return check_access(type_of(1));
      case Op::kAtomicRmw: return check_atomic();
      case Op::kAtomicCas:
        return result_is(is_scalar, "a scalar") && operand_is(0, is_ptr, "a pointer") &&
               operand_is(1, inst_.type) && operand_is(2, inst_.type);
      case Op::kAtomicLoad: return result_is(is_scalar, "a scalar") && operand_is(0, is_ptr, "a pointer");
      default: return true;
    }
  }

  bool check_member(const Type* member) {
    const Type* whole = type_of(0);
    if (!operand_is(0, is_aggregate, "an aggregate")) return false;
    const uint64_t count = whole->is_array() ? whole->count : whole->fields.size();
    if (attr_.index >= count) {
      return fail(
          message::kMemberIndex(std::to_string(attr_.index), to_string(whole), std::to_string(count)));
    }
    const Type* wanted = whole->is_array() ? whole->elem : whole->fields[attr_.index].type;
    if (member == wanted) return true;
    return fail(message::kMemberType(std::to_string(attr_.index), to_string(whole), to_string(member),
                                     to_string(wanted)));
  }

  bool check_construct() {
    const Type* whole = inst_.type;
    if (!result_is(is_aggregate, "an aggregate")) return false;
    const uint64_t count = whole->is_array() ? whole->count : whole->fields.size();
    if (inst_.operands.size() != count) {
      return fail(message::kMemberCount(std::to_string(inst_.operands.size()), to_string(whole),
                                        std::to_string(count)));
    }
    for (size_t i = 0; i < count; ++i) {
      if (!operand_is(i, whole->is_array() ? whole->elem : whole->fields[i].type)) return false;
    }
    return true;
  }

  bool check_access(const Type* accessed) {
    if (!operand_is(0, is_ptr, "a pointer")) return false;
    if (!is_sized(accessed)) return fail(message::kAccessWithoutSize(to_string(accessed)));
    return holds(attr_.align == 0 || std::has_single_bit(attr_.align), message::kAccessAlignment);
  }

  bool check_field() {
    if (!operand_is(0, is_ptr, "a pointer") || !result_is(type_of(0))) return false;
    if (attr_.type == nullptr || !attr_.type->is_struct()) return fail(message::kStructTypeMissing());
    if (attr_.index < attr_.type->fields.size()) return true;
    return fail(message::kFieldIndex(std::to_string(attr_.index), to_string(attr_.type),
                                     std::to_string(attr_.type->fields.size())));
  }

  bool check_space_cast() {
    if (!result_is(is_ptr, "a pointer") || !operand_is(0, is_ptr, "a pointer")) return false;
    const bool related = inst_.type == type_of(0) || inst_.type->space == Space::kGeneric ||
                         type_of(0)->space == Space::kGeneric;
    if (related) return true;
    return fail(message::kSpaceCast(to_string(type_of(0)), to_string(inst_.type)));
  }

  bool check_atomic() {
    if (!operand_is(0, is_ptr, "a pointer") || !operand_is(1, inst_.type)) return false;
    switch (attr_.rmw) {
      case Rmw::kExchange: return result_is(is_scalar, "a scalar");
      case Rmw::kAnd:
      case Rmw::kOr:
      case Rmw::kXor:
      case Rmw::kInc:
      case Rmw::kDec: return result_is(is_int, "an integer");
      default: return result_is(is_number, "a number");
    }
  }

  bool check_other() {
    switch (inst_.op) {
      case Op::kAssert: return operand_is(0, TypeKind::kBool);
      case Op::kAsyncCopy:
        return holds(attr_.index == 4 || attr_.index == 8 || attr_.index == 16, message::kAsyncCopySize);
      case Op::kWarpReduce: return check_warp_reduce();
      case Op::kPrintf: return check_printf();
      case Op::kSwitch: return check_switch();
      default: return true;
    }
  }

  bool check_warp_reduce() {
    const bool known = attr_.rmw == Rmw::kAdd || (attr_.rmw >= Rmw::kMin && attr_.rmw <= Rmw::kXor);
    return holds(known, message::kReduceOperation);
  }

  bool check_matrix() {
    const std::optional<Matrix> matrix = matrix_of(attr_.index);
    if (!matrix) return fail(message::kUnknownMatrix(std::to_string(attr_.index)));
    if (inst_.is(Op::kMatrixFill))
      return operand_is(0, is_ptr, "a pointer") && operand_is(1, element_of(*matrix, matrix->use));
    if (inst_.is(Op::kMatrixRows)) {
      const bool is_some = inst_.type->is_array() && (inst_.type->count == 4 || inst_.type->count == 8) &&
                           inst_.type->elem->size == 2 && inst_.type->elem->is_float();
      return operand_is(0, types_.ptr(Space::kShared)) && holds(is_some, message::kFragmentMissing);
    }
    if (!inst_.is(Op::kMma)) return true;
    return check_fragment(type_of(0), *matrix, MatrixUse::kA) &&
           check_fragment(type_of(1), *matrix, MatrixUse::kB) &&
           check_fragment(type_of(2), *matrix, MatrixUse::kAccumulator) &&
           check_fragment(inst_.type, *matrix, MatrixUse::kAccumulator);
  }

  bool check_fragment(const Type* type, const Matrix& matrix, MatrixUse use) {
    if (type->is_array() && type->elem == get(element_of(matrix, use)) &&
        type->count == elements_of(matrix, use))
      return true;
    return fail(message::kFragmentType(to_string(type), std::to_string(elements_of(matrix, use)),
                                       name(element_of(matrix, use))));
  }

  bool check_printf() {
    for (size_t i = 0; i < inst_.operands.size(); ++i) {
      if (!operand_is(i, is_printed, "a scalar")) return false;
    }
    return true;
  }

  bool check_switch() {
    if (!operand_is(0, is_int, "an integer")) return false;
    if (attr_.cases.size() != inst_.blocks.size()) {
      return fail(
          message::kCaseCount(std::to_string(attr_.cases.size()), std::to_string(inst_.blocks.size())));
    }
    std::unordered_set<int64_t> seen;
    bool has_default = false;
    for (const SwitchCase& one : attr_.cases) {
      if (one.values.empty() && std::exchange(has_default, true)) return fail(message::kTwoDefaultCases());
      for (const int64_t value : one.values) {
        if (!fits(value, type_of(0))) return fail(message::kCaseOutOfRange(std::to_string(value)));
        if (!seen.insert(value).second) return fail(message::kDuplicateCase(std::to_string(value)));
      }
    }
    return true;
  }

  // Values of u64 beyond int64 are written as their two's complement.
  static bool fits(int64_t value, const Type* type) {
    if (type->size >= 8) return true;
    const int64_t span = int64_t{1} << type->bits();
    return type->is_signed() ? value >= -span / 2 && value < span / 2 : value >= 0 && value < span;
  }

  const TypeTable& types_;
  const Inst& inst_;
  const Attr& attr_;
  std::optional<base::MessageText> defect_;
};

}  // namespace

bool is_sized(const Type* type) { return type != nullptr && type->size != 0 && type->size <= kMostBytes; }

std::optional<base::MessageText> check_types(const TypeTable& types, const Inst& inst) {
  return Checker(types, inst).run();
}

}  // namespace quern::ir
