// Attention with the tensor cores of NVIDIA devices of compute capability 9.0 (text/attention_wgmma.cuh).
#include <algorithm>
#include <optional>

#include "ops/attend.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/product.hpp"
#include "quern/extension.hpp"
#include "quern/ops/transform.hpp"
#include "quern/tensor_map.hpp"

namespace quern::ops {

namespace {

using detail::Layout;
using detail::View;

// Of text/attention_wgmma.cuh.
constexpr std::int64_t kGroupRows = 64, kGroupThreads = 128, kChunkElements = 64;
struct AttentionOrder {
  std::uint32_t packed, tokens, tiles, section, splits;
};

constexpr std::int64_t kElementBytes = 2, kMapBytes = 16;  // strides in tensor maps are multiples
constexpr std::int64_t kMostStages = 6;
constexpr std::int64_t kReservedBytes = 1024;  // of shared memory for each block, by the system
constexpr std::int64_t kSectionHeads = 32;     // of keys, which blocks read at the same time
constexpr std::int64_t kKeysOfPart = 128;      // at least
constexpr std::int64_t kMost = 1 << 30;

// Whether a block has one group, whose rows are all queries that share keys, and the keys may be split.
bool is_decoding(const AttentionShape& shape) { return shape.rows() <= kGroupRows; }

// Tiles in shared memory: two stages at least, and results in place of the queries if they do not fit.
struct Plan {
  std::int64_t extent, keys, groups, resident, stages, shared;
  bool replaces_queries;

  // `resident`: blocks of a compute unit.
  Plan(const DeviceInfo& info, std::int64_t padded, const Variant& variant)
      : extent(padded),
        keys(variant.at("keys")),
        groups(variant.at("rows") / kGroupRows),
        resident(variant.at("resident")) {
    const std::int64_t rows = groups * kGroupRows * extent * kElementBytes,
                       stage = 2 * keys * extent * kElementBytes + 32,  // with barriers
        fixed = 16 * groups + rows;
    const auto all = static_cast<std::int64_t>(info.limits.shared_bytes);
    const std::int64_t rest = (all + kReservedBytes) / resident - kReservedBytes - fixed;
    replaces_queries = groups == 1 || rest - rows < 2 * stage;
    stages = std::min(kMostStages, (rest - (replaces_queries ? 0 : rows)) / stage);
    shared = fixed + (replaces_queries ? 0 : rows) + stages * stage;
  }
};

bool has_tensor_map(const Device& device, const View& view) {
  const auto& strides = view.layout.strides;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (view.layout.shape[axis] != 1 &&
        (strides[axis] <= 0 || strides[axis] * kElementBytes % kMapBytes != 0))
      return false;
  }
  return strides[3] == 1 && is_aligned(device, view);
}

// Tokens that have a tensor map: the user's, or a copy.
class MappedTokens {
 public:
  MappedTokens(const On& on, const View& view, bool is_read) : view_(view) {
    const Device device = on.stream().device();
    if (has_tensor_map(device, view)) return;
    const Shape& s = view.layout.shape;
    const std::int64_t pitch = tiles_of(s[3], kMapBytes / kElementBytes) * (kMapBytes / kElementBytes);
    const std::int64_t count = s[0] * s[1] * s[2] * pitch;
    memory_.emplace(device, static_cast<std::size_t>(count * kElementBytes));
    view_ = memory_->view(view.element, count);
    view_.layout = Layout::contiguous(s);
    view_.layout.strides = {s[1] * s[2] * pitch, s[2] * pitch, pitch, 1};
    if (is_read) detail::copy(on, view, view_);
  }

  bool is_copy() const { return memory_.has_value(); }
  const View& view() const { return view_; }
  // The axes of boxes: element, packed head, token, head, batch.
  TensorMap map(std::int64_t packed, std::int64_t tokens) const {
    const Shape& s = view_.layout.shape;
    const auto& strides = view_.layout.strides;
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const auto bytes = [&](std::int64_t count, std::int64_t stride) {  // of an axis
      return number(count == 1 ? kMapBytes : stride * kElementBytes);
    };
    const std::int64_t heads = s[1] / packed;
    const auto memory = Slice<const std::byte>(view_.bytes)
                            .slice(static_cast<std::size_t>(view_.layout.first * kElementBytes));
    return TensorMap(
        memory, {.element = view_.element == Element::f16 ? TensorElement::float16 : TensorElement::bfloat16,
                 .rank = 5,
                 .sizes = {number(s[3]), number(packed), number(s[2]), number(heads), number(s[0])},
                 .strides = {bytes(packed, strides[1]), bytes(s[2], strides[2]),
                             bytes(heads, strides[1] * packed), bytes(s[0], strides[0])},
                 .box = {kChunkElements, static_cast<std::uint32_t>(packed),
                         static_cast<std::uint32_t>(tokens), 1, 1},
                 .swizzle = TensorSwizzle::bytes128,
                 .promotion = TensorPromotion::bytes256});
  }

 private:
  View view_;
  std::optional<Workspace> memory_;
};

// How many heads that share keys have rows in one tile: as many as possible, if that wastes fewer rows.
std::int64_t packed_heads(const AttentionShape& shape, std::int64_t groups) {
  std::int64_t most = std::min(shape.group, kGroupRows);
  while (shape.group % most != 0) --most;
  const auto used = [&](std::int64_t packed) {
    const std::int64_t queries = groups * (kGroupRows / packed);
    return static_cast<double>(shape.queries * packed) /
           static_cast<double>(tiles_of(shape.queries, queries) * groups * kGroupRows);
  };
  return used(1) < 0.9 * used(most) ? most : 1;
}

bool has_tensor_cores(const DeviceInfo& info, Element element) {
  constexpr std::uint32_t kHopper = 90;
  return info.driver == "cuda" && info.compute_capability == kHopper &&
         (element == Element::f16 || element == Element::bf16);
}

}  // namespace

