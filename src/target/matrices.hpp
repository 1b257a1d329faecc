// Matrix fragments as opaque objects (cooperative matrices in SPIR-V, simdgroup_matrix in Metal): which
// variables of a kernel they are, and whether all operations on them can be expressed on such objects.
#pragma once

#include <optional>
#include <unordered_map>

#include "lang/ir/ir.hpp"
#include "lang/ir/matrix.hpp"
#include "target/target.hpp"

namespace quern::target {

// The contents of a variable.
struct Fragment {
  ir::TypeKind element = ir::TypeKind::kVoid;
  uint32_t rows = 0, columns = 0;
  ir::MatrixUse use = ir::MatrixUse::kA;
  uint64_t bytes = 0;  // of a thread's part
  bool operator==(const Fragment&) const = default;
};

// A pointer into such a variable.
struct FragmentPlace {
  const ir::Inst* var = nullptr;
  const ir::Value* index = nullptr;  // of the element; null: the first, or all of them
};

class Matrices {
 public:
  explicit Matrices(ir::Function& function);

  bool any() const { return !fragments_.empty(); }
  bool is_fine() const { return is_fine_; }
  const Fragment* of(const ir::Inst* var) const;
  // The target of a pointer, if it points into a fragment.
  std::optional<FragmentPlace> place(const ir::Value* pointer) const;

 private:
  void note(const ir::Inst* inst);
  void note(const ir::Value* pointer, const ir::Matrix& matrix, ir::MatrixUse use);
  void check(const ir::Inst* inst);
  void check_access(const ir::Inst* inst, const FragmentPlace& at);
  bool is_copy(const ir::Inst* load) const;

  std::unordered_map<const ir::Inst*, Fragment> fragments_;
  std::unordered_map<const ir::Inst*, std::vector<const ir::Inst*>> uses_;
  bool is_fine_ = true;
};

// Operations on matrices as objects: fill, load, store, multiply.
bool is_matrix_op(const ir::Inst* inst);

// Whether the kernel, with matrix_form resolved as kOpaque, can be expressed this way for those
// Options::matrices.
bool can_be_objects(ir::Function& kernel, const Options& options);

}  // namespace quern::target
