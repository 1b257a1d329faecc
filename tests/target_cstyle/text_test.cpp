// The appearance of emitted text: the user's names, no needless variables, plain control flow, and exact
// semantics where C has none.
#include <gtest/gtest.h>

#include "lang/expand/messages.hpp"
#include "target/messages.hpp"
#include "target_cstyle/emitted.hpp"

namespace quern::test {
namespace {

namespace message = target::message;

std::string refused(int line, const base::MessageText& why) {
  return message::kRefused("k", why.str(), " (test.cu:" + std::to_string(line) + ")").text;
}

using driver::CodeKind;
using driver::Feature;

std::string text_of(std::string_view program, CodeKind kind = CodeKind::kOpenclC) {
  auto code = emit(program, options_for(kind));
  return code.ok() ? code->bytes : "refused: " + code.error().message();
}

std::string refusal(std::string_view program, const target::Options& options) {
  auto code = emit(program, options);
  return code.ok() ? "not refused" : code.error().message();
}

::testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in\n" << text;
}

::testing::AssertionResult lacks(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is in\n" << text;
}

constexpr std::string_view kSaxpy =
    "__global__ void saxpy(int n, float a, const float* x, float* y) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

TEST(CStyleText, SaxpyInOpenclC) {
  EXPECT_TRUE(
      has(text_of(kSaxpy),
          "__kernel void saxpy(int n, float a, __global const float* x, __global float* y) {\n"
          "  const int i = (int)((uint)get_group_id(0) * (uint)get_local_size(0) + (uint)get_local_id(0));\n"
          "  if (i < n) {\n"
          "    y[i] = a * x[i] + y[i];\n"
          "  }\n"
          "}\n"));
}

TEST(CStyleText, OffsetsOfBufferObjectsHaveTheirOwnNames) {
  target::Options options = options_for(CodeKind::kOpenclC);
  options.features.remove(Feature::addresses);
  const std::string text = emit(
                               "__global__ void k(int* x, int n) { int x_offset = n + 1; int x_base = n * 2; "
                               "x[x_offset] = x_base; }",
                               options)
                               ->bytes;
  EXPECT_TRUE(lacks(text, "int x_offset")) << text;
  EXPECT_TRUE(lacks(text, "int x_base")) << text;
}

// Variables are parameters of every kernel, and a kernel that does not use double runs without it.
TEST(CStyleText, VariablesOfDoubleWhereThereIsNone) {
  constexpr std::string_view kProgram =
      "struct Both { int count; double sum; };\n"
      "__device__ double planes[4];\n"
      "__device__ Both both;\n"
      "__global__ void k(int* out) { out[0] = both.count; }\n";
  target::Options options = options_for(CodeKind::kOpenclC);
  EXPECT_TRUE(has(emit(kProgram, options)->bytes, "double sum;"));
  options.features.remove(Feature::fp64);
  EXPECT_TRUE(lacks(emit(kProgram, options)->bytes, "double"));
  EXPECT_TRUE(has(emit(kProgram, options)->bytes, "ulong sum;"));
}

TEST(CStyleText, SignedNumbersWrapUnlessAProgramSaysThatNoneDoes) {
  constexpr std::string_view kSum =
      "__global__ void sum(int n, const float* x, float* y) {\n"
      "  for (int i = threadIdx.x; i < n; i += 32) y[i] = x[n + i];\n"
      "}\n";
  target::Options options = options_for(CodeKind::kCudaCpp);
  EXPECT_TRUE(has(emit(kSum, options)->bytes, "i = (int)((unsigned int)i + 32u)"));
  options.math = driver::Math::fused;
  EXPECT_TRUE(has(emit(kSum, options)->bytes, "i = i + 32)"));
  EXPECT_TRUE(has(emit(kSum, options)->bytes, "x[n + i]"));
  options.kind = CodeKind::kOpenclC;
  EXPECT_TRUE(lacks(emit(kSum, options)->bytes, "x[n + i]"));
}

// A compiler cannot unroll without a hint: the counter may wrap.
TEST(CStyleText, CudaReceivesTheNumberOfIterations) {
  const auto loop = [](const std::string& head, const char* body = "y[i] = i;") {
    return "__global__ void k(int n, long long m, unsigned u, int* y) { " + head + " { " + body + " } }";
  };
  const auto counts = [](const std::string& program, CodeKind kind = CodeKind::kCudaCpp) {
    return emit(program, options_for(kind))->bytes.find("--rounds") != std::string::npos;
  };
  const std::string text =
      emit(loop("for (int i = threadIdx.x; i < n; i += 32)"), options_for(CodeKind::kCudaCpp))->bytes;
  EXPECT_TRUE(has(text,
                  "  for (int i = (int)threadIdx.x; i < n;) {\n    for (unsigned int rounds = "
                  "((unsigned int)n - (unsigned int)i - 1u) / 32u + 1u; rounds != 0u; --rounds, "
                  "i = (int)((unsigned int)i + 32u)) {\n"));
  EXPECT_TRUE(counts(loop("for (int i = 0; i <= n; i += 2)")));
  EXPECT_TRUE(counts(loop("for (long long i = 0; i < m; i += 8)")));
  EXPECT_TRUE(counts(loop("for (int i = 0; i < n; i += 2)"), CodeKind::kHipCpp));
  EXPECT_FALSE(counts(loop("for (int i = 0; i < n; i += 2)"), CodeKind::kOpenclC));
  EXPECT_FALSE(counts(loop("for (int i = 0; i < n; ++i)")));          // cannot wrap
  EXPECT_FALSE(counts(loop("for (int i = 0; i < 96; i += 2)")));      // known without a hint
  EXPECT_FALSE(counts(loop("for (unsigned i = 0; i < u; i += 2)")));  // CUDA's own also wrap
  EXPECT_FALSE(counts(loop("for (int i = 0; i < n; i += 2)", "if (y[i]) break;")));
  EXPECT_FALSE(counts(loop("for (int i = 0; i < n; i += 2)", "i += y[i];")));
  EXPECT_FALSE(counts(loop("for (int i = 0; i < n; i += 2)", "--n; y[i] = 1;")));
  EXPECT_FALSE(counts(loop("for (int i = 0; i < y[7]; i += 2)")));
}

TEST(CStyleText, CudaReceivesTheUnrollPragmas) {
  const auto text = [](const std::string& mark) {
    return emit(
               "__global__ void k(int n, int* y) {\n" + mark + "\nfor (int i = 0; i < n; i += 4) y[i] = i; }",
               options_for(CodeKind::kCudaCpp))
        ->bytes;
  };
  EXPECT_TRUE(has(text("#pragma unroll 1"), "#pragma unroll 1\n  for (int i = 0; i < n; i = "));
  EXPECT_TRUE(has(text("#pragma unroll 8"), "#pragma unroll 8\n    for (unsigned int rounds = "));
  EXPECT_TRUE(has(text("#pragma unroll"), "#pragma unroll\n    for (unsigned int rounds = "));
  EXPECT_TRUE(lacks(text(""), "#pragma"));
}

TEST(CStyleText, CopiesToSharedMemoryAreAsynchronousWhereTheDeviceHasThem) {
  constexpr std::string_view kCopies =
      "__global__ void k(const float4* in, float* out) {\n"
      "  __shared__ float4 tile[2][32];\n"
      "  for (int i = 0; i < 2; ++i) {\n"
      "    __pipeline_memcpy_async(&tile[i][threadIdx.x], in + 32 * i + threadIdx.x, 16);\n"
      "    __pipeline_commit();\n"
      "  }\n"
      "  __pipeline_wait_prior(1);\n"
      "  out[threadIdx.x] = tile[0][threadIdx.x].x;\n"
      "}\n";
  target::Options options = options_for(CodeKind::kCudaCpp);
  options.version = "sm_90";
  const std::string text = emit(kCopies, options)->bytes;
  EXPECT_TRUE(has(text, "cp.async.cg.shared.global [%0], [%1], 16;"));
  EXPECT_TRUE(has(text, "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");"));
  EXPECT_TRUE(has(text, "asm volatile(\"cp.async.wait_group 1;\" ::: \"memory\");"));
  options.version = "sm_75";
  EXPECT_TRUE(lacks(emit(kCopies, options)->bytes, "cp.async"));
  for (const CodeKind kind : {CodeKind::kHipCpp, CodeKind::kOpenclC}) {
    EXPECT_TRUE(lacks(text_of(kCopies, kind), "async"));
    EXPECT_TRUE(lacks(text_of(kCopies, kind), "refused"));
  }
}

TEST(CStyleText, InlinePtxIsKeptWhereTheDeviceHasIt) {
  constexpr std::string_view kRows =
      "__global__ void k(unsigned* out) {\n"
      "  __shared__ __align__(16) unsigned tile[32];\n"
      "  tile[threadIdx.x] = threadIdx.x;\n"
      "  __syncthreads();\n"
      "  unsigned a, b;\n"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\" : \"=r\"(a), \"=r\"(b)\n"
      "               : \"r\"((unsigned)__cvta_generic_to_shared(tile + threadIdx.x % 8 * 4)) : "
      "\"memory\");\n"
      "  out[threadIdx.x] = a + b;\n"
      "}\n";
  target::Options options = options_for(CodeKind::kCudaCpp);
  options.version = "sm_80";
  const std::string text = emit(kRows, options)->bytes;
  EXPECT_TRUE(
      has(text, "asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\" : \"=r\"("));
  EXPECT_TRUE(has(text, ": \"memory\");"));
  EXPECT_TRUE(has(text, "__cvta_generic_to_shared"));
  options.version = "sm_75";
  EXPECT_TRUE(lacks(emit(kRows, options)->bytes, "ldmatrix"));
  for (const CodeKind kind : {CodeKind::kHipCpp, CodeKind::kOpenclC}) {
    EXPECT_TRUE(lacks(text_of(kRows, kind), "ldmatrix"));
    EXPECT_TRUE(lacks(text_of(kRows, kind), "refused"));
  }
}

TEST(CStyleText, PtxOfNvidiaDevicesIsRefusedElsewhere) {
  constexpr std::string_view kFence =
      "__global__ void k(int* out) {\n  asm volatile(\"fence.proxy.async;\");\n}\n";
  EXPECT_TRUE(has(text_of(kFence, CodeKind::kCudaCpp), "asm volatile(\"fence.proxy.async;\" :  : );"));
  for (const CodeKind kind : {CodeKind::kHipCpp, CodeKind::kOpenclC, CodeKind::kGlsl, CodeKind::kMsl}) {
    EXPECT_TRUE(has(text_of(kFence, kind),
                    "uses the PTX instruction 'fence.proxy.async', which only NVIDIA devices have"));
  }
}

TEST(CStyleText, FunctionsOfCudaPtxAreInlinePtx) {
  constexpr std::string_view kCopy =
      "#include <cuda/ptx>\n"
      "namespace ptx = cuda::ptx;\n"
      "__global__ void k(const float* in, float* out) {\n"
      "  __shared__ alignas(128) float tile[32];\n"
      "  __shared__ uint64_t bar;\n"
      "  ptx::mbarrier_init(&bar, 1);\n"
      "  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 128u, &bar);\n"
      "  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 128u);\n"
      "  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {\n"
      "  }\n"
      "  out[threadIdx.x] = tile[threadIdx.x];\n"
      "}\n";
  target::Options options = options_for(CodeKind::kCudaCpp);
  options.version = "sm_90";
  const std::string text = emit(kCopy, options)->bytes;
  EXPECT_TRUE(
      has(text,
          "asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
          "%2, [%3];\""));
  EXPECT_TRUE(has(text, "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"));
  EXPECT_TRUE(has(text, "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"));
  for (const CodeKind kind : {CodeKind::kHipCpp, CodeKind::kOpenclC, CodeKind::kGlsl}) {
    EXPECT_TRUE(has(text_of(kCopy, kind), "uses the PTX instruction 'cp.async.bulk"));
  }
}

TEST(CStyleText, CountersBelowTheirBoundAreIncremented) {
  const std::string text = text_of(
      "__global__ void k(int n, int* out) { for (int i = 0; i < n; ++i) out[i] = i; }", CodeKind::kCudaCpp);
  EXPECT_TRUE(has(text, "for (int i = 0; i < n; ++i)"));
  const std::string changed = text_of(
      "__global__ void k(int n, int* out) { for (int i = 0; i < n; ++i) if (out[i] == 3) i = out[0]; }",
      CodeKind::kCudaCpp);
  EXPECT_TRUE(lacks(changed, "++i"));
}

TEST(CStyleText, NamesThatBeginAsOursDoGetAnotherBeginning) {
  const std::string text = text_of(
      "__global__ void quern_k(int* gl_x) { int quern_y = gl_x[0]; gl_x[1] = quern_y; gl_x[0] = quern_y; }");
  EXPECT_TRUE(has(text, "my_quern_k(__global int* my_gl_x)"));
  EXPECT_TRUE(has(text, "const int my_quern_y = *my_gl_x;"));
}

TEST(CStyleText, PointersInParametersPointIntoDeviceMemory) {
  const std::string text = text_of(
      "struct Two { float* a; float* b; };\n"
      "__global__ void copy(Two two) { if (two.a[0] > 1.0f) two.a[1] = two.b[threadIdx.x]; }");
  EXPECT_TRUE(has(text, "(__global uchar*)two.a"));
  EXPECT_TRUE(has(text, "(__global uchar*)two.b"));
}

TEST(CStyleText, SaxpyInCuda) {
  EXPECT_TRUE(has(text_of(kSaxpy, CodeKind::kCudaCpp),
                  "extern \"C\" __global__ void saxpy(int n, float a, const float* x, float* y) {\n"
                  "  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n"
                  "  if (i < n) {\n"
                  "    y[i] = a * x[i] + y[i];\n"
                  "  }\n"
                  "}\n"));
}

TEST(CStyleText, CudaHasApproximateDivisionsAndReciprocalsAndConversionsToBfloat16) {
  const std::string text = text_of(
      "#include <cuda_bf16.h>\n"
      "__global__ void k(float a, float b, float* out, __nv_bfloat16* half) {\n"
      "  out[0] = __fdividef(a, b);\n"
      "  asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(out[1]) : \"f\"(a));\n"
      "  *half = __float2bfloat16(b);\n"
      "}",
      CodeKind::kCudaCpp);
  EXPECT_TRUE(has(text, "__fdividef(a, b)")) << text;
  EXPECT_TRUE(has(text, "rcp.approx.ftz.f32 %0, %1;")) << text;
  EXPECT_TRUE(has(text, "cvt.rn.bf16.f32 %0, %1;")) << text;
}

TEST(CStyleText, LaunchBoundsAreKept) {
  EXPECT_TRUE(
      has(text_of("__global__ void __launch_bounds__(128, 2) k(int* a) { *a = 1; }", CodeKind::kCudaCpp),
          "__launch_bounds__(128, 2) k("));
  EXPECT_TRUE(has(text_of("__global__ void __launch_bounds__(128) k(int* a) { *a = 1; }", CodeKind::kCudaCpp),
                  "__launch_bounds__(128) k("));
  EXPECT_TRUE(
      has(text_of("__global__ void __launch_bounds__(128, 2) k(int* a) { *a = 1; }", CodeKind::kHipCpp),
          "__launch_bounds__(128) k("));
}

TEST(CStyleText, SaxpyInMetal) {
  EXPECT_TRUE(has(text_of(kSaxpy, CodeKind::kMsl),
                  "struct saxpy_arguments {\n  int n;\n  float a;\n  uint x_offset;\n  uint y_offset;\n};\n"
                  "kernel void saxpy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], "
                  "constant saxpy_arguments& args [[buffer(2)]], "
                  "uint3 threadIdx [[thread_position_in_threadgroup]], "
                  "uint3 blockIdx [[threadgroup_position_in_grid]], "
                  "uint3 blockDim [[threads_per_threadgroup]]) {\n"
                  "  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n"
                  "  if (i < args.n) {\n"
                  "    y[i] = args.a * x[i] + y[i];\n"));
}

TEST(CStyleText, DoublesAreBitsWhereTheLanguageLacksThem) {
  for (const CodeKind kind : {CodeKind::kMsl, CodeKind::kGlslEs}) {
    auto code = emit("__global__ void k(double* a) { a[0] = a[1] * a[2]; }", options_for(kind));
    ASSERT_TRUE(code.ok()) << code.error().to_string();
    EXPECT_TRUE(has(code->bytes, "soft_mul(")) << code->bytes;
    EXPECT_FALSE(has(code->bytes, "double")) << code->bytes;
  }
}

TEST(CStyleText, MetalRefusesWhatItHasNot) {
  const target::Options options = options_for(CodeKind::kMsl);
  EXPECT_EQ(refusal("__global__ void k(double* x) {\n  atomicAdd(x, 1.0);\n}", options),
            refused(2, message::kAtomicBitsOnMetal("64")));
  EXPECT_EQ(refusal("__global__ void k(unsigned long long* x) { atomicMax(x, 1ull); }", options),
            refused(1, message::kAtomicBitsOnMetal("64")));
  EXPECT_EQ(refusal("__global__ void k(int* x) {\n  x[0] = clock();\n}", options),
            refused(2, message::kReadsClock()));
}

TEST(CStyleText, MetalHasFencesFromVersion32On) {
  constexpr std::string_view kFenced = "__global__ void k(int* x) { x[0] = 1; __threadfence(); x[1] = 2; }";
  target::Options options = options_for(CodeKind::kMsl);
  const std::string text = text_of(kFenced, CodeKind::kMsl);
  EXPECT_TRUE(has(text, "// Metal 3.2 or newer."));
  EXPECT_TRUE(has(text, "coherent(device) device int* x"));
  EXPECT_TRUE(has(text, "thread_scope_device"));
  options.version = "3.1";
  EXPECT_EQ(refusal(kFenced, options), refused(1, message::kFenceNeedsMetal32()));
}

TEST(CStyleText, MatricesOfHalfAreSimdgroupMatrices) {
  const auto product = [](const std::string& type, const std::string& sum, const std::string& k,
                          const std::string& more) {
    return "#include <mma.h>\n#include <cuda_bf16.h>\nusing namespace nvcuda;\n"
           "__global__ void k(const __half* a, const __half* b, " +
           sum +
           "* c, int* n) {\n"
           "  wmma::fragment<wmma::matrix_a, 16, 16, " +
           k + ", " + type +
           ", wmma::row_major> fa;\n"
           "  wmma::fragment<wmma::matrix_b, 16, 16, " +
           k + ", " + type +
           ", wmma::col_major> fb;\n"
           "  wmma::fragment<wmma::accumulator, 16, 16, " +
           k + ", " + sum +
           "> fc;\n"
           "  wmma::fill_fragment(fc, (" +
           sum +
           ")1);\n"
           "  wmma::load_matrix_sync(fa, (const wmma::fragment<wmma::matrix_a, 16, 16, " +
           k + ", " + type +
           ", wmma::row_major>::__stored*)a, 16);\n"
           "  wmma::load_matrix_sync(fb, (const wmma::fragment<wmma::matrix_a, 16, 16, " +
           k + ", " + type +
           ", wmma::row_major>::__stored*)b, 16);\n"
           "  wmma::mma_sync(fc, fa, fb, fc);\n" +
           more + "  wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);\n}\n";
  };
  const std::string text = text_of(product("__half", "float", "16", "  fc.x[3] *= 2;\n"), CodeKind::kMsl);
  EXPECT_TRUE(has(text, "quern_matrix<half, 16, 16> fa;"));
  EXPECT_TRUE(has(text, "quern_matrix<float, 16, 16> fc;"));
  EXPECT_TRUE(has(text, "quern_matrix_load(fb, (const device half*)b, 16u, true);"));
  EXPECT_TRUE(has(text, "fc.tile[1].thread_elements()[1] = fc.tile[1].thread_elements()[1] * 2.0f;"));
  EXPECT_TRUE(has(text, "quern_matrix_store((device float*)c, fc, 16u, true);"));
  EXPECT_TRUE(
      has(text_of(product("__half", "__half", "16", ""), CodeKind::kMsl), "quern_matrix<half, 16, 16> fc;"));
  // Types that simdgroup_matrix lacks, fences of the device, and divergent threads.
  EXPECT_TRUE(lacks(text_of(product("__nv_bfloat16", "float", "16", ""), CodeKind::kMsl), "quern_matrix<"));
  EXPECT_TRUE(
      lacks(text_of(product("wmma::precision::tf32", "float", "8", ""), CodeKind::kMsl), "quern_matrix<"));
  EXPECT_TRUE(lacks(text_of(product("__half", "float", "16", "  __threadfence();\n"), CodeKind::kMsl),
                    "quern_matrix<"));
  EXPECT_TRUE(lacks(
      text_of(product("__half", "float", "16", "  if (n[threadIdx.x] > 0) wmma::mma_sync(fc, fa, fb, fc);\n"),
              CodeKind::kMsl),
      "quern_matrix<"));
}

TEST(CStyleText, AFunctionOfWhatIsTheSameForAllIsTheSameForAll) {
  EXPECT_TRUE(has(text_of("__global__ void k(float n, float* x) {\n"
                          "  for (float i = 0; i < expf(n); ++i) { x[threadIdx.x] += i; __syncthreads(); }\n"
                          "}",
                          CodeKind::kMsl),
                  "threadgroup_barrier"));
}

TEST(CStyleText, ContractionIsOff) {
  EXPECT_TRUE(has(text_of(kSaxpy), "#pragma OPENCL FP_CONTRACT OFF"));
  EXPECT_TRUE(has(text_of(kSaxpy, CodeKind::kCudaCpp), "--fmad=false"));
}

TEST(CStyleText, LineMarksNameTheUsersFile) {
  target::Options options = options_for(CodeKind::kOpenclC);
  options.line_marks = true;
  auto code = emit(kSaxpy, options);
  ASSERT_TRUE(code.ok());
  EXPECT_TRUE(has(code->bytes, "#line 3 \"test.cu\"\n    y[i]"));
  EXPECT_TRUE(lacks(text_of(kSaxpy), "#line"));
}

TEST(CStyleText, AValueThatIsOverwrittenKeepsItsVariable) {
  const std::string text =
      text_of("__global__ void swap(int* a) { int first = a[0]; a[0] = a[1]; a[1] = first; }");
  EXPECT_TRUE(has(text, "const int first = *a;\n  *a = a[1];\n  a[1] = first;"));
}

TEST(CStyleText, AVariableThatChangesIsCopiedBeforeItDoes) {
  const std::string text = text_of(
      "__global__ void k(int* a, int n) { int s = 0; for (int i = 0; i < n; ++i) { int old = s; s += a[i]; "
      "a[i] = old; } }");
  EXPECT_TRUE(has(text, "const int old = s;"));
  EXPECT_TRUE(has(text, "for (int i = 0; i < n; i = (int)((uint)i + 1u)) {"));
}

TEST(CStyleText, ReservedNamesGetANumber) {
  const std::string text = text_of("__global__ void kernel(float* half, int global) { half[global] = 1; }");
  EXPECT_TRUE(has(text, "__kernel void kernel_1(__global float* half_1, int global_1)"));
}

TEST(CStyleText, InstancesAreWords) {
  auto code = emit(
      "template <typename T, int N> __global__ void scan(T* a) { a[N] = N; }\n"
      "void f(float* a) { scan<float, 256><<<1, 1>>>(a); }",
      options_for(CodeKind::kOpenclC));
  ASSERT_TRUE(code.ok());
  ASSERT_EQ(code->kernels.size(), 1u);
  EXPECT_EQ(code->kernels[0].entry, "scan_float_256");
}

TEST(CStyleText, SignedOverflowWraps) {
  EXPECT_TRUE(has(text_of("__global__ void k(int* a, int b) { a[0] = a[1] * b - 3; }"),
                  "*a = (int)((uint)a[1] * (uint)b - 3u);"));
  EXPECT_TRUE(has(text_of("__global__ void k(unsigned* a, unsigned b) { a[0] = a[1] * b - 3; }"),
                  "*a = a[1] * b - 3u;"));
}

TEST(CStyleText, DivisionByAVariableIsGuarded) {
  EXPECT_TRUE(
      has(text_of("__global__ void k(int* a, int b) { a[0] = a[1] / b; }"), "quern_sdiv_i32(a[1], b)"));
  EXPECT_TRUE(has(text_of("__global__ void k(int* a) { a[0] = a[1] / 7; }"), "a[1] / 7"));
}

TEST(CStyleText, ShiftsCountModuloTheWidth) {
  EXPECT_TRUE(
      has(text_of("__global__ void k(unsigned* a, unsigned n) { a[0] = a[1] >> n; }"), "a[1] >> (n & 31u)"));
}

TEST(CStyleText, ConversionsSaturate) {
  const std::string text = text_of("__global__ void k(int* a, float x) { a[0] = x; }");
  EXPECT_TRUE(has(text, "if (x >= 2147483648.0f) return 2147483647;"));
  EXPECT_TRUE(has(text, "quern_to_int_i32_f32(x)"));
}

TEST(CStyleText, StructsKeepTheirLayout) {
  const std::string text = text_of(
      "struct alignas(16) P { float x; bool on; double t; float* next; };\n"
      "__global__ void k(P* p) { if (p->on) p->next = &p->x; }");
  EXPECT_TRUE(has(text,
                  "typedef struct __attribute__((aligned(16))) P {\n  float x;\n  uchar on;\n  double t;\n  "
                  "ulong next;\n} P;"));
  EXPECT_TRUE(has(text, "p->on != 0"));
}

TEST(CStyleText, AnAccessOfAnotherTypeIsACast) {
  EXPECT_TRUE(has(text_of("__global__ void k(float* a, int* b) { b[0] = *reinterpret_cast<int*>(a + 3); }"),
                  "*(__global int_any*)&a[3]"));
}

TEST(CStyleText, VariablesAndDynamicSharedAreHiddenParameters) {
  const std::string text = text_of(
      "__constant__ float c[4]; __device__ int d;\n"
      "__global__ void k(float* a) { extern __shared__ float s[]; s[threadIdx.x] = c[1]; a[0] = s[0] + d; }");
  EXPECT_TRUE(has(text,
                  "__kernel void k(__global float* a, __constant float* c, __global int* d, "
                  "__local uint4* quern_shared_base, uint quern_shared_bytes)"));
}

// Bulk copies and matrix descriptors depend on it.
TEST(CStyleText, DynamicSharedMemoryHasTheRequestedAlignment) {
  const auto code = emit(
      "__global__ void k(float* a) { extern __shared__ __align__(128) char s[]; a[0] = s[threadIdx.x]; }",
      options_for(CodeKind::kCudaCpp));
  ASSERT_TRUE(code.ok()) << code.error().to_string();
  EXPECT_TRUE(
      has(code->bytes, "extern __shared__ __attribute__((aligned(128))) unsigned char quern_shared[];"));
}

TEST(CStyleText, WithoutAddressesPointersHaveOffsets) {
  target::Options options = options_for(CodeKind::kOpenclC);
  options.features.remove(Feature::addresses);
  auto code = emit("__global__ void k(float* a, int n) { a[n] = 1; }", options);
  ASSERT_TRUE(code.ok());
  EXPECT_TRUE(has(code->bytes, "__kernel void k(__global float* a_base, int n, ulong a_offset)"));
  EXPECT_TRUE(has(code->bytes, "__global float* a = (__global float*)((__global uchar*)a_base + a_offset);"));
}

TEST(CStyleText, ReportsTellTheirPlace) {
  auto code = emit("__global__ void k(int n) {\n  assert(n > 0);\n  printf(\"%d %s\\n\", n, \"yes\");\n}",
                   options_for(CodeKind::kOpenclC));
  ASSERT_TRUE(code.ok()) << code.error().to_string();
  ASSERT_EQ(code->sites.size(), 2u);
  EXPECT_EQ(code->sites[0].kind, driver::ReportKind::kAssert);
  EXPECT_EQ(code->sites[0].line, 2u);
  EXPECT_EQ(code->sites[1].text, "%d %s\n");
  ASSERT_EQ(code->sites[1].arguments.size(), 2u);
  EXPECT_EQ(code->sites[1].arguments[1].text, "yes");
}

TEST(CStyleText, CudasPrintfKnowsFewerFormats) {
  EXPECT_TRUE(has(
      text_of("__global__ void k(int a) { printf(\"%hhd %hu [%*.1f] %zu 5%%\\n\", a, a, 6, 1.5, sizeof a); }",
              CodeKind::kCudaCpp),
      "printf(\"%d %u [%6.1f] %llu 5%%\\n\", (int)(signed char)a, (int)(unsigned short)a, (double)1.5, "
      "4ULL);"));
  EXPECT_EQ(text_of("__global__ void k(int a) { printf(\"%*d\", a, a); }", CodeKind::kCudaCpp),
            "refused: kernel 'k' prints with a width that is an argument ('*'), which CUDA's printf does not "
            "support "
            "(test.cu:1)");
}

TEST(CStyleText, AssertIsCudasOwn) {
  EXPECT_TRUE(has(text_of("__global__ void k(int a) {\n  assert(a > 0);\n}", CodeKind::kCudaCpp),
                  "__assertfail(\"a > 0\", \"test.cu\", 2u, \"k\", 1);"));
}

TEST(CStyleText, SeveralLevelsAreLeftOneByOne) {
  const std::string text = text_of(
      "__global__ void k(int* a, int n) {\n"
      "  for (int i = 0; i < n; ++i)\n"
      "    switch (a[i]) { case 1: continue; case 2: a[0] = i; return; default: a[i] = 5; }\n"
      "}");
  EXPECT_TRUE(lacks(text, "goto"));
  EXPECT_TRUE(has(text, "switch (a[i]) {"));
}

TEST(GlslText, Saxpy) {
  const std::string text = text_of(kSaxpy, CodeKind::kGlsl);
  EXPECT_TRUE(has(text, "layout(std430, binding = 0) readonly buffer x_buffer {\n  float x[];\n};"));
  EXPECT_TRUE(has(text,
                  "  if (i < n) {\n"
                  "    precise float t = a * x[x_at + uint(i)] + y[y_at + uint(i)];\n"
                  "    y[y_at + uint(i)] = t;\n"
                  "  }\n"));
}

TEST(GlslText, BytesAreCutOutOfWords) {
  const std::string text = text_of("__global__ void k(char* a) { a[1] = a[2]; }", CodeKind::kGlslEs);
  EXPECT_TRUE(has(text, "uint a[];"));
  EXPECT_TRUE(
      has(text, "quern_put8_a(a_offset + 1u, quern_cast_u8(quern_cast_i8(quern_get8_a(a_offset + 2u))));"));
}

TEST(GlslText, TheRemainderOfNegativeNumbersIsOurs) {
  EXPECT_TRUE(has(text_of("__global__ void k(int* a) { a[0] = a[1] % 7; }", CodeKind::kGlsl),
                  "quern_srem_i32(a[a_at + 1u], 7)"));
}

TEST(GlslText, ZeroTimesANumberKeepsItsSign) {
  EXPECT_TRUE(has(text_of("__global__ void k(float* a) { a[0] = a[1] * 0.0f; }", CodeKind::kGlslEs),
                  "quern_times_zero_f32(a[a_at + 1u])"));
}

TEST(GlslText, SeveralKernelsAreSelectedByName) {
  auto code = emit("__global__ void f(int* a) { a[0] = 1; }\n__global__ void g(int* a) { a[0] = 2; }",
                   options_for(CodeKind::kGlsl));
  ASSERT_TRUE(code.ok());
  EXPECT_TRUE(has(code->bytes, "#ifdef " + code->kernels[1].entry + "\n"));
}

// Compilers inline every call: each function of the double library is called in one place.
TEST(GlslText, LongFunctionsOnDoublesCallEachOperationOnce) {
  auto code = emit("__global__ void k(double* a) { a[0] = exp(a[1]); }", options_for(CodeKind::kGlslEs));
  ASSERT_TRUE(code.ok()) << code.error().message();
  const auto count = [&](std::string_view call) {
    size_t n = 0;
    for (size_t at = code->bytes.find(call); at != std::string::npos; at = code->bytes.find(call, at + 1))
      ++n;
    return n;
  };
  EXPECT_LE(count("soft_mul("), 4u) << "declared, defined and called in the function and in the kernel";
}

TEST(GlslText, CommutingWideAtomicsAreSplitInEs) {
  auto code = emit("__global__ void k(unsigned long long* a) { atomicAdd(a, 5ull); }",
                   options_for(CodeKind::kGlslEs));
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_TRUE(has(code->bytes, "atomicAdd(")) << code->bytes;
}

TEST(GlslRefusal, WhatEsDoesNotHave) {
  EXPECT_EQ(refusal("__global__ void k(double* a) { atomicAdd(a, 2.0); }", options_for(CodeKind::kGlslEs)),
            refused(1, expand::message::kWideAtomicUnsupported()));
}

TEST(GlslRefusal, PointersInMemory) {
  EXPECT_TRUE(has(refusal("__global__ void k(int** a) { *a[0] = 1; }", options_for(CodeKind::kGlsl)),
                  "kernel 'k' cannot be expressed without pointers: "));
}

TEST(CStyleText, DivergentWarpsAreGathered) {
  auto code =
      emit("__global__ void k(int* a) {\n  if (threadIdx.x < 5)\n    a[0] = __ballot_sync(31, a[1]);\n}",
           options_for(CodeKind::kOpenclC));
  ASSERT_TRUE(code.ok()) << code.error().to_string();
  EXPECT_TRUE(has(code->bytes, "quern_ballot("));
}

// A numeric suffix would change nothing: such names once kept the emitter in an endless loop.
TEST(CStyleText, NamesThatBeginLikeOurs) {
  auto code = emit(
      "__global__ void k(int n, int* gl_out) {\n  int quern_x = n;\n"
      "  while (quern_x > 9) quern_x /= 2;\n  gl_out[0] = quern_x;\n}",
      options_for(CodeKind::kGlsl));
  ASSERT_TRUE(code.ok()) << code.error().to_string();
  EXPECT_TRUE(has(code->bytes, "my_quern_x"));
  EXPECT_TRUE(has(code->bytes, "my_gl_out"));
}

// 64-bit integers are two words; of an index only the lower one remains.
TEST(GlslText, WideIntegersAreWords) {
  auto code = emit(
      "__global__ void k(long long* a, unsigned long long n) {\n"
      "  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;\n"
      "  if (i < n) a[i] += 5;\n}",
      options_for(CodeKind::kGlslEs));
  ASSERT_TRUE(code.ok()) << code.error().to_string();
  EXPECT_FALSE(has(code->bytes, "int64"));
  EXPECT_TRUE(has(code->bytes, "uint[2] n = uint[2]("));
}

// Operations that the language has no function for become a function before main, computed as written.
TEST(GlslText, FunctionsComeFromTheLibrary) {
  auto code = emit("__global__ void k(float* a) { a[0] = expf(a[1]); }", options_for(CodeKind::kGlslEs));
  ASSERT_TRUE(code.ok()) << code.error().to_string();
  EXPECT_TRUE(has(code->bytes, "float quern_of_exp_single(float a0) {"));
  EXPECT_TRUE(has(code->bytes, "precise float"));
}

TEST(CStyleRefusal, WaitingForOtherThreadsInALoop) {
  constexpr std::string_view kWaits =
      "__global__ void k(int* flag, int* a) {\n"
      "  if (threadIdx.x == 0) { a[0] = 7; __threadfence(); atomicExch(flag, 1); }\n"
      "  while (atomicAdd(flag, 0) == 0) {}\n"
      "  a[1 + threadIdx.x] = a[0];\n"
      "}";
  EXPECT_EQ(refusal(kWaits, options_for(CodeKind::kOpenclC)),
            refused(3, message::kWaitsForThread("OpenCL C")));
  EXPECT_EQ(refusal(kWaits, options_for(CodeKind::kCudaCpp)), "not refused");
}

TEST(CStyleRefusal, FunctionsThatTheLanguageLacksAreOurs) {
  for (const CodeKind kind : {CodeKind::kOpenclC, CodeKind::kCudaCpp})
    EXPECT_EQ(refusal("__global__ void k(float* a) { a[0] = j0f(a[1]); }", options_for(kind)), "not refused");
}

// Each argument by its own conversion: a string with a width is one too, and an address next to it is not.
TEST(CStyleRefusal, StringsAndAddressesThatArePrinted) {
  constexpr std::string_view kChosen =
      "__global__ void k(int n) { printf(\"%*d %-5s\", 3, n, n > 3 ? \"big\" : \"small\"); }";
  constexpr std::string_view kBoth = "__global__ void k(int* p) { printf(\"%s %p\", \"p is\", p); }";
  constexpr std::string_view kNull = "__global__ void k(int* p) { printf(\"%p\", (void*)0); *p = 1; }";
  for (const CodeKind kind : {CodeKind::kOpenclC, CodeKind::kGlsl})
    EXPECT_EQ(refusal(kChosen, options_for(kind)), refused(1, message::kPrintsUnknownString()));
  EXPECT_EQ(refusal(kBoth, options_for(CodeKind::kOpenclC)), "not refused");
  EXPECT_EQ(refusal(kBoth, options_for(CodeKind::kGlsl)), refused(1, message::kPrintsAddress()));
  EXPECT_EQ(refusal(kNull, options_for(CodeKind::kGlsl)), refused(1, message::kPrintsAddress()));
}

TEST(CStyleRefusal, PointersIntoSeveralMemories) {
  constexpr std::string_view kGeneric =
      "__global__ void k(float* a, int n) { __shared__ float s[4]; s[n] = 1; float* p = n > 2 ? a : s; *p = "
      "n; }";
  EXPECT_TRUE(has(refusal(kGeneric, options_for(CodeKind::kOpenclC)),
                  "pointer that may point to several address spaces"));
  EXPECT_EQ(refusal(kGeneric, options_for(CodeKind::kCudaCpp)), "not refused");
}

}  // namespace
}  // namespace quern::test
