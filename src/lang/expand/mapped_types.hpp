// Types in which other types of the same size and alignment replace some scalars. Memory layout stays the
// same.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "lang/ir/ir.hpp"

namespace quern::expand {

class MappedTypes {
 public:
  // `scalar` returns the replacement of a scalar, or the scalar itself. `suffix` is appended to the names of
  // structs that change.
  MappedTypes(ir::TypeTable& types, std::function<const ir::Type*(const ir::Type*)> scalar,
              std::string suffix)
      : types_(types), scalar_(std::move(scalar)), suffix_(std::move(suffix)) {}

  // The lowered type of a value.
  const ir::Type* of(const ir::Type* type);
  // A constant or undefined aggregate of the lowered type; any other value is returned unchanged.
  ir::Value* adapted(ir::Module& module, ir::Value* v);

 private:
  const ir::Type* made(const ir::Type* type);

  ir::TypeTable& types_;
  std::function<const ir::Type*(const ir::Type*)> scalar_;
  std::string suffix_;
  std::unordered_map<const ir::Type*, const ir::Type*> known_;
};

}  // namespace quern::expand
