// Macros, conditionals, pragmas.

#define WIDTH 8
#define AREA (WIDTH * HEIGHT)
#define HEIGHT (WIDTH / 2)
//! run object_macros(i32[2])
//! out = 32 4
__global__ void object_macros(int* out) {
  out[0] = AREA;
  out[1] = HEIGHT;
}

#define SQUARE(x) ((x) * (x))
#define BAD_SQUARE(x) x * x
#define MIX(a, b) ((a) * 10 + (b))
//! run function_macros(3, i32[4])
//! out = 16 7 43 31
__global__ void function_macros(int n, int* out) {
  out[0] = SQUARE(n + 1);
  out[1] = BAD_SQUARE(n + 1);
  out[2] = MIX(MIX(0, 4), n);
  out[3] = MIX(n, (1, 1));
}

#define JOIN(a, b) a##b
#define JOIN_EXPANDED(a, b) JOIN(a, b)
#define NAME value
//! run pasting(i32[3])
//! out = 1 2 123
__global__ void pasting(int* out) {
  int value1 = 1, NAME2 = 2;
  out[0] = JOIN_EXPANDED(NAME, 1);
  out[1] = JOIN(NAME, 2);
  out[2] = JOIN(12, 3);
}

#define TEXT(x) #x
#define TEXT_EXPANDED(x) TEXT(x)
//! run stringising()
//! prints a + b|WIDTH|8|"q\\n"\n
__global__ void stringising() {
  printf("%s|%s|%s|%s\n", TEXT(a  +   b), TEXT(WIDTH), TEXT_EXPANDED(WIDTH), TEXT("q\n"));
}

#define SUM3(a, ...) sum_of(a, __VA_ARGS__)
#define NAMED(args...) sum_of(args)
#define OPTIONAL(a, ...) sum_of(a __VA_OPT__(, ) __VA_ARGS__)
#define GNU_COMMA(a, ...) sum_of(a, ##__VA_ARGS__)
__device__ int sum_of(int a, int b = 100, int c = 1000) { return a + b + c; }
//! run variadic_macros(i32[5])
//! out = 6 6 1101 1003 1107
__global__ void variadic_macros(int* out) {
  out[0] = SUM3(1, 2, 3);
  out[1] = NAMED(1, 2, 3);
  out[2] = OPTIONAL(1);
  out[3] = OPTIONAL(1, 2);
  out[4] = GNU_COMMA(7);
}

#define COUNT_OF(...) COUNT_PICK(__VA_ARGS__, 5, 4, 3, 2, 1)
#define COUNT_PICK(a, b, c, d, e, n, ...) n
//! run counting_arguments(i32[3])
//! out = 1 3 5
__global__ void counting_arguments(int* out) {
  out[0] = COUNT_OF(x);
  out[1] = COUNT_OF(x, y, z);
  out[2] = COUNT_OF(a, b, c, d, e);
}

#define SWAP(type, a, b) \
  do {                   \
    type kept = a;       \
    a = b;               \
    b = kept;            \
  } while (0)
//! run statement_macro(1, i32[2])
//! out = 2 1
__global__ void statement_macro(int flag, int* out) {
  int a = 1, b = 2;
  if (flag)
    SWAP(int, a, b);
  else
    a = 9;
  out[0] = a;
  out[1] = b;
}

#define FEATURES 3
//! run conditionals(i32[5])
//! out = 1 2 3 4 5
__global__ void conditionals(int* out) {
#if FEATURES > 2 && defined(FEATURES)
  out[0] = 1;
#else
  #error "not here"
#endif
#ifdef NOT_DEFINED
  out[1] = 9;
#elif FEATURES == 3
  out[1] = 2;
#else
  out[1] = 8;
#endif
#ifndef NOT_DEFINED
  out[2] = 3;
#endif
#if 0
  this is "not even' tokens
  #if 1
  #endif
#else
  out[3] = 4;
#endif
#if !defined NOT_DEFINED && (1 << 3) == 8 && 'a' == 97 && NOT_DEFINED == 0
  out[4] = 5;
#endif
}

