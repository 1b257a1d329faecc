// Pointers as programs use them.

//! run arithmetic(i32[8]=iota, i32[6])
//! out = 3 5 2 4 1 6
__global__ void arithmetic(const int* in, int* out) {
  const int* p = in + 3;
  out[0] = *p;
  out[1] = p[2];
  out[2] = *(p - 1);
  out[3] = *++p;
  p -= 3;
  out[4] = *p++;
  out[5] = *(4 + p);
}

//! run difference(i32[8]=iota, i64[3])
//! out = 5 -5 1
__global__ void difference(int* in, long* out) {
  int* a = &in[1];
  int* b = &in[6];
  out[0] = b - a;
  out[1] = a - b;
  out[2] = a < b;
}

//! run address_of_element(i32[4]=iota, i32[1])
//! out = 30
__global__ void address_of_element(int* in, int* out) {
  int* p = &in[2];
  *p = 30;
  out[0] = in[2];
}

//! run shared_pointer(i32[4]) block 4
//! out = 3 2 1 0
__global__ void shared_pointer(int* out) {
  __shared__ int tile[4];
  int* p = tile;
  p[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int* q = tile + 3 - threadIdx.x;
  out[threadIdx.x] = *q;
}

//! run local_array(i32[4])
//! out = 0 1 4 9
__global__ void local_array(int* out) {
  int squares[4];
  for (int i = 0; i < 4; ++i) squares[i] = i * i;
  int* p = squares;
  for (int i = 0; i < 4; ++i) out[i] = *p++;
}

//! run changing_target(i32[2]=5, i32[2]=9, i32[2])
//! out = 5 9
__global__ void changing_target(int* a, int* b, int* out) {
  for (int i = 0; i < 2; ++i) {
    int* p = i == 0 ? a : b;
    out[i] = *p;
  }
}

//! run swap_buffers(i32[4]=iota, i32[4]=0, i32[1])
//! b = 1 2 3 4
//! a = 2 3 4 5
//! out = 2
__global__ void swap_buffers(int* a, int* b, int* out) {
  int* from = a;
  int* to = b;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4; ++i) to[i] = from[i] + 1;
    int* t = from;
    from = to;
    to = t;
  }
  out[0] = from[0];
}

//! run shared_or_global(i32[2]=7, i32[2]) block 2
//! out = 7 3
__global__ void shared_or_global(int* in, int* out) {
  __shared__ int s[2];
  s[threadIdx.x] = 3;
  __syncthreads();
  int* p = threadIdx.x == 0 ? in : s;
  out[threadIdx.x] = p[threadIdx.x];
}

//! run pointer_in_struct(i32[4]=iota, i32[1])
//! out = 3
struct View {
  int* data;
  int n;
  __device__ int last() const { return data[n - 1]; }
};
__global__ void pointer_in_struct(int* in, int* out) {
  View v{in, 4};
  out[0] = v.last();
}

//! run cast_float4(f32[8]=iota, f32[2])
//! out = 6 22
__global__ void cast_float4(const float* in, float* out) {
  const float4* v = reinterpret_cast<const float4*>(in);
  for (int i = 0; i < 2; ++i) {
    float4 f = v[i];
    out[i] = f.x + f.y + f.z + f.w;
  }
}

//! run store_float2(f32[4])
//! out = 1 2 3 4
__global__ void store_float2(float* out) {
  ((float2*)out)[0] = make_float2(1, 2);
  *reinterpret_cast<float2*>(out + 2) = make_float2(3, 4);
}

//! run bytes_of_int(i32[1]=16909060, i32[4])
//! out = 4 3 2 1
__global__ void bytes_of_int(int* in, int* out) {
  unsigned char* p = (unsigned char*)in;
  for (int i = 0; i < 4; ++i) out[i] = p[i];
}

//! run float_bits(u32[2])
//! out = 1065353216 3221225472
__global__ void float_bits(unsigned* out) {
  float one = 1.0f;
  out[0] = *(unsigned*)&one;
  float minus_two = -2.0f;
  out[1] = reinterpret_cast<unsigned&>(minus_two);
}

