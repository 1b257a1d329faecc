// Atomic operations in their three scopes. Vectors are atomic member by member, as in CUDA. In addition to
// CUDA's types there are long and unsigned long, since size_t is one of them.

// Device scope.
__device__ int atomicAdd(int* p, int v) { return __quern_atomic_add(p, v, 1); }
__device__ unsigned atomicAdd(unsigned* p, unsigned v) { return __quern_atomic_add(p, v, 1); }
__device__ unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_add(p, v, 1);
}
__device__ long atomicAdd(long* p, long v) { return __quern_atomic_add(p, v, 1); }
__device__ unsigned long atomicAdd(unsigned long* p, unsigned long v) { return __quern_atomic_add(p, v, 1); }
__device__ float atomicAdd(float* p, float v) { return __quern_atomic_add(p, v, 1); }
__device__ double atomicAdd(double* p, double v) { return __quern_atomic_add(p, v, 1); }
__device__ __half atomicAdd(__half* p, __half v) { return __quern_atomic_add(p, v, 1); }
__device__ __nv_bfloat16 atomicAdd(__nv_bfloat16* p, __nv_bfloat16 v) { return __quern_atomic_add(p, v, 1); }
__device__ int atomicSub(int* p, int v) { return __quern_atomic_sub(p, v, 1); }
__device__ unsigned atomicSub(unsigned* p, unsigned v) { return __quern_atomic_sub(p, v, 1); }
__device__ long atomicSub(long* p, long v) { return __quern_atomic_sub(p, v, 1); }
__device__ unsigned long atomicSub(unsigned long* p, unsigned long v) { return __quern_atomic_sub(p, v, 1); }
__device__ int atomicExch(int* p, int v) { return __quern_atomic_exchange(p, v, 1); }
__device__ unsigned atomicExch(unsigned* p, unsigned v) { return __quern_atomic_exchange(p, v, 1); }
__device__ unsigned long long atomicExch(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_exchange(p, v, 1);
}
__device__ long atomicExch(long* p, long v) { return __quern_atomic_exchange(p, v, 1); }
__device__ unsigned long atomicExch(unsigned long* p, unsigned long v) {
  return __quern_atomic_exchange(p, v, 1);
}
__device__ float atomicExch(float* p, float v) { return __quern_atomic_exchange(p, v, 1); }
__device__ int atomicMin(int* p, int v) { return __quern_atomic_min(p, v, 1); }
__device__ unsigned atomicMin(unsigned* p, unsigned v) { return __quern_atomic_min(p, v, 1); }
__device__ unsigned long long atomicMin(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_min(p, v, 1);
}
__device__ long long atomicMin(long long* p, long long v) { return __quern_atomic_min(p, v, 1); }
__device__ long atomicMin(long* p, long v) { return __quern_atomic_min(p, v, 1); }
__device__ unsigned long atomicMin(unsigned long* p, unsigned long v) { return __quern_atomic_min(p, v, 1); }
__device__ int atomicMax(int* p, int v) { return __quern_atomic_max(p, v, 1); }
__device__ unsigned atomicMax(unsigned* p, unsigned v) { return __quern_atomic_max(p, v, 1); }
__device__ unsigned long long atomicMax(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_max(p, v, 1);
}
__device__ long long atomicMax(long long* p, long long v) { return __quern_atomic_max(p, v, 1); }
__device__ long atomicMax(long* p, long v) { return __quern_atomic_max(p, v, 1); }
__device__ unsigned long atomicMax(unsigned long* p, unsigned long v) { return __quern_atomic_max(p, v, 1); }
__device__ int atomicAnd(int* p, int v) { return __quern_atomic_and(p, v, 1); }
__device__ unsigned atomicAnd(unsigned* p, unsigned v) { return __quern_atomic_and(p, v, 1); }
__device__ unsigned long long atomicAnd(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_and(p, v, 1);
}
__device__ long atomicAnd(long* p, long v) { return __quern_atomic_and(p, v, 1); }
__device__ unsigned long atomicAnd(unsigned long* p, unsigned long v) { return __quern_atomic_and(p, v, 1); }
__device__ int atomicOr(int* p, int v) { return __quern_atomic_or(p, v, 1); }
__device__ unsigned atomicOr(unsigned* p, unsigned v) { return __quern_atomic_or(p, v, 1); }
__device__ unsigned long long atomicOr(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_or(p, v, 1);
}
__device__ long atomicOr(long* p, long v) { return __quern_atomic_or(p, v, 1); }
__device__ unsigned long atomicOr(unsigned long* p, unsigned long v) { return __quern_atomic_or(p, v, 1); }
__device__ int atomicXor(int* p, int v) { return __quern_atomic_xor(p, v, 1); }
__device__ unsigned atomicXor(unsigned* p, unsigned v) { return __quern_atomic_xor(p, v, 1); }
__device__ unsigned long long atomicXor(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_xor(p, v, 1);
}
__device__ long atomicXor(long* p, long v) { return __quern_atomic_xor(p, v, 1); }
__device__ unsigned long atomicXor(unsigned long* p, unsigned long v) { return __quern_atomic_xor(p, v, 1); }
__device__ unsigned atomicInc(unsigned* p, unsigned most) { return __quern_atomic_inc(p, most, 1); }
__device__ unsigned atomicDec(unsigned* p, unsigned most) { return __quern_atomic_dec(p, most, 1); }
__device__ int atomicCAS(int* p, int expected, int v) { return __quern_atomic_cas(p, expected, v, 1); }
__device__ unsigned atomicCAS(unsigned* p, unsigned expected, unsigned v) {
  return __quern_atomic_cas(p, expected, v, 1);
}
__device__ unsigned long long atomicCAS(unsigned long long* p, unsigned long long expected,
    unsigned long long v) {
  return __quern_atomic_cas(p, expected, v, 1);
}
__device__ long atomicCAS(long* p, long expected, long v) { return __quern_atomic_cas(p, expected, v, 1); }
__device__ unsigned long atomicCAS(unsigned long* p, unsigned long expected, unsigned long v) {
  return __quern_atomic_cas(p, expected, v, 1);
}
__device__ unsigned short atomicCAS(unsigned short* p, unsigned short expected, unsigned short v) {
  return __quern_atomic_cas(p, expected, v, 1);
}
__device__ __half2 atomicAdd(__half2* p, __half2 v) {
  __half2 old;
  old.x = __quern_atomic_add(&p->x, v.x, 1);
  old.y = __quern_atomic_add(&p->y, v.y, 1);
  return old;
}
__device__ __nv_bfloat162 atomicAdd(__nv_bfloat162* p, __nv_bfloat162 v) {
  __nv_bfloat162 old;
  old.x = __quern_atomic_add(&p->x, v.x, 1);
  old.y = __quern_atomic_add(&p->y, v.y, 1);
  return old;
}
__device__ float2 atomicAdd(float2* p, float2 v) {
  float2 old;
  old.x = __quern_atomic_add(&p->x, v.x, 1);
  old.y = __quern_atomic_add(&p->y, v.y, 1);
  return old;
}
__device__ float4 atomicAdd(float4* p, float4 v) {
  float4 old;
  old.x = __quern_atomic_add(&p->x, v.x, 1);
  old.y = __quern_atomic_add(&p->y, v.y, 1);
  old.z = __quern_atomic_add(&p->z, v.z, 1);
  old.w = __quern_atomic_add(&p->w, v.w, 1);
  return old;
}

