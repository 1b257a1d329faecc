// Values that were never set, and addresses that do not fit what is read there.

//! run never_written(i32[4], i32[4])
//! report uninitialised @
__global__ void never_written(const int* in, int* out) {
  out[0] = in[0] + 1;  //@
}

//! run local_never_set(i32[1], 0)
//! report uninitialised @
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
//! report uninitialised @
__global__ void accumulator_not_cleared(const float* in, float* out) {
  float sum;
  for (int i = 0; i < 4; ++i) {
    sum += in[i];  //@
  }
  out[0] = sum;
}

//! run shared_not_written(i32[2]) block 2
//! report uninitialised @
__global__ void shared_not_written(int* out) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + 2] * 2;  //@
}

//! run array_partly_set(i32[1])
//! report uninitialised @
__global__ void array_partly_set(int* out) {
  int a[4];
  a[0] = 1;
  a[1] = 2;
  int i = 2;
  out[0] = a[i] + 1;  //@
}

//! run struct_field_not_set(i32[1])
//! report uninitialised @
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
//! report uninitialised @
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
