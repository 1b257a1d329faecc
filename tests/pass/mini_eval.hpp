// A small single-thread evaluator, to compare the results of a kernel before and after a pass. Slow and
// simple: every value is its bytes, an address is an object's number and an offset. Loads of uninitialized
// memory return zero.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/ir/eval.hpp"
#include "lang/ir/ir.hpp"

namespace quern::pass {

class MiniEval {
 public:
  using Bytes = std::vector<uint8_t>;

  // Runs `kernel` with pointer parameters on new buffers of `bytes` bytes and the numbers 3, 5, 7, … for the
  // others. Returns the contents of all buffers; empty if an access was out of bounds or it took too many
  // steps.
  std::string run(const ir::Module& module, const ir::Function& kernel, size_t bytes) {
    objects_.assign(1, {});
    for (const ir::Global* g : module.globals)
      globals_[g] = new_object(std::max<uint64_t>(g->object->size, 256));
    std::vector<uint32_t> buffers;
    std::vector<Bytes> args;
    uint64_t number = 3;
    for (const ir::Param* p : kernel.params) {
      if (p->type->is_ptr()) {
        buffers.push_back(new_object(bytes));
        for (size_t i = 0; i < bytes; ++i) objects_[buffers.back()][i] = static_cast<uint8_t>(i * 7 + number);
        args.push_back(of_bits(uint64_t{buffers.back()} << 32, 8));
      } else {
        args.push_back(of_bits(number, p->type->size));
      }
      number += 2;
    }
    Bytes result;
    call(kernel, args, result);
    std::string out;
    for (const uint32_t b : buffers) out.append(objects_[b].begin(), objects_[b].end());
    return failed_ ? std::string() : out;
  }

 private:
  struct Frame {
    std::unordered_map<const ir::Value*, Bytes> values;
    Bytes result;
  };
  enum class Way { kOn, kExit, kContinue, kReturn };

  uint32_t new_object(size_t bytes) {
    objects_.emplace_back(bytes, uint8_t{0});
    return static_cast<uint32_t>(objects_.size() - 1);
  }

  static Bytes of_bits(uint64_t bits, size_t size) {
    Bytes b(size);
    std::memcpy(b.data(), &bits, std::min<size_t>(size, 8));
    return b;
  }
  static uint64_t bits_of(const Bytes& b) {
    uint64_t bits = 0;
    std::memcpy(&bits, b.data(), std::min<size_t>(b.size(), 8));
    return bits;
  }

  Bytes value(Frame& f, const ir::Value* v) {
    switch (v->kind) {
      case ir::ValueKind::kConst: return of_bits(static_cast<const ir::Const*>(v)->bits, v->type->size);
      case ir::ValueKind::kUndef: return Bytes(v->type->size);
      case ir::ValueKind::kGlobal:
        return of_bits(uint64_t{globals_[static_cast<const ir::Global*>(v)]} << 32, 8);
      default: return f.values.at(v);
    }
  }

  void call(const ir::Function& function, const std::vector<Bytes>& args, Bytes& result) {
    Frame f;
    for (size_t i = 0; i < args.size(); ++i) f.values[function.params[i]] = args[i];
    const ir::Inst* target = nullptr;
    block(f, *function.body, target);
    result = f.result;
  }

  Way block(Frame& f, const ir::Block& b, const ir::Inst*& target) {
    for (const ir::Inst* i : b) {
      if (failed_ || ++steps_ > kMaxSteps) {
        failed_ = true;
        return Way::kReturn;
      }
      const Way way =
          ir::has(i->op, ir::kControl | ir::kTerminator) ? control(f, *i, target) : (plain(f, *i), Way::kOn);
      if (way != Way::kOn) return way;
    }
    return Way::kOn;
  }

  Way control(Frame& f, const ir::Inst& i, const ir::Inst*& target) {
    switch (i.op) {
      case ir::Op::kIf: return block(f, *i.blocks[bits_of(value(f, i.operand(0))) != 0 ? 0 : 1], target);
      case ir::Op::kScope: return leave(block(f, *i.blocks[0], target), i, target);
      case ir::Op::kSwitch: return choose(f, i, target);
      case ir::Op::kLoop: return loop(f, i, target);
      case ir::Op::kExit: target = i.attr().target; return Way::kExit;
      case ir::Op::kContinue: target = i.attr().target; return Way::kContinue;
      case ir::Op::kYield: goes_on_ = bits_of(value(f, i.operand(0))) != 0; return Way::kOn;
      default:
        if (!i.operands.empty()) f.result = value(f, i.operand(0));
        return Way::kReturn;
    }
  }

  // `target` is read after the block that sets it has run: the evaluation order of arguments is unspecified.
  static Way leave(Way way, const ir::Inst& i, const ir::Inst* const& target) {
    return way == Way::kExit && target == &i ? Way::kOn : way;
  }

  Way choose(Frame& f, const ir::Inst& i, const ir::Inst*& target) {
    const auto on = static_cast<int32_t>(bits_of(value(f, i.operand(0))));
    size_t chosen = i.blocks.size();
    for (size_t c = 0; c < i.blocks.size(); ++c) {
      const std::vector<int64_t>& values = i.attr().cases[c].values;
      if (values.empty() && chosen == i.blocks.size()) chosen = c;
      for (const int64_t v : values) chosen = v == on ? c : chosen;
    }
    return chosen < i.blocks.size() ? leave(block(f, *i.blocks[chosen], target), i, target) : Way::kOn;
  }

