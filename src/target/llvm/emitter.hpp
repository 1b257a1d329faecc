// Writes the LLVM IR of one kernel; private to emit*.cpp. Holds the values and masks of the current code, and
// one method per kind of operation, grouped by the file that defines them.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "target/llvm/abi.hpp"
#include "target/llvm/outflow.hpp"
#include "target/llvm/plan.hpp"
#include "target/llvm/types.hpp"

namespace quern::llvm {

// The representation of a value in the code.
enum class Rep : uint8_t {
  kScalar,  // the same for all lanes
  kAffine,  // lane l has text + l * stride (bytes, for a pointer)
  kVector,
  kParts,  // an aggregate, by its leaves
};
struct Val {
  Rep rep = Rep::kScalar;
  const ir::Type* type = nullptr;
  std::string text;
  int64_t stride = 0;
  std::vector<Val> parts;
  // For a bool: scalars that are true only if all lanes are true, or only if none is; may be empty.
  std::string surely{}, never{};
  bool is_scalar() const { return rep == Rep::kScalar; }
};

// The active lanes. There is always at least one.
struct Mask {
  std::string text;        // empty: all lanes, known at compile time
  bool may_be_all = true;  // otherwise it is not worth generating code for that case
  // Cheap tests for all lanes being active, or none; if false, it may still be so.
  std::string surely{}, never{};
  bool is_all() const { return text.empty(); }
  bool operator==(const Mask& o) const { return text == o.text; }
};

class Emitter {
 public:
  Emitter(const ir::Module& module, ir::Function& kernel, const Options& options,
          std::unordered_map<const ir::Inst*, uint32_t> sites,
          std::unordered_map<const ir::Global*, size_t> globals,
          const std::vector<const ir::Inst*>& stepping);
  base::Result<Code> run();

 private:
  using Text = std::string;
  using Texts = std::vector<std::string>;

  Text begin_row();

  // --- emit_text.cpp: writing ---
  void line(const Text& text);
  Text def(const Text& text);  // writes "%t7 = text"; returns "%t7"
  Text fresh_label(const char* what);
  void label(const Text& name);
  void br(const Text& to);
  void br_if(const Text& condition, const Text& yes, const Text& no);
  Text stack_cell(const Text& type, uint32_t align);
  Text call(const char* helper, const Text& arguments);  // of QUERN_LLVM_HELPERS
  Text intrinsic(const Text& name, const Text& result, const Texts& types, const Texts& arguments);
  Text vec(const Text& type) const;  // "<4 x float>"; width 1: "float"
  Text vec(const ir::Type* type) const;
  Text vec_suffix(const ir::Type* type, bool is_vector) const;
  Text splat(const Text& type, const Text& scalar);
  Text constants(const Text& type, const std::function<Text(uint32_t)>& element) const;
  Text entry_def(const Text& text);  // in the function's first block
  Text context_field(uint32_t offset, const char* type);
  void fail(const ir::Inst* inst, const base::MessageText& what);

  // --- emit_lines.cpp: table of source lines ---
  Text line_mark();         // after an instruction of the kernel: its source position
  Text lines_text() const;  // what the marks refer to
  Text scope_of(uint16_t file);

  // --- emit_value.cpp: values ---
  Val value(const ir::Value* value);
  Val constant(const ir::Type* type, uint64_t bits) const;
  Val zero(const ir::Type* type) const;
  Val scalar_val(const ir::Type* type, Text text) const;
  Val vector_val(const ir::Type* type, Text text) const;
  Text as_vector(const Val& v);
  Text as_scalar(const Val& v);
  Val param(const ir::Param* param);
  Val global(const ir::Global* global);
  Val recalled(const ir::Inst* inst);
  void remember(const ir::Inst* inst, const Val& v);
  bool is_cheap(const ir::Inst* inst, int depth) const;
  Text lane_of(const Val& v, const Text& lane, std::map<Text, Text>& spilled);
  // fn gets each operand's text and whether they are vectors; returns the result's text.
  Val apply(const ir::Type* result, std::span<const Val> operands,
            const std::function<Text(const Texts&, bool)>& fn);
  // The same, as a separate function if the kernel is large.
  Val apply_heavy(const ir::Type* result, std::span<const Val> operands,
                  const std::function<Text(const Texts&, bool)>& fn);
  Text typed(const ir::Type* type, bool is_vector) const;

