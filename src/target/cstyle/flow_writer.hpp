// Control flow that the writers of structured languages have in common: branches, and loops that can be
// written as a simple `for`. Subclasses define how values and assignments look.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/pass/loop_shape.hpp"
#include "target/cstyle/fold.hpp"
#include "target/cstyle/text.hpp"

namespace quern::target::cstyle {

class FlowWriter {
 public:
  virtual ~FlowWriter() = default;
  FlowWriter(const FlowWriter&) = delete;
  FlowWriter& operator=(const FlowWriter&) = delete;

 protected:
  FlowWriter(ir::Function& function, bool is_exact_glsl, const ir::Module& module, bool line_marks);

  virtual void statement(const ir::Inst* i) = 0;
  virtual std::string value_text(const ir::Value* v) = 0;
  virtual std::string inverted_text(const ir::Value* v) = 0;
  virtual std::string assignment(const ir::Inst* store) = 0;

  void block(const ir::Block* b);
  void branch(const ir::Inst* i);
  // A value that is written where it is used: it gets no statement.
  bool is_inside(const ir::Inst* i);
  // A store that becomes the initialization of the following `for`, and is deferred until then.
  bool begins_loop(const ir::Inst* i);
  bool is_quiet(const ir::Block* b) const;          // all its values are part of its yield
  std::string step_expression(const ir::Block* b);  // the single assignment of a step, or empty
  // The condition and step of a loop that is a `for`.
  struct Round {
    std::string condition, step;
  };
  std::optional<Round> simple_round(const ir::Inst* loop);
  void note_depths(const ir::Block* b);

  Folding folding_;
  Text text_;
  std::unordered_map<const ir::Value*, std::string> named_;
  std::string pending_init_;  // `int i = 0`, deferred into a for

 private:
  int depth(const ir::Inst* i) const;

  std::vector<int> depth_;
};

using pass::yield_of;
bool is_true(const ir::Value* v);

}  // namespace quern::target::cstyle
