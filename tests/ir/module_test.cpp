// Types, blocks, constants, and copies of modules.
#include <set>
#include <span>

#include <gtest/gtest.h>

#include "ir/sample.hpp"
#include "lang/ir/text.hpp"
#include "lang/ir/verify.hpp"

namespace quern::ir {
namespace {

TEST(IrTypes, AreInternedAndLaidOutAsCudaDoes) {
  TypeTable types;
  EXPECT_EQ(types.array(types.get(TypeKind::kI32), 4), types.array(types.get(TypeKind::kI32), 4));
  EXPECT_NE(types.array(types.get(TypeKind::kI32), 4), types.array(types.get(TypeKind::kI32), 5));
  EXPECT_NE(types.array(types.get(TypeKind::kI32), 4), types.array(types.get(TypeKind::kU32), 4));
  EXPECT_EQ(types.array(types.get(TypeKind::kI32), 4)->size, 16u);
  EXPECT_EQ(types.get(TypeKind::kBool)->size, 1u);
  EXPECT_EQ(types.get(TypeKind::kBF16)->size, 2u);
  EXPECT_EQ(types.get(TypeKind::kF64)->align, 8u);
  EXPECT_EQ(types.ptr(Space::kShared)->size, 8u);
  EXPECT_EQ(types.ptr(Space::kShared)->space, Space::kShared);
  EXPECT_EQ(types.declare_struct("S"), types.declare_struct("S"));
  EXPECT_EQ(types.find_struct("T"), nullptr);
}

TEST(IrTypes, ArraysOfLaterStructsGetTheirSize) {
  TypeTable types;
  const Type* s = types.declare_struct("S");
  const Type* grid = types.array(types.array(s, 3), 2);
  types.define_struct(s, {{"x", types.get(TypeKind::kF64), 0}}, 8, 8);
  EXPECT_EQ(grid->size, 48u);
  EXPECT_EQ(grid->align, 8u);
}

TEST(IrTypes, SizesDoNotWrap) {
  TypeTable types;
  EXPECT_EQ(types.array(types.get(TypeKind::kI64), uint64_t{1} << 62)->size, ~uint64_t{0});
}

TEST(IrTypes, Text) {
  TypeTable types;
  EXPECT_EQ(to_string(types.array(types.array(types.get(TypeKind::kF32), 16), 2)), "[2 x [16 x f32]]");
  EXPECT_EQ(to_string(types.ptr(Space::kConstant)), "ptr<constant>");
  EXPECT_EQ(to_string(types.declare_struct("float4")), "%float4");
  EXPECT_EQ(to_string(types.declare_struct("Pair<int, 2>")), "%\"Pair<int, 2>\"");
  EXPECT_EQ(to_string(nullptr), "<no type>");
}

TEST(IrOps, TableIsConsistent) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_TRUE(names.insert(info(op).name).second) << info(op).name;
    EXPECT_FALSE(has(op, kPure) && has(op, kReads | kWrites | kConvergent)) << info(op).name;
    EXPECT_FALSE(has(op, kCommutes) && info(op).arity != 2) << info(op).name;
    EXPECT_FALSE(has(op, kMath) && !has(op, kPure)) << info(op).name;
    EXPECT_FALSE(has(op, kTerminator | kControl) && !has(op, kWrites)) << info(op).name;
  }
  EXPECT_EQ(info(Op::kUnreachable).name, "unreachable");
}

