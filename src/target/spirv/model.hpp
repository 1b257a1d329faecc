// The differences between modules for Vulkan and those for OpenCL and Level Zero. Everything else is common
// to both.
#pragma once

#include <memory>
#include <string_view>

#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

struct Model {
  std::string_view api;  // its usual API, in refusals
  Environment environment;
  bool is_structured;    // control flow may leave only one construct at a time
  bool has_functions;    // library functions may be called; otherwise they are inlined
  bool has_relocations;  // the allocator of a variable's memory fills addresses into its initial value
  bool (*is_native_operation)(const ir::Inst& i, const Options& options);
  bool (*is_native_atomic)(const ir::Inst& i, const Options& options);
  Id (*pointer_type)(Unit& unit, ir::Space space);  // null: pointers are numbers
  std::string (*entry_name)(const std::string& kernel);
  std::unique_ptr<Emitter> (*emitter)(Unit& unit, ir::Function& function);
  void (*add_entry)(Unit& unit, Id function, const std::string& name);

  // The name of the API in refusals.
  std::string_view api_of(const Options& options) const { return options.api.empty() ? api : options.api; }
};

const Model& vulkan_model();
const Model& kernel_model();

}  // namespace quern::target::spirv
