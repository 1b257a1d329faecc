// Random kernels with the constructs that the front end produces: variables, references, structs, unions,
// arrays, calls with early returns, loops, switches and scopes with jumps of every kind. They always
// terminate and never access memory out of bounds.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "lang/ir/builder.hpp"

namespace quern::pass {

class RandomKernel {
 public:
  // `many_threads`: each thread has its own 64 bytes of p and q, diverges, and cooperates with the others at
  // barriers, in warp operations and in atomics on r.
  RandomKernel(ir::Module& module, uint32_t seed, bool many_threads = false)
      : module_(module), b_(module), random_(seed), many_threads_(many_threads) {
    i32_ = b_.type(ir::TypeKind::kI32);
    f32_ = b_.type(ir::TypeKind::kF32);
    global_ = module.types().ptr(ir::Space::kGlobal);
    generic_ = module.types().ptr(ir::Space::kGeneric);
    inner_ = make_struct("inner", {{"x", i32_, 0}, {"y", f32_, 4}}, 8, 4);
    outer_ = make_struct(
        "outer",
        {{"a", inner_, 0}, {"m", module.types().array(i32_, 3), 8}, {"p", generic_, 24}, {"n", i32_, 32}}, 40,
        8);
    bits_ = make_struct("bits", {{"f", f32_, 0}, {"u", i32_, 0}}, 4, 4);
    array_ = module.types().array(i32_, 4);
  }

  void make() {
    for (int i = 0; i < 3; ++i) make_function(i);
    ir::Function* kernel = module_.add_function("k");
    kernel->is_kernel = true;
    for (const char* name : {"p", "q"}) module_.add_param(kernel, global_, name);
    for (const char* name : {"a", "b"}) module_.add_param(kernel, i32_, name);
    function_ = kernel;
    reset();
    buffers_ = {kernel->params[0], kernel->params[1]};
    if (many_threads_) {
      module_.add_param(kernel, global_, "r");
      b_.at(kernel->body);
      ir::Value* thread = b_.convert(b_.index_op(ir::Op::kThreadId, 0), i32_);
      for (ir::Value*& buffer : buffers_) buffer = b_.offset(buffer, thread, 64);
      ints_.push_back(thread);
    }
    for (size_t i = 0; i < 2; ++i) {
      pointers_.push_back(buffers_[i]);
      ints_.push_back(kernel->params[i + 2]);
    }
    fill(kernel->body, 12);
  }

 private:
  const ir::Type* make_struct(const char* name, std::vector<ir::Field> fields, uint64_t size,
                              uint64_t align) {
    const ir::Type* type = module_.types().declare_struct(name);
    module_.types().define_struct(type, std::move(fields), size, align);
    return type;
  }

  uint32_t below(uint32_t n) { return random_() % n; }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <typename T>
  T pick(const std::vector<T>& from) {
    return from[below(static_cast<uint32_t>(from.size()))];
  }
  ir::Value* number(int64_t n) { return module_.constant_int(ir::TypeKind::kI32, n); }

  void reset() {
    ints_ = {number(1), number(7)};
    vars_.clear();
    pointers_.clear();
    structs_.clear();
    arrays_.clear();
    pointer_vars_.clear();
    constructs_.clear();
    depth_ = 0;
  }

  void make_function(int which) {
    ir::Function* f = module_.add_function("f" + std::to_string(which));
    f->result = i32_;
    module_.add_param(f, i32_, "a");
    module_.add_param(f, generic_, "r");
    module_.add_param(f, inner_, "s");
    function_ = f;
    reset();
    ints_.push_back(f->params[0]);
    pointers_.push_back(f->params[1]);
    b_.at(f->body);
    ints_.push_back(b_.extract(f->params[2], 0));
    callable_ = static_cast<size_t>(which);
    fill(f->body, 5);
    if (!f->body->terminated()) {
      b_.at(f->body);
      b_.ret(value());
    }
    callable_ = static_cast<size_t>(which) + 1;
  }