  // --- emit_outline.cpp: outlined functions of the module ---
  struct Passed {
    Texts parameters, arguments;
    std::vector<Val> inside;  // the operands as the function sees them; a vector's text is its address
  };
  bool is_large() const;
  Text passing_cell(size_t index);
  Passed pass_operands(std::span<const Val> operands);
  void call_outlined(const Passed& passed, const std::function<void()>& body);
  Val call_for_lanes(const ir::Type* result, std::span<const Val> operands,
                     const std::function<Text(const Texts&)>& fn);
  Val call_for_vectors(const ir::Type* result, std::span<const Val> operands,
                       const std::function<Text(const Texts&)>& fn);

  // --- emit_mask.cpp: active lanes ---
  Text reduced(const Text& mask, bool wants_all);
  Text mask_cell(const Mask& mask);
  void keep_mask(const Text& cell, const Text& mask);
  Text kept_mask(const Text& cell);
  Text any(const Text& mask);
  Text all(const Text& mask);
  Text mask_text(const Mask& mask) const;  // as a vector of i1
  Mask mask_and(const Mask& mask, const Text& condition, bool negated);
  Mask mask_where(const Mask& mask, const Val& condition, bool negated);
  Text all_run(const Mask& mask);
  Text mask_bits();   // i64
  Text first_lane();  // i32
  Text load_mask(const Text& pointer);
  Text kept_number(const Text& pointer);
  Text kept_any(const Text& pointer);
  Text kept_all(const Text& pointer);
  void store_mask(const Text& pointer, const Text& mask);
  Text off_pointer(const Target& target);
  void turn_off(const Target& target);
  Mask without(const Mask& mask, std::span<const Target> targets);
  void after_construct(const ir::Inst* construct, const Mask& before);
  void clear_off(const Target& target);
  std::map<Text, Text> spill(std::span<const Val> operands);
  void each_lane(const std::function<void(const Text& lane)>& fn);  // that runs
  Val per_lane(const ir::Type* result, std::span<const Val> operands,
               const std::function<Text(const Texts&)>& fn);  // no side effects: all lanes
  Val each_in_line(const ir::Type* result, std::span<const Val> operands,
                   const std::function<Text(const Texts&)>& fn);

  // --- emit_control.cpp: control flow inside of a bundle ---
  struct Labels {
    Text end;
    Text step;
  };
  void block(const ir::Block* block, const Text& end);
  void inst(const ir::Inst* inst);
  void control(const ir::Inst* inst);
  void if_(const ir::Inst* inst);
  void masked_branch(const ir::Block* block, const Mask& mask, const Text& end, const Text& next);
  void loop(const ir::Inst* inst);
  void switch_(const ir::Inst* inst);
  void uniform_switch(const ir::Inst* inst, const Text& end);
  void scope(const ir::Inst* inst);
  void jump(const ir::Inst* inst);
  void yield(const ir::Inst* inst, const Text& run_mask, const Text& go, const Text& end);
  bool is_worth_copying(const ir::Block* block) const;

