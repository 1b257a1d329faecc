// Checks the structure: links, visibility, targets, names. verify_types.cpp checks the types of single
// instructions. Linear in the size of the module.
#include "lang/ir/verify.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/messages.hpp"
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
  bool fail(const base::MessageText& defect) {
    if (!defect_.empty()) return false;
    defect_ = where() + " " + defect.text + ".";
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
    return known || fail(message::kFileNotInModule(std::to_string(pos.file)));
  }

  bool signature() {
    if (!position(function_.pos)) return false;
    if (!around_.knows(function_.result)) return fail(message::kResultTypeOfOtherModule());
    if (!function_.result->is_void() && !is_sized(function_.result))
      return fail(message::kResultWithoutSize());
    if (function_.is_kernel && !function_.result->is_void()) return fail(message::kKernelReturnsValue());
    for (size_t i = 0; i < function_.params.size(); ++i) {
      const Param* param = function_.params[i];
      if (param == nullptr || param->index != i) return fail(message::kParameterIndex());
      if (!position(param->pos)) return false;
      if (!around_.knows(param->type)) return fail(message::kParameterTypeOfOtherModule());
      if (!is_sized(param->type)) return fail(message::kParameterWithoutSize(param->name));
      if (param->elem != nullptr && !param->type->is_ptr()) {
        return fail(message::kPointeeOfNonPointer(param->name));
      }
      if (param->elem != nullptr && !around_.knows(param->elem))
        return fail(message::kPointeeOfOtherModule());
    }
    if (function_.body == nullptr) return fail(message::kNoBody());
    return function_.body->function == &function_ || fail(message::kBodyOfOtherFunction());
  }

  bool block(const Block& block, const Inst* owner) {
    if (block.owner != owner) return fail(message::kBlockOfOtherInstruction());
    if (block.function != &function_) return fail(message::kBlockOfOtherFunction());
    open_.push_back(&block);
    const Inst* previous = nullptr;
    for (const Inst* inst : block) {
      inst_ = inst;
      if (!instruction(*inst, block, previous)) return false;
      previous = inst;
    }
    inst_ = owner;
    if (block.last != previous) return fail(message::kBlockEnd());
    open_.pop_back();
    return true;
  }

  bool instruction(const Inst& inst, const Block& block, const Inst* previous) {
    ++count_;
    if (inst.parent != &block || inst.prev != previous) return fail(message::kWronglyLinked());
    if (!position(inst.pos)) return false;
    if (!around_.knows(inst.type)) return fail(message::kResultTypeOfOtherModule());
    if (!operands(inst)) return false;
    const uint32_t counts = attributes(inst.op);
    if ((counts & kAttrType) != 0 && !around_.knows(inst.attr().type))
      return fail(message::kTypeOfOtherModule());
    if (inst.blocks.size() != blocks_wanted(inst)) {
      return fail(
          message::kBlockCount(std::to_string(inst.blocks.size()), std::to_string(blocks_wanted(inst))));
    }
    if (const auto defect = check_types(around_.module.types(), inst)) return fail(*defect);
    if (!control(inst)) return false;
    if (has(inst.op, kTerminator) && inst.next != nullptr) return fail(message::kTerminatorNotLast());
    if (!depth_.set(&inst, static_cast<uint32_t>(open_.size() - 1))) return fail(message::kInTwoPlaces());
    for (const Block* below : inst.blocks) {
      if (below == nullptr || !this->block(*below, &inst)) return fail(message::kMissingBlock());
    }
    return true;
  }

  bool operands(const Inst& inst) {
    const int arity = info(inst.op).arity;
    if (arity >= 0 && inst.operands.size() != static_cast<size_t>(arity)) {
      return fail(message::kOperandCount(std::to_string(inst.operands.size()), std::to_string(arity)));
    }
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      if (inst.operands[i] == nullptr) return fail(message::kMissingOperand(std::to_string(i + 1)));
      if (!operand(*inst.operands[i], i)) return false;
    }
    return true;
  }

  bool operand(const Value& value, size_t i) {
    const auto which = [&] { return "operand " + std::to_string(i + 1); };
    switch (value.kind) {
      case ValueKind::kInst:
        if (!is_visible(static_cast<const Inst&>(value))) return fail(message::kValueNotVisible(which()));
        break;
      case ValueKind::kParam: {
        const auto& param = static_cast<const Param&>(value);
        const bool mine = param.index < function_.params.size() && function_.params[param.index] == &param;
        if (!mine) return fail(message::kParameterOfOtherFunction(which()));
        break;
      }
      case ValueKind::kGlobal:
        if (!around_.globals.contains(&value)) return fail(message::kVariableNotInModule(which()));
        break;
      case ValueKind::kConst:
        if (!constant(static_cast<const Const&>(value))) return fail(message::kMalformedConstant(which()));
        break;
      case ValueKind::kUndef: break;
    }
    if (!around_.knows(value.type)) return fail(message::kOperandTypeOfOtherModule(which()));
    return !value.type->is_void() || fail(message::kVoidOperand(which()));
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
    return placed || fail(message::kYieldOutsideLoop());
  }

  bool jump(const Inst& inst) {
    const Inst* target = inst.attr().target;
    if (target == nullptr) return fail(message::kNoTarget());
    const uint32_t* depth = depth_.find(target);
    const size_t below = depth == nullptr ? open_.size() : *depth + size_t{1};
    if (below >= open_.size() || open_[below]->owner != target) return fail(message::kTargetDoesNotEnclose());
    if (inst.is(Op::kExit)) return !target->is(Op::kIf) || fail(message::kTargetIsIf());
    if (!target->is(Op::kLoop)) return fail(message::kTargetIsNotLoop());
    return index_in(*open_[below]) != 2 || fail(message::kInStepOfTarget());
  }

  bool returns(const Inst& inst) {
    const size_t wanted = function_.result->is_void() ? 0 : 1;
    if (inst.operands.size() != wanted) {
      return fail(message::kOperandCount(std::to_string(inst.operands.size()), std::to_string(wanted)));
    }
    if (wanted == 0 || inst.operand(0)->type == function_.result) return true;
    return fail(message::kReturnType(to_string(inst.operand(0)->type), to_string(function_.result)));
  }

  bool call(const Inst& inst) {
    const Function* callee = inst.attr().callee;
    if (callee == nullptr || !around_.functions.contains(callee)) return fail(message::kCalleeNotInModule());
    if (callee->is_kernel) return fail(message::kKernelCalled(callee->name));
    if (inst.type != callee->result) {
      return fail(message::kCallResultType(to_string(inst.type), callee->name, to_string(callee->result)));
    }
    if (inst.operands.size() != callee->params.size()) {
      return fail(message::kArgumentCount(std::to_string(inst.operands.size()), callee->name,
                                          std::to_string(callee->params.size())));
    }
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      if (inst.operand(i)->type == callee->params[i]->type) continue;
      return fail(message::kArgumentType(to_string(inst.operand(i)->type), std::to_string(i + 1),
                                         callee->name, to_string(callee->params[i]->type)));
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
    if (types() && variables() && functions()) {
      for (const Function* function : around_.module.functions) {
        std::string defect = FunctionVerifier(around_, *function).run(at_);
        if (!defect.empty()) return defect;
      }
    }
    return std::move(defect_);
  }

 private:
  bool fail(const base::MessageText& defect) {
    if (defect_.empty()) defect_ = defect.text + ".";
    return false;
  }

  bool types() {
    const std::vector<const Type*>& all = around_.module.types().structs();
    return std::all_of(all.begin(), all.end(), [&](const Type* type) { return structure(*type); });
  }

  bool variables() {
    std::unordered_set<std::string_view> names;
    for (const Global* global : around_.module.globals) {
      if (global == nullptr) return fail(message::kMissingVariable());
      if (!names.insert(global->name).second) return fail(message::kTwoVariables(global->name));
      if (!this->global(*global)) return false;
      around_.globals.insert(global);
    }
    for (const Global* global : around_.module.globals) {
      for (const Relocation& pointer : global->pointers) {
        if (!around_.globals.contains(pointer.target))
          return fail(message::kPointsOutsideModule(global->name));
      }
    }
    return true;
  }

  bool functions() {
    std::unordered_set<std::string_view> names;
    for (const Function* function : around_.module.functions) {
      if (function == nullptr) return fail(message::kMissingFunction());
      if (function->name.empty()) return fail(message::kFunctionWithoutName());
      if (!names.insert(function->name).second) return fail(message::kTwoFunctions(function->name));
      around_.functions.insert(function);
    }
    return true;
  }

  // Fields are within the struct, and no struct contains itself.
  bool structure(const Type& type) {
    enum : int { kOpen = 1, kDone = 2 };
    int& state = states_[&type];
    if (state == kDone) return true;
    const std::string text = "The struct " + type.name;
    if (state == kOpen) return fail(message::kStructContainsItself(text));
    state = kOpen;
    if (!std::has_single_bit(type.align)) return fail(message::kStructAlignment(text));
    if (type.size % type.align != 0) return fail(message::kStructSize(text));
    for (const Field& field : type.fields) {
      if (!around_.knows(field.type)) return fail(message::kFieldTypeOfOtherModule(text));
      const Type* base = field.type;
      while (base->is_array()) base = base->elem;
      if (base->is_struct() && !structure(*base)) return false;
      if (!is_sized(field.type)) return fail(message::kFieldWithoutSize(text, field.name));
      if (field.offset > type.size || field.type->size > type.size - field.offset) {
        return fail(message::kFieldBeyondEnd(text, field.name));
      }
    }
    states_[&type] = kDone;
    return true;
  }

  bool global(const Global& global) {
    const std::string text = "The variable " + global.name;
    if (global.name.empty()) return fail(message::kVariableWithoutName());
    const bool placed =
        global.space == Space::kGlobal || global.space == Space::kShared || global.space == Space::kConstant;
    if (!placed) return fail(message::kVariableSpace(text, name(global.space)));
    if (global.type != around_.module.types().ptr(global.space))
      return fail(message::kVariableAddressType(text));
    if (!around_.knows(global.object)) return fail(message::kVariableTypeOfOtherModule(text));
    const bool dynamic = global.space == Space::kShared && global.object->is_array() &&
                         global.object->count == 0 && is_sized(global.object->elem);
    if (!dynamic && !is_sized(global.object)) return fail(message::kVariableWithoutSize(text));
    if (!std::has_single_bit(global.align) || global.align < global.object->align) {
      return fail(message::kVariableAlignment(text));
    }
    if (!global.init.empty() && global.space == Space::kShared)
      return fail(message::kSharedInitialData(text));
    if (!global.init.empty() && global.init.size() != global.object->size) {
      return fail(message::kInitialDataSize(text, std::to_string(global.init.size()),
                                            std::to_string(global.object->size)));
    }
    for (const Relocation& pointer : global.pointers) {
      if (pointer.target == nullptr || pointer.target->space == Space::kShared)
        return fail(message::kPointerToObjectWithoutAddress(text));
      if (global.init.size() < 8 || pointer.at > global.init.size() - 8)
        return fail(message::kPointerOutsideInitialData(text));
    }
    const bool file = global.pos.file == 0 || global.pos.file < around_.module.files.size();
    return file || fail(message::kVariableFileNotInModule(text));
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
