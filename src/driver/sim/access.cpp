#include <algorithm>
#include <bit>

#include "driver/sim/machine.hpp"
#include "lang/ir/eval.hpp"

namespace quern::sim {

namespace {

uint64_t read_scalar(const uint8_t* bytes, uint64_t count) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, count);
  return value;
}

uint32_t site_of(uint32_t pc, const AccessInfo& info) {
  return pc | (info.is_volatile || info.may_race ? kSiteVolatile : 0);
}

ir::Op operation(ir::Rmw rmw) {
  switch (rmw) {
    case ir::Rmw::kAdd: return ir::Op::kAdd;
    case ir::Rmw::kSub: return ir::Op::kSub;
    case ir::Rmw::kMin: return ir::Op::kMin;
    case ir::Rmw::kMax: return ir::Op::kMax;
    case ir::Rmw::kAnd: return ir::Op::kAnd;
    case ir::Rmw::kOr: return ir::Op::kOr;
    default: return ir::Op::kXor;
  }
}

uint64_t apply(ir::Rmw rmw, const ir::Type* type, uint64_t old, uint64_t operand) {
  switch (rmw) {
    case ir::Rmw::kExchange: return operand;
    case ir::Rmw::kInc: return old >= operand ? 0 : old + 1;
    case ir::Rmw::kDec: return old == 0 || old > operand ? operand : old - 1;
    default: break;
  }
  static const ir::Attr kPlain;
  const ir::Type* types[2] = {type, type};
  const uint64_t in[2] = {old, operand};
  uint64_t out = old;
  ir::evaluate(operation(rmw), type, types, in, kPlain, out);
  return out;
}

}  // namespace

uint32_t Machine::View::undefined(uint64_t count) const {
  if (defined == nullptr) return 0;
  uint32_t missing = 0;
  for (uint64_t i = 0; i < count; ++i) missing |= is_defined(defined, offset + i) ? 0 : 1u << i;
  return missing;
}

Machine::View Machine::view(BlockState& b, Thread& t, uint32_t pc, Address address, const Touch& touch) {
  const Place p = place_of(address);
  View v;
  const auto fits = [&](uint64_t size) {
    return p.offset >= 0 && static_cast<uint64_t>(p.offset) <= size &&
           touch.bytes <= size - static_cast<uint64_t>(p.offset);
  };
  v.offset = static_cast<uint64_t>(p.offset);
  if (p.tag == Tag::kGlobal && p.object < memory_.regions().size()) {
    Region& r = memory_.regions()[p.object];
    if (r.heap != nullptr && fits(r.size) && !is_in_block(b, t, pc, r, v.offset, touch)) return v;
    if (r.bytes != nullptr && fits(r.size) && !(touch.writes && r.is_constant)) {
      v.bytes = r.bytes + p.offset;
      v.defined = r.defined;
      v.region = &r;
    }
  } else if (p.tag == Tag::kShared && p.object < b.shared_regions.size()) {
    Region& r = b.shared_regions[p.object];
    if (fits(r.size)) {
      v.bytes = r.bytes + p.offset;
      v.defined = r.defined;
      v.region = &r;
      v.is_shared = true;
      if (touch.writes && r.is_guarded) check_in_flight(b, t, pc, b, address, touch.bytes);
    }
  } else if (p.tag == Tag::kShared && p.object > kOwnObjectMask) {
    BlockState* const owner = block_of(b, (p.object >> kRankShift) - 1);
    const uint32_t object = p.object & kOwnObjectMask;
    const bool is_there = owner != nullptr && owner->live != 0 && object < owner->shared_regions.size();
    if (is_there && fits(owner->shared_regions[object].size)) {
      Region& r = owner->shared_regions[object];
      v.bytes = r.bytes + p.offset;
      v.defined = r.defined;
      v.region = &r;
      v.is_shared = true;
      if (touch.writes && r.is_guarded) check_in_flight(b, t, pc, *owner, own_address(address), touch.bytes);
    }
  } else if (p.tag == Tag::kLocal && p.object < code_.locals.size() && p.thread == t.index) {
    const LocalVar& var = code_.locals[p.object];
    if (fits(var.size)) {
      v.bytes = t.local + var.offset + p.offset;
      v.offset += var.offset;
      v.align_bit = var.align_bit;
      v.defined = (checks_ & kCheckUninitialized) != 0 ? t.local_defined : nullptr;
    }
  }
  if (v.region != nullptr) v.align_bit = v.region->align_bit;
  if (!v) {
    report_access(b, t, pc, address, touch);
  } else if (((address | v.align_bit) & (touch.align - 1)) != 0) {
    report_misaligned(b, t, pc, address, touch, v.align_bit);
  }
  return v;
}

