#include "target/spirv/emitter.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/round_up.hpp"
#include "lang/pass/walk.hpp"
#include "target/messages.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr uint64_t kMostPushed = 128;  // the push constant size that every Vulkan device supports

std::unordered_set<const Value*> values_used(const ir::Function& f) {
  std::unordered_set<const Value*> used;
  pass::traverse(f.body, [&](const Inst* i) { used.insert(i->operands.begin(), i->operands.end()); });
  return used;
}

// Whether parts of words of shared memory may be written.
bool stores_parts(const ir::Function& f, Objects& objects) {
  bool any = false;
  pass::traverse(f.body, [&](const Inst* i) {
    if (!i->is(Op::kStore)) return;
    const ir::Space space = i->operand(0)->type->space;
    const Value* root = Objects::root_of(i->operand(0));
    const bool is_plain = root != nullptr && objects.of(root).is_plain;
    const bool may_be_shared = space == ir::Space::kShared || space == ir::Space::kGeneric;
    const Type* t = i->operand(1)->type;
    any =
        any || (may_be_shared && !is_plain && (t->is_aggregate() || t->size < 4 || i->attr().align % 4 != 0));
  });
  return any;
}

}  // namespace

Emitter::Emitter(Unit& unit, ir::Function& function)
    : unit_(unit), b_(unit.b), function_(function), matrices_(function), known_(function) {
  pass::traverse(function.body, [&](const Inst* i) {
    const bool is_wide = i->attr().scope != ir::Scope::kBlock;
    is_coherent_ = is_coherent_ || (i->is(Op::kFence) && is_wide) || i->is(Op::kGridBarrier);
  });
}

Id Emitter::op(Opcode code, Id type, std::initializer_list<uint32_t> operands) {
  return op(code, type, Ids(operands));
}

Id Emitter::op(Opcode code, Id type, const Ids& operands) {
  Ids all{type, b_.fresh()};
  all.insert(all.end(), operands.begin(), operands.end());
  code_.add(code, all);
  return all[1];
}

void Emitter::keep_rounding(Id result) { b_.decorate(result, Decoration::kNoContraction); }

// Never merged with another operation into a single rounding.
Id Emitter::real_op(Opcode code, Id type, std::initializer_list<uint32_t> operands) {
  const Id id = op(code, type, operands);
  if (unit_.options.math == driver::Math::exact) keep_rounding(id);
  return id;
}

Id Emitter::extended(uint32_t function, Id type, const Ids& operands) {
  Ids all{b_.functions(), function};
  all.insert(all.end(), operands.begin(), operands.end());
  return op(Opcode::kExtInst, type, all);
}

void Emitter::label(Id id) {
  effect(Opcode::kLabel, {id});
  current_ = id;
  is_open_ = true;
  marked_ = {};
}

Id Emitter::choose(Id condition, Id type, const std::function<Id()>& yes, const std::function<Id()>& no) {
  const Id then = b_.fresh(), otherwise = b_.fresh(), merge = b_.fresh();
  merges(merge);
  effect(Opcode::kBranchConditional, {condition, then, otherwise});
  label(then);
  const Id a = yes();
  const Id from_a = current_;
  effect(Opcode::kBranch, {merge});
  label(otherwise);
  const Id b = no();
  const Id from_b = current_;
  effect(Opcode::kBranch, {merge});
  label(merge);
  return type != 0 ? op(Opcode::kPhi, type, {a, from_a, b, from_b}) : 0;
}

void Emitter::line(const ir::Pos& pos) {
  if (!unit_.options.line_marks || pos.line == 0 || pos.file >= unit_.module.files.size()) return;
  if (pos.line == marked_.line && pos.file == marked_.file) return;
  marked_ = pos;
  effect(Opcode::kLine, {b_.file(unit_.module.files[pos.file].name), pos.line, pos.column});
}

Id Emitter::local_variable(Id type, std::string_view name) {
  const Id id = b_.fresh();
  locals_.add(Opcode::kVariable, {b_.pointer_type(StorageClass::kFunction, type), id,
                                  static_cast<uint32_t>(StorageClass::kFunction)});
  if (!name.empty()) b_.name(id, name);
  return id;
}

