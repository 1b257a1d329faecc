#include <filesystem>
#include <fstream>

#include "api/api_case.hpp"

namespace quern::test {
namespace {

constexpr const char* kModuleText = R"(
struct Pair { int a; float b; };
__constant__ float factors[3] = {1, 2, 3};
__device__ int counter = 5;
__global__ void scale(int n, float by, float* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by * factors[i % 3];
  if (i == 0) atomicAdd(&counter, 1);
}
template <typename T, int N> __global__ void set(T* out) { *out = T(N); }
__global__ void take(Pair p, bool flag, unsigned char small, float* out) { out[0] = p.a + p.b + flag + small; }
)";

TEST(ReadOnlyMemory, IsNotWrittenByKernels) {
  const Device device = open("sim");
  const Kernel copy =
      device.compile("__global__ void copy(const int* from, int* to) { to[0] = from[0]; }").kernel("copy");
  auto from = device.upload(std::vector<int>{7}), to = device.upload(std::vector<int>{0});
  const Buffer<int>& fixed = to;
  const Error error = error_of([&] { device.launch(copy, grid(1, 1), from, fixed); });
  EXPECT_EQ(error.kind(), ErrorKind::invalid_use);
  EXPECT_EQ(
      error.message(),
      "launch of kernel 'copy' failed: argument 2 is read-only, but the kernel may write to parameter 'to'");
  EXPECT_EQ(error_of([&] { device.launch(copy, grid(1, 1), from, fixed.slice(0)); }).message(),
            error.message());
  const Buffer<int>& source = from;
  device.launch(copy, grid(1, 1), source, to);
  EXPECT_EQ(fixed.download(), std::vector<int>{7});
}

TEST(Modules, RunKernelsFromText) {
  const Device device = open("sim");
  const Module module = device.compile(kModuleText);
  EXPECT_EQ(module.kernels(), (std::vector<std::string>{"scale", "take", "set"}));
  const Kernel scale = module.kernel("scale");
  EXPECT_EQ(scale.name(), "scale");
  EXPECT_TRUE(scale);
  ASSERT_EQ(scale.parameters().size(), 3u);
  EXPECT_EQ(scale.parameters()[2].name, "data");
  EXPECT_EQ(scale.parameters()[2].type, "float*");
  EXPECT_TRUE(scale.parameters()[2].is_pointer);
  EXPECT_EQ(scale.parameters()[2].bytes, 4u);
  EXPECT_EQ(scale.max_threads(), 1024u);
  EXPECT_EQ(scale.shared_bytes(), 0u);
  auto data = device.upload(std::vector<float>(6, 1));
  device.launch(scale, threads(6), 6, 10, data);
  EXPECT_EQ(data.download(), (std::vector<float>{10, 20, 30, 10, 20, 30}));
}

// For servers that compile untrusted text.
TEST(Modules, IncludeNoFilesIfForbidden) {
  const std::string header = (std::filesystem::temp_directory_path() / "quern_secret.h").string();
  std::ofstream(header) << "__device__ int hidden() { return top_secret; /* note to self */ }\n";
  const std::string text = "#include \"" + header + "\"\n__global__ void k(int* x) { x[0] = hidden(); }";
  const Device device = open("sim");
  const std::string shown = error_of([&] { (void)device.compile(text); }).what();
  EXPECT_NE(shown.find("note to self"), std::string::npos) << shown;

  ModuleOptions quiet;
  quiet.quotes_includes = false;
  const std::string named = error_of([&] { (void)device.compile(text, quiet); }).what();
  EXPECT_NE(named.find("quern_secret.h:1:"), std::string::npos) << named;
  EXPECT_EQ(named.find("note to self"), std::string::npos) << named;

  ModuleOptions closed;
  closed.may_include = false;
  const std::string none = error_of([&] { (void)device.compile(text, closed); }).what();
  EXPECT_EQ(none.find("top_secret"), std::string::npos) << none;
  EXPECT_EQ(device.compile("#include <cuda_runtime.h>\n__global__ void k() {}", closed).kernels().size(), 1u);
  closed.source_kind = SourceKind::opencl_c;
  EXPECT_EQ(error_of([&] { (void)device.compile("kernel void k() {}", closed); }).kind(),
            ErrorKind::invalid_use);
  std::filesystem::remove(header);
}

TEST(Modules, HeadersAreRegularFiles) {
  const Device device = open("sim");
  try {
    (void)device.compile("#include \"/dev/zero\"\n__global__ void k() {}");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::compile);  // without reading 2 GiB
  }
}

TEST(Modules, InstantiateTemplatesByName) {
  const Device device = open("sim");
  const Module module = device.compile(kModuleText);
  auto out = device.allocate<double>(1);
  device.launch(module.kernel("set<double, 42>"), threads(1), out);
  EXPECT_EQ(out.download()[0], 42);
}