  // --- emit_group.cpp: control flow around loops over bundles ---
  struct GroupMask {
    bool is_all = true;
    uint64_t slot = 0;  // in the record
  };
  struct Flag {
    Text pointer;  // an i1 of the block
  };
  void group_block(const ir::Block* block, const GroupMask& mask);
  void group_control(const ir::Inst* inst, const GroupMask& mask, std::vector<const ir::Inst*>& items);
  void group_if(const ir::Inst* inst, const GroupMask& mask, std::vector<const ir::Inst*>& items);
  void group_loop(const ir::Inst* inst, const GroupMask& mask, std::vector<const ir::Inst*>& items);
  bool asks_block(const ir::Block* head) const;
  void ask_once(const ir::Block* head, const Text& go, const Text& end);
  void woven_loop(const ir::Inst* inst, const GroupMask& mask, std::vector<const ir::Inst*>& items);
  void woven_begin(const GroupMask& inner, const GroupMask& mask, std::vector<const ir::Inst*>& items,
                   const Text& whole);
  void woven_round(const ir::Inst* inst, const GroupMask& inner, const Text& whole, const Text& more);
  Mask woven_asking(const ir::Block* block);
  void woven_keep(const GroupMask& inner, const Mask& left);
  void woven_turn(const ir::Inst* inst, const GroupMask& inner, const Text& whole, const Text& more,
                  const std::map<const ir::Inst*, Text>& next_turn);
  bool replay(const ir::Value* value, int depth);
  void prefetch_next(const ir::Block* body, const std::map<const ir::Inst*, Text>& next);
  void step_once(const ir::Inst* loop);
  std::map<const ir::Inst*, Text> next_indices(const ir::Inst* loop);
  void woven_masked_turn(const ir::Inst* inst, const GroupMask& inner, const Text& more);
  void group_switch(const ir::Inst* inst, const GroupMask& mask, std::vector<const ir::Inst*>& items);
  void group_scope(const ir::Inst* inst, const GroupMask& mask, std::vector<const ir::Inst*>& items);
  void group_jump(const ir::Inst* inst, const GroupMask& mask, std::vector<const ir::Inst*>& items);
  void group_barrier(const ir::Inst* inst, const GroupMask& mask, std::vector<const ir::Inst*>& items);
  void check_barrier(const ir::Inst* inst, const Text& here, const Text& missing);
  void run_items(std::vector<const ir::Inst*>& items, const GroupMask& mask,
                 const std::function<void()>& tail);
  void bundle_loop(const GroupMask& mask, size_t size, const std::function<void()>& fn);
  void bundle_of_row(const GroupMask& mask, size_t size, const std::function<void()>& fn);
  void copy_of_run(const Mask& mask, const std::function<void()>& fn);
  void bundle_mask(const GroupMask& mask, const Text& skip, size_t size, const std::function<void()>& fn);
  std::vector<const ir::Inst*> rest_of(const ir::Block* block) const;
  void clear_masks(std::span<const uint64_t> slots);
  void clear_masks(std::initializer_list<uint64_t> slots);
  Text group_flag();
  void raise_flag(const Text& flag, const Text& condition);
  GroupMask new_group_mask();
  void set_up_masks(const GroupMask& mask);
  Text record(uint64_t offset);

  // --- emit_abreast.cpp: interleaved blocks ---
  Text slot_cell(const Text& array, const Text& type);
  Text cell_type(const ir::Inst* var) const;
  void begin_abreast();
  void open_piece();
  void close_piece();
  void abreast_loop(const std::function<void(const Text& whole)>& begin,
                    const std::function<void(const Text& whole, const Text& more)>& turn);

  // --- emit_merged.cpp: additions of interleaved blocks to the same addresses ---
  Text sums_of(uint64_t offset);
  void begin_merged();
  bool merge(const ir::Inst* addition, const Val& x);
  void add_sums(const ir::Inst* addition, uint64_t offset);
  void end_merged();

  // --- emit_aligned.cpp: indices that are multiples of the width ---
  std::vector<const ir::Inst*> find_aligned() const;
  Text ask_aligned(const std::vector<const ir::Inst*>& wanted);
  void copies_by_alignment(const Mask& mask, const std::function<void()>& fn);
  bool is_aligned(const ir::Value* value) const;
  static bool is_asked_about(const ir::Inst* inst);
  bool is_place_in_piece(const ir::Inst* inst) const;
  Val aligned_arithmetic(const ir::Inst* inst, const Val& index, const Val& other);

