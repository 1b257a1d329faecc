// State shared by all kernels of one text: the architecture, names, variables, and the refusal of what cannot
// be expressed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "driver/interface/code.hpp"
#include "target/ptx/register_class.hpp"
#include "target/refusal.hpp"
#include "target/target.hpp"

namespace quern::target::ptx {

// Names of internal variables.
inline constexpr std::string_view kDynamicShared = "quern_shared";
inline constexpr std::string_view kGridArrived = "quern_grid_arrived";

struct Unit : FirstRefusal {
  Unit(ir::Module& m, const Options& o, int sm)
      : module(m), options(o), architecture(sm), leaves(m.types()) {}

  bool is_exact() const { return options.math == driver::Math::exact; }
  bool is_fast() const { return options.math == driver::Math::fast; }
  // A name that is legal in PTX and unused in the text.
  std::string name(std::string_view wanted);
  // The variable that holds a string.
  std::string string(const std::string& text);
  // The number of a source file, for line directives.
  size_t file(const std::string& name);

  ir::Module& module;
  const Options& options;
  int architecture;  // 75: sm_75
  Leaves leaves;
  std::unordered_map<const ir::Global*, std::string> globals;  // their names in the text
  std::unordered_map<const ir::Global*, std::string>
      unsayable;  // those that the text cannot declare, and why
  std::unordered_map<const ir::Function*, std::string> functions;  // of the library: their names in the text
  std::map<std::string, size_t> files;
  std::map<std::string, std::string> strings;  // text to name
  bool prints = false, asserts = false, counts_blocks = false, has_dynamic_shared = false;

 private:
  std::set<std::string> taken_;
};

// Declarations of the module's variables; unit.globals must have their names.
void name_globals(Unit& unit);
std::string global_variables(Unit& unit);
// Declarations that the kernels turned out to need: strings, driver functions, counters.
std::string declarations(const Unit& unit);

}  // namespace quern::target::ptx
