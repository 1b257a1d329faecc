#include "target/cstyle/kernel_writer.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "lang/ir/tensor_map.hpp"
#include "lang/pass/walk.hpp"
#include "target/describe.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Space;

namespace {

constexpr int kMaxNesting = 120;  // compilers accept 256 bracket levels, and a block may open two

bool is_barrier(Op op) { return ir::has(op, ir::kConvergent) && op != Op::kCall; }

}  // namespace

KernelWriter::KernelWriter(Unit& unit, ir::Function& function, const driver::KernelInfo& info)
    : FlowWriter(function, is_glsl(unit.dialect) && unit.is_exact(), unit.module,
                 unit.options.line_marks && unit.dialect.line_marks),
      unit_(unit),
      dialect_(unit.dialect),
      function_(function),
      info_(info),
      names_(&unit.names),
      known_(function) {
  pass::traverse(function.body, [&](const Inst* i) { has_barrier_ = has_barrier_ || is_barrier(i->op); });
}

bool KernelWriter::is_too_deep() const {
  int depth = 0, deepest = 0;
  pass::traverse(
      function_.body,
      [&](const Inst* i) {
        if (!i->blocks.empty()) deepest = std::max(deepest, ++depth);
      },
      [&](const Inst*) { --depth; });
  return deepest > kMaxNesting;
}

std::string KernelWriter::write(const std::string& entry) {
  if (is_too_deep()) {
    unit_.refuse(function_.pos, message::kNestingTooDeep());
    return {};
  }
  const std::string head = signature(entry);
  // The beginning of the text is known only when everything else is written.
  text_.indent(1);
  block(function_.body);
  std::string body = text_.take();
  text_.indent(-1);
  text_.mark(function_.pos);
  text_.open(head);
  shared_variables();
  text_.raw(body);
  text_.raw("}\n");
  return text_.take();
}

// Whether the pointer is only loaded through.
bool KernelWriter::only_loads(const ir::Value* pointer, const std::vector<const Inst*>& uses) const {
  return std::all_of(uses.begin(), uses.end(), [&](const Inst* use) {
    if (use->is(Op::kLoad)) return !pass::is_volatile(use) && !use->type->is_array();
    const bool steps = (use->is(Op::kOffset) || use->is(Op::kFieldPtr)) && use->operand(0) == pointer;
    return steps && folding_.is_folded(use) && only_loads(use, folding_.uses(use));
  });
}

std::string KernelWriter::parameter(const ir::Param& p) {
  const bool has_offset =
      dialect_.language == Language::kOpencl && p.type->is_ptr() && !unit_.has(driver::Feature::addresses);
  const std::string name = has_offset ? names_.make(p.name, {"_base", "_offset"}) : names_.make(p.name);
  named_[&p] = name;
  // Hardware reads tensor maps from parameter memory: the compiler must not copy them to local memory.
  if (ir::is_tensor_map(p.type)) return "const __grid_constant__ " + unit_.types.stored(p.type) + " " + name;
  if (!p.type->is_ptr()) return unit_.types.stored(p.type) + " " + name;
  return pointer_parameter(p, name);
}

std::string KernelWriter::pointer_parameter(const ir::Param& p, const std::string& name) {
  const bool typed = p.elem != nullptr && p.elem->size != 0 && !p.elem->is_array();
  pointees_[&p] = typed ? p.elem : nullptr;
  std::vector<const Inst*> uses;
  pass::traverse(function_.body, [&](const Inst* i) {
    for (const ir::Value* v : i->operands) {
      if (v == &p) uses.push_back(i);
    }
  });
  const bool is_const = typed && p.is_const_elem && only_loads(&p, uses);
  std::string type = unit_.types.pointer(pointees_[&p], p.type->space);
  if (is_const) {
    type = std::string(spell(dialect_, p.type->space)) + "const " + unit_.types.stored(p.elem) + "*";
  }
  const bool has_restrict = p.is_restrict && dialect_.language != Language::kMsl;
  const std::string_view restrict = !has_restrict ? "" : dialect_.is_cpp ? " __restrict__" : " restrict";
  return type + std::string(restrict) + " " + name;
}

