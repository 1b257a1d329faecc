// Thread indices, barriers, votes, and reports to the host.
#include "lang/pass/walk.hpp"
#include "target/messages.hpp"
#include "target/wgsl/writer.hpp"

namespace quern::target::wgsl {

using ir::Inst;
using ir::Op;

// Parameters of the kernel; functions see copies, which WGSL considers non-uniform.
Expr Writer::builtin(const char* name, bool Unit::*in_function) {
  const std::string_view wanted(name);
  if (!is_kernel_) {
    if (in_function == nullptr) {
      unit_.refuse(unit_.kernel.pos, message::kLaneInLibrary());
    } else {
      unit_.*in_function = true;
    }
    return {"quern_own_" + std::string(wanted)};
  }
  uses_thread_ |= wanted == "thread";
  uses_block_ |= wanted == "block";
  uses_grid_ |= wanted == "grid";
  uses_linear_ |= wanted == "linear";
  return {"quern_" + std::string(wanted)};
}

std::string Writer::entry_parameters() const {
  std::string out;
  const auto add = [&](bool is_used, std::string_view text) {
    if (is_used) out += (out.empty() ? "" : ", ") + std::string(text);
  };
  add(uses_thread_, "@builtin(local_invocation_id) quern_thread: vec3<u32>");
  add(uses_linear_, "@builtin(local_invocation_index) quern_linear: u32");
  add(uses_block_, "@builtin(workgroup_id) quern_block: vec3<u32>");
  add(uses_grid_, "@builtin(num_workgroups) quern_grid: vec3<u32>");
  return out;
}

void Writer::barrier() {
  text_.line("storageBarrier();");
  text_.line("workgroupBarrier();");
}

Expr Writer::vote(const Inst* i) {
  const Expr yes = value(i->operand(0));
  const Expr thread = builtin("linear", nullptr);
  if (i->is(Op::kBarrierCount)) return helper("barrier_count", {yes, thread});
  const bool is_and = i->is(Op::kBarrierAnd);
  const Expr count = helper("barrier_count", {is_and ? Expr{"!" + yes.in(), false} : yes, thread});
  return binary(count, is_and ? "==" : "!=", {"0i"});
}

// What lower_warps leaves if subgroups are warps: words of another lane, and ballots.
Expr Writer::exchange(const Inst* i) {
  if (!i->is(Op::kShuffle) && !i->is(Op::kActiveMask) && !i->is(Op::kBallot)) return real(i);
  unit_.uses_subgroups = true;
  if (i->is(Op::kShuffle)) return call("subgroupShuffle", {value(i->operand(1)), value(i->operand(2))});
  if (i->is(Op::kActiveMask)) return {"subgroupBallot(true).x"};
  return binary({call("subgroupBallot", {value(i->operand(1))}).text + ".x"}, "&", value(i->operand(0)));
}

void Writer::print(const Inst* i) {
  unit_.uses_report = true;
  const std::string at = pretty("at");
  const std::string words = std::to_string(1 + i->operands.size()) + "u";
  text_.line("let " + at + " = " +
             helper("report_begin", {{words}, {std::to_string(i->attr().index) + "u"}}).text + ";");
  for (size_t k = 0; k < i->operands.size(); ++k) {
    text_.line(helper("report_put", {{at}, {std::to_string(k + 1) + "u"}, value(i->operand(k))}).text + ";");
  }
}

// A failed thread ends; if others wait for it at barriers it continues, and the launch fails anyway.
void Writer::fail(const Inst* i) {
  unit_.uses_report = true;
  const bool is_assert = i->is(Op::kAssert);
  if (is_assert) text_.open("if (!" + value(i->operand(0)).in() + ")");
  const Expr thread = builtin("thread", nullptr), group = builtin("block", nullptr);
  text_.line(helper("report_fail", {{std::to_string(i->attr().index) + "u"}, thread, group}).text + ";");
  if (!waits_) text_.line(is_assert ? "return;" : "if (true) { return; }");
  if (is_assert) text_.close();
}

}  // namespace quern::target::wgsl
