// Reports as text: the object at an address, the access, and the thread.
#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::sim {

using base::format;

namespace {

std::string hex(uint64_t v) { return format("0x%llx", static_cast<unsigned long long>(v)); }

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// ".x", "[3]", … down to a part of `bytes` bytes (0: to the scalar).
std::string path_within(const ir::Type* type, uint64_t offset, uint64_t bytes) {
  std::string path;
  while (type->is_aggregate() && (bytes == 0 || bytes < type->size)) {
    if (type->is_array()) {
      if (type->elem->size == 0) break;
      path += format("[%llu]", static_cast<unsigned long long>(offset / type->elem->size));
      offset %= type->elem->size;
      type = type->elem;
      continue;
    }
    const ir::Field* found = nullptr;
    for (const ir::Field& f : type->fields) {
      if (f.type->size != 0 && offset >= f.offset && offset - f.offset < f.type->size && found == nullptr)
        found = &f;
    }
    if (found == nullptr) break;
    path += "." + found->name;
    offset -= found->offset;
    type = found->type;
  }
  return offset == 0 ? path : path + format(" + %llu bytes", static_cast<unsigned long long>(offset));
}

// name[i]… if `elem` repeats from the start of the object.
std::string element(const std::string& name, const ir::Type* elem, int64_t offset, uint64_t bytes) {
  const auto size = static_cast<int64_t>(elem->size);
  const int64_t index = floor_div(offset, size);
  return name + format("[%lld]", static_cast<long long>(index)) +
         path_within(elem, static_cast<uint64_t>(offset - index * size), bytes);
}

// A variable: the outermost index may be out of range in either direction, inner ones are taken modulo.
std::string variable(const std::string& name, const ir::Type* object, int64_t offset, uint64_t bytes,
                     uint64_t& extent) {
  if (object->is_array() && object->elem->size != 0) {
    extent = object->count;
    return element(name, object->elem, offset, bytes);
  }
  extent = 1;
  if (object->size == 0) return name;
  if (offset < 0 || static_cast<uint64_t>(offset) >= object->size)
    return element(name, object, offset, bytes);
  return name + path_within(object, static_cast<uint64_t>(offset), bytes);
}

std::string value_text(uint64_t bits, const ir::Type* type) {
  if (type == nullptr || type->is_ptr()) return hex(bits);
  if (type->is_bool()) return bits != 0 ? "true" : "false";
  if (type->kind == ir::TypeKind::kF32)
    return base::format_float(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (type->is_float()) return base::format_double(ir::float_from_bits(type->kind, bits));
  if (!type->is_signed()) return std::to_string(bits);
  const uint64_t shift = 64 - type->size * 8;
  return std::to_string(static_cast<int64_t>(bits << shift) >> shift);
}

}  // namespace

Report* Machine::new_report(ReportKind kind, const BlockState& b, const Thread& t, uint32_t pc) {
  Report* r = reporter_.add(kind, pos(pc));
  if (config_.options.stop_on_error) stop();
  if (r == nullptr) return nullptr;
  r->kernel = code_.kernel->name;
  r->thread = thread_index(t.index);
  r->block = b.index;
  return r;
}

Party Machine::party(uint32_t id, uint32_t pc) const {
  Party p;
  if (pc != kNoSlot) p.pos = pos(pc);
  p.thread = thread_index(id & ((1u << id_shift_) - 1));
  p.block = block_index(number_of(id >> id_shift_));
  return p;
}

// The parameter whose struct covers a whole buffer or more: a block that ends in a runtime array.
const ir::Param* Machine::record_at(const Place& place) const {
  for (const ParamBuffer& p : param_buffers_) {
    const ir::Type* elem = p.param->elem;
    if (p.object == place.object && p.offset == 0 && elem != nullptr && elem->is_struct() &&
        elem->size > memory_.regions()[place.object].size)
      return p.param;
  }
  return nullptr;
}

void Machine::describe_global(Report& r, const Place& place, uint64_t bytes) const {
  if (place.object >= memory_.regions().size()) {
    r.place = hex(r.address);
    return;
  }
  const Allocation& a = memory_.allocation(place.object);
  const uint64_t size = memory_.regions()[place.object].size;
  const ParamBuffer* best = nullptr;
  for (const ParamBuffer& p : param_buffers_) {
    if (p.object == place.object &&
        (best == nullptr || (p.offset <= place.offset && p.offset > best->offset)))
      best = &p;
  }
  const std::string label = a.label.empty() ? "memory" : a.label;
  if (const ir::Param* record = record_at(place)) {
    const auto within = static_cast<uint64_t>(place.offset);
    r.place = record->name + (place.offset < 0 ? format(" %lld bytes", static_cast<long long>(place.offset))
                                               : path_within(record->elem, within, bytes));
    r.extent = size;
    return;
  }
  if (best != nullptr && best->param->elem != nullptr && best->param->elem->size != 0) {
    r.place = element(best->param->name, best->param->elem, place.offset - best->offset, bytes);
    r.extent =
        (size - std::min<uint64_t>(size, static_cast<uint64_t>(best->offset))) / best->param->elem->size;
    return;
  }
  for (const ir::Global* g : module_.globals) {
    if (!a.is_variable || g->name != a.label) continue;
    r.place = variable(g->name, g->object, place.offset, bytes, r.extent);
    return;
  }
  const std::string& name = best != nullptr ? best->param->name : label;
  const int64_t offset = place.offset - (best != nullptr ? best->offset : 0);
  if (a.element_bytes == 0) {
    r.place = format("byte %lld of %s", static_cast<long long>(offset), name.c_str());
    r.extent = size;
    return;
  }
  const int64_t index = floor_div(offset, a.element_bytes);
  r.place = format("%s[%lld]", name.c_str(), static_cast<long long>(index));
  r.extent = size / a.element_bytes;
}

void Machine::describe(Report& r, Address address, uint64_t bytes) const {
  r.address = address;
  r.access_bytes = static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
  const Place place = place_of(address);
  switch (place.tag) {
    case Tag::kGlobal: describe_global(r, place, bytes); return;
    case Tag::kShared: {
      const uint32_t object = place.object & kOwnObjectMask;
      if (object >= code_.shared.size()) break;
      const SharedVar& v = code_.shared[object];
      const std::string name = v.global != nullptr ? v.global->name : "shared memory";
      if (v.global == nullptr) break;
      if (v.is_dynamic && v.global->object->elem->size != 0) {
        r.place = element(name, v.global->object->elem, place.offset, bytes);
        r.extent = dynamic_shared_ / v.global->object->elem->size;
        return;
      }
      r.place = variable(name, v.global->object, place.offset, bytes, r.extent);
      return;
    }
    case Tag::kLocal: {
      if (place.object >= code_.locals.size()) break;
      const LocalVar& v = code_.locals[place.object];
      r.place = variable(v.name.empty() ? "a local variable" : std::string(v.name), v.type, place.offset,
                         bytes, r.extent);
      return;
    }
    case Tag::kNone: break;
  }
  r.place = address == 0 ? "null" : hex(address);
}

void Machine::report_access(BlockState& b, Thread& t, uint32_t pc, Address address, const Touch& touch) {
  if ((checks_ & kCheckBounds) == 0) return;
  Report* r = new_report(ReportKind::kOutOfBounds, b, t, pc);
  if (r == nullptr) return;
  // Of an asynchronous copy, the last element is named.
  constexpr uint64_t kCopied = 16;
  const bool is_copy = code_.code[pc].op == OpCode::kPtx && touch.bytes >= kCopied;
  describe(*r, is_copy ? address + touch.bytes - 4 : address, is_copy ? 0 : touch.bytes);
  const char* done = touch.writes ? "written" : "read";
  const ir::Inst* inst = code_.insts[pc];
  if (touch.value != nullptr && inst != nullptr && inst->operands.size() > 1) {
    r->value = value_text(*touch.value, inst->operand(1)->type);
  }
  const Place p = place_of(address);
  constexpr uint64_t kFirstPage = 1 << 16;  // indices from a null pointer
  if (p.tag == Tag::kNone) {
    r->set(address < kFirstPage ? message::kNullPointer(done)
                                : message::kNotDeviceAddress(hex(address), done));
    return;
  }
  if (p.tag == Tag::kLocal && p.thread != t.index) {
    r->set(message::kForeignLocal(r->place, std::to_string(p.thread), done));
    return;
  }
  if (p.tag == Tag::kGlobal && p.object < memory_.regions().size()) {
    if (!memory_.allocation(p.object).live) {
      r->set(message::kFreedMemory(r->place, done));
      return;
    }
    const Region& g = memory_.regions()[p.object];
    if (g.is_constant && p.offset >= 0 && static_cast<uint64_t>(p.offset) < g.size) {
      r->set(message::kConstantMemory(r->place));
      return;
    }
  }
  if (p.tag == Tag::kShared && p.object > kOwnObjectMask) {
    const uint32_t rank = (p.object >> kRankShift) - 1;
    const BlockState* const owner = block_of(b, rank);
    if (owner == nullptr || owner->live == 0) {
      const std::string number = std::to_string(rank);
      r->set(owner == nullptr ? message::kNoClusterBlock(r->place, number, done)
                              : message::kEndedClusterBlock(r->place, number, done));
      return;
    }
  }
  const std::string object = r->place.substr(0, r->place.find_first_of("[ ."));
  const bool in_record =
      p.tag == Tag::kGlobal && p.object < memory_.regions().size() && record_at(p) != nullptr;
  if (in_record) {
    r->set(message::kOutsideObject(r->place, done, object, base::format_plural(r->extent, "byte")));
  } else if (r->place.starts_with("byte ")) {
    r->set(message::kOutsideBuffer(r->place, done, base::format_plural(r->extent, "byte")));
  } else if (p.tag == Tag::kShared && p.object == 0) {
    r->set(message::kOutsideDynamicShared(r->place, done, base::format_bytes(dynamic_shared_)));
  } else {
    r->set(message::kOutsideObject(r->place, done, object, base::format_plural(r->extent, "element")));
  }
}

void Machine::report_misaligned(BlockState& b, Thread& t, uint32_t pc, Address address, const Touch& touch,
                                uint32_t declared) {
  if ((checks_ & kCheckAlignment) == 0) return;
  Report* r = new_report(ReportKind::kMisaligned, b, t, pc);
  if (r == nullptr) return;
  describe(*r, address, touch.bytes);
  const uint64_t off = address & (touch.align - 1);
  const std::string bytes = std::to_string(touch.bytes), align = std::to_string(touch.align);
  const char* done = touch.writes ? "written" : "read";
  r->set(off == 0 ? message::kDeclaredAlignment(bytes, done, r->place, std::to_string(declared), align)
                  : message::kMisaligned(bytes, done, r->place, std::to_string(off), align));
}

void Machine::report_division(BlockState& b, Thread& t, uint32_t pc) {
  if ((checks_ & kCheckDivision) == 0) return;
  const ir::Inst* inst = code_.insts[pc];
  const std::string value =
      value_text(t.slots[code_.code[pc].a], inst != nullptr ? inst->operand(0)->type : nullptr);
  const bool is_rem = inst != nullptr && inst->is(ir::Op::kRem);
  report_arithmetic(b, t, pc, ReportKind::kDivisionByZero,
                    is_rem ? message::kModuloZero(value) : message::kDividedByZero(value), value);
}

void Machine::report_arithmetic(BlockState& b, Thread& t, uint32_t pc, ReportKind kind,
                                base::MessageText text, const std::string& value) {
  if (Report* r = new_report(kind, b, t, pc)) {
    r->set(std::move(text));
    r->value = value;
  }
}

void Machine::check_overflow(BlockState& b, Thread& t, const Ins& i, uint32_t pc) {
  const uint32_t shift = 64 - i.sub;
  const auto wide = [&](uint32_t slot) { return static_cast<int64_t>(t.slots[slot] << shift) >> shift; };
  const int64_t x = wide(i.a), y = i.op == OpCode::kOverflowNeg ? 0 : wide(i.b);
  const int64_t lowest = INT64_MIN >> shift, highest = INT64_MAX >> shift;
  int64_t out = 0;
  bool over = false;
  const char* sign = "+";
  switch (i.op) {
    case OpCode::kOverflowAdd: over = __builtin_add_overflow(x, y, &out); break;
    case OpCode::kOverflowSub: over = __builtin_sub_overflow(x, y, &out), sign = "-"; break;
    case OpCode::kOverflowMul: over = __builtin_mul_overflow(x, y, &out), sign = "*"; break;
    case OpCode::kOverflowDiv: over = x == lowest && y == -1, sign = "/"; break;
    default: over = x == lowest; break;
  }
  if (!over && out >= lowest && out <= highest) return;
  const std::string value = i.op == OpCode::kOverflowNeg ? format("-(%lld)", static_cast<long long>(x))
                                                         : format("%lld %s %lld", static_cast<long long>(x),
                                                                  sign, static_cast<long long>(y));
  report_arithmetic(b, t, pc, ReportKind::kOverflow, message::kOverflow(value, std::to_string(i.sub)), value);
}

void Machine::check_shift(BlockState& b, Thread& t, const Ins& i, uint32_t pc) {
  uint64_t amount = t.slots[i.b];
  if (i.c != 0) amount = static_cast<uint64_t>(static_cast<int64_t>(amount << (64 - i.c)) >> (64 - i.c));
  if (amount < i.sub) return;
  const std::string value = i.c != 0 ? std::to_string(static_cast<int64_t>(amount)) : std::to_string(amount);
  report_arithmetic(b, t, pc, ReportKind::kShift, message::kShiftAmount(std::to_string(i.sub), value), value);
}

}  // namespace quern::sim
