#include "target/tensor_maps.hpp"

#include "lang/ir/tensor_map.hpp"
#include "target/messages.hpp"
#include "target/refusal.hpp"

namespace quern::target {

void refuse_tensor_maps(const ir::Module& module, std::map<std::string, std::string>& refused) {
  for (const ir::Function* f : module.functions) {
    if (!f->is_kernel) continue;
    for (const ir::Param* p : f->params) {
      if (!ir::is_tensor_map(p->type)) continue;
      const Refusal why(p->pos, message::kTensorMapNeedsSm90(p->name));
      refused.emplace(f->name, refusal_text(module, f->name, why));
    }
  }
}

}  // namespace quern::target
