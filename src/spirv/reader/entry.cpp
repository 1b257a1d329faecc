// The kernel of an entry point: its parameters are the resources of the entry point; its body creates the
// per-thread variables, then calls the entry point's function.
#include <algorithm>

#include "base/text.hpp"
#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"
#include "spirv/reader/reader.hpp"

namespace quern::spirv {

using base::format;
using ir::Op;
using ir::TypeKind;
using ir::Value;

namespace {

using enum BuiltIn;

// The built-in inputs, computed in 64 bits if the Kernel model's size_t requires it.
class BuiltIns {
 public:
  explicit BuiltIns(Emitter& e) : e_(e), b_(e.b) {}

  // The components of a built-in in the given type; empty: unsupported.
  Leaves make(BuiltIn which, const ir::Type* type) {
    type_ = type;
    switch (which) {
      case kNumWorkgroups: return each([&](uint32_t d) { return at(Op::kGridDim, d); });
      case kWorkgroupSize:
      case kEnqueuedWorkgroupSize: return each([&](uint32_t d) { return at(Op::kBlockDim, d); });
      case kWorkgroupId: return each([&](uint32_t d) { return at(Op::kBlockId, d); });
      case kLocalInvocationId: return each([&](uint32_t d) { return at(Op::kThreadId, d); });
      case kGlobalInvocationId: return each([&](uint32_t d) { return global_id(d); });
      case kGlobalSize: return each([&](uint32_t d) { return global_size(d); });
      case kGlobalOffset: return each([&](uint32_t) { return word(0); });
      case kLocalInvocationIndex: return {local_index()};
      case kGlobalLinearId: return {global_index()};
      case kWorkDim: return {dimensions()};
      case kSubgroupSize:
      case kSubgroupMaxSize: return {word(kSubgroupInvocations)};
      case kNumSubgroups:
      case kNumEnqueuedSubgroups: return {subgroups()};
      case kSubgroupId: return {div(local_index(), word(kSubgroupInvocations))};
      case kSubgroupLocalInvocationId: return {convert(b_.emit(Op::kLaneId, e_.kind(TypeKind::kU32), {}))};
      case kDeviceIndex: return {word(0)};
      default: return masks(which);
    }
  }

 private:
  Value* convert(Value* v) { return b_.convert(v, type_); }
  Value* word(uint64_t n) { return e_.number(type_, n); }
  Value* at(Op op, uint32_t d) { return convert(b_.index_op(op, d)); }
  Value* mul(Value* x, Value* y) { return b_.binary(Op::kMul, x, y); }
  Value* add(Value* x, Value* y) { return b_.binary(Op::kAdd, x, y); }
  Value* div(Value* x, Value* y) { return b_.binary(Op::kDiv, x, y); }

  template <typename Fn>
  Leaves each(Fn&& fn) {
    Leaves all;
    for (uint32_t d = 0; d < 3; ++d) all.push_back(fn(d));
    return all;
  }

  Value* global_id(uint32_t d) {
    return add(mul(at(Op::kBlockId, d), at(Op::kBlockDim, d)), at(Op::kThreadId, d));
  }
  Value* global_size(uint32_t d) { return mul(at(Op::kGridDim, d), at(Op::kBlockDim, d)); }
  Value* local_index() {
    Value* rows = add(mul(at(Op::kThreadId, 2), at(Op::kBlockDim, 1)), at(Op::kThreadId, 1));
    return add(mul(rows, at(Op::kBlockDim, 0)), at(Op::kThreadId, 0));
  }
  Value* global_index() {
    Value* rows = add(mul(global_id(2), global_size(1)), global_id(1));
    return add(mul(rows, global_size(0)), global_id(0));
  }
  Value* subgroups() {
    Value* all = mul(mul(at(Op::kBlockDim, 0), at(Op::kBlockDim, 1)), at(Op::kBlockDim, 2));
    return div(add(all, word(kSubgroupInvocations - 1)), word(kSubgroupInvocations));
  }
  Value* dimensions() {
    Value* flat = b_.compare(Op::kEq, global_size(2), word(1));
    Value* line = b_.compare(Op::kEq, global_size(1), word(1));
    return b_.select(flat, b_.select(line, word(1), word(2)), word(3));
  }

