// Loads and stores of scalars. Unaligned accesses are split; parts of words are accessed through the word, in
// shared memory (where neighboring bytes belong to other threads) with atomics.
#include <algorithm>
#include <bit>
#include <set>

#include "target/messages.hpp"
#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

using ir::Type;

namespace {

constexpr uint32_t kNone = 0;  // relaxed

uint32_t mask_of(uint32_t bytes) { return bytes == 1 ? 0xff : bytes == 2 ? 0xffff : 0xffffffff; }

}  // namespace

// The pointer to an element of an object with its own variable.
Id Emitter::element(const Place& p, uint64_t offset) {
  const Object& o = unit_.objects.of(p.root);
  const bool is_local = ir::as_inst(p.root) != nullptr;
  const bool is_shared = Objects::is_shared(p.root);
  const Id variable = is_local ? o.variable : unit_.variable_of(p.root);
  const uint32_t units = p.units + static_cast<uint32_t>(offset / o.unit);
  if (o.count == 1) return variable;
  Id index = p.index != 0 ? p.index : b_.u32(units);
  if (p.index != 0 && units != 0) index = op(Opcode::kIAdd, u32(), {index, b_.u32(units)});
  const StorageClass storage = is_local    ? StorageClass::kFunction
                               : is_shared ? StorageClass::kWorkgroup
                                           : StorageClass::kPrivate;
  const Id type = b_.pointer_type(storage, unit_.element_type(o, is_shared));
  return op(Opcode::kAccessChain, type, {variable, index});
}

Id Emitter::object_load(const Place& p, uint64_t offset, const Type* type, Access how) {
  const Object& o = unit_.objects.of(p.root);
  const bool is_shared = Objects::is_shared(p.root);
  Ids operands{element(p, offset)};
  if (how.is_volatile) operands.push_back(kVolatile);
  Id id = op(Opcode::kLoad, unit_.element_type(o, is_shared), operands);
  if (o.type != nullptr) return id;
  if (is_shared && o.unit < 4) id = op(Opcode::kUConvert, u32(), {id});
  return from_bits(type, id);
}

void Emitter::object_store(const Place& p, uint64_t offset, const Type* type, Id id, Access how) {
  const Object& o = unit_.objects.of(p.root);
  const bool is_shared = Objects::is_shared(p.root);
  if (o.type == nullptr) {
    id = to_bits(type, id);
    if (is_shared && o.unit < 4) id = op(Opcode::kUConvert, unit_.element_type(o, true), {id});
  }
  Ids operands{element(p, offset), id};
  if (how.is_volatile) operands.push_back(kVolatile);
  code_.add(Opcode::kStore, operands);
}

Place Emitter::moved(Place p, uint64_t offset) {
  if (offset == 0) return p;
  const bool narrow = p.kind == Place::Kind::kShared || p.kind == Place::Kind::kLocal;
  p.at = stepped(p.at, narrow, narrow ? b_.u32(static_cast<uint32_t>(offset)) : b_.u64(offset));
  return p;
}

// Device memory holds floats as such.
bool Emitter::is_plain_float(const Place& p, const Type* type, Access how) const {
  return p.kind == Place::Kind::kGlobal && !is_in_any_buffer(p) && type->is_float() && type->size >= 4 &&
         how.align >= type->size;
}

Id Emitter::load_leaf(const Place& p, uint64_t offset, const Type* type, Access how) {
  if (p.kind == Place::Kind::kObject) return object_load(p, offset, type, how);
  const auto size = static_cast<uint32_t>(type->size);
  const Place at = moved(p, offset);
  if (is_plain_float(p, type, how)) {
    const uint32_t extra = how.is_volatile || is_coherent_ ? kVolatile : 0;
    return op(Opcode::kLoad, held(type), {global_pointer(at, held(type), size), kAligned | extra, size});
  }
  return from_bits(type, load_bits(at, size, how));
}

void Emitter::store_leaf(const Place& p, uint64_t offset, const Type* type, Id id, Access how) {
  if (p.kind == Place::Kind::kObject) {
    object_store(p, offset, type, id, how);
    return;
  }
  const auto size = static_cast<uint32_t>(type->size);
  const Place at = moved(p, offset);
  if (is_plain_float(p, type, how)) {
    const uint32_t extra = how.is_volatile || is_coherent_ ? kVolatile : 0;
    effect(Opcode::kStore, {global_pointer(at, held(type), size), id, kAligned | extra, size});
    return;
  }
  store_bits(at, size, to_bits(type, id), how);
}

