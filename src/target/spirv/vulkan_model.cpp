#include "target/spirv/model.hpp"
#include "target/spirv/native.hpp"

namespace quern::target::spirv {

namespace {

// By default a device may flush subnormal numbers to 0, and assume that NaN never occurs.
void add_float_modes(Builder& b, Id entry, const driver::FloatModes& floats) {
  const struct {
    uint8_t widths;
    Capability capability;
    ExecutionMode mode;
  } kModes[] = {
      {floats.subnormals, Capability::kDenormPreserve, ExecutionMode::kDenormPreserve},
      {floats.specials, Capability::kSignedZeroInfNanPreserve, ExecutionMode::kSignedZeroInfNanPreserve},
      {floats.nearest, Capability::kRoundingModeRte, ExecutionMode::kRoundingModeRte}};
  for (const auto& m : kModes) {
    if (m.widths == 0) continue;
    b.need(m.capability);
    b.need_extension("SPV_KHR_float_controls");
    for (const uint32_t width : {16U, 32U, 64U}) {
      if ((m.widths & width) != 0) b.add_mode(entry, {to_word(m.mode), width});
    }
  }
}

void add_entry(Unit& unit, Id function, const std::string& name) {
  unit.b.block_size();
  unit.b.add_entry(function, name, unit.b.builtins());
  unit.b.add_mode(function, {to_word(ExecutionMode::kLocalSize), 1, 1, 1});
  // Subgroup operations involve the threads that execute them together: diverged threads must reconverge.
  if (unit.b.needs(Capability::kGroupNonUniformBallot) || unit.b.needs(Capability::kGroupNonUniformShuffle)) {
    unit.b.need_extension("SPV_KHR_maximal_reconvergence");
    unit.b.add_mode(function, {to_word(ExecutionMode::kMaximallyReconverges)});
  }
  if (unit.options.math != driver::Math::fast) add_float_modes(unit.b, function, unit.options.floats);
}

}  // namespace

const Model& vulkan_model() {
  static const Model model = {
      .api = "Vulkan",
      .environment = {.version = 0x00010300,  // Vulkan 1.1
                      .addressing = AddressingModel::kLogical,
                      .memory_model = MemoryModel::kGlsl450,
                      .execution_model = ExecutionModel::kGlCompute,
                      .functions = "GLSL.std.450",
                      .capabilities = {Capability::kShader}},
      .is_structured = true,
      .has_functions = true,
      .has_relocations = true,
      .is_native_operation = is_native_operation,
      .is_native_atomic = is_native_atomic,
      .pointer_type = nullptr,
      .entry_name = [](const std::string& kernel) { return kernel; },
      .emitter = [](Unit& unit, ir::Function& f) { return std::make_unique<Emitter>(unit, f); },
      .add_entry = add_entry,
  };
  return model;
}

}  // namespace quern::target::spirv