bool attends_with_wgmma(const Device& device, const Attention& a) {
  const AttentionShape& s = a.shape;
  const auto fits = [](std::int64_t count) { return count < kMost; };
  // Tensor maps contain addresses, which change if the device is replaced. A whole cache is not copied.
  return has_tensor_cores(device.info(), a.q.element) && a.scale > 0 &&
         !extension::survives_device_loss(device) && fits(s.keys) && fits(s.window) &&
         fits(s.batches * s.heads * s.group * tiles_of(s.queries, 1)) &&
         (!is_decoding(s) || (has_tensor_map(device, a.k) && has_tensor_map(device, a.v)));
}

// `rows`, `keys`: of a tile; `turns`: groups multiply one after the other; `persistent`: blocks process tile
// after tile; `resident`: blocks of a compute unit.
std::vector<Variant> attention_variants(const DeviceInfo& info, const Problem& problem) {
  if (!has_tensor_cores(info, problem.element)) return {{{"quern", 1}}};
  const std::int64_t extent = problem.shape[3];
  if (problem.shape[1] <= kGroupRows)
    return with_default(
        {{"rows", 64}, {"keys", 64}, {"resident", extent > 128 ? 1 : 2}},
        variants({{"rows", {64}}, {"keys", {64, 128}}, {"resident", {1, 2}}},
                 [&](const Variant& v) { return Plan(info, padded_extent(extent), v).stages >= 2; }));
  const Variant standard{
      {"rows", 128}, {"keys", extent > 128 ? 64 : 128}, {"turns", 1}, {"persistent", 1}, {"resident", 1}};
  return with_default(standard, variants({{"rows", {128, 192}},
                                          {"keys", {64, 128, 176}},
                                          {"turns", {0, 1}},
                                          {"persistent", {0, 1}},
                                          {"resident", {1}}},
                                         [&](const Variant& v) {
                                           const bool has_registers =
                                               extent <= 64    ? v.at("rows") == 128 || v.at("keys") <= 128
                                               : extent <= 128 ? v.at("rows") == 128
                                                               : v.at("rows") == 128 && v.at("keys") == 64;
                                           return has_registers &&
                                                  Plan(info, padded_extent(extent), v).stages >= 2;
                                         }));
}

Receipt attend_with_wgmma(const On& on, const Attention& call) {
  const Device device = on.stream().device();
  Attention a = call;
  AttentionShape& s = a.shape;
  const bool decodes = is_decoding(s);
  // A problem of the tuner has one head of queries for each head of keys.
  const Variant variant = variant_for(
      device, "attention",
      {{s.batches * s.heads, decodes ? s.rows() : std::max(s.queries, kGroupRows + 1), s.keys, s.extent},
       a.q.element});
  const Plan plan(device.info(), a.padded(), variant);
  const std::int64_t units = std::max<std::int64_t>(device.info().compute_units, 1) * plan.resident;
  const std::int64_t packed = packed_heads(s, plan.groups), tokens = kGroupRows / packed,
                     heads = s.heads * s.group / packed, tiles = tiles_of(s.queries, plan.groups * tokens),
                     wholes = s.batches * heads * tiles;
  s.splits = decodes ? std::clamp<std::int64_t>(std::min(units / wholes, s.keys / kKeysOfPart), 1, kMost) : 1;
  const MappedTokens q(on, a.q, true), k(on, a.k, true), v(on, a.v, true), out(on, a.out, false);
  const TensorMap q_map = q.map(packed, tokens), k_map = k.map(1, plan.keys), v_map = v.map(1, plan.keys),
                  out_map = out.map(packed, tokens);
  const auto number = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const AttentionOrder order{number(packed), number(tokens), number(tiles),
                             number(std::min(s.batches * heads, kSectionHeads * (s.group / packed))),
                             number(s.splits)};
  const auto text = [](std::int64_t value) { return ", " + std::to_string(value); };
  const auto flag = [](bool value) { return value ? ", true" : ", false"; };
  const bool has_turns = !decodes && variant.at("turns") != 0,
             is_persistent = decodes || variant.at("persistent") != 0;
  const std::string name = "quern_ops::attention_wgmma<" + a.type() + ", CUtensorMap" + text(plan.extent) +
                           text(plan.keys) + text(plan.stages) + text(plan.groups) + flag(has_turns) +
                           flag(plan.replaces_queries) + flag(s.splits > 1) + ">";
  const Kernel kernel =
      Engine::of(device)->kernel(device, {"index", "attention_keys", "hopper", "attention_wgmma"}, {}, name);
  const Workspace memory = unfinished_rows(device, a);
  const Argument unfinished = s.splits > 1 ? memory.elements(Element::f32) : Argument(nullptr);
  const std::int64_t work = wholes * s.splits;
  const auto blocks = static_cast<std::uint32_t>(is_persistent ? std::min(work, units) : work);
  const LaunchConfig config = blocks_of_threads(blocks, (plan.groups + 1) * kGroupThreads)
                                  .shared(static_cast<std::uint64_t>(plan.shared));
  const Receipt receipt = on.stream().launch(kernel, config, s, order, a.scale_argument(), q_map, k_map,
                                             v_map, out_map, a.length_argument(), unfinished);
  if (s.splits > 1) return combine_splits(on, a, unfinished);
  return out.is_copy() ? detail::copy(on, out.view(), a.out) : receipt;
}

}  // namespace quern::ops
