#include "lang/parse/ptx_table.hpp"

#include <algorithm>
#include <array>

namespace quern::lang {

namespace {

using enum PtxUse;

// The first match counts.
constexpr PtxRow kRows[] = {
    {"bar.warp", kTranslated, false},
    {"barrier.cluster", kSimulated, false},
    {"bar", kTranslated, false},
    {"barrier", kTranslated, false},
    {"clusterlaunchcontrol", kNvidiaOnly, false},
    {"cp.async.bulk.tensor", kNvidiaOnly, false},
    {"cp.async.bulk.prefetch.tensor", kNvidiaOnly, false},
    {"cp.async.bulk", kSimulated, false},
    {.pattern = "cp.async.mbarrier", .use = kNative, .has_result = false, .in_simulator = true},
    {"cp.async", kNative, false, {}, PtxSpace::kSharedThenGlobal},
    {"cp.reduce", kNvidiaOnly, false},
    {"applypriority", kNvidiaOnly, false},
    {"createpolicy", kNative, true, "__ptx_createpolicy"},
    {"cvt.rn.bf16x2.f32", kNative},  // one instruction for two conversions
    {"cvt.rn.f16x2.f32", kNative},
    {"discard", kNative, false, "__ptx_prefetch"},
    {.pattern = "elect", .use = kNative, .architecture = 90},
    {"ex2.approx.ftz", kNative},
    {"exit", kTranslated, false},
    {"fence.mbarrier_init", kSimulated, false},
    {"fence.proxy.tensormap", kNvidiaOnly, false},
    {"fence.proxy", kSimulated, false},
    {.pattern = "fence.sc.cluster", .use = kNative, .has_result = false, .architecture = 90},
    {.pattern = "fence.acq_rel.cluster", .use = kNative, .has_result = false, .architecture = 90},
    {"fence", kNative, false},
    {"getctarank", kSimulated},
    {"griddepcontrol", kNative, false, "__ptx_griddepcontrol", PtxSpace::kGeneric, 90},
    {"isspacep", kNvidiaOnly},
    {"ldmatrix", kNative, true, {}, PtxSpace::kGeneric},
    {"mapa", kSimulated},
    {"mbarrier.arrive.expect_tx", kSimulated},
    {"mbarrier.expect_tx", kSimulated, false},
    {"mbarrier.complete_tx", kSimulated, false},
    {"mbarrier.pending_count", kSimulated},
    {.pattern = "mbarrier.try_wait", .use = kNative, .architecture = 90, .in_simulator = true},
    {.pattern = "mbarrier.arrive.noComplete", .use = kNative, .in_simulator = true},
    {.pattern = "mbarrier.arrive", .use = kNative, .architecture = 90, .in_simulator = true},  // with a count
    {.pattern = "mbarrier", .use = kNative, .in_simulator = true},
    {"membar", kTranslated, false},
    {"mma", kNative},
    {"movmatrix", kNative},
    {"multimem", kNvidiaOnly},
    {"nanosleep", kTranslated, false},
    {"prefetch", kNative, false, "__ptx_prefetch"},
    {"prefetchu", kNative, false, "__ptx_prefetch"},
    {"red", kNative, false},
    {"atom", kNative},
    {"setmaxnreg", kNative, false, "__ptx_setmaxnreg", PtxSpace::kGeneric, 90, true},
    {"st", kTranslated, false},
    {"stmatrix", kNative, false, {}, PtxSpace::kGeneric, 90},
    {"tcgen05", kNvidiaOnly, false},
    {"tensormap", kNvidiaOnly, false},
    {"trap", kTranslated, false},
    {"wgmma", kSimulated, false},
};

constexpr PtxRow kFunction{};  // of registers

}  // namespace

const PtxRow& ptx_row(std::string_view instruction) {
  for (const PtxRow& row : kRows) {
    if (!instruction.starts_with(row.pattern)) continue;
    if (instruction.size() == row.pattern.size() || instruction[row.pattern.size()] == '.') return row;
  }
  return kFunction;
}

bool is_ptx_hint(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kHints{"nc",
                                                           "ca",
                                                           "cg",
                                                           "cs",
                                                           "cv",
                                                           "lu",
                                                           "wb",
                                                           "wt",
                                                           "L1::no_allocate",
                                                           "L1::evict_last",
                                                           "L1::evict_first",
                                                           "L1::evict_normal"};
  return std::find(kHints.begin(), kHints.end(), word) != kHints.end() || word.starts_with("L2::");
}

bool is_ptx_order(std::string_view word) {
  static constexpr std::array<std::string_view, 16> kOrders{
      "global",  "shared",   "shared::cta", "shared::cluster", "weak", "relaxed", "acquire",    "release",
      "acq_rel", "volatile", "cta",         "cluster",         "gpu",  "sys",     "noComplete", "noftz"};
  return std::find(kOrders.begin(), kOrders.end(), word) != kOrders.end();
}

}  // namespace quern::lang
