#include "target/llvm/lane_math.hpp"

#include <set>
#include <unordered_map>
#include <vector>

#include "lang/expand/library.hpp"
#include "lang/ir/builder.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::llvm {

namespace {

constexpr const char* kFast = "_fast";
constexpr const char* kLanes = "_lanes";
constexpr const char* kDomain = "_domain";

bool is_math_on_floats(const ir::Inst& i) {
  return !i.operands.empty() && i.operand(0)->type->kind == ir::TypeKind::kF32 &&
         pass::has_property(i.op, ir::kPure);
}

std::string name_of(const ir::Inst& i, const char* form) { return std::string(ir::info(i.op).name) + form; }

// Which form of an operation the library has; null: none.
const char* form_of(const ir::Inst& i, const Options& options) {
  if (!options.has_fma || !is_math_on_floats(i)) return nullptr;
  if (options.is_fast && expand::Library::has(name_of(i, kFast))) return kFast;
  return expand::Library::has(name_of(i, kLanes)) ? kLanes : nullptr;
}

// Both sides of every branch run, and a select chooses the result: the sides have no side effects.
void flatten(ir::Module& module, ir::Function& function) {
  std::vector<ir::Inst*> branches;  // inner ones first
  pass::traverse(
      function.body, [](ir::Inst*) {},
      [&](ir::Inst* i) {
        if (i->is(ir::Op::kIf)) branches.push_back(i);
      });
  ir::Builder builder(module);
  for (ir::Inst* branch : branches) {
    ir::Block* const parent = branch->parent;
    ir::Value* const condition = branch->operand(0);
    builder.at(parent, branch);
    for (ir::Block* side : branch->blocks) {
      while (ir::Inst* i = side->first) {
        side->remove(i);
        if (!i->is(ir::Op::kStore)) {
          parent->insert_before(i, branch);
          continue;
        }
        ir::Value* const fresh = i->operand(1);
        ir::Value* const before = builder.load(fresh->type, i->operand(0));
        const bool is_then = side == branch->blocks[0];
        builder.store(i->operand(0),
                      builder.select(condition, is_then ? fresh : before, is_then ? before : fresh));
      }
    }
    parent->remove(branch);
  }
}

// In straight-line code a variable is its current value.
void forward_variables(ir::Module& module, ir::Function& function) {
  std::unordered_map<const ir::Value*, ir::Value*> held, instead;
  const auto now = [&](ir::Value* v) {
    const auto at = instead.find(v);
    return at != instead.end() ? at->second : v;
  };
  for (ir::Inst* i = function.body->first; i != nullptr;) {
    ir::Inst* const next = i->next;
    for (ir::Value*& v : i->operands) v = now(v);
    if (i->is(ir::Op::kLoad)) {
      const auto at = held.find(i->operand(0));
      instead[i] = at != held.end() ? at->second : module.undef(i->type);
    } else if (i->is(ir::Op::kStore)) {
      held[i->operand(0)] = i->operand(1);
    } else if (i->is(ir::Op::kSelect) && i->operand(1)->kind == ir::ValueKind::kUndef) {
      instead[i] = i->operand(2);
    } else if (i->is(ir::Op::kSelect) && i->operand(2)->kind == ir::ValueKind::kUndef) {
      instead[i] = i->operand(1);
    } else if (!i->is(ir::Op::kVar)) {
      i = next;
      continue;
    }
    function.body->remove(i);
    i = next;
  }
  pass::simplify(module, function);
}

const ir::Function* linked(const ir::Module& module, const std::string& name) {
  return module.find_function(std::string(expand::kLibraryNamespace) + name);
}

}  // namespace

std::string link_lane_math(ir::Module& module, ir::Function& kernel, const Options& options) {
  expand::Library library(module);
  const ir::Type* truth = module.types().get(ir::TypeKind::kBool);
  std::set<ir::Op> seen;
  pass::traverse(kernel.body, [&](ir::Inst* i) {
    if (!is_math_on_floats(*i) || !seen.insert(i->op).second) return;
    const char* form = form_of(*i, options);
    if (form == nullptr) return;
    std::vector<const ir::Type*> types;
    for (const ir::Value* v : i->operands) types.push_back(v->type);
    library.use(name_of(*i, form), types, i->type);
    if (form == kLanes && expand::Library::has(name_of(*i, kDomain)))
      library.use(name_of(*i, kDomain), types, truth);
  });
  if (std::string reason = library.link(); !reason.empty()) return reason;
  // Source lines of the library are not lines of the kernel.
  for (ir::Function* f : module.functions) {
    if (!f->name.starts_with(expand::kLibraryNamespace)) continue;
    flatten(module, *f);
    forward_variables(module, *f);
    pass::traverse(f->body, [](ir::Inst* i) { i->pos = {}; });
  }
  return {};
}

const ir::Function* lane_function(const ir::Module& module, const ir::Inst& inst, const Options& options) {
  const char* form = form_of(inst, options);
  return form != nullptr ? linked(module, name_of(inst, form)) : nullptr;
}

const ir::Function* lane_domain(const ir::Module& module, const ir::Inst& inst, const Options& options) {
  return form_of(inst, options) == kLanes ? linked(module, name_of(inst, kDomain)) : nullptr;
}

}  // namespace quern::llvm
