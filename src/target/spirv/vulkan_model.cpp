#include "target/spirv/model.hpp"
#include "target/spirv/native.hpp"

namespace quern::target::spirv {

namespace {

constexpr uint32_t kLocalSize = 17;

void add_entry(Unit& unit, Id function, const std::string& name) {
  unit.b.block_size();
  unit.b.add_entry(function, name, unit.b.builtins());
  unit.b.add_mode(function, {kLocalSize, 1, 1, 1});
}

}  // namespace

const Model& vulkan_model() {
  static const Model model = {
      .api = "Vulkan",
      .environment = {.version = 0x00010300,  // Vulkan 1.1
                      .addressing = 0,
                      .memory_model = 1,
                      .execution_model = 5,
                      .functions = "GLSL.std.450",
                      .capabilities = {Capability::kShader}},
      .is_structured = true,
      .has_functions = true,
      .has_relocations = false,
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
