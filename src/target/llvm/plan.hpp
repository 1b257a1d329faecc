// Analysis of a kernel before its code is generated: which constructs contain barriers (they run once for the
// block, around loops over its bundles), which values and variables outlive such a loop, how variables are
// stored, and which jumps only deactivate lanes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/ir.hpp"
#include "lang/pass/pass.hpp"
#include "target/llvm/emit.hpp"

namespace quern::llvm {

// Where thread_id.x increases along a bundle, y and z are uniform in it.
inline constexpr uint32_t kSameThreadIds = 6;

// The target of a jump. No construct: out of the kernel.
struct Target {
  const ir::Inst* construct = nullptr;
  bool continues = false;
  bool operator==(const Target&) const = default;
  bool operator<(const Target& o) const {
    return construct != o.construct ? construct < o.construct : continues < o.continues;
  }
};

enum class Storage : uint8_t {
  kScalar,       // one value for the bundle
  kVector,       // a vector
  kInterleaved,  // pieces of `granule` bytes, each as a vector: accesses at a uniform index are contiguous
  kPerLane,      // each lane has its own bytes, one lane after the other: for variables with an address
};

struct VarPlan {
  Storage storage = Storage::kVector;
  uint32_t granule = 0;
  bool outlives_run = false;  // kept in the bundle's record
  uint64_t offset = 0;        // there
};

class Plan {
 public:
  // Slightly rewrites the kernel (the code after a branch that always leaves moves into the other branch).
  // `stepping`: loops whose index steps over the elements of other threads (split_indices).
  Plan(ir::Function& kernel, const Options& options, const std::vector<const ir::Inst*>& stepping);

  bool is_uniform(const ir::Value* value) const { return width_ == 1 || lanes_->is_uniform(value); }
  bool is_uniform_branch(const ir::Inst* control) const {
    return width_ == 1 || lanes_->is_uniform_branch(control);
  }

  // A construct that contains a barrier, or is the target of jumps that all threads of the block take
  // together.
  bool is_group(const ir::Inst* construct) const { return group_.count(construct) != 0; }
  // Whether instructions of this block run once per block, not inside of a loop over bundles.
  bool is_group_block(const ir::Block* block) const {
    if (block->owner == nullptr) return has_groups_;
    return is_group(block->owner) && !is_woven(block->owner);
  }
  // A loop without barriers that bundles execute in an interleaved fashion, so that their accesses are
  // adjacent.
  bool is_woven(const ir::Inst* construct) const { return woven_.count(construct) != 0; }
  // A loop that is interleaved or contains barriers, whose step is uniform in the block and is executed once
  // for it.
  bool steps_once(const ir::Inst* loop) const { return stepping_once_.count(loop) != 0; }
  bool is_block_var(const ir::Inst* var) const { return block_vars_.count(var) != 0; }
  const std::vector<const ir::Inst*>& block_vars() const { return ordered_block_vars_; }
  // Of those, one whose blocks are interleaved: it steps over the elements of other blocks.
  bool is_abreast(const ir::Inst* woven) const { return abreast_.count(woven) != 0; }
  bool has_abreast() const { return !abreast_.empty(); }
  // Additions at the kernel's end to addresses that are the same in all blocks, each with the place of its
  // sums in the record.
  struct Merged {
    const ir::Inst* addition;
    uint64_t offset;
  };
  const std::vector<Merged>& merged() const { return merged_; }
  bool has_groups() const { return has_groups_; }
  // Bundles run in the order of rows of threads, across all blocks: without a loop, data that is read once
  // does not benefit from locality.
  bool is_by_rows() const { return is_by_rows_; }
  // Some threads of the block may be inactive while others run: every run tests which ones take part.
  bool has_group_masks() const { return has_group_masks_; }

