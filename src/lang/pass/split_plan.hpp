// How a local variable can be split: determined from the accesses to it, used by scalar_replace.
#pragma once

#include <optional>
#include <vector>

#include "lang/ir/ir.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

// A scalar of the variable that becomes a separate variable.
struct Piece {
  uint64_t offset = 0;
  const ir::Type* type = nullptr;
  ir::Inst* leaf = nullptr;  // the new variable
};

// Bytes that must stay together because an address into them is computed at run time or escapes.
struct Region {
  uint64_t begin = 0;
  uint64_t end = 0;
  const ir::Type* type = nullptr;
  ir::Inst* leaf = nullptr;
  bool holds(uint64_t offset, uint64_t size) const { return begin <= offset && offset + size <= end; }
  bool meets(uint64_t offset, uint64_t size) const { return begin < offset + size && offset < end; }
};

struct SplitPlan {
  ir::Inst* var = nullptr;
  bool is_split = true;
  bool is_punned = false;       // some access is not of the variable's own type
  std::vector<Region> regions;  // disjoint, sorted
  std::vector<Piece> pieces;    // disjoint, sorted

  Region* region_at(uint64_t offset, uint64_t size);
  Piece* piece_at(uint64_t offset);
};

// What is known about a pointer into a variable.
struct Place {
  uint32_t plan = kNone;  // none: not a pointer into a local variable
  bool is_fixed = false;  // `offset` is known
  uint64_t offset = 0;
  Region around;  // the field (or variable) that an index computed at run time stays within
};

class SplitPlans {
 public:
  explicit SplitPlans(ir::Function& function);

  bool any() const;
  size_t inst_count() const { return places_.size(); }
  std::vector<SplitPlan>& all() { return plans_; }
  const Place& place_of(const ir::Inst* inst) const { return places_[inst->id]; }
  Place place_of(const ir::Value* v) const {
    const ir::Inst* i = ir::as_inst(v);
    return i != nullptr ? places_[i->id] : Place();
  }

 private:
  struct Access {
    uint32_t plan;
    uint64_t offset;
    const ir::Type* type;
  };

  void visit(ir::Inst* inst);
  void derive(ir::Inst* inst);
  void access(const ir::Inst* inst, size_t operand, const ir::Type* type);
  void keep_together(const Place& place);
  void settle(SplitPlan& plan);
  void add_pieces(SplitPlan& plan, uint64_t offset, const ir::Type* type);
  void add_piece(SplitPlan& plan, uint64_t offset, const ir::Type* type);
  void finish(SplitPlan& plan);

  std::vector<SplitPlan> plans_;
  std::vector<Place> places_;  // by instruction id
  std::vector<Access> accesses_;
};

}  // namespace quern::pass
