// Variables and addresses.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;
using ir::TypeKind;

namespace {

bool is_register(Storage storage) { return storage == Storage::kScalar || storage == Storage::kVector; }

}  // namespace

// The memory of a variable that is a register; LLVM promotes it.
Emitter::Text Emitter::var_cell(const Inst* var) {
  const VarPlan& plan = plan_.var(var);
  const ir::Type* type = var->attr().type;
  const bool is_vector = plan.storage == Storage::kVector;
  const Text own = typed(type, is_vector);
  const Text memory = is_vector ? vec(Text(memory_spelling(type))) : Text(memory_spelling(type));
  Text& cell = cells_[var];
  if (cell.empty()) cell = stack_cell(own, 64);
  if (!plan.outlives_run || !cached_.insert(var).second) return cell;
  Text* const out = out_;
  out_ = &prologue_;
  const Text x = def("load " + memory + ", ptr " + record(plan.offset) + ", align 8");
  line("store " + own + " " + from_memory(type, x, is_vector).text + ", ptr " + cell);
  out_ = out;
  return cell;
}

Val Emitter::var_address(const Inst* var) {
  const VarPlan& plan = plan_.var(var);
  if (is_register(plan.storage)) return scalar_val(var->type, var_cell(var));
  const uint64_t bytes = lane_bytes(var->attr().type, var->attr().align);
  Text place;
  if (plan.outlives_run) {
    place = record(plan.offset);
  } else {
    Text& cell = cells_[var];
    if (cell.empty()) cell = stack_cell("[" + std::to_string(bytes * width_) + " x i8]", 64);
    place = cell;
  }
  if (plan.storage == Storage::kInterleaved || width_ == 1) return scalar_val(var->type, place);
  return {Rep::kAffine, var->type, place, static_cast<int64_t>(bytes), {}};
}

void Emitter::load(const Inst* i) {
  const Inst* root = plan_.root_of(i->operand(0));
  if (root == nullptr || !is_register(plan_.var(root).storage)) {
    values_[i] = load_from(root, value(i->operand(0)), i->type, i->attr().align, i->attr().is_volatile);
    return;
  }
  const bool is_vector = plan_.var(root).storage == Storage::kVector;
  const Text x = def("load " + typed(i->type, is_vector) + ", ptr " + var_cell(root));
  values_[i] = is_vector ? vector_val(i->type, x) : scalar_val(i->type, x);
}

void Emitter::store(const Inst* i) {
  const Inst* root = plan_.root_of(i->operand(0));
  const Val v = value(i->operand(1));
  if (root == nullptr || !is_register(plan_.var(root).storage)) {
    is_outflow_ = outflow_.has(buffer_of(i->operand(0)));
    store_to(root, value(i->operand(0)), i->operand(1)->type, v, i->attr().align, i->attr().is_volatile);
    is_outflow_ = false;
    return;
  }
  const ir::Type* type = i->operand(1)->type;
  const Text cell = var_cell(root);
  if (plan_.var(root).outlives_run) stored_.insert(root);
  if (plan_.var(root).storage == Storage::kScalar) {
    line("store " + Text(spelling(type)) + " " + as_scalar(v) + ", ptr " + cell);
    return;
  }
  const Text own = vec(type);
  Text x = as_vector(v);
  const auto declared = declared_under_.find(root);
  const bool is_whole = mask_.is_all() || (declared != declared_under_.end() && declared->second == mask_);
  if (!is_whole) {
    const Text old = def("load " + own + ", ptr " + cell);
    x = def("select " + vec(Text("i1")) + " " + mask_.text + ", " + own + " " + x + ", " + own + " " + old);
  }
  line("store " + own + " " + x + ", ptr " + cell);
}

// The distance between the bytes of a variable, in bytes.
uint64_t Emitter::spread(const ir::Value* pointer) const {
  const Inst* root = plan_.root_of(pointer);
  return root != nullptr && plan_.var(root).storage == Storage::kInterleaved ? width_ : 1;
}