void Emitter::place_variables() {
  uint64_t local = 0;
  pass::traverse(function_.body, [&](const Inst* i) {
    if (!i->is(Op::kVar)) return;
    if (const Fragment* f = matrices_.of(i)) {
      matrix_variables_[i] = local_variable(matrix_type(*f), i->name);
      return;
    }
    Object& o = unit_.objects.of(i);
    if (!o.is_plain) {
      local = base::round_up(local, o.align);
      arena_at_[i] = kArenaStart + local;
      local += base::round_up(o.bytes, 4);
      return;
    }
    const Id element = unit_.element_type(o, false);
    const Id type =
        o.count == 1 ? element : b_.array_type(element, b_.u32(std::max(1U, static_cast<uint32_t>(o.count))));
    o.variable = local_variable(type, i->name);
  });
  uses_local_arena_ = local != 0;
  if (local == 0) return;
  // Parts of words are written by reading the word: it must be initialized.
  const Id type = b_.array_type(u32(), b_.u32(static_cast<uint32_t>(local / 4)));
  local_arena_ = b_.fresh();
  locals_.add(Opcode::kVariable, {b_.pointer_type(StorageClass::kFunction, type), local_arena_,
                                  static_cast<uint32_t>(StorageClass::kFunction), b_.null(type)});
  b_.name(local_arena_, "local");
}

void Emitter::place_arenas() {
  const std::unordered_set<const Value*> used = values_used(function_);
  uint64_t shared = 0;
  bool has_dynamic = false;
  std::vector<uint8_t> literals;
  for (const ir::Global* g : unit_.module.globals) {
    if (used.count(g) == 0 || !unit_.objects.has(g)) continue;
    const Object& o = unit_.objects.of(g);
    if (o.is_plain) continue;
    if (Objects::is_literal(g)) {
      uses_literal_arena_ = true;
      literals.resize(base::round_up(literals.size(), std::max<uint64_t>(o.align, 8)));
      arena_at_[g] = kArenaStart + literals.size();
      std::vector<uint8_t> bytes = g->init;
      bytes.resize(base::round_up(g->object->size, 4));
      literals.insert(literals.end(), bytes.begin(), bytes.end());
    } else if (g->object->is_array() && g->object->count == 0) {
      has_dynamic = true;
    } else {
      shared = base::round_up(shared, o.align);
      arena_at_[g] = kArenaStart + shared;
      shared += base::round_up(o.bytes, 4);
    }
  }
  uses_shared_arena_ = shared != 0 || has_dynamic;
  if (has_dynamic) {
    shared = base::round_up(shared, 16);
    for (const ir::Global* g : unit_.module.globals) {
      if (Objects::is_shared(g) && g->object->is_array() && g->object->count == 0)
        arena_at_[g] = kArenaStart + shared;
    }
  }
  if (uses_shared_arena_) {
    const auto words = static_cast<uint32_t>(shared / 4);
    const Id count = has_dynamic ? unit_.dynamic_count(4, words) : b_.u32(words);
    shared_arena_ = b_.global_variable(StorageClass::kWorkgroup, b_.array_type(u32(), count), "shared");
    if (function_.is_kernel && stores_parts(function_, unit_.objects)) clear_shared(count);
  }
  if (uses_literal_arena_) {
    Ids words;
    for (size_t i = 0; i < literals.size(); i += 4)
      words.push_back(b_.u32(
          static_cast<uint32_t>(literals[i]) | static_cast<uint32_t>(literals[i + 1]) << 8 |
          static_cast<uint32_t>(literals[i + 2]) << 16 | static_cast<uint32_t>(literals[i + 3]) << 24));
    const Id type = b_.array_type(u32(), b_.u32(static_cast<uint32_t>(words.size())));
    literal_arena_ = b_.global_variable(StorageClass::kPrivate, type, "literals", b_.composite(type, words));
  }
}

