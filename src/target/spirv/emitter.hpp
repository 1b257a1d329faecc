// Emits one function: a kernel, or a library function that kernels call. The parts are in separate files:
// values, conversions, memory (which object, which address), accesses, atomics, threads, matrices, control.
// The virtual functions are implemented here for Vulkan; kernel_emitter.hpp overrides them for OpenCL.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "target/known_values.hpp"
#include "target/matrices.hpp"
#include "target/spirv/unit.hpp"

namespace quern::target::spirv {

// Pointers that may point to several address spaces are 64 bits, of which the upper 16 identify the space;
// those of device memory are plain addresses.
inline constexpr uint64_t kLiteralTag = 0xfffd;
inline constexpr uint64_t kSharedTag = 0xfffe;
inline constexpr uint64_t kLocalTag = 0xffff;

// The exact location of an object in memory.
struct Place {
  enum class Kind : uint8_t { kObject, kGlobal, kShared, kLocal, kGeneric, kPointer };
  Kind kind = Kind::kGlobal;
  Id at =
      0;  // kPointer: a SPIR-V pointer; otherwise an address, 64 bits for kGlobal and kGeneric, otherwise 32
  ir::Space space = ir::Space::kGeneric;  // kPointer
  uint32_t buffer = 0;                    // kGlobal with bound buffers: which one; 0: `at` says which
  const ir::Value* root = nullptr;        // kObject
  Id index = 0;                           // kObject: the element, 0: none but `units`
  uint32_t units = 0;                     // kObject: added to it
};

struct Access {
  uint32_t align = 1;
  bool is_volatile = false;
};

class Emitter {
 public:
  Emitter(Unit& unit, ir::Function& function);
  virtual ~Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  // A kernel: the function of the entry point. Sets the layout of its argument block.
  virtual Id kernel(driver::KernelInfo& info, size_t variables);
  Id library_function();

 protected:
  using Ids = std::vector<Id>;

  // emitter.cpp
  void body();
  Id finish(const Ids& types, const Ids& params, const std::string& name);
  virtual void place_objects();
  void arguments(driver::KernelInfo& info, size_t variables);
  void number_buffers(const driver::KernelInfo& info);
  Id push_constants(const std::map<uint64_t, std::pair<Rep, std::string>>& members);
  void place_variables();
  void place_arenas();
  void clear_shared(Id words);
  Id local_variable(Id type, std::string_view name);
  void line(const ir::Pos& pos);
  void refuse(const ir::Inst* at, const base::MessageText& reason) { unit_.refuse(at->pos, reason); }

  // Instructions of the current block.
  Id op(Opcode code, Id type, std::initializer_list<uint32_t> operands);
  virtual Id op(Opcode code, Id type, const Ids& operands);  // amounts of shifts have 32 bits
  Id real_op(Opcode code, Id type, std::initializer_list<uint32_t> operands);
  virtual void keep_rounding(Id result);  // never merged with another one
  Id extended(uint32_t function, Id type, const Ids& operands);
  Id glsl(Glsl function, Id type, std::initializer_list<uint32_t> operands) {
    return extended(static_cast<uint32_t>(function), type, operands);
  }
  void effect(Opcode code, std::initializer_list<uint32_t> operands) { code_.add(code, operands); }
  void label(Id id);
  // One of two values, computed only if needed; type 0: no value.
  Id choose(Id condition, Id type, const std::function<Id()>& yes, const std::function<Id()>& no);

  // Types and constants, in short.
  Id u32() { return b_.int_type(32); }
  Id u64() { return b_.int_type(64); }
  Id held(const ir::Type* scalar) { return unit_.held(scalar); }
  Id word(Rep rep, uint64_t n) { return b_.number(rep_type(b_, rep), is_wide(rep) ? 64 : 32, n); }

