#include "lang/lower/function_table.hpp"

#include "lang/ir/builder.hpp"
#include "lang/lower/messages.hpp"
#include "lang/lower/module_lowering.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {
namespace {

std::string key_of(const Sema& sema, const FunctionDecl* f) {
  const FilePos at = sema.sources.resolve(f->loc);
  std::string key = std::string(at.file) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  if (f->class_decl != nullptr) key += " " + f->class_decl->full_name;
  key += " " + qualified_name(f);
  for (const TemplateArg& arg : f->template_args) key += " " + to_string(arg);
  for (const VarDecl* param : call_params(f)) key += " " + to_string(param->type);
  return key;
}

}  // namespace

// FNV-1a. 31 bits, so that a switch over numbers needs no 64-bit integers.
uint64_t stable_number(std::string_view text) {
  uint32_t h = 2166136261U;
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 16777619U;
  return h & 0x7fffffffU;
}

void never(ir::Builder& builder, std::string_view condition) {
  ir::Attr attr;
  attr.text = condition;
  ir::Value* no[] = {builder.module().constant_bool(false)};
  builder.op(ir::Op::kAssert, builder.type(ir::TypeKind::kVoid), no, attr);
}

uint64_t FunctionTable::number(FunctionDecl* function, SourceLoc loc, uint32_t length) {
  if (const auto known = numbers_.find(function); known != numbers_.end()) return known->second;
  if (function->is_kernel) {
    shared_.error(loc, length, message::kKernelCalled());
    return 0;
  }
  if (is_host_only(function)) {
    shared_.error(loc, length, message::kHostFunction(name_of(function)));
    return 0;
  }
  ir::Function* made = shared_.function(function, loc, length);
  if (made == nullptr) return 0;
  std::vector<QualType> params;
  for (const VarDecl* p : call_params(function)) params.push_back(p->type.unqualified());
  const Type* type = shared_.sema.types.function(function->result, std::move(params), function->is_variadic);
  uint64_t number = stable_number(key_of(shared_.sema, function));
  while (number == 0 || index_.contains(number)) number = (number + 1) & 0x7fffffffU;
  numbers_[function] = number;
  index_[number] = entries_.size();
  entries_.push_back({number, {type, made}});
  return number;
}

ir::Function* FunctionTable::find(uint64_t number, const Type* type) const {
  const auto known = index_.find(number);
  if (known == index_.end()) return nullptr;
  const Entry& entry = entries_[known->second].second;
  return entry.type == type ? entry.function : nullptr;
}

ir::Function* FunctionTable::dispatcher(const Type* type) {
  for (const Dispatcher& known : dispatchers_) {
    if (known.type == type) return known.function;
  }
  const ir::Type* result = type->elem->is_void() ? nullptr : shared_.types.get(type->elem);
  if (result == nullptr && !type->elem->is_void()) return nullptr;
  std::vector<const ir::Type*> params{shared_.module.types().get(ir::TypeKind::kU64)};
  for (const QualType& param : type->params) {
    params.push_back(shared_.types.get(param));
    if (params.back() == nullptr) return nullptr;
  }
  ir::Function* made =
      shared_.add_helper("call through '" + to_string(shared_.sema.types.pointer(type)) + "'");
  if (result != nullptr) made->result = result;
  for (size_t i = 0; i < params.size(); ++i) {
    shared_.module.add_param(made, params[i], i == 0 ? "function" : "arg" + std::to_string(i));
  }
  dispatchers_.push_back({type, made});
  return made;
}

void FunctionTable::finish() {
  for (const Dispatcher& dispatcher : dispatchers_) fill(dispatcher);
}

void FunctionTable::fill(const Dispatcher& dispatcher) {
  ir::Function* f = dispatcher.function;
  ir::Builder builder(shared_.module);
  builder.at(f->body);
  std::vector<ir::SwitchCase> cases;
  std::vector<ir::Function*> callees;
  for (const auto& [number, entry] : entries_) {
    if (entry.type != dispatcher.type) continue;
    cases.push_back({{static_cast<int64_t>(number)}});
    callees.push_back(entry.function);
  }
  cases.push_back({});
  const std::vector<ir::Value*> args(f->params.begin() + 1, f->params.end());
  ir::Value* on = builder.convert(f->params[0], builder.type(ir::TypeKind::kU32));
  const ir::Inst* choice = builder.make_switch(on, std::move(cases));
  for (size_t i = 0; i <= callees.size(); ++i) {
    builder.at(choice->blocks[i]);
    if (i == callees.size()) {
      never(builder, "the called pointer to a function is valid");
      break;
    }
    ir::Inst* call = builder.emit(ir::Op::kCall, f->result, args);
    call->mutable_attr().callee = callees[i];
    builder.ret(f->result->is_void() ? nullptr : call);
  }
  builder.at(f->body);
  if (!f->result->is_void()) builder.ret(shared_.module.undef(f->result));
}

}  // namespace quern::lang