//! run architecture(i32[4])
//! out = 1 1 1 1
__global__ void architecture(int* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
  out[0] = 1;
#else
  out[0] = 0;
#endif
#ifdef __CUDACC__
  out[1] = 1;
#endif
#if __cplusplus >= 201703L
  out[2] = 1;
#endif
#ifdef __CUDA_ARCH__
  out[3] = 1;
#else
  out[3] = host_only();
#endif
}

__host__ __device__ int where_am_i() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return std::cout.good() ? 2 : 3;
#endif
}
//! run host_and_device(i32[1])
//! out = 1
__global__ void host_and_device(int* out) { out[0] = where_am_i(); }

#define OLD 1
#undef OLD
#define OLD 2
//! run redefined(i32[1])
//! out = 2
__global__ void redefined(int* out) { out[0] = OLD; }

//! run self_reference(i32[1])
//! out = 6
__global__ void self_reference(int* out) {
  int self_named = 5;
#define self_named (self_named + 1)
  out[0] = self_named;
#undef self_named
}

#define CALL(f, x) f(x)
#define TWICE(x) (2 * (x))
#define ALIAS TWICE
//! run macros_as_arguments(i32[3])
//! out = 8 12 10
__global__ void macros_as_arguments(int* out) {
  out[0] = CALL(TWICE, 4);
  out[1] = CALL(TWICE, CALL(TWICE, 3));
  out[2] = ALIAS(5);
}

#define FIELDS(X) X(int, count) X(float, weight) X(char, tag)
#define DECLARE(type, name) type name;
#define ADD_SIZE(type, name) +sizeof(type)
struct Record {
  FIELDS(DECLARE)
};
//! run x_macros(i32[3])
//! out = 9 12 7
__global__ void x_macros(int* out) {
  out[0] = 0 FIELDS(ADD_SIZE);
  out[1] = sizeof(Record);
  Record r = {7, 0.5f, 'x'};
  out[2] = r.count;
}

#define IDX(i, j, ld) (((j) * (ld)) + (i))
//! run column_major(f32[6]=iota, f32[1])
//! out = 5
__global__ void column_major(const float* a, float* out) { out[0] = a[IDX(1, 2, 2)]; }

#define UNROLL _Pragma("unroll")
#define DO_PRAGMA(x) _Pragma(#x)
//! run pragmas(i32[5])
//! out = 10 10 10 10 10
__global__ void pragmas(int* out) {
  int sums[5] = {0, 0, 0, 0, 0};
#pragma unroll
  for (int i = 0; i < 5; ++i) sums[0] += i;
#pragma unroll 4
  for (int i = 0; i < 5; ++i) sums[1] += i;
#pragma unroll(2)
  for (int i = 0; i < 5; ++i) sums[2] += i;
#pragma nounroll
  for (int i = 0; i < 5; ++i) sums[3] += i;
  UNROLL
  for (int i = 0; i < 5; ++i) sums[4] += i;
  for (int i = 0; i < 5; ++i) out[i] = sums[i];
}

constexpr int kSteps = 3;
#define STEPS 3
//! run unroll_by_a_constant(i32[3])
//! out = 3 3 3
__global__ void unroll_by_a_constant(int* out) {
  int a = 0, b = 0, c = 0;
#pragma unroll kSteps
  for (int i = 0; i < 3; ++i) a += i;
#pragma unroll STEPS
  for (int i = 0; i < 3; ++i) b += i;
#pragma unroll (kSteps + 1)
  for (int i = 0; i < 3; ++i) c += i;
  out[0] = a;
  out[1] = b;
  out[2] = c;
}

#pragma GCC diagnostic push
#pragma nv_diag_suppress 177
#pragma once
#pragma region helpers
//! run other_pragmas(i32[1])
//! out = 1
__global__ void other_pragmas(int* out) {
  DO_PRAGMA(nv_diag_suppress 550)
  out[0] = 1;
}
#pragma endregion
#pragma GCC diagnostic pop

