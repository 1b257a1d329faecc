#include "lang/pass/call_cycles.hpp"
#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

constexpr const char* kSum = R"(
    func @sum(%p: ptr<generic>, %n: i32) -> i32 {
      %c = lt i32 %n, 1
      if %c {
        return 0:i32
      }
      %m = sub i32 %n, 1
      %s = call i32 @sum(%p, %m)
      %v = load i32 %p
      %r = add i32 %s, %v
      return %r
    }
    kernel @k(%p: ptr<global>, %n: i32) {
      %g = space_cast ptr<generic> %p
      %s = call i32 @sum(%g, %n)
      store %p, %s
    })";

size_t vars_of(const ir::Function* f, ir::TypeKind element) {
  size_t count = 0;
  ir::walk(f->body, [&](const ir::Inst* i) {
    const bool is_stack = i->is(ir::Op::kVar) && i->attr().type->is_array();
    if (is_stack && i->attr().type->elem->kind == element) ++count;
  });
  return count;
}

TEST(LowerRecursion, NoCallsRemain) {
  ir::Module module = parsed(kSum);
  EXPECT_EQ(call_cycles(module).size(), 1u);
  lower_recursion(module, 1024);
  EXPECT_TRUE(call_cycles(module).empty());
  EXPECT_EQ(inline_calls(module), "");
}

TEST(LowerRecursion, ParametersThatStayTheSameNeedNoStack) {
  ir::Module module = parsed(kSum);
  lower_recursion(module, 1024);
  const ir::Function* f = module.find_function("sum");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(vars_of(f, ir::TypeKind::kPtr), 0u);
  EXPECT_EQ(vars_of(f, ir::TypeKind::kI32), 1u);  // n
  EXPECT_EQ(vars_of(f, ir::TypeKind::kU32), 1u);  // the states to return to
}

TEST(LowerRecursion, FunctionsThatCallEachOtherAreOneCycle) {
  ir::Module module = parsed(R"(
    func @a(%n: i32) {
      call @b(%n)
    }
    func @b(%n: i32) {
      call @c(%n)
    }
    func @c(%n: i32) {
      call @b(%n)
    }
    kernel @k(%n: i32) {
      call @a(%n)
    })");
  ASSERT_EQ(call_cycles(module).size(), 1u);
  EXPECT_EQ(call_cycles(module)[0].size(), 2u);
  lower_recursion(module, 1024);
  EXPECT_EQ(module.find_function("c"), nullptr);  // only b is called from elsewhere
  EXPECT_EQ(inline_calls(module), "");
}

}  // namespace
}  // namespace quern::pass
