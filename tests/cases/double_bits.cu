// Double precision, bit by bit: on devices without it, the results of Quern's functions on integers. The expected values
// are those of a processor with IEEE 754 binary64.

__device__ unsigned long long next_bits(unsigned long long& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545f4914f6cdd1dull;
}
// Any bits, subnormal numbers, and numbers near 1.
__device__ double next_double(unsigned long long& state) {
  unsigned long long bits = next_bits(state), kind = next_bits(state) % 4;
  if (kind == 0) bits &= 0x800fffffffffffffull;
  if (kind >= 2) bits = (bits & 0x803fffffffffffffull) + 0x3fe0000000000000ull;
  return __longlong_as_double((long long)bits);
}
__device__ unsigned long long mixed(unsigned long long sum, double x) {
  unsigned long long bits = isnan(x) ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(x);
  return ((sum << 7) | (sum >> 57)) ^ bits;
}

//! run random_operations(u64[16]) block 16
//! out[0:4] = 12282831003346616546 3830930897896193723 10882389129925833832 1146603370690315218
//! out[4:8] = 16710361756102608953 2289669561415558740 14437666848830399510 14069497426551797976
//! out[8:12] = 7472334336006650946 4623458407985521101 8237438157322483910 7281838558072760496
//! out[12:16] = 3385219800087460940 7351533827409106283 12850633086306699784 3931476396065563579
__global__ void random_operations(unsigned long long* out) {
  unsigned long long state = threadIdx.x * 0x9e3779b97f4a7c15ull + 88172645463325252ull, sum = 0;
  for (int i = 0; i < 40; ++i) {
    double a = next_double(state), b = next_double(state), c = next_double(state);
    sum = mixed(sum, a + b);
    sum = mixed(sum, a - c);
    sum = mixed(sum, a * b);
    sum = mixed(sum, b / c);
    sum = mixed(sum, sqrt(fabs(c)));
    sum = mixed(sum, fma(a, b, c));
  }
  out[threadIdx.x] = sum;
}

//! run random_comparisons(u64[16]) block 16
//! out[0:4] = 16940769654890199737 10777881081744072605 4650250900089644028 4619347352945372116
//! out[4:8] = 8116337328489868027 8551669087943378180 11916951516464176488 10431978069178525716
//! out[8:12] = 7937149354317584659 15823669485386456364 12417293207429319024 18261231303576486133
//! out[12:16] = 13805773729255672994 804523895953036042 1468836325485312509 3781981341519121488
__global__ void random_comparisons(unsigned long long* out) {
  unsigned long long state = threadIdx.x * 0x9e3779b97f4a7c15ull + 1, sum = 0;
  for (int i = 0; i < 60; ++i) {
    double a = next_double(state), b = i % 5 == 0 ? a : next_double(state);
    sum = (sum << 6) ^ (sum >> 50) ^ ((a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b));
    sum = mixed(sum, floor(a) + ceil(b));
    sum = mixed(sum, trunc(b) - rint(a));
  }
  out[threadIdx.x] = sum;
}

//! run random_conversions(u64[16]) block 16
//! out[0:4] = 17389109474884919756 15680622361706509035 7695510420776481964 2196600285503021001
//! out[4:8] = 15751026552898384202 12382511742393436905 13077844456539594314 7886589165610940645
//! out[8:12] = 17309529591292486268 1700416063226372803 5934119177458231552 10003970050691016472
//! out[12:16] = 14102667832161140380 13978730783107222343 11218888978988637234 17833524608991388048
__global__ void random_conversions(unsigned long long* out) {
  unsigned long long state = threadIdx.x * 0x9e3779b97f4a7c15ull + 5, sum = 0;
  for (int i = 0; i < 40; ++i) {
    unsigned long long bits = next_bits(state);
    int by = (int)(next_bits(state) % 60);
    sum = mixed(sum, (double)(bits >> by));
    sum = mixed(sum, (double)((long long)bits >> by));
    sum = mixed(sum, (double)(int)bits);
    sum = mixed(sum, (double)(unsigned)bits);
    double x = (double)((long long)bits >> by) * 0.375;
    sum = sum * 31 + (unsigned long long)(long long)x + __float_as_uint((float)x);
    x = x / 9007199254740992.0;
    sum = sum * 31 + (unsigned)(int)x + (unsigned)(fabs(x) * 3.0);
    sum = mixed(sum, (double)__uint_as_float((unsigned)bits & 0xbfffffffu));
  }
  out[threadIdx.x] = sum;
}

