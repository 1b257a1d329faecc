// Matrix fragments: a thread's elements, packed into 32-bit registers as for mma and ldmatrix.
#include "target/mma_steps.hpp"
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;

namespace {

std::string list_of(const Regs& regs, const std::vector<uint32_t>& which) {
  std::string out = "{";
  for (const uint32_t w : which) out += (out.size() > 1 ? ", " : "") + regs.at(w);
  return out + "}";
}

}  // namespace

// Several elements in one register, the first one in the lowest bits.
Regs Writer::packed(const ir::Value* fragment) {
  const ir::TypeKind element = fragment->type->elem->kind;
  const uint32_t count = elements_in_register(element);
  const Class c = class_of(fragment->type->elem);
  Regs in = value(fragment);
  for (Reg& r : in) r = in_register(c, r);
  if (count == 1) return in;
  Regs out;
  for (size_t at = 0; at < in.size(); at += count) {
    if (count == 2) {
      out.push_back(word("mov.b32", {"{" + in[at] + ", " + in[at + 1] + "}"}));
      continue;
    }
    // Bytes are words here, sign- or zero-extended.
    const Reg low = word("prmt.b32", {in[at], in[at + 1], "0x0040"});
    const Reg high = word("prmt.b32", {in[at + 2], in[at + 3], "0x0040"});
    out.push_back(word("prmt.b32", {low, high, "0x5410"}));
  }
  return out;
}

Regs Writer::unpacked(const Regs& regs, const ir::Type* element) {
  if (elements_in_register(element->kind) == 1) return regs;
  Regs out;
  for (const Reg& r : regs) {
    const Reg low = fresh(Class::kB16), high = fresh(Class::kB16);
    put("mov.b32 {" + low + ", " + high + "}, " + r);
    out.insert(out.end(), {low, high});
  }
  return out;
}

Regs Writer::multiplied(const Inst* i) {
  const MmaPlan plan = plan_mma(*ir::matrix_of(i->attr().index), unit_.architecture);
  const Regs a = packed(i->operand(0)), b = packed(i->operand(1));
  const Regs &left = plan.is_swapped ? b : a, &right = plan.is_swapped ? a : b;
  Regs sum = packed(i->operand(2));
  const ir::TypeKind element = i->type->elem->kind;
  const Class c = element == ir::TypeKind::kF64 ? Class::kB64 : Class::kB32;
  for (const MmaStep& step : plan.steps) {
    Regs made = sum;
    for (const uint32_t w : step.sum) made[w] = fresh(c);
    put(step.code + " " + list_of(made, step.sum) + ", " + list_of(left, step.left) + ", " +
        list_of(right, step.right) + ", " + list_of(sum, step.sum));
    sum = made;
  }
  return unpacked(sum, i->type->elem);
}

Regs Writer::rows(const Inst* i) {
  Regs words(i->type->count / 2);
  std::vector<uint32_t> all;
  for (uint32_t w = 0; w < words.size(); ++w) {
    words[w] = fresh(Class::kB32);
    all.push_back(w);
  }
  const bool is_transposed = ir::matrix_of(i->attr().index)->is_by_column;
  put("ldmatrix.sync.aligned.m8n8.x" + std::to_string(words.size()) + (is_transposed ? ".trans" : "") +
      ".shared.b16 " + list_of(words, all) + ", " + place(address(i->operand(0))));
  return unpacked(words, i->type->elem);
}

}  // namespace quern::target::ptx
