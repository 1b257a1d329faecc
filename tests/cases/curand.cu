// <curand_kernel.h>. Philox is held to the known answers that its authors publish (Random123, kat_vectors); XORWOW
// to its recurrence, with jumps by matrices instead of polynomials, computed elsewhere.
#include <curand_kernel.h>

//! run philox_known_answers(u32[12]) block 1
//! out = 1713891541 3781805453 3159862348 2600524760 1083123565 1103641358 2718681030 1834242557 3513581065 2499661035 1342301216 605187745
__global__ void philox_known_answers(unsigned* out) {
  const uint4 counters[3] = {{0, 0, 0, 0},
                             {~0u, ~0u, ~0u, ~0u},
                             {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}};
  const unsigned long long seeds[3] = {0, ~0ull, 0x299f31d0a4093822ull};
  for (int i = 0; i < 3; ++i) {
    curandStatePhilox4_32_10_t state;
    curand_init(seeds[i], 0, 0, &state);
    state.ctr = counters[i];
    skipahead(0, &state);
    uint4 got = curand4(&state);
    out[4 * i] = got.x;
    out[4 * i + 1] = got.y;
    out[4 * i + 2] = got.z;
    out[4 * i + 3] = got.w;
  }
}

// One stream, however it is drawn: words 0 to 11 of sequence 5.
//! run philox_draws(u32[12], u32[4], u32[4]) block 1
//! out = 2072206047 1756863668 2065836197 3747278620 2557553593 3331768798 1480969198 1957083671 915798674 4164440714 4050748539 2985951950
//! skipped = 3331768798 1480969198 1957083671 915798674
//! far = 1122023603 2109693416 803682772 1789854699
__global__ void philox_draws(unsigned* out, unsigned* skipped, unsigned* far) {
  curandStatePhilox4_32_10_t state;
  curand_init(42, 5, 0, &state);
  for (int i = 0; i < 3; ++i) out[i] = curand(&state);
  for (int i = 3; i < 11; i += 4) {
    uint4 four = curand4(&state);
    out[i] = four.x;
    out[i + 1] = four.y;
    out[i + 2] = four.z;
    out[i + 3] = four.w;
  }
  out[11] = curand(&state);
  curand_init(42, 5, 3, &state);
  skipahead(2, &state);
  for (int i = 0; i < 4; ++i) skipped[i] = curand(&state);
  curand_init(42, 0, (1ull << 34) - 1, &state);
  curand(&state);
  for (int i = 0; i < 4; ++i) far[i] = curand(&state);
}

//! run xorwow_draws(u32[10]) block 1
//! out = 624778773 1867875844 3522650202 3978931785 2413296003 2081105670 87242213 3233446011 1972021842 771611568
__global__ void xorwow_draws(unsigned* out) {
  const unsigned long long seeds[5] = {1234, 1234, 1234, 1234, 0x123456789abcdefull};
  const unsigned long long sequences[5] = {0, 1, 1000, 0, 77777};
  const unsigned long long offsets[5] = {0, 0, 0, 12345, 1000000000000ull};
  for (int i = 0; i < 5; ++i) {
    curandState state;
    curand_init(seeds[i], sequences[i], offsets[i], &state);
    out[2 * i] = curand(&state);
    out[2 * i + 1] = curand(&state);
  }
}

// The known output of cuRAND's host interface, which interleaves the sequences, for seed 1234.
//! run xorwow_as_known(f32[10]) block 10
//! out ~4e-3 = 0.1455 0.8202 0.5504 0.2948 0.9147 0.8690 0.3219 0.7829 0.0113 0.2855
__global__ void xorwow_as_known(float* out) {
  curandState state;
  curand_init(1234, threadIdx.x, 0, &state);
  out[threadIdx.x] = curand_uniform(&state);
}

//! run skipping_is_stepping(u32[64]) block 64
//! out = 0*64
__global__ void skipping_is_stepping(unsigned* out) {
  curandState jumped, stepped;
  curand_init(threadIdx.x, 3, threadIdx.x * 37, &jumped);
  curand_init(threadIdx.x, 3, 0, &stepped);
  for (int i = 0; i < threadIdx.x * 37; ++i) curand(&stepped);
  out[threadIdx.x] = curand(&jumped) - curand(&stepped);
}

