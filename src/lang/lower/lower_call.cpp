// Calls, intrinsics, constructors and destructors.
#include <algorithm>

#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {
namespace {

bool is_empty_ctor(const FunctionDecl* ctor) {
  const bool no_body = ctor->tree == nullptr || ctor->tree->kind == StmtKind::kNull ||
                       (ctor->tree->kind == StmtKind::kBlock && as<BlockStmt>(ctor->tree)->body.empty());
  return no_body && ctor->ctor_inits.empty();
}

// Memory operations accept a pointer to any address space as it is.
bool takes_any_space(ir::Op op) {
  switch (op) {
    case ir::Op::kLoad:
    case ir::Op::kStore:
    case ir::Op::kAtomicRmw:
    case ir::Op::kAtomicCas:
    case ir::Op::kAtomicLoad:
    case ir::Op::kAtomicStore:
    case ir::Op::kMemCopy:
    case ir::Op::kMemSet:
    case ir::Op::kMatrixFill:
    case ir::Op::kMatrixLoad:
    case ir::Op::kMatrixStore:
    case ir::Op::kMatrixMultiply:
    case ir::Op::kAsyncCopy:
    case ir::Op::kAsyncArrive:
    case ir::Op::kBarrierInit:
    case ir::Op::kBarrierArrive:
    case ir::Op::kBarrierDrop:
    case ir::Op::kBarrierPassed:
    case ir::Op::kBarrierParity:
    case ir::Op::kPrintf: return true;
    default: return false;
  }
}

}  // namespace

ir::Value* FunctionLowering::argument(const Expr* e, QualType param) {
  if (param->is_function_ref()) return value(e);
  return param->is_ref() ? generic(address(e)) : value(e);
}

ir::Inst* FunctionLowering::emit_call(ir::Function* callee, std::span<ir::Value* const> args) {
  ir::Inst* inst = builder_.emit(ir::Op::kCall, callee->result, args);
  inst->mutable_attr().callee = callee;
  return inst;
}

// Calls such as log2_of(256): a constant needs no call.
ir::Value* FunctionLowering::known_call(const CallExpr* e) {
  const FunctionDecl* f = e->function;
  if (!f->is_constexpr || f->is_method() || e->is_lvalue || !e->type->is_arithmetic()) return nullptr;
  const auto is_constant = [](const Expr* arg) { return arg->kind == ExprKind::kConst; };
  if (!std::all_of(e->args.begin(), e->args.end(), is_constant)) return nullptr;
  constexpr ConstEvalLimits kLimits{.steps = 5000, .depth = 32, .is_wanted = false};
  ConstValue known;
  return evaluate(sema_, e, known, nullptr, kLimits) ? to_ir_constant(known) : nullptr;
}

ir::Value* FunctionLowering::call(const CallExpr* e) {
  if (ir::Value* known = known_call(e)) return known;
  ir::Function* callee = e->is_virtual ? shared_.virtual_table.dispatcher(e->function)
                                       : shared_.function(e->function, e->loc, e->length);
  const size_t self = e->function->is_method() ? 1 : 0;
  const std::vector<VarDecl*> params = call_params(e->function);
  if (callee == nullptr || e->args.size() != params.size() + self) {
    if (callee != nullptr) return error(e, message::kVariableArguments());
    failed_ = true;
    return e->is_lvalue ? module_.undef(generic_ptr()) : undef(e->type);
  }
  if (callee->is_kernel) return error(e, message::kKernelCalled());
  std::vector<ir::Value*> args;
  args.reserve(e->args.size());
  if (self != 0) args.push_back(value(e->args[0]));
  for (size_t i = 0; i < params.size(); ++i) args.push_back(argument(e->args[self + i], params[i]->type));
  place(e);
  return emit_call(callee, args);
}

ir::Value* FunctionLowering::call_pointer(const CallPointerExpr* e) {
  const Type* called = e->pointer->type->elem.type;
  ir::Value* target = value(e->pointer);
  std::vector<ir::Value*> args;
  args.reserve(e->args.size() + 1);
  for (size_t i = 0; i < e->args.size(); ++i) args.push_back(argument(e->args[i], called->params[i]));
  place(e);
  if (const ir::Const* known = ir::as_const(target)) {
    if (ir::Function* direct = shared_.function_table.find(known->bits, called))
      return emit_call(direct, args);
  }
  ir::Function* dispatcher = shared_.function_table.dispatcher(called);
  if (dispatcher == nullptr) return error(e, message::kValueWithoutSize(to_string(called)));
  args.insert(args.begin(), target);
  return emit_call(dispatcher, args);
}

// The number that stands for the function in pointers to it.
ir::Value* FunctionLowering::function_number(FunctionDecl* function, const Expr* at) {
  const SourceLoc loc = at != nullptr ? at->loc : function->loc;
  const uint64_t number = shared_.function_table.number(function, loc, at != nullptr ? at->length : 1);
  if (number == 0) failed_ = true;
  return module_.constant(ir_type(ir::TypeKind::kU64), number);
}

