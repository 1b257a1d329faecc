#include "lang/expand/expand.hpp"
#include "lang/expand/messages.hpp"
#include "lang/expand/rewriter.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

// Some functions exist in float and in double. If name_f32 is missing, the float function computes in double
// with name_f64. Without double, name_single is used; if the target has native fma, name_fused has priority.
class OperationLowering {
 public:
  OperationLowering(ir::Module& module, ir::Function& function, Library& library,
                    const std::function<bool(const Inst&)>& is_native, bool has_double, bool has_fma,
                    std::vector<Unlowered>& problems)
      : r_(module, function),
        function_(function),
        library_(library),
        is_native_(is_native),
        has_double_(has_double),
        has_fma_(has_fma),
        problems_(problems) {}

  // Rounded conversions first: they become simpler ones, which may not be native either.
  void run() {
    each([](const Inst& i) { return i.is(Op::kConvertR); }, [&](Inst* i) { return rounded_to_integer(i); });
    each(is_operation, [&](Inst* i) { return lower(i); });
  }

 private:
  template <typename Wanted, typename Lower>
  void each(Wanted&& wanted, Lower&& lowered) {
    for (Inst* i : r_.find([&](const Inst& x) { return wanted(x) && !is_native_(x); })) {
      r_.before(i);
      if (Value* made = lowered(i)) r_.replace(i, made);
    }
    r_.finish();
  }

  static bool is_operation(const Inst& i) {
    switch (i.op) {
      case Op::kSelect:
      case Op::kExtract:
      case Op::kInsert:
      case Op::kConstruct:
      case Op::kBitcast:
      case Op::kOffset:
      case Op::kFieldPtr:
      case Op::kPtrDiff:
      case Op::kPtrToInt:
      case Op::kIntToPtr:
      case Op::kSpaceCast:
      case Op::kMapShared:
      case Op::kSharedAddress:
      case Op::kSharedPointer:
      case Op::kIsSpace: return false;
      default: return pass::has_property(i.op, ir::kPure) && !i.operands.empty();
    }
  }

  static std::string name_of(const Inst* i) {
    const std::string kind(ir::name(i->operand(0)->type->kind));
    const std::string op(ir::info(i->op).name);
    switch (i->op) {
      case Op::kConvert: return op + "_" + std::string(ir::name(i->type->kind)) + "_" + kind;
      case Op::kConvertR:
        return "convert_" + std::string(ir::name(i->attr().round)) + "_" +
               std::string(ir::name(i->type->kind)) + "_" + kind;
      case Op::kAddR:
      case Op::kMulR:
      case Op::kDivR:
      case Op::kFmaR:
      case Op::kSqrtR:
        return op.substr(0, op.size() - 2) + "_" + std::string(ir::name(i->attr().round)) + "_" + kind;
      default: return op + "_" + kind;
    }
  }

  Value* lower(Inst* i) {
    const std::string name = name_of(i);
    std::vector<Value*> in;
    std::vector<const Type*> types;
    for (Value* v : i->operands) {
      in.push_back(r_.now(v));
      types.push_back(in.back()->type);
    }
    if (Library::has(name)) return r_.call(library_.use(name, types, i->type), in);
    const Type* t = i->operand(0)->type;
    if (t->kind == TypeKind::kF32 && has_fma_) {
      const std::string fused = name.substr(0, name.size() - 3) + "fused";
      if (Library::has(fused)) return r_.call(library_.use(fused, types, i->type), in);
    }
    if (t->kind == TypeKind::kF32 && has_double_ && i->type->is_float()) {
      const std::string wide = name.substr(0, name.size() - 3) + "f64";
      const Type* f64 = r_.type(TypeKind::kF64);
      if (Library::has(wide)) {
        for (size_t k = 0; k < in.size(); ++k) {
          if (in[k]->type->is_float()) in[k] = r_.b.convert(in[k], f64);
          types[k] = in[k]->type;
        }
        return r_.b.convert(r_.call(library_.use(wide, types, f64), in), i->type);
      }
    }
    if (t->kind == TypeKind::kF32 && !has_double_) {
      const std::string single = name.substr(0, name.size() - 3) + "single";
      if (Library::has(single)) return r_.call(library_.use(single, types, i->type), in);
    }
    problems_.push_back(
        {&function_, i->pos, message::kOperationUnsupported(ir::info(i->op).name, ir::name(t->kind)).str()});
    return nullptr;
  }

  // Conversion to an integer with a rounding mode: rounds to a whole number first. Nothing if a function is
  // needed.
  Value* rounded_to_integer(Inst* i) {
    const Type* from = i->operand(0)->type;
    Value* v = r_.now(i->operand(0));
    if (i->type->is_float()) {
      const bool is_exact = i->type->size > from->size || i->type == from;
      if (i->attr().round == ir::Rounding::kNearest || is_exact) return r_.b.convert(v, i->type);
      return nullptr;
    }
    constexpr Op kOps[] = {Op::kRint, Op::kTrunc, Op::kCeil, Op::kFloor};
    if (i->attr().round != ir::Rounding::kZero) v = r_.b.unary(kOps[static_cast<size_t>(i->attr().round)], v);
    return r_.b.convert(v, i->type);
  }

  Rewriter r_;
  const ir::Function& function_;
  Library& library_;
  const std::function<bool(const Inst&)>& is_native_;
  bool has_double_, has_fma_;
  std::vector<Unlowered>& problems_;
};

}  // namespace

std::vector<Unlowered> lower_operations(ir::Module& module, Library& library,
                                        const std::function<bool(const Inst&)>& is_native, bool has_double,
                                        bool has_fma) {
  std::vector<Unlowered> problems;
  const std::vector<ir::Function*> functions = module.functions;  // the library adds functions to it
  for (ir::Function* f : functions) {
    if (f->is_kernel) OperationLowering(module, *f, library, is_native, has_double, has_fma, problems).run();
  }
  return problems;
}

}  // namespace quern::expand