  // Statements at the end of `block`; declarations go out of scope at its end.
  void fill(ir::Block* block, uint32_t most) {
    const auto kept = std::make_tuple(ints_, vars_, pointers_, structs_, arrays_, pointer_vars_);
    ++depth_;
    const uint32_t n = 1 + below(most);
    for (uint32_t i = 0; i < n && !block->terminated(); ++i) {
      b_.at(block);
      b_.pos({++line_, 1, 1, 0});
      statement(block);
    }
    --depth_;
    std::tie(ints_, vars_, pointers_, structs_, arrays_, pointer_vars_) = kept;
    b_.at(block);
  }

  ir::Value* value() {
    if (!vars_.empty() && chance(40)) return b_.load(i32_, pick(vars_));
    return chance(15) ? number(below(9)) : pick(ints_);
  }

  ir::Value* condition() {
    static const std::vector<ir::Op> kOps{ir::Op::kEq, ir::Op::kLt, ir::Op::kGe, ir::Op::kNe};
    ir::Value* c = b_.compare(pick(kOps), b_.binary(ir::Op::kAnd, value(), number(3)), number(below(4)));
    return chance(20) ? b_.unary(ir::Op::kNot, c) : c;
  }

  void statement(ir::Block* block) {
    if (many_threads_ && function_->is_kernel && chance(25)) return together();
    switch (below(23)) {
      case 0:
      case 1: return compute();
      case 2: return declare();
      case 3:
      case 4:
        if (!vars_.empty()) b_.store(pick(vars_), value());
        return;
      case 5:
      case 6: return to_buffer();
      case 7: return use_struct();
      case 8: return use_array();
      case 9: return pun();
      case 10: return pointer_variable();
      case 11: return through_pointer();
      case 12: return call();
      case 13:
      case 14: return branch();
      case 15:
      case 16: return loop();
      case 17: return scope();
      case 18: return choose();
      case 19:
      case 20: return jump();
      case 21: return pointer_array();
      default:
        if (chance(15) && depth_ > 1) leave(block);
    }
  }

  // Barriers and warp operations only where all running threads arrive.
  void together() {
    const ir::Type* u32 = b_.type(ir::TypeKind::kU32);
    ir::Value* full = module_.constant(u32, 0xFFFFFFFF);
    const bool all_come = depth_ == 1 || in_common_loop_;
    switch (below(all_come ? 8 : 2)) {
      case 0:
      case 1: {
        static const std::vector<ir::Rmw> kRmws{ir::Rmw::kAdd, ir::Rmw::kMin, ir::Rmw::kXor, ir::Rmw::kMax};
        const uint32_t place = below(4);
        ir::Value* at = b_.offset(function_->params[4], number(place), 4);
        ir::Inst* a = b_.emit(ir::Op::kAtomicRmw, i32_, {at, value()});
        a->mutable_attr().rmw = kRmws[place];  // one kind per place: the order does not matter
        return;
      }
      case 2: b_.emit(ir::Op::kBarrier, nullptr, {}); return;
      case 3: ints_.push_back(b_.emit(ir::Op::kBarrierCount, i32_, {condition()})); return;
      case 4: return common_loop();
      case 5: {
        ir::Value* by = module_.constant(u32, below(32));
        ir::Inst* s =
            b_.emit(ir::Op::kShuffle, i32_, {full, value(), by, module_.constant(u32, 8u << below(3))});
        s->mutable_attr().shuffle = static_cast<ir::ShuffleKind>(below(4));
        // Returned lanes provide any value.
        if (!may_have_returned_) ints_.push_back(s);
        return;
      }
      case 6: ints_.push_back(b_.convert(b_.emit(ir::Op::kBallot, u32, {full, condition()}), i32_)); return;
      default: {
        ir::Inst* r = b_.emit(ir::Op::kWarpReduce, i32_, {full, value()});
        r->mutable_attr().rmw = chance(50) ? ir::Rmw::kAdd : ir::Rmw::kMax;
        ints_.push_back(r);
        return;
      }
    }
  }

