#include "driver/sim/ptx_info.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.hpp"

namespace quern::sim {

namespace {

using Words = std::vector<std::string_view>;

bool has_word(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "%0, [%1], {%2, %3}": the number of operands of each argument.
std::vector<uint32_t> argument_sizes(std::string_view text) {
  std::vector<uint32_t> sizes;
  int depth = 0;
  bool is_open = false;
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == ',' && depth == 0) is_open = false;
    if (c != '%') continue;
    if (!is_open) sizes.push_back(0);
    is_open = true;
    ++sizes.back();
  }
  return sizes;
}

std::optional<WgmmaType> wgmma_type(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, WgmmaType>, 9> kTypes{{{"f16", WgmmaType::kF16},
                                                                                 {"bf16", WgmmaType::kBF16},
                                                                                 {"tf32", WgmmaType::kTF32},
                                                                                 {"e4m3", WgmmaType::kE4M3},
                                                                                 {"e5m2", WgmmaType::kE5M2},
                                                                                 {"s8", WgmmaType::kS8},
                                                                                 {"u8", WgmmaType::kU8},
                                                                                 {"f32", WgmmaType::kF32},
                                                                                 {"s32", WgmmaType::kS32}}};
  for (const auto& [name, type] : kTypes) {
    if (name == word) return type;
  }
  return {};
}

uint32_t wgmma_depth(WgmmaType type) {
  switch (type) {
    case WgmmaType::kF16:
    case WgmmaType::kBF16: return 16;
    case WgmmaType::kTF32: return 8;
    default: return 32;
  }
}

// m64n128k16
bool read_shape(std::string_view word, WgmmaInfo& info) {
  const size_t n = word.find('n'), k = word.find('k');
  if (!word.starts_with("m64n") || k == std::string_view::npos) return false;
  std::from_chars(word.data() + n + 1, word.data() + k, info.n);
  std::from_chars(word.data() + k + 1, word.data() + word.size(), info.k);
  return info.n >= 8 && info.n <= 256 && info.n % 8 == 0;
}

bool are_combined(const WgmmaInfo& w) {
  switch (w.a) {
    case WgmmaType::kF16: return w.b == w.a && (w.d == WgmmaType::kF16 || w.d == WgmmaType::kF32);
    case WgmmaType::kBF16:
    case WgmmaType::kTF32: return w.b == w.a && w.d == WgmmaType::kF32;
    case WgmmaType::kE4M3:
    case WgmmaType::kE5M2:
      return (w.b == WgmmaType::kE4M3 || w.b == WgmmaType::kE5M2) &&
             (w.d == WgmmaType::kF16 || w.d == WgmmaType::kF32);
    case WgmmaType::kS8:
    case WgmmaType::kU8: return (w.b == WgmmaType::kS8 || w.b == WgmmaType::kU8) && w.d == WgmmaType::kS32;
    default: return false;
  }
}

// wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d…}, a, b, scale-d, scale-a, scale-b, trans-a, trans-b
bool read_wgmma(const Words& words, PtxInfo& info) {
  if (words.size() < 8 || has_word(words, "sp")) return false;
  WgmmaInfo& w = info.wgmma;
  const auto d = wgmma_type(words[5]), a = wgmma_type(words[6]), b = wgmma_type(words[7]);
  if (!read_shape(words[4], w) || !d || !a || !b) return false;
  w.d = *d;
  w.a = *a;
  w.b = *b;
  w.is_saturating = has_word(words, "satfinite");
  if (!are_combined(w) || w.k != wgmma_depth(w.a) || info.count() < 4) return false;
  w.has_a_registers = info.width(1) == 4;
  const bool is_integer = w.d == WgmmaType::kS32;
  const bool can_transpose = w.a == WgmmaType::kF16 || w.a == WgmmaType::kBF16;
  const size_t all = is_integer ? 4 : !can_transpose ? 6 : w.has_a_registers ? 7 : 8;
  const size_t registers = w.d == WgmmaType::kF16 ? w.n / 4 : w.n / 2;
  return info.count() == all && info.width(0) == registers && (info.width(1) == 1 || w.has_a_registers);
}

std::optional<PtxKind> barrier_kind(const Words& words, PtxInfo& info) {
  const size_t at = words.size() > 1 && words[1] == "cta" ? 2 : 1;
  if (words.size() <= at) return {};
  if (words[at] == "sync") return PtxKind::kBarrierSync;
  if (words[at] == "arrive") return PtxKind::kBarrierArrive;
  if (words[at] != "red") return {};
  info.reduction = has_word(words, "and")  ? Reduction::kAnd
                   : has_word(words, "or") ? Reduction::kOr
                                           : Reduction::kCount;
  return PtxKind::kBarrierReduce;
}

std::optional<PtxKind> mbarrier_kind(const Words& words, PtxInfo& info) {
  const std::string_view what = words.size() > 1 ? words[1] : "";
  info.is_parity = has_word(words, "parity");
  info.expects = has_word(words, "expect_tx");
  info.no_complete = has_word(words, "noComplete");
  info.drops = what == "arrive_drop";
  if (what == "init") return PtxKind::kMbarrierInit;
  if (what == "inval") return PtxKind::kMbarrierInvalidate;
  if (what == "arrive" || what == "arrive_drop") return PtxKind::kMbarrierArrive;
  if (what == "expect_tx") return PtxKind::kMbarrierExpect;
  if (what == "complete_tx") return PtxKind::kMbarrierComplete;
  if (what == "test_wait" || what == "try_wait") return PtxKind::kMbarrierWait;
  if (what == "pending_count") return PtxKind::kMbarrierPending;
  return {};
}

// cp.async.bulk.…
std::optional<PtxKind> bulk_kind(const Words& words, PtxInfo& info) {
  if (words.size() < 4 || words[3] == "tensor" || has_word(words, "cp_mask")) return {};
  if (words[3] == "commit_group") return PtxKind::kBulkCommit;
  info.is_read = has_word(words, "read");
  if (words[3] == "wait_group") return PtxKind::kBulkWait;
  if (words[3] == "prefetch") return PtxKind::kBulkPrefetch;
  info.is_multicast = has_word(words, "multicast::cluster");
  info.from_shared = words.size() > 4 && words[4] == "shared::cta";
  if (words[3] == "global") return info.from_shared ? std::optional(PtxKind::kBulkStore) : std::nullopt;
  return words[3].starts_with("shared::") ? std::optional(PtxKind::kBulkLoad) : std::nullopt;
}

std::optional<PtxKind> wgmma_kind(const Words& words, PtxInfo& info) {
  const std::string_view what = words.size() > 1 ? words[1] : "";
  if (what == "fence") return PtxKind::kWgmmaFence;
  if (what == "commit_group") return PtxKind::kWgmmaCommit;
  if (what == "wait_group") return PtxKind::kWgmmaWait;
  if (what != "mma_async" || !read_wgmma(words, info)) return {};
  return PtxKind::kWgmma;
}

std::optional<PtxKind> kind_of_ptx(const Words& words, PtxInfo& info) {
  const std::string_view first = words[0], second = words.size() > 1 ? words[1] : "";
  if (first == "barrier" && second == "cluster") {
    if (has_word(words, "arrive")) return PtxKind::kClusterArrive;
    return has_word(words, "wait") ? std::optional(PtxKind::kClusterWait) : std::nullopt;
  }
  if (first == "bar" || first == "barrier") return barrier_kind(words, info);
  if (first == "mbarrier") return mbarrier_kind(words, info);
  if (first == "cp" && words.size() > 2 && words[2] == "mbarrier") return PtxKind::kAsyncArrive;
  if (first == "cp" && words.size() > 2 && words[2] == "bulk") return bulk_kind(words, info);
  if (first == "wgmma") return wgmma_kind(words, info);
  if (first == "mapa") return PtxKind::kMapShared;
  if (first == "getctarank") return PtxKind::kClusterRank;
  if (first == "fence" && second == "mbarrier_init") return PtxKind::kFenceInit;
  info.is_async_proxy = has_word(words, "async");
  if (first == "fence" && second == "proxy") return PtxKind::kFenceProxy;
  if (first == "setmaxnreg") return PtxKind::kSetRegisters;
  return {};
}

// The fewest arguments that each kind has.
size_t least_arguments(PtxKind kind) {
  switch (kind) {
    case PtxKind::kBarrierArrive:
    case PtxKind::kMapShared:
    case PtxKind::kMbarrierInit:
    case PtxKind::kMbarrierExpect:
    case PtxKind::kMbarrierComplete:
    case PtxKind::kMbarrierWait:
    case PtxKind::kBarrierReduce:
    case PtxKind::kBulkPrefetch: return 2;
    case PtxKind::kBarrierSync:
    case PtxKind::kClusterRank:
    case PtxKind::kMbarrierInvalidate:
    case PtxKind::kMbarrierArrive:
    case PtxKind::kMbarrierPending:
    case PtxKind::kAsyncArrive:
    case PtxKind::kBulkWait:
    case PtxKind::kWgmmaWait:
    case PtxKind::kSetRegisters: return 1;
    case PtxKind::kBulkLoad: return 4;
    case PtxKind::kBulkStore: return 3;
    default: return 0;
  }
}

}  // namespace

std::optional<PtxInfo> parse_ptx(std::string_view text, bool has_result) {
  const size_t gap = std::min(text.find(' '), text.size());
  PtxInfo info;
  info.name = text.substr(0, gap);
  std::vector<uint32_t> sizes = argument_sizes(text.substr(gap));
  if (has_result && !sizes.empty()) sizes.erase(sizes.begin());
  for (const uint32_t size : sizes) info.arguments.push_back(info.arguments.back() + size);
  const std::string name = info.name;
  const auto kind = kind_of_ptx(base::split(name, '.'), info);
  if (!kind || info.count() < least_arguments(*kind)) return {};
  info.kind = *kind;
  return info;
}

}  // namespace quern::sim
