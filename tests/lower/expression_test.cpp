// Expressions: what becomes a value, what becomes memory, and the order of evaluation.
#include "lower/lowered.hpp"

namespace quern::lang {
namespace {

TEST(LowerExpression, VariablesOnlyReadAreValues) {
  EXPECT_EQ(body_of(kernel("int i = n * 2; p[i] = i;")),
            "%i = mul i32 %n, 2\n"
            "%0 = offset ptr<global> %p, %i scale 4\n"
            "store %0, %i\n");
}

TEST(LowerExpression, ChangedVariablesAreMemory) {
  EXPECT_EQ(body_of(kernel("int i = n; i += 2; p[0] = i;")),
            "%i = var i32\n"
            "store %i, %n\n"
            "%0 = load i32 %i\n"
            "%1 = add i32 %0, 2\n"
            "store %i, %1\n"
            "%2 = load i32 %i\n"
            "store %p, %2\n");
}

TEST(LowerExpression, ChangedParametersAreCopied) {
  EXPECT_EQ(body_of(kernel("n++; p += n; *p = 1;")),
            "%p.2 = var ptr<generic>\n"
            "%0 = space_cast ptr<generic> %p\n"
            "store %p.2, %0\n"
            "%n.2 = var i32\n"
            "store %n.2, %n\n"
            "%1 = load i32 %n.2\n"
            "%2 = add i32 %1, 1\n"
            "store %n.2, %2\n"
            "%3 = load i32 %n.2\n"
            "%4 = load ptr<generic> %p.2\n"
            "%5 = offset ptr<generic> %4, %3 scale 4\n"
            "store %p.2, %5\n"
            "%6 = load ptr<generic> %p.2\n"
            "store %6, 1:i32\n");
}

TEST(LowerExpression, AssignmentEvaluatesItsRightSideFirst) {
  const std::string text =
      "__device__ int a(int* p) { return *p = 1; }"
      "__device__ int* b(int* p) { return p + 1; }" +
      kernel("*b(p) = a(p);");
  EXPECT_EQ(body_of(text),
            "%0 = space_cast ptr<generic> %p\n"
            "%1 = call i32 @a(%0)\n"
            "%2 = space_cast ptr<generic> %p\n"
            "%3 = call ptr<generic> @b(%2)\n"
            "store %3, %1\n");
}

TEST(LowerExpression, SmallIntegersComputeInIntAndAreCutBack) {
  EXPECT_EQ(body_of(kernel("unsigned char c = n; c += 100; p[0] = c;")),
            "%c = var u8\n"
            "%0 = convert u8 %n\n"
            "store %c, %0\n"
            "%1 = load u8 %c\n"
            "%2 = convert i32 %1\n"
            "%3 = add i32 %2, 100\n"
            "%4 = convert u8 %3\n"
            "store %c, %4\n"
            "%5 = load u8 %c\n"
            "%6 = convert i32 %5\n"
            "store %p, %6\n");
}

TEST(LowerExpression, PostfixGivesTheOldValue) {
  EXPECT_EQ(body_of(kernel("p[1] = p[0]++;")),
            "%0 = load i32 %p\n"
            "%1 = add i32 %0, 1\n"
            "store %p, %1\n"
            "%2 = offset ptr<global> %p, 1:i32 scale 4\n"
            "store %2, %0\n");
}

TEST(LowerExpression, CheapAndIsAnOperation) {
  EXPECT_EQ(body_of(kernel("p[0] = n > 1 && n < 5;")),
            "%0 = gt i32 %n, 1\n"
            "%1 = lt i32 %n, 5\n"
            "%2 = and bool %0, %1\n"
            "%3 = convert i32 %2\n"
            "store %p, %3\n");
}

TEST(LowerExpression, GuardedLoadStaysGuarded) {
  EXPECT_EQ(body_of(kernel("p[0] = n > 1 || p[n] > 0;")),
            "%0 = gt i32 %n, 1\n"
            "%1 = var bool\n"
            "store %1, %0\n"
            "if %0 {\n"
            "} else {\n"
            "  %2 = offset ptr<global> %p, %n scale 4\n"
            "  %3 = load i32 %2\n"
            "  %4 = gt i32 %3, 0\n"
            "  store %1, %4\n"
            "}\n"
            "%5 = load bool %1\n"
            "%6 = convert i32 %5\n"
            "store %p, %6\n");
}

TEST(LowerExpression, GuardedDivisionStaysGuarded) {
  EXPECT_EQ(body_of(kernel("p[0] = n ? 7 / n : 0;")),
            "%0 = convert bool %n\n"
            "%1 = var i32\n"
            "if %0 {\n"
            "  %2 = div i32 7, %n\n"
            "  store %1, %2\n"
            "} else {\n"
            "  store %1, 0:i32\n"
            "}\n"
            "%3 = load i32 %1\n"
            "store %p, %3\n");
}

TEST(LowerExpression, CheapConditionalIsASelect) {
  EXPECT_EQ(body_of(kernel("p[0] = n > 3 ? n + 1 : -n;")),
            "%0 = gt i32 %n, 3\n"
            "%1 = add i32 %n, 1\n"
            "%2 = neg i32 %n\n"
            "%3 = select i32 %0, %1, %2\n"
            "store %p, %3\n");
}

TEST(LowerExpression, UninitializedVariablesAreNotReadAhead) {
  EXPECT_NE(body_of(kernel("int x; if (n) x = 1; p[0] = n && x > 0;")).find("if"), std::string::npos);
  EXPECT_EQ(body_of(kernel("int x; x = n; p[0] = n > 2 && x > 0;")).find("and bool"), std::string::npos);
}

TEST(LowerExpression, ConditionalLvaluesAreAddresses) {
  EXPECT_EQ(body_of(kernel("int a = 1; int b = 2; (n > 3 ? a : b) = 5; p[0] = a + b;")),
            "%a = var i32\n"
            "store %a, 1:i32\n"
            "%b = var i32\n"
            "store %b, 2:i32\n"
            "%0 = gt i32 %n, 3\n"
            "%1 = select ptr<local> %0, %a, %b\n"
            "store %1, 5:i32\n"
            "%2 = load i32 %a\n"
            "%3 = load i32 %b\n"
            "%4 = add i32 %2, %3\n"
            "store %p, %4\n");
}

TEST(LowerExpression, PointersStayInTheirSpaceUntilStored) {
  EXPECT_EQ(body_of(kernel("__shared__ int s[4]; int* q = s + n; *q = 1;")),
            "%q = offset ptr<shared> @\"k::s\", %n scale 4\n"
            "store %q, 1:i32\n");
  EXPECT_EQ(body_of(kernel("__shared__ int s[4]; int* q = s; q = p; *q = 1;")),
            "%q = var ptr<generic>\n"
            "%0 = space_cast ptr<generic> @\"k::s\"\n"
            "store %q, %0\n"
            "%1 = space_cast ptr<generic> %p\n"
            "store %q, %1\n"
            "%2 = load ptr<generic> %q\n"
            "store %2, 1:i32\n");
}

TEST(LowerExpression, PointerArithmetic) {
  EXPECT_EQ(body_of(kernel("int* q = p + n - 2u; p[0] = q - p; p[1] = q == p;")),
            "%0 = offset ptr<global> %p, %n scale 4\n"
            "%q = offset ptr<global> %0, -2:i64 scale 4\n"
            "%1 = ptr_diff %q, %p scale 4\n"
            "%2 = convert i32 %1\n"
            "store %p, %2\n"
            "%3 = eq ptr<global> %q, %p\n"
            "%4 = convert i32 %3\n"
            "%5 = offset ptr<global> %p, 1:i32 scale 4\n"
            "store %5, %4\n");
}

TEST(LowerExpression, VectorLoadThroughACast) {
  EXPECT_EQ(body_of(kernel("float4 v = reinterpret_cast<float4*>(f)[n]; f[0] = v.y;")),
            "%0 = offset ptr<global> %f, %n scale 16\n"
            "%v = load %float4 %0\n"
            "%1 = extract f32 %v index 1\n"
            "store %f, %1\n");
}

TEST(LowerExpression, VolatileAccessesAreMarked) {
  EXPECT_EQ(body_of(kernel("volatile int* q = p; q[0] = q[1];")),
            "%0 = offset ptr<global> %p, 1:i32 scale 4\n"
            "%1 = load.volatile i32 %0\n"
            "store.volatile %p, %1\n");
}

TEST(LowerExpression, CommaAndDiscardedValues) {
  EXPECT_EQ(body_of(kernel("p[0] = (n + 1, 7); (void)n; n;")), "%0 = add i32 %n, 1\nstore %p, 7:i32\n");
}

TEST(LowerExpression, ConstantCallsFold) {
  const std::string text = "constexpr int log2_of(int n) { int r = 0; while (n >>= 1) ++r; return r; }" +
                           kernel("p[0] = log2_of(256);");
  EXPECT_EQ(body_of(text), "store %p, 8:i32\n");
}

TEST(LowerExpression, ConstantTables) {
  const std::string text = "constexpr float w[3] = {0.5f, 1.5f};" + kernel("f[0] = w[1]; f[1] = w[n];");
  const Compilation result = lowered(text);
  ASSERT_TRUE(result.ok) << result.rendered;
  ASSERT_EQ(result.module.globals.size(), 1u);
  EXPECT_TRUE(result.module.globals[0]->is_literal);
  EXPECT_EQ(result.module.globals[0]->space, ir::Space::kConstant);
  EXPECT_EQ(result.module.globals[0]->init.size(), 12u);
  EXPECT_EQ(body_of(text).substr(0, 19), "store %f, 1.5:f32\n%");
}

TEST(LowerExpression, PositionsAreTheUsers) {
  const Compilation result = lowered("__global__ void k(int* p) {\n  p[0] = max(p[1], 2);\n}\n");
  ASSERT_TRUE(result.ok) << result.rendered;
  for (const ir::Function* function : result.module.functions) {
    ir::walk(function->body, [&](const ir::Inst* inst) {
      EXPECT_EQ(inst->pos.line, function->is_kernel ? 2u : 0u) << ir::print(*function);
    });
  }
  ASSERT_EQ(result.module.files.size(), 1u);
  EXPECT_EQ(result.module.files[0].name, "t.cu");
}

}  // namespace
}  // namespace quern::lang
