// goto, where regions can express it. A forward jump to a label later in a list of statements leaves a scope
// that ends at the label; a backward jump to a label continues a loop that starts at the label.
#include <algorithm>

#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {
namespace {

const Stmt* behind_labels(const Stmt* s) {
  while (s != nullptr && s->kind == StmtKind::kLabel) s = as<LabelStmt>(s)->body;
  return s;
}

const VarDecl* initialised_in(const Stmt* s) {
  s = behind_labels(s);
  if (s == nullptr || s->kind != StmtKind::kDecl) return nullptr;
  for (const VarDecl* var : as<DeclStmt>(s)->vars) {
    if (var->storage == Storage::kLocal && var->init != nullptr && !var->is_constexpr) return var;
  }
  return nullptr;
}

}  // namespace

// A sequence of statements that becomes one scope or loop, the target of the gotos to a label.
struct FunctionLowering::Region {
  size_t begin = 0;
  size_t end = 0;
  bool is_loop = false;
  const Ident* label = nullptr;
};

namespace {

// Makes overlapping regions nest: a scope may begin earlier and a loop may end later than its gotos require.
// Returns the region of a jump into a loop from before it, which no nesting can express; nullptr: there is
// none.
template <typename Region>
const Region* nest(std::vector<Region>& regions) {
  for (bool moved = true; moved;) {
    moved = false;
    for (Region& a : regions) {
      for (Region& b : regions) {
        const bool crosses = a.begin < b.begin && b.begin < a.end && a.end < b.end;
        if (!crosses) continue;
        if (b.is_loop && !a.is_loop) return &a;
        if (b.is_loop) {
          a.end = b.end;
        } else {
          b.begin = a.begin;
        }
        moved = true;
      }
    }
  }
  return nullptr;
}

}  // namespace

namespace {

// Whether all gotos in `s` go to labels of the lists around them. `visible`: those labels.
bool stays_in_lists(const Stmt* s, std::vector<const Ident*>& visible) {
  if (s->kind == StmtKind::kGoto)
    return std::find(visible.begin(), visible.end(), as<GotoStmt>(s)->label) != visible.end();
  const size_t outside = visible.size();
  if (s->kind == StmtKind::kBlock) {
    for (const Stmt* child : as<BlockStmt>(s)->body) {
      for (; child != nullptr && child->kind == StmtKind::kLabel; child = as<LabelStmt>(child)->body)
        visible.push_back(as<LabelStmt>(child)->label);
    }
  }
  bool stays = true;
  for_each_child(s, [&](const Stmt* child) {
    const bool is_switch_body = s->kind == StmtKind::kSwitch && child->kind == StmtKind::kBlock;
    if (!is_switch_body) {
      stays = stays && stays_in_lists(child, visible);
      return;
    }
    // Its lists end at the case labels.
    for_each_child(child, [&](const Stmt* inner) { stays = stays && stays_in_lists(inner, visible); });
  });
  visible.resize(outside);
  return stays;
}

}  // namespace

bool FunctionLowering::needs_states(const Stmt* body) const {
  std::vector<const Ident*> visible;
  return !stays_in_lists(body, visible) || jumps_into_loop(body);
}

// Whether a list has a jump into a loop that other gotos form.
bool FunctionLowering::jumps_into_loop(const Stmt* s) const {
  if (s->kind == StmtKind::kBlock) {
    std::vector<Region> regions;
    const std::vector<Stmt*>& statements = as<BlockStmt>(s)->body;
    for (size_t at = 0; at < statements.size(); ++at) {
      for (const Stmt* l = statements[at]; l != nullptr && l->kind == StmtKind::kLabel;
           l = as<LabelStmt>(l)->body)
        find_regions(statements, at, as<LabelStmt>(l)->label, regions);
    }
    if (nest(regions) != nullptr) return true;
  }
  bool found = false;
  for_each_child(s, [&](const Stmt* child) { found = found || jumps_into_loop(child); });
  return found;
}

