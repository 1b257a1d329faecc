// Doubles as their bits. Values that are only moved change their type; operations become calls of
// library/soft_double.cuh.
#include <unordered_map>
#include <unordered_set>

#include "lang/expand/expand.hpp"
#include "lang/expand/mapped_types.hpp"
#include "lang/expand/messages.hpp"
#include "lang/ir/builder.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

constexpr uint64_t kSign = uint64_t{1} << 63;
constexpr uint64_t kInfinity = 0x7ff0000000000000;
constexpr uint64_t kOne = 0x3ff0000000000000;

bool is_double(const Type* t) { return t->kind == TypeKind::kF64; }

bool concerns_double(const Inst& i) {
  bool any = is_double(i.type);
  for (const Value* v : i.operands) any = any || (v->type != nullptr && is_double(v->type));
  return any;
}

// Whether it computes with doubles instead of only moving them.
bool computes_double(const Inst& i) {
  if (i.is(Op::kAtomicRmw)) return is_double(i.type) && i.attr().rmw != ir::Rmw::kExchange;
  if (i.is(Op::kSelect) || i.is(Op::kExtract) || i.is(Op::kInsert) || i.is(Op::kConstruct)) return false;
  return pass::has_property(i.op, ir::kPure) && concerns_double(i);
}

class DoubleLowering {
 public:
  DoubleLowering(ir::Module& module, ir::Function& function, MappedTypes& types, Library& library,
                 std::vector<Unlowered>& problems)
      : module_(module),
        function_(function),
        types_(types),
        library_(library),
        problems_(problems),
        b_(module) {}

  // Returns whether the function has doubles.
  bool run() {
    // By the original types: afterwards a double looks like an integer.
    pass::traverse(function_.body, [&](const Inst* i) {
      if (computes_double(*i)) computing_.insert(i);
    });
    take_types();
    pass::traverse(function_.body, [&](Inst* i) { visit(i); });
    return changed_;
  }

 private:
  const Type* type(TypeKind kind) { return b_.type(kind); }
  const Type* u64() { return type(TypeKind::kU64); }
  Value* number(uint64_t bits) { return module_.constant(u64(), bits); }

  const Type* mapped(const Type* t) {
    const Type* result = types_.of(t);
    changed_ = changed_ || result != t;
    return result;
  }
  void take_types() {
    for (ir::Param* p : function_.params) {
      p->type = mapped(p->type);
      if (p->elem != nullptr) p->elem = mapped(p->elem);
    }
    if (function_.result != nullptr) function_.result = mapped(function_.result);
  }

  // A value as an operand of lowered code.
  Value* lowered(Value* v) {
    if (const auto by = replaced_.find(v); by != replaced_.end()) return by->second;
    if (v->type == nullptr || !is_double(v->type)) return types_.adapted(module_, v);
    if (const ir::Const* c = ir::as_const(v)) return number(c->bits);
    return v->kind == ValueKind::kUndef ? module_.undef(u64()) : v;
  }

  void visit(Inst* i) {
    for (Value*& v : i->operands) v = lowered(v);
    if (computing_.count(i) != 0) {
      changed_ = true;
      b_.at(i->parent, i);
      b_.pos(i->pos);
      replaced_[i] = computed(i);
      i->parent->remove(i);
      return;
    }
    i->type = mapped(i->type);
    if (i->attr().type != nullptr && mapped(i->attr().type) != i->attr().type)
      i->mutable_attr().type = mapped(i->attr().type);
  }

  Value* call(const std::string& name, std::initializer_list<Value*> arguments, TypeKind result) {
    std::vector<const Type*> kinds;
    for (const Value* v : arguments) kinds.push_back(v->type);
    ir::Function* callee = library_.use(name, kinds, type(result));
    Inst* made = b_.emit(Op::kCall, type(result), arguments);
    made->mutable_attr().callee = callee;
    return made;
  }
  Value* soft(std::string_view name, std::initializer_list<Value*> arguments) {
    return call("soft_" + std::string(name), arguments, TypeKind::kU64);
  }
  Value* test(std::string_view name, Value* a, Value* b) {
    return call("soft_" + std::string(name), {a, b}, TypeKind::kBool);
  }
  Value* flipped(Value* a) { return b_.binary(Op::kXor, a, number(kSign)); }
  Value* size_of(Value* a) { return b_.binary(Op::kAnd, a, number(~kSign)); }
  Value* sign_of(Value* a) { return b_.binary(Op::kAnd, a, number(kSign)); }

  Value* refuse(const Inst* i, const base::MessageText& reason) {
    problems_.push_back({&function_, i->pos, reason.str()});
    return module_.undef(mapped(i->type));
  }

