#include "lang/expand/expand.hpp"
#include "lang/expand/messages.hpp"
#include "lang/expand/rewriter.hpp"
#include "lang/pass/pass.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

bool is_block_wide(const Inst* i) { return ir::group(i->op) == ir::OpGroup::kBlockVote; }

bool is_together(const Inst& i) { return is_block_wide(&i) || ir::group(i.op) == ir::OpGroup::kWarp; }

class WarpLowering {
 public:
  WarpLowering(ir::Module& module, ir::Function& function, Library& library, bool exchanges,
               std::vector<Unlowered>& problems)
      : r_(module, function),
        function_(function),
        library_(library),
        exchanges_(exchanges),
        problems_(problems) {}

  void run(const std::function<bool(const Inst&)>& is_native) {
    const std::vector<Inst*> all =
        r_.find([&](const Inst& i) { return is_together(i) && (is_block_wide(&i) || !stays(i, is_native)); });
    if (all.empty()) return;
    const pass::Uniformity uniformity(function_);
    for (Inst* i : all) {
      if ((!exchanges_ || is_block_wide(i)) && !uniformity.is_converged(i)) {
        const base::MessageText reason =
            is_block_wide(i) ? message::kDivergentBarrier() : message::kDivergentWarpOperation();
        problems_.push_back({&function_, i->pos, reason.str()});
        continue;
      }
      if (is_native(*i)) continue;
      r_.before(i);
      r_.replace(i, lower(i));
    }
    r_.finish();
  }

 private:
  bool stays(const Inst& i, const std::function<bool(const Inst&)>& is_native) const {
    if (is_native(i)) return true;
    return exchanges_ && (i.is(Op::kBallot) || i.is(Op::kActiveMask) || i.is(Op::kWarpBarrier));
  }

  // Warp operations have a second form, based on native exchanges of the warp.
  Value* call(std::string name, std::vector<Value*> arguments, const Type* result, bool is_wide = false) {
    if (exchanges_ && !is_wide) name = "warp_" + name;
    std::vector<const Type*> types;
    for (const Value* v : arguments) types.push_back(v->type);
    return r_.call(library_.use(name, types, result), arguments);
  }

  // A number's bits as u32 or u64.
  Value* bits(Value* v) {
    if (v->type->is_bool()) return r_.b.convert(v, r_.type(TypeKind::kU32));
    if (v->type->size < 4) {
      const Type* same = r_.type(v->type->size == 1 ? TypeKind::kU8 : TypeKind::kU16);
      return r_.b.convert(r_.b.bitcast(v, same), r_.type(TypeKind::kU32));
    }
    return r_.b.bitcast(v, r_.type(v->type->size == 8 ? TypeKind::kU64 : TypeKind::kU32));
  }
  Value* from_bits(Value* v, const Type* to) {
    if (to->is_bool()) return r_.b.convert(v, to);
    if (to->size < 4) {
      const Type* same = r_.type(to->size == 1 ? TypeKind::kU8 : TypeKind::kU16);
      return r_.b.bitcast(r_.b.convert(v, same), to);
    }
    return r_.b.bitcast(v, to);
  }

  Value* lower(Inst* i) {
    const std::string op(ir::info(i->op).name);
    std::vector<Value*> in;
    for (Value* v : i->operands) in.push_back(r_.now(v));
    switch (i->op) {
      case Op::kWarpBarrier: r_.b.emit(Op::kBarrier, nullptr, {}); return nullptr;
      case Op::kShuffle: {
        const Type* t = i->operand(1)->type;
        in[1] = bits(in[1]);
        const std::string kind(ir::name(in[1]->type->kind));
        Value* got = call("shuffle_" + std::string(ir::name(i->attr().shuffle)) + "_" + kind,
                          {in[1], in[2], in[3]}, in[1]->type);
        return from_bits(got, t);
      }
      case Op::kMatchAny:
      case Op::kMatchAll:
        in[1] = bits(in[1]);
        return call(op + "_" + std::string(ir::name(in[1]->type->kind)), in, i->type);
      case Op::kWarpReduce:
        return call(
            "reduce_" + std::string(ir::name(i->attr().rmw)) + "_" + std::string(ir::name(i->type->kind)), in,
            i->type);
      default: return call(op, in, i->type, is_block_wide(i));
    }
  }

  Rewriter r_;
  const ir::Function& function_;
  Library& library_;
  bool exchanges_;
  std::vector<Unlowered>& problems_;
};

}  // namespace

std::vector<Unlowered> lower_warps(ir::Module& module, Library& library,
                                   const std::function<bool(const Inst&)>& is_native,
                                   const std::function<bool(const ir::Function&)>& exchanges) {
  std::vector<Unlowered> problems;
  const std::vector<ir::Function*> functions = module.functions;  // the library adds functions to it
  for (ir::Function* f : functions) {
    if (f->is_kernel) WarpLowering(module, *f, library, exchanges(*f), problems).run(is_native);
  }
  return problems;
}

}  // namespace quern::expand
