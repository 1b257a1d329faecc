#include "target/wgsl/writer.hpp"

#include "lang/pass/walk.hpp"

namespace quern::target::wgsl {

using ir::Inst;

Writer::Writer(Unit& unit, ir::Function& function)
    : FlowWriter(function, false, unit.module, false),
      unit_(unit),
      function_(function),
      is_kernel_(&function == &unit.kernel),
      names_(&unit.names) {
  pass::traverse(function.body, [&](const Inst* i) { waits_ = waits_ || ir::has(i->op, ir::kConvergent); });
}

std::string Writer::write_function(const std::string& name) {
  std::string params;
  for (const ir::Param* p : function_.params) {
    named_[p] = pretty(p->name);
    params += (params.empty() ? "" : ", ") + named_[p] + ": " + std::string(type_name(p->type));
  }
  const bool is_void = function_.result->is_void();
  text_.open("fn " + name + "(" + params + ")" +
             (is_void ? "" : " -> " + std::string(type_name(function_.result))));
  block(function_.body);
  if (!is_void && !function_.body->terminated()) leave(nullptr);
  text_.close();
  return text_.take();
}

std::string Writer::write_kernel(const std::string& name) {
  text_.indent(1);
  block(function_.body);
  text_.indent(-1);
  const std::string body = text_.take();
  std::string copies;
  // A constant index must be within its array even if no thread executes the access.
  if (uses_size_) copies += "  var quern_size = vec3<u32>(quern_block_x, quern_block_y, quern_block_z);\n";
  const auto copy = [&](bool is_used, bool& own, const std::string& what) {
    own = own || is_used;
    if (is_used) copies += "  quern_own_" + what + " = quern_" + what + ";\n";
  };
  copy(unit_.uses_thread, uses_thread_, "thread");
  copy(unit_.uses_block, uses_block_, "block");
  copy(unit_.uses_grid, uses_grid_, "grid");
  return "@compute @workgroup_size(quern_block_x, quern_block_y, quern_block_z)\nfn " + name + "(" +
         entry_parameters() + ") {\n" + wide_indices() + copies + body + "}\n";
}

}  // namespace quern::target::wgsl