TEST(Modules, TakeStructsAndNumbersInTheirOwnTypes) {
  struct Pair {
    int a;
    float b;
  };
  const Device device = open("sim");
  const Kernel take = device.compile(kModuleText).kernel("take");
  auto out = device.allocate<float>(1);
  device.launch(take, threads(1), Pair{1, 0.5f}, true, 200, out);
  EXPECT_EQ(out.download()[0], 202.5f);
  EXPECT_EQ(message_of([&] { device.launch(take, threads(1), Pair{}, true, 256, out); }),
            "launch of kernel 'take' failed: argument 3 is 256, parameter 'small' is an unsigned char; the "
            "value does not fit");
  EXPECT_EQ(message_of([&] { device.launch(take, threads(1), Pair{}, true, 0.5, out); }),
            "launch of kernel 'take' failed: argument 3 is 0.5, parameter 'small' is an unsigned char; an "
            "integer is required");
  EXPECT_EQ(message_of([&] { device.launch(take, threads(1), out, true, 1, out); }),
            "launch of kernel 'take' failed: argument 1 is a buffer of float, parameter 'p' is a Pair");
  EXPECT_EQ(message_of([&] { device.launch(take, threads(1), Pair{}, true); }),
            "launch of kernel 'take' failed: it takes 4 arguments, got 2");
  auto doubles = device.allocate<double>(1);
  EXPECT_EQ(message_of([&] { device.launch(take, threads(1), Pair{}, true, 1, doubles); }),
            "launch of kernel 'take' failed: argument 4 is a buffer of double, parameter 'out' is a float*; "
            "its elements have 4 bytes, the buffer's have 8");
}

// Integers are not floats; signedness, halves, bytes and structs are not checked.
TEST(Modules, TypesOfElementsAreCompared) {
  struct Point {
    float x, y;
  };
  const Device device = open("sim");
  const Module module = device.compile(R"(
struct Point { float x, y; };
__global__ void take_floats(float* values) { values[0] = 1; }
__global__ void take_doubles(const double* values) {}
__global__ void take_ints(int* values) { values[0] = 1; }
__global__ void take_unsigned(const unsigned* values) {}
__global__ void take_halves(__half* values) {}
__global__ void take_flags(bool* values) {}
__global__ void take_points(Point* values) {}
__global__ void take_pixels(uchar4* values) {}
__global__ void take_anything(void* values) {}
)");
  const auto outcome = [&](const char* kernel, const Argument& buffer) -> std::string {
    const std::vector<Argument> list{buffer};
    try {
      device.stream().launch_list(module.kernel(kernel), threads(1), list);
      device.synchronize();
    } catch (const Error& e) {
      return e.message();
    }
    return "works";
  };
  auto ints = device.allocate<int>(8);
  auto floats = device.allocate<float>(8);
  auto bytes = device.allocate<std::byte>(64);
  auto unsigned_ints = device.allocate<unsigned>(8);
  auto halves = device.allocate<std::uint16_t>(8);
  auto small = device.allocate<unsigned char>(64);
  auto points = device.allocate<Point>(8);
  EXPECT_EQ(
      outcome("take_floats", ints),
      "launch of kernel 'take_floats' failed: argument 1 is a buffer of int, parameter 'values' is a float*");
  EXPECT_EQ(outcome("take_floats", unsigned_ints),
            "launch of kernel 'take_floats' failed: argument 1 is a buffer of unsigned int, parameter "
            "'values' is a float*");
  EXPECT_EQ(
      outcome("take_ints", floats),
      "launch of kernel 'take_ints' failed: argument 1 is a buffer of float, parameter 'values' is an int*");
  EXPECT_EQ(
      outcome("take_ints", floats.slice(1, 2)),
      "launch of kernel 'take_ints' failed: argument 1 is a buffer of float, parameter 'values' is an int*");
  EXPECT_EQ(outcome("take_doubles", device.allocate<std::int64_t>(8)),
            "launch of kernel 'take_doubles' failed: argument 1 is a buffer of long long, parameter 'values' "
            "is a const double*");
  EXPECT_EQ(error_of([&] { device.launch(module.kernel("take_floats"), threads(1), ints); }).hint(),
            "pass a buffer whose elements have the parameter's type");
  for (const auto& [kernel, buffer] :
       std::initializer_list<std::pair<const char*, Argument>>{{"take_floats", floats},
                                                               {"take_ints", ints},
                                                               {"take_unsigned", ints},
                                                               {"take_ints", unsigned_ints},
                                                               {"take_halves", halves},
                                                               {"take_flags", small},
                                                               {"take_points", points},
                                                               {"take_points", bytes},
                                                               {"take_points", small},
                                                               {"take_pixels", unsigned_ints},
                                                               {"take_anything", ints},
                                                               {"take_anything", bytes}}) {
    EXPECT_EQ(outcome(kernel, buffer), "works") << kernel;
  }
  // A graph checks them when it is recorded.
  EXPECT_EQ(
      message_of([&] {
        (void)device.record(
            [&](const Stream& s) { s.launch(module.kernel("take_floats"), threads(1), ints); });
      }),
      "launch of kernel 'take_floats' failed: argument 1 is a buffer of int, parameter 'values' is a float*");
}

TEST(Modules, ListsMadeAtRunTime) {
  const Device device = open("sim");
  const Kernel set = device.compile(kModuleText).kernel("set<int, 7>");
  auto out = device.allocate<int>(1);
  const std::vector<Argument> list{Argument(out)};
  device.stream().launch_list(set, threads(1), list);
  EXPECT_EQ(out.download()[0], 7);
}

