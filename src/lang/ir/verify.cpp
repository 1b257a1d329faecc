// Checks the structure: links, visibility, targets, names. verify_types.cpp checks the types of single
// instructions. Linear in the size of the module.
#include "lang/ir/verify.hpp"

#include <bit>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/pointer_map.hpp"
#include "lang/ir/verify_parts.hpp"

namespace quern::ir {
namespace {

size_t index_in(const Block& block) {
  const Inst& owner = *block.owner;
  size_t i = 0;
  while (i < owner.blocks.size() && owner.blocks[i] != &block) ++i;
  return i;
}

size_t blocks_wanted(const Inst& inst) {
  switch (inst.op) {
    case Op::kIf: return 2;
    case Op::kLoop: return 3;
    case Op::kScope: return 1;
    case Op::kSwitch: return inst.attr().cases.size();
    default: return 0;
  }
}

// Everything that the functions of the module may refer to.
struct Surroundings {
  const Module& module;
  std::unordered_set<const Function*> functions;
  std::unordered_set<const Value*> globals;
  std::unordered_set<const Type*> types;  // aggregates known to be good

  bool knows(const Type* type) {
    if (type == nullptr) return false;
    const TypeTable& table = module.types();
    if (type->is_ptr()) return table.ptr(type->space) == type;
    if (!type->is_aggregate()) return table.get(type->kind) == type;
    if (types.contains(type)) return true;
    const bool good = type->is_array() ? knows(type->elem) : table.find_struct(type->name) == type;
    if (good) types.insert(type);
    return good;
  }
};

class FunctionVerifier {
 public:
  FunctionVerifier(Surroundings& around, const Function& function) : around_(around), function_(function) {}

  // `at` becomes the faulty instruction.
  std::string run(const Inst*& at) {
    if (!signature() || !block(*function_.body, nullptr)) at = inst_;
    return std::move(defect_);
  }

 private:
  bool fail(const std::string& defect) {
    if (!defect_.empty()) return false;
    defect_ = where() + " " + defect + ".";
    return false;
  }

  std::string where() const {
    std::string text = function_.is_kernel ? "Kernel " : "Function ";
    text += function_.name;
    if (inst_ == nullptr) return text;
    text += ": instruction " + std::to_string(count_) + " (" + std::string(info(inst_->op).name);
    if (inst_->pos.line != 0) {
      text += " at " + std::to_string(inst_->pos.line) + ":" + std::to_string(inst_->pos.column);
    }
    return text + ")";
  }

  bool position(const Pos& pos) {
    const bool known = pos.file == 0 || pos.file < around_.module.files.size();
    return known || fail("is in file " + std::to_string(pos.file) + ", which is not in the module");
  }

  bool signature() {
    if (!position(function_.pos)) return false;
    if (!around_.knows(function_.result)) return fail("has a result type of another module");
    if (!function_.result->is_void() && !is_sized(function_.result))
      return fail("has a result without a size");
    if (function_.is_kernel && !function_.result->is_void())
      return fail("returns a value, but kernels return void");
    for (size_t i = 0; i < function_.params.size(); ++i) {
      const Param* param = function_.params[i];
      if (param == nullptr || param->index != i) return fail("has a parameter with a wrong index");
      if (!position(param->pos)) return false;
      if (!around_.knows(param->type)) return fail("has a parameter with a type of another module");
      if (!is_sized(param->type)) return fail("has the parameter " + param->name + " without a size");
      if (param->elem != nullptr && !param->type->is_ptr()) {
        return fail("has the parameter " + param->name + " with a pointee, but it is not a pointer");
      }
      if (param->elem != nullptr && !around_.knows(param->elem))
        return fail("has a pointee of another module");
    }
    if (function_.body == nullptr) return fail("has no body");
    return function_.body->function == &function_ || fail("has a body that belongs to another function");
  }

  bool block(const Block& block, const Inst* owner) {
    if (block.owner != owner) return fail("has a block that belongs to another instruction");
    if (block.function != &function_) return fail("has a block that belongs to another function");
    open_.push_back(&block);
    const Inst* previous = nullptr;
    for (const Inst* inst : block) {
      inst_ = inst;
      if (!instruction(*inst, block, previous)) return false;
      previous = inst;
    }
    inst_ = owner;
    if (block.last != previous) return fail("has a block whose end is wrong");
    open_.pop_back();
    return true;
  }

  bool instruction(const Inst& inst, const Block& block, const Inst* previous) {
    ++count_;
    if (inst.parent != &block || inst.prev != previous) return fail("is wrongly linked into its block");
    if (!position(inst.pos)) return false;
    if (!around_.knows(inst.type)) return fail("has a result type of another module");
    if (!operands(inst)) return false;
    const uint32_t counts = attributes(inst.op);
    if ((counts & kAttrType) != 0 && !around_.knows(inst.attr().type))
      return fail("names a type of another module");
    if (inst.blocks.size() != blocks_wanted(inst)) {
      return fail("has " + std::to_string(inst.blocks.size()) + " blocks, not " +
                  std::to_string(blocks_wanted(inst)));
    }
    const std::string defect = check_types(around_.module.types(), inst);
    if (!defect.empty()) return fail(defect);
    if (!control(inst)) return false;
    if (has(inst.op, kTerminator) && inst.next != nullptr)
      return fail("ends its block but is not the last in it");
    if (!depth_.set(&inst, static_cast<uint32_t>(open_.size() - 1))) return fail("is in two places");
    for (const Block* below : inst.blocks) {
      if (below == nullptr || !this->block(*below, &inst)) return fail("has a missing block");
    }
    return true;
  }

