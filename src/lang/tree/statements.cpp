#include "lang/tree/statements.hpp"

namespace quern::lang {

bool contains_case(const Stmt* s) {
  if (s->kind == StmtKind::kCase) return true;
  if (s->kind == StmtKind::kSwitch) return false;
  bool found = false;
  for_each_child(s, [&](const Stmt* child) { found = found || contains_case(child); });
  return found;
}

bool has_inner_case(const Stmt* body) {
  bool found = false;
  const auto check = [&](const Stmt* s) {
    while (s != nullptr && s->kind == StmtKind::kCase) s = as<CaseStmt>(s)->body;
    found = found || (s != nullptr && contains_case(s));
  };
  if (body->kind != StmtKind::kBlock) {
    check(body);
    return found;
  }
  for (const Stmt* s : as<BlockStmt>(body)->body) check(s);
  return found;
}

}  // namespace quern::lang
