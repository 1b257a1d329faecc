// State shared by all kernels of one emitted text, and the refusal of what cannot be expressed.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "driver/interface/code.hpp"
#include "target/cstyle/dialect.hpp"
#include "target/cstyle/helpers.hpp"
#include "target/cstyle/names.hpp"
#include "target/cstyle/types.hpp"
#include "target/refusal.hpp"
#include "target/target.hpp"

namespace quern::target::cstyle {

// Names of the hidden parameters.
inline constexpr std::string_view kReport = "quern_report";
inline constexpr std::string_view kDynamicShared = "quern_shared";
inline constexpr std::string_view kDynamicSharedBytes = "quern_shared_bytes";
inline constexpr std::string_view kWarp =
    "quern_warp";  // shared memory through which a warp's threads exchange
inline constexpr std::string_view kCount = "quern_count";  // the same for a block's votes

struct Unit : FirstRefusal {
  Unit(const ir::Module& m, const Options& o, const Dialect& d)
      : module(m),
        options(o),
        dialect(d),
        types(d, names, d.is_cpp || o.features.has(driver::Feature::fp64)),
        helpers(d) {}

  bool has(driver::Feature feature) const { return options.features.has(feature); }
  bool is_exact() const { return in_library || options.math == driver::Math::exact; }
  bool is_fast() const { return options.math == driver::Math::fast; }

  const ir::Module& module;
  const Options& options;
  const Dialect& dialect;
  Names names;
  Types types;
  Helpers helpers;
  std::unordered_map<const ir::Global*, std::string> globals;  // their names in the text
  std::unordered_map<const ir::Global*, std::string>
      unsayable;  // those that the text cannot declare, and why
  std::unordered_map<const ir::Function*, std::string> functions;  // of the library: their names in the text
  std::vector<driver::ReportSite> sites;
  std::unordered_map<const ir::Inst*, driver::ReportSite> noted_sites;  // from before the types were lowered
  bool in_library = false;  // a library function is being written, which relies on exact arithmetic
};

}  // namespace quern::target::cstyle
