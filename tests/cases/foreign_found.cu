// Defects found with third-party kernels: forms that public CUDA code uses and that were once rejected.

// Headers that other compilers read too define CUDA's keywords to nothing if they are not macros.
#ifndef __host__
#define __host__
#define __device__
#endif
#if defined(__global__) && defined(__shared__) && !defined(__no_such_word__)
#define WORDS_ARE_MACROS 1
#else
#define WORDS_ARE_MACROS 0
#endif

__host__ __device__ int twice(int x) { return 2 * x; }

//! run words_are_macros(i32[2])
//! out = 1 6
__global__ void words_are_macros(int* out) {
  out[0] = WORDS_ARE_MACROS;
  out[1] = twice(3);
}

struct Schedule {
  long row = 4;
  int column = 7;
  __device__ auto place() { return std::make_tuple(row, column); }
};

//! run binding_of_a_deduced_tuple(i32[2])
//! out = 4 7
__global__ void binding_of_a_deduced_tuple(int* out) {
  Schedule schedule;
  auto [row, column] = schedule.place();
  out[0] = (int)row;
  out[1] = column;
}

// One struct with two names, the tag and the typedef; the alignment is before the tag.
typedef struct __align__(16) pair4 {
  uint2 x, y;
} quad;
typedef quad pair4;
__device__ pair4 operator^(const pair4& a, const pair4& b) {
  pair4 r;
  r.x = make_uint2(a.x.x ^ b.x.x, a.x.y ^ b.x.y);
  r.y = make_uint2(a.y.x ^ b.y.x, a.y.y ^ b.y.y);
  return r;
}
__device__ void operator^=(pair4& a, const pair4& b) { a = a ^ b; }

//! run two_names_of_one_struct(i32[3])
//! out = 4 6 16
__global__ void two_names_of_one_struct(int* out) {
  quad a[2];
  a[0].x = make_uint2(1, 2);
  a[0].y = make_uint2(3, 4);
  a[1].x = a[1].y = make_uint2(5, 2);
  a[0] ^= a[1];
  pair4 same = a[0];
  out[0] = same.x.x;
  out[1] = same.y.x;
  out[2] = sizeof(pair4);
}

__constant__ struct {
  float weight[3];
  int count;
} filter = {{0.5f, 1.5f, 2.5f}, 3};
static __device__ struct Counter {
  int value;
} counter = {40}, spare = {2};
__constant__ const enum { kRed, kBlue } colour = kBlue;

//! run words_in_front_of_a_struct(f32[3])
//! out = 4.5 42 1
__global__ void words_in_front_of_a_struct(float* out) {
  float sum = 0;
  for (int i = 0; i < filter.count; ++i) sum += filter.weight[i];
  out[0] = sum;
  out[1] = counter.value + spare.value;
  out[2] = colour == kBlue;
}