uint64_t Machine::load_scalar(BlockState& b, Thread& t, uint32_t pc, Address address, uint32_t bytes,
                              bool maybe) {
  const View v = view(b, t, pc, address, {bytes, bytes, false});
  const Ins& i = code_.code[pc];
  if (maybe) t.flags[i.dst] = 0;
  if (!v) return 0;
  if (v.tracked()) race_read(b, t, *v.region, v.is_shared, address, v.offset, bytes, pc);
  const uint32_t missing = v.undefined(bytes);
  if (missing != 0) undefined_read(b, t, pc, address, missing, maybe);
  return read_scalar(v.bytes, bytes);
}

void Machine::store_scalar(BlockState& b, Thread& t, uint32_t pc, Address address, uint32_t bytes,
                           uint64_t value) {
  const View v = view(b, t, pc, address, {bytes, bytes, true, &value});
  if (!v) return;
  if (v.tracked()) {
    const bool silent = v.undefined(bytes) == 0 && std::memcmp(v.bytes, &value, bytes) == 0;
    race_write(b, t, *v.region, v.is_shared, address, v.offset, bytes, pc, silent);
  }
  std::memcpy(v.bytes, &value, bytes);
  v.define(bytes);
}

// A scalar that must be defined when it leaves the kernel, but not in shared or local memory.
void Machine::store_undefined(BlockState& b, Thread& t, uint32_t pc, Address address, uint32_t bytes) {
  const Ins& i = code_.code[pc];
  if (tag_of(address) == Tag::kGlobal) check_defined(b, t, pc, i.dst);
  const uint32_t missing = t.flags[i.dst] & kUndefinedBytes;
  store_scalar(b, t, pc, address, bytes, t.slots[i.dst]);
  if (missing == 0) return;
  View v = view(b, t, pc, address, {bytes, bytes, true, &t.slots[i.dst]});
  for (uint32_t k = 0; v.defined != nullptr && k < bytes; ++k) {
    if ((missing >> k & 1) != 0) set_undefined(v.defined, v.offset + k, 1);
  }
}

void Machine::undefine_local(Thread& t, const Ins& i, uint32_t bytes) {
  for (uint32_t k = 0; k < bytes; ++k) {
    if ((t.flags[i.dst] >> k & 1) != 0) set_undefined(t.local_defined, i.c + k, 1);
  }
}

void Machine::load_fixed(Thread& t, BlockState& b, uint32_t pc, uint32_t bytes) {
  const Ins& i = code_.code[pc];
  View v;
  v.bytes = t.local + i.c;
  v.defined = t.local_defined;
  v.offset = i.c;
  uint32_t object = 0;
  while (object + 1 < code_.locals.size() && code_.locals[object + 1].offset <= i.c) ++object;
  const Address address = local_address(t.index, object, i.c - code_.locals[object].offset);
  undefined_read(b, t, pc, address, v.undefined(bytes), (i.sub & kSubMaybe) != 0);
  t.slots[i.dst] = read_scalar(v.bytes, bytes);
}