  // Four words, of which 32 lanes use the first.
  Leaves masks(BuiltIn which) {
    const ir::Type* u32 = e_.kind(TypeKind::kU32);
    Value* one = e_.number(u32, 1);
    Value* own = b_.op(Op::kShl, u32, {one, b_.emit(Op::kLaneId, u32, {})});
    Value* below = b_.binary(Op::kSub, own, one);
    Value* first = nullptr;
    switch (which) {
      case kSubgroupEqMask: first = own; break;
      case kSubgroupGeMask: first = b_.unary(Op::kNot, below); break;
      case kSubgroupGtMask: first = b_.unary(Op::kNot, b_.binary(Op::kOr, below, own)); break;
      case kSubgroupLeMask: first = b_.binary(Op::kOr, below, own); break;
      case kSubgroupLtMask: first = below; break;
      default: return {};
    }
    return {convert(first), word(0), word(0), word(0)};
  }

  Emitter& e_;
  ir::Builder& b_;
  const ir::Type* type_ = nullptr;
};

class KernelMaker {
 public:
  KernelMaker(Reader& reader, const EntryPoint& entry, Translated& body)
      : reader_(reader), source_entry_(entry), body_(body) {
    kernel_.function = reader.module().add_function(entry.name);
    kernel_.function->is_kernel = true;
    kernel_.function->result = reader.module().types().get(TypeKind::kVoid);
    kernel_.function->body = reader.module().new_block(kernel_.function, nullptr);
    kernel_.is_done = true;
  }

  Entry make(std::optional<LocalSize> local_size) {
    entry_.name = source_entry_.name;
    entry_.local_size = local_size;
    if (local_size.has_value()) kernel_.function->max_threads = local_size->x * local_size->y * local_size->z;
    list_resources();
    if (reader_.failure()) return entry_;
    list_lengths();
    entry_.params = static_cast<uint32_t>(kernel_.function->params.size());
    Emitter e(reader_, kernel_);
    const Instruction place = *source_entry_.at;
    e.stand_at(place);
    write(e);
    return entry_;
  }

 private:
  void fail(const Variable& v, const base::MessageText& what) { reader_.failure().set(*v.at, what); }

  // ---- resources of the entry point

  bool is_buffer(const Variable& v) const {
    return v.pointer->storage == StorageClass::kStorageBuffer || v.pointer->storage == StorageClass::kUniform;
  }

  void list_resources() {
    std::vector<const Variable*> buffers;
    const Variable* push = nullptr;
    for (const Need& n : body_.needs) {
      const Variable* v = reader_.variable(n.variable);
      if (is_buffer(*v) && std::find(buffers.begin(), buffers.end(), v) == buffers.end())
        buffers.push_back(v);
      if (v->pointer->storage == StorageClass::kPushConstant) push = v;
    }
    const auto place = [&](const Variable* v) {
      const Decorations& d = reader_.source().decorations(v->id);
      return std::tuple(d.set.value_or(0), d.binding.value_or(0), v->id);
    };
    std::sort(buffers.begin(), buffers.end(),
              [&](const Variable* a, const Variable* b) { return place(a) < place(b); });
    list_params();
    for (const Variable* v : buffers) add_buffers(*v);
    if (push != nullptr) add_push_constants(*push);
  }

  std::string free_name(std::string name) {
    const auto taken = [&] {
      return std::any_of(entry_.resources.begin(), entry_.resources.end(),
                         [&](const Resource& r) { return r.name == name; });
    };
    while (taken()) name += "'";
    return name;
  }

  std::string name_of(const Variable& v) {
    std::string name = reader_.source().name(v.id);
    if (name.empty() && v.object->kind == TypeClass::kStruct) {
      if (v.object->members.size() == 1) name = reader_.source().member_name(v.object->id, 0);
      if (v.object->members.size() != 1) name = reader_.source().name(v.object->id);
    }
    return name.empty() ? format("%%%u", v.id) : name;
  }

