// <curand_kernel.h>: Poisson numbers and discrete distributions.

// Small means: by multiplying uniform numbers (Knuth, "The Art of Computer Programming", volume 2).
template <class State>
__device__ unsigned __lib_poisson_product(State* s, float mean) {
  unsigned count = 0;
  for (float product = expf(mean) * curand_uniform(s); product > 1.0f; product *= curand_uniform(s)) ++count;
  return count;
}
// Mean from 10: rejection (Hoermann, "The transformed rejection method for generating Poisson random
// variables", 1993, algorithm PTRS).
template <class State>
__device__ unsigned __lib_poisson_rejection(State* s, float mean) {
  const float root = sqrtf(mean);
  const float b = 0.931f + 2.53f * root;
  const float a = -0.059f + 0.02483f * b;
  const float near = 0.9277f - 3.6224f / (b - 2.0f);
  for (;;) {
    const float u = curand_uniform(s) - 0.5f;
    const float v = curand_uniform(s);
    const float edge = 0.5f - fabsf(u);
    if (edge < 0.013f && v > edge) continue;
    const float k = floorf((2.0f * a / edge + b) * u + mean + 0.43f);
    if (edge >= 0.07f && v <= near) return unsigned(k);
    if (k < 0.0f) continue;
    const float scale = 1.1239f + 1.1328f / (b - 3.4f);
    const double bound = double(k) * log(double(mean)) - double(mean) - lgamma(double(k) + 1.0);
    if (double(logf(v * scale / (a / (edge * edge) + b))) <= bound) return unsigned(k);
  }
}
__device__ unsigned __lib_poisson_of_normal(double normal, double mean) {
  return unsigned(fma(sqrt(mean), normal, mean) + 0.5);
}
// From one draw: the first number at which the distribution reaches u. As e^-mean may underflow, it is
// multiplied in parts.
__device__ unsigned __lib_poisson_inverse(double u, double mean) {
  double p = 1, sum = 1;
  unsigned k = 0;
  for (double done = 0; done < mean; done += 500.0) {
    const double part = exp(mean > done + 500.0 ? -500.0 : done - mean);
    p *= part;
    sum *= part;
    while (u > sum && p > 0) {
      p *= mean / double(++k);
      sum += p;
    }
  }
  return k;
}
__device__ unsigned __lib_poisson_of(unsigned x, double mean) {
  if (mean >= 1000) return __lib_poisson_of_normal(__lib_normal_inverse_double(x), mean);
  return __lib_poisson_inverse(double(x) * 0x1p-32 + 0x1p-33, mean);
}
__device__ unsigned __lib_poisson_of(unsigned long long x, double mean) {
  if (mean >= 1000) return __lib_poisson_of_normal(__lib_normal_inverse_double(x), mean);
  return __lib_poisson_inverse(double(x >> 11) * 0x1p-53 + 0x1p-55, mean);
}
template <class State>
__device__ unsigned curand_poisson(State* s, double mean) {
  if constexpr (State::__is_inverted) {
    return __lib_poisson_of(curand(s), mean);
  } else {
    if (mean > 4000) return __lib_poisson_of_normal(curand_normal_double(s), mean);
    return mean < 64 ? __lib_poisson_product(s, float(mean)) : __lib_poisson_rejection(s, float(mean));
  }
}
__device__ uint4 curand_poisson4(curandStatePhilox4_32_10* s, double mean) {
  uint4 result;
  if (mean > 4000) {
    double4 v = curand_normal4_double(s);
    result.x = __lib_poisson_of_normal(v.x, mean);
    result.y = __lib_poisson_of_normal(v.y, mean);
    result.z = __lib_poisson_of_normal(v.z, mean);
    result.w = __lib_poisson_of_normal(v.w, mean);
  } else {
    result.x = curand_poisson(s, mean);
    result.y = curand_poisson(s, mean);
    result.z = curand_poisson(s, mean);
    result.w = curand_poisson(s, mean);
  }
  return result;
}

// Discrete distributions as tables, which the host prepares: numbers in a square histogram (Marsaglia, Tsang
// and Wang, "Fast generation of discrete random variables", 2004), or rounded normal numbers.
enum curandMethod {
  CURAND_CHOOSE_BEST,
  CURAND_ITR,
  CURAND_KNUTH,
  CURAND_HITR,
  CURAND_M1,
  CURAND_M2,
  CURAND_BINARY_SEARCH,
  CURAND_DISCRETE_GAUSS,
  CURAND_REJECTION,
  CURAND_DEVICE_API,
  CURAND_FAST_REJECTION,
  CURAND_3RD,
  CURAND_DEFINITION,
  CURAND_POISSON
};
using curandMethod_t = curandMethod;
struct curandHistogramM2_st {
  double *V, *host_V;
  unsigned *K, *host_K;
  unsigned host_gen;
};
using curandHistogramM2_t = curandHistogramM2_st*;
struct curandDistributionM2Shift_st {
  curandHistogramM2_t histogram, host_histogram;
  unsigned shift, length, host_gen;
};
using curandDistributionM2Shift_t = curandDistributionM2Shift_st*;
struct curandDiscreteDistribution_st {
  curandDiscreteDistribution_st* self_host_ptr;
  curandDistributionM2Shift_t M2, host_M2;
  double stddev, mean;
  curandMethod_t method;
  unsigned host_gen;
};
using curandDiscreteDistribution_t = curandDiscreteDistribution_st*;

template <class Word>
__device__ unsigned __lib_discrete_of(Word x, const curandDistributionM2Shift_st* table) {
  const double u = __lib_uniform_double(x);
  const unsigned column = min(unsigned(floor(double(table->length) * u)), table->length - 1);  // u may be 1
  return table->shift + (u < table->histogram->V[column] ? column : table->histogram->K[column]);
}
template <class State>
__device__ unsigned curand_discrete(State* s, curandDiscreteDistribution_t d) {
  if (d->method == CURAND_M2) return __lib_discrete_of(curand(s), d->M2);
  return unsigned(fma(d->stddev, curand_normal_double(s), d->mean) + 0.5);
}
__device__ uint4 curand_discrete4(curandStatePhilox4_32_10* s, curandDiscreteDistribution_t d) {
  if (d->method == CURAND_M2) {
    uint4 x = curand4(s);
    return uint4{__lib_discrete_of(x.x, d->M2), __lib_discrete_of(x.y, d->M2), __lib_discrete_of(x.z, d->M2),
                 __lib_discrete_of(x.w, d->M2)};
  }
  double4 v = curand_normal4_double(s);
  return uint4{unsigned(fma(d->stddev, v.x, d->mean) + 0.5), unsigned(fma(d->stddev, v.y, d->mean) + 0.5),
               unsigned(fma(d->stddev, v.z, d->mean) + 0.5), unsigned(fma(d->stddev, v.w, d->mean) + 0.5)};
}
