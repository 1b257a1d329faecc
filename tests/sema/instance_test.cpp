// Notes of errors in instances of templates: the arguments, and the call that requested each instance.
#include "sema_case.hpp"

namespace quern::lang {
namespace {

// "line: text" of each note of the first error.
std::vector<std::string> notes_of(const std::string& text, const CompileOptions& options = {}) {
  const Compilation c = compile("test.cu", text, options);
  std::vector<std::string> out;
  if (c.diagnostics.empty()) return {"no error"};
  for (const Diagnostic& note : c.diagnostics[0].notes) {
    const std::string line = note.loc ? std::to_string(c.sources->resolve(note.loc).line) : "-";
    out.push_back(line + ": " + note.message.str());
  }
  return out;
}

std::string from(int line, std::string_view name, std::string_view args) {
  return std::to_string(line) + ": " + message::kInInstantiationFrom(name, args).str();
}

using Notes = std::vector<std::string>;

TEST(Instance, AFunctionNamesItsArgumentAndTheCall) {
  EXPECT_EQ(notes_of("struct P {};\n"
                     "template <class T> __device__ T twice(T v) { return v + v; }\n"
                     "__global__ void k(P* p) {\n"
                     "  p[0] = twice(p[1]);\n"
                     "}\n"),
            Notes({from(4, "twice", "T = P")}));
}

TEST(Instance, AChainOfCallsIsListedFromTheInside) {
  EXPECT_EQ(notes_of("template <class T> __device__ int inner(T v) { return v.size; }\n"
                     "template <class T, int N> __device__ int outer(T v) {\n"
                     "  return inner(v) + N;\n"
                     "}\n"
                     "__global__ void k(int* p) { p[0] = outer<float, 3>(1.0f); }\n"),
            Notes({from(3, "inner", "T = float"), from(5, "outer", "T = float, N = 3")}));
}

TEST(Instance, AMemberFunctionNamesTheArgumentsOfItsClass) {
  EXPECT_EQ(notes_of("template <class T, int N> struct Box {\n"
                     "  T v;\n"
                     "  __device__ int get() { return v.missing; }\n"
                     "};\n"
                     "__global__ void k(int* p) { Box<int, 2> b{}; p[0] = b.get(); }\n"),
            Notes({from(5, "Box", "T = int, N = 2")}));
}

TEST(Instance, APack) {
  EXPECT_EQ(notes_of("template <class... Ts> __device__ int all(Ts... t) { return (int(t.bad) + ...); }\n"
                     "__global__ void k(int* p) { p[0] = all(1, 2.0f); }\n"),
            Notes({from(2, "all", "Ts = <int, float>")}));
}

TEST(Instance, AnAutoParameter) {
  EXPECT_EQ(notes_of("__device__ int f(auto v) { return v.bad; }\n"
                     "__global__ void k(int* p) { p[0] = f(1); }\n"),
            Notes({from(2, "f", "auto = int")}));
}

TEST(Instance, ALambdaInATemplate) {
  EXPECT_EQ(notes_of("template <class T> __device__ int f(T v) {\n"
                     "  auto g = [&](int i) { return v.bad + i; };\n"
                     "  return g(1);\n"
                     "}\n"
                     "__global__ void k(int* p) { p[0] = f(1); }\n"),
            Notes({from(5, "f", "T = int")}));
}

TEST(Instance, AKernelThatTheHostLaunches) {
  EXPECT_EQ(notes_of("template <class T> __global__ void k(T* p) { p[0] = T::none; }\n"
                     "void host() { k<int><<<1, 1>>>(nullptr); }\n"),
            Notes({from(2, "k", "T = int")}));
}

TEST(Instance, AKernelRequestedByName) {
  CompileOptions options;
  options.kernels = {"k<int>"};
  EXPECT_EQ(notes_of("template <class T> __global__ void k(T* p) { p[0] = T::none; }\n", options),
            Notes({"-: " + message::kInInstantiation("k", "T = int").str()}));
}

TEST(Instance, PlainFunctionsHaveNoNotes) {
  EXPECT_EQ(notes_of("__global__ void k(int* p) { p[0] = none; }\n"), Notes());
}

TEST(Instance, TheRenderedTextShowsTheCall) {
  const Compilation c = compile("test.cu",
                                "template <class T> __device__ int f(T v) { return v.bad; }\n"
                                "__global__ void k(int* p) { p[0] = f(1); }\n");
  EXPECT_NE(c.rendered.find("test.cu:2:36: note: in instantiation of 'f' with T = int, called from here"),
            std::string::npos)
      << c.rendered;
}

TEST(MissingHeader, TheHintNamesTheDirectory) {
  CompileOptions options;
  options.read_file = [](const std::string& path) -> base::Result<std::string> {
    if (path == "include/util.h") return std::string("__device__ int helper();");
    return base::Error(base::ErrorKind::not_found, "no such file");
  };
  const Compilation c = compile("src/a.cu",
                                "#include <iostream>\n#include \"util.h\"\n"
                                "__global__ void k(int* p) { p[0] = helper(); }\n",
                                options);
  ASSERT_EQ(c.diagnostics.size(), 1U);
  EXPECT_EQ(c.diagnostics[0].message.hint, message::kHeaderElsewhere("include", "util.h").text);
}

TEST(MissingHeader, WithoutAHitTheHintNamesTheHeader) {
  const Compilation c =
      compile("a.cu", "#include \"thrust/sort.h\"\n__global__ void k(int* p) { p[0] = helper(); }\n");
  ASSERT_EQ(c.diagnostics.size(), 1U);
  EXPECT_NE(c.diagnostics[0].message.hint.find("thrust is not available"), std::string::npos);
}

}  // namespace
}  // namespace quern::lang
