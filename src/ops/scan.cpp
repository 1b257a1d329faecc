// Scans along the last axis. Rows are independent; a long row is cut into tiles. On devices that guarantee
// progress of blocks, one kernel scans all tiles; otherwise the sums of tiles are scanned first.
#include "quern/ops/scan.hpp"

#include <array>

#include "ops/checks.hpp"
#include "ops/choice.hpp"
#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/identity.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops {

// Threads of a block, elements of a thread in a tile, and whether one kernel scans all tiles.
std::vector<Variant> scan_variants(const DeviceInfo& info, const Problem& problem) {
  // Many bytes in flight on a compute unit hide the time of look-back.
  const Variant chained{
      {"threads", kThreads}, {"items", bytes_of(problem.element) == 8 ? 16 : 32}, {"chained", 1}};
  const Variant in_passes{{"threads", kThreads}, {"items", 8}, {"chained", 0}};
  const bool can_chain = started_blocks_progress(info);
  return with_default(
      prefers_look_back(info) ? chained : in_passes,
      variants({{"threads", {128, 256, 512}}, {"items", {4, 8, 16, 24, 32}}, {"chained", {0, 1}}},
               [&](const Variant& v) {
                 const bool fits =
                     v.at("chained") == 1 ? can_chain && v.at("items") >= 8 : v.at("items") <= 16;
                 return fits && v.at("threads") <= static_cast<std::int64_t>(info.limits.block_threads);
               }));
}

}  // namespace quern::ops

namespace quern::ops::detail {

namespace {

struct Scan {
  const On& on;
  FunctionText function;
  Element accumulator;
  Argument identity;
  Device device;
  Variant variant;

  Scan(const On& where, FunctionText combine, Element type, Argument neutral, const View& in)
      : on(where),
        function(std::move(combine)),
        accumulator(type),
        identity(neutral),
        device(on.stream().device()),
        variant(
            variant_for(device, "scan", {{std::max<std::int64_t>(in.layout.shape.size(), 1)}, in.element})) {}

  Kernel kernel(const std::string& name) const {
    return Engine::of(device)->kernel(device, {"index", "scan"}, function.code, "quern_ops::" + name);
  }
  Kernel chained_kernel(const std::string& name) const {
    return Engine::of(device)->kernel(device, {"index", "packs", "scan_chained"}, function.code,
                                      "quern_ops::" + name);
  }
};

// One side of a scan: the memory, the rows without the scanned axis, and the stride of that axis.
struct Side {
  Argument memory;
  std::string type;
  Layout rows;
  std::int64_t stride;
  bool has_packs = false;  // rows are contiguous, and begin at multiples of 16 bytes
};

bool has_packs(const Device& device, const View& view, const Layout& rows, std::int64_t stride) {
  if (stride != 1 || !is_aligned(device, view)) return false;
  for (std::size_t axis = 0; axis < rows.shape.rank(); ++axis) {
    if (rows.shape[axis] != 1 && rows.strides[axis] % elements_of_piece(view.element) != 0) return false;
  }
  return true;
}

Side side_of(const Device& device, const View& view) {
  const std::size_t rank = view.layout.shape.rank();
  Side side{argument_of(view), std::string(name_of(view.element)),
            rank == 0 ? view.layout : view.layout.select(rank - 1, 0),
            rank == 0 ? 1 : view.layout.strides[rank - 1]};
  side.has_packs = has_packs(device, view, side.rows, side.stride);
  return side;
}

// One launch: a block for each tile.
struct Chain {
  std::int64_t rows, threads, items, tiles, all_tiles;