// The steps of a search: loops, early ends and values that are used much later.
//! run roots_of_cubics(f64[8], i32[8]) block 8
//! out ~1e-16 = 0.099999999999999992 0.79370052598409979 0.99999999999999911 1.2599210498948732 3 10.001666388966024 1000 0.0015466803737720354
//! steps = 11 7 49 5 9 15 37 21
__global__ void roots_of_cubics(double* out, int* steps) {
  const double a[] = {0.001, 0.5, 1.0, 2.0, 27.0, 1000.5, 1e9, 3.7e-9};
  int i = threadIdx.x;
  double c = a[i], low = 0.0, high = c > 1.0 ? c : 1.0, x = c * 0.5;
  int n = 0;
  while (n < 60) {
    double f = x * x * x - c;
    if (f == 0.0) break;
    if (f > 0.0) {
      high = x;
    } else {
      low = x;
    }
    double next = x - f / (3.0 * x * x);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    ++n;
    if (fabs(next - x) <= 1e-15 * x) {
      x = next;
      break;
    }
    x = next;
  }
  if (n == 60) return;
  out[i] = x;
  steps[i] = n;
}

//! run block_sums(f64[32]=iota, f64[2]) block 32
//! out ~1e-16 = 321.88343764834656 311.42720102503858
__global__ void block_sums(const double* in, double* out) {
  __shared__ double part[32];
  int t = threadIdx.x;
  double x = in[t];
  part[t] = x * x + 0.1 * x - x / 3.0;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half) part[t] = part[t] + part[t + half] * 1.0000001;
    __syncthreads();
  }
  double mean = part[0] / 32.0;
  __syncthreads();
  part[t] = (x - mean) * (x - mean);
  __syncthreads();
  if (t == 0) {
    double sum = 0.0;
    for (int k = 0; k < 32; ++k) sum += part[k];
    out[0] = mean;
    out[1] = sqrt(sum / 31.0);
  }
}

struct Body {
  double position[3];
  float mass;
  double2 range;
};
//! run bodies(f64[20], 50) block 4
//! out ~1e-16 = 2.5609347696123188 -2.8286365533599214 3.1924420342808419 -2.8286365533599214 3.2092298784355178 2.5539743049624497 -2.8286605161709701 3.1900861617288747 -2.8286605161709701 3.2107706401678677 2.5609403739455887 -2.8214678692424742 3.1900984943793915 -2.8214678692424742 3.2107732975080778 2.5609347696123188 -2.8286365533599214 3.1924420342808419 -2.8286365533599214 3.2092298784355178
__global__ void bodies(double* out, int steps) {
  Body b{{1.5, -2.25, 3.0}, 0.5f, {0.0, 0.0}};
  double speed[3] = {0.5, -0.25, 0.125};
  for (int s = 0; s < steps; ++s) {
    int axis = (s + threadIdx.x) % 3;
    b.position[axis] += speed[axis] * b.mass;
    speed[axis] = speed[axis] * 0.75 - 0.001 * b.position[(axis + 1) % 3];
    b.range.x = fmin(b.range.x, b.position[axis]);
    b.range.y = fmax(b.range.y, b.position[axis]);
  }
  double* to = out + 5 * threadIdx.x;
  for (int k = 0; k < 3; ++k) to[k] = b.position[k];
  to[3] = b.range.x;
  to[4] = b.range.y;
}

//! run prints_doubles(0.1) block 1
//! prints 0.3 1e-310 -inf\n
__global__ void prints_doubles(double x) {
  double y = x * 3.0, z = 1e-300 * (x * 1e-9);
  printf("%g %g %g\n", y, z, -1.0 / (x - x));
}