void Machine::load_slow(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  const AccessInfo& info = code_.accesses[i.c];
  const bool aggregate = info.kind == ir::TypeKind::kStruct;
  const uint32_t slots = (info.bytes + 7) / 8;
  if (info.bytes == 0) return;
  const Address address = t.slots[i.a];
  const View v = view(b, t, pc, address, {info.bytes, info.align, false});
  std::memset(t.slots + i.dst, 0, size_t{slots} * 8);
  if (aggregate || info.maybe) std::memset(t.flags + i.dst, 0, size_t{slots} * 4);
  if (!v) return;
  std::memcpy(t.slots + i.dst, v.bytes, info.bytes);
  if (v.tracked()) race_read(b, t, *v.region, v.is_shared, address, v.offset, info.bytes, site_of(pc, info));
  if (info.is_volatile) {
    acquire(b, t, address, v.is_shared);
    note_poll(b);
  }
  if (v.defined == nullptr) return;
  if (!aggregate) {
    const uint32_t missing = v.undefined(info.bytes);
    if (missing != 0) undefined_read(b, t, pc, address, missing, info.maybe);
    return;
  }
  for (uint32_t s = 0; s < slots; ++s) {
    View part = v;
    part.offset += uint64_t{s} * 8;
    const uint32_t missing = part.undefined(std::min<uint64_t>(8, info.bytes - uint64_t{s} * 8));
    if (missing == 0 || (checks_ & kCheckUninitialized) == 0) continue;
    t.undefined_pc = pc;
    t.undefined_address = address;
    t.flags[i.dst + s] = (found_origin({pc, address, 0}) << kOriginShift) | missing;
  }
}

void Machine::store_slow(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  const AccessInfo& info = code_.accesses[i.c];
  const bool aggregate = info.kind == ir::TypeKind::kStruct;
  if (info.bytes == 0) return;
  const Address address = t.slots[i.a];
  View v = view(b, t, pc, address, {info.bytes, info.align, true, aggregate ? nullptr : &t.slots[i.dst]});
  if (!v) return;
  const bool with_flags = info.maybe && (checks_ & kCheckUninitialized) != 0;
  const bool leaves = v.region != nullptr && !v.is_shared;
  if (with_flags && !aggregate && leaves && t.flags[i.dst] != 0) check_defined(b, t, pc, i.dst);
  if (v.tracked()) {
    bool silent = std::memcmp(v.bytes, t.slots + i.dst, info.bytes) == 0;
    for (uint64_t k = 0; silent && v.defined != nullptr && k < info.bytes; ++k)
      silent = is_defined(v.defined, v.offset + k);
    race_write(b, t, *v.region, v.is_shared, address, v.offset, info.bytes, site_of(pc, info), silent);
  }
  std::memcpy(v.bytes, t.slots + i.dst, info.bytes);
  v.define(info.bytes);
  if (info.is_volatile) {
    release(b, t, address, v.is_shared);
    ++b.changes;
  }
  if (!with_flags) return;
  bool any = false;
  for (uint32_t k = 0; k < (info.bytes + 7) / 8; ++k) any = any || t.flags[i.dst + k] != 0;
  if (!any) return;
  remember_undefined(v, address);
  for (uint32_t k = 0; v.defined != nullptr && k < info.bytes; ++k) {
    if ((t.flags[i.dst + k / 8] >> (k % 8) & 1) != 0) set_undefined(v.defined, v.offset + k, 1);
  }
}

void Machine::remember_undefined(View& v, Address address) {
  if (v.defined != nullptr || v.region == nullptr || v.is_shared) return;
  Allocation& a = memory_.allocation(place_of(address).object);
  a.defined = zeroed<uint8_t>(v.region->size / 8 + 1);
  if (a.defined == nullptr) return;
  set_defined(a.defined.get(), 0, v.region->size);
  v.region->defined = v.defined = a.defined.get();
}

