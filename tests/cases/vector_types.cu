// CUDA's vector types: members, make_*, sizes, alignments, memory; dim3.

//! run char_family(i32[10])
//! out = -1 -2 -3 -4 -5 -6 -7 -8 -9 -10
__global__ void char_family(int* out) {
  char1 a = make_char1(-1);
  char2 b = make_char2(-2, -3);
  char3 c = make_char3(-4, -5, -6);
  char4 d = make_char4(-7, -8, -9, -10);
  int all[] = {a.x, b.x, b.y, c.x, c.y, c.z, d.x, d.y, d.z, d.w};
  for (int i = 0; i < 10; ++i) out[i] = all[i];
}

//! run uchar_family(i32[10])
//! out = 255 254 253 252 251 250 249 248 247 246
__global__ void uchar_family(int* out) {
  uchar1 a = make_uchar1(-1);
  uchar2 b = make_uchar2(254, 253);
  uchar3 c = make_uchar3(252, 251, 250);
  uchar4 d = make_uchar4(249, 248, 247, 246);
  int all[] = {a.x, b.x, b.y, c.x, c.y, c.z, d.x, d.y, d.z, d.w};
  for (int i = 0; i < 10; ++i) out[i] = all[i];
}

//! run short_families(i32[8])
//! out = -300 1 -2 3 -4 65535 60000 40000
__global__ void short_families(int* out) {
  short1 a = make_short1(-300);
  short4 b = make_short4(1, -2, 3, -4);
  ushort1 c = make_ushort1(-1);
  ushort2 d = make_ushort2(60000, 40000);
  out[0] = a.x;
  out[1] = b.x;
  out[2] = b.y;
  out[3] = b.z;
  out[4] = b.w;
  out[5] = c.x;
  out[6] = d.x;
  out[7] = d.y;
}

//! run int_families(i64[7])
//! out = -5 7 8 9 4294967295 1 2
__global__ void int_families(long long* out) {
  int1 a = make_int1(-5);
  int3 b = make_int3(7, 8, 9);
  uint1 c = make_uint1(-1);
  uint2 d = make_uint2(1, 2);
  out[0] = a.x;
  out[1] = b.x;
  out[2] = b.y;
  out[3] = b.z;
  out[4] = c.x;
  out[5] = d.x;
  out[6] = d.y;
}

//! run long_families(i64[8])
//! out = 5000000000 -1 6 7 8 9 10 11
__global__ void long_families(long long* out) {
  longlong1 a = make_longlong1(5000000000ll);
  long2 b = make_long2(-1, 6);
  ulong1 c = make_ulong1(7);
  longlong3 d = make_longlong3(8, 9, 10);
  ulonglong2 e = make_ulonglong2(11, 12);
  out[0] = a.x;
  out[1] = b.x;
  out[2] = b.y;
  out[3] = c.x;
  out[4] = d.x;
  out[5] = d.y;
  out[6] = d.z;
  out[7] = e.x;
}

//! run float_family(f32[10])
//! out = 0.5 1 2 3 4 5 6 7 8 9
__global__ void float_family(float* out) {
  float1 a = make_float1(0.5f);
  float2 b = make_float2(1, 2);
  float3 c = make_float3(3, 4, 5);
  float4 d = make_float4(6, 7, 8, 9);
  out[0] = a.x;
  out[1] = b.x;
  out[2] = b.y;
  out[3] = c.x;
  out[4] = c.y;
  out[5] = c.z;
  out[6] = d.x;
  out[7] = d.y;
  out[8] = d.z;
  out[9] = d.w;
}

//! run double_family(f64[6])
//! out = 0.1 1 2 3 4 5
__global__ void double_family(double* out) {
  double1 a = make_double1(0.1);
  double2 b = make_double2(1, 2);
  double3 c = make_double3(3, 4, 5);
  out[0] = a.x;
  out[1] = b.x;
  out[2] = b.y;
  out[3] = c.x;
  out[4] = c.y;
  out[5] = c.z;
}

//! run sizes(i32[12])
//! out = 1 2 3 4 6 8 12 16 24 32 24 32
__global__ void sizes(int* out) {
  out[0] = sizeof(char1);
  out[1] = sizeof(uchar2);
  out[2] = sizeof(char3);
  out[3] = sizeof(uchar4);
  out[4] = sizeof(short3);
  out[5] = sizeof(ushort4);
  out[6] = sizeof(float3);
  out[7] = sizeof(int4);
  out[8] = sizeof(long3);
  out[9] = sizeof(longlong4);
  out[10] = sizeof(double3);
  out[11] = sizeof(double4);
}

//! run alignments(i32[12])
//! out = 1 2 1 4 2 4 8 8 4 16 16 8
__global__ void alignments(int* out) {
  out[0] = alignof(char1);
  out[1] = alignof(char2);
  out[2] = alignof(uchar3);
  out[3] = alignof(char4);
  out[4] = alignof(short3);
  out[5] = alignof(ushort2);
  out[6] = alignof(short4);
  out[7] = alignof(float2);
  out[8] = alignof(int3);
  out[9] = alignof(float4);
  out[10] = alignof(double2);
  out[11] = alignof(double3);
}

//! run brace_initialised(f32[4])
//! out = 1 2 0 7
__global__ void brace_initialised(float* out) {
  float4 a = {1, 2};
  float2 b{7, 8};
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.w;
  out[3] = b.x;
}

//! run member_wise(f32[3])
//! out = 11 22 33
__global__ void member_wise(float* out) {
  float3 v;
  v.x = 1;
  v.y = 2;
  v.z = 3;
  float3 w = v;
  w.x += 10;
  w.y *= 11;
  w.z = v.z * 11;
  out[0] = w.x;
  out[1] = w.y;
  out[2] = w.z;
}

