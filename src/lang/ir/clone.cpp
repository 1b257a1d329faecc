// Deep copies of modules.
#include <unordered_map>
#include <unordered_set>

#include "lang/ir/ir.hpp"
#include "lang/ir/pointer_map.hpp"

namespace quern::ir {
namespace {

class Cloner {
 public:
  Cloner(const Module& from, Module& to) : from_(from), to_(to) {}

  // Copies what `keep` contains; everything if it is null.
  void run(const std::unordered_set<const void*>* keep) {
    to_.files = from_.files;
    clone_types();
    for (const Global* global : from_.globals) {
      if (keep == nullptr || keep->contains(global)) clone_global(*global);
    }
    for (const Global* global : from_.globals) {
      if (keep == nullptr || keep->contains(global)) clone_pointers(*global);
    }
    for (const Function* function : from_.functions) {
      if (keep == nullptr || keep->contains(function)) clone_signature(*function);
    }
    for (const Function* function : from_.functions) {
      const auto made = functions_.find(function);
      if (made != functions_.end() && function->body != nullptr)
        clone_block(*function->body, *made->second->body);
    }
  }

  // The body alone, into an existing function.
  void adopt(const Function& function, Function& into) {
    is_adopting_ = true;
    clone_types();
    for (size_t i = 0; i < function.params.size(); ++i) values_.set(function.params[i], into.params[i]);
    walk(function.body, [&](const Inst* inst) {
      for (const Value* operand : inst->operands) {
        if (operand->kind == ValueKind::kGlobal) adopt_global(*static_cast<const Global*>(operand));
      }
    });
    clone_block(*function.body, *into.body);
  }

 private:
  void adopt_global(const Global& global) {
    if (Global* known = to_.find_global(global.name)) {
      values_.set(&global, known);
    } else {
      clone_global(global);
    }
  }

  void clone_types() {
    // Declared in order, so that the copy lists them in the same order; defined afterwards, since fields may
    // refer to any of them.
    for (const Type* type : from_.types().structs()) types_[type] = to_.types().declare_struct(type->name);
    for (const Type* type : from_.types().structs()) {
      if (!types_[type]->fields.empty()) continue;  // adopted before
      std::vector<Field> fields;
      fields.reserve(type->fields.size());
      for (const Field& field : type->fields) fields.push_back({field.name, map(field.type), field.offset});
      to_.types().define_struct(types_[type], std::move(fields), type->size, type->align);
    }
  }

  const Type* map(const Type* type) {
    if (type == nullptr) return nullptr;
    switch (type->kind) {
      case TypeKind::kPtr: return to_.types().ptr(type->space);
      case TypeKind::kArray: {
        const auto known = types_.find(type);
        if (known != types_.end()) return known->second;
        const Type* copy = to_.types().array(map(type->elem), type->count);
        types_[type] = copy;
        return copy;
      }
      case TypeKind::kStruct: return types_.at(type);
      default: return to_.types().get(type->kind);
    }
  }

  void clone_global(const Global& global) {
    Global* copy = to_.add_global(global.name, map(global.object), global.space);
    copy->type = map(global.type);
    copy->align = global.align;
    copy->init = global.init;
    copy->is_literal = global.is_literal;
    copy->pos = global.pos;
    values_.set(&global, copy);
  }

  // They may point to any variable, even to a later one.
  void clone_pointers(const Global& global) {
    auto* copy = static_cast<Global*>(*values_.find(&global));
    for (Relocation pointer : global.pointers) {
      pointer.target = static_cast<Global*>(*values_.find(pointer.target));
      copy->pointers.push_back(pointer);
    }
  }

  void clone_signature(const Function& function) {
    Function* copy = to_.add_function(function.name);
    functions_[&function] = copy;
    copy->is_kernel = function.is_kernel;
    copy->result = map(function.result);
    copy->pos = function.pos;
    copy->max_threads = function.max_threads;
    copy->min_blocks = function.min_blocks;
    copy->cluster = function.cluster;
    copy->no_inline = function.no_inline;
    for (const Param* param : function.params) {
      Param* made = to_.add_param(copy, map(param->type), param->name);
      made->pos = param->pos;
      made->elem = map(param->elem);
      made->spelling = param->spelling;
      made->is_const_elem = param->is_const_elem;
      made->is_restrict = param->is_restrict;
      values_.set(param, made);
    }
  }

  Value* map(const Value* value) {
    if (value == nullptr) return nullptr;
    if (const Const* c = as_const(value)) return to_.constant(map(c->type), c->bits);
    if (Value* const* known = values_.find(value)) return *known;
    return to_.undef(
        map(value->type));  // undef itself, or (in an invalid module) a value that is not yet defined
  }

  void clone_block(const Block& from, Block& to) {
    for (const Inst* inst : from) to.append(clone_inst(*inst, to.function));
  }

  Inst* clone_inst(const Inst& inst, Function* function) {
    Inst* copy = to_.new_inst(inst.op, map(inst.type), is_adopting_ ? Pos{} : inst.pos);
    values_.set(&inst, copy);
    copy->name = to_.intern(inst.name);
    copy->id = inst.id;
    copy->operands.reserve(inst.operands.size());
    for (const Value* operand : inst.operands) copy->operands.push_back(map(operand));
    if (inst.attr_) clone_attr(*inst.attr_, *copy);
    for (const Block* block : inst.blocks) {
      Block* made = to_.new_block(function, copy);
      copy->blocks.push_back(made);
      clone_block(*block, *made);
    }
    return copy;
  }

  void clone_attr(const Attr& from, Inst& inst) {
    Attr& to = inst.mutable_attr();
    to = from;
    to.type = map(from.type);
    if (from.target != nullptr) to.target = as_inst(map(static_cast<const Value*>(from.target)));
    if (from.callee != nullptr) {
      const auto known = functions_.find(from.callee);
      to.callee = known != functions_.end() ? known->second : nullptr;
    }
  }

  const Module& from_;
  Module& to_;
  bool is_adopting_ = false;  // positions in the other module's files are meaningless here
  std::unordered_map<const Type*, const Type*> types_;
  PointerMap<Value, Value*> values_;
  std::unordered_map<const Function*, Function*> functions_;
};

// A variable and those that its initial data point to.
void add_global(const Global* global, std::unordered_set<const void*>& used) {
  if (!used.insert(global).second) return;
  for (const Relocation& pointer : global->pointers) add_global(pointer.target, used);
}

// The function, all it calls, and the globals they name.
std::unordered_set<const void*> uses_of(const Function& function) {
  std::unordered_set<const void*> used{&function};
  std::vector<const Function*> open{&function};
  while (!open.empty()) {
    const Function* next = open.back();
    open.pop_back();
    if (next->body == nullptr) continue;
    walk(next->body, [&](const Inst* inst) {
      for (const Value* operand : inst->operands) {
        if (operand->kind == ValueKind::kGlobal) add_global(static_cast<const Global*>(operand), used);
      }
      const Function* callee = inst->is(Op::kCall) ? inst->attr().callee : nullptr;
      if (callee != nullptr && used.insert(callee).second) open.push_back(callee);
    });
  }
  return used;
}

}  // namespace

Module Module::clone() const {
  Module copy;
  Cloner(*this, copy).run(nullptr);
  return copy;
}

Module Module::clone(const Function& function) const {
  Module copy;
  const std::unordered_set<const void*> keep = uses_of(function);
  Cloner(*this, copy).run(&keep);
  return copy;
}

void Module::adopt(const Module& other, const Function& function, Function& into) {
  Cloner(other, *this).adopt(function, into);
}

}  // namespace quern::ir
