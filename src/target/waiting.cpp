#include "target/waiting.hpp"

#include "lang/pass/waiting_loops.hpp"
#include "lang/pass/walk.hpp"
#include "target/messages.hpp"

namespace quern::target {

std::optional<Refusal> waiting_in(const ir::Function& kernel, std::string_view api) {
  const auto loops = pass::waiting_loops(kernel);
  if (loops.empty()) return std::nullopt;
  const ir::Inst* first = nullptr;
  pass::traverse(kernel.body, [&](const ir::Inst* i) {
    if (first == nullptr && loops.count(i) != 0) first = i;
  });
  return Refusal{first->pos, message::kWaitsForThread(api)};
}

}  // namespace quern::target