  bool operands(const Inst& inst) {
    const int arity = info(inst.op).arity;
    if (arity >= 0 && inst.operands.size() != static_cast<size_t>(arity)) {
      return fail("has " + std::to_string(inst.operands.size()) + " operands, not " + std::to_string(arity));
    }
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      if (inst.operands[i] == nullptr) return fail("lacks operand " + std::to_string(i + 1));
      if (!operand(*inst.operands[i], i)) return false;
    }
    return true;
  }

  bool operand(const Value& value, size_t i) {
    const auto which = [&] { return "operand " + std::to_string(i + 1); };
    switch (value.kind) {
      case ValueKind::kInst:
        if (!is_visible(static_cast<const Inst&>(value)))
          return fail("uses a value that is not visible there as " + which());
        break;
      case ValueKind::kParam: {
        const auto& param = static_cast<const Param&>(value);
        const bool mine = param.index < function_.params.size() && function_.params[param.index] == &param;
        if (!mine) return fail("uses a parameter of another function as " + which());
        break;
      }
      case ValueKind::kGlobal:
        if (!around_.globals.contains(&value))
          return fail("uses a variable that is not in the module as " + which());
        break;
      case ValueKind::kConst:
        if (!constant(static_cast<const Const&>(value)))
          return fail("has a malformed constant as " + which());
        break;
      case ValueKind::kUndef: break;
    }
    if (!around_.knows(value.type)) return fail("has " + which() + " with a type of another module");
    return !value.type->is_void() || fail("uses a void value as " + which());
  }

  static bool constant(const Const& c) {
    if (c.type == nullptr || c.type->is_void()) return false;
    if (c.type->is_ptr() || c.type->is_aggregate()) return c.bits == 0;
    const uint32_t width = c.type->is_bool() ? 1 : c.type->bits();
    return width >= 64 || (c.bits >> width) == 0;
  }

  // Visited before, in a block that is still open.
  bool is_visible(const Inst& inst) const {
    const uint32_t* depth = depth_.find(&inst);
    return depth != nullptr && *depth < open_.size() && open_[*depth] == inst.parent;
  }

  bool control(const Inst& inst) {
    switch (inst.op) {
      case Op::kYield: return yield();
      case Op::kExit:
      case Op::kContinue: return jump(inst);
      case Op::kReturn: return returns(inst);
      case Op::kCall: return call(inst);
      default: return true;
    }
  }

  bool yield() {
    const Block& here = *open_.back();
    const bool placed = here.owner != nullptr && here.owner->is(Op::kLoop) && index_in(here) != 1;
    return placed || fail("is not in the head or the step of a loop");
  }

  bool jump(const Inst& inst) {
    const Inst* target = inst.attr().target;
    if (target == nullptr) return fail("has no target");
    const uint32_t* depth = depth_.find(target);
    const size_t below = depth == nullptr ? open_.size() : *depth + size_t{1};
    if (below >= open_.size() || open_[below]->owner != target)
      return fail("has a target that does not enclose it");
    if (inst.is(Op::kExit)) return !target->is(Op::kIf) || fail("has an if as its target");
    if (!target->is(Op::kLoop)) return fail("has a target that is not a loop");
    return index_in(*open_[below]) != 2 || fail("is in the step of its target");
  }

  bool returns(const Inst& inst) {
    const size_t wanted = function_.result->is_void() ? 0 : 1;
    if (inst.operands.size() != wanted) {
      return fail("has " + std::to_string(inst.operands.size()) + " operands, not " + std::to_string(wanted));
    }
    if (wanted == 0 || inst.operand(0)->type == function_.result) return true;
    return fail("returns " + to_string(inst.operand(0)->type) + " from a function of " +
                to_string(function_.result));
  }

  bool call(const Inst& inst) {
    const Function* callee = inst.attr().callee;
    if (callee == nullptr || !around_.functions.contains(callee))
      return fail("calls a function that is not in the module");
    if (callee->is_kernel) return fail("calls the kernel " + callee->name);
    if (inst.type != callee->result) {
      return fail("has the result type " + to_string(inst.type) + ", but " + callee->name + " returns " +
                  to_string(callee->result));
    }
    if (inst.operands.size() != callee->params.size()) {
      return fail("passes " + std::to_string(inst.operands.size()) + " arguments to " + callee->name +
                  ", which takes " + std::to_string(callee->params.size()));
    }
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      if (inst.operand(i)->type == callee->params[i]->type) continue;
      return fail("passes " + to_string(inst.operand(i)->type) + " as argument " + std::to_string(i + 1) +
                  " to " + callee->name + ", which takes " + to_string(callee->params[i]->type));
    }
    return true;
  }