// A part of a word is written by reading the word, which must be initialized: every thread clears its share.
void Emitter::clear_shared(Id words) {
  const auto thread = [&](uint32_t dimension) {
    const Id variable = b_.builtin(BuiltIn::kLocalInvocationId, "threadIdx");
    const Id type = b_.pointer_type(StorageClass::kInput, u32());
    return op(Opcode::kLoad, u32(), {op(Opcode::kAccessChain, type, {variable, b_.u32(dimension)})});
  };
  const auto product = [&](Id a, Id b) { return op(Opcode::kIMul, u32(), {a, b}); };
  const auto sum = [&](Id a, Id b) { return op(Opcode::kIAdd, u32(), {a, b}); };
  const Id plane = product(b_.block_size(0), b_.block_size(1));
  const Id row = product(thread(1), b_.block_size(0));
  const Id start = sum(sum(thread(0), row), product(thread(2), plane));
  const Id threads = product(plane, b_.block_size(2));
  const Id before = current_, header = b_.fresh(), inside = b_.fresh(), next = b_.fresh(), merge = b_.fresh();
  const Id further = b_.fresh();
  effect(Opcode::kBranch, {header});
  label(header);
  const Id at = op(Opcode::kPhi, u32(), {start, before, further, next});
  const Id more = op(Opcode::kULessThan, b_.bool_type(), {at, words});
  effect(Opcode::kLoopMerge, {merge, next, 0});
  effect(Opcode::kBranchConditional, {more, inside, merge});
  label(inside);
  const Id pointer =
      op(Opcode::kAccessChain, b_.pointer_type(StorageClass::kWorkgroup, u32()), {shared_arena_, at});
  effect(Opcode::kStore, {pointer, b_.u32(0)});
  effect(Opcode::kBranch, {next});
  label(next);
  code_.add(Opcode::kIAdd, {u32(), further, at, threads});
  effect(Opcode::kBranch, {header});
  label(merge);
  barrier();
}

// In the order in which the host binds them: pointer parameters, then all variables; the report is separate.
void Emitter::number_buffers(const driver::KernelInfo& info) {
  uint32_t number = 0;
  for (size_t k = 0; k < info.params.size(); ++k) {
    if (function_.params[k]->type->is_ptr()) buffers_[function_.params[k]] = ++number;
  }
  const auto hidden = [&](const Value* v, uint32_t its_number) {
    buffers_[v] = its_number;
    values_[v] = {b_.u64(uint64_t{its_number} << driver::kBufferShift)};
  };
  for (const ir::Global* g : unit_.module.globals) {
    if (g->space != ir::Space::kShared && !g->is_literal) hidden(g, ++number);
  }
  for (size_t k = info.params.size(); k < function_.params.size(); ++k)
    hidden(function_.params[k], driver::kReportBuffer);
}

// The variable.
Id Emitter::push_constants(const std::map<uint64_t, std::pair<Rep, std::string>>& members) {
  Ids types;
  for (const auto& [offset, member] : members) types.push_back(rep_type(b_, member.first));
  const Id block = b_.struct_type(types);
  b_.decorate(block, Decoration::kBlock);
  b_.name(block, "Arguments");
  uint32_t index = 0;
  for (const auto& [offset, member] : members) {
    b_.decorate_member(block, index, Decoration::kOffset, {static_cast<uint32_t>(offset)});
    b_.member_name(block, index++, member.second);
  }
  return b_.global_variable(StorageClass::kPushConstant, block, "arguments");
}

