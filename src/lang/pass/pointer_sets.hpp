// Which objects each pointer of a kernel may point into, and with which stride: the analysis for
// lower_pointers.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/message.hpp"
#include "lang/ir/ir.hpp"
#include "lang/pass/address_roots.hpp"

namespace quern::pass {

// Why the target of a pointer is not known.
enum class Opaque : uint8_t { kNo, kFromMemory, kFromInteger, kFromCall, kFromAggregate, kFromLocalMemory };
base::MessageText reason(Opaque why);

struct PointerSet {
  std::vector<uint32_t> bases;  // sorted indices into PointerSets::bases()
  bool may_be_null = false;     // null or undefined
  Opaque opaque = Opaque::kNo;  // it may point anywhere
  uint64_t unit = 0;            // its distance from the base is a multiple of this; 0: it is the base

  bool is_known() const { return opaque == Opaque::kNo; }
  bool join(const PointerSet& other);  // returns whether the set grew
};

class PointerSets {
 public:
  // Numbers the function's instructions. Pointer fields of struct parameters are extracted once, at the start
  // of the kernel, so that they are bases like parameters.
  PointerSets(ir::Module& module, ir::Function& kernel);

  const std::vector<ir::Value*>& bases() const { return bases_; }
  const PointerSet& of(const ir::Value* pointer) const;
  // The local variable of pointers that `address` points into; nullptr if it points elsewhere. A plain
  // variable of pointer type, or an array of pointers of which only elements are accessed.
  const ir::Inst* holder(const ir::Value* address) const;
  // The possible contents of a holder, in any element.
  const PointerSet& content_of(const ir::Inst* var) const { return contents_[var->id]; }
  bool is_base(const ir::Value* v) const { return index_.contains(v); }
  uint32_t base_index(const ir::Value* v) const { return index_.at(v); }
  const Numbering& numbers() const { return *numbers_; }

 private:
  void hoist_param_fields(ir::Module& module, ir::Function& kernel);
  void add_base(ir::Value* value);
  void find_holders(ir::Function& kernel);
  void visit(ir::Inst* inst);
  PointerSet derived(const ir::Inst* inst) const;
  void raise(PointerSet& set, const PointerSet& by) { changed_ |= set.join(by); }

  std::vector<ir::Value*> bases_;
  std::unordered_map<const ir::Value*, uint32_t> index_;
  std::vector<PointerSet> base_sets_;
  std::vector<PointerSet> sets_;      // by instruction id: results that are pointers
  std::vector<PointerSet> contents_;  // by instruction id: the contents of holders
  std::vector<bool> is_holder_;       // by instruction id
  std::unique_ptr<AddressRoots> roots_;
  std::unique_ptr<Numbering> numbers_;
  PointerSet null_;
  PointerSet unknown_;
  bool changed_ = false;
};

}  // namespace quern::pass
