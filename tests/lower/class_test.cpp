// Classes, arrays and variables: layout, construction in place, destruction on every exit.
#include "lower/lowered.hpp"

namespace quern::lang {
namespace {

TEST(LowerClass, BasesAreFieldsAndEmptyOnesAreNot) {
  const Compilation result =
      lowered("struct Empty {}; struct Base { int a; }; struct D : Empty, Base { float b; };" +
              kernel("D d; d.a = n; d.b = 2; p[0] = d.a;"));
  ASSERT_TRUE(result.ok) << result.rendered;
  const ir::Type* d = result.module.types().find_struct("D");
  ASSERT_NE(d, nullptr);
  ASSERT_EQ(d->fields.size(), 2u);
  EXPECT_EQ(d->fields[0].type, result.module.types().find_struct("Base"));
  EXPECT_EQ(d->fields[1].offset, 4u);
  EXPECT_EQ(d->size, 8u);
}

TEST(LowerClass, UnionsAreReadThroughMemory) {
  EXPECT_EQ(body_of("union U { float f; int i; };" + kernel("U u; u.f = 1; p[0] = u.i;")),
            "%u = var %U\n"
            "%0 = field ptr<local> %u of %U index 0\n"
            "store %0, 1.0:f32\n"
            "%1 = field ptr<local> %u of %U index 1\n"
            "%2 = load i32 %1\n"
            "store %p, %2\n");
}

TEST(LowerClass, ConstructorsRunInPlace) {
  const std::string text =
      "struct P { int x, y; __device__ P(int a) : x(a), y(2) { x += y; } };" + kernel("P q(n); p[0] = q.x;");
  EXPECT_EQ(body_of(text),
            "%q = var %P\n"
            "%0 = space_cast ptr<generic> %q\n"
            "call @\"P::P\"(%0, %n)\n"
            "%1 = field ptr<local> %q of %P index 0\n"
            "%2 = load i32 %1\n"
            "store %p, %2\n");
  EXPECT_EQ(body_of(text, "P::P").substr(0, 72),
            "%0 = field ptr<generic> %this of %P index 0\n"
            "store %0, %a\n"
            "%1 = field ptr<");
}

TEST(LowerClass, AggregatesAreStoredMemberByMember) {
  EXPECT_EQ(body_of("struct P { int x; float y; };" + kernel("P q = {n}; q.x++; p[0] = q.x;")),
            "%q = var %P\n"
            "%0 = field ptr<local> %q of %P index 0\n"
            "store %0, %n\n"
            "%1 = field ptr<local> %q of %P index 1\n"
            "store %1, 0.0:f32\n"
            "%2 = field ptr<local> %q of %P index 0\n"
            "%3 = load i32 %2\n"
            "%4 = add i32 %3, 1\n"
            "store %2, %4\n"
            "%5 = field ptr<local> %q of %P index 0\n"
            "%6 = load i32 %5\n"
            "store %p, %6\n");
}

TEST(LowerClass, ValuesThatAreOnlyReadNeedNoMemory) {
  EXPECT_EQ(body_of("struct P { int x; float y; };" + kernel("P q = {n, 2.0f}; p[0] = q.x;")),
            "%q = construct %P(%n, 2.0:f32)\nstore %p, %n\n");
}

TEST(LowerClass, DestructorsRunOnEveryWayOut) {
  const std::string text =
      "struct G { int* p; __device__ G(int* q) : p(q) {} __device__ ~G() { *p = 0; } };" +
      kernel("for (;;) { G g(p); if (n == 1) continue; if (n == 2) break; if (n == 3) return; }");
  const std::string body = body_of(text);
  size_t calls = 0;
  for (size_t at = body.find("~G"); at != std::string::npos; at = body.find("~G", at + 1)) ++calls;
  EXPECT_EQ(calls, 4u) << body;
}

TEST(LowerClass, MembersAreDestroyedAfterTheBody) {
  const std::string text =
      "struct A { int* p; __device__ ~A() { *p = 1; } };"
      "struct B { A a; int n; __device__ ~B() { if (n) return; n = 2; } };" +
      kernel("B b; b.a.p = p; b.n = n;");
  const std::string body = body_of(text, "B::~B");
  size_t calls = 0;
  for (size_t at = body.find("A::~A"); at != std::string::npos; at = body.find("A::~A", at + 1)) ++calls;
  EXPECT_EQ(calls, 2u) << body;
}

TEST(LowerClass, ReferencesAreAddresses) {
  EXPECT_EQ(
      body_of("__device__ int& at(int* p) { return p[1]; }" + kernel("int& r = p[n]; r = 1; at(p) = r;")),
      "%0 = offset ptr<global> %p, %n scale 4\n"
      "store %0, 1:i32\n"
      "%1 = load i32 %0\n"
      "%2 = space_cast ptr<generic> %p\n"
      "%3 = call ptr<generic> @at(%2)\n"
      "store %3, %1\n");
}

TEST(LowerClass, LambdaCapturesAreFields) {
  EXPECT_EQ(body_of(kernel("int s = 1; auto add = [&](int v) { s += v; }; add(n); p[0] = s;")).substr(0, 126),
            "%s = var i32\n"
            "store %s, 1:i32\n"
            "%add = var %lambda\n"
            "%0 = field ptr<local> %add of %lambda index 0\n"
            "%1 = space_cast ptr<generic> %s\n");
}

TEST(LowerArray, InitialiserListsAndZeroes) {
  EXPECT_EQ(body_of(kernel("int a[3] = {1, 2}; a[0]++; p[0] = a[n];")).substr(0, 149),
            "%a = var [3 x i32]\n"
            "store %a, 1:i32\n"
            "%0 = offset ptr<local> %a, 1:u64 scale 4\n"
            "store %0, 2:i32\n"
            "%1 = offset ptr<local> %a, 2:u64 scale 4\n"
            "store %1, 0:i32\n");
  EXPECT_EQ(body_of(kernel("int a[100] = {5}; a[1]++; p[0] = a[n];")).substr(0, 61),
            "%a = var [100 x i32]\n"
            "store %a, zero:[100 x i32]\n"
            "store %a, 5:i");
}

TEST(LowerArray, LocalConstantArraysAreTables) {
  EXPECT_EQ(body_of(kernel("const int w[4] = {1, 2, 3, 4}; p[0] = w[n] + w[1];")),
            "%0 = offset ptr<constant> @\"k::w\", %n scale 4\n"
            "%1 = load i32 %0\n"
            "%2 = add i32 %1, 2\n"
            "store %p, %2\n");
}

TEST(LowerGlobal, SpacesAndInitialValues) {
  const Compilation result = lowered(
      "__constant__ int c[2] = {1, 2}; __device__ float d = 1.5f; __device__ int z;"
      "namespace ns { __device__ int e = 3; }"
      "__global__ void k(int* p, int n) { __shared__ int s[8]; extern __shared__ int dyn[];"
      " static int calls = 7; s[n] = c[n]; dyn[n] = d; p[0] = s[0] + dyn[1] + z + ns::e + calls++; }");
  ASSERT_TRUE(result.ok) << result.rendered;
  const auto global = [&](std::string_view name) {
    const ir::Global* found = result.module.find_global(name);
    EXPECT_NE(found, nullptr) << name;
    return found;
  };
  EXPECT_EQ(global("c")->space, ir::Space::kConstant);
  EXPECT_FALSE(global("c")->is_literal);
  EXPECT_EQ(global("c")->init.size(), 8u);
  EXPECT_EQ(global("d")->space, ir::Space::kGlobal);
  EXPECT_EQ(global("d")->init, (std::vector<uint8_t>{0, 0, 0xc0, 0x3f}));
  EXPECT_TRUE(global("z")->init.empty());
  EXPECT_EQ(global("ns::e")->init[0], 3);
  EXPECT_EQ(global("k::s")->space, ir::Space::kShared);
  EXPECT_EQ(global("k::dyn")->object->count, 0u);
  EXPECT_EQ(global("k::calls")->init[0], 7);
}

TEST(LowerFunction, NamesAreReadableAndUnique) {
  const Compilation result = lowered(
      "namespace ns { __device__ int f(int x) { return x; } __device__ int f(float x) { return x; } }"
      "template <typename T> __device__ T twice(T x) { return x + x; }" +
      kernel("p[0] = ns::f(n) + ns::f(f[0]) + twice(n) + twice(f[0]);"));
  ASSERT_TRUE(result.ok) << result.rendered;
  for (const char* name : {"ns::f", "ns::f(float)", "twice<int>", "twice<float>"}) {
    EXPECT_NE(result.module.find_function(name), nullptr) << name;
  }
}

TEST(LowerFunction, KernelParametersKeepWhatTheUserWrote) {
  const Compilation result =
      lowered("struct S { int n; }; __global__ void k(const float* __restrict__ x, void* v, S s) {}");
  ASSERT_TRUE(result.ok) << result.rendered;
  const ir::Function* k = result.module.find_function("k");
  ASSERT_EQ(k->params.size(), 3u);
  EXPECT_EQ(k->params[0]->type->space, ir::Space::kGlobal);
  EXPECT_EQ(k->params[0]->spelling, "const float*");
  EXPECT_TRUE(k->params[0]->is_const_elem && k->params[0]->is_restrict);
  EXPECT_EQ(k->params[0]->elem->kind, ir::TypeKind::kF32);
  EXPECT_EQ(k->params[1]->elem, nullptr);
  EXPECT_TRUE(k->params[2]->type->is_struct());
}

// A kernel's parameters belong to the host, which destroys them.
TEST(LowerClass, ParametersOfKernelsAreNotDestroyed) {
  const std::string handle =
      "struct H { int* q; ~H() { release(q); } __device__ int get() const { return *q; } };";
  const Compilation result = lowered(handle + "__global__ void k(H h, int* p) { p[0] = h.get(); }");
  EXPECT_TRUE(result.ok) << result.rendered;
  const std::string on_device = "struct D { int* q; __device__ ~D() { *q = 1; } };";
  const Compilation kept = lowered(on_device + "__global__ void k(D d, int* p) { p[0] = *d.q; }");
  EXPECT_TRUE(kept.ok) << kept.rendered;
  EXPECT_EQ(kept.module.find_function("D::~D"), nullptr);
  const Compilation taken =
      lowered(on_device + "__device__ int g(D d) { return *d.q; }" + kernel("D d{p}; p[0] = g(d);"));
  EXPECT_NE(taken.module.find_function("D::~D"), nullptr);
}

}  // namespace
}  // namespace quern::lang
