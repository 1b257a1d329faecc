// State shared by all functions of one module, and the refusal of what cannot be expressed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver/interface/arguments.hpp"
#include "driver/interface/code.hpp"
#include "target/refusal.hpp"
#include "target/spirv/grammar.hpp"
#include "target/spirv/objects.hpp"
#include "target/spirv/rep.hpp"
#include "target/target.hpp"

namespace quern::target::spirv {

struct Model;

struct Unit : FirstRefusal {
  Unit(ir::Module& m, const Options& o, const Model& which);

  bool has(driver::Feature feature) const { return options.features.has(feature); }
  bool has_native(driver::Feature feature) const { return options.native.has(feature); }
  // 8-bit and 16-bit memory accesses; devices without them access the enclosing words.
  bool has_small(uint32_t bytes) const {
    const driver::Feature feature = bytes == 1 ? driver::Feature::int8 : driver::Feature::int16;
    return has(feature) && (options.kind != driver::CodeKind::kSpirv || has_native(feature));
  }
  // The type of a scalar's value.
  Id held(const ir::Type* scalar);
  // On devices without addresses, memory is bound buffers: the bits of a pointer from kBufferShift on are the
  // number of its buffer, the lower bits the offset in it.
  bool binds() const { return options.kind == driver::CodeKind::kSpirv && !has(driver::Feature::addresses); }
  Id buffer(uint32_t number, Id element, uint32_t bytes);  // the variable, as elements of that type
  Id block_of(Id element, uint32_t bytes);                 // the type of a buffer of such elements
  // The memory of an object that has its own variable.
  Id variable_of(const ir::Value* root);
  Id element_type(const Object& object, bool is_shared);
  Id dynamic_bytes();  // the specialisation constant
  Id dynamic_count(uint32_t unit, uint32_t before);

  ir::Module& module;
  const Options& options;
  const Model& model;
  Builder b;
  Leaves leaves;
  Objects objects;
  std::unordered_map<const ir::Function*, Id> functions;  // those that kernels call

 private:
  Id initial_value(const ir::Global& g, const Object& object, Id type);
  Id dynamic_bytes_ = 0;
  std::map<Id, Id> blocks_;                        // by the type of their elements
  std::map<std::pair<uint32_t, Id>, Id> buffers_;  // by number and type
};

}  // namespace quern::target::spirv
