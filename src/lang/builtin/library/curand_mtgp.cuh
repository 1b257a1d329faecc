// <curand_kernel.h>: MTGP32 (Saito and Matsumoto, "Variants of Mersenne twister suitable for graphic
// processors", 2013), with 11213 bits. The threads of a block, at most 256, draw from one state together. As
// in CUDA, the program prepares states and tables on the host.

struct mtgp32_kernel_params {
  unsigned pos_tbl[200];
  unsigned param_tbl[200][16], temper_tbl[200][16], single_temper_tbl[200][16];
  unsigned sh1_tbl[200], sh2_tbl[200];
  unsigned mask[1];
};
using mtgp32_kernel_params_t = mtgp32_kernel_params;
struct curandStateMtgp32 {
  static constexpr bool __is_inverted = true;
  unsigned s[1024];
  int offset, pIdx;
  mtgp32_kernel_params_t* k;
};
using curandStateMtgp32_t = curandStateMtgp32;

// Number `index` of the next ones, which thread 0 of them all removes afterwards.
__device__ unsigned __lib_mtgp_draw(curandStateMtgp32* s, unsigned index, unsigned count) {
  const mtgp32_kernel_params_t* k = s->k;
  const int set = s->pIdx;
  const unsigned at = unsigned(s->offset) + index;
  const unsigned pick = k->pos_tbl[set];
  unsigned x = (s->s[at & 1023] & k->mask[0]) ^ s->s[at + 1 & 1023];
  x ^= x << k->sh1_tbl[set];
  x ^= s->s[at + pick & 1023] >> k->sh2_tbl[set];
  x ^= k->param_tbl[set][x & 15];
  s->s[at + 351 & 1023] = x;
  unsigned t = s->s[at + pick - 1 & 1023];
  t ^= t >> 16;
  t ^= t >> 8;
  x ^= k->temper_tbl[set][t & 15];
  __syncthreads();
  if (index == 0) s->offset = s->offset + int(count) & 1023;
  __syncthreads();
  return x;
}
__device__ unsigned curand(curandStateMtgp32* s) {
  return __lib_mtgp_draw(s, (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,
                         blockDim.x * blockDim.y * blockDim.z);
}
__device__ unsigned curand_mtgp32_specific(curandStateMtgp32* s, unsigned char index, unsigned char count) {
  return __lib_mtgp_draw(s, index, count);
}
