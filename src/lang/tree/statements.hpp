// Traversal of statements.
#pragma once

#include "lang/tree/tree.hpp"

namespace quern::lang {

// Calls fn for every statement directly below `s`.
template <typename Fn>
void for_each_child(const Stmt* s, Fn&& fn) {
  const auto all = [&](const std::vector<Stmt*>& list) {
    for (const Stmt* child : list) fn(child);
  };
  const auto one = [&](const Stmt* child) {
    if (child != nullptr) fn(child);
  };
  switch (s->kind) {
    case StmtKind::kBlock: all(as<BlockStmt>(s)->body); break;
    case StmtKind::kIf:
      all(as<IfStmt>(s)->init);
      one(as<IfStmt>(s)->then_branch);
      one(as<IfStmt>(s)->else_branch);
      break;
    case StmtKind::kWhile:
    case StmtKind::kDo:
    case StmtKind::kFor:
      all(as<LoopStmt>(s)->init);
      all(as<LoopStmt>(s)->each);
      all(as<LoopStmt>(s)->before_body);
      one(as<LoopStmt>(s)->body);
      break;
    case StmtKind::kSwitch:
      all(as<SwitchStmt>(s)->init);
      one(as<SwitchStmt>(s)->body);
      break;
    case StmtKind::kCase: one(as<CaseStmt>(s)->body); break;
    case StmtKind::kLabel: one(as<LabelStmt>(s)->body); break;
    default: break;
  }
}

// Whether it contains a case label of the switch that contains `s`.
bool contains_case(const Stmt* s);
// Whether a case label is not in the list of the switch's own block. `body`: of the switch.
bool has_inner_case(const Stmt* body);

}  // namespace quern::lang