//! run uniform_numbers(f32[6], f64[2]) block 1
//! out = 0.48247308 0.4090517 0.48098996 0.8724813 1 1.1641532e-10
//! wide = 0.48247306793928146 0.40905169886536896
__global__ void uniform_numbers(float* out, double* wide) {
  curandStatePhilox4_32_10_t state;
  curand_init(42, 5, 0, &state);
  float4 four = curand_uniform4(&state);
  out[0] = four.x;
  out[1] = four.y;
  out[2] = four.z;
  out[3] = four.w;
  state.output = uint4{~0u, 0, 0, 0};  // the limits
  out[4] = curand_uniform(&state);
  out[5] = curand_uniform(&state);
  curand_init(42, 5, 0, &state);
  wide[0] = curand_uniform_double(&state);
  wide[1] = curand_uniform_double(&state);
}

// Mean, variance and the part below one deviation; of Poisson numbers mean and variance.
//! run distributions(f32[8]=0) block 256
//! out ~0.05 = 1 1 0.6827 1 0.5 7 7 1.1331
__global__ void distributions(float* out) {
  curandState state;
  curandStatePhilox4_32_10_t philox;
  curand_init(99, threadIdx.x, 0, &state);
  curand_init(7, threadIdx.x, 0, &philox);
  float sum = 0, squares = 0, near = 0, four = 0, uniform = 0, poisson = 0, poisson_squares = 0, log = 0;
  for (int i = 0; i < 16; ++i) {
    float x = curand_normal(&state);
    sum += x;
    squares += x * x;
    near += fabsf(x) < 1 ? 1 : 0;
    float4 y = curand_normal4(&philox);
    four += (y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w) / 4;
    uniform += curand_uniform(&state);
    float n = curand_poisson(&state, 7.0);
    poisson += n;
    poisson_squares += (n - 7) * (n - 7);
    log += curand_log_normal(&philox, 0, 0.5f);
  }
  const float count = 256 * 16;
  atomicAdd(out, (sum + 16) / count);
  atomicAdd(out + 1, squares / count);
  atomicAdd(out + 2, near / count);
  atomicAdd(out + 3, four / count);
  atomicAdd(out + 4, uniform / count);
  atomicAdd(out + 5, poisson / count);
  atomicAdd(out + 6, poisson_squares / count);
  atomicAdd(out + 7, log / count);
}

//! run normal_numbers_of_double(f64[3], u64[2]) block 1
//! out ~1e-12 = 1 1 1
//! sizes = 48 64
__global__ void normal_numbers_of_double(double* out, unsigned long long* sizes) {
  curandState state, again, third;
  curand_init(5, 0, 0, &state);
  again = state;
  third = state;
  double2 pair = curand_normal2_double(&again);
  out[0] = curand_normal_double(&state) / pair.x;
  out[1] = curand_normal_double(&state) / pair.y;  // the cached one
  double u = curand_uniform_double(&third);
  out[2] = (pair.x * pair.x + pair.y * pair.y) / (-2 * ::log(u));
  sizes[0] = sizeof(curandState);
  sizes[1] = sizeof(curandStatePhilox4_32_10_t);
}

// The results of NVIDIA's library.
//! run numbers_as_known(f64[12]) block 1
//! out ~2e-6 = 0.652985454 -1.01551485 0.48099016415371537 0.59547694116870131 -0.5155146120559525 0.084101937923880141 0.32187143 -1.05795157 0.45299457344015065 1.2001623981643181 3.19291973 4.953434622410714
__global__ void numbers_as_known(double* out) {
  curandStatePhilox4_32_10_t philox;
  curand_init(42, 5, 0, &philox);
  out[0] = curand_normal(&philox);
  out[1] = curand_normal(&philox);
  curand_init(42, 5, 1, &philox);
  double2 two = curand_uniform2_double(&philox);
  out[2] = two.x;
  out[3] = two.y;
  curand_init(42, 5, 2, &philox);
  out[4] = curand_normal_double(&philox);
  out[5] = curand_normal_double(&philox);
  curandState state, first;
  curand_init(7, 3, 1, &first);
  state = first;
  out[6] = curand_normal(&state);
  out[7] = curand_normal(&state);
  state = first;
  out[8] = curand_uniform_double(&state);
  state = first;
  out[9] = curand_normal_double(&state);
  state = first;
  out[10] = curand_log_normal(&state, 1.0f, 0.5f);
  state = first;
  out[11] = curand_log_normal2_double(&state, 1.0, 0.5).x;
}