// Bits of 1, 2 or 4 bytes in 32 bits, of 8 bytes in 64.
Id Emitter::load_bits(const Place& p, uint32_t bytes, Access how) {
  if (p.kind == Place::Kind::kGeneric) return generic_load(p, bytes, how);
  if (is_in_any_buffer(p))
    return in_device_memory(p.at, bytes == 8 ? u64() : u32(),
                            [&](const Place& at) { return load_bits(at, bytes, how); });
  const bool whole = p.kind == Place::Kind::kGlobal || bytes <= 4;
  if (how.align >= bytes && whole) {
    if (p.kind == Place::Kind::kGlobal) return load_global(p, bytes, how);
    return bytes == 4 ? load_word(p, how) : load_part(p, bytes, how);
  }
  const uint32_t part = std::min({how.align, bytes / 2, 4U});
  Id out = 0;
  const Id type = bytes == 8 ? u64() : u32();
  for (uint32_t k = 0; k < bytes / part; ++k) {
    Id bits = load_bits(moved(p, uint64_t{k} * part), part, how);
    if (bytes == 8) bits = widen(bits);
    if (k != 0) bits = op(Opcode::kShiftLeftLogical, type, {bits, b_.u32(k * part * 8)});
    out = k == 0 ? bits : op(Opcode::kBitwiseOr, type, {out, bits});
  }
  return out;
}

void Emitter::store_bits(const Place& p, uint32_t bytes, Id bits, Access how) {
  if (p.kind == Place::Kind::kGeneric) {
    generic_store(p, bytes, bits, how);
    return;
  }
  if (is_in_any_buffer(p)) {
    in_device_memory(p.at, 0, [&](const Place& at) {
      store_bits(at, bytes, bits, how);
      return Id{0};
    });
    return;
  }
  const bool whole = p.kind == Place::Kind::kGlobal || bytes <= 4;
  if (how.align >= bytes && whole) {
    if (p.kind == Place::Kind::kGlobal) {
      store_global(p, bytes, bits, how);
    } else if (bytes == 4) {
      store_word(p, bits, how);
    } else {
      store_part(p, bytes, bits, how);
    }
    return;
  }
  const uint32_t part = std::min({how.align, bytes / 2, 4U});
  const Id type = bytes == 8 ? u64() : u32();
  for (uint32_t k = 0; k < bytes / part; ++k) {
    Id one = k == 0 ? bits : op(Opcode::kShiftRightLogical, type, {bits, b_.u32(k * part * 8)});
    if (bytes == 8) one = low(one);
    if (part < 4) one = op(Opcode::kBitwiseAnd, u32(), {one, b_.u32(mask_of(part))});
    store_bits(moved(p, uint64_t{k} * part), part, one, how);
  }
}

bool Emitter::has_bytes(uint32_t bytes) const { return bytes >= 4 || unit_.has_small(bytes); }

Id Emitter::global_pointer(const Place& p, Id type, uint32_t bytes) {
  if (unit_.binds()) {
    const auto by = static_cast<uint32_t>(std::countr_zero(bytes));
    const Id index = op(Opcode::kShiftRightLogical, u32(), {low(p.at), b_.u32(by)});
    return op(Opcode::kAccessChain, b_.pointer_type(StorageClass::kStorageBuffer, type),
              {unit_.buffer(p.buffer, type, bytes), b_.u32(0), index});
  }
  b_.need(Capability::kPhysicalAddresses);
  b_.need_extension("SPV_KHR_physical_storage_buffer");
  return op(Opcode::kConvertUToPtr, b_.pointer_type(StorageClass::kPhysicalStorageBuffer, type), {p.at});
}

Id Emitter::load_global(const Place& p, uint32_t bytes, Access how) {
  if (!has_bytes(bytes)) return load_part(p, bytes, how);
  if (bytes == 1) {
    b_.need(Capability::kStorageBuffer8Bit);
    b_.need_extension("SPV_KHR_8bit_storage");
  }
  if (bytes == 2) b_.need(Capability::kStorageBuffer16Bit);
  const Id type = b_.int_type(bytes * 8);
  const uint32_t extra = how.is_volatile || is_coherent_ ? kVolatile : 0;
  const Id id = op(Opcode::kLoad, type, {global_pointer(p, type, bytes), kAligned | extra, bytes});
  return bytes < 4 ? op(Opcode::kUConvert, u32(), {id}) : id;
}

