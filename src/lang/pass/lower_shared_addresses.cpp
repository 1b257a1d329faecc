#include <algorithm>

#include "lang/ir/builder.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Global;
using ir::Inst;
using ir::Op;
using ir::Space;
using ir::TypeKind;
using ir::Value;

bool is_dynamic(const Global* g) { return g->object->is_array() && g->object->count == 0; }

class Lowering {
 public:
  Lowering(ir::Module& module, ir::Function& function) : module_(module), function_(function), b_(module) {}

  void run() {
    find();
    if (uses_.empty()) return;
    place();
    for (Inst* i : uses_) {
      b_.at(i->parent, i);
      b_.pos(i->pos);
      Value* made =
          i->is(Op::kSharedAddress) ? address(i->operand(0)) : pointer(i->operand(0), i->attr().index);
      traverse(function_.body, [&](Inst* user) {
        std::replace(user->operands.begin(), user->operands.end(), static_cast<Value*>(i), made);
      });
      i->parent->remove(i);
    }
  }

 private:
  struct Placed {
    Global* global = nullptr;
    uint32_t at = 0;
  };

  void find() {
    traverse(function_.body, [&](Inst* i) {
      if (i->is(Op::kSharedAddress) || i->is(Op::kSharedPointer)) uses_.push_back(i);
      for (Value* v : i->operands) {
        if (v->kind != ir::ValueKind::kGlobal) continue;
        auto* g = static_cast<Global*>(v);
        if (g->space != Space::kShared) continue;
        const auto is_it = [&](const Placed& p) {
          return p.global == g || (is_dynamic(p.global) && is_dynamic(g));  // which all are one object
        };
        if (std::none_of(variables_.begin(), variables_.end(), is_it)) variables_.push_back({g});
      }
    });
  }

  void place() {
    std::stable_partition(variables_.begin(), variables_.end(),
                          [](const Placed& p) { return !is_dynamic(p.global); });
    constexpr uint64_t kApart = 16;
    uint64_t at = 0;
    for (Placed& p : variables_) {
      const uint64_t align = std::max({kApart, p.global->align, p.global->object->align});
      at = (at + align - 1) / align * align;
      p.at = static_cast<uint32_t>(at);
      at += p.global->object->size;
    }
  }

  Value* u32(uint64_t bits) { return module_.constant(b_.type(TypeKind::kU32), bits); }
  const ir::Type* shared() { return module_.types().ptr(Space::kShared); }

  // The variable that the pointer is derived from; nullptr: not known.
  const Placed* root_of(const Value* pointer) const {
    for (const Inst* i = ir::as_inst(pointer); i != nullptr; i = ir::as_inst(pointer)) {
      if (!i->is(Op::kOffset) && !i->is(Op::kFieldPtr) && !i->is(Op::kSpaceCast)) return nullptr;
      pointer = i->operand(0);
    }
    const auto found = std::find_if(variables_.begin(), variables_.end(), [&](const Placed& p) {
      const auto* g = pointer->kind == ir::ValueKind::kGlobal ? static_cast<const Global*>(pointer) : nullptr;
      return g != nullptr && (p.global == g || (is_dynamic(p.global) && is_dynamic(g)));
    });
    return found != variables_.end() ? &*found : nullptr;
  }

  Value* distance(Value* pointer, const Placed& from) {
    Inst* difference = b_.emit(Op::kPtrDiff, b_.type(TypeKind::kI64), {pointer, from.global});
    difference->mutable_attr().scale = 1;
    return b_.binary(Op::kAdd, b_.convert(difference, b_.type(TypeKind::kU32)), u32(from.at));
  }

  Value* address(Value* pointer) {
    const Placed* root = root_of(pointer);
    if (pointer->type != shared()) pointer = b_.op(Op::kSpaceCast, shared(), {pointer});
    if (variables_.empty()) return u32(0);
    if (root != nullptr) return distance(pointer, *root);
    Value* out = distance(pointer, variables_.back());
    for (size_t i = variables_.size() - 1; i-- > 0;) {
      const Placed& p = variables_[i];
      Value* end = b_.offset(p.global, u32(p.global->object->size), 1);
      Value* is_in =
          b_.binary(Op::kAnd, b_.compare(Op::kGe, pointer, p.global), b_.compare(Op::kLt, pointer, end));
      out = b_.select(is_in, distance(pointer, p), out);
    }
    return out;
  }

  Value* pointer(Value* address, uint32_t align) {
    if (variables_.empty()) return module_.constant(shared(), 0);
    const auto in = [&](const Placed& p) {
      Value* at = b_.binary(Op::kDiv, b_.binary(Op::kSub, address, u32(p.at)), u32(align));
      return b_.offset(p.global, at, align);
    };
    Value* out = in(variables_.back());
    for (size_t i = variables_.size() - 1; i-- > 0;)
      out = b_.select(b_.compare(Op::kLt, address, u32(variables_[i + 1].at)), in(variables_[i]), out);
    return out;
  }

  ir::Module& module_;
  ir::Function& function_;
  ir::Builder b_;
  std::vector<Inst*> uses_;
  std::vector<Placed> variables_;
};

}  // namespace

void lower_shared_addresses(ir::Module& module, ir::Function& function) { Lowering(module, function).run(); }

}  // namespace quern::pass