  static bool is_barrier(ir::Op op);
  // Whether the jump deactivates lanes, and the code continues after it for the others.
  bool turns_off(const ir::Inst* jump) const { return turning_off_.count(jump) != 0; }
  static Target target_of(const ir::Inst* jump);
  bool is_group_target(const Target& target) const {
    return target.construct == nullptr ? has_groups_ : is_group(target.construct);
  }
  bool has_turning_off(const Target& target) const { return off_targets_.count(target) != 0; }
  // Targets outside of the construct to which lanes may leave inside of it, by being deactivated.
  const std::vector<Target>& escapes(const ir::Inst* construct) const;

  uint32_t run_of(const ir::Inst* inst) const { return runs_.at(inst); }
  // Whether the value is used in another run than the one that computes it.
  bool outlives_run(const ir::Inst* inst) const { return outliving_.count(inst) != 0; }
  const VarPlan& var(const ir::Inst* var) const { return vars_.at(var); }
  // The variable that a pointer is known to point into.
  const ir::Inst* root_of(const ir::Value* pointer) const;
  // Lanes may reach a warp operation while others, which it waits for, are elsewhere.
  bool may_miss_lanes() const { return may_miss_lanes_; }
  bool waits(const ir::Inst* loop) const { return waiting_.count(loop) != 0; }
  size_t size_of(const ir::Block* block) const { return sizes_.at(block); }
  // Whether the block, or a nested one, accesses memory other than registers, which is expensive under masks.
  bool touches_memory(const ir::Block* block) const { return touching_.count(block) != 0; }

  // A slot of `bytes` in the record of each bundle.
  uint64_t reserve(uint64_t bytes, uint64_t align);
  uint64_t record_bytes() const { return record_bytes_; }

 private:
  void sink_rests(ir::Function& kernel);
  void find_woven(const std::vector<const ir::Inst*>& stepping);
  void find_groups(const ir::Function& kernel);
  void find_jumps(const ir::Function& kernel);
  bool find_turning_off(const std::vector<const ir::Inst*>& jumps);
  bool parts_before(const ir::Inst* jump) const;
  void find_group_masks(const std::vector<const ir::Inst*>& jumps, const ir::Function& kernel);
  void number_runs(const ir::Block* block);
  void find_outliving(const ir::Function& kernel);
  void find_vars(const ir::Function& kernel);
  void find_steps(const ir::Function& kernel);
  void find_abreast(const ir::Function& kernel);
  void find_merged(const ir::Function& kernel);
  void keep_in_records(const ir::Function& kernel);
  uint64_t measure(const ir::Block* block);

  const Options& options_;
  uint32_t width_;
  std::unique_ptr<pass::Uniformity> lanes_;
  std::unique_ptr<pass::Uniformity> block_;
  std::unordered_set<const ir::Inst*> group_;
  std::unordered_set<const ir::Inst*> woven_, stepping_once_, abreast_;
  std::vector<Merged> merged_;
  std::vector<const ir::Inst*> ordered_block_vars_;
  std::unordered_set<const ir::Inst*> block_vars_;  // uniform in the block: indices of such loops
  bool has_groups_ = false;
  bool is_by_rows_ = false;
  bool has_group_masks_ = false;
  bool may_miss_lanes_ = false;
  std::unordered_set<const ir::Inst*> turning_off_;
  std::map<Target, bool> off_targets_;
  std::unordered_map<const ir::Inst*, std::vector<Target>> escapes_;
  std::unordered_map<const ir::Inst*, uint32_t> runs_;
  std::unordered_set<const ir::Inst*> outliving_;
  std::unordered_map<const ir::Inst*, VarPlan> vars_;
  std::unordered_map<const ir::Inst*, const ir::Inst*> roots_;
  std::unordered_set<const ir::Inst*> waiting_;
  std::unordered_map<const ir::Block*, size_t> sizes_;
  std::unordered_set<const ir::Block*> touching_;
  uint64_t record_bytes_ = 0;
  uint32_t next_run_ = 0;
  bool run_is_open_ = false;
};

}  // namespace quern::llvm