  // --- emit_memory.cpp: variables, loads and stores ---
  Val var_address(const ir::Inst* var);
  Text var_cell(const ir::Inst* var);
  void load(const ir::Inst* inst);
  void store(const ir::Inst* inst);
  Val load_from(const ir::Inst* root, const Val& pointer, const ir::Type* type, uint32_t align,
                bool is_volatile);
  void store_to(const ir::Inst* root, const Val& pointer, const ir::Type* type, const Val& v, uint32_t align,
                bool is_volatile);
  Val offset_by(const Val& pointer, uint64_t bytes);
  Val offset(const ir::Inst* inst);
  Val field(const ir::Inst* inst);
  uint64_t spread(const ir::Value* pointer) const;
  Val lane_pointer(const ir::Inst* root, const Val& pointer);
  void mem_copy(const ir::Inst* inst);
  Val is_space(const ir::Inst* inst);

  // --- emit_access.cpp: one scalar type, all lanes ---
  Val load_scalar(const Val& pointer, const ir::Type* type, uint32_t align, bool is_volatile);
  Val load_some(const Val& pointer, const ir::Type* type, const Text& align);
  Text copy_lanes(const Text& from, const Text& to, const Text& memory, const Text& align);
  void store_fours(const Text& to, const Text& memory, const Text& x, const Text& align);
  void store_some(const Val& pointer, const ir::Type* type, const Val& v, const Text& align);
  void store_lines(const Text& to, const ir::Type* type, const Text& x, const Text& how, const Text& align);
  void store_scalar(const Val& pointer, const ir::Type* type, const Val& v, uint32_t align, bool is_volatile);
  bool is_own_row(const ir::Inst* root, const Val& pointer, const ir::Type* type) const;
  Val load_row(const Val& pointer, const ir::Type* type);
  void store_row(const Val& pointer, const ir::Type* type, const Val& v);

  // emit_past.cpp
  void store_either_way(const Text& to, uint64_t bytes, const Text& align,
                        const std::function<void(const Text& how)>& stores);

  // emit_structs.cpp
  bool is_struct_row(const Val& pointer, const ir::Type* type, const std::vector<Leaf>& all) const;
  Val load_struct_row(const Val& pointer, const ir::Type* type, const std::vector<Leaf>& all);
  void store_struct_row(const Val& pointer, const std::vector<Leaf>& all, const Val& v);
  Val from_memory(const ir::Type* type, Text text, bool is_vector);
  Text to_memory(const ir::Type* type, Text text, bool is_vector);
  bool uses_intrinsics() const;