  // A loop with the same number of iterations for every thread.
  void common_loop() {
    if (in_common_loop_ || depth_ != 1) return compute();
    ir::Inst* counter = b_.var(i32_, "c");
    b_.store(counter, number(0));
    ir::Inst* l = b_.make_loop();
    ir::Value* n = nullptr;
    b_.at(l->blocks[0]);
    n = b_.load(i32_, counter);
    b_.yield(b_.compare(ir::Op::kLt, n, number(2 + below(3))));
    const std::vector<ir::Inst*> outer = std::move(constructs_);
    constructs_.clear();
    in_common_loop_ = true;
    ++depth_;
    const auto kept = std::make_tuple(ints_, vars_, pointers_, structs_, arrays_, pointer_vars_);
    for (uint32_t i = 0; i < 4 && !l->blocks[1]->terminated(); ++i) {
      b_.at(l->blocks[1]);
      if (chance(50)) {
        --depth_;
        together();
        ++depth_;
      } else {
        in_common_loop_ = false;
        statement(l->blocks[1]);
        in_common_loop_ = true;
      }
    }
    std::tie(ints_, vars_, pointers_, structs_, arrays_, pointer_vars_) = kept;
    --depth_;
    in_common_loop_ = false;
    constructs_ = outer;
    b_.at(l->blocks[2]);
    b_.store(counter, b_.binary(ir::Op::kAdd, b_.load(i32_, counter), number(1)));
  }

  void compute() {
    static const std::vector<ir::Op> kOps{ir::Op::kAdd, ir::Op::kSub, ir::Op::kMul, ir::Op::kAnd,
                                          ir::Op::kXor, ir::Op::kMin, ir::Op::kMax, ir::Op::kOr};
    ir::Value* v = b_.emit(pick(kOps), i32_, {value(), value()});
    if (chance(30)) v = b_.select(condition(), v, value());
    if (chance(15)) v = b_.convert(b_.convert(v, b_.type(ir::TypeKind::kI64)), i32_);
    ints_.push_back(v);
  }

  ir::Value* maybe_generic(ir::Value* p) {
    return p->type != generic_ && chance(50) ? b_.op(ir::Op::kSpaceCast, generic_, {p}) : p;
  }

  void declare() {
    if (chance(40)) {
      ir::Inst* s = b_.var(chance(50) ? inner_ : outer_, "s");
      b_.store(s, module_.constant(s->attr().type, 0));
      structs_.push_back(s);
    } else if (chance(40)) {
      ir::Inst* a = b_.var(array_, "a");
      b_.store(a, module_.constant(array_, 0));
      arrays_.push_back(a);
    } else {
      ir::Inst* v = b_.var(i32_, "v" + std::to_string(below(5)));
      b_.store(v, value());
      vars_.push_back(v);
      if (chance(40)) pointers_.push_back(maybe_generic(v));
    }
  }

  void to_buffer() {
    if (!function_->is_kernel) return compute();
    ir::Value* index = b_.binary(ir::Op::kAnd, value(), number(15));
    ir::Value* at = b_.offset(maybe_generic(buffers_[below(2)]), index, 4);
    if (chance(75)) {
      b_.store(at, value());
    } else {
      ints_.push_back(b_.load(i32_, at));
    }
  }

  void use_struct() {
    if (structs_.empty()) return declare();
    ir::Inst* s = pick(structs_);
    const ir::Type* type = s->attr().type;
    ir::Value* at = maybe_generic(s);
    if (type == outer_ && chance(40)) return use_member_array(at);
    if (type == outer_ && chance(30)) {
      b_.store(b_.field(at, outer_, 2), b_.op(ir::Op::kSpaceCast, generic_, {pick_pointer()}));
      return;
    }
    if (type == outer_ && chance(30)) {
      // It is a pointer only after it was set; set it again here.
      b_.store(b_.field(at, outer_, 2), b_.op(ir::Op::kSpaceCast, generic_, {pick_pointer()}));
      ints_.push_back(b_.load(i32_, b_.load(generic_, b_.field(at, outer_, 2))));
      return;
    }
    if (chance(25)) {
      ir::Inst* copy = b_.var(type, "copy");
      b_.store(copy, b_.load(type, s));
      structs_.push_back(copy);
      return;
    }
    if (type == outer_) at = chance(50) ? b_.field(at, outer_, 0) : at;
    ir::Value* x = b_.field(at, inner_, 0);
    if (chance(50)) {
      b_.store(x, value());
    } else if (chance(30)) {
      ints_.push_back(b_.extract(b_.load(inner_, at), 0));
    } else {
      ints_.push_back(b_.load(i32_, x));
    }
  }

