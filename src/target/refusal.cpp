#include "target/refusal.hpp"

#include "target/messages.hpp"

namespace quern::target {

std::string refusal_text(const ir::Module& module, std::string_view kernel, const Refusal& why) {
  std::string where;
  if (why.pos.line != 0 && why.pos.file < module.files.size())
    where = " (" + module.files[why.pos.file].name + ":" + std::to_string(why.pos.line) + ")";
  return message::kRefused(kernel, why.reason, where).text;
}

}  // namespace quern::target
