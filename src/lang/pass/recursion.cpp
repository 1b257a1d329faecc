#include "lang/pass/recursion.hpp"

#include "lang/pass/messages.hpp"

namespace quern::pass {

std::string recursion_text(const std::vector<const ir::Function*>& cycle) {
  std::string rest;
  for (size_t i = 1; i < cycle.size(); ++i) rest += "'" + cycle[i]->name + "', which calls ";
  rest += cycle.size() == 1 ? "itself" : "'" + cycle[0]->name + "'";
  return message::kRecursion(cycle[0]->name, rest).str();
}

}  // namespace quern::pass