  // emit_values.cpp
  Ids value(const ir::Value* v);
  Id scalar(const ir::Value* v) { return value(v).at(0); }
  virtual Id constant(const ir::Type* type, uint64_t bits);
  Ids zero(const ir::Type* type);
  void define(const ir::Inst* i, Ids ids) { values_[i] = std::move(ids); }
  void define(const ir::Inst* i, Id id) { values_[i] = {id}; }
  bool pure(const ir::Inst* i);
  Id arithmetic(const ir::Inst* i);
  Id integer(const ir::Inst* i);
  Id divide(const ir::Inst* i);
  Id shift(const ir::Inst* i);
  Id logical(const ir::Inst* i);
  virtual Id bits_function(const ir::Inst* i);
  Id mul_hi(const ir::Inst* i);
  virtual Id real(const ir::Inst* i);
  Id min_max(const ir::Inst* i);
  Id multiply(const ir::Inst* i);
  Id quotient_of_bits(Id a, Id b);
  Id trimmed(const ir::Type* type, Id id);  // back to the representation of a narrow type
  virtual Id sign_extended(Id id, uint32_t bits);
  void aggregate(const ir::Inst* i);
  Ids extract(const ir::Inst* i);
  Ids insert(const ir::Inst* i);
  Id from_units(const Ids& units, uint32_t unit, uint64_t offset, const ir::Type* type);
  void into_units(Ids& units, uint32_t unit, uint64_t offset, const ir::Type* type, Id id);

  // emit_compare.cpp
  Id compare(const ir::Inst* i);
  Id compare_narrow(const ir::Inst* i);
  virtual Id comparable(const ir::Type* /*type*/, Id id) { return id; }  // a pointer as a number

  // emit_convert.cpp
  Id convert(const ir::Type* to, const ir::Type* from, Id id);
  Id to_integer(const ir::Type* to, const ir::Type* from, Id id);
  Id resized(Id id, Rep from, bool is_signed, Rep to);
  virtual Id widen_signed(Id narrow);
  Id bitcast(const ir::Type* to, const ir::Type* from, Id id);
  Id to_bits(const ir::Type* type, Id id);  // its form in memory: 32 bits, or 64 if it has 8 bytes
  Id from_bits(const ir::Type* type, Id id);
  virtual Id to_generic(const ir::Type* type, Id id);  // a pointer as a number that encodes where it points
  virtual Id from_generic(const ir::Type* type, Id id);
  Id low(Id wide) { return op(Opcode::kUConvert, u32(), {wide}); }
  Id widen(Id narrow) { return op(Opcode::kUConvert, u64(), {narrow}); }

  // emit_memory.cpp
  virtual Place place(const ir::Value* pointer);
  uint32_t buffer_of(const ir::Value* pointer) const;
  Place object_place(const ir::Value* pointer, const ir::Value* root);
  virtual Id address(const ir::Value* pointer);  // for uninitialized variables
  Id root_address(const ir::Value* root);
  virtual Id pointer_value(const ir::Inst* i);
  Id divided_exactly(Id number, uint64_t by);
  Id step(const ir::Inst* i);
  Id stepped(Id address, bool narrow, Id by) {
    return op(Opcode::kIAdd, narrow ? u32() : u64(), {address, by});
  }
  Id tag_is(Id generic, uint64_t tag);
  void load(const ir::Inst* i);
  void store(const ir::Inst* i);

