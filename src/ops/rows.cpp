#include "ops/rows.hpp"

#include <algorithm>
#include <bit>

#include "ops/choice.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops {

namespace {

constexpr std::int64_t kWarp = 32, kBlock = 256, kWideBlock = 1024;
constexpr std::int64_t kMostItems = 8, kMostElements = 32;  // of a thread

std::int64_t items_for(std::int64_t count, std::int64_t per_item) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>((count + per_item - 1) / per_item)));
}

}  // namespace

std::string RowPlan::sizes() const {
  return std::to_string(vector) + ", " + std::to_string(items) + ", " + std::to_string(width);
}

LaunchConfig RowPlan::launch(const DeviceInfo& info, std::int64_t rows) const {
  const std::int64_t of_block = width == kWarp ? kBlock / kWarp : 1;
  return grid({blocks_for(info, rows, of_block), 1, 1},
              {static_cast<std::uint32_t>(std::max(width, kBlock)), 1, 1});
}

RowPlan plan_rows(const DeviceInfo& info, std::int64_t count, Element element, const RowLimits& limits) {
  const bool is_cpu = info.kind == DeviceKind::cpu;  // reads a row from its cache again
  RowPlan plan;
  plan.vector = !limits.is_contiguous ? 0 : limits.has_pieces && !is_cpu ? elements_of_piece(element) : 1;
  const std::int64_t each = std::max<std::int64_t>(plan.vector, 1);
  const std::int64_t most = std::min(kMostItems, kMostElements / each);
  const bool has_wide = info.limits.block_threads >= kWideBlock && !is_cpu;
  if (is_cpu) {  // few kernels: they take long to compile
    plan.items = 4;
    plan.width = count <= kWarp * plan.items ? kWarp : kBlock;
    plan.is_long = count > kBlock * plan.items;
  } else if (count <= kWarp * each * 4) {
    plan.items = items_for(count, kWarp * each);
  } else if (count <= kBlock * each * most) {
    plan.width = kBlock;
    plan.items = items_for(count, kBlock * each);
  } else if (has_wide && count <= kWideBlock * std::min(each * most, limits.wide_elements)) {
    plan.width = kWideBlock;
    plan.items = items_for(count, kWideBlock * each);
  } else {
    plan.width = has_wide ? kWideBlock : kBlock;
    plan.items = std::max<std::int64_t>(1, 8 / each);
    plan.is_long = true;
  }
  return plan;
}

std::vector<Variant> row_variants(const DeviceInfo& info, std::int64_t count, const RowPlan& plan) {
  const std::int64_t each = std::max<std::int64_t>(plan.vector, 1);
  const auto is_sensible = [&](const Variant& v) {
    const std::int64_t width = v.at("width"), items = v.at("items"), part = width * items * each;
    const bool fits =
        width <= static_cast<std::int64_t>(info.limits.block_threads) && items * each <= kMostElements;
    return fits && (part < 2 * count || items == 1) && (part >= count || width > kWarp);
  };
  return with_default(
      {{"width", plan.width}, {"items", plan.items}},
      variants({{"width", {kWarp, kBlock, kWideBlock}}, {"items", {1, 2, 4, 8}}}, is_sensible));
}

RowPlan with_variant(RowPlan plan, std::int64_t count, const Variant& variant) {
  plan.width = variant.at("width");
  plan.items = variant.at("items");
  plan.is_long = count > plan.width * plan.items * std::max<std::int64_t>(plan.vector, 1);
  return plan;
}

}  // namespace quern::ops