  ir::Value* pick_pointer() {
    if (pointers_.empty()) {
      ir::Inst* v = b_.var(i32_, "target");
      b_.store(v, number(5));
      return v;
    }
    return pick(pointers_);
  }

  void use_member_array(ir::Value* at) {
    ir::Value* m = b_.field(at, outer_, 1);
    ir::Value* index = chance(50) ? number(below(3)) : b_.binary(ir::Op::kAnd, value(), number(1));
    ir::Value* element = b_.offset(m, index, 4);
    if (chance(50)) {
      b_.store(element, value());
    } else {
      ints_.push_back(b_.load(i32_, element));
    }
  }

  void use_array() {
    if (arrays_.empty()) return declare();
    ir::Value* index = chance(70) ? number(below(4)) : b_.binary(ir::Op::kAnd, value(), number(3));
    ir::Value* element = b_.offset(maybe_generic(pick(arrays_)), index, 4);
    if (chance(50)) {
      b_.store(element, value());
    } else {
      ints_.push_back(b_.load(i32_, element));
    }
  }

  void pun() {
    ir::Inst* u = b_.var(bits_, "u");
    b_.store(b_.field(u, bits_, 1), value());
    ir::Value* f = b_.load(f32_, b_.field(u, bits_, 0));
    ints_.push_back(b_.bitcast(f, i32_));
  }

  void pointer_variable() {
    ir::Inst* p = b_.var(generic_, "ptr");
    b_.store(p, b_.op(ir::Op::kSpaceCast, generic_, {pick_pointer()}));
    pointer_vars_.push_back({p, pointers_});
  }

  void pointer_array() {
    ir::Inst* rows = b_.var(module_.types().array(generic_, 2), "rows");
    for (uint32_t i = 0; i < 2; ++i) {
      b_.store(b_.offset(rows, number(i), 8), b_.op(ir::Op::kSpaceCast, generic_, {pick_pointer()}));
    }
    ir::Value* index = b_.binary(ir::Op::kAnd, value(), number(1));
    ir::Value* at = b_.load(generic_, b_.offset(rows, index, 8));
    if (chance(50)) b_.store(at, value());
    ints_.push_back(b_.load(i32_, at));
  }

  void through_pointer() {
    if (pointer_vars_.empty()) return pointer_variable();
    const PointerVar p = pick(pointer_vars_);
    if (!p.targets.empty() && chance(40)) {
      b_.store(p.var, b_.op(ir::Op::kSpaceCast, generic_, {pick(p.targets)}));
      return;
    }
    ir::Value* at = b_.load(generic_, p.var);
    if (!p.targets.empty() && chance(30)) {
      at = b_.select(condition(), at, b_.op(ir::Op::kSpaceCast, generic_, {pick(p.targets)}));
    }
    if (chance(50)) {
      b_.store(at, value());
    } else if (chance(30) && !p.targets.empty()) {
      ir::Value* other = b_.op(ir::Op::kSpaceCast, generic_, {pick(p.targets)});
      ints_.push_back(b_.convert(b_.compare(chance(50) ? ir::Op::kEq : ir::Op::kNe, at, other), i32_));
    } else {
      ints_.push_back(b_.load(i32_, at));
    }
  }

