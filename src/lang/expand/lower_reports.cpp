#include "lang/expand/expand.hpp"
#include "lang/expand/rewriter.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

bool is_report(const Inst& i) { return i.is(Op::kPrintf) || i.is(Op::kAssert) || i.is(Op::kTrap); }

// The text of a string literal stays on the host.
bool is_literal(const Value* v) {
  while (const Inst* i = ir::as_inst(v)) {
    if (!i->is(Op::kSpaceCast)) return false;
    v = i->operand(0);
  }
  return v->kind == ir::ValueKind::kGlobal && static_cast<const ir::Global*>(v)->is_literal;
}

class ReportLowering {
 public:
  ReportLowering(ir::Module& module, ir::Function& function, Library& library,
                 const std::function<uint32_t(const ir::Function&, const Inst*)>& site)
      : r_(module, function), function_(function), library_(library), site_(site) {}

  void run() {
    const std::vector<Inst*> all = r_.find(is_report);
    if (all.empty()) return;
    const bool waits = !r_.find([](const Inst& i) { return ir::has(i.op, ir::kConvergent); }).empty();
    report_ = r_.b.module().add_param(&function_, r_.type(TypeKind::kU64), "report");
    for (Inst* i : all) {
      const uint32_t number = site_(function_, i);
      r_.before(i);
      r_.replace(i, i->is(Op::kPrintf) ? print(i, number) : fail(i, number, waits));
    }
    r_.finish();
  }

 private:
  Value* call(const std::string& name, std::vector<Value*> arguments, const Type* result) {
    std::vector<const Type*> types;
    for (const Value* v : arguments) types.push_back(v->type);
    return r_.call(library_.use(name, types, result), arguments);
  }
  Value* u32(uint64_t n) { return r_.number(TypeKind::kU32, n); }

  Value* word(Value* v) {
    const Type* u64 = r_.type(TypeKind::kU64);
    const Type* t = v->type;
    if (t->is_ptr()) return r_.b.op(Op::kPtrToInt, u64, {v});
    if (t->is_bool()) return r_.b.convert(v, u64);
    const TypeKind same = t->size == 8   ? TypeKind::kU64
                          : t->size == 4 ? TypeKind::kU32
                          : t->size == 2 ? TypeKind::kU16
                                         : TypeKind::kU8;
    return r_.b.convert(r_.b.bitcast(v, r_.type(same)), u64);
  }

  Value* print(Inst* i, uint32_t number) {
    std::vector<Value*> words;
    for (Value* v : i->operands) {
      if (!is_literal(v)) words.push_back(word(r_.now(v)));
    }
    const Type* nothing = r_.type(TypeKind::kVoid);
    Value* at =
        call("report_begin", {report_, u32(1 + 2 * words.size()), u32(number)}, r_.type(TypeKind::kU32));
    for (size_t k = 0; k < words.size(); ++k)
      call("report_put", {report_, at, u32(1 + 2 * k), words[k]}, nothing);
    return i->type->is_void() ? nullptr : r_.b.module().constant(i->type, i->operands.size());
  }

  // A failed thread ends; if others wait for it at barriers it continues, and the launch fails anyway.
  Value* fail(Inst* i, uint32_t number, bool waits) {
    Inst* failed = nullptr;
    if (i->is(Op::kAssert)) {
      failed = r_.b.make_if(r_.b.unary(Op::kNot, r_.now(i->operand(0))));
    } else {
      failed = r_.b.make_if(r_.b.module().constant_bool(true));
    }
    r_.b.at(failed->blocks[0]);
    call("report_fail", {report_, u32(number)}, r_.type(TypeKind::kVoid));
    if (!waits) r_.b.ret(nullptr);
    return nullptr;
  }

  Rewriter r_;
  ir::Function& function_;
  Library& library_;
  const std::function<uint32_t(const ir::Function&, const Inst*)>& site_;
  Value* report_ = nullptr;
};

}  // namespace

void lower_reports(ir::Module& module, Library& library,
                   const std::function<uint32_t(const ir::Function&, const Inst*)>& site) {
  const std::vector<ir::Function*> functions = module.functions;  // the library adds functions to it
  for (ir::Function* f : functions) {
    if (f->is_kernel) ReportLowering(module, *f, library, site).run();
  }
}

}  // namespace quern::expand