void Emitter::store_global(const Place& p, uint32_t bytes, Id bits, Access how) {
  if (!has_bytes(bytes)) {
    store_part(p, bytes, bits, how);
    return;
  }
  if (bytes == 1) {
    b_.need(Capability::kStorageBuffer8Bit);
    b_.need_extension("SPV_KHR_8bit_storage");
  }
  if (bytes == 2) b_.need(Capability::kStorageBuffer16Bit);
  const Id type = b_.int_type(bytes * 8);
  if (bytes < 4) bits = op(Opcode::kUConvert, type, {bits});
  const uint32_t extra = how.is_volatile || is_coherent_ ? kVolatile : 0;
  effect(Opcode::kStore, {global_pointer(p, type, bytes), bits, kAligned | extra, bytes});
}

// A pointer to the 32-bit word that contains the byte.
Id Emitter::word_pointer(const Place& p) {
  if (p.kind == Place::Kind::kGlobal) {
    Place word = p;
    word.at = op(Opcode::kBitwiseAnd, u64(), {p.at, b_.u64(~uint64_t{3})});
    return global_pointer(word, u32(), 4);
  }
  const bool is_shared = p.kind == Place::Kind::kShared;
  const Id arena = is_shared ? shared_arena_ : local_arena_;
  if (arena == 0) {
    unit_.refuse(function_.pos, message::kPointerWithoutVariables());
    return 0;
  }
  const Id word = op(Opcode::kShiftRightLogical, u32(), {p.at, b_.u32(2)});
  const Id index = op(Opcode::kISub, u32(), {word, b_.u32(kArenaStart / 4)});
  const StorageClass storage = is_shared ? StorageClass::kWorkgroup : StorageClass::kFunction;
  return op(Opcode::kAccessChain, b_.pointer_type(storage, u32()), {arena, index});
}

Id Emitter::load_word(const Place& p, Access how) {
  Ids operands{word_pointer(p)};
  const bool is_global = p.kind == Place::Kind::kGlobal;
  const uint32_t extra = how.is_volatile || (is_global && is_coherent_) ? kVolatile : 0;
  if (extra != 0 || is_global) operands.push_back(extra | (is_global ? kAligned : 0));
  if (is_global) operands.push_back(4);
  return op(Opcode::kLoad, u32(), operands);
}

void Emitter::store_word(const Place& p, Id bits, Access how) {
  Ids operands{word_pointer(p), bits};
  if (how.is_volatile) operands.push_back(kVolatile);
  code_.add(Opcode::kStore, operands);
}

Id Emitter::load_part(const Place& p, uint32_t bytes, Access how) {
  const Id word = load_word(p, how);
  const Id at = p.kind == Place::Kind::kGlobal ? low(p.at) : p.at;
  const Id in_word = op(Opcode::kBitwiseAnd, u32(), {at, b_.u32(3)});
  const Id by = op(Opcode::kShiftLeftLogical, u32(), {in_word, b_.u32(3)});
  const Id shifted = op(Opcode::kShiftRightLogical, u32(), {word, by});
  return op(Opcode::kBitwiseAnd, u32(), {shifted, b_.u32(mask_of(bytes))});
}

void Emitter::store_part(const Place& p, uint32_t bytes, Id bits, Access how) {
  const bool is_global = p.kind == Place::Kind::kGlobal;
  const Id at = is_global ? low(p.at) : p.at;
  const Id in_word = op(Opcode::kBitwiseAnd, u32(), {at, b_.u32(3)});
  const Id by = op(Opcode::kShiftLeftLogical, u32(), {in_word, b_.u32(3)});
  const Id shifted = op(Opcode::kShiftLeftLogical, u32(), {bits, by});
  const Id ones = op(Opcode::kShiftLeftLogical, u32(), {b_.u32(mask_of(bytes)), by});
  const Id others = op(Opcode::kNot, u32(), {ones});
  if (p.kind == Place::Kind::kLocal) {
    const Id kept = op(Opcode::kBitwiseAnd, u32(), {load_word(p, how), others});
    store_word(p, op(Opcode::kBitwiseOr, u32(), {kept, shifted}), how);
    return;
  }
  // Other threads may write the other bytes concurrently; these belong to this thread.
  const Id pointer = word_pointer(p);
  const Id scope = b_.u32(static_cast<uint32_t>(is_global ? Scope::kDevice : Scope::kWorkgroup));
  op(Opcode::kAtomicAnd, u32(), {pointer, scope, b_.u32(kNone), others});
  op(Opcode::kAtomicOr, u32(), {pointer, scope, b_.u32(kNone), shifted});
}