TEST(Modules, VariablesAreSetAndRead) {
  const Device device = open("sim");
  const Module module = device.compile(kModuleText);
  const Kernel scale = module.kernel("scale");
  EXPECT_EQ(module.read<int>("counter"), 5);
  module.write("counter", 40);
  const std::vector<float> factors{7, 8};
  module.write("factors", std::span<const float>(factors), 1);
  auto data = device.upload(std::vector<float>(3, 1));
  device.launch(scale, threads(3), 3, 1, data);
  EXPECT_EQ(data.download(), (std::vector<float>{1, 7, 8}));
  EXPECT_EQ(module.read<int>("counter"), 41);
  std::vector<float> back(3);
  module.read("factors", std::span<float>(back));
  EXPECT_EQ(back, (std::vector<float>{1, 7, 8}));
  const Error unknown = error_of([&] { module.write("countr", 1); });
  EXPECT_EQ(unknown.message(), "there is no variable 'countr' in kernels.cu");
  EXPECT_EQ(unknown.hint(), "did you mean 'counter'?");
  EXPECT_EQ(message_of([&] { module.write("counter", 1.0); }),
            "variable 'counter' has 4 bytes, but 8 bytes at offset 0 were requested");
}

TEST(Modules, VariablesOfTemplatesComeWithAnInstance) {
  const Device device = open("sim");
  const Module module = device.compile(
      "__constant__ int step;\n"
      "template <class T> __global__ void shift(T* x) { x[threadIdx.x] += step; }\n");
  const Error early = error_of([&] { module.write("step", 3); });
  EXPECT_EQ(
      early.hint(),
      "a variable exists once a kernel that uses it is compiled; for a template, request the instance first");
  const Kernel shift = module.kernel("shift<int>");
  module.write("step", 3);
  auto data = device.upload(std::vector<int>(2, 1));
  device.launch(shift, threads(2), data);
  EXPECT_EQ(data.download(), (std::vector<int>{4, 4}));
}

TEST(Modules, UnknownKernelsAndMistakes) {
  const Device device = open("sim");
  const Module module = device.compile(kModuleText, {.name = "mine.cu"});
  const Error unknown = error_of([&] { (void)module.kernel("scal"); });
  EXPECT_EQ(unknown.message(), "there is no kernel 'scal' in mine.cu");
  EXPECT_EQ(unknown.hint(), "did you mean 'scale'?");
  EXPECT_EQ(unknown.kind(), ErrorKind::not_found);
  const Error wrong =
      error_of([&] { (void)device.compile("__global__ void k(int* p) { p[0] = nothing; }"); });
  EXPECT_EQ(wrong.kind(), ErrorKind::compile);
  EXPECT_NE(wrong.message().find("kernels.cu:1:36: error: 'nothing' is not declared in this scope"),
            std::string::npos)
      << wrong.message();
  EXPECT_EQ(message_of([&] { (void)device.compile("", {.source_kind = SourceKind::ptx}); }),
            "simulator (sim) does not support ptx code");
}

TEST(Modules, FromFilesWithDefines) {
  const std::string path = testing::TempDir() + "quern_module_test.cu";
  std::ofstream(path) << "__global__ void k(int* p) { *p = VALUE; }\n";
  const Device device = open("sim");
  const Module module = device.load(path, {.defines = {{"VALUE", "11"}}});
  auto out = device.allocate<int>(1);
  device.launch(module.kernel("k"), threads(1), out);
  EXPECT_EQ(out.download()[0], 11);
  EXPECT_EQ(error_of([&] { (void)device.load("/no/such/file.cu"); }).kind(), ErrorKind::not_found);
}

TEST(Modules, EmptyHandlesAreRefused) {
  EXPECT_EQ(message_of([] { (void)Module().kernels(); }),
            "using a module failed: it is empty (never loaded, or moved from)");
  EXPECT_EQ(message_of([] { (void)Kernel().name(); }),
            "using a kernel failed: it is empty (never loaded, or moved from)");
  EXPECT_FALSE(Kernel());
}

TEST(Modules, AreNotForNative) {
  const Device device = open("native");
  const Error error = error_of([&] { (void)device.compile(kModuleText); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_EQ(error.message(),
            "compiling 'kernels.cu' failed: " + device.name() + " (native) runs inline kernels only");
  EXPECT_NE(error.hint().find("LLVM"), std::string::npos);
}

TEST(Modules, BelongToTheirDevice) {
  const Device first = open("sim"), second = open("sim");
  const Kernel set = first.compile(kModuleText).kernel("set<int, 7>");
  const Error error = error_of([&] { second.launch(set, threads(1), second.allocate<int>(1)); });
  EXPECT_EQ(error.message(),
            "launch of kernel 'set<int, 7>' failed: it was loaded on simulator (sim), and the stream belongs "
            "to simulator (sim), opened another time");
  EXPECT_EQ(error.hint(), "load the module on this device too");
}

}  // namespace
}  // namespace quern::test