// Block scope.
__device__ int atomicAdd_block(int* p, int v) { return __quern_atomic_add(p, v, 0); }
__device__ unsigned atomicAdd_block(unsigned* p, unsigned v) { return __quern_atomic_add(p, v, 0); }
__device__ unsigned long long atomicAdd_block(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_add(p, v, 0);
}
__device__ long atomicAdd_block(long* p, long v) { return __quern_atomic_add(p, v, 0); }
__device__ unsigned long atomicAdd_block(unsigned long* p, unsigned long v) {
  return __quern_atomic_add(p, v, 0);
}
__device__ float atomicAdd_block(float* p, float v) { return __quern_atomic_add(p, v, 0); }
__device__ double atomicAdd_block(double* p, double v) { return __quern_atomic_add(p, v, 0); }
__device__ __half atomicAdd_block(__half* p, __half v) { return __quern_atomic_add(p, v, 0); }
__device__ __nv_bfloat16 atomicAdd_block(__nv_bfloat16* p, __nv_bfloat16 v) {
  return __quern_atomic_add(p, v, 0);
}
__device__ int atomicSub_block(int* p, int v) { return __quern_atomic_sub(p, v, 0); }
__device__ unsigned atomicSub_block(unsigned* p, unsigned v) { return __quern_atomic_sub(p, v, 0); }
__device__ long atomicSub_block(long* p, long v) { return __quern_atomic_sub(p, v, 0); }
__device__ unsigned long atomicSub_block(unsigned long* p, unsigned long v) {
  return __quern_atomic_sub(p, v, 0);
}
__device__ int atomicExch_block(int* p, int v) { return __quern_atomic_exchange(p, v, 0); }
__device__ unsigned atomicExch_block(unsigned* p, unsigned v) { return __quern_atomic_exchange(p, v, 0); }
__device__ unsigned long long atomicExch_block(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_exchange(p, v, 0);
}
__device__ long atomicExch_block(long* p, long v) { return __quern_atomic_exchange(p, v, 0); }
__device__ unsigned long atomicExch_block(unsigned long* p, unsigned long v) {
  return __quern_atomic_exchange(p, v, 0);
}
__device__ float atomicExch_block(float* p, float v) { return __quern_atomic_exchange(p, v, 0); }
__device__ int atomicMin_block(int* p, int v) { return __quern_atomic_min(p, v, 0); }
__device__ unsigned atomicMin_block(unsigned* p, unsigned v) { return __quern_atomic_min(p, v, 0); }
__device__ unsigned long long atomicMin_block(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_min(p, v, 0);
}
__device__ long long atomicMin_block(long long* p, long long v) { return __quern_atomic_min(p, v, 0); }
__device__ long atomicMin_block(long* p, long v) { return __quern_atomic_min(p, v, 0); }
__device__ unsigned long atomicMin_block(unsigned long* p, unsigned long v) {
  return __quern_atomic_min(p, v, 0);
}
__device__ int atomicMax_block(int* p, int v) { return __quern_atomic_max(p, v, 0); }
__device__ unsigned atomicMax_block(unsigned* p, unsigned v) { return __quern_atomic_max(p, v, 0); }
__device__ unsigned long long atomicMax_block(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_max(p, v, 0);
}
__device__ long long atomicMax_block(long long* p, long long v) { return __quern_atomic_max(p, v, 0); }
__device__ long atomicMax_block(long* p, long v) { return __quern_atomic_max(p, v, 0); }
__device__ unsigned long atomicMax_block(unsigned long* p, unsigned long v) {
  return __quern_atomic_max(p, v, 0);
}
__device__ int atomicAnd_block(int* p, int v) { return __quern_atomic_and(p, v, 0); }
__device__ unsigned atomicAnd_block(unsigned* p, unsigned v) { return __quern_atomic_and(p, v, 0); }
__device__ unsigned long long atomicAnd_block(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_and(p, v, 0);
}
__device__ long atomicAnd_block(long* p, long v) { return __quern_atomic_and(p, v, 0); }
__device__ unsigned long atomicAnd_block(unsigned long* p, unsigned long v) {
  return __quern_atomic_and(p, v, 0);
}
__device__ int atomicOr_block(int* p, int v) { return __quern_atomic_or(p, v, 0); }
__device__ unsigned atomicOr_block(unsigned* p, unsigned v) { return __quern_atomic_or(p, v, 0); }
__device__ unsigned long long atomicOr_block(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_or(p, v, 0);
}
__device__ long atomicOr_block(long* p, long v) { return __quern_atomic_or(p, v, 0); }
__device__ unsigned long atomicOr_block(unsigned long* p, unsigned long v) {
  return __quern_atomic_or(p, v, 0);
}
__device__ int atomicXor_block(int* p, int v) { return __quern_atomic_xor(p, v, 0); }
__device__ unsigned atomicXor_block(unsigned* p, unsigned v) { return __quern_atomic_xor(p, v, 0); }
__device__ unsigned long long atomicXor_block(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_xor(p, v, 0);
}
__device__ long atomicXor_block(long* p, long v) { return __quern_atomic_xor(p, v, 0); }
__device__ unsigned long atomicXor_block(unsigned long* p, unsigned long v) {
  return __quern_atomic_xor(p, v, 0);
}
__device__ unsigned atomicInc_block(unsigned* p, unsigned most) { return __quern_atomic_inc(p, most, 0); }
__device__ unsigned atomicDec_block(unsigned* p, unsigned most) { return __quern_atomic_dec(p, most, 0); }
__device__ int atomicCAS_block(int* p, int expected, int v) { return __quern_atomic_cas(p, expected, v, 0); }
__device__ unsigned atomicCAS_block(unsigned* p, unsigned expected, unsigned v) {
  return __quern_atomic_cas(p, expected, v, 0);
}
__device__ unsigned long long atomicCAS_block(unsigned long long* p, unsigned long long expected,
    unsigned long long v) {
  return __quern_atomic_cas(p, expected, v, 0);
}
__device__ long atomicCAS_block(long* p, long expected, long v) {
  return __quern_atomic_cas(p, expected, v, 0);
}
__device__ unsigned long atomicCAS_block(unsigned long* p, unsigned long expected, unsigned long v) {
  return __quern_atomic_cas(p, expected, v, 0);
}
__device__ unsigned short atomicCAS_block(unsigned short* p, unsigned short expected, unsigned short v) {
  return __quern_atomic_cas(p, expected, v, 0);
}
__device__ __half2 atomicAdd_block(__half2* p, __half2 v) {
  __half2 old;
  old.x = __quern_atomic_add(&p->x, v.x, 0);
  old.y = __quern_atomic_add(&p->y, v.y, 0);
  return old;
}
__device__ __nv_bfloat162 atomicAdd_block(__nv_bfloat162* p, __nv_bfloat162 v) {
  __nv_bfloat162 old;
  old.x = __quern_atomic_add(&p->x, v.x, 0);
  old.y = __quern_atomic_add(&p->y, v.y, 0);
  return old;
}
__device__ float2 atomicAdd_block(float2* p, float2 v) {
  float2 old;
  old.x = __quern_atomic_add(&p->x, v.x, 0);
  old.y = __quern_atomic_add(&p->y, v.y, 0);
  return old;
}
__device__ float4 atomicAdd_block(float4* p, float4 v) {
  float4 old;
  old.x = __quern_atomic_add(&p->x, v.x, 0);
  old.y = __quern_atomic_add(&p->y, v.y, 0);
  old.z = __quern_atomic_add(&p->z, v.z, 0);
  old.w = __quern_atomic_add(&p->w, v.w, 0);
  return old;
}

