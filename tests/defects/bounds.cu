// Out-of-bounds accesses; next to some, the corrected kernel.

//! run past_the_end(i32[8]=0) block 9
//! report out of bounds @
__global__ void past_the_end(int* out) {
  out[threadIdx.x] = 1;  //@
}

//! run guarded(i32[8], 8) block 9
//! out = 1*8
__global__ void guarded(int* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = 1;
}

//! run before_the_start(i32[4]=0)
//! report out of bounds @
__global__ void before_the_start(int* out) {
  int i = 0;
  out[i - 1] = 3;  //@
}

//! run reads_past_the_end(i32[4]=iota, i32[4])
//! report out of bounds @
__global__ void reads_past_the_end(const int* in, int* out) {
  for (int i = 0; i < 4; ++i) {
    out[i] = in[i + 1];  //@
  }
}

//! run halo_without_guard(f32[8]=1, f32[8]) block 8
//! report out of bounds @
__global__ void halo_without_guard(const float* in, float* out) {
  int i = threadIdx.x;
  float left = in[i - 1];  //@
  out[i] = left + in[i];
}

//! run halo_with_guard(f32[4]=1, f32[4]) block 4
//! out = 1 2 2 2
__global__ void halo_with_guard(const float* in, float* out) {
  int i = threadIdx.x;
  float left = i > 0 ? in[i - 1] : 0.0f;
  out[i] = left + in[i];
}

//! run shared_overrun(i32[1]) block 33
//! report out of bounds @
__global__ void shared_overrun(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 1;  //@
  __syncthreads();
  if (threadIdx.x == 0) out[0] = tile[0];
}

//! run from_one_shared_array_into_the_next(i32[1])
//! report out of bounds @
__global__ void from_one_shared_array_into_the_next(int* out) {
  __shared__ int a[4];
  __shared__ int b[4];
  a[0] = 1;
  b[0] = 2;
  int i = 4;
  a[i] = 5;  //@
  out[0] = a[0] + b[0];
}

//! run dynamic_shared_too_small(i32[1]) block 4 shared 12
//! report out of bounds @
__global__ void dynamic_shared_too_small(int* out) {
  extern __shared__ int pool[];
  pool[threadIdx.x] = threadIdx.x;  //@
  if (threadIdx.x == 0) out[0] = pool[0];
}

//! run local_overrun(i32[1], 4)
//! report out of bounds @
__global__ void local_overrun(int* out, int n) {
  int a[4];
  for (int i = 0; i <= n; ++i) {
    a[i] = i;  //@
  }
  out[0] = a[3];
}

//! run null_read(null, i32[1])
//! report out of bounds @
__global__ void null_read(const int* in, int* out) {
  out[0] = in[0];  //@
}

//! run null_checked(null, i32[1])
//! out = -1
__global__ void null_checked(const int* in, int* out) { out[0] = in != nullptr ? in[0] : -1; }

//! run half_a_vector(f32[6]=1, f32[1])
//! report out of bounds @
__global__ void half_a_vector(const float* in, float* out) {
  float4 v = reinterpret_cast<const float4*>(in)[1];  //@
  out[0] = v.x;
}

//! run wrong_row_pitch(i32[12]=0) block 4,3
//! report out of bounds @
__global__ void wrong_row_pitch(int* out) {
  out[threadIdx.y * 5 + threadIdx.x] = 1;  //@
}

//! run index_overflows(i32[4]=0, 2147483647)
//! report out of bounds @
__global__ void index_overflows(int* out, int big) {
  out[big + 1] = 1;  //@
}

//! run unsigned_underflow(i32[4]=0, 0)
//! report out of bounds @
__global__ void unsigned_underflow(int* out, unsigned zero) {
  out[zero - 1] = 1;  //@
}

//! run atomic_past_the_end(i32[8]=0, 8)
//! report out of bounds @
__global__ void atomic_past_the_end(int* bins, int bin) {
  atomicAdd(&bins[bin], 1);  //@
}

//! run constant_table_overrun(f32[1], 3)
//! report out of bounds @
__constant__ float weights[3] = {1, 2, 3};
__global__ void constant_table_overrun(float* out, int i) {
  out[0] = weights[i];  //@
}

struct Particle { float x, y, z; int id; };
//! run struct_past_the_end(f32[8]=0)
//! report out of bounds @
__global__ void struct_past_the_end(Particle* p) {
  p[2].id = 1;  //@
}

//! run copies_too_much(i32[4]=0, i32[3]=1)
//! report out of bounds @
__global__ void copies_too_much(int* to, const int* from) {
  memcpy(to, from, 4 * sizeof(int));  //@
}

//! run last_block_unguarded(i32[10]=0) grid 3 block 4
//! report out of bounds @
__global__ void last_block_unguarded(int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;  //@
}