/* A comment /* does not nest */
//! run comments(i32[2])
//! out = 3 8
__global__ void comments(int* out) {
  int a = 1 /* one */ + /* two */ 2;  // three \
  a = 100;
  out[0] = a;
  out[1] = 16 /**// 2;
}

//! run continued_lines(i32[1])
//! out = 42
__global__ void continued_lines(int* out) {
  int va\
lue = 4\
2;
  out[0] = value;
}

#if __has_include(<cuda_runtime.h>) && !__has_include("no_such_header.h")
#define HEADERS 1
#else
#define HEADERS 0
#endif
//! run has_include(i32[1])
//! out = 1
__global__ void has_include(int* out) { out[0] = HEADERS; }

#define CHECK(call)                                              \
  {                                                              \
    cudaError_t status = (call);                                 \
    if (status != cudaSuccess) {                                 \
      fprintf(stderr, "%s\n", cudaGetErrorString(status));       \
      exit(1);                                                   \
    }                                                            \
  }
void host_code_with_macros() {
  CHECK(cudaMalloc(nullptr, 4));
  CHECK(cudaDeviceSynchronize());
}
//! run beside_host_macros(i32[1])
//! out = 5
__global__ void beside_host_macros(int* out) { out[0] = 5; }

#define BLOCK_SIZE 4
#define THREAD_ID (blockIdx.x * BLOCK_SIZE + threadIdx.x)
#define FOR_EACH(i, n) for (int i = THREAD_ID; i < (n); i += BLOCK_SIZE * gridDim.x)
//! run loop_macro(i32[10]) grid 2 block 4
//! out = 0 1 2 3 4 5 6 7 8 9
__global__ void loop_macro(int* out) {
  FOR_EACH(i, 10) { out[i] = i; }
}

#define DEFINE_KERNEL(name, type, op) \
  __global__ void name(type* data, type value) { data[threadIdx.x] op value; }
DEFINE_KERNEL(add_all, int, +=)
DEFINE_KERNEL(scale_all, float, *=)
//! run add_all(i32[3]=iota, 10) block 3
//! data = 10 11 12
//! run scale_all(f32[3]=iota, 0.5) block 3
//! data = 0 0.5 1

//! run alternative_tokens(6, i32[4])
//! out = 1 2 1 5
__global__ void alternative_tokens(int x, int* out) {
  out[0] = x > 3 and not(x == 7);
  out[1] = x bitand 3;
  out[2] = x < 3 or x not_eq 5;
  x and_eq 5;
  out[3] = x bitor 1 xor 0;
}

using Same_in_the_global_scope = int;
//! run digraphs(i32[3])
//! out = 3 4 1
__global__ void digraphs(int* out) <%
  int a<:3:> = <%1, 2, 3%>;
  out<:0:> = a<:2:>;
%:define DIGRAPH 4
  out[1] = DIGRAPH;
  out[2] = std::is_same<::Same_in_the_global_scope, int>::value;
%>


// nvcc accepts a pragma in a macro's replacement.
#define NO_EXEC_CHECK #pragma nv_exec_check_disable
#define UNROLL_ALL #pragma unroll
NO_EXEC_CHECK
template <typename T>
__host__ __device__ T aligned_up(T x, T to) {
  return (x + to - 1) / to * to;
}
struct Steps {
  NO_EXEC_CHECK
  __host__ __device__ int of(int n) { return n * 3; }
};

//! run pragmas_of_macros(i32[2])
//! out = 32 30
__global__ void pragmas_of_macros(int* out) {
  int sum = 0;
  UNROLL_ALL
  for (int i = 0; i < 5; ++i) sum += Steps().of(i);
  out[0] = aligned_up(17, 16);
  out[1] = sum;
}

//! run line_numbers(i32[3])
//! out = 200 201 1
#line 198
__global__ void line_numbers(int* out) {

  out[0] = __LINE__;
  out[1] = __LINE__;
#line 7 "another.cu"
  out[2] = __LINE__ == 7 && __FILE__[0] == 'a';
}