std::vector<std::string> KernelWriter::hidden_parameters() const {
  std::vector<std::string> out;
  if (dialect_.language != Language::kOpencl) return out;
  if (!unit_.has(driver::Feature::addresses)) {
    for (const ir::Param* p : function_.params) {
      if (p->type->is_ptr()) out.push_back("ulong " + named_.at(p) + "_offset");
    }
  }
  for (const ir::Global* g : unit_.module.globals) {
    if (g->space == Space::kShared || g->is_literal) continue;
    const ir::Type* type = g->object->is_array() ? g->object->elem : g->object;
    out.push_back(unit_.types.pointer(type, g->space) + " " + unit_.globals.at(g));
  }
  if (info_.needs.has(driver::Feature::dynamic_shared)) {
    // The type of the parameter determines its alignment.
    out.push_back("__local uint4* " + std::string(kDynamicShared) + "_base");
    out.push_back("uint " + std::string(kDynamicSharedBytes));
  }
  if (info_.needs.has(driver::Feature::print) || info_.needs.has(driver::Feature::assert))
    out.push_back("__global uint* " + std::string(kReport));
  return out;
}

std::string KernelWriter::signature(const std::string& entry) {
  std::vector<std::string> parameters;
  for (const ir::Param* p : function_.params) parameters.push_back(parameter(*p));
  if (dialect_.language == Language::kOpencl && !unit_.has(driver::Feature::addresses)) {
    // The base, and below it the user's pointer.
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (function_.params[i]->type->is_ptr()) parameters[i] += "_base";
    }
  }
  for (std::string& hidden : hidden_parameters()) parameters.push_back(std::move(hidden));
  const std::string list = base::join(parameters, ", ");
  if (!dialect_.is_cpp) return "__kernel void " + entry + "(" + list + ")";
  std::string bounds;
  if (function_.max_threads != 0) {
    bounds = "__launch_bounds__(" + std::to_string(function_.max_threads);
    // HIP's second argument has another meaning: the number of warps of an execution unit.
    if (function_.min_blocks != 0 && dialect_.language == Language::kCuda)
      bounds += ", " + std::to_string(function_.min_blocks);
    bounds += ") ";
  }
  return "extern \"C\" __global__ void " + bounds + entry + "(" + list + ")";
}

void KernelWriter::shared_variables() {
  if (dialect_.language == Language::kOpencl && !unit_.has(driver::Feature::addresses)) {
    for (const ir::Param* p : function_.params) {
      if (!p->type->is_ptr()) continue;
      const std::string& name = named_.at(p);
      const std::string type = unit_.types.pointer(pointees_[p], p->type->space);
      text_.line(type + " " + name + " = (" + type + ")((" + unit_.types.pointer(nullptr, p->type->space) +
                 ")" + name + "_base + " + name + "_offset);");
    }
  }
  std::vector<const ir::Global*> used;
  pass::traverse(function_.body, [&](const Inst* i) {
    for (const ir::Value* v : i->operands) {
      if (v->kind != ir::ValueKind::kGlobal) continue;
      const auto* g = static_cast<const ir::Global*>(v);
      if (g->space == Space::kShared && std::find(used.begin(), used.end(), g) == used.end())
        used.push_back(g);
    }
  });
  bool has_dynamic = false;
  for (const ir::Global* g : used) {
    if (g->object->is_array() && g->object->count == 0) {
      has_dynamic = true;
      continue;
    }
    const std::string align =
        g->align > g->object->align
            ? (dialect_.language == Language::kCuda ? "__align__(" : "__attribute__((aligned(") +
                  std::to_string(g->align) + (dialect_.language == Language::kCuda ? ") " : "))) ")
            : "";
    text_.line(std::string(dialect_.shared_variable) + align +
               unit_.types.declaration(g->object, unit_.globals.at(g)) + ";");
  }
  if (has_dynamic && dialect_.language == Language::kOpencl) {
    const std::string name(kDynamicShared);
    text_.line("__local uchar* " + name + " = (__local uchar*)" + name + "_base;");
  }
  if (has_dynamic && dialect_.is_cpp)
    text_.line("extern __shared__ __attribute__((aligned(" +
               std::to_string(alignment_of_dynamic_shared(unit_.module)) + "))) unsigned char " +
               std::string(kDynamicShared) + "[];");
  if (uses_warp_) {
    const uint32_t most =
        function_.max_threads != 0 ? function_.max_threads : unit_.options.limits.block_threads;
    text_.line("__local ulong " + std::string(kWarp) + "[" + std::to_string((most + 31) / 32 * 32) + "];");
  }
  if (uses_count_) text_.line("__local uint " + std::string(kCount) + ";");
}

}  // namespace quern::target::cstyle
