// wgmma.mma_async: products of matrices by a warpgroup. They are computed when all threads of the warpgroup
// have arrived, but their results are written when the group is waited for. Accumulators are variables in
// local memory, whose bytes are undefined until then.
#include <algorithm>
#include <bit>
#include <cmath>

#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"
#include "driver/sim/wgmma_layout.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::sim {

namespace {

constexpr uint32_t kChunk = 16;  // bytes that are read together

uint64_t argument_of(const Thread& t, const PtxInfo& info, size_t argument) {
  return t.slots[info.operand(argument)];
}

bool is_negated(const Thread& t, const PtxInfo& info, size_t argument) {
  return info.count() > argument && static_cast<int32_t>(argument_of(t, info, argument)) == -1;
}

float from_f16(uint32_t bits) { return static_cast<float>(ir::float_from_bits(ir::TypeKind::kF16, bits)); }
uint32_t to_f16(float value) {
  return static_cast<uint32_t>(ir::float_to_bits(ir::TypeKind::kF16, static_cast<double>(value)));
}

int32_t wrapped(int64_t sum, bool is_saturating) {
  if (is_saturating) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(sum)));
}

}  // namespace

// The matrices of one instruction, by row.
struct Machine::WgmmaOperands {
  std::vector<float> a, b;
  std::vector<WgmmaRead> reads;
};

bool Machine::arrive_wgmma(BlockState& b, Thread& t) {
  const uint32_t first = t.index / kWarpgroup * kWarpgroup;
  const uint32_t last = std::min<uint32_t>(first + kWarpgroup, block_threads_);
  bool all = true, has_left = last - first < kWarpgroup;
  const Thread* other = nullptr;
  for (uint32_t i = first; i < last; ++i) {
    const Thread& one = b.threads[i];
    has_left = has_left || one.wait == Wait::kExited;
    if (i == t.index) continue;
    all = all && one.wait == Wait::kWarpgroup;
    if (one.wait == Wait::kWarpgroup && one.pc != t.pc) other = &one;
  }
  if (has_left || other != nullptr) {
    if (Report* r = new_report(ReportKind::kWarp, b, t, t.pc)) {
      if (other != nullptr) r->other = party(other->id, other->pc);
      r->set(other != nullptr ? message::kDifferentProducts() : message::kPartOfWarpgroup());
    }
    stop();
    return true;
  }
  set_wait(b, t, Wait::kWarpgroup);
  if (!all) return true;
  run_wgmma(b, first);
  for (uint32_t i = first; i < last; ++i) resume(b, b.threads[i]);
  return true;
}

// All threads must pass the same valid descriptors.
bool Machine::check_descriptor(BlockState& b, uint32_t first, const PtxInfo& info, size_t argument) {
  const Thread& t = b.threads[first];
  const uint64_t bits = argument_of(t, info, argument);
  for (uint32_t i = first; i < first + kWarpgroup; ++i) {
    if (argument_of(b.threads[i], info, argument) == bits) continue;
    report_ptx(ReportKind::kAsync, b, b.threads[i], message::kDifferentDescriptors());
    return false;
  }
  const MatrixDescriptor m(bits);
  if (m.has_reserved_bits) {
    report_ptx(ReportKind::kAsync, b, t, message::kReservedBits());
    return false;
  }
  if (!m.is_aligned()) {
    report_ptx(
        ReportKind::kAsync, b, t,
        message::kPatternAlignment(std::to_string(m.start % m.pattern()), std::to_string(m.pattern())));
    return false;
  }
  return true;
}

// Reads rows x k elements of a matrix in shared memory. `warp`: the threads that read it, all if it is not
// given.
void Machine::read_matrix(BlockState& b, uint32_t first, uint64_t bits, bool is_transposed, WgmmaType type,
                          uint32_t rows, uint32_t k, std::vector<float>& out, std::vector<WgmmaRead>& reads) {
  const MatrixDescriptor m(bits);
  const uint32_t bytes = element_bytes(type);
  Thread& t = b.threads[first];
  std::unordered_map<uint32_t, const uint8_t*> chunks;
  const auto chunk_at = [&](uint32_t number) -> const uint8_t* {
    const auto [it, is_new] = chunks.try_emplace(number, nullptr);
    if (!is_new) return it->second;
    const Address address = shared_at(number);
    const View v = view(b, t, t.pc, address, {kChunk, kChunk, false});
    if (!v || !v.is_shared) return nullptr;
    for (uint32_t warp = 0; v.tracked() && warp < kWarpgroup / kWarpSize; ++warp)
      race_read(b, b.threads[first + warp * kWarpSize], *v.region, true, address, v.offset, kChunk, t.pc);
    for (uint32_t i = 0; v.defined != nullptr && i < kChunk; ++i) {
      if (is_defined(v.defined, v.offset + i)) continue;
      undefined_read(b, t, t.pc, address + i, 1, false);
      break;
    }
    check_proxy(b, t, address, kChunk);
    reads.push_back({first, 0, t.pc, address, kChunk});
    return it->second = v.bytes;
  };
  out.assign(size_t{rows} * k, 0.0f);
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t i = 0; i < k; ++i) {
      const uint32_t at = element_address(m, is_transposed, bytes, row, i);
      const uint8_t* const from = chunk_at(at / kChunk * kChunk);
      if (from == nullptr) continue;
      uint32_t value = 0;
      std::memcpy(&value, from + at % kChunk, bytes);
      out[size_t{row} * k + i] = element_value(type, value);
    }
  }
}