// System scope: the device, its peers and the host.
__device__ int atomicAdd_system(int* p, int v) { return __quern_atomic_add(p, v, 2); }
__device__ unsigned atomicAdd_system(unsigned* p, unsigned v) { return __quern_atomic_add(p, v, 2); }
__device__ unsigned long long atomicAdd_system(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_add(p, v, 2);
}
__device__ long atomicAdd_system(long* p, long v) { return __quern_atomic_add(p, v, 2); }
__device__ unsigned long atomicAdd_system(unsigned long* p, unsigned long v) {
  return __quern_atomic_add(p, v, 2);
}
__device__ float atomicAdd_system(float* p, float v) { return __quern_atomic_add(p, v, 2); }
__device__ double atomicAdd_system(double* p, double v) { return __quern_atomic_add(p, v, 2); }
__device__ __half atomicAdd_system(__half* p, __half v) { return __quern_atomic_add(p, v, 2); }
__device__ __nv_bfloat16 atomicAdd_system(__nv_bfloat16* p, __nv_bfloat16 v) {
  return __quern_atomic_add(p, v, 2);
}
__device__ int atomicSub_system(int* p, int v) { return __quern_atomic_sub(p, v, 2); }
__device__ unsigned atomicSub_system(unsigned* p, unsigned v) { return __quern_atomic_sub(p, v, 2); }
__device__ long atomicSub_system(long* p, long v) { return __quern_atomic_sub(p, v, 2); }
__device__ unsigned long atomicSub_system(unsigned long* p, unsigned long v) {
  return __quern_atomic_sub(p, v, 2);
}
__device__ int atomicExch_system(int* p, int v) { return __quern_atomic_exchange(p, v, 2); }
__device__ unsigned atomicExch_system(unsigned* p, unsigned v) { return __quern_atomic_exchange(p, v, 2); }
__device__ unsigned long long atomicExch_system(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_exchange(p, v, 2);
}
__device__ long atomicExch_system(long* p, long v) { return __quern_atomic_exchange(p, v, 2); }
__device__ unsigned long atomicExch_system(unsigned long* p, unsigned long v) {
  return __quern_atomic_exchange(p, v, 2);
}
__device__ float atomicExch_system(float* p, float v) { return __quern_atomic_exchange(p, v, 2); }
__device__ int atomicMin_system(int* p, int v) { return __quern_atomic_min(p, v, 2); }
__device__ unsigned atomicMin_system(unsigned* p, unsigned v) { return __quern_atomic_min(p, v, 2); }
__device__ unsigned long long atomicMin_system(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_min(p, v, 2);
}
__device__ long long atomicMin_system(long long* p, long long v) { return __quern_atomic_min(p, v, 2); }
__device__ long atomicMin_system(long* p, long v) { return __quern_atomic_min(p, v, 2); }
__device__ unsigned long atomicMin_system(unsigned long* p, unsigned long v) {
  return __quern_atomic_min(p, v, 2);
}
__device__ int atomicMax_system(int* p, int v) { return __quern_atomic_max(p, v, 2); }
__device__ unsigned atomicMax_system(unsigned* p, unsigned v) { return __quern_atomic_max(p, v, 2); }
__device__ unsigned long long atomicMax_system(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_max(p, v, 2);
}
__device__ long long atomicMax_system(long long* p, long long v) { return __quern_atomic_max(p, v, 2); }
__device__ long atomicMax_system(long* p, long v) { return __quern_atomic_max(p, v, 2); }
__device__ unsigned long atomicMax_system(unsigned long* p, unsigned long v) {
  return __quern_atomic_max(p, v, 2);
}
__device__ int atomicAnd_system(int* p, int v) { return __quern_atomic_and(p, v, 2); }
__device__ unsigned atomicAnd_system(unsigned* p, unsigned v) { return __quern_atomic_and(p, v, 2); }
__device__ unsigned long long atomicAnd_system(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_and(p, v, 2);
}
__device__ long atomicAnd_system(long* p, long v) { return __quern_atomic_and(p, v, 2); }
__device__ unsigned long atomicAnd_system(unsigned long* p, unsigned long v) {
  return __quern_atomic_and(p, v, 2);
}
__device__ int atomicOr_system(int* p, int v) { return __quern_atomic_or(p, v, 2); }
__device__ unsigned atomicOr_system(unsigned* p, unsigned v) { return __quern_atomic_or(p, v, 2); }
__device__ unsigned long long atomicOr_system(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_or(p, v, 2);
}
__device__ long atomicOr_system(long* p, long v) { return __quern_atomic_or(p, v, 2); }
__device__ unsigned long atomicOr_system(unsigned long* p, unsigned long v) {
  return __quern_atomic_or(p, v, 2);
}
__device__ int atomicXor_system(int* p, int v) { return __quern_atomic_xor(p, v, 2); }
__device__ unsigned atomicXor_system(unsigned* p, unsigned v) { return __quern_atomic_xor(p, v, 2); }
__device__ unsigned long long atomicXor_system(unsigned long long* p, unsigned long long v) {
  return __quern_atomic_xor(p, v, 2);
}
__device__ long atomicXor_system(long* p, long v) { return __quern_atomic_xor(p, v, 2); }
__device__ unsigned long atomicXor_system(unsigned long* p, unsigned long v) {
  return __quern_atomic_xor(p, v, 2);
}
__device__ unsigned atomicInc_system(unsigned* p, unsigned most) { return __quern_atomic_inc(p, most, 2); }
__device__ unsigned atomicDec_system(unsigned* p, unsigned most) { return __quern_atomic_dec(p, most, 2); }
__device__ int atomicCAS_system(int* p, int expected, int v) { return __quern_atomic_cas(p, expected, v, 2); }
__device__ unsigned atomicCAS_system(unsigned* p, unsigned expected, unsigned v) {
  return __quern_atomic_cas(p, expected, v, 2);
}
__device__ unsigned long long atomicCAS_system(unsigned long long* p, unsigned long long expected,
    unsigned long long v) {
  return __quern_atomic_cas(p, expected, v, 2);
}
__device__ long atomicCAS_system(long* p, long expected, long v) {
  return __quern_atomic_cas(p, expected, v, 2);
}
__device__ unsigned long atomicCAS_system(unsigned long* p, unsigned long expected, unsigned long v) {
  return __quern_atomic_cas(p, expected, v, 2);
}
__device__ unsigned short atomicCAS_system(unsigned short* p, unsigned short expected, unsigned short v) {
  return __quern_atomic_cas(p, expected, v, 2);
}
__device__ __half2 atomicAdd_system(__half2* p, __half2 v) {
  __half2 old;
  old.x = __quern_atomic_add(&p->x, v.x, 2);
  old.y = __quern_atomic_add(&p->y, v.y, 2);
  return old;
}
__device__ __nv_bfloat162 atomicAdd_system(__nv_bfloat162* p, __nv_bfloat162 v) {
  __nv_bfloat162 old;
  old.x = __quern_atomic_add(&p->x, v.x, 2);
  old.y = __quern_atomic_add(&p->y, v.y, 2);
  return old;
}
__device__ float2 atomicAdd_system(float2* p, float2 v) {
  float2 old;
  old.x = __quern_atomic_add(&p->x, v.x, 2);
  old.y = __quern_atomic_add(&p->y, v.y, 2);
  return old;
}
__device__ float4 atomicAdd_system(float4* p, float4 v) {
  float4 old;
  old.x = __quern_atomic_add(&p->x, v.x, 2);
  old.y = __quern_atomic_add(&p->y, v.y, 2);
  old.z = __quern_atomic_add(&p->z, v.z, 2);
  old.w = __quern_atomic_add(&p->w, v.w, 2);
  return old;
}
