// How types are written: values, their form in memory, and the struct definitions of the text.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"
#include "target/cstyle/dialect.hpp"
#include "target/cstyle/names.hpp"

namespace quern::target::cstyle {

class Types {
 public:
  Types(const Dialect& dialect, Names& names, bool has_double)
      : dialect_(dialect), names_(names), has_double_(has_double) {}

  // Of a value: "float", "Particle", "__global uchar*". An array as a value is a struct around it.
  std::string value(const ir::Type* type);
  // The same in memory: a pointer may be an integer there, a bool a byte, and a double that the device does
  // not support (a variable that other kernels use, a field) its bits.
  std::string stored(const ir::Type* type);
  // A variable or field in memory: "float tile[16][17]".
  std::string declaration(const ir::Type* type, const std::string& name);
  // "__global float*"; no type: bytes.
  std::string pointer(const ir::Type* to, ir::Space space, bool is_volatile = false);
  // A pointer through which memory of any type may be read as `to`.
  std::string any_pointer(const ir::Type* to, ir::Space space, uint64_t align);
  std::string cast(const std::string& type) const {
    return dialect_.functional_casts ? type : "(" + type + ")";
  }
  std::string field(const ir::Type* type, uint32_t index);

  const std::string& definitions() const { return definitions_; }
  const std::string& problem() const { return problem_; }  // a layout that the language cannot express

 private:
  const std::string& define(const ir::Type* type);
  std::string define_struct(const ir::Type* type, const std::string& name);
  const std::string& wrap_array(const ir::Type* type);

  const Dialect& dialect_;
  Names& names_;
  const bool has_double_;
  std::unordered_map<const ir::Type*, std::string> structs_;
  std::unordered_map<const ir::Type*, std::vector<std::string>> fields_;
  std::unordered_map<std::string, std::string> aliases_;
  std::string definitions_;
  std::string problem_;
};

// The language's name of a scalar other than a pointer.
inline std::string_view spell(const Dialect& dialect, ir::TypeKind kind) {
  return dialect.types[static_cast<size_t>(kind)];
}
inline std::string_view spell(const Dialect& dialect, ir::Space space) {
  return dialect.pointer_space[static_cast<size_t>(space)];
}

}  // namespace quern::target::cstyle