  Surroundings& around_;
  const Function& function_;
  std::string defect_;
  const Inst* inst_ = nullptr;
  size_t count_ = 0;
  std::vector<const Block*> open_;  // from the body to the current block
  // For every visited instruction: the index of its block in open_.
  PointerMap<Inst, uint32_t> depth_;
};

class ModuleVerifier {
 public:
  ModuleVerifier(const Module& module, const Inst*& at) : around_{module, {}, {}, {}}, at_(at) {}

  std::string run() {
    for (const Type* type : around_.module.types().structs()) {
      if (!structure(*type)) return defect_;
    }
    std::unordered_set<std::string_view> names;
    for (const Global* global : around_.module.globals) {
      if (global == nullptr) return "The module has a missing variable.";
      if (!names.insert(global->name).second) return "There are two variables named " + global->name + ".";
      if (!this->global(*global)) return defect_;
      around_.globals.insert(global);
    }
    for (const Global* global : around_.module.globals) {
      for (const Relocation& pointer : global->pointers) {
        if (!around_.globals.contains(pointer.target))
          return "The variable " + global->name + " points to a variable that is not in the module.";
      }
    }
    names.clear();
    for (const Function* function : around_.module.functions) {
      if (function == nullptr) return "The module has a missing function.";
      if (function->name.empty()) return "There is a function without a name.";
      if (!names.insert(function->name).second)
        return "There are two functions named " + function->name + ".";
      around_.functions.insert(function);
    }
    for (const Function* function : around_.module.functions) {
      std::string defect = FunctionVerifier(around_, *function).run(at_);
      if (!defect.empty()) return defect;
    }
    return {};
  }

 private:
  bool fail(std::string defect) {
    if (defect_.empty()) defect_ = std::move(defect);
    return false;
  }

  // Fields are within the struct, and no struct contains itself.
  bool structure(const Type& type) {
    enum : int { kOpen = 1, kDone = 2 };
    int& state = states_[&type];
    if (state == kDone) return true;
    const std::string text = "The struct " + type.name;
    if (state == kOpen) return fail(text + " contains itself.");
    state = kOpen;
    if (!std::has_single_bit(type.align)) return fail(text + " has an alignment that is not a power of two.");
    if (type.size % type.align != 0)
      return fail(text + " has a size that is not a multiple of its alignment.");
    for (const Field& field : type.fields) {
      if (!around_.knows(field.type)) return fail(text + " has a field with a type of another module.");
      const Type* base = field.type;
      while (base->is_array()) base = base->elem;
      if (base->is_struct() && !structure(*base)) return false;
      if (!is_sized(field.type)) return fail(text + " has the field " + field.name + " without a size.");
      if (field.offset > type.size || field.type->size > type.size - field.offset) {
        return fail(text + " has the field " + field.name + " beyond its end.");
      }
    }
    states_[&type] = kDone;
    return true;
  }

  bool global(const Global& global) {
    const std::string text = "The variable " + global.name;
    if (global.name.empty()) return fail("There is a variable without a name.");
    const bool placed =
        global.space == Space::kGlobal || global.space == Space::kShared || global.space == Space::kConstant;
    if (!placed)
      return fail(text + " is in the address space " + std::string(name(global.space)) +
                  ", which holds no variables.");
    if (global.type != around_.module.types().ptr(global.space))
      return fail(text + " has an address of the wrong type.");
    if (!around_.knows(global.object)) return fail(text + " has a type of another module.");
    const bool dynamic = global.space == Space::kShared && global.object->is_array() &&
                         global.object->count == 0 && is_sized(global.object->elem);
    if (!dynamic && !is_sized(global.object)) return fail(text + " has no size.");
    if (!std::has_single_bit(global.align) || global.align < global.object->align) {
      return fail(text + " has an alignment that is not a power of two or is less than its type's.");
    }
    if (!global.init.empty() && global.space == Space::kShared)
      return fail(text + " is shared and has initial data.");
    if (!global.init.empty() && global.init.size() != global.object->size) {
      return fail(text + " has " + std::to_string(global.init.size()) +
                  " bytes of initial data for a size of " + std::to_string(global.object->size) + ".");
    }
    for (const Relocation& pointer : global.pointers) {
      if (pointer.target == nullptr || pointer.target->space == Space::kShared)
        return fail(text + " has a pointer to an object that has no address at load time.");
      if (global.init.size() < 8 || pointer.at > global.init.size() - 8)
        return fail(text + " has a pointer outside of its initial data.");
    }
    const bool file = global.pos.file == 0 || global.pos.file < around_.module.files.size();
    return file || fail(text + " is in a file that is not in the module.");
  }

  Surroundings around_;
  const Inst*& at_;
  std::unordered_map<const Type*, int> states_;
  std::string defect_;
};

}  // namespace

std::string verify_module(const Module& module, const Inst*& at) { return ModuleVerifier(module, at).run(); }

std::string verify(const Module& module) {
  const Inst* at = nullptr;
  return verify_module(module, at);
}

}  // namespace quern::ir
