/// @file
/// Features of devices.
#pragma once

#include <cstdint>
#include <string_view>

#include "quern/export.hpp"

namespace quern {

/// A feature that a device may have. docs/devices.md describes each. The names are also those of the selector
/// `has=…` of open().
enum class Feature : std::uint8_t {
  fp16,
  bf16,
  fp64,
  int8,
  int16,
  int64,
  atomics16,
  atomics64,
  atomics_f16,
  atomics_f32,
  atomics_f64,
  system_scope,
  warps,
  divergent_barriers,
  grid_barrier,
  clusters,
  addresses,
  generic_pointers,
  dynamic_shared,
  variables,
  print,
  assert,
  clock,
  shared_memory,
  managed_memory,
  mapped_memory,
  timestamps,
  graphs,
  persistent,
};

/// The name of a feature, as in `has=…`: "fp64".
QUERN_API std::string_view to_string(Feature feature);

}  // namespace quern
