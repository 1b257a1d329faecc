// Loads and stores of one scalar type by all lanes. The form of the address decides: a uniform address is one
// access, consecutive addresses are a vector access, other strides and arbitrary addresses are scalarized.
// Memory of inactive lanes is never accessed.
#include <algorithm>

#include "target/llvm/emitter.hpp"

namespace quern::llvm {

namespace {

constexpr uint32_t kMostIntrinsicLanes = 8;  // beyond that, emulation on this processor needs too much code
constexpr uint32_t kMostUnrolledLanes = 32;

}  // namespace

bool Emitter::uses_intrinsics() const {
  return options_.has_masked_memory || (width_ <= kMostIntrinsicLanes && !options_.is_quick);
}

// bool is a byte in memory.
Val Emitter::from_memory(const ir::Type* type, Text text, bool is_vector) {
  if (type->is_bool()) {
    text =
        is_vector
            ? def("icmp ne " + vec(Text("i8")) + " " + text + ", " + (width_ == 1 ? "0" : "zeroinitializer"))
            : def("icmp ne i8 " + text + ", 0");
  }
  return is_vector ? vector_val(type, text) : scalar_val(type, text);
}

Emitter::Text Emitter::to_memory(const ir::Type* type, Text text, bool is_vector) {
  if (!type->is_bool()) return text;
  return def("zext " + typed(type, is_vector) + " " + text + " to " +
             (is_vector ? vec(Text("i8")) : Text("i8")));
}

// Whether the pieces of a per-lane variable are consecutive at the address: inactive lanes have them too.
bool Emitter::is_own_row(const ir::Inst* root, const Val& pointer, const ir::Type* type) const {
  if (root == nullptr || width_ == 1) return false;
  const VarPlan& plan = plan_.var(root);
  if (plan.storage == Storage::kInterleaved) return pointer.is_scalar() && plan.granule == type->size;
  return plan.storage == Storage::kPerLane && pointer.rep == Rep::kAffine &&
         pointer.stride == static_cast<int64_t>(type->size) &&
         lane_bytes(root->attr().type, root->attr().align) == type->size;
}

Val Emitter::load_row(const Val& pointer, const ir::Type* type) {
  const Text row = vec(Text(memory_spelling(type)));
  return from_memory(
      type, def("load " + row + ", ptr " + pointer.text + ", align " + std::to_string(type->align)), true);
}

void Emitter::store_row(const Val& pointer, const ir::Type* type, const Val& v) {
  Text x = as_vector(v);
  if (!mask_.is_all()) {
    const Text old = load_row(pointer, type).text;
    x = def("select " + vec(Text("i1")) + " " + mask_.text + ", " + vec(type) + " " + x + ", " + vec(type) +
            " " + old);
  }
  line("store " + vec(Text(memory_spelling(type))) + " " + to_memory(type, x, true) + ", ptr " +
       pointer.text + ", align " + std::to_string(type->align));
}

Val Emitter::load_scalar(const Val& pointer, const ir::Type* type, uint32_t align, bool is_volatile) {
  const Text memory = memory_spelling(type), bytes = std::to_string(align != 0 ? align : type->align);
  const Text how = is_volatile ? "load volatile " : "load ";
  const auto one = [&](const Text& p) { return def(how + memory + ", ptr " + p + ", align " + bytes); };
  if (pointer.is_scalar()) return from_memory(type, one(pointer.text), false);
  const bool is_contiguous =
      pointer.rep == Rep::kAffine && pointer.stride == static_cast<int64_t>(type->size);
  if (is_contiguous && mask_.is_all()) {
    return from_memory(type, def(how + vec(memory) + ", ptr " + pointer.text + ", align " + bytes), true);
  }
  const ir::Type* raw = type->is_bool() ? scalar(ir::TypeKind::kU8) : type;
  const Text suffixes = vec_suffix(raw, true), bits = vec(Text("i1"));
  const Text nothing = "zeroinitializer";
  if (!mask_.is_all() && uses_intrinsics() && !is_volatile) {
    if (is_contiguous) {
      return from_memory(
          type,
          intrinsic("masked.load." + suffixes + ".p0", vec(raw), {"ptr", "i32", bits, vec(raw)},
                    {pointer.text, bytes, mask_.text, nothing}),
          true);
    }
    ++scattered_;
    const Text from = vec_suffix(pointer.type, true);
    return from_memory(type,
                       intrinsic("masked.gather." + suffixes + "." + from, vec(raw),
                                 {vec(Text("ptr")), "i32", bits, vec(raw)},
                                 {as_vector(pointer), bytes, mask_.text, nothing}),
                       true);
  }
  if (mask_.is_all() && pointer.rep == Rep::kAffine && width_ <= kMostUnrolledLanes && !is_large()) {
    Text all = "poison";
    for (uint32_t l = 0; l < width_; ++l) {
      const Text at =
          l == 0
              ? pointer.text
              : def("getelementptr i8, ptr " + pointer.text + ", i64 " + std::to_string(pointer.stride * l));
      all = def("insertelement " + vec(memory) + " " + all + ", " + memory + " " + one(at) + ", i32 " +
                std::to_string(l));
    }
    return from_memory(type, all, true);
  }
  if (is_contiguous && !is_volatile && !options_.is_quick) return load_some(pointer, type, bytes);
  if (!mask_.is_all()) ++scattered_;
  const Val operands[] = {pointer};
  const auto read = [&](const Texts& x) { return from_memory(type, one(x[0]), false).text; };
  return mask_.is_all() ? per_lane(type, operands, read) : call_for_lanes(type, operands, read);
}

// Consecutive, for active lanes, without masked instructions. At least one lane is active: the page that it
// reads can be read by all of them.
Val Emitter::load_some(const Val& pointer, const ir::Type* type, const Text& align) {
  constexpr uint64_t kPage = 4096;
  const Text memory = memory_spelling(type), row = vec(memory);
  const Text address = def("ptrtoint ptr " + pointer.text + " to i64");
  const Text place = def("and i64 " + address + ", " + std::to_string(kPage - 1));
  const Text wide = fresh_label("row"), narrow = fresh_label("lanes"), both = fresh_label("read");
  br_if(def("icmp ule i64 " + place + ", " + std::to_string(kPage - type->size * width_)), wide, narrow);
  if (!is_large()) {
    // Not a call: it would spill all registers to memory, on the common path too.
    label(narrow);
    const Text copy = stack_cell(row, 64), after = copy_lanes(pointer.text, copy, memory, align);
    br(both);
    label(wide);
    br(both);
    label(both);
    const Text from =
        def("phi ptr [ " + pointer.text + ", %" + wide + " ], [ " + copy + ", %" + after + " ]");
    return from_memory(type, def("load " + row + ", ptr " + from + ", align " + align), true);
  }
  label(wide);
  const Text all = def("load " + row + ", ptr " + pointer.text + ", align " + align);
  br(both);
  label(narrow);
  const Val operands[] = {pointer};
  const ir::Type* raw = type->is_bool() ? scalar(ir::TypeKind::kU8) : type;
  const Val some = call_for_lanes(raw, operands, [&](const Texts& x) {
    return def("load " + memory + ", ptr " + x[0] + ", align " + align);
  });
  label(both);
  return from_memory(
      type, def("phi " + row + " [ " + all + ", %" + wide + " ], [ " + some.text + ", %" + narrow + " ]"),
      true);
}

// One by one, for active lanes; returns the label at the end.
Emitter::Text Emitter::copy_lanes(const Text& from, const Text& to, const Text& memory, const Text& align) {
  const Text running = stack_cell(vec(Text("i8")), 8), counter = stack_cell("i64", 8);
  const Text head = fresh_label("each"), copy = fresh_label("copy"), next = fresh_label("next"),
             done = fresh_label("copied");
  store_mask(running, mask_.text);
  line("store i64 0, ptr " + counter);
  label(head);
  const Text lane = def("load i64, ptr " + counter);
  const auto at = [&](const Text& base, const Text& element) {
    return def("getelementptr inbounds " + element + ", ptr " + base + ", i64 " + lane);
  };
  br_if(def("icmp ne i8 " + def("load i8, ptr " + at(running, "i8")) + ", 0"), copy, next);
  label(copy);
  const Text x = def("load " + memory + ", ptr " + at(from, memory) + ", align " + align);
  line("store " + memory + " " + x + ", ptr " + at(to, memory) + ", align " + align);
  label(next);
  const Text more = def("add i64 " + lane + ", 1");
  line("store i64 " + more + ", ptr " + counter);
  br_if(def("icmp ult i64 " + more + ", " + std::to_string(width_)), head, done);
  label(done);
  return done;
}

// Four lanes at a time, if all four are active, inline.
void Emitter::store_fours(const Text& to, const Text& memory, const Text& x, const Text& align) {
  constexpr uint32_t kFour = 4;
  const Text bytes = def("zext " + vec(Text("i1")) + " " + mask_.text + " to " + vec(Text("i8")));
  const Text fours = "<" + std::to_string(width_ / kFour) + " x i32>", four = "<4 x " + memory + ">";
  const Text words = def("bitcast " + vec(Text("i8")) + " " + bytes + " to " + fours);
  const auto at = [&](uint32_t lane) {
    return lane == 0
               ? to
               : def("getelementptr inbounds " + memory + ", ptr " + to + ", i32 " + std::to_string(lane));
  };
  for (uint32_t first = 0; first < width_; first += kFour) {
    const Text whole = fresh_label("four"), maybe = fresh_label("maybe"), some = fresh_label("some"),
               next = fresh_label("next");
    const Text run = def("extractelement " + fours + " " + words + ", i32 " + std::to_string(first / kFour));
    br_if(def("icmp eq i32 " + run + ", 16843009"), whole, maybe);
    label(whole);
    Text places;
    for (uint32_t l = 0; l < kFour; ++l) places += (l != 0 ? ", i32 " : "i32 ") + std::to_string(first + l);
    const Text piece = def("shufflevector " + vec(memory) + " " + x + ", " + vec(memory) +
                           " poison, <4 x i32> <" + places + ">");
    line("store " + four + " " + piece + ", ptr " + at(first) + ", align " + align);
    br(next);
    label(maybe);
    br_if(def("icmp eq i32 " + run + ", 0"), next, some);
    label(some);
    for (uint32_t l = 0; l < kFour; ++l) {
      const Text go = fresh_label("own"), on = fresh_label("on");
      const Text bit = def("and i32 " + run + ", " + std::to_string(1u << 8 * l));
      br_if(def("icmp ne i32 " + bit + ", 0"), go, on);
      label(go);
      const Text one = def("extractelement " + vec(memory) + " " + x + ", i32 " + std::to_string(first + l));
      line("store " + memory + " " + one + ", ptr " + at(first + l) + ", align " + align);
      label(on);
    }
    label(next);
  }
}

// The same for stores. Other threads may write the memory in between: only shared memory, which belongs to
// the one OS thread that runs the block, is written as a whole. Elsewhere four lanes at a time are written,
// if all four are active.
void Emitter::store_some(const Val& pointer, const ir::Type* type, const Val& v, const Text& align) {
  const Text memory = memory_spelling(type), x = to_memory(type, as_vector(v), true);
  if (pointer.type->space == ir::Space::kShared && !options_.is_thread) {
    const Text old = def("load " + vec(memory) + ", ptr " + pointer.text + ", align " + align);
    const Text mixed = def("select " + vec(Text("i1")) + " " + mask_.text + ", " + vec(memory) + " " + x +
                           ", " + vec(memory) + " " + old);
    line("store " + vec(memory) + " " + mixed + ", ptr " + pointer.text + ", align " + align);
    return;
  }
  constexpr uint32_t kFour = 4;
  if (!is_large() && width_ >= kFour) return store_fours(pointer.text, memory, x, align);
  const ir::Type* raw = type->is_bool() ? scalar(ir::TypeKind::kU8) : type;
  const Val operands[] = {{Rep::kScalar, pointer.type, pointer.text, 0, {}}, vector_val(raw, x)};
  Passed passed = pass_operands(operands);
  const Text cell = passing_cell(2);
  store_mask(cell, mask_.text);
  passed.arguments.push_back("ptr " + cell);
  passed.parameters.emplace_back("ptr %running");
  call_outlined(passed, [&] {
    const auto at = [&](const Text& base, const Text& element, uint32_t lane) {
      return lane == 0 ? base
                       : def("getelementptr inbounds " + element + ", ptr " + base + ", i32 " +
                             std::to_string(lane));
    };
    const auto move = [&](const Text& what, uint32_t lane, const Text& aligned) {
      const Text value =
          def("load " + what + ", ptr " + at(passed.inside[1].text, memory, lane) + ", align " + align);
      line("store " + what + " " + value + ", ptr " + at(passed.inside[0].text, memory, lane) + ", align " +
           aligned);
    };
    const uint32_t step = std::min(width_, kFour);
    for (uint32_t first = 0; first < width_; first += step) {
      const Text next = fresh_label("next"), four = fresh_label("four"), some = fresh_label("some");
      if (step == kFour) {
        const Text run = def("load i32, ptr " + at("%running", "i8", first) + ", align 1");
        const Text maybe = fresh_label("maybe");
        br_if(def("icmp eq i32 " + run + ", 16843009"), four, maybe);
        label(four);
        move("<4 x " + memory + ">", first, align);
        br(next);
        label(maybe);
        br_if(def("icmp eq i32 " + run + ", 0"), next, some);
        label(some);
      }
      for (uint32_t l = first; l < first + step; ++l) {
        const Text run = def("load i8, ptr " + at("%running", "i8", l));
        const Text go = fresh_label("lane"), on = fresh_label("on");
        br_if(def("icmp ne i8 " + run + ", 0"), go, on);
        label(go);
        move(memory, l, align);
        label(on);
      }
      label(next);
    }
  });
}

// One cache line at a time, in ascending order: LLVM would store the parts of one long vector in any order,
// which made streams up to a tenth slower.
void Emitter::store_lines(const Text& to, const ir::Type* type, const Text& x, const Text& how,
                          const Text& align) {
  const Text memory = memory_spelling(type);
  const auto piece = static_cast<uint32_t>(kCacheLine / type->size);
  const uint64_t bytes = width_ * type->size;
  if (width_ <= piece || options_.is_quick) {
    return store_either_way(to, bytes, align, [&](const Text& tail) {
      line(how + vec(memory) + " " + x + ", ptr " + to + tail);
    });
  }
  const Text lanes = "<" + std::to_string(piece) + " x ";
  Texts parts;
  for (uint32_t first = 0; first < width_; first += piece) {
    Text places;
    for (uint32_t l = 0; l < piece; ++l) places += (l != 0 ? ", i32 " : "i32 ") + std::to_string(first + l);
    const Text part = def("shufflevector " + vec(memory) + " " + x + ", " + vec(memory) + " poison, " +
                          lanes + "i32> <" + places + ">");
    const Text at =
        first == 0
            ? to
            : def("getelementptr inbounds " + memory + ", ptr " + to + ", i32 " + std::to_string(first));
    parts.push_back(how + lanes + memory + "> " + part + ", ptr " + at);
  }
  store_either_way(to, bytes, align, [&](const Text& tail) {
    for (const Text& part : parts) line(part + tail);
  });
}

void Emitter::store_scalar(const Val& pointer, const ir::Type* type, const Val& v, uint32_t align,
                           bool is_volatile) {
  const Text memory = memory_spelling(type), bytes = std::to_string(align != 0 ? align : type->align);
  const Text how = is_volatile ? "store volatile " : "store ";
  const auto one = [&](const Text& x, const Text& p) {
    line(how + memory + " " + to_memory(type, x, false) + ", ptr " + p + ", align " + bytes);
  };
  if (pointer.is_scalar()) {
    if (v.is_scalar()) return one(v.text, pointer.text);
    // All lanes to one address: the last one's value remains.
    Text last = std::to_string(width_ - 1);
    if (!mask_.is_all()) {
      const Text zeros = intrinsic("ctlz.i64", "i64", {"i64", "i1"}, {mask_bits(), "true"});
      last = def("trunc i64 " + def("sub i64 63, " + zeros) + " to i32");
    }
    return one(def("extractelement " + vec(type) + " " + as_vector(v) + ", i32 " + last), pointer.text);
  }
  const bool is_contiguous =
      pointer.rep == Rep::kAffine && pointer.stride == static_cast<int64_t>(type->size);
  const ir::Type* raw = type->is_bool() ? scalar(ir::TypeKind::kU8) : type;
  if (is_contiguous && mask_.is_all())
    return store_lines(pointer.text, type, to_memory(type, as_vector(v), true), how, bytes);
  const Text bits = vec(Text("i1"));
  if (!mask_.is_all() && uses_intrinsics() && !is_volatile) {
    const Text x = to_memory(type, as_vector(v), true);
    if (is_contiguous) {
      intrinsic("masked.store." + vec_suffix(raw, true) + ".p0", "void", {vec(raw), "ptr", "i32", bits},
                {x, pointer.text, bytes, mask_.text});
    } else {
      intrinsic("masked.scatter." + vec_suffix(raw, true) + "." + vec_suffix(pointer.type, true), "void",
                {vec(raw), vec(Text("ptr")), "i32", bits}, {x, as_vector(pointer), bytes, mask_.text});
    }
    return;
  }
  if (mask_.is_all() && width_ <= kMostUnrolledLanes && !is_large()) {
    const Text x = v.is_scalar() ? v.text : as_vector(v);
    const Text pointers = pointer.rep == Rep::kAffine ? pointer.text : as_vector(pointer);
    for (uint32_t l = 0; l < width_; ++l) {
      const Text at =
          pointer.rep == Rep::kAffine
              ? def("getelementptr i8, ptr " + pointers + ", i64 " + std::to_string(pointer.stride * l))
              : def("extractelement " + vec(Text("ptr")) + " " + pointers + ", i32 " + std::to_string(l));
      one(v.is_scalar() ? x : def("extractelement " + vec(type) + " " + x + ", i32 " + std::to_string(l)),
          at);
    }
    return;
  }
  if (is_contiguous && !is_volatile && !options_.is_quick) return store_some(pointer, type, v, bytes);
  if (!mask_.is_all()) ++scattered_;
  const Val operands[] = {pointer, v};
  call_for_lanes(nullptr, operands, [&](const Texts& x) {
    one(x[1], x[0]);
    return Text();
  });
}

}  // namespace quern::llvm
