// What lowering rejects, and the effect on the kernel.
#include "lang/lower/messages.hpp"
#include "lang/sema/messages.hpp"
#include "lower/lowered.hpp"

namespace quern::lang {
namespace {

TEST(LowerError, FunctionsWithoutABody) {
  EXPECT_EQ(first_error("__device__ int g(int);" + kernel("p[0] = g(n);")),
            message::kFunctionNotDefined("g").text);
}

TEST(LowerError, OnlyTheKernelWithTheErrorIsLeftOut) {
  const Compilation result = lowered(
      "__device__ int g(int); __device__ int table[4] = {1};"
      "__device__ int f(int n) { return g(n) + table[n]; }"
      "__global__ void bad(int* p) { p[0] = f(1); }"
      "__device__ int h(int n) { return n; }"
      "__global__ void good(int* p) { p[0] = h(1); }");
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.module.find_function("bad"), nullptr);
  EXPECT_EQ(result.module.find_function("f"), nullptr);
  EXPECT_NE(result.module.find_function("good"), nullptr);
  EXPECT_NE(result.module.find_function("h"), nullptr);
  EXPECT_EQ(result.module.find_global("table"), nullptr);
}

TEST(LowerError, JumpsIntoBlocks) {
  const std::string counter = "struct D { int* q; __device__ ~D() { ++*q; } };";
  const std::string jump = "if (n) goto in; while (p[0]) { in: p[1]++; D d{p}; }";
  EXPECT_EQ(first_error(counter + kernel(jump)), message::kJumpPastDestructor().str());
  EXPECT_EQ(first_error(kernel("if (n) goto in; while (p[0]) { in: p[1]++; }")), "no error");
  EXPECT_EQ(first_error(kernel("if (n) goto in; { int x = n; in: p[1] = x; }")),
            message::kGotoPastInitialization("in", "x").str());
  EXPECT_EQ(first_error(kernel("switch (n) { case 0: for (int i = 0; i < 3; ++i) { case 1: p[i]++; } }")),
            message::kCasePastInitialization("i").str());
}

TEST(LowerError, GotoPastAnInitialiser) {
  EXPECT_EQ(first_error(kernel("if (n) goto end; int x = 3; p[0] = x; end: p[1] = 1;")),
            message::kGotoPastInitialization("end", "x").str());
}

TEST(LowerError, CasePastAnInitialiser) {
  EXPECT_EQ(first_error(kernel("switch (n) { case 0: int x = p[1]; p[0] = x; break; case 1: p[0] = 2; }")),
            message::kCasePastInitialization("x").str());
}

TEST(LowerError, TablesOfFunctions) {
  const std::string entry = "struct Entry { int n; int (*call)(int); };";
  EXPECT_EQ(first_error("__device__ int f(int x) { return x; }" + entry +
                        "__device__ Entry table[1] = {{1, f}};" + kernel("p[0] = table[n].n;")),
            "no error");
  EXPECT_EQ(first_error("int f(int x) { return x; }" + entry + "__device__ Entry table[1] = {{1, f}};" +
                        kernel("p[0] = table[n].n;")),
            message::kHostFunction("f").str());
}

TEST(LowerError, AddressesOfSharedVariablesAreNotConstant) {
  EXPECT_EQ(first_error("__shared__ int s[4]; __device__ int* q = s;" + kernel("p[0] = *q;")),
            message::kInitializerNotConstant("q", "'s' is not known at compile time").text);
}

TEST(LowerError, DeviceVariablesNeedConstantInitialisers) {
  EXPECT_EQ(first_error("__device__ int f() { return 3; } __device__ int g = f();" + kernel("p[0] = g;")),
            message::kInitializerNotConstant("g", "'f' is not constexpr").text);
}

TEST(LowerError, DestructorsOfTheHost) {
  EXPECT_EQ(first_error("struct H { int* q; ~H() { release(q); } };" + kernel("H h{p}; p[0] = 1;")),
            "the destructor of 'H' is a host function; mark it __device__ to call it from a kernel");
  EXPECT_EQ(first_error("struct H { int* q; ~H() {} };" + kernel("H h{p}; p[0] = *h.q;")), "no error");
  EXPECT_EQ(
      first_error("struct H { int* q; __device__ ~H() { *q = nothing; } };" + kernel("H h{p}; p[0] = 1;")),
      "'nothing' is not declared in this scope");
}

// The error of a declaration is shown once, but it is the reason for every kernel that needs it.
TEST(LowerError, EachKernelHasTheReason) {
  for (const char* text : {
           "struct B { int x : 33; }; __device__ B g;"
           "__global__ void a(int* p) { p[0] = g.x; } __global__ void b(int* p) { p[0] = g.x; }",
           "__device__ int* v = nothing;"
           "__global__ void a(int* p) { p[0] = *v; } __global__ void b(int* p) { p[0] = *v; }",
           "typedef Nothing T; __global__ void a(int* p) { T t; p[0] = 1; } __global__ void b(int* p) { T t; "
           "}",
           "__device__ float f[]; __global__ void a(int* p) { p[0] = f[1]; }"
           "__global__ void b(int* p) { p[0] = f[1]; }",
           "template <class T> __device__ int f(T x) { return x.y; }"
           "__global__ void a(int* p) { p[0] = f(1); } __global__ void b(int* p) { p[0] = f(2); }",
       }) {
    const Compilation result = lowered(text);
    ASSERT_EQ(result.kernels.size(), 2u);
    EXPECT_TRUE(result.kernels[0].reason.starts_with("t.cu:1:")) << result.kernels[0].reason;
    EXPECT_EQ(result.kernels[0].reason, result.kernels[1].reason);
    EXPECT_EQ(result.diagnostics.size(), 1u) << result.rendered;
  }
}

}  // namespace
}  // namespace quern::lang
