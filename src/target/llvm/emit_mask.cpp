// Masks: active lanes, their deactivation, and loops over active lanes.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

namespace {

// A constant mask, lane by lane.
bool is_known(const std::string& mask) { return mask.rfind("<i1 ", 0) == 0; }

}  // namespace

// Whether any lane, or every lane, is set. aarch64 has no instruction that collects the bits of a mask, and
// LLVM would do it one by one: there, whole registers are combined and reduced to their largest or smallest
// element.
Emitter::Text Emitter::reduced(const Text& mask, bool wants_all) {
  if (width_ == 1) return mask;
  if (is_known(mask)) {
    const bool found = mask.find(wants_all ? "false" : "true") != Text::npos;
    return found == wants_all ? "false" : "true";
  }
  if (!options_.is_aarch64 || width_ < 4) {
    return intrinsic("vector.reduce." + Text(wants_all ? "and" : "or") + ".v" + std::to_string(width_) + "i1",
                     "i1", {vec(Text("i1"))}, {mask});
  }
  const Text wide = vec(Text("i32"));
  const Text numbers = def("sext " + vec(Text("i1")) + " " + mask + " to " + wide);
  Text joined = width_ == 4 ? numbers : Text();
  for (uint32_t first = 0; width_ > 4 && first < width_; first += 4) {
    Text places = "<4 x i32> <";
    for (uint32_t l = 0; l < 4; ++l) places += (l != 0 ? ", i32 " : "i32 ") + std::to_string(first + l);
    const Text piece =
        def("shufflevector " + wide + " " + numbers + ", " + wide + " poison, " + places + ">");
    joined = first == 0 ? piece : def(Text(wants_all ? "and" : "or") + " <4 x i32> " + joined + ", " + piece);
  }
  const Text found = intrinsic("aarch64.neon." + Text(wants_all ? "uminv" : "umaxv") + ".i32.v4i32", "i32",
                               {"<4 x i32>"}, {joined});
  return def("icmp ne i32 " + found + ", 0");
}

Emitter::Text Emitter::any(const Text& mask) { return reduced(mask, false); }
Emitter::Text Emitter::all(const Text& mask) { return reduced(mask, true); }

// Masks that live in registers across a loop are integers: i1 would be packed and unpacked in every
// iteration.
Emitter::Text Emitter::mask_cell(const Mask& mask) {
  Text cell = stack_cell(vec(Text("i32")), 64);
  keep_mask(cell, mask_text(mask));
  return cell;
}

void Emitter::keep_mask(const Text& cell, const Text& mask) {
  const Text wide = vec(Text("i32"));
  line("store " + wide + " " + def("sext " + vec(Text("i1")) + " " + mask + " to " + wide) + ", ptr " + cell);
}

Emitter::Text Emitter::kept_mask(const Text& cell) {
  const Text wide = vec(Text("i32"));
  const Text x = def("load " + wide + ", ptr " + cell);
  return def("icmp slt " + wide + " " + x + ", " + (width_ == 1 ? "0" : "zeroinitializer"));
}

Emitter::Text Emitter::mask_text(const Mask& mask) const {
  return mask.is_all() ? constants("i1", [](uint32_t) { return "true"; }) : mask.text;
}

Mask Emitter::mask_and(const Mask& mask, const Text& condition, bool negated) {
  Text c = condition;
  const Text type = vec(Text("i1"));
  if (negated && is_known(c) && width_ > 1) {
    c = constants("i1", [&, at = size_t{0}](uint32_t) mutable {
      at = condition.find("i1 ", at) + 3;
      return Text(condition[at] == 't' ? "false" : "true");
    });
  } else if (negated) {
    c = def("xor " + type + " " + c + ", " + constants("i1", [](uint32_t) { return "true"; }));
  }
  if (!mask.is_all()) c = def("and " + type + " " + mask.text + ", " + c);
  return {c, mask.may_be_all};
}

Mask Emitter::mask_where(const Mask& mask, const Val& condition, bool negated) {
  Mask m = mask_and(mask, as_vector(condition), negated);
  if (!mask.is_all()) return m;
  m.surely = negated ? condition.never : condition.surely;
  m.never = negated ? condition.surely : condition.never;
  return m;
}

Emitter::Text Emitter::all_run(const Mask& mask) {
  return mask.surely.empty() ? all(mask.text) : mask.surely;
}

Emitter::Text Emitter::mask_bits() {
  if (width_ == 1) return "1";
  if (mask_.is_all()) return width_ == 64 ? "-1" : std::to_string((uint64_t{1} << width_) - 1);
  const Text packed = "i" + std::to_string(width_);
  const Text bits = def("bitcast " + vec(Text("i1")) + " " + mask_.text + " to " + packed);
  return width_ == 64 ? bits : def("zext " + packed + " " + bits + " to i64");
}

Emitter::Text Emitter::first_lane() {
  if (mask_.is_all()) return "0";
  const Text first = intrinsic("cttz.i64", "i64", {"i64", "i1"}, {mask_bits(), "true"});
  return def("trunc i64 " + first + " to i32");
}

// Masks in memory are bytes.
Emitter::Text Emitter::load_mask(const Text& pointer) {
  const Text bytes = vec(Text("i8"));
  const Text x = def("load " + bytes + ", ptr " + pointer + ", align 1");
  return def("icmp ne " + bytes + " " + x + ", " + (width_ == 1 ? "0" : "zeroinitializer"));
}