TEST(SmallVectors, BehaveLikeVectors) {
  int items[6] = {0, 1, 2, 3, 4, 5};
  SmallVector<int*, 2> v;
  EXPECT_TRUE(v.empty());
  for (int& item : items) v.push_back(&item);
  EXPECT_EQ(v.size(), 6u);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(*v[i], static_cast<int>(i));
  v.erase(v.begin() + 1);
  EXPECT_EQ(*v[1], 2);
  v.insert(v.begin() + 1, &items[1]);
  EXPECT_EQ(*v[1], 1);
  SmallVector<int*, 2> copy = v;
  v.clear();
  EXPECT_EQ(copy.size(), 6u);
  SmallVector<int*, 2> moved = std::move(copy);
  EXPECT_EQ(moved.size(), 6u);
  EXPECT_EQ(*moved.back(), 5);
  v = {&items[3]};
  EXPECT_EQ(v.size(), 1u);
  moved = v;
  EXPECT_EQ(moved.size(), 1u);
  EXPECT_EQ(*moved.front(), 3);
  moved = std::vector<int*>{&items[0], &items[1], &items[2]};
  EXPECT_EQ(moved.size(), 3u);
  const std::vector<int*> plain = moved;
  EXPECT_EQ(plain.size(), 3u);
  const std::span<int* const> view = moved;
  EXPECT_EQ(view.size(), 3u);
  moved = view.subspan(1);
  EXPECT_EQ(moved.size(), 2u);
  EXPECT_EQ(*moved[0], 1);
  moved.insert(moved.begin(), plain.begin(), plain.end());
  EXPECT_EQ(moved.size(), 5u);
  EXPECT_EQ(*moved[3], 1);
  moved.resize(1);
  EXPECT_EQ(moved.size(), 1u);
}

TEST(IrModules, ConstantsAreInternedAndCut) {
  Module module;
  const Type* i8 = module.types().get(TypeKind::kI8);
  EXPECT_EQ(module.constant(i8, 0x1ff), module.constant(i8, 0xff));
  EXPECT_EQ(int_value(module.constant(i8, 0xff)), -1);
  EXPECT_EQ(int_value(module.constant_int(TypeKind::kU8, -1)), 255);
  EXPECT_EQ(int_value(module.constant_int(TypeKind::kI64, INT64_MIN)), INT64_MIN);
  EXPECT_EQ(float_value(module.constant_float(module.types().get(TypeKind::kF16), 0.1)), 0.0999755859375);
  EXPECT_EQ(module.constant_bool(true), module.constant(module.types().get(TypeKind::kBool), 3));
  EXPECT_NE(module.constant_int(TypeKind::kI32, 1), module.constant_int(TypeKind::kU32, 1));
  EXPECT_EQ(module.undef(i8), module.undef(i8));
  EXPECT_EQ(module.intern("a").data(), module.intern("a").data());
}

TEST(IrModules, BlocksLinkAndUnlink) {
  Module module;
  Block* block = module.add_function("f")->body;
  std::vector<Inst*> made;
  for (int i = 0; i < 3; ++i) made.push_back(module.new_inst(Op::kBarrier, nullptr, {}));
  block->append(made[0]);
  block->append(made[2]);
  block->insert_before(made[1], made[2]);
  EXPECT_EQ(verify(module), "");
  std::vector<Inst*> seen;
  for (Inst* inst : *block) seen.push_back(inst);
  EXPECT_EQ(seen, made);
  block->remove(made[1]);
  EXPECT_EQ(made[0]->next, made[2]);
  EXPECT_EQ(made[1]->parent, nullptr);
  block->remove(made[0]);
  block->remove(made[2]);
  EXPECT_EQ(block->first, nullptr);
  EXPECT_EQ(block->last, nullptr);
  block->append(made[1]);
  EXPECT_EQ(block->first, made[1]);
  EXPECT_FALSE(block->terminated());
  block->append(module.new_inst(Op::kReturn, nullptr, {}));
  EXPECT_TRUE(block->terminated());
}

TEST(IrModules, WalkMayRemove) {
  Module module = every_op();
  Function* kernel = module.find_function("sample");
  size_t barriers = 0;
  walk(kernel->body, [&](Inst* inst) {
    if (!inst->is(Op::kBarrier)) return;
    ++barriers;
    inst->parent->remove(inst);
  });
  EXPECT_EQ(barriers, 2u);
  walk(kernel->body, [&](Inst* inst) { EXPECT_FALSE(inst->is(Op::kBarrier)); });
  EXPECT_EQ(verify(module), "");
}

TEST(IrModules, NumbersInProgramOrder) {
  Module module = every_op();
  Function* kernel = module.find_function("sample");
  const uint32_t count = number(*kernel);
  uint32_t next = 0;
  walk(kernel->body, [&](Inst* inst) { EXPECT_EQ(inst->id, next++); });
  EXPECT_EQ(next, count);
}