Val Emitter::offset_by(const Val& pointer, uint64_t bytes) {
  if (bytes == 0) return pointer;
  Val v = pointer;
  const Text type = pointer.rep == Rep::kVector ? vec(Text("ptr")) : Text("ptr");
  v.text = def("getelementptr i8, " + type + " " + pointer.text + ", i64 " + std::to_string(bytes));
  return v;
}

Val Emitter::field(const Inst* i) {
  const uint64_t bytes = i->attr().type->fields[i->attr().index].offset;
  Val v = offset_by(value(i->operand(0)), bytes * spread(i->operand(0)));
  v.type = i->type;
  return v;
}

Val Emitter::offset(const Inst* i) {
  const Val pointer = value(i->operand(0));
  const ir::Type* wide = scalar(i->operand(1)->type->is_signed() ? TypeKind::kI64 : TypeKind::kU64);
  const Val index = convert(value(i->operand(1)), wide);
  const uint64_t scale = i->attr().scale * spread(i->operand(0));
  const auto scaled = [&](const Text& x, const Text& type) {
    if (scale == 1) return x;
    const Text factor = type == "i64" ? std::to_string(scale) : splat("i64", std::to_string(scale));
    return def("mul " + type + " " + x + ", " + factor);
  };
  if (pointer.rep != Rep::kVector && index.rep != Rep::kVector) {
    const Text text = def("getelementptr i8, ptr " + pointer.text + ", i64 " + scaled(index.text, "i64"));
    const int64_t stride = pointer.stride + index.stride * static_cast<int64_t>(scale);
    return {stride != 0 ? Rep::kAffine : Rep::kScalar, i->type, text, stride, {}};
  }
  const Text distance = scaled(as_vector(index), vec(Text("i64")));
  const Text base = pointer.is_scalar() ? "ptr " + pointer.text : vec(Text("ptr")) + " " + as_vector(pointer);
  return vector_val(i->type, def("getelementptr i8, " + base + ", " + vec(Text("i64")) + " " + distance));
}

// The addresses of the lanes in a variable whose pieces are vectors.
Val Emitter::lane_pointer(const Inst* root, const Val& pointer) {
  if (root == nullptr || plan_.var(root).storage != Storage::kInterleaved || width_ == 1) return pointer;
  const int64_t granule = plan_.var(root).granule;
  if (pointer.rep != Rep::kVector) {
    return {Rep::kAffine, pointer.type, pointer.text, pointer.stride + granule, {}};
  }
  const Text steps = constants("i64", [&](uint32_t l) { return std::to_string(granule * l); });
  return vector_val(pointer.type, def("getelementptr i8, " + vec(Text("ptr")) + " " + pointer.text + ", " +
                                      vec(Text("i64")) + " " + steps));
}

Val Emitter::load_from(const Inst* root, const Val& pointer, const ir::Type* type, uint32_t align,
                       bool is_volatile) {
  const uint64_t apart = root != nullptr && plan_.var(root).storage == Storage::kInterleaved ? width_ : 1;
  const auto load_one = [&](const Val& at, const ir::Type* scalar, uint32_t aligned) {
    if (!is_volatile && is_own_row(root, at, scalar)) return load_row(at, scalar);
    return load_scalar(lane_pointer(root, at), scalar, aligned, is_volatile);
  };
  if (type->is_scalar()) return load_one(pointer, type, align);
  const std::vector<Leaf> all = leaves(type);
  if (root == nullptr && !is_volatile && is_struct_row(pointer, type, all))
    return load_struct_row(pointer, type, all);
  std::vector<Val> parts;
  for (const Leaf& leaf : all)
    parts.push_back(load_one(offset_by(pointer, leaf.offset * apart), leaf.type, 0));
  return whole(type, std::move(parts));
}

