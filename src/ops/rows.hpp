// Division of rows among threads, for kernels that use text/rows.cuh.
#pragma once

#include <cstdint>
#include <string>

#include "ops/checks.hpp"
#include "quern/launch.hpp"
#include "quern/tune.hpp"

namespace quern::ops {

struct RowPlan {
  std::int64_t vector = 1;    // elements of a piece; 0: elements with a stride
  std::int64_t items = 1;     // pieces of each thread
  std::int64_t width = 32;    // threads of a row: a part of a warp, a warp or a block
  bool is_long = false;       // the row has several parts
  std::string sizes() const;  // "vector, items, width"
  LaunchConfig launch(const DeviceInfo& info, std::int64_t rows) const;
};

// What limits the plan of an operation.
struct RowLimits {
  bool is_contiguous;          // the last axis of all operands
  bool has_pieces;             // of all operands
  std::int64_t elements = 32;  // of a thread
};
RowPlan plan_rows(const DeviceInfo& info, std::int64_t count, Element element, const RowLimits& limits);

// Other divisions of rows with the pieces of the plan, as parameters "width" and "items"; the plan's comes
// first.
std::vector<Variant> row_variants(const DeviceInfo& info, std::int64_t count, const RowPlan& plan);
// The plan with the division of a variant.
RowPlan with_variant(RowPlan plan, std::int64_t count, const Variant& variant);

}  // namespace quern::ops
