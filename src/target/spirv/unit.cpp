#include "target/spirv/unit.hpp"

#include <cstring>

#include "target/matrices.hpp"
#include "target/spirv/model.hpp"

namespace quern::target::spirv {

namespace {

constexpr uint32_t kDynamicSharedId = 3;

}  // namespace

Unit::Unit(ir::Module& m, const Options& o, const Model& which)
    : module(m),
      options(o),
      model(which),
      b(which.environment),
      leaves(m.types()),
      objects(m, leaves, has_small(1) && has_small(2), which.pointer_type != nullptr) {
  for (ir::Function* f : m.functions) {
    if (Matrices(*f).any()) b.use_cooperative_matrices();
  }
}

Id Unit::held(const ir::Type* scalar) {
  if (scalar->is_ptr() && model.pointer_type != nullptr) return model.pointer_type(*this, scalar->space);
  return rep_type(b, rep_of(scalar));
}

Id Unit::element_type(const Object& object, bool is_shared) {
  if (object.type != nullptr) return held(object.type);
  if (object.unit >= 4 || !is_shared) return b.int_type(object.unit == 8 ? 64 : 32);
  b.need(object.unit == 1 ? Capability::kInt8 : Capability::kInt16);
  return b.int_type(object.unit * 8);
}

Id Unit::block_of(Id element, uint32_t bytes) {
  Id& block = blocks_[element];
  if (block == 0) {
    const Id array = b.unbounded_array_type(element);
    b.decorate(array, Decoration::kArrayStride, {bytes});
    block = b.struct_type({array});
    b.decorate(block, Decoration::kBlock);
    b.decorate_member(block, 0, Decoration::kOffset, {0});
  }
  return block;
}

Id Unit::buffer(uint32_t number, Id element, uint32_t bytes) {
  const auto [known, is_new] = buffers_.try_emplace({number, element}, 0);
  if (!is_new) return known->second;
  const Id block = block_of(element, bytes);
  const bool is_own = number >= driver::kReportBuffer;
  const std::string name = number == driver::kReportBuffer  ? "report"
                           : number == driver::kBlockBuffer ? "arguments"
                                                            : "buffer" + std::to_string(number);
  const Id id = b.global_variable(StorageClass::kStorageBuffer, block, name);
  b.decorate(id, Decoration::kDescriptorSet, {is_own ? 1U : 0U});
  b.decorate(id, Decoration::kBinding, {number - (is_own ? driver::kReportBuffer : 1U)});
  b.decorate(id, Decoration::kAliased);  // arguments may alias one buffer with different types
  return known->second = id;
}

Id Unit::dynamic_bytes() {
  if (dynamic_bytes_ == 0) dynamic_bytes_ = b.spec_u32(kDynamicSharedId, 4, "dynamic shared bytes");
  return dynamic_bytes_;
}

// The number of elements of `unit` bytes that hold `before` elements and the dynamic part; an array has at
// least one.
Id Unit::dynamic_count(uint32_t unit, uint32_t before) {
  const Id u32 = b.int_type(32);
  const Id rounded = b.spec_op(u32, Opcode::kIAdd, {dynamic_bytes(), b.u32(unit - 1)});
  const Id own = b.spec_op(u32, Opcode::kUDiv, {rounded, b.u32(unit)});
  if (before != 0) return b.spec_op(u32, Opcode::kIAdd, {own, b.u32(before)});
  const Id none = b.spec_op(b.bool_type(), Opcode::kIEqual, {own, b.u32(0)});
  return b.spec_op(u32, Opcode::kSelect, {none, b.u32(1), own});
}

Id Unit::initial_value(const ir::Global& g, const Object& object, Id type) {
  if (g.init.empty()) return b.null(type);
  std::vector<Id> elements;
  const Id element = element_type(object, false);
  const bool is_wide = object.unit == 8;
  for (uint64_t i = 0; i < object.count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, g.init.data() + i * object.unit, object.unit);
    if (object.type != nullptr && object.type->is_signed() && object.unit < 4) {
      const auto shift = static_cast<int>(64 - 8 * object.unit);
      bits = static_cast<uint32_t>(static_cast<int64_t>(bits << shift) >> shift);
    }
    elements.push_back(b.number(element, is_wide ? 64 : 32, bits));
  }
  return object.count == 1 ? elements[0] : b.composite(type, elements);
}

Id Unit::variable_of(const ir::Value* root) {
  Object& o = objects.of(root);
  if (o.variable != 0) return o.variable;
  const auto& g = *static_cast<const ir::Global*>(root);
  const bool is_shared = Objects::is_shared(root);
  const Id element = element_type(o, is_shared);
  const Id count = o.count == 0 ? dynamic_count(o.unit, 0) : b.u32(static_cast<uint32_t>(o.count));
  const Id type = o.count == 1 ? element : b.array_type(element, count);
  o.variable = is_shared ? b.global_variable(StorageClass::kWorkgroup, type, g.name)
                         : b.global_variable(StorageClass::kPrivate, type, g.name, initial_value(g, o, type));
  return o.variable;
}

}  // namespace quern::target::spirv