void FunctionLowering::list_with_labels(const std::vector<Stmt*>& statements) {
  std::vector<Region> regions;
  for (size_t at = 0; at < statements.size(); ++at) {
    for (const Stmt* s = statements[at]; s != nullptr && s->kind == StmtKind::kLabel;
         s = as<LabelStmt>(s)->body) {
      if (!add_regions(statements, at, as<LabelStmt>(s)->label, regions)) return;
    }
  }
  nest(regions);  // succeeds: see needs_states
  // The widest first, so that each list of regions starts with the outermost; a scope around a loop of equal
  // width.
  std::stable_sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    return a.end != b.end ? a.end > b.end : a.is_loop < b.is_loop;
  });
  for (const Region& region : regions) {
    hoist({statements.begin() + static_cast<ptrdiff_t>(region.begin),
           statements.begin() + static_cast<ptrdiff_t>(region.end)},
          true);
  }
  lower_regions(statements, 0, statements.size(), regions);
}

// The regions that the gotos to one label of the list need. False: an error was reported.
bool FunctionLowering::add_regions(const std::vector<Stmt*>& statements, size_t at, const Ident* label,
                                   std::vector<Region>& regions) {
  const size_t from = find_regions(statements, at, label, regions);
  for (size_t i = from + 1; i < at; ++i) {
    const VarDecl* var = initialised_in(statements[i]);
    if (var == nullptr) continue;
    error(statements[from]->loc,
          message::kGotoPastInitialization(label->text,
                                           var->name != nullptr ? var->name->text : std::string_view()));
    return false;
  }
  return true;
}

// The same without checks; returns the first statement that jumps forward to the label.
size_t FunctionLowering::find_regions(const std::vector<Stmt*>& statements, size_t at, const Ident* label,
                                      std::vector<Region>& regions) {
  Region forward{at, at, false, label};
  Region back{at, at, true, label};
  for (size_t i = 0; i < statements.size(); ++i) {
    if (!contains_goto(statements[i], label)) continue;
    if (i < at) forward.begin = std::min(forward.begin, i);
    if (i >= at) back.end = i + 1;
  }
  if (forward.begin < at) regions.push_back(forward);
  if (back.end > at) regions.push_back(back);
  return forward.begin;
}

// Statements [begin, end). `regions` are those within, sorted.
void FunctionLowering::lower_regions(const std::vector<Stmt*>& statements, size_t begin, size_t end,
                                     std::span<const Region> regions) {
  size_t at = begin;
  while (at < end && !ended()) {
    if (regions.empty() || regions.front().begin > at) {
      statement(statements[at++]);
      continue;
    }
    const Region outer = regions.front();
    size_t inside = 1;
    while (inside < regions.size() && regions[inside].begin < outer.end) ++inside;
    place(statements[outer.begin]->loc);
    ir::Block* after = builder_.block();
    ir::Inst* inst = outer.is_loop ? builder_.make_loop() : builder_.make_scope();
    labels_.push_back({outer.label, {inst, outer.is_loop, cleanups_.size()}});
    builder_.at(inst->blocks[outer.is_loop ? 1 : 0]);
    lower_regions(statements, outer.begin, outer.end, regions.subspan(1, inside - 1));
    labels_.pop_back();
    if (outer.is_loop && !ended()) builder_.exit(inst);
    builder_.at(after);
    regions = regions.subspan(inside);
    at = outer.end;
  }
}

void FunctionLowering::goto_statement(const GotoStmt* s) {
  place(s->loc);
  for (size_t i = labels_.size(); i-- > 0;) {
    if (labels_[i].name != s->label) continue;
    // After the label the loop has it; before it the scope.
    jump(labels_[i].target);
    return;
  }
  failed_ = true;  // the parser reports a label that does not exist
}

}  // namespace quern::lang