// A variable that is a reference to a function.
ir::Value* FunctionLowering::function_ref(const VarExpr* e) {
  const Local* here = local(e->var);
  if (here != nullptr && here->address != nullptr) return builder_.load(type(e->type), here->address);
  if (here != nullptr) return here->value;
  if (e->var->init != nullptr) return value(e->var->init);
  return error(e, message::kNotCaptured(e->var->name->text));
}

// The written operands, of which those with '+' are read too, and the read ones.
ir::Value* FunctionLowering::inline_ptx(const IntrinsicExpr* e) {
  const std::string constraints = e->attr.text.substr(0, e->attr.text.find('\n'));
  std::vector<ir::Value*> written, read;
  std::vector<ir::Field> fields;
  std::string name = "ptx.";
  uint64_t size = 0, align = 1;
  for (size_t i = 0, at = 0; i < e->args.size(); ++i, at = constraints.find(',', at) + 1) {
    const char how = constraints[at];
    if (how != '=' && how != '+') {
      read.push_back(value(e->args[i]));
      continue;
    }
    const ir::Type* t = type(e->args[i]->type);
    written.push_back(address(e->args[i]));
    if (how == '+') read.push_back(load(e->args[i], written.back()));
    size = (size + t->size - 1) / t->size * t->size;
    align = std::max(align, t->align);
    fields.push_back({"m" + std::to_string(fields.size()), t, size});
    size += t->size;
    name += constraints[at + 1];
  }
  place(e);
  const ir::Type* result = ir_type(ir::TypeKind::kVoid);
  if (fields.size() == 1) result = fields[0].type;
  if (fields.size() > 1) {
    result = module_.types().declare_struct(name);
    if (result->fields.empty())
      module_.types().define_struct(result, std::move(fields), (size + align - 1) / align * align, align);
  }
  ir::Value* all = builder_.op(ir::Op::kPtx, result, read, e->attr);
  for (size_t i = 0; i < written.size(); ++i) {
    ir::Value* one = all;
    if (result->is_struct()) {
      one = builder_.op(ir::Op::kExtract, result->fields[i].type, {all});
      ir::as_inst(one)->mutable_attr().index = static_cast<uint32_t>(i);
    }
    builder_.store(written[i], one);
  }
  return undef(e->type);
}

ir::Value* FunctionLowering::intrinsic(const IntrinsicExpr* e) {
  if (e->op == ir::Op::kPtx) return inline_ptx(e);
  std::vector<ir::Value*> args;
  args.reserve(e->args.size());
  const bool any_space = takes_any_space(e->op);
  for (const Expr* arg : e->args) args.push_back(any_space ? pointer(arg) : value(arg));
  // The stored or exchanged value is an ordinary value: only the address itself may keep its address space.
  const bool stores = e->op == ir::Op::kStore || e->op == ir::Op::kAtomicStore ||
                      e->op == ir::Op::kAtomicRmw || e->op == ir::Op::kAtomicCas;
  for (size_t i = 1; stores && i < args.size(); ++i) args[i] = generic(args[i]);
  place(e);
  const bool has_value = e->type && !e->type->is_void();
  const ir::Type* result = has_value ? type(e->type) : ir_type(ir::TypeKind::kVoid);
  if (e->op == ir::Op::kSharedPointer)
    return generic(builder_.op(e->op, module_.types().ptr(ir::Space::kShared), args, e->attr));
  if (!ir::has(e->op, ir::kTerminator)) return builder_.op(e->op, result, args, e->attr);
  // In the middle of an expression; the code after it stays well formed.
  ir::Block* after = builder_.block();
  const ir::Inst* always = builder_.make_if(module_.constant_bool(true));
  builder_.at(always->blocks[0]);
  builder_.emit(e->op, result, args);
  builder_.at(after);
  return undef(e->type);
}

ir::Value* FunctionLowering::construct_value(const ConstructExpr* e) {
  ir::Value* memory = in_memory(e);
  place(e);
  return load(e, memory);
}

void FunctionLowering::construct_into(const ConstructExpr* e, ir::Value* object) {
  const bool has_body = sema_.complete_body(e->ctor);
  const bool is_empty = e->args.empty() && is_empty_ctor(e->ctor) && !e->ctor->class_decl->is_polymorphic;
  if ((has_body || e->ctor->is_defaulted) && is_empty) return;
  ir::Function* callee = shared_.function(e->ctor, e->loc, e->length);
  const std::vector<VarDecl*> params = call_params(e->ctor);
  if (callee == nullptr || params.size() != e->args.size()) {
    if (callee != nullptr) error(e, message::kVariableArguments());
    failed_ = true;
    return;
  }
  std::vector<ir::Value*> args;
  args.reserve(params.size() + 1);
  place(e);
  args.push_back(generic(object));
  for (size_t i = 0; i < params.size(); ++i) args.push_back(argument(e->args[i], params[i]->type));
  place(e);
  emit_call(callee, args);
}

}  // namespace quern::lang