  ir::Param* add_param(const ir::Type* type, Resource& r) {
    r.name = free_name(r.name);
    r.param = static_cast<uint32_t>(kernel_.function->params.size());
    return reader_.module().add_param(kernel_.function, type, r.name);
  }

  bool is_read_only(const Variable& v) const {
    if (v.pointer->storage == StorageClass::kUniform && !is_buffer_block(v)) return true;
    if (reader_.source().decorations(v.id).is_read_only) return true;
    if (v.object->kind != TypeClass::kStruct || v.object->members.empty()) return false;
    for (uint32_t k = 0; k < v.object->members.size(); ++k) {
      if (!reader_.source().member(v.object->id, k).is_read_only) return false;
    }
    return true;
  }
  bool is_buffer_block(const Variable& v) const {
    return reader_.source().decorations(v.object->id).is_buffer_block;
  }

  void add_buffers(const Variable& v) {
    const Decorations& d = reader_.source().decorations(v.id);
    if (v.object->kind != TypeClass::kStruct) return fail(v, message::kBufferNotBlock());
    for (uint64_t k = 0; k < std::max<uint64_t>(1, v.buffers); ++k) {
      Resource r;
      const bool uniform = v.pointer->storage == StorageClass::kUniform && !is_buffer_block(v);
      r.kind = uniform ? ResourceKind::kUniformBuffer : ResourceKind::kStorageBuffer;
      r.set = d.set.value_or(0);
      r.binding = d.binding.value_or(0);
      r.name = name_of(v);
      if (v.buffers != 0) r.name += format(".%llu", static_cast<unsigned long long>(k));
      r.is_written = !is_read_only(v);
      describe_block(*v.object, r);
      ir::Param* p = add_param(reader_.types().scalar(*v.pointer), r);
      p->elem = r.element != nullptr ? r.element : r.block;
      p->is_const_elem = !r.is_written;
      p->spelling = (r.is_written ? "" : "const ") + to_string(p->elem) + "*";
      params_[v.id].push_back(p);
      entry_.resources.push_back(std::move(r));
    }
  }

  void describe_block(const TypeInfo& block, Resource& r) {
    Types& types = reader_.types();
    r.block = types.memory(block);
    r.least_bytes = types.size(block);
    if (block.members.empty()) return;
    const TypeInfo& last = *types.find(block.members.back());
    const bool is_open = last.kind == TypeClass::kRuntimeArray;
    if (is_open) r.least_bytes = types.offset(block, block.members.size() - 1);
    const bool is_all = block.members.size() == 1 && types.offset(block, 0) == 0;
    if (is_all && (is_open || last.kind == TypeClass::kArray)) r.element = r.block->fields[0].type->elem;
  }

  void add_push_constants(const Variable& v) {
    Resource r;
    r.kind = ResourceKind::kPushConstant;
    r.name = name_of(v);
    r.is_written = false;
    describe_block(*v.object, r);
    r.element = nullptr;
    if (r.block->size == 0 || r.block->size > 65536) return fail(v, message::kBlockSize());
    ir::Param* p = add_param(r.block, r);
    p->spelling = r.block->name;
    params_[v.id].push_back(p);
    entry_.resources.push_back(std::move(r));
  }

  void list_lengths() {
    for (const Need& n : body_.needs) {
      if (!n.is_length) continue;
      for (const ir::Param* buffer : params_[n.variable]) {
        Resource& r = *std::find_if(entry_.resources.begin(), entry_.resources.end(),
                                    [&](const Resource& x) { return x.param == buffer->index; });
        r.length = static_cast<uint32_t>(kernel_.function->params.size());
        ir::Param* p = reader_.module().add_param(
            kernel_.function, reader_.module().types().get(TypeKind::kU64), r.name + ".length");
        p->spelling = "u64";
        lengths_[n.variable].push_back(p);
      }
    }
  }

  // ---- the Kernel model's parameters

  const FunctionSource& function() const {
    return reader_.source().functions[reader_.source().function_at.at(source_entry_.function)];
  }