//! run two_dimensions(i32[6])
//! out = 0 1 2 10 11 12
__global__ void two_dimensions(int* out) {
  int m[2][3];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) m[i][j] = i * 10 + j;
  int* flat = &m[0][0];
  for (int i = 0; i < 6; ++i) out[i] = flat[i];
}

//! run row_pointer(i32[3])
//! out = 10 11 12
__global__ void row_pointer(int* out) {
  int m[2][3] = {{0, 1, 2}, {10, 11, 12}};
  int(*row)[3] = m;
  ++row;
  for (int j = 0; j < 3; ++j) out[j] = (*row)[j];
}

//! run three_dimensions(i32[2])
//! out = 123 24
__global__ void three_dimensions(int* out) {
  __shared__ int cube[2][3][4];
  cube[1][2][3] = 123;
  out[0] = cube[1][2][3];
  out[1] = sizeof(cube) / sizeof(int);
}

__device__ void fill(int* to, int n, int v) {
  for (int i = 0; i < n; ++i) to[i] = v;
}
//! run pass_pointer(i32[4])
//! out = 8 8 9 9
__global__ void pass_pointer(int* out) {
  fill(out, 2, 8);
  int local[2];
  fill(local, 2, 9);
  out[2] = local[0];
  out[3] = local[1];
}

__device__ void increment(int& v, int by = 1) { v += by; }
//! run references(i32[3])
//! out = 2 7 6
__global__ void references(int* out) {
  int a = 1;
  increment(a);
  out[0] = a;
  out[1] = 5;
  increment(out[1], 2);
  int& r = a;
  r = 6;
  out[2] = a;
}

__device__ int& largest(int& a, int& b) { return a > b ? a : b; }
//! run reference_result(i32[2])
//! out = 3 0
__global__ void reference_result(int* out) {
  int a = 3, b = 5;
  largest(a, b) = 0;
  out[0] = a;
  out[1] = b;
}

__device__ void find_two(const int* in, int n, const int** lo, const int** hi) {
  *lo = in;
  *hi = in + n - 1;
}
//! run pointer_to_pointer(i32[4]=iota, i32[2])
//! out = 0 3
__global__ void pointer_to_pointer(const int* in, int* out) {
  const int *lo, *hi;
  find_two(in, 4, &lo, &hi);
  out[0] = *lo;
  out[1] = *hi;
}

//! run null_pointer(null, i32[2])
//! out = 1 0
__global__ void null_pointer(int* p, int* out) {
  out[0] = p == nullptr;
  out[1] = out == NULL;
}

//! run walk_to_end(i32[5]=1, i32[1])
//! out = 5
__global__ void walk_to_end(int* in, int* out) {
  int sum = 0;
  for (int *p = in, *end = in + 5; p != end; ++p) sum += *p;
  out[0] = sum;
}

//! run const_restrict(f32[2]=3, f32[2])
//! y = 6 6
__global__ void const_restrict(const float* __restrict__ x, float* __restrict__ y) {
  for (int i = 0; i < 2; ++i) y[i] = 2 * x[i];
}

//! run array_of_pointers(i32[2]=4, i32[2]=6, i32[1])
//! out = 10
__global__ void array_of_pointers(int* a, int* b, int* out) {
  int* both[2] = {a, b};
  int sum = 0;
  for (int i = 0; i < 2; ++i) sum += both[i][0];
  out[0] = sum;
}

//! run void_pointer(i32[2]=iota, i32[1])
//! out = 1
__global__ void void_pointer(void* raw, int* out) {
  int* p = (int*)raw;
  out[0] = p[1];
}

//! run dynamic_shared(i32[4]) block 4 shared 32
//! out = 3 12 7 16
__global__ void dynamic_shared(int* out) {
  extern __shared__ int pool[];
  int* first = pool;
  float* second = (float*)&pool[4];
  first[threadIdx.x] = threadIdx.x * 4;
  second[threadIdx.x] = 3.0f;
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + (threadIdx.x % 2 ? 8 : 3) - (threadIdx.x == 2 ? 4 : 0) - (threadIdx.x == 3 ? 4 : 0);
}