TEST(IrModules, MoveKeepsPointers) {
  Module module = every_op();
  const std::string text = print(module);
  const Function* kernel = module.find_function("sample");
  const Type* i32 = module.types().get(TypeKind::kI32);
  Const* one = module.constant_int(TypeKind::kI32, 1);
  Module moved = std::move(module);
  EXPECT_EQ(moved.find_function("sample"), kernel);
  EXPECT_EQ(moved.types().get(TypeKind::kI32), i32);
  EXPECT_EQ(moved.constant_int(TypeKind::kI32, 1), one);
  EXPECT_EQ(print(moved), text);
  Module other = every_op();
  other = std::move(moved);
  EXPECT_EQ(other.find_function("sample"), kernel);
  EXPECT_EQ(verify(other), "");
  EXPECT_EQ(print(other), text);
}

// The clone must not contain pointers into the original: the verifier detects foreign types, parameters and
// globals, and the address sanitizer finds the rest once the original is destroyed.
TEST(IrModules, CloneIsIndependent) {
  auto original = std::make_unique<Module>(every_op());
  const std::string text = print(*original);
  Module copy = original->clone();
  EXPECT_EQ(verify(copy), "");
  copy.find_function("sample")->max_threads = 1;
  copy.find_global("table")->init.clear();
  EXPECT_EQ(print(*original), text);
  Module again = original->clone();
  original.reset();
  EXPECT_EQ(print(again), text);
  EXPECT_EQ(verify(again), "");
}

TEST(IrModules, CloneOfOneFunctionTakesWhatItUses) {
  ParseError error;
  const std::optional<Module> module = parse(
      "global @used: i32 align 4\n"
      "global @unused: i32 align 4\n"
      "func @leaf() {\n  store @used, 1:i32\n}\n"
      "func @middle() {\n  call @leaf()\n}\n"
      "kernel @a() {\n  call @middle()\n  return\n}\n"
      "kernel @b() {\n  store @unused, 1:i32\n}\n",
      error);
  ASSERT_TRUE(module.has_value()) << error.message;
  const Module copy = module->clone(*module->find_function("a"));
  EXPECT_EQ(verify(copy), "");
  EXPECT_EQ(copy.functions.size(), 3u);
  EXPECT_EQ(copy.find_function("b"), nullptr);
  EXPECT_EQ(copy.find_global("unused"), nullptr);
  EXPECT_NE(copy.find_global("used"), nullptr);
}

TEST(IrModules, SameAttrLooksOnlyAtWhatCounts) {
  Attr a;
  Attr b;
  b.scale = 8;
  EXPECT_TRUE(same_attr(Op::kAdd, a, b));
  EXPECT_FALSE(same_attr(Op::kOffset, a, b));
  b = Attr();
  b.cases = {{{1}}};
  EXPECT_FALSE(same_attr(Op::kSwitch, a, b));
  EXPECT_TRUE(same_attr(Op::kLoad, a, b));
}

TEST(IrBuilder, InsertsAtItsPosition) {
  Module module;
  Builder b(module);
  Function* f = module.add_function("f");
  b.at(f->body);
  b.ret(nullptr);
  b.at(f->body, f->body->first);
  b.pos({3, 4, 5, 0});
  Inst* barrier = b.emit(Op::kBarrier, nullptr, {});
  EXPECT_EQ(f->body->first, barrier);
  EXPECT_EQ(barrier->pos, (Pos{3, 4, 5, 0}));
  EXPECT_EQ(verify(module), "");
}

TEST(IrBuilder, LoadsAndStoresCarryAttributesOnlyWhenGiven) {
  Module module;
  Builder b(module);
  Function* f = module.add_function("f");
  b.at(f->body);
  Inst* v = b.var(module.types().get(TypeKind::kI32), "v");
  EXPECT_EQ(as_inst(b.load(module.types().get(TypeKind::kI32), v))->attr_, nullptr);
  EXPECT_EQ(as_inst(b.load(module.types().get(TypeKind::kI32), v, 16))->attr().align, 16u);
  EXPECT_TRUE(b.store(v, module.constant_int(TypeKind::kI32, 1), 0, true)->attr().is_volatile);
  EXPECT_EQ(v->name, "v");
}

}  // namespace
}  // namespace quern::ir