void Emitter::store_to(const Inst* root, const Val& pointer, const ir::Type* type, const Val& v,
                       uint32_t align, bool is_volatile) {
  const uint64_t apart = root != nullptr && plan_.var(root).storage == Storage::kInterleaved ? width_ : 1;
  const auto store_one = [&](const Val& at, const ir::Type* scalar, const Val& x, uint32_t aligned) {
    if (!is_volatile && is_own_row(root, at, scalar)) return store_row(at, scalar, x);
    store_scalar(lane_pointer(root, at), scalar, x, aligned, is_volatile);
  };
  if (type->is_scalar()) return store_one(pointer, type, v, align);
  const std::vector<Leaf> all = leaves(type);
  if (root == nullptr && !is_volatile && is_struct_row(pointer, type, all))
    return store_struct_row(pointer, all, v);
  for (size_t k = 0; k < all.size(); ++k)
    store_one(offset_by(pointer, all[k].offset * apart), all[k].type, v.parts[k], 0);
}

void Emitter::mem_copy(const Inst* i) {
  std::vector<Val> x;
  for (const ir::Value* v : i->operands) x.push_back(value(v));
  const auto one = [&](const Text& a, const Text& b, const Text& bytes) {
    if (i->is(Op::kMemSet)) {
      intrinsic("memset.p0.i64", "void", {"ptr", "i8", "i64", "i1"}, {a, b, bytes, "false"});
    } else {
      intrinsic("memmove.p0.p0.i64", "void", {"ptr", "ptr", "i64", "i1"}, {a, b, bytes, "false"});
    }
  };
  if (x[0].is_scalar() && x[1].is_scalar() && x[2].is_scalar()) return one(x[0].text, x[1].text, x[2].text);
  call_for_lanes(nullptr, x, [&](const Texts& t) {
    one(t[0], t[1], t[2]);
    return Text();
  });
}

// Whether an address is in the block's shared memory, in a lane's local memory, or in constant memory.
Val Emitter::is_space(const Inst* i) {
  const Val pointer[] = {value(i->operand(0))};
  const auto number = [&](const Text& p) { return entry_def("ptrtoint ptr " + p + " to i64"); };
  return apply(scalar(TypeKind::kBool), pointer, [&](const Texts& x, bool v) {
    const Text type = v ? vec(Text("i64")) : Text("i64"), bits = v ? vec(Text("i1")) : Text("i1");
    const Text address = def("ptrtoint " + typed(i->operand(0)->type, v) + " " + x[0] + " to " + type);
    const auto lies_in = [&](const Text& start, const Text& bytes) {
      const Text distance = def("sub " + type + " " + address + ", " + (v ? splat("i64", start) : start));
      return def("icmp ult " + type + " " + distance + ", " + (v ? splat("i64", bytes) : bytes));
    };
    const auto either = [&](const Text& a, const Text& b) {
      return a.empty() ? b : def("or " + bits + " " + a + ", " + b);
    };
    Text in_shared = lies_in(number(context_field(kAtShared, "ptr")),
                             entry_def("zext i32 " + context_field(kAtSharedBytes, "i32") + " to i64"));
    const Text bundles = entry_def("sub i32 " + context_field(kAtEndBundle, "i32") + ", " +
                                   context_field(kAtFirstBundle, "i32"));
    const Text scratch =
        entry_def("mul i64 " + entry_def("zext i32 " + bundles + " to i64") + ", RECORD_BYTES");
    Text in_local = lies_in(number(context_field(kAtScratch, "ptr")), scratch);
    Text in_constant;
    for (const auto& [global, index] : globals_) {
      if (global->space != ir::Space::kConstant) continue;
      in_constant = either(in_constant,
                           lies_in(number(this->global(global).text), std::to_string(global->object->size)));
    }
    if (i->attr().space == ir::Space::kShared) return in_shared;
    if (i->attr().space == ir::Space::kLocal) return in_local;
    if (i->attr().space == ir::Space::kConstant)
      return in_constant.empty() ? (v ? Text("zeroinitializer") : Text("false")) : in_constant;
    Text other = either(in_shared, in_local);
    if (!in_constant.empty()) other = either(other, in_constant);
    return def("xor " + bits + " " + other + ", " + (v ? mask_text({}) : Text("true")));
  });
}

}  // namespace quern::llvm
