// Emits for the Kernel model: pointers are pointers (to bytes, in their address space), arguments are
// parameters, control flow is unstructured, and OpenCL functions are used where they are accurate enough.
#pragma once

#include <optional>

#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

StorageClass storage_of(ir::Space space);
// A pointer to bytes in that address space. On devices without generic pointers, those are numbers, which may
// be passed on and converted back to pointers of one address space.
Id kernel_pointer_type(Unit& unit, ir::Space space);
// The number of an OpenCL.std function that is used directly, as in OpenCL C text.
std::optional<OpenCl> opencl_function(ir::Op op);
bool is_dynamic(const ir::Global* g);           // dynamic shared memory
bool is_hidden_parameter(const ir::Global* g);  // the host allocates its memory

class KernelEmitter final : public Emitter {
 public:
  using Emitter::Emitter;

  Id kernel(driver::KernelInfo& info, size_t variables) override;

 private:
  struct Parameters {
    Ids types, ids;
  };

  // kernel_arguments.cpp
  Id parameter(Parameters& all, Id type, std::string_view name);
  void user_parameters(Parameters& all, size_t count);
  void offsets(Parameters& all, size_t count);
  void variables(Parameters& all);
  void dynamic_shared(Parameters& all);
  void report(Parameters& all, size_t users);
  void by_value(Parameters& all, const ir::Param* p);

  // kernel_objects.cpp
  void place_objects() override;
  void local_object(const ir::Inst* var);
  void shared_object(const ir::Global* g);
  void literal_object(const ir::Global* g);
  Id object_type(const ir::Type* type);
  Id initial(const ir::Type* type, const std::vector<uint8_t>& bytes);
  Id bytes_of(Id pointer, ir::Space space) {
    return op(Opcode::kBitcast, kernel_pointer_type(unit_, space), {pointer});
  }

  // kernel_memory.cpp
  Id address(const ir::Value* pointer) override;
  Id pointer_value(const ir::Inst* i) override;
  Id space_cast(Id pointer, ir::Space from, ir::Space to);
  Id is_space(const ir::Inst* i, Id pointer);
  Id moved_by(Id pointer, ir::Space space, Id bytes);
  bool is_number(ir::Space space) const {
    return space == ir::Space::kGeneric && !unit_.has(driver::Feature::generic_pointers);
  }
  Id number_of(Id pointer, ir::Space space) {
    return is_number(space) ? pointer : op(Opcode::kConvertPtrToU, u64(), {pointer});
  }
  Id from_number(Id number, ir::Space space) {
    return is_number(space) ? number
                            : op(Opcode::kConvertUToPtr, kernel_pointer_type(unit_, space), {number});
  }
  Id comparable(const ir::Type* type, Id id) override {
    return type->is_ptr() ? number_of(id, type->space) : id;
  }
  Id constant(const ir::Type* type, uint64_t bits) override;
  Id to_generic(const ir::Type* type, Id id) override;
  Id from_generic(const ir::Type* type, Id id) override;
  Place place(const ir::Value* pointer) override;
  Id load_leaf(const Place& p, uint64_t offset, const ir::Type* type, Access how) override;
  void store_leaf(const Place& p, uint64_t offset, const ir::Type* type, Id id, Access how) override;
  Id typed_pointer(const Place& p, uint64_t offset, Id type);
  Id memory_type(const ir::Type* type);
  uint32_t access_bits(const Place& p, Access how) const;
  Id atomic_pointer(const ir::Inst* i, const Place& p, uint32_t bytes) override;

  // kernel_values.cpp
  using Emitter::op;
  Id op(Opcode code, Id type, const Ids& operands) override;
  void keep_rounding(Id) override {}  // the entry point specifies it for all operations
  Id real(const ir::Inst* i) override;
  Id bits_function(const ir::Inst* i) override;
  Id reversed(Id id, Rep rep);
  Id sign_extended(Id id, uint32_t bits) override;
  Id widen_signed(Id narrow) override { return op(Opcode::kSConvert, u64(), {narrow}); }
  Id index_value(const ir::Inst* i) override;
  void barrier() override;
  void fence(const ir::Inst* i) override;
  void merges(Id) override {}
  void enter(Id inside, Id) override { effect(Opcode::kBranch, {inside}); }
  void loops(Id merge, Id next, uint32_t requested) override;

  std::string entry_;
  Id dynamic_bytes_ = 0;
};

}  // namespace quern::target::spirv