void Machine::read_a_registers(BlockState& b, uint32_t first, const PtxInfo& info, std::vector<float>& out) {
  const WgmmaInfo& w = info.wgmma;
  const uint32_t bytes = element_bytes(w.a), per = 4 / bytes;
  out.assign(size_t{kWgmmaRows} * w.k, 0.0f);
  for (uint32_t thread = 0; thread < kWarpgroup; ++thread) {
    const Thread& t = b.threads[first + thread];
    for (uint32_t i = 0; i < 4 * per; ++i) {
      const uint64_t reg = t.slots[info.slots[info.arguments[1] + i / per]];
      const auto bits =
          static_cast<uint32_t>(reg >> (i % per * bytes * 8) & (~uint64_t{0} >> (64 - bytes * 8)));
      const MatrixPlace p = a_register_place(w.a, thread, i);
      out[size_t{p.row} * w.k + p.column] = element_value(w.a, bits);
    }
  }
}

// The accumulator's value before the product, and whether it may be used without wgmma.fence.
uint32_t Machine::old_accumulator(BlockState& b, Thread& t, Address address, bool is_read) {
  ThreadPtx& s = b.ptx->threads[t.index];
  const View v = view(b, t, t.pc, address, {4, 4, true});
  if (!v) return 0;
  for (const Accumulator& pending : s.accumulators) {
    if (pending.at == v.offset) return pending.value;
  }
  uint32_t value = 0;
  std::memcpy(&value, v.bytes, sizeof value);
  if (is_read && v.undefined(4) != 0) undefined_read(b, t, t.pc, address, 0xF, false);
  const bool is_same = s.has_wgmma_fence && v.offset + 4 <= s.fenced.size() &&
                       std::memcmp(s.fenced.data() + v.offset, &value, sizeof value) == 0;
  if (!s.has_wgmma_fence || (!is_same && v.undefined(4) == 0))
    report_ptx(ReportKind::kAsync, b, t,
               s.has_wgmma_fence ? message::kChangedAfterFence() : message::kNoWgmmaFence());
  return value;
}

void Machine::new_accumulator(BlockState& b, Thread& t, Address address, uint32_t value) {
  ThreadPtx& s = b.ptx->threads[t.index];
  const View v = view(b, t, t.pc, address, {4, 1, true});
  if (!v) return;
  if (v.defined != nullptr) set_undefined(v.defined, v.offset, 4);
  const Accumulator now{v.offset, value, s.wgmma_group, t.pc};
  for (Accumulator& pending : s.accumulators) {
    if (pending.at != v.offset) continue;
    pending = now;
    return;
  }
  s.accumulators.push_back(now);
}

void Machine::run_wgmma(BlockState& b, uint32_t first) {
  const PtxInfo& info = code_.ptx[code_.code[b.threads[first].pc].c];
  const WgmmaInfo& w = info.wgmma;
  const Thread& t = b.threads[first];
  ptx_of(b);
  if (!check_descriptor(b, first, info, 2) || (!w.has_a_registers && !check_descriptor(b, first, info, 1)))
    return;
  const bool trans_a = !w.has_a_registers && info.count() > 7 && argument_of(t, info, 6) != 0;
  const size_t b_at = w.has_a_registers ? 6 : 7;
  const bool trans_b = info.count() > b_at && argument_of(t, info, b_at) != 0;
  WgmmaOperands in;
  if (w.has_a_registers) {
    read_a_registers(b, first, info, in.a);
  } else {
    read_matrix(b, first, argument_of(t, info, 1), trans_a, w.a, kWgmmaRows, w.k, in.a, in.reads);
  }
  read_matrix(b, first, argument_of(t, info, 2), trans_b, w.b, w.n, w.k, in.b, in.reads);
  for (uint32_t i = 0; i < kWarpgroup; ++i) multiply_wgmma(b, b.threads[first + i], i, info, in);
  for (WgmmaRead& r : in.reads) {
    r.group = b.ptx->threads[first].wgmma_group;
    b.ptx->reads.push_back(r);
  }
  guard_shared(b);
}