// Whether any lane, or every lane, is set in a mask in memory: its bytes, as one integer.
Emitter::Text Emitter::kept_number(const Text& pointer) {
  const Text number = "i" + std::to_string(8 * width_);
  return def("load " + number + ", ptr " + pointer + ", align 1");
}
Emitter::Text Emitter::kept_any(const Text& pointer) {
  return def("icmp ne i" + std::to_string(8 * width_) + " " + kept_number(pointer) + ", 0");
}
Emitter::Text Emitter::kept_all(const Text& pointer) {
  const Text number = "i" + std::to_string(8 * width_), x = kept_number(pointer);
  const Text ones = "bitcast (" + vec(Text("i8")) + " " + constants("i8", [](uint32_t) { return "1"; }) +
                    " to " + number + ")";
  return def("icmp eq " + number + " " + x + ", " + (width_ == 1 ? Text("1") : ones));
}

void Emitter::store_mask(const Text& pointer, const Text& mask) {
  const Text bytes = vec(Text("i8"));
  const Text x = def("zext " + vec(Text("i1")) + " " + mask + " to " + bytes);
  line("store " + bytes + " " + x + ", ptr " + pointer + ", align 1");
}

Emitter::Text Emitter::off_pointer(const Target& target) {
  if (plan_.is_group_target(target)) return record(off_slots_.at(target));
  Text& cell = off_cells_[target];
  if (cell.empty()) cell = stack_cell(vec(Text("i8")), 8);
  return cell;
}

void Emitter::turn_off(const Target& target) {
  const Text pointer = off_pointer(target);
  const Text old = load_mask(pointer);
  store_mask(pointer, def("or " + vec(Text("i1")) + " " + old + ", " + mask_text(mask_)));
}

Mask Emitter::without(const Mask& mask, std::span<const Target> targets) {
  Mask left = mask;
  for (const Target& t : targets) left = mask_and(left, load_mask(off_pointer(t)), true);
  return left;
}

// After a construct: lanes that left it for an outer target are missing.
void Emitter::after_construct(const ir::Inst* construct, const Mask& before) {
  mask_ = before;
  const std::vector<Target>& gone = plan_.escapes(construct);
  if (gone.empty() || is_terminated_) return;
  mask_ = without(before, gone);
  const Text go = fresh_label("on");
  br_if(any(mask_text(mask_)), go, block_end_);
  label(go);
  if (width_ == 1) mask_ = {};
}

void Emitter::each_lane(const std::function<void(const Text&)>& fn) {
  if (width_ == 1) return fn("0");
  const Text left = stack_cell("i64", 8);
  line("store i64 " + mask_bits() + ", ptr " + left);
  const Text head = fresh_label("lane"), done = fresh_label("lanes");
  label(head);
  const Text bits = def("load i64, ptr " + left);
  const Text at = intrinsic("cttz.i64", "i64", {"i64", "i1"}, {bits, "true"});
  fn(def("trunc i64 " + at + " to i32"));
  const Text less = def("add i64 " + bits + ", -1");
  const Text rest = def("and i64 " + bits + ", " + less);
  line("store i64 " + rest + ", ptr " + left);
  br_if(def("icmp ne i64 " + rest + ", 0"), head, done);
  label(done);
}

namespace {
constexpr uint32_t kUnrolledLanes = 8;
}

// Stores vectors to memory, for a loop that processes one lane at a time.
std::map<Emitter::Text, Emitter::Text> Emitter::spill(std::span<const Val> operands) {
  std::map<Text, Text> spilled;
  for (const Val& v : operands) {
    if (v.rep != Rep::kVector || spilled.count(v.text) != 0) continue;
    const Text memory = vec(Text(memory_spelling(v.type)));
    const Text cell = stack_cell(memory, 64);
    line("store " + memory + " " + to_memory(v.type, v.text, true) + ", ptr " + cell);
    spilled[v.text] = cell;
  }
  return spilled;
}

Val Emitter::per_lane(const ir::Type* result, std::span<const Val> operands,
                      const std::function<Text(const Texts&)>& fn) {
  bool is_vector = false;
  for (const Val& v : operands) is_vector = is_vector || v.rep != Rep::kScalar;
  Texts texts;
  if (!is_vector) {
    for (const Val& v : operands) texts.push_back(v.text);
    return scalar_val(result, fn(texts));
  }
  if (width_ > kUnrolledLanes) return call_for_lanes(result, operands, fn);
  return each_in_line(result, operands, fn);
}

// fn for all lanes, in sequence.
Val Emitter::each_in_line(const ir::Type* result, std::span<const Val> operands,
                          const std::function<Text(const Texts&)>& fn) {
  Texts texts;
  Texts vectors;
  for (const Val& v : operands) vectors.push_back(v.rep == Rep::kScalar ? v.text : as_vector(v));
  const Text type = spelling(result);
  Text all = "poison";
  for (uint32_t l = 0; l < width_; ++l) {
    texts.clear();
    for (size_t k = 0; k < operands.size(); ++k) {
      texts.push_back(operands[k].rep == Rep::kScalar ? vectors[k]
                                                      : def("extractelement " + vec(operands[k].type) + " " +
                                                            vectors[k] + ", i32 " + std::to_string(l)));
    }
    all = def("insertelement " + vec(type) + " " + all + ", " + type + " " + fn(texts) + ", i32 " +
              std::to_string(l));
  }
  return vector_val(result, all);
}

}  // namespace quern::llvm