  void call() {
    if (callable_ == 0) return compute();
    ir::Function* f = module_.functions[below(static_cast<uint32_t>(callable_))];
    ir::Value* pointer = b_.op(ir::Op::kSpaceCast, generic_, {pick_pointer()});
    ir::Value* members[] = {value(), module_.constant_float(f32_, 2.0)};
    ir::Value* s = b_.construct(inner_, members);
    ir::Inst* made = b_.emit(ir::Op::kCall, i32_, {value(), pointer, s});
    made->mutable_attr().callee = f;
    ints_.push_back(made);
  }

  bool is_deep() const { return depth_ > 4; }

  void branch() {
    if (is_deep()) return compute();
    ir::Inst* i = b_.make_if(condition());
    fill(i->blocks[0], 4);
    if (chance(50)) fill(i->blocks[1], 4);
  }

  void loop() {
    if (is_deep()) return compute();
    ir::Inst* counter = b_.var(i32_, "i");
    b_.store(counter, number(0));
    ir::Inst* l = b_.make_loop();
    const bool asks_first = chance(70);
    ir::Block* asks = l->blocks[asks_first ? 0 : 2];
    // The counter always advances, however the body is left.
    b_.at(asks);
    ir::Value* n = b_.binary(ir::Op::kAdd, b_.load(i32_, counter), number(1));
    b_.store(counter, n);
    b_.yield(chance(8) ? static_cast<ir::Value*>(module_.constant_bool(false))
                       : b_.compare(ir::Op::kLt, n, number(1 + below(5))));
    constructs_.push_back(l);
    fill(l->blocks[1], 5);
    constructs_.pop_back();
    if (asks_first && chance(50)) fill(l->blocks[2], 2);
    // A body that never reaches the step must not loop forever.
  }

  void scope() {
    if (is_deep()) return compute();
    ir::Inst* s = b_.make_scope();
    constructs_.push_back(s);
    fill(s->blocks[0], 5);
    constructs_.pop_back();
  }

  void choose() {
    if (is_deep()) return compute();
    std::vector<ir::SwitchCase> cases{{{0}}, {{1, 2}}};
    if (chance(60)) cases.push_back({});
    ir::Value* on = chance(15) ? number(below(4)) : b_.binary(ir::Op::kAnd, value(), number(3));
    ir::Inst* s = b_.make_switch(on, cases);
    constructs_.push_back(s);
    for (ir::Block* block : s->blocks) fill(block, 3);
    constructs_.pop_back();
  }

  // if (c) { …; leave }
  void jump() {
    ir::Inst* i = b_.make_if(condition());
    ir::Block* then = i->blocks[chance(80) ? 0 : 1];
    if (chance(50)) fill(then, 2);
    if (then->terminated()) return;
    b_.at(then);
    leave(then);
  }

  void leave(ir::Block* block) {
    b_.at(block);
    if (constructs_.empty() || chance(15)) {
      may_have_returned_ = may_have_returned_ || function_->is_kernel;
      b_.ret(function_->is_kernel ? nullptr : value());
      return;
    }
    ir::Inst* target = pick(constructs_);
    if (target->is(ir::Op::kLoop) && chance(50)) {
      b_.continue_(target);
    } else {
      b_.exit(target);
    }
  }

  struct PointerVar {
    ir::Inst* var;
    std::vector<ir::Value*> targets;  // that live at least as long
  };

  ir::Module& module_;
  ir::Builder b_;
  std::mt19937 random_;
  ir::Function* function_ = nullptr;
  const ir::Type *i32_, *f32_, *global_, *generic_, *inner_, *outer_, *bits_, *array_;
  std::vector<ir::Value*> ints_;
  std::vector<ir::Inst*> vars_;
  std::vector<ir::Value*> pointers_;
  std::vector<ir::Inst*> structs_;
  std::vector<ir::Inst*> arrays_;
  std::vector<PointerVar> pointer_vars_;
  std::vector<ir::Inst*> constructs_;
  std::vector<ir::Value*> buffers_;
  size_t callable_ = 0;
  bool many_threads_ = false;
  bool in_common_loop_ = false;
  bool may_have_returned_ = false;
  uint32_t line_ = 0;
  int depth_ = 0;
};

}  // namespace quern::pass
