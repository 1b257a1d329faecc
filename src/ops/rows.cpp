#include "ops/rows.hpp"

#include <algorithm>
#include <bit>

#include "ops/choice.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops {

namespace {

constexpr std::int64_t kWarp = 32, kBlock = 256;
constexpr std::int64_t kLeastWidth = 8, kMostWidth = 1024;      // threads of a row on GPUs
constexpr std::int64_t kItems = 4, kMostItems = 8;              // pieces of a thread
constexpr std::int64_t kMostElements = 32, kLongElements = 48;  // of a thread

std::int64_t parts_of(std::int64_t count, std::int64_t part) {  // rounded up to a power of two
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((count + part - 1) / part)));
}

// Few kernels: they take long to compile. A row is read again from the processor's cache.
void plan_cpu(RowPlan& plan, std::int64_t count) {
  plan.items = 4;
  plan.width = count <= kWarp * plan.items ? kWarp : kBlock;
  plan.is_long = count > kBlock * plan.items;
}

// A thread loads kItems pieces before it uses the first one; a row has as many threads as that takes. Longer
// rows have more pieces for each thread, so that a compute unit works on two rows at a time. Rows that do not
// fit registers are read twice, except their last part, which is as large as possible.
void plan_gpu(RowPlan& plan, std::int64_t count, std::int64_t most_width, std::int64_t most_elements) {
  const std::int64_t each = std::max<std::int64_t>(plan.vector, 1);
  const std::int64_t most = std::min(kMostItems, most_elements / each), some = std::min(kItems, most);
  if (count > most_width * each * most) {
    plan.width = most_width / 2;
    plan.items = kLongElements / each;
    plan.is_long = true;
    return;
  }
  plan.width = parts_of(count, each * some);
  if (2 * plan.width > most_width) plan.width = parts_of(count, each * most);
  plan.width = std::max(plan.width, kLeastWidth);
  plan.items = parts_of(count, plan.width * each);
}

}  // namespace

std::string RowPlan::sizes() const {
  return std::to_string(vector) + ", " + std::to_string(items) + ", " + std::to_string(width);
}

LaunchConfig RowPlan::launch(const DeviceInfo& info, std::int64_t rows) const {
  const std::int64_t of_block = width <= kWarp ? kBlock / width : 1;
  return grid({blocks_for_all(info, rows, of_block), 1, 1},
              {static_cast<std::uint32_t>(width <= kWarp ? kBlock : width), 1, 1});
}

RowPlan plan_rows(const DeviceInfo& info, std::int64_t count, Element element, const RowLimits& limits) {
  const bool is_cpu = info.kind == DeviceKind::cpu;
  RowPlan plan;
  plan.vector = !limits.is_contiguous ? 0 : limits.has_pieces && !is_cpu ? elements_of_piece(element) : 1;
  if (is_cpu) {
    plan_cpu(plan, count);
  } else {
    const auto most_threads = std::bit_floor(std::uint64_t{info.limits.block_threads});
    const std::int64_t most_width = std::min(kMostWidth, static_cast<std::int64_t>(most_threads));
    plan_gpu(plan, count, most_width, limits.elements);
  }
  return plan;
}

std::vector<Variant> row_variants(const DeviceInfo& info, std::int64_t count, const RowPlan& plan) {
  const std::int64_t each = std::max<std::int64_t>(plan.vector, 1);
  const auto is_sensible = [&](const Variant& v) {
    const std::int64_t width = v.at("width"), items = v.at("items"), part = width * items * each;
    const bool fits =
        width <= static_cast<std::int64_t>(info.limits.block_threads) && items * each <= kMostElements;
    return fits && (part < 2 * count || width * items == kLeastWidth) && (part >= count || width > kWarp);
  };
  return with_default(
      {{"width", plan.width}, {"items", plan.items}},
      variants({{"width", {8, 16, 32, 64, 128, 256, 512, 1024}}, {"items", {1, 2, 4, 8}}}, is_sensible));
}

RowPlan with_variant(RowPlan plan, std::int64_t count, const Variant& variant) {
  plan.width = variant.at("width");
  plan.items = variant.at("items");
  plan.is_long = count > plan.width * plan.items * std::max<std::int64_t>(plan.vector, 1);
  return plan;
}

}  // namespace quern::ops