  Value* computed(Inst* i) {
    Value* a = i->operand(0);
    Value* b = i->operands.size() > 1 ? i->operand(1) : nullptr;
    switch (i->op) {
      case Op::kAdd: return soft("add", {a, b});
      case Op::kSub: return soft("add", {a, flipped(b)});
      case Op::kMul:
      case Op::kDiv:
      case Op::kMin:
      case Op::kMax: return soft(ir::info(i->op).name, {a, b});
      case Op::kFma: return soft("fma", {a, b, i->operand(2)});
      case Op::kSqrt:
      case Op::kFloor:
      case Op::kCeil:
      case Op::kTrunc:
      case Op::kRint: return soft(ir::info(i->op).name, {a});
      case Op::kNeg: return flipped(a);
      case Op::kAbs: return size_of(a);
      case Op::kCopysign: return b_.binary(Op::kOr, size_of(a), sign_of(b));
      case Op::kEq: return test("eq", a, b);
      case Op::kNe: return b_.unary(Op::kNot, test("eq", a, b));
      case Op::kLt: return test("lt", a, b);
      case Op::kLe: return test("le", a, b);
      case Op::kGt: return test("lt", b, a);
      case Op::kGe: return test("le", b, a);
      case Op::kIsNan: return b_.compare(Op::kGt, size_of(a), number(kInfinity));
      case Op::kIsInf: return b_.compare(Op::kEq, size_of(a), number(kInfinity));
      case Op::kSignBit: return b_.compare(Op::kNe, sign_of(a), number(0));
      case Op::kBitcast: return b_.bitcast(a, mapped(i->type));
      case Op::kConvert: return is_double(i->type) ? widened(i, a) : narrowed(i, a);
      case Op::kAtomicRmw: return refuse(i, message::kWideAtomicUnsupported());
      default: return refuse(i, message::kOperationUnsupported(ir::info(i->op).name, "f64"));
    }
  }

  // To double.
  Value* widened(const Inst* i, Value* v) {
    const Type* from = v->type;
    if (from->is_bool()) return b_.select(v, number(kOne), number(0));
    if (from->is_int() && from->size < 4)
      v = b_.convert(v, type(from->is_signed() ? TypeKind::kI32 : TypeKind::kU32));
    const std::string name = "convert_soft_" + std::string(ir::name(v->type->kind));
    if (!Library::has(name))
      return refuse(i, message::kOperationUnsupported("convert", ir::name(from->kind)));
    return call(name, {v}, TypeKind::kU64);
  }

  // From double.
  Value* narrowed(const Inst* i, Value* a) {
    const Type* to = i->type;
    if (to->is_bool()) return b_.compare(Op::kNe, size_of(a), number(0));
    const bool is_small = to->is_int() && to->size < 4;
    const TypeKind kind = !is_small ? to->kind : to->is_signed() ? TypeKind::kI32 : TypeKind::kU32;
    const std::string name = "convert_" + std::string(ir::name(kind)) + "_soft";
    if (!Library::has(name)) return refuse(i, message::kOperationUnsupported("convert", ir::name(to->kind)));
    Value* made = call(name, {a}, kind);
    return is_small ? b_.convert(saturated(made, to), to) : made;
  }
  Value* saturated(Value* v, const Type* to) {
    const uint32_t bits = to->bits() - (to->is_signed() ? 1 : 0);
    const uint64_t most = (uint64_t{1} << bits) - 1;
    v = b_.binary(Op::kMin, v, module_.constant(v->type, most));
    return to->is_signed() ? b_.binary(Op::kMax, v, module_.constant(v->type, ~most)) : v;
  }

  ir::Module& module_;
  ir::Function& function_;
  MappedTypes& types_;
  Library& library_;
  std::vector<Unlowered>& problems_;
  ir::Builder b_;
  std::unordered_set<const Inst*> computing_;
  std::unordered_map<const Value*, Value*> replaced_;
  bool changed_ = false;
};

}  // namespace

bool is_soft_operation(const Inst& i) {
  switch (i.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kMin:
    case Op::kMax:
    case Op::kFma:
    case Op::kSqrt:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kTrunc:
    case Op::kRint:
    case Op::kNeg:
    case Op::kAbs:
    case Op::kCopysign:
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe:
    case Op::kIsNan:
    case Op::kIsInf:
    case Op::kSignBit:
    case Op::kConvert: return true;
    default: return false;
  }
}

base::Result<std::vector<Unlowered>> lower_doubles(ir::Module& module) {
  std::vector<Unlowered> problems;
  Library library(module);
  const Type* u64 = module.types().get(TypeKind::kU64);
  MappedTypes types(
      module.types(), [u64](const Type* t) { return is_double(t) ? u64 : t; }, " of bits");
  bool changed = false;
  for (ir::Global* g : module.globals) g->object = types.of(g->object);
  for (ir::Function* f : std::vector<ir::Function*>(module.functions))
    changed = DoubleLowering(module, *f, types, library, problems).run() || changed;
  if (!changed) return problems;
  if (const std::string problem = library.link(); !problem.empty())
    return base::Error(base::ErrorKind::internal, problem);
  pass::simplify(module);
  return problems;
}

}  // namespace quern::expand