// The elements of one thread.
void Machine::multiply_wgmma(BlockState& b, Thread& t, uint32_t thread, const PtxInfo& info,
                             const WgmmaOperands& in) {
  const WgmmaInfo& w = info.wgmma;
  const bool adds = argument_of(t, info, 3) != 0, is_half = w.d == WgmmaType::kF16;
  const float sign = is_negated(t, info, 4) != is_negated(t, info, 5) ? -1.0f : 1.0f;
  const auto product = [&](uint32_t i, uint32_t old) -> uint32_t {
    const MatrixPlace p = accumulator_place(thread, i);
    const float *x = &in.a[size_t{p.row} * w.k], *y = &in.b[size_t{p.column} * w.k];
    if (w.d == WgmmaType::kS32) {
      int64_t sum = adds ? static_cast<int32_t>(old) : 0;
      for (uint32_t k = 0; k < w.k; ++k) sum += static_cast<int64_t>(x[k]) * static_cast<int64_t>(y[k]);
      return static_cast<uint32_t>(wrapped(sum, w.is_saturating));
    }
    float sum = !adds ? 0.0f : is_half ? from_f16(old) : std::bit_cast<float>(old);
    for (uint32_t k = 0; k < w.k; ++k) sum = std::fma(sign * x[k], y[k], sum);
    return is_half ? to_f16(sum) : std::bit_cast<uint32_t>(sum);
  };
  for (uint32_t r = 0; r < info.width(0); ++r) {
    const Address address = t.slots[info.slots[r]];
    const uint32_t old = old_accumulator(b, t, address, adds);
    const uint32_t value =
        is_half ? product(2 * r, old & 0xFFFF) | product(2 * r + 1, old >> 16) << 16 : product(r, old);
    new_accumulator(b, t, address, value);
  }
}

void Machine::wgmma_fence(BlockState& b, Thread& t) {
  ThreadPtx& s = ptx_of(b).threads[t.index];
  s.has_wgmma_fence = true;
  s.fenced.assign(t.local, t.local + code_.local_bytes);
  for (const Accumulator& a : s.accumulators) std::memcpy(s.fenced.data() + a.at, &a.value, sizeof a.value);
}

// wait_group N: writes the accumulators of all groups but the last N.
void Machine::wgmma_wait(BlockState& b, Thread& t, const PtxInfo& info) {
  BlockPtx& all = ptx_of(b);
  ThreadPtx& s = all.threads[t.index];
  const uint64_t pending = operand(t, info, 0);
  const auto is_over = [&](uint32_t group) { return group + pending < s.wgmma_group; };
  std::erase_if(s.accumulators, [&](const Accumulator& a) {
    if (!is_over(a.group)) return false;
    const bool is_written =
        (checks_ & kCheckUninitialized) != 0 && all_defined<uint32_t>(t.local_defined, a.at);
    if (is_written) report_at(ReportKind::kAsync, b, t, a.pc, message::kAccumulatorWritten());
    std::memcpy(t.local + a.at, &a.value, sizeof a.value);
    set_defined(t.local_defined, a.at, sizeof a.value);
    if (a.at + 4 <= s.fenced.size()) std::memcpy(s.fenced.data() + a.at, &a.value, sizeof a.value);
    return true;
  });
  const bool had_reads = !all.reads.empty();
  std::erase_if(all.reads, [&](const WgmmaRead& r) { return r.thread == t.index && is_over(r.group); });
  if (had_reads) guard_shared(b);
}

const Accumulator* Machine::pending_accumulator(const BlockState& b, const Thread& t, Address address) const {
  const Place p = place_of(address);
  if (b.ptx == nullptr || p.tag != Tag::kLocal || p.object >= code_.locals.size()) return nullptr;
  const uint64_t at = code_.locals[p.object].offset + static_cast<uint64_t>(p.offset);
  const auto& list = b.ptx->threads[t.index].accumulators;
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Accumulator& a) { return a.at <= at && at < a.at + 4; });
  return found != list.end() ? &*found : nullptr;
}

}  // namespace quern::sim
