// Which instances of template kernels are found from the launches in host code.
#include <gtest/gtest.h>

#include "lang/compile.hpp"

namespace quern::lang {
namespace {

std::vector<std::string> kernels_of(const std::string& text) {
  std::vector<std::string> names;
  for (const KernelInfo& k : compile("launch.cu", text, {}).kernels) {
    if (k.ok) names.push_back(k.name);
  }
  return names;
}

using Names = std::vector<std::string>;

const char* const kKernel = "template <class T, int N> __global__ void k(T* p) { p[0] = N; }\n";

TEST(Launch, OfAFunction) {
  EXPECT_EQ(kernels_of(std::string(kKernel) + "void run(float* p) { k<float, 4><<<1, 1>>>(p); }"),
            Names{"k<float, 4>"});
}

TEST(Launch, OfTheInstancesOfATemplate) {
  EXPECT_EQ(kernels_of(std::string(kKernel) +
                       "template <class T, int N> void run(T* p) { k<T, N * 2><<<1, 1>>>(p); }\n"
                       "int main() { run<int, 3>(nullptr); double* d; run<double, 1>(d); }"),
            (Names{"k<int, 6>", "k<double, 2>"}));
}

TEST(Launch, ThroughTemplatesThatCallEachOther) {
  EXPECT_EQ(
      kernels_of(
          std::string(kKernel) +
          "namespace lib { template <int N, class T> void inner(T* p) { k<T, N><<<1, 1>>>(p); } }\n"
          "template <class T> void outer(T* p, int n) { if (n) lib::inner<8>(p); else lib::inner<9>(p); }\n"
          "void run(short* p) { outer(p, 1); }"),
      (Names{"k<short, 8>", "k<short, 9>"}));
}

TEST(Launch, OfAnExplicitInstantiation) {
  EXPECT_EQ(
      kernels_of(
          std::string(kKernel) +
          "template <class T> void run(T* p) { k<T, 5><<<1, 1>>>(p); }\ntemplate void run<float>(float*);"),
      Names{"k<float, 5>"});
}

TEST(Launch, NotNeededByAnExplicitInstantiationOfAKernel) {
  EXPECT_EQ(
      kernels_of(std::string(kKernel) + "template __global__ void k<float, 4>(float*);\n"
                                        "template __global__ void __launch_bounds__(64) k<int, 2>(int*);"),
      (Names{"k<float, 4>", "k<int, 2>"}));
  EXPECT_EQ(
      kernels_of("namespace lib { template <class T, int N = 3> __global__ void k(T* p) { p[0] = N; } }\n"
                 "template __global__ void lib::k<float>(float*);"),
      Names{"lib::k<float, 3>"});
}

TEST(Launch, WithALambda) {
  EXPECT_EQ(
      kernels_of("template <int N, class F> __global__ void apply(int n, F f) { if (threadIdx.x < n) "
                 "f(threadIdx.x); }\n"
                 "template <int N, class F> void launch(int n, F f) { apply<N, F><<<n / N, N>>>(n, f); }\n"
                 "template <class T> void scale(T* out, T by) {\n"
                 "  auto op = [=] __device__ (int i) { out[i] *= by; };\n"
                 "  launch<64>(5, op);\n"
                 "}\n"
                 "int main() { float* a; scale<float>(a, 2.0f); launch<32>(5, [=] __device__ (int i) { a[i] "
                 "= 1; }); }"),
      (Names{"apply<32, lambda>", "apply<64, lambda>"}));
}

// A class is completed when the context of a launch names it, and then adds its functions: a list that grows
// during iteration. (Freed memory was read; the sanitizers detect it.)
TEST(Launch, NextToClassesWithManyFunctions) {
  std::string text = kKernel;
  for (int c = 0; c < 40; ++c) {
    const std::string name = "C" + std::to_string(c);
    text += "template <class U> struct " + name + " {";
    for (int m = 0; m < 20; ++m) text += " void m" + std::to_string(m) + "() { int x = 1; (void)x; }";
    text += " float* data() { return nullptr; } };\nvoid use" + std::to_string(c) + "() { " + name +
            "<int> o; k<float, " + std::to_string(c) + "><<<1, 1>>>(o.data()); }\n";
  }
  EXPECT_EQ(kernels_of(text).size(), 40u);
}

TEST(Launch, OfTemplatesThatNeverEnd) {
  const Names found =
      kernels_of(std::string(kKernel) +
                 "template <int N> void run(int* p) { k<int, N><<<1, 1>>>(p); run<N + 1>(p); }\n"
                 "int main() { run<0>(nullptr); }");
  EXPECT_FALSE(found.empty());
  EXPECT_LE(found.size(), 300u);
}

}  // namespace
}  // namespace quern::lang
