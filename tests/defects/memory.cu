// Uninitialized values, and misaligned addresses.

//! run never_written(i32[4], i32[4])
//! report uninitialized @
__global__ void never_written(const int* in, int* out) {
  out[0] = in[0] + 1;  //@
}

//! run local_never_set(i32[1], 0)
//! report uninitialized @
__global__ void local_never_set(int* out, int flag) {
  int v;
  if (flag) v = 3;
  out[0] = v + 1;  //@
}

//! run local_set_on_both_ways(i32[1], 0)
//! out = 4
__global__ void local_set_on_both_ways(int* out, int flag) {
  int v;
  if (flag) v = 3;
  else v = 4;
  out[0] = v;
}

//! run accumulator_not_cleared(f32[4]=1, f32[1])
//! report uninitialized @
__global__ void accumulator_not_cleared(const float* in, float* out) {
  float sum;
  for (int i = 0; i < 4; ++i) {
    sum += in[i];  //@
  }
  out[0] = sum;
}

//! run shared_not_written(i32[2]) block 2
//! report uninitialized @
__global__ void shared_not_written(int* out) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + 2] * 2;  //@
}

//! run array_partly_set(i32[1])
//! report uninitialized @
__global__ void array_partly_set(int* out) {
  int a[4];
  a[0] = 1;
  a[1] = 2;
  int i = 2;
  out[0] = a[i] + 1;  //@
}

//! run struct_field_not_set(i32[1])
//! report uninitialized @
struct Pair { int a, b; };
__global__ void struct_field_not_set(int* out) {
  Pair p;
  p.a = 1;
  if (p.b > 0) out[0] = p.a;  //@
  else out[0] = 0;
}

//! run copies_with_padding(i32[2])
//! out = 1 2
struct Padded { char c; int v; };
__global__ void copies_with_padding(int* out) {
  Padded p;
  p.c = 1;
  p.v = 2;
  Padded q = p;
  out[0] = q.c;
  out[1] = q.v;
}

//! run index_not_set(i32[4]=0)
//! report uninitialized @
__global__ void index_not_set(int* out) {
  int i;
  out[i & 3] = 1;  //@
}

//! run misaligned_float4(f32[8]=1, f32[1])
//! report misaligned @
__global__ void misaligned_float4(const float* in, float* out) {
  float4 v = *reinterpret_cast<const float4*>(in + 1);  //@
  out[0] = v.x;
}

//! run aligned_float4(f32[8]=iota, f32[1])
//! out = 4
__global__ void aligned_float4(const float* in, float* out) {
  float4 v = *reinterpret_cast<const float4*>(in + 4);
  out[0] = v.x;
}

//! run misaligned_int(u8[8]=1, i32[1])
//! report misaligned @
__global__ void misaligned_int(const unsigned char* in, int* out) {
  out[0] = *(const int*)(in + 2);  //@
}

//! run misaligned_double(f32[4]=1, f64[1])
//! report misaligned @
__global__ void misaligned_double(const float* in, double* out) {
  out[0] = *(const double*)(in + 1);  //@
}

//! run misaligned_store(f32[4]=1)
//! report misaligned @
__global__ void misaligned_store(float* out) {
  *(float2*)(out + 1) = make_float2(1, 2);  //@
}

//! run misaligned_atomic(u8[8]=0)
//! report misaligned @
__global__ void misaligned_atomic(unsigned char* out) {
  atomicAdd((int*)(out + 1), 1);  //@
}

struct PartlySet {
  int a = 1;
  int b;
};
//! run default_initialised_leaves_members(i32[2])
//! report uninitialized @
//! out[0:1] = 1
__global__ void default_initialised_leaves_members(int* out) {
  PartlySet s;
  out[0] = s.a;
  out[1] = s.b;  //@
}

//! run value_initialised_has_all_members(i32[6])
//! out = 1 0 1 0 1 0
__global__ void value_initialised_has_all_members(int* out) {
  PartlySet s{};
  out[0] = s.a;
  out[1] = s.b;
  PartlySet t = PartlySet();
  out[2] = t.a;
  out[3] = t.b;
  PartlySet many[2] = {};
  out[4] = many[1].a;
  out[5] = many[1].b;
}