  void list_params() {
    if (!function().params.empty() && !source_entry_.is_kernel_model)
      return reader_.failure().set(*source_entry_.at, message::kParametersOfEntryPoint());
    for (const Instruction* at : function().params) add_kernel_param(*at);
  }

  void add_kernel_param(const Instruction& at) {
    Types& types = reader_.types();
    const TypeInfo& type = *types.find(at.type());
    Resource r;
    r.kind = ResourceKind::kParameter;
    r.name = reader_.source().name(at.result());
    if (r.name.empty()) r.name = format("%%%u", at.result());
    const Decorations& d = reader_.source().decorations(at.result());
    const ir::Type* passed = nullptr;
    if (type.kind != TypeClass::kPointer) {
      passed = types.memory(type);
      r.block = passed;
    } else {
      const TypeInfo* object = types.find(type.elem);
      r.element = object != nullptr && object->kind != TypeClass::kVoid ? types.memory(*object) : nullptr;
      passed = pointer_param(type, object, d, r);
    }
    if (passed == nullptr || passed->size == 0) return reader_.failure().set(at, message::kParameterType());
    r.is_written = !d.is_read_only && type.storage != StorageClass::kUniformConstant;
    ir::Param* p = add_param(passed, r);
    if (passed->is_ptr()) p->elem = r.element;
    p->is_const_elem = !r.is_written;
    p->spelling =
        passed->is_ptr() ? (r.element != nullptr ? to_string(r.element) : "void") + "*" : to_string(passed);
    kernel_params_.push_back(p);
    entry_.resources.push_back(std::move(r));
  }

  // The value of a pointer parameter: itself, the object (by value), or an offset in the launch's shared
  // memory.
  const ir::Type* pointer_param(const TypeInfo& type, const TypeInfo* object, const Decorations& d,
                                Resource& r) {
    Types& types = reader_.types();
    switch (type.storage) {
      case StorageClass::kCrossWorkgroup:
      case StorageClass::kUniformConstant: return types.scalar(type);
      case StorageClass::kWorkgroup:
        r.kind = ResourceKind::kWorkgroupMemory;
        return reader_.module().types().get(TypeKind::kU64);
      case StorageClass::kFunction:
        if (!d.is_by_value || object == nullptr) return nullptr;
        r.block = types.memory(*object);
        r.element = nullptr;
        return r.block;
      default: return nullptr;
    }
  }

  // The leaves of a parameter of the function.
  void pass_param(Emitter& e, const Instruction& at, ir::Param* given, Leaves& args) {
    Types& types = reader_.types();
    const TypeInfo& type = *types.find(at.type());
    if (type.kind == TypeClass::kPointer && type.storage == StorageClass::kWorkgroup) {
      const TypeInfo* object = types.find(type.elem);
      const ir::Type* elem =
          object != nullptr && types.size(*object) != 0 ? types.memory(*object) : e.kind(TypeKind::kU8);
      ir::Global* shared = dynamic_shared(given->name, elem);
      args.push_back(e.b.offset(shared, given, 1));
    } else if (given->type->is_scalar()) {
      args.push_back(given);
    } else {
      ir::Inst* copy = e.variable(given->type, given->name);
      e.b.store(copy, given);
      if (type.kind == TypeClass::kPointer) {
        args.push_back(copy);
        return;
      }
      const Leaves leaves = load_object(e, copy, type);
      args.insert(args.end(), leaves.begin(), leaves.end());
    }
  }

  ir::Global* dynamic_shared(std::string name, const ir::Type* elem) {
    ir::Module& module = reader_.module();
    while (module.find_global(name) != nullptr) name += "'";
    ir::Global* g = module.add_global(name, module.types().array(elem, 0), ir::Space::kShared);
    g->align = std::max<uint64_t>(16, elem->align);
    return g;
  }

  // ---- the body

