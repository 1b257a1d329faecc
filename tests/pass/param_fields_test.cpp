#include "lang/pass/param_fields.hpp"

#include "pass/pass_test.hpp"

namespace quern::pass {
namespace {

constexpr std::string_view kParamFieldsTypes = R"(
  struct %args { x: ptr<generic> @0, n: i32 @8, y: ptr<generic> @16 } size 24 align 8
  struct %pair { a: %args @0, b: %args @24 } size 48 align 8
)";

// The first instruction extracts a pointer, and is removed.
TEST(ParamFields, EachPointerBecomesAParameter) {
  ir::Module module = parsed(std::string(kParamFieldsTypes) + R"(
    kernel @k(%s: %args, %p: %pair) {
      %x = extract ptr<generic> %s index 0
      %b = extract %args %p index 1
      %y = extract ptr<generic> %b index 2
      %n = extract i32 %b index 1
      %v = load i32 %x
      %again = extract ptr<generic> %s index 0
      store %again, %n
      store %y, %v
    })");
  ir::Function& kernel = *module.functions[0];
  EXPECT_TRUE(uses_param_fields(kernel));
  EXPECT_TRUE(needs(module, kernel).pointer_in_params);
  const std::vector<SplitPointer> made = split_params(module, kernel);
  EXPECT_EQ(ir::verify(module), "") << ir::print(module);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].param, 0u);
  EXPECT_EQ(made[0].at, 0u);
  EXPECT_EQ(made[1].param, 1u);
  EXPECT_EQ(made[1].at, 40u);
  ASSERT_EQ(kernel.params.size(), 4u);
  EXPECT_EQ(kernel.params[2]->name, "s_x");
  EXPECT_EQ(kernel.params[3]->name, "p_b_y");
  EXPECT_FALSE(uses_param_fields(kernel));
  EXPECT_FALSE(needs(module, kernel).pointer_in_params);
}

// A struct that is passed on as a whole stays.
TEST(ParamFields, AWholeStructStays) {
  ir::Module module = parsed(std::string(kParamFieldsTypes) + R"(
    kernel @k(%s: %args, %p: ptr<global>) {
      store %p, %s
    })");
  ir::Function& kernel = *module.functions[0];
  EXPECT_TRUE(split_params(module, kernel).empty());
  EXPECT_TRUE(uses_param_fields(kernel));
}

}  // namespace
}  // namespace quern::pass