void Machine::atomic(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  const AccessInfo& info = code_.accesses[static_cast<uint32_t>(i.d)];
  const bool writes = i.op != OpCode::kAtomicLoad;
  const Address address = t.slots[i.a];
  const View v = view(b, t, pc, address, {info.bytes, info.align, writes, writes ? &t.slots[i.b] : nullptr});
  if (!v) {
    if (i.dst != kNoSlot) t.slots[i.dst] = 0;
    return;
  }
  const bool reads =
      i.op != OpCode::kAtomicStore && !(i.op == OpCode::kAtomicRmw && info.rmw == ir::Rmw::kExchange);
  const uint32_t missing = reads ? v.undefined(info.bytes) : 0;
  if (missing != 0) undefined_read(b, t, pc, address, missing, false);
  const uint64_t old = read_scalar(v.bytes, info.bytes);
  uint64_t fresh = old;
  const ir::Type* type =
      module_.types().get(info.kind == ir::TypeKind::kPtr ? ir::TypeKind::kU64 : info.kind);
  switch (i.op) {
    case OpCode::kAtomicRmw: fresh = apply(info.rmw, type, old, t.slots[i.b]); break;
    case OpCode::kAtomicCas: fresh = old == t.slots[i.b] ? t.slots[i.c] : old; break;
    case OpCode::kAtomicStore: fresh = t.slots[i.b]; break;
    default: break;
  }
  const uint32_t site = pc | kSiteAtomic | (info.scope == ir::Scope::kBlock ? kSiteBlock : 0);
  if (v.tracked()) {
    if (writes) {
      race_write(b, t, *v.region, v.is_shared, address, v.offset, info.bytes, site,
                 fresh == old && v.undefined(info.bytes) == 0);
    } else {
      race_read(b, t, *v.region, v.is_shared, address, v.offset, info.bytes, site);
    }
  }
  if (fresh == old) {
    note_poll(b);
  } else {
    ++b.changes;
  }
  if (i.op != OpCode::kAtomicStore) acquire(b, t, address, v.is_shared);
  if (writes) {
    std::memcpy(v.bytes, &fresh, info.bytes);
    v.define(info.bytes);
    release(b, t, address, v.is_shared);
  }
  if (i.dst != kNoSlot) t.slots[i.dst] = old;
}

void Machine::mem_copy(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  const uint64_t bytes = t.slots[i.b];
  if (bytes == 0) return;
  const Address to = t.slots[i.dst], from = t.slots[i.a];
  const View source = view(b, t, pc, from, {bytes, 1, false});
  View target = view(b, t, pc, to, {bytes, 1, true});
  if (!source || !target) return;
  if (source.tracked()) race_read(b, t, *source.region, source.is_shared, from, source.offset, bytes, pc);
  if (target.tracked()) {
    const bool silent = std::memcmp(target.bytes, source.bytes, bytes) == 0 && target.defined == nullptr;
    race_write(b, t, *target.region, target.is_shared, to, target.offset, bytes, pc, silent);
  }
  std::vector<bool> bits;
  if (source.defined != nullptr && (checks_ & kCheckUninitialized) != 0) {
    bits.resize(bytes);
    for (uint64_t k = 0; k < bytes; ++k) bits[k] = is_defined(source.defined, source.offset + k);
    if (std::find(bits.begin(), bits.end(), false) == bits.end()) bits.clear();
  }
  std::memmove(target.bytes, source.bytes, bytes);
  target.define(bytes);
  if (bits.empty()) return;
  remember_undefined(target, to);
  for (uint64_t k = 0; target.defined != nullptr && k < bytes; ++k) {
    if (!bits[k]) set_undefined(target.defined, target.offset + k, 1);
  }
}

void Machine::mem_set(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  const uint64_t bytes = t.slots[i.b];
  if (bytes == 0) return;
  const Address to = t.slots[i.dst];
  const View target = view(b, t, pc, to, {bytes, 1, true});
  if (!target) return;
  if (target.tracked())
    race_write(b, t, *target.region, target.is_shared, to, target.offset, bytes, pc, false);
  std::memset(target.bytes, static_cast<int>(t.slots[i.a] & 0xFF), bytes);
  target.define(bytes);
}

void Machine::read_string(BlockState& b, Thread& t, uint32_t pc, Address address, std::string& out) {
  constexpr size_t kLongest = 4096;
  for (size_t k = 0; k < kLongest; ++k) {
    const View v = view(b, t, pc, address + k, {1, 1, false});
    if (!v || *v.bytes == 0) return;
    out += static_cast<char>(*v.bytes);
  }
}

}  // namespace quern::sim
