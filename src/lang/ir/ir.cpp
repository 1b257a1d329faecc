#include "lang/ir/ir.hpp"

#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lang/ir/float_bits.hpp"

namespace quern::ir {
namespace {

struct ConstKey {
  const Type* type;
  uint64_t bits;
  bool operator==(const ConstKey&) const = default;
};

struct ConstHash {
  size_t operator()(const ConstKey& key) const {
    const uint64_t mixed = (key.bits ^ reinterpret_cast<uintptr_t>(key.type)) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(mixed ^ (mixed >> 32));
  }
};

uint64_t cut(const Type* type, uint64_t bits) {
  if (type->is_bool()) return bits & 1;
  if (!type->is_scalar()) return 0;
  return type->size >= 8 ? bits : bits & ((uint64_t{1} << type->bits()) - 1);
}

}  // namespace

const Attr& Inst::attr() const {
  static const Attr defaults;
  return attr_ ? *attr_ : defaults;
}

Attr& Inst::mutable_attr() {
  if (!attr_) attr_ = std::make_unique<Attr>();
  return *attr_;
}

void Block::append(Inst* inst) { insert_before(inst, nullptr); }

void Block::insert_before(Inst* inst, Inst* where) {
  inst->parent = this;
  inst->next = where;
  inst->prev = where != nullptr ? where->prev : last;
  (inst->prev != nullptr ? inst->prev->next : first) = inst;
  (where != nullptr ? where->prev : last) = inst;
}

void Block::remove(Inst* inst) {
  (inst->prev != nullptr ? inst->prev->next : first) = inst->next;
  (inst->next != nullptr ? inst->next->prev : last) = inst->prev;
  inst->parent = nullptr;
  inst->prev = inst->next = nullptr;
}

bool Block::terminated() const { return last != nullptr && has(last->op, kTerminator); }

Block::Iterator& Block::Iterator::operator++() {
  at = at->next;
  return *this;
}

struct Module::Tables {
  std::unordered_map<ConstKey, Const*, ConstHash> constants;
  std::unordered_map<const Type*, Undef*> undefs;
  std::deque<std::string> texts;  // strings never move, so views into them stay valid
  std::unordered_set<std::string_view> interned;
};

Module::Module() : types_(std::make_unique<TypeTable>()), tables_(std::make_unique<Tables>()) {}
Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

Function* Module::add_function(std::string name) {
  Function* function = function_storage_.make();
  function->name = std::move(name);
  function->result = types_->get(TypeKind::kVoid);
  function->body = new_block(function, nullptr);
  functions.push_back(function);
  return function;
}

Function* Module::find_function(std::string_view name) const {
  for (Function* function : functions) {
    if (function->name == name) return function;
  }
  return nullptr;
}

Global* Module::add_global(std::string name, const Type* object, Space space) {
  Global* global = global_storage_.make(types_->ptr(space));
  global->name = std::move(name);
  global->object = object;
  global->space = space;
  global->align = object->align;
  globals.push_back(global);
  return global;
}

Global* Module::find_global(std::string_view name) const {
  for (Global* global : globals) {
    if (global->name == name) return global;
  }
  return nullptr;
}

Param* Module::add_param(Function* function, const Type* type, std::string name) {
  Param* param = param_storage_.make(type);
  param->name = std::move(name);
  param->index = static_cast<uint32_t>(function->params.size());
  function->params.push_back(param);
  return param;
}

Block* Module::new_block(Function* function, Inst* owner) {
  Block* block = block_storage_.make();
  block->function = function;
  block->owner = owner;
  return block;
}

Inst* Module::new_inst(Op op, const Type* type, Pos pos) {
  Inst* inst = inst_storage_.make(op, type != nullptr ? type : types_->get(TypeKind::kVoid));
  inst->pos = pos;
  return inst;
}

std::string_view Module::intern(std::string_view text) {
  if (text.empty()) return {};
  const auto found = tables_->interned.find(text);
  if (found != tables_->interned.end()) return *found;
  const std::string_view kept = tables_->texts.emplace_back(text);
  tables_->interned.insert(kept);
  return kept;
}

Const* Module::constant(const Type* type, uint64_t bits) {
  bits = cut(type, bits);
  Const*& slot = tables_->constants[{type, bits}];
  if (slot == nullptr) slot = const_storage_.make(type, bits);
  return slot;
}

Const* Module::constant_int(TypeKind kind, int64_t value) {
  const Type* type = types_->get(kind);
  if (type->is_float()) return constant_float(type, static_cast<double>(value));
  return constant(type, static_cast<uint64_t>(value));
}

Const* Module::constant_float(const Type* type, double value) {
  return constant(type, float_to_bits(type->kind, value));
}

Const* Module::constant_bool(bool value) { return constant(types_->get(TypeKind::kBool), value ? 1 : 0); }

Undef* Module::undef(const Type* type) {
  Undef*& slot = tables_->undefs[type];
  if (slot == nullptr) slot = undef_storage_.make(type);
  return slot;
}

int64_t int_value(const Const* c) {
  if (!c->type->is_signed() || c->type->size >= 8) return static_cast<int64_t>(c->bits);
  const uint64_t sign = uint64_t{1} << (c->type->bits() - 1);
  return static_cast<int64_t>((c->bits ^ sign) - sign);
}

double float_value(const Const* c) { return float_from_bits(c->type->kind, c->bits); }

bool same_attr(Op op, const Attr& a, const Attr& b) {
  const uint32_t counts = attributes(op);
  const auto differs = [&](uint32_t which, bool equal) { return (counts & which) != 0 && !equal; };
  const auto same_cases = [&] {
    if (a.cases.size() != b.cases.size()) return false;
    for (size_t i = 0; i < a.cases.size(); ++i) {
      if (a.cases[i].values != b.cases[i].values) return false;
    }
    return true;
  };
  return !(differs(kAttrType, a.type == b.type) || differs(kAttrScale, a.scale == b.scale) ||
           differs(kAttrIndex | kAttrDimension, a.index == b.index) ||
           differs(kAttrAlign, a.align == b.align) ||
           differs(kAttrVolatile, a.is_volatile == b.is_volatile) || differs(kAttrFast, a.fast == b.fast) ||
           differs(kAttrStray, a.stray == b.stray) || differs(kAttrRmw, a.rmw == b.rmw) ||
           differs(kAttrScope, a.scope == b.scope) || differs(kAttrShuffle, a.shuffle == b.shuffle) ||
           differs(kAttrRound, a.round == b.round) || differs(kAttrSpace, a.space == b.space) ||
           differs(kAttrUnroll, a.unroll == b.unroll) || differs(kAttrTarget, a.target == b.target) ||
           differs(kAttrCallee, a.callee == b.callee) || differs(kAttrText, a.text == b.text) ||
           ((counts & kAttrCases) != 0 && !same_cases()));
}

uint32_t number(Function& function) {
  uint32_t next = 0;
  walk(function.body, [&](Inst* inst) { inst->id = next++; });
  return next;
}

}  // namespace quern::ir