  // emit_access.cpp
  bool is_plain_float(const Place& p, const ir::Type* type, Access how) const;
  virtual Id load_leaf(const Place& p, uint64_t offset, const ir::Type* type, Access how);
  virtual void store_leaf(const Place& p, uint64_t offset, const ir::Type* type, Id id, Access how);
  Id element(const Place& p, uint64_t offset);
  Id object_load(const Place& p, uint64_t offset, const ir::Type* type, Access how);
  void object_store(const Place& p, uint64_t offset, const ir::Type* type, Id id, Access how);
  Place moved(Place p, uint64_t offset);
  Id load_bits(const Place& p, uint32_t bytes, Access how);
  void store_bits(const Place& p, uint32_t bytes, Id bits, Access how);
  Id load_global(const Place& p, uint32_t bytes, Access how);
  void store_global(const Place& p, uint32_t bytes, Id bits, Access how);
  Id load_word(const Place& p, Access how);
  void store_word(const Place& p, Id bits, Access how);
  Id load_part(const Place& p, uint32_t bytes, Access how);
  void store_part(const Place& p, uint32_t bytes, Id bits, Access how);
  Id word_pointer(const Place& p);
  Id global_pointer(const Place& p, Id type, uint32_t bytes);
  Id generic_load(const Place& p, uint32_t bytes, Access how);
  void generic_store(const Place& p, uint32_t bytes, Id bits, Access how);
  Id dispatch(Id generic, Id type, const std::function<Id(const Place&)>& access);
  Id in_device_memory(Id address, Id type, const std::function<Id(const Place&)>& access);
  bool is_in_any_buffer(const Place& p) const {
    return p.kind == Place::Kind::kGlobal && unit_.binds() && p.buffer == 0;
  }
  bool has_bytes(uint32_t bytes) const;

  // emit_atomics.cpp
  void atomic(const ir::Inst* i);
  Id atomic_at(const ir::Inst* i, const ir::Type* type, const Place& p);
  virtual Id atomic_pointer(const ir::Inst* i, const Place& p, uint32_t bytes);

  // emit_threads.cpp
  virtual Id index_value(const ir::Inst* i);
  virtual void barrier();
  void warp_barrier();
  Id ballot(Id yes);
  Id shuffle(const ir::Inst* i);
  virtual void fence(const ir::Inst* i);
  Id clock(const ir::Inst* i);
  uint32_t all_memory() const;  // the memory that a barrier orders

  // emit_matrices.cpp
  Id component_type(ir::TypeKind element);
  Id matrix_type(const Fragment& f);
  Id to_component(ir::TypeKind element, Id id);
  Id from_component(ir::TypeKind element, Id id);
  void matrix_access(const ir::Inst* i, const FragmentPlace& at);
  Id matrix_memory(const ir::Value* pointer, uint32_t& unit);
  Id matrix_stride(const ir::Value* elements, uint32_t bytes, uint32_t unit);
  void matrix(const ir::Inst* i);

  // emit_control.cpp
  void block(const ir::Block* b);
  void statement(const ir::Inst* i);
  void branch(const ir::Inst* i);
  void loop(const ir::Inst* i);
  void loop_part(const ir::Block* b, Id go_on, Id leave);
  void switch_on(const ir::Inst* i);
  void scope(const ir::Inst* i);
  void call(const ir::Inst* i);
  void jump(Id to);
  virtual void merges(Id merge);            // before a selection
  virtual void enter(Id inside, Id merge);  // a construct that exits leave for `merge`
  virtual void loops(Id merge, Id next, uint32_t requested);
  bool is_simple(const ir::Block* b) const;

  Unit& unit_;
  Builder& b_;
  ir::Function& function_;
  const Matrices matrices_;
  KnownValues known_;
  std::unordered_map<const ir::Inst*, Id> matrix_variables_;
  Words code_, locals_;
  std::unordered_map<const ir::Value*, Ids> values_;
  std::unordered_map<const ir::Inst*, Id> exits_, continues_;
  Id current_ = 0;        // the label of the current block
  Id current_start_ = 0;  // of the first block, after the variables
  bool is_open_ = true;   // it has no terminator yet
  ir::Pos marked_;        // the last OpLine of the block
  Id shared_arena_ = 0, local_arena_ = 0, literal_arena_ = 0;
  std::unordered_map<const ir::Value*, uint64_t> arena_at_;
  bool uses_shared_arena_ = false, uses_local_arena_ = false, uses_literal_arena_ = false;
  std::unordered_map<const ir::Value*, uint32_t> buffers_;  // what is bound, by parameter and variable
  bool is_coherent_ = false;                                // plain accesses must be visible to other blocks
};

}  // namespace quern::target::spirv