__constant__ unsigned char sigma[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
template <int kRow>
__device__ int element(const unsigned char((*table)[4]), int i) {
  return table[kRow][i];
}

//! run parentheses_around_a_declarator(i32[1])
//! out = 7
__global__ void parentheses_around_a_declarator(int* out) { out[0] = element<1>(sigma, 2); }

union HalfBits {
  unsigned short bits;
  __half value;
  __device__ HalfBits(unsigned short v) : bits(v) {}
  __device__ HalfBits(__half v) : value(v) {}
};
__device__ int chosen(double) { return 1; }
__device__ int chosen(__half) { return 2; }

// CUDA's half is a class: conversion by its constructor ranks below any other conversion.
//! run numbers_prefer_other_numbers_to_half(0, i32[4])
//! out = 58368 2 1 2
__global__ void numbers_prefer_other_numbers_to_half(int zero, int* out) {
  HalfBits a(0xe400 | zero);
  out[0] = a.bits;
  HalfBits b(__float2half(2.0f));
  out[1] = (int)(float)b.value;
  out[2] = chosen(3 + zero);
  out[3] = chosen(__float2half(1.0f));
}

//! run names_of_other_headers(i32[6])
//! out = 67305985 8 1 0 16 3
__global__ void names_of_other_headers(int* out) {
  out[0] = __builtin_bswap32(0x01020304u);
  out[1] = (int)(__builtin_bswap64(0x0800000000000000ull));
  auto add = [](int a, int b) { return a + b; };
  out[2] = std::is_invocable_v<decltype(add), int, int>;
  out[3] = std::is_invocable_v<decltype(add), int>;
  typedef typename std::aligned_storage<4 * sizeof(float), 4 * alignof(float)>::type Four;
  out[4] = sizeof(Four) == alignof(Four) ? (int)sizeof(Four) : 0;
  off_t place = 3;
  out[5] = (int)place;
}

// The names of instances get long; compilers derive file names from them.
template <class A, class B>
struct a_policy_whose_name_has_a_good_many_words_in_it {};
#define TWICE(T) a_policy_whose_name_has_a_good_many_words_in_it<T, T>
using ManyWords = TWICE(TWICE(TWICE(TWICE(TWICE(int)))));
template <class Policy>
__global__ void named_by_a_policy(int* out) {
  out[0] = sizeof(Policy);
}

//! run named_by_a_policy<ManyWords>(i32[1])
//! out = 1

__constant__ int ends[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int device_ends[8] = {3, 1, 4, 1, 5, 9, 2, 6};

// Rows of a sparse matrix are processed twice: the value read after a loop is not the last one read in the
// loop.
//! run two_loops_to_one_end(i32[8]=rand:8, i32[8], i32[8], i32[8]) block 8
//! first = 29 86 24 70 5 86 88 14
//! again = 29 86 24 70 5 86 88 14
//! sums = 45 15 60 15 75 135 30 90
__global__ void two_loops_to_one_end(const int* rows, int* first, int* again, int* sums) {
  int i = threadIdx.x;
  int count = 0;
  for (int j = 0; j < rows[i]; ++j) ++count;
  first[i] = count;
  count = 0;
  for (int j = 0; j < rows[i]; ++j) ++count;
  again[i] = count;
  int sum = 0;
  for (int j = 0; j < ends[i]; ++j) ++sum;
  for (int j = 0; j < ends[i]; ++j) sum += 2;
  for (int j = 0; j < device_ends[i]; ++j) sum += 4;
  for (int j = 0; j < device_ends[i]; ++j) sum += 8;
  sums[i] = sum;
}

union CharOrLong {
  char c;
  long long i;
};

// An empty list zeroes all of a union, not only its first member.
//! run unions_without_initialisers(1, i64[3]=iota)
//! out = 1 0 0
__global__ void unions_without_initialisers(int n, long long* out) {
  CharOrLong u{}, v = {};
  CharOrLong a[4] = {};
  if (n != 0) u.c = 1;
  out[0] = u.i;
  out[1] = v.i;
  out[2] = a[n].i;
}

// A class that only the host can create: virtual functions, containers. Kernels use the types in it.
class HostSolver {
 public:
  virtual ~HostSolver();
  virtual void solve(std::vector<float>& values) = 0;
  enum Kind { kFirst = 3, kSecond };
};
class HostGrid : public HostSolver {
 public:
  static constexpr int kRows = 2;
  struct Step {
    float scale[kRows];
    int count;
    __device__ float of(int row) const { return scale[row] * count; }
    __device__ int plus_kind() const { return count + kSecond; }
  };
  template <typename T>
  struct Range {
    T from, to;
  };
  void solve(std::vector<float>& values) override;
  Step first_step;
  std::vector<Step> steps;
};

//! run types_of_host_classes({{1.5, 2}, 4}, f32[4])
//! out = 6 8 8 5
__global__ void types_of_host_classes(HostGrid::Step step, float* out) {
  HostGrid::Range<int> range{2, 7};
  for (int row = 0; row < 2; ++row) out[row] = step.of(row);
  out[2] = step.plus_kind();
  out[3] = range.to - range.from;
}

__device__ int4 bytes_of(int packed) {
  union {
    int all;
    signed char bytes[4];
  };
  all = packed;
  return make_int4(bytes[0], bytes[1], bytes[2], bytes[3]);
}

//! run union_without_a_name(i32[5]=0)
//! out = 4 3 -2 1 33685503
__global__ void union_without_a_name(int* out) {
  const int4 b = bytes_of(0x01fe0304);
  out[0] = b.x, out[1] = b.y, out[2] = b.z, out[3] = b.w;
  union {
    struct {
      short low, high;
    };
    int word;
  };
  word = 0;
  low = -1;
  high += 513;
  out[4] = word & 0x7fffffff;
}

template <typename T>
struct PixelOf {
  using Part = float;
};
template <>
struct PixelOf<uchar3> {
  using Part = unsigned char;
};
template <typename T>
__device__ typename PixelOf<T>::Part alpha_of(T, typename PixelOf<T>::Part otherwise = sizeof(T) + 1) {
  return otherwise;
}
template <>
__device__ unsigned char alpha_of(uchar3 pixel, unsigned char otherwise) {
  return pixel.x + otherwise;
}

//! run defaults_of_a_specialisation(i32[3])
//! out = 14 17 17
__global__ void defaults_of_a_specialisation(int* out) {
  out[0] = alpha_of(make_uchar3(10, 0, 0));
  out[1] = alpha_of(make_uchar3(10, 0, 0), 7);
  out[2] = (int)alpha_of(make_float4(1, 2, 3, 4));
}

template <typename T>
__device__ T sum_of_table(const T (&table)[2][3]) {
  T sum = 0;
  for (auto& row : table)
    for (T x : row) sum += x;
  return sum;
}

//! run const_table_of_a_plain_one(i32[1])
//! out = 21
__global__ void const_table_of_a_plain_one(int* out) {
  int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  out[0] = sum_of_table(table);
}

// Argument structs are also written for host functions, and contain members that only those use.
struct LaunchArguments {
  int count;
  cudaStream_t stream;
  cudaEvent_t done;
};

__device__ int count_of(LaunchArguments arguments) { return arguments.stream == nullptr ? arguments.count : 0; }

//! run handles_of_the_host(5, i32[2])
//! out = 5 24
__global__ void handles_of_the_host(int n, int* out) {
  LaunchArguments arguments{n, nullptr, 0};
  out[0] = count_of(arguments);
  out[1] = sizeof(LaunchArguments);
}

// The `larger` of pairs is declared later and does not hide the plain one at the call.
__device__ int larger(int a, int b) { return a > b ? a : b; }
namespace pairs {
template <typename T>
__device__ T at_least(T x, T low) {
  return larger(x, low);
}
struct Pair {
  int a, b;
};
__device__ Pair larger(Pair x, Pair y) { return {::larger(x.a, y.a), ::larger(x.b, y.b)}; }
}  // namespace pairs

//! run not_hidden_by_what_comes_later(i32[3])
//! out = 7 3 5
__global__ void not_hidden_by_what_comes_later(int* out) {
  out[0] = pairs::at_least(2, 7);
  const pairs::Pair p = pairs::at_least(pairs::Pair{1, 5}, pairs::Pair{3, 2});
  out[1] = p.a;
  out[2] = p.b;
}

// Half a warp takes part, before and after a barrier; the other warp does not.
//! run condition_over_a_barrier(32, i32[64]=0) block 64
//! out = 2*2 10*2 18*2 26*2 0*56
__global__ void condition_over_a_barrier(int n, int* out) {
  const int i = threadIdx.x;
  const bool takes_part = i < n / 4;
  int v = takes_part ? 2 * i : 0;
  v += __shfl_xor_sync(~0u, v, 1);
  __syncthreads();
  if (takes_part) out[i] = v;
}