  Way loop(Frame& f, const ir::Inst& i, const ir::Inst*& target) {
    for (;;) {
      for (size_t part = 0; part < 3; ++part) {
        goes_on_ = true;
        Way way = block(f, *i.blocks[part], target);
        const bool stops = part != 1 && !goes_on_;
        if (way == Way::kContinue && target == &i) {
          part = 1;  // on to the step
          continue;
        }
        if (way == Way::kExit && target == &i) return Way::kOn;
        if (way != Way::kOn) return way;
        if (stops) return Way::kOn;
      }
    }
  }

  uint8_t* memory(uint64_t address, size_t size) {
    const uint64_t object = address >> 32;
    const auto offset = static_cast<uint32_t>(address);
    if (object == 0 || object >= objects_.size() || offset + uint64_t{size} > objects_[object].size()) {
      failed_ = true;
      return nullptr;
    }
    return objects_[object].data() + offset;
  }

  void plain(Frame& f, const ir::Inst& i) {
    std::vector<Bytes> in;
    for (const ir::Value* v : i.operands) in.push_back(value(f, v));
    Bytes out(i.type->is_void() ? 0 : i.type->size);
    run_op(f, i, in, out);
    if (!i.type->is_void()) f.values[&i] = out;
  }

  static uint64_t member_offset(const ir::Type* type, uint32_t index) {
    return type->is_array() ? index * type->elem->size : type->fields[index].offset;
  }

  static int64_t index_of(const ir::Value* v, const Bytes& b) {
    const auto bits = bits_of(b);
    switch (v->type->kind) {
      case ir::TypeKind::kI32: return static_cast<int32_t>(bits);
      case ir::TypeKind::kU32: return static_cast<uint32_t>(bits);
      default: return static_cast<int64_t>(bits);
    }
  }

  static void copy(Bytes& to, uint64_t offset, const Bytes& from) {
    std::memcpy(to.data() + offset, from.data(), from.size());
  }

  void run_op(Frame& f, const ir::Inst& i, std::vector<Bytes>& in, Bytes& out) {
    const ir::Attr& attr = i.attr();
    switch (i.op) {
      case ir::Op::kBlockDim:
      case ir::Op::kGridDim: out = of_bits(1, out.size()); return;
      case ir::Op::kVar: out = of_bits(uint64_t{new_object(attr.type->size)} << 32, 8); return;
      case ir::Op::kLoad:
        if (const uint8_t* m = memory(bits_of(in[0]), out.size())) std::memcpy(out.data(), m, out.size());
        return;
      case ir::Op::kStore:
        if (uint8_t* m = memory(bits_of(in[0]), in[1].size())) std::memcpy(m, in[1].data(), in[1].size());
        return;
      case ir::Op::kOffset: {
        const uint64_t by = static_cast<uint64_t>(index_of(i.operand(1), in[1])) * attr.scale;
        out = of_bits(bits_of(in[0]) + by, 8);
        return;
      }
      case ir::Op::kFieldPtr: out = of_bits(bits_of(in[0]) + attr.type->fields[attr.index].offset, 8); return;
      case ir::Op::kSpaceCast: out = in[0]; return;
      case ir::Op::kPtrDiff: {
        const auto bytes = static_cast<int64_t>(bits_of(in[0]) - bits_of(in[1]));
        out = of_bits(static_cast<uint64_t>(bytes / static_cast<int64_t>(attr.scale)), 8);
        return;
      }
      case ir::Op::kExtract:
        std::memcpy(out.data(), in[0].data() + member_offset(i.operand(0)->type, attr.index), out.size());
        return;
      case ir::Op::kInsert: out = in[0]; return copy(out, member_offset(i.type, attr.index), in[1]);
      case ir::Op::kConstruct:
        for (uint32_t k = 0; k < in.size(); ++k) copy(out, member_offset(i.type, k), in[k]);
        return;
      case ir::Op::kSelect: out = bits_of(in[0]) != 0 ? in[1] : in[2]; return;
      case ir::Op::kCall: return call(*attr.callee, in, out);
      default: return compute(f, i, in, out);
    }
  }

  void compute(Frame&, const ir::Inst& i, const std::vector<Bytes>& in, Bytes& out) {
    std::vector<const ir::Type*> types;
    std::vector<uint64_t> bits;
    for (size_t k = 0; k < in.size(); ++k) {
      const ir::Type* t = i.operand(k)->type;
      types.push_back(t);
      bits.push_back(bits_of(in[k]));
    }
    uint64_t result = 0;
    if (!types.empty() && types[0]->is_ptr()) {
      const bool equal = bits[0] == bits[1];
      const bool less = bits[0] < bits[1];
      const bool holds = i.is(ir::Op::kEq)   ? equal
                         : i.is(ir::Op::kNe) ? !equal
                         : i.is(ir::Op::kLt) ? less
                         : i.is(ir::Op::kLe) ? less || equal
                         : i.is(ir::Op::kGt) ? !less && !equal
                                             : !less;
      out = of_bits(holds ? 1 : 0, 1);
      return;
    }
    if (!ir::evaluate(i.op, i.type, types, bits, i.attr(), result)) result = 0;
    if (!out.empty()) out = of_bits(result, out.size());
  }

  static constexpr size_t kMaxSteps = 200'000;
  std::vector<Bytes> objects_;
  std::map<const ir::Global*, uint32_t> globals_;
  size_t steps_ = 0;
  bool failed_ = false;
  bool goes_on_ = true;
};

}  // namespace quern::pass