  void write(Emitter& e) {
    clear_workgroup_variables(e);
    Leaves args;
    for (size_t k = 0; k < kernel_params_.size(); ++k)
      pass_param(e, *function().params[k], kernel_params_[k], args);
    for (const Need& n : body_.needs) args.push_back(provide(e, n));
    if (reader_.failure()) return;
    ir::Inst* call = e.b.emit(Op::kCall, body_.function->result, args);
    call->mutable_attr().callee = body_.function;
    e.b.ret(nullptr);
  }

  // Variables with an initial value, which can only be zero: one thread stores it, and the others wait.
  void clear_workgroup_variables(Emitter& e) {
    std::vector<const Variable*> all;
    for (const Instruction* i : reader_.source().declarations) {
      const Variable* v = reader_.variable(i->result());
      if (i->opcode == Opcode::kVariable && v != nullptr && v->initial != nullptr &&
          v->pointer->storage == StorageClass::kWorkgroup)
        all.push_back(v);
    }
    if (all.empty()) return;
    const ir::Type* u32 = e.kind(TypeKind::kU32);
    Value* index = BuiltIns(e).make(kLocalInvocationIndex, u32)[0];
    ir::Inst* first = e.b.make_if(e.b.compare(Op::kEq, index, e.zero(u32)));
    ir::Block* const here = e.b.block();
    e.b.at(first->blocks[0]);
    for (const Variable* v : all) initialise(e, v->global, *v->object, *v->initial);
    e.b.at(here);
    e.b.emit(Op::kBarrier, nullptr, {});
  }

  // A per-thread variable that holds the addresses (or sizes) of an array of buffers.
  Value* table(Emitter& e, const std::vector<ir::Param*>& params, const std::string& name) {
    ir::Inst* all = e.variable(e.b.types().array(params[0]->type, params.size()), name);
    for (size_t k = 0; k < params.size(); ++k)
      e.b.store(e.b.offset(all, e.number(e.kind(TypeKind::kU32), k), 8), params[k]);
    return all;
  }

  Value* provide(Emitter& e, const Need& n) {
    const Variable& v = *reader_.variable(n.variable);
    const std::string name = reader_.source().name(v.id);
    if (n.is_length) return v.buffers == 0 ? lengths_[v.id][0] : table(e, lengths_[v.id], name);
    if (is_buffer(v)) return v.buffers == 0 ? params_[v.id][0] : table(e, params_[v.id], name);
    ir::Inst* own = e.variable(reader_.types().memory(*v.object), name);
    switch (v.pointer->storage) {
      case StorageClass::kPushConstant: e.b.store(own, params_[v.id][0]); break;
      case StorageClass::kPrivate:
        if (v.initial != nullptr) initialise(e, own, *v.object, *v.initial);
        break;
      case StorageClass::kInput: built_in(e, v, own); break;
      default: fail(v, message::kVariableStorage());
    }
    return own;
  }

  void built_in(Emitter& e, const Variable& v, ir::Inst* own) {
    const std::optional<uint32_t> which = reader_.source().decorations(v.id).builtin;
    if (!which.has_value()) return fail(v, message::kInputNotBuiltIn());
    const std::vector<const ir::Type*> leaves = e.leaf_types(*v.object);
    if (leaves.empty() || !leaves[0]->is_int()) return fail(v, message::kBuiltInType());
    Val val;
    val.type = v.object->id;
    val.leaves = BuiltIns(e).make(static_cast<BuiltIn>(*which), leaves[0]);
    if (val.leaves.size() != leaves.size()) return fail(v, message::kBuiltIn(std::to_string(*which)));
    initialise(e, own, *v.object, val);
  }

  Reader& reader_;
  const EntryPoint& source_entry_;
  Translated& body_;
  Translated kernel_;
  Entry entry_;
  std::unordered_map<Id, std::vector<ir::Param*>> params_;
  std::unordered_map<Id, std::vector<ir::Param*>> lengths_;
  std::vector<ir::Param*> kernel_params_;
};

}  // namespace

Entry make_kernel(Reader& reader, const EntryPoint& entry, Translated& body,
                  std::optional<LocalSize> local_size) {
  return KernelMaker(reader, entry, body).make(local_size);
}

}  // namespace quern::spirv