  // --- emit_arithmetic.cpp, emit_convert.cpp, emit_math.cpp ---
  Val arithmetic(const ir::Inst* inst);
  Val affine_arithmetic(const ir::Inst* inst, const Val& a, const Val& b, bool& done);
  static bool is_part_of_thread(const ir::Inst* inst);
  Val part_of_thread(const ir::Inst* inst, const Val& thread, bool& done);
  Text int_op(const ir::Inst* inst, const Texts& x, bool v);
  Text divide_doubles(const ir::Inst* inst, const Text& a, const Text& b);
  Text divide(const ir::Inst* inst, const Texts& x, bool v);
  Text shift(const ir::Inst* inst, const Texts& x, bool v);
  Text mul_hi(const ir::Type* type, const Texts& x, bool v);
  Text min_max_float(const ir::Type* type, bool want_max, const Texts& x, bool v);
  Text float_op(const ir::Inst* inst, const Texts& x, bool v);
  Val compare(const ir::Inst* inst);
  std::optional<Val> known_comparison(const ir::Inst* inst, const Val& a, const Val& b);
  Val compared(const ir::Inst* inst, std::span<const Val> operands);
  void see_bounds(const ir::Inst* inst, const Val& a, const Val& b, Val& result);
  void see_both(const ir::Inst* inst, std::span<const Val> operands, Val& result);
  Val select(const Val& condition, const Val& a, const Val& b);
  Val bits_op(const ir::Inst* inst);
  Text byte_perm(const Texts& x, bool v);
  Text dot4(const ir::Type* type, const Texts& x, bool v);
  Text byte_products(const Text& sum, const Text& unsigned_bytes, const Text& signed_bytes);
  Val convert(const Val& v, const ir::Type* to);
  Val convert_affine(const Val& v, const ir::Type* to);
  Text convert_text(const ir::Type* from, const ir::Type* to, const Text& x, bool v);
  Text resize_int(const ir::Type* from, const ir::Type* to, const Text& x, bool v);
  Text int_to_float(const ir::Type* from, const ir::Type* to, const Text& x, bool v);
  Text float_to_int(const ir::Type* from, const ir::Type* to, const Text& x, bool v);
  Text float_to_float(const ir::Type* from, const ir::Type* to, const Text& x, bool v);
  Val convert_rounded(const ir::Inst* inst);
  Val bitcast(const Val& v, const ir::Type* to);
  Text widen(const ir::Type* from, const Text& x, bool v);  // half and bfloat16 to float
  Text narrow(const ir::Type* to, const Text& x, bool v);   // and back, rounded
  // By group of operations, called by inst().
  bool memory_op(const ir::Inst* inst);
  Val pointer_op(const ir::Inst* inst);
  Val value_op(const ir::Inst* inst);
  bool effect(const ir::Inst* inst);
  Val math(const ir::Inst* inst);
  Val library_function(const ir::Inst* inst, std::span<const Val> operands);
  Val evaluated(const ir::Inst* inst, std::span<const Val> operands);

  // emit_lanes.cpp
  Val in_lanes(const ir::Inst* inst, const ir::Function& function, std::span<const Val> operands);
  Val lane_body(const ir::Function& function, std::span<const Val> operands);
  Val lane_call(const ir::Function& function, std::span<const Val> operands, bool is_vector);
  bool is_lane_call_inline(const ir::Inst* inst);
  Text to_bits(const ir::Type* type, const Text& x);  // one lane's value as i64
  Text from_bits(const ir::Type* type, const Text& x);

  // --- emit_aggregate.cpp ---
  Val extract(const ir::Inst* inst);
  Val insert(const ir::Inst* inst);
  Val construct(const ir::Inst* inst);
  Val parts_of(const Val& v) const;
  Val whole(const ir::Type* type, std::vector<Val> parts) const;
  Text temporary(const ir::Type* type);

  // --- emit_atomic.cpp, emit_warp.cpp, emit_effect.cpp ---
  Val atomic(const ir::Inst* inst);
  Text atomic_lane(const ir::Inst* inst, const Texts& x);
  bool is_own_memory(const ir::Inst* inst) const;
  Text plain_update(const ir::Inst* inst, const Text& pointer, const Text& x);
  bool is_undisturbed(const ir::Inst* first, const ir::Inst* last) const;
  bool find_rows(const ir::Value* value, const ir::Inst* user, std::vector<const ir::Inst*>& rows,
                 std::vector<const ir::Inst*>& chain);
  Text row_number(const ir::Inst* row, const Text& at, uint32_t bits);
  std::optional<Val> atomic_from_rows(const ir::Inst* inst);
  Val index_op(const ir::Inst* inst);
  Val warp(const ir::Inst* inst);
  Val shuffle(const ir::Inst* inst);
  Text shuffled(const ir::Inst* inst, const Texts& operands);
  Text shifted(const ir::Inst* inst, const Text& x, const Text& by);
  Text shuffle_source(const ir::Inst* inst, const Text& by, const Text& width);
  Val vote(const ir::Inst* inst);
  Val match(const ir::Inst* inst);
  Text reduced_over(const ir::Inst* inst, const Text& x, const Text& group);
  Val warp_reduce(const ir::Inst* inst);
  Text group_of(const Val& mask);
  Text owed_place();
  void forget_owed();
  void check_owed(const ir::Inst* inst, const Text& named);
  Val warp_of_fibers(const ir::Inst* inst);
  void print(const ir::Inst* inst);
  void fault(const ir::Inst* inst, const Val* condition);
  void mark_place(const ir::Inst* i);
  void call_fault(const ir::Inst* inst, const Text& thread);
  Text thread_of(const Text& lane);