// The argument block: see target.hpp. Every leaf of a parameter is loaded here, once.
void Emitter::arguments(driver::KernelInfo& info, size_t variables) {
  struct Wanted {
    const Value* param;  // null: the address of a variable
    const Type* type;
    uint64_t offset;
    std::string name;
  };
  const std::unordered_set<const Value*> used = values_used(function_);
  std::vector<Wanted> wanted;
  uint64_t at = 0;
  const auto take = [&](const ir::Param* p) {
    at = base::round_up(at, p->type->align);
    if (used.count(p) != 0) {
      for (const Leaf& leaf : unit_.leaves.of(p->type))
        wanted.push_back({p, leaf.type, at + leaf.offset, p->name});
      if (unit_.leaves.of(p->type).empty() && p->type->size != 0)
        unit_.refuse(p->pos, message::kParameterTooLarge());
    }
    at += p->type->size;
  };
  const size_t users = info.params.size();
  for (size_t k = 0; k < users; ++k) take(function_.params[k]);
  at = base::round_up(at, 8);
  if (unit_.binds()) {
    number_buffers(info);
  } else {
    size_t number = 0;
    for (const ir::Global* g : unit_.module.globals) {
      if (g->space == ir::Space::kShared || g->is_literal) continue;
      if (used.count(g) != 0) wanted.push_back({g, unit_.leaves.unsigned_of(8), at + 8 * number, g->name});
      ++number;
    }
    at += 8 * variables;
    for (size_t k = users; k < function_.params.size(); ++k) take(function_.params[k]);
  }
  info.block_bytes = static_cast<uint32_t>(at);
  info.block_by_address = at > kMostPushed;
  if (wanted.empty()) return;

  // Members of the push constants by their offsets; numbers below 32 bits are parts of words.
  std::map<uint64_t, std::pair<Rep, std::string>> members;
  for (const Wanted& w : wanted) {
    if (info.block_by_address) break;
    const bool narrow = w.type->size < 4;
    const Rep rep = narrow ? Rep::kU32 : is_narrow_pointer(w.type) ? Rep::kU64 : rep_of(w.type);
    members.try_emplace(narrow ? w.offset / 4 * 4 : w.offset, rep, w.name);
  }
  const bool is_bound = info.block_by_address && unit_.binds();
  if (info.block_by_address && !is_bound) members[0] = {Rep::kU64, "arguments"};
  const Id variable = is_bound ? 0 : push_constants(members);
  const auto member = [&](uint64_t offset) {
    const auto found = members.find(offset);
    const auto place = static_cast<uint32_t>(std::distance(members.begin(), found));
    const Id type = rep_type(b_, found->second.first);
    const Id pointer = op(Opcode::kAccessChain, b_.pointer_type(StorageClass::kPushConstant, type),
                          {variable, b_.u32(place)});
    return op(Opcode::kLoad, type, {pointer});
  };
  const uint64_t bound_at = uint64_t{driver::kBlockBuffer} << driver::kBufferShift;
  const Id base = is_bound ? b_.u64(bound_at) : info.block_by_address ? member(0) : 0;
  for (const Wanted& w : wanted) {
    Id id = 0;
    const bool narrow = w.type->size < 4;
    if (base != 0) {
      const Id address = op(Opcode::kIAdd, u64(), {base, b_.u64(narrow ? w.offset / 4 * 4 : w.offset)});
      Place p;
      p.at = address;
      p.buffer = is_bound ? driver::kBlockBuffer : 0;
      const uint32_t bytes = w.type->size == 8 ? 8 : 4;
      id = load_global(p, bytes, {bytes});
    } else {
      id = member(narrow ? w.offset / 4 * 4 : w.offset);
    }
    if (narrow) {
      id = op(Opcode::kShiftRightLogical, u32(), {id, b_.u32(static_cast<uint32_t>(w.offset % 4 * 8))});
      id = op(Opcode::kBitwiseAnd, u32(), {id, b_.u32(w.type->size == 1 ? 0xff : 0xffff)});
    }
    if (narrow || base != 0 || is_narrow_pointer(w.type)) id = from_bits(w.type, id);
    values_[w.param].push_back(id);
  }
}

void Emitter::place_objects() {
  place_variables();
  place_arenas();
}

void Emitter::body() {
  place_objects();
  block(function_.body);
  if (!is_open_) return;
  if (function_.result == nullptr || function_.result->is_void()) {
    effect(Opcode::kReturn, {});
  } else {
    effect(Opcode::kUnreachable, {});
  }
}

Id Emitter::finish(const Ids& types, const Ids& params, const std::string& name) {
  const bool is_void = function_.result == nullptr || function_.result->is_void();
  const Id result = is_void ? b_.void_type() : held(function_.result);
  const Id id = b_.fresh(), entry = b_.fresh();
  Words words;
  words.add(Opcode::kFunction, {result, id, 0, b_.function_type(result, types)});
  for (size_t k = 0; k < params.size(); ++k) words.add(Opcode::kFunctionParameter, {types[k], params[k]});
  words.add(Opcode::kLabel, {entry});
  words.append(locals_);
  // What follows is a separate block, so that loops and phis may refer to it.
  words.add(Opcode::kBranch, {current_start_});
  words.append(code_);
  words.add(Opcode::kFunctionEnd, {});
  b_.add_function(words);
  b_.name(id, name);
  return id;
}

Id Emitter::kernel(driver::KernelInfo& info, size_t variables) {
  current_start_ = b_.fresh();
  label(current_start_);
  arguments(info, variables);
  body();
  return finish({}, {}, function_.name);
}

Id Emitter::library_function() {
  current_start_ = b_.fresh();
  label(current_start_);
  Ids types, params;
  for (const ir::Param* p : function_.params) {
    types.push_back(held(p->type));
    params.push_back(b_.fresh());
    b_.name(params.back(), p->name);
    values_[p] = {params.back()};
  }
  body();
  return finish(types, params, function_.name);
}

}  // namespace quern::target::spirv