__device__ float3 operator+(const float3& a, const float3& b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ float3 operator*(float s, float3 v) { return make_float3(s * v.x, s * v.y, s * v.z); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ void operator+=(float3& a, float3 b) { a = a + b; }
//! run operators_of_the_program(f32[4])
//! out = 6 9 12 32
__global__ void operators_of_the_program(float* out) {
  float3 a = make_float3(1, 2, 3), b = make_float3(4, 5, 6);
  float3 c = 2.0f * a + b;
  out[3] = dot(a, b);
  c += make_float3(0, 0, 0);
  out[0] = c.x;
  out[1] = c.y;
  out[2] = c.z;
}

//! run vector_parameter({1, 2, 3, 4}, f32[1])
//! out = 10
__global__ void vector_parameter(float4 v, float* out) { out[0] = v.x + v.y + v.z + v.w; }

//! run vector_buffers(f32x4[3]=iota, f32x2[3]) block 3
//! out = {1, 5} {9, 13} {17, 21}
__global__ void vector_buffers(const float4* in, float2* out) {
  float4 v = in[threadIdx.x];
  out[threadIdx.x] = make_float2(v.x + v.y, v.z + v.w);
}

//! run unpadded_triples(f32x3[4]=iota, f32[4]) block 4
//! out = 3 12 21 30
__global__ void unpadded_triples(const float3* in, float* out) {
  float3 v = in[threadIdx.x];
  out[threadIdx.x] = v.x + v.y + v.z;
}

//! run bytes_of_pixels(u8x4[4]=iota, u8[4]) block 4
//! out = 1 5 9 13
__global__ void bytes_of_pixels(const uchar4* pixels, unsigned char* out) {
  uchar4 p = pixels[threadIdx.x];
  out[threadIdx.x] = (p.x + p.y + p.z) / 3;
}

//! run wide_copy(i32[16]=iota, i32[16]) block 4
//! out = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
__global__ void wide_copy(const int* in, int* out) {
  reinterpret_cast<int4*>(out)[threadIdx.x] = reinterpret_cast<const int4*>(in)[threadIdx.x];
}

//! run vector_seen_as_array(f32[4])
//! out = 5 6 7 8
__global__ void vector_seen_as_array(float* out) {
  float4 v = make_float4(5, 6, 7, 8);
  const float* p = &v.x;
  for (int i = 0; i < 4; ++i) out[i] = p[i];
}

//! run vectors_in_shared_memory(f32[4]) block 4
//! out = 13 12 11 10
__global__ void vectors_in_shared_memory(float* out) {
  __shared__ float2 tile[4];
  int i = threadIdx.x;
  tile[i] = make_float2(i, i + 10);
  __syncthreads();
  out[i] = tile[3 - i].y;
}

//! run vector_pointer_members(i32[2])
//! out = 30 12
__global__ void vector_pointer_members(int* out) {
  int2 pair = make_int2(10, 12);
  int2* p = &pair;
  p->x *= 3;
  out[0] = (*p).x;
  out[1] = p->y;
}

//! run dim3_defaults(u32[9])
//! out = 1 1 1 5 1 1 5 6 7
__global__ void dim3_defaults(unsigned* out) {
  dim3 a, b(5), c(5, 6, 7);
  unsigned all[] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
  for (int i = 0; i < 9; ++i) out[i] = all[i];
}

__device__ unsigned volume(dim3 d) { return d.x * d.y * d.z; }
//! run dim3_from_numbers_and_indices(u32[3]) grid 2,1,1 block 3,2,1
//! out = 4 6 2
__global__ void dim3_from_numbers_and_indices(unsigned* out) {
  if (threadIdx.x + threadIdx.y + blockIdx.x != 0) return;
  out[0] = volume(4);
  out[1] = volume(blockDim);
  uint3 id = blockIdx;
  dim3 grid = gridDim;
  out[2] = volume(grid) + id.x;
}

template <class T> struct WidthOf;
template <> struct WidthOf<float2> { static const int value = 2; };
template <> struct WidthOf<float4> { static const int value = 4; };
//! run vectors_as_template_arguments(i32[2])
//! out = 2 4
__global__ void vectors_as_template_arguments(int* out) {
  out[0] = WidthOf<float2>::value;
  out[1] = WidthOf<float4>::value;
}

struct Particle {
  float4 position;
  float3 velocity;
  int id;
};
//! run vectors_in_structs(f32[4])
//! out = 1.5 2 7 32
__global__ void vectors_in_structs(float* out) {
  Particle p = {{1, 2, 3, 4}, {0.5f, 0, 0}, 7};
  p.position.x += p.velocity.x;
  out[0] = p.position.x;
  out[1] = p.position.y;
  out[2] = p.id;
  out[3] = sizeof(Particle);
}

//! run arrays_of_vectors(i32[1])
//! out = 21
__global__ void arrays_of_vectors(int* out) {
  int2 corners[3] = {{1, 2}, {3, 4}, {5, 6}};
  int sum = 0;
  for (int2 c : corners) sum += c.x + c.y;
  out[0] = sum;
}

//! run chosen_vector(1, f32[2])
//! out = 3 4
__global__ void chosen_vector(int which, float* out) {
  float2 a = {1, 2}, b = {3, 4};
  float2 c = which ? b : a;
  out[0] = c.x;
  out[1] = c.y;
}

//! run pitched_memory(i32[12]=iota, i32[2]) block 1
//! out = 6 3
__global__ void pitched_memory(int* in, int* out) {
  cudaPitchedPtr p = make_cudaPitchedPtr(in, 16, 4, 3);
  cudaExtent extent = make_cudaExtent(p.xsize, p.ysize, 1);
  out[0] = ((int*)((char*)p.ptr + p.pitch))[2];
  out[1] = extent.height;
}