struct HalfMade {
  int a, b;
  __device__ HalfMade(int x) : a(x) {}
};
//! run constructor_leaves_a_member(i32[2])
//! report uninitialized @
//! out[0:1] = 4
__global__ void constructor_leaves_a_member(int* out) {
  HalfMade s(4);
  out[0] = s.a;
  out[1] = s.b;  //@
}

struct Outer {
  PartlySet part;
  int c = 5;
  int d;
};
//! run nested_members_are_left_too(i32[3])
//! report uninitialized @
//! out[0:2] = 1 5
__global__ void nested_members_are_left_too(int* out) {
  Outer s;
  out[0] = s.part.a;
  out[1] = s.c;
  out[2] = s.part.b;  //@
}

//! run nested_members_are_zero(i32[4])
//! out = 1 0 5 0
__global__ void nested_members_are_zero(int* out) {
  Outer s{};
  out[0] = s.part.a;
  out[1] = s.part.b;
  out[2] = s.c;
  Outer t = Outer();
  out[3] = t.d + t.part.b;
}

//! run vector_access_of_a_plain_array(f32[4])
//! report misaligned @
__global__ void vector_access_of_a_plain_array(float* out) {
  float a[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; ++i) a[i] += threadIdx.x;
  float4 v = *reinterpret_cast<float4*>(a);  //@
  out[0] = v.x;
}

//! run vector_access_of_an_aligned_array(f32[4])
//! out = 1 2 3 4
__global__ void vector_access_of_an_aligned_array(float* out) {
  __align__(16) float a[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; ++i) a[i] += threadIdx.x;
  float4 v = *reinterpret_cast<float4*>(a);
  out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = v.w;
}

//! run word_access_of_shared_bytes(i32[1])
//! report misaligned @
__global__ void word_access_of_shared_bytes(int* out) {
  __shared__ char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = 1;
  out[0] = *(int*)(bytes + 4 * threadIdx.x);  //@
}

//! run word_access_of_aligned_shared_bytes(i32[1])
//! out = 16843009
__global__ void word_access_of_aligned_shared_bytes(int* out) {
  alignas(8) __shared__ char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = 1;
  out[0] = *(int*)(bytes + 4 * threadIdx.x);
}

struct Buffers {
  char tag;
  alignas(16) float values[8];
};
//! run aligned_member(f32[2], i32[2])
//! out = 5 8
//! sizes = 48 16
__global__ void aligned_member(float* out, int* sizes) {
  __shared__ Buffers b;
  for (int i = 0; i < 8; ++i) b.values[i] = i + 1;
  float4 v = ((float4*)b.values)[1];
  out[0] = v.x;
  out[1] = v.w;
  sizes[0] = sizeof(Buffers);
  sizes[1] = int((char*)b.values - (char*)&b);
}

__device__ char odd[8];
//! run wide_store_to_bytes_of_the_device(i32[1])
//! report misaligned @
__global__ void wide_store_to_bytes_of_the_device(int* out) {
  *(double*)odd = 1.0;  //@
  out[0] = 1;
}

struct __attribute__((packed)) PackedEntry {
  char tag;
  int value;
};

//! run pointer_to_packed_member(i32[1])
//! report misaligned @
__global__ void pointer_to_packed_member(int* out) {
  __shared__ PackedEntry entry;
  entry.value = 3;
  const int* p = &entry.value;
  out[0] = *p;  //@
}

//! run packed_member_by_name(i32[1])
//! out = 3
__global__ void packed_member_by_name(int* out) {
  __shared__ PackedEntry entry;
  entry.value = 3;
  out[0] = entry.value;
}

//! run packed_past_the_end(u8[12]=0, i32[1]) block 1
//! report out of bounds @
__global__ void packed_past_the_end(unsigned char* bytes, int* out) {
  const PackedEntry* entries = (const PackedEntry*)bytes;
  out[0] = entries[2].value;  //@
}
