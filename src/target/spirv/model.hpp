// What differs between modules for Vulkan and those for OpenCL and Level Zero. Everything else is the same
// emitter.
#pragma once

#include <memory>
#include <string_view>

#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

struct Model {
  std::string_view api;  // as refusals name it
  Environment environment;
  bool is_structured;    // control flow may leave one construct at a time
  bool has_functions;    // what the library gives may be called; else it is inlined
  bool has_relocations;  // who makes a variable's memory fills addresses into its initial value
  bool (*is_native_operation)(const ir::Inst& i, const Options& options);
  bool (*is_native_atomic)(const ir::Inst& i, const Options& options);
  Id (*pointer_type)(Unit& unit, ir::Space space);  // null: pointers are numbers
  std::string (*entry_name)(const std::string& kernel);
  std::unique_ptr<Emitter> (*emitter)(Unit& unit, ir::Function& function);
  void (*add_entry)(Unit& unit, Id function, const std::string& name);
};

const Model& vulkan_model();
const Model& kernel_model();

}  // namespace quern::target::spirv
