#include <cctype>

#include "target/spirv/kernel_emitter.hpp"
#include "target/spirv/model.hpp"
#include "target/spirv/native.hpp"

namespace quern::target::spirv {

namespace {

bool is_native(const ir::Inst& i, const Options& options) {
  const ir::Type* t = i.operand(0)->type;
  if (t->is_float())
    return ir::has(i.op, ir::kBasic) || i.is(ir::Op::kDiv) || opencl_function(i.op).has_value();
  return is_native_operation(i, options);
}

// Compilers also use kernel names as names of files and symbols.
std::string plain_name(const std::string& kernel) {
  std::string out;
  for (const char c : kernel) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

void add_entry(Unit& unit, Id function, const std::string& name) {
  unit.b.add_entry(function, name, unit.b.builtins());
  if (unit.options.math == driver::Math::exact)
    unit.b.add_mode(function, {to_word(ExecutionMode::kContractionOff)});
}

}  // namespace

// SPIR-V 1.0, which every OpenCL version with SPIR-V supports: nothing newer is needed.
const Model& kernel_model() {
  static const Model model = {
      .api = "OpenCL",
      .environment = {.version = 0x00010000,
                      .addressing = AddressingModel::kPhysical64,
                      .memory_model = MemoryModel::kOpenCl,
                      .execution_model = ExecutionModel::kKernel,
                      .functions = "OpenCL.std",
                      .capabilities = {Capability::kAddresses, Capability::kKernel, Capability::kInt8,
                                       Capability::kInt16, Capability::kInt64}},
      .is_structured = false,
      .has_functions = false,
      .has_relocations = true,
      .is_native_operation = is_native,
      .is_native_atomic = [](const ir::Inst&, const Options&) { return false; },
      .pointer_type = kernel_pointer_type,
      .entry_name = plain_name,
      .emitter = [](Unit& unit, ir::Function& f) -> std::unique_ptr<Emitter> {
        return std::make_unique<KernelEmitter>(unit, f);
      },
      .add_entry = add_entry,
  };
  return model;
}

}  // namespace quern::target::spirv