// Through an address; if buffers are bound, in the buffer that it encodes.
Id Emitter::in_device_memory(Id address, Id type, const std::function<Id(const Place&)>& access) {
  Place p;
  p.at = address;
  if (!unit_.binds()) return access(p);
  std::function<Id()> next;
  std::set<uint32_t> numbers;
  for (const auto& [value, number] : buffers_) numbers.insert(number);
  if (!function_.is_kernel) numbers.insert(driver::kReportBuffer);  // only the report of the library
  for (const uint32_t number : numbers) {
    std::function<Id()> here = [&access, p, number]() mutable {
      p.buffer = number;
      return access(p);
    };
    if (next == nullptr) {
      next = std::move(here);
      continue;
    }
    next = [this, address, type, number, here = std::move(here), next] {
      const Id named = low(op(Opcode::kShiftRightLogical, u64(), {address, b_.u32(driver::kBufferShift)}));
      return choose(op(Opcode::kIEqual, b_.bool_type(), {named, b_.u32(number)}), type, here, next);
    };
  }
  if (next != nullptr) return next();
  return type != 0 ? b_.null(type) : 0;  // there is no object that it could point to
}

// Through a pointer that encodes its address space.
Id Emitter::dispatch(Id generic, Id type, const std::function<Id(const Place&)>& access) {
  const auto in = [&](Place::Kind kind) {
    Place inside;
    inside.kind = kind;
    inside.at = low(generic);
    return access(inside);
  };
  std::function<Id()> next = [&] { return in_device_memory(generic, type, access); };
  if (uses_local_arena_) {
    next = [&, next] {
      return choose(
          tag_is(generic, kLocalTag), type, [&] { return in(Place::Kind::kLocal); }, next);
    };
  }
  if (uses_shared_arena_) {
    next = [&, next] {
      return choose(
          tag_is(generic, kSharedTag), type, [&] { return in(Place::Kind::kShared); }, next);
    };
  }
  return next();
}

Id Emitter::generic_load(const Place& p, uint32_t bytes, Access how) {
  const Id type = bytes == 8 ? u64() : u32();
  const auto plain = [&] {
    return dispatch(p.at, type, [&](const Place& at) { return load_bits(at, bytes, how); });
  };
  if (!uses_literal_arena_) return plain();
  return choose(
      tag_is(p.at, kLiteralTag), type,
      [&] {
        const Id at = low(p.at);
        const auto word = [&](uint32_t more) {
          const Id number = op(Opcode::kShiftRightLogical, u32(), {at, b_.u32(2)});
          const Id index = op(Opcode::kISub, u32(), {number, b_.u32(kArenaStart / 4 - more)});
          const Id pointer = op(Opcode::kAccessChain, b_.pointer_type(StorageClass::kPrivate, u32()),
                                {literal_arena_, index});
          return op(Opcode::kLoad, u32(), {pointer});
        };
        if (bytes == 8) {
          const Id upper = op(Opcode::kShiftLeftLogical, u64(), {widen(word(1)), b_.u32(32)});
          return op(Opcode::kBitwiseOr, u64(), {widen(word(0)), upper});
        }
        const Id by = op(Opcode::kShiftLeftLogical, u32(),
                         {op(Opcode::kBitwiseAnd, u32(), {at, b_.u32(3)}), b_.u32(3)});
        const Id shifted = op(Opcode::kShiftRightLogical, u32(), {word(0), by});
        return op(Opcode::kBitwiseAnd, u32(), {shifted, b_.u32(mask_of(bytes))});
      },
      plain);
}

void Emitter::generic_store(const Place& p, uint32_t bytes, Id bits, Access how) {
  dispatch(p.at, 0, [&](const Place& at) {
    store_bits(at, bytes, bits, how);
    return Id{0};
  });
}

}  // namespace quern::target::spirv