  const ir::Module& module_;
  ir::Function& kernel_;
  Options options_;
  uint32_t width_;
  std::unordered_map<const ir::Inst*, uint32_t> sites_;
  std::unordered_map<const ir::Global*, size_t> globals_;
  Plan plan_;
  SharedLayout shared_;

  Text entry_, allocas_;
  Text* out_ = nullptr;
  Text main_;
  std::set<Text> declarations_;
  Text functions_;
  std::unordered_map<Text, Text> outlined_;  // by body: name
  std::map<ir::Op, size_t> lane_uses_;       // how often the kernel has an operation; filled on first use
  Texts passing_cells_;
  Text prefix_ = "%t";  // of values
  uint32_t next_ = 0;
  bool is_terminated_ = false;
  ir::Pos pos_;  // of the current instruction

  std::map<uint16_t, Text> scopes_;  // by file
  size_t scattered_ = 0;             // accesses that were scalarized under a mask
  bool is_better_alone_ = false;
  std::optional<base::Error> error_;

  std::unordered_map<const ir::Inst*, Val> values_;    // of this copy of this run
  std::unordered_map<const ir::Inst*, Val> recalled_;  // how values are kept between runs; text: offsets
  std::unordered_map<const ir::Inst*, std::vector<uint64_t>> kept_at_;
  std::unordered_map<const ir::Inst*, Text> cells_;  // allocas of variables
  std::set<const ir::Inst*> cached_, stored_;        // variables of the record that this copy holds in cells
  std::unordered_map<const ir::Inst*, Mask> declared_under_;
  std::map<Text, Text> entry_values_;
  std::unordered_map<const ir::Param*, Val> params_;
  std::map<Target, Text> off_cells_;
  std::map<Target, uint64_t> off_slots_;
  std::unordered_map<const ir::Inst*, Labels> labels_;
  std::unordered_map<const ir::Inst*, Text> barrier_results_;
  std::vector<Target> open_groups_;  // enclosing group targets that lanes may have left for
  Text prologue_;
  Mask mask_, run_mask_;
  Text block_end_;  // the target when no lane is active
  Text run_end_;
  Text function_end_;
  std::optional<uint64_t> owed_slot_;  // lanes of the bundle that a warp operation excluded
  Text owed_cell_;
  uint64_t whole_slot_ = 0;  // the mask of the function's body
  Text bundle_, record_, base_;
  Text block_ = "%block";              // the number, in x
  Text scratch_, shared_base_, slot_;  // of the block, if several are interleaved; otherwise empty
  Text abreast_count_, block_scratch_, block_shared_;
  Text piece_counter_, piece_head_;
  Text row_bundles_;  // if rows of threads are run: the number of bundles of one
  std::unordered_map<const ir::Inst*, Text> index_arrays_;
  std::unordered_map<const ir::Inst*, uint64_t> merged_;  // places of the sums
  std::map<Text, std::pair<Text, Text>> mask_facts_;
  std::set<const ir::Inst*> aligned_;  // known to be multiples of the width, in the first lane
  bool in_run_ = false;
  const Outflow outflow_;
  bool is_outflow_ = false;  // the current store is to a write-only buffer
  Text values_warp_lane_;    // code for one thread: its lane
};

}  // namespace quern::llvm