  Chain(const Scan& s, std::int64_t length, std::int64_t row_count)
      : rows(row_count), threads(s.variant.at("threads")), items(s.variant.at("items")) {
    while (threads > 32 && threads / 2 * items >= length) threads /= 2;
    tiles = tiles_of(length, threads * items);
    all_tiles = rows * tiles;
  }
  bool fits(const Scan& s) const {
    return all_tiles <= std::min<std::int64_t>(s.device.info().limits.grid.x, INT32_MAX);
  }
  bool is_chained() const { return tiles > 1; }
  // Of the counter and the cells of text/scan_chained.cuh.
  std::int64_t words(const Scan& s) const {
    if (!is_chained()) return 0;
    return 1 + (all_tiles + rows * tiles_of(tiles, 32)) * (bytes_of(s.accumulator) <= 4 ? 1 : 3);
  }
};

Receipt scan_chained(const Scan& s, const Chain& chain, std::int64_t length, const Side& in, const Side& out,
                     bool is_exclusive) {
  const std::array<Layout, 2> both{in.rows, out.rows};
  const std::array<std::int64_t, 2> first{in.rows.first, out.rows.first};
  const Iteration rows = collapse(both);
  const IndexBytes index(rows, first);
  const std::int64_t words = chain.words(s);
  const Workspace state(s.device, static_cast<std::size_t>(words) * sizeof(std::uint64_t));
  const View cells = state.view(Element::u64, words);
  if (chain.is_chained()) s.on.stream().fill(Slice<std::uint64_t>(cells.bytes), 0);
  const std::string name =
      "scan_chained<" + in.type + ", " + std::string(name_of(s.accumulator)) + ", " + out.type + ", " +
      s.function.type + ", " + std::to_string(rows.extents.size()) + ", " + std::to_string(chain.threads) +
      ", " + std::to_string(chain.items) + (is_exclusive ? ", true" : ", false") +
      (in.has_packs && out.has_packs ? ", true" : ", false") + (chain.is_chained() ? ", true>" : ", false>");
  return s.on.stream().launch(
      s.chained_kernel(name), blocks_of_threads(static_cast<std::uint32_t>(chain.all_tiles), chain.threads),
      static_cast<std::int32_t>(chain.tiles), static_cast<std::int32_t>(chain.all_tiles), length,
      index.argument(), in.stride, out.stride, in.memory, out.memory,
      chain.is_chained() ? argument_of(cells) : Argument(nullptr), s.identity);
}

Receipt scan_rows(const Scan& s, std::int64_t length, const Side& in, const Side& out, bool is_exclusive) {
  const std::array<Layout, 2> both{in.rows, out.rows};
  const std::array<std::int64_t, 2> first{in.rows.first, out.rows.first};
  const Iteration rows = collapse(both);
  const IndexBytes index(rows, first);
  const std::int64_t threads = s.variant.at("threads"), items = s.variant.at("items"), tile = threads * items;
  const std::int64_t tiles = (length + tile - 1) / tile, work = rows.size * tiles;
  const LaunchConfig config = blocks_of_threads(blocks_for(s.device.info(), work, 1), threads);
  const std::string accumulator(name_of(s.accumulator));
  const std::string sizes = s.function.type + ", " + std::to_string(rows.extents.size()) + ", " +
                            std::to_string(threads) + ", " + std::to_string(items);
  const bool has_sums = tiles > 1;
  const Workspace sums(s.device, has_sums ? static_cast<std::size_t>(work) * bytes_of(s.accumulator) : 0);
  if (has_sums) {
    const Argument memory = sums.elements(s.accumulator);
    s.on.stream().launch(s.kernel("scan_sums<" + in.type + ", " + accumulator + ", " + sizes + ">"), config,
                         work, tiles, length, index.argument(), in.stride, in.memory, memory, s.identity);
    const Side side{memory, accumulator, Layout::contiguous({rows.size, tiles}).select(1, 0), 1};
    scan_rows(s, tiles, side, side, true);
  }
  const std::string name = "scan_tiles<" + in.type + ", " + accumulator + ", " + out.type + ", " + sizes +
                           (is_exclusive ? ", true" : ", false") + (has_sums ? ", true>" : ", false>");
  return s.on.stream().launch(s.kernel(name), config, work, tiles, length, index.argument(), in.stride,
                              out.stride, in.memory, out.memory,
                              has_sums ? sums.elements(s.accumulator) : Argument(nullptr), s.identity);
}

Receipt run(const Scan& s, const View& in, const View& out, bool is_exclusive) {
  check_not_complex("scan", in);
  check_not_complex("scan", out);
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("scan"));
  const Shape& shape = in.layout.shape;
  if (shape != out.layout.shape)
    fail(ErrorKind::invalid_use,
         message::kShapesDiffer("scan", shape.to_string(), out.layout.shape.to_string()));
  if (shape.size() == 0) return {};
  const std::int64_t length = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  const Side from = side_of(s.device, in), to = side_of(s.device, out);
  const Chain chain(s, length, shape.size() / length);
  if (s.variant.at("chained") == 1 && chain.fits(s))
    return scan_chained(s, chain, length, from, to, is_exclusive);
  return scan_rows(s, length, from, to, is_exclusive);
}

}  // namespace

Receipt scan(const On& on, Combine combine, const View& in, const View& out, bool is_exclusive) {
  const Element accumulator = accumulator_of(combine, in.element, out.element);
  return run({on, text_of(combine), accumulator, identity_of(combine, accumulator), in}, in, out,
             is_exclusive);
}

Receipt scan(const On& on, const Function& combine, const View& in, const View& out, bool is_exclusive,
             const void* identity) {
  return run({on, text_of(combine), out.element, value_of(out.element, identity), in}, in, out, is_exclusive);
}

}  // namespace quern::ops::detail