//! run volatile_access(i32[1]=5, i32[1])
//! out = 10
__global__ void volatile_access(volatile int* in, int* out) { out[0] = in[0] + in[0]; }

//! run index_swapped(i32[3]=iota, i32[1])
//! out = 2
__global__ void index_swapped(int* in, int* out) { out[0] = 2 [in]; }

//! run string_data(i32[3])
//! out = 104 105 0
__global__ void string_data(int* out) {
  const char* s = "hi";
  for (int i = 0; i < 3; ++i) out[i] = s[i];
}

//! run memory_functions(i32[8])
//! out = 0 1 2 3 0 0 0 0
__global__ void memory_functions(int* out) {
  int src[4] = {0, 1, 2, 3};
  memcpy(out, src, sizeof(src));
  memset(out + 4, 0, 16);
}

// Two names of the same dynamic shared memory.
//! run one_memory(f32[8]=iota) block 8 shared 32
//! a = 7 6 5 4 3 2 1 0
__global__ void one_memory(float* a) {
  extern __shared__ unsigned words[];
  extern __shared__ float numbers[];
  float* same = (float*)words;
  same[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = numbers[7 - threadIdx.x];
}

// Parameters that are incremented, and variables with names that their indices might get.
//! run columns_walk_down(i32[12]=iota, i32[12], 4, 3) block 4
//! to = 0 1 2 3 4 6 8 10 12 15 18 21
__global__ void columns_walk_down(const int* from, int* to, int width, int height) {
  from += threadIdx.x;
  to += threadIdx.x;
  int sum = 0, from_offset = 0;
  for (int y = 0; y < height; ++y) {
    sum += *from;
    from_offset += y;
    *to = sum + (from_offset > 100);
    from += width;
    to += width;
  }
}

// The block size as an argument of a function with many overloads.
//! run smallest_of_block_and_rest(u32[4], 3) block 4
//! out = 3 3 3 3
__global__ void smallest_of_block_and_rest(unsigned* out, unsigned rest) {
  unsigned least = 0;
  for (unsigned k = 0; k < min(rest, blockDim.x); ++k) least += 1;
  out[threadIdx.x] = least;
}

// Whether an address is aligned can be tested even on targets without addresses.
//! run alignment(i32[8]=iota, i16[8]=iota, i32[9], 3)
//! out = 0 4 12 1 0 6 3 2 8
__global__ void alignment(const int* words, const short* halves, int* out, int n) {
  __shared__ int tile[4];
  tile[threadIdx.x & 3] = 0;
  out[0] = (int)((size_t)words & 15);
  out[1] = (int)((unsigned long long)(words + 1) % 16);
  out[2] = (int)(reinterpret_cast<uintptr_t>(words + n) & 15);
  out[3] = reinterpret_cast<uintptr_t>(words + 4) % 16 == 0;
  out[4] = (int)((size_t)tile & 3);
  out[5] = (int)((unsigned)(size_t)(halves + n) & 7);
  const int* p = words;
  int steps = 0;
  for (p += 1; ((size_t)p & 15) != 0; ++p) ++steps;
  out[6] = steps;
  const void* chosen = n > 2 ? static_cast<const void*>(halves + 1) : words;
  out[7] = (int)((size_t)chosen % 8);
  out[8] = (int)((size_t)&words[n - 1] & 31);
}

// As in kernels that load four elements at a time if aligned.
//! run wide_where_aligned(f32[16]=iota, f32[2], 1)
//! sums = 15 1
//! run wide_where_aligned(f32[16]=iota, f32[2], 4)
//! sums = 30 4
__global__ void wide_where_aligned(const float* in, float* sums, int first) {
  const float* from = in + first;
  if (reinterpret_cast<uintptr_t>(from) % 16 == 0) {
    const float4 v = *reinterpret_cast<const float4*>(from);
    sums[0] = v.x + v.y + v.z + v.w + 8;
  } else {
    sums[0] = from[0] + from[1] + from[2] + from[3] + 5;
  }
  sums[1] = from[0];
}
