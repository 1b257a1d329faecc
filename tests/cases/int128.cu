// __int128 and unsigned __int128.
//! run wide_sizes(i32[4])
//! out = 16 16 16 16
__global__ void wide_sizes(int* out) {
  struct Pair {
    char c;
    unsigned __int128 v;
  };
  out[0] = sizeof(__int128);
  out[1] = alignof(unsigned __int128);
  out[2] = sizeof(__uint128_t);
  out[3] = sizeof(Pair) - 16;
}

//! run wide_add(u64[6], 18446744073709551615) block 1
//! out = 0 1 18446744073709551615 0 18446744073709551614 18446744073709551615
__global__ void wide_add(unsigned long long* out, unsigned long long most) {
  unsigned __int128 a = most;
  a += 1;
  out[0] = (unsigned long long)a;
  out[1] = (unsigned long long)(a >> 64);
  unsigned __int128 b = a - 1;
  out[2] = (unsigned long long)b;
  out[3] = b >> 64;
  __int128 c = -2;
  out[4] = c;
  out[5] = c >> 64;
}

//! run wide_multiply(u64[4], 18446744073709551615, 1234567890123456789)
//! out = 1 18446744073709551614 890000000000000000 12345678901234567
__global__ void wide_multiply(unsigned long long* out, unsigned long long a, unsigned long long b) {
  const unsigned __int128 p = (unsigned __int128)a * a;
  out[0] = (unsigned long long)p;
  out[1] = (unsigned long long)(p >> 64);
  const unsigned __int128 q = (unsigned __int128)b * 10000000000000000ull;
  out[2] = (unsigned long long)(q % 1000000000000000000ull);
  out[3] = (unsigned long long)(q / 1000000000000000000ull);
}

//! run wide_divide(i64[8], -1000)
//! out = -7 -6 142 -7 6 0 1000 -1000
__global__ void wide_divide(long long* out, long long n) {
  const __int128 a = n;
  out[0] = (long long)(a / 142);
  out[1] = (long long)(a % 142);
  const __int128 big = (__int128)1 << 100;
  out[2] = (long long)((big * 142 + 6) / big);
  out[3] = (long long)(-(big * 7) / big);
  out[4] = (long long)((big * 142 + 6) % big);
  const __int128 zero = n + 1000;
  out[5] = (long long)(a / zero);
  out[6] = (long long)(-a % zero);
  out[7] = (long long)(a % zero);
}

//! run wide_compare(i32[10], -1)
//! out = 1 0 1 1 0 1 1 1 1 0
__global__ void wide_compare(int* out, int minus) {
  const __int128 a = minus;
  const __int128 b = (__int128)1 << 90;
  const unsigned __int128 u = (unsigned __int128)a;
  out[0] = a < b;
  out[1] = a > b;
  out[2] = u > (unsigned __int128)b;
  out[3] = a == -1;
  out[4] = a != -1;
  out[5] = 5 < b;
  out[6] = b >= 5;
  out[7] = a <= -1.0;
  out[8] = a ? 1 : 0;
  out[9] = !b;
}

//! run wide_shift(u64[8], 70)
//! out = 0 64 1 0 18446744073709551615 18446744073709551615 4 9
__global__ void wide_shift(unsigned long long* out, int n) {
  const unsigned __int128 one = 1;
  out[0] = (unsigned long long)(one << n);
  out[1] = (unsigned long long)(one << n >> 64);
  out[2] = (unsigned long long)(one << n >> n);
  out[3] = (unsigned long long)(one >> 1);
  const __int128 low = (__int128)-1 << 80;
  out[4] = (unsigned long long)(low >> 80);
  out[5] = (unsigned long long)(low >> 127);
  unsigned __int128 x = 1;
  x <<= 66;
  x >>= 64;
  out[6] = (unsigned long long)x;
  x ^= 13;
  x &= 0xf;
  out[7] = (unsigned long long)x;
}

//! run wide_floats(f64[6], -3.75)
//! out = -3 18446744073709551616 -18446744073709551616 3.402823669209385e+38 1.2676506002282294e+30 2.5
__global__ void wide_floats(double* out, double d) {
  out[0] = (double)(__int128)d;
  const __int128 x = (__int128)1 << 64;
  out[1] = (double)x;
  out[2] = (double)-x;
  out[3] = (double)~(unsigned __int128)0;
  out[4] = (double)(__int128)1267650600228229401496703205376.0;
  out[5] = x * 2.5 / 18446744073709551616.0;
}

struct WideAccount {
  int id;
  __int128 sum;
};

//! run wide_in_structs(i64[4]) block 4
//! out = 0 3 12 27
__global__ void wide_in_structs(long long* out) {
  __shared__ WideAccount accounts[4];
  const int i = threadIdx.x;
  accounts[i] = {i, (__int128)i << 70};
  __syncthreads();
  WideAccount mine = accounts[3 - (3 - i)];
  mine.sum *= 3;
  mine.sum *= mine.id;
  out[i] = (long long)(mine.sum >> 70);
}

//! run wide_buffer(u64[8]=iota) block 4
//! out = 1 1 5 3 9 5 13 7
__global__ void wide_buffer(unsigned long long* out) {
  unsigned __int128* wide = (unsigned __int128*)out;
  const unsigned __int128 v = wide[threadIdx.x];
  wide[threadIdx.x] = v + (v >> 64);
}

__device__ unsigned long long wide_gcd(unsigned __int128 a, unsigned __int128 b) {
  while (b != 0) {
    const unsigned __int128 t = a % b;
    a = b;
    b = t;
  }
  return (unsigned long long)a;
}

//! run wide_programs(u64[3])
//! out = 18014398509481984 3486784401 55
__global__ void wide_programs(unsigned long long* out) {
  out[0] = wide_gcd((unsigned __int128)1 << 100, ((unsigned __int128)3 << 54));
  unsigned __int128 power = 1;
  for (int i = 0; i < 60; ++i) power *= 3;
  for (int i = 0; i < 40; ++i) power /= 3;
  out[1] = (unsigned long long)power;
  __int128 sum = 0;
  for (__int128 i = 1; i <= 10; i++) sum += i;
  out[2] = (unsigned long long)sum;
}

constexpr __int128 kWideConstant = ((__int128)5 << 66) + 9;
static_assert(kWideConstant >> 66 == 5 && (kWideConstant & 15) == 9);

//! run wide_constants(i64[2])
//! out = 5 9
__global__ void wide_constants(long long* out) {
  out[0] = (long long)(kWideConstant >> 66);
  out[1] = (long long)(kWideConstant & 0xff);
}
