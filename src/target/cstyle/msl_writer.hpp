// Kernels in the Metal Shading Language. Thread indices and launch-time memory, which are variables in other
// languages, are parameters here, so only the kernel itself can access them.
#pragma once

#include "target/cstyle/kernel_writer.hpp"
#include "target/matrices.hpp"

namespace quern::target::cstyle {

inline constexpr uint32_t kMslBuffers = 31;  // maximum per kernel

// Of a kernel, or of a library function that kernels call.
class MslWriter final : public KernelWriter {
 public:
  // `has_warps`: SIMD-groups are warps (see target.hpp).
  MslWriter(Unit& unit, ir::Function& function, const driver::KernelInfo& info, bool has_warps)
      : KernelWriter(unit, function, info), has_warps_(has_warps), matrices_(function) {}

 private:
  std::string signature(const std::string& entry) override;
  void shared_variables() override;
  Expr zero(const ir::Type* type) override;
  ir::Space memory_of(const ir::Value* v) const override;
  Expr thread_value(const ir::Inst* i) override;
  Expr warp(const ir::Inst* i) override;
  void barrier(const ir::Inst* i) override;
  void fence(const ir::Inst* i) override;
  Expr atomic(const ir::Inst* i) override;
  std::string report_failure(uint32_t site) override;

  // msl_matrices.cpp
  void statement(const ir::Inst* i) override;
  void variable(const ir::Inst* var) override;
  Expr load(const ir::Inst* i) override;
  std::string assignment(const ir::Inst* store) override;
  void matrix(const ir::Inst* i);
  std::string matrix_memory(const ir::Value* pointer, const Fragment& fragment, bool is_store);
  std::string matrix_name(const ir::Value* pointer) const;
  Expr matrix_element(const FragmentPlace& at);

  std::string block_of_arguments(const std::string& entry);
  std::vector<std::string> buffers(const std::string& entry);
  std::vector<std::string> places() const;
  bool may_be_null(const ir::Value* pointer) const;
  bool is_used(const ir::Value* v) const;
  bool has(ir::Op op) const;
  Expr lane() const;
  Expr atomic_word(const ir::Inst* i, const ir::Type* word);

  bool has_warps_;
  const Matrices matrices_;
  std::unordered_map<const ir::Param*, std::string> offsets_;  // 0xffffffff: the argument is null
};

}  // namespace quern::target::cstyle
