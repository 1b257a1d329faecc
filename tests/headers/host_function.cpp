// Calls in inline kernels. CASE 0: all are valid. Otherwise a kernel calls a function that is not available
// on a device.
#include <cassert>
#include <cstdint>
#include <cstdio>

#include <quern/inline.hpp>
#include <quern/wmma.hpp>

static inline float helper(float x) { return x + 1; }
#define CALL_HELPER(x) helper(x)
struct HostType {
  float x;
  explicit HostType(float v) : x(v) {}
};

namespace lib {
QUERN_CODE(__device__ inline float square(float v) { return v * v; })
}
using lib::square;

namespace app {

QUERN_CODE(
    struct Body {
      float x;
      __device__ explicit Body(float v) : x(v) {}
      __device__ float energy() const { return x * x; }
    };
    template <class T> __device__ T twice(T v) { return v + v; })

QUERN_KERNEL(right, (int n, float* x), {
  auto local = [&](float v) { return v * 2; };
  Body b(1.0f);
  Body other{2.0f};
  if (n > 0) x[0] = local(square(x[0])) + Body(2.0f).x + twice(b.x) + sqrtf(float(n)) + other.energy();
  x[1] = static_cast<float>(uint32_t(7)) + static_cast<float>("helper(1)"[0]) + twice<float>(x[2]);
  for (int i = 0; i < n; ++i) {
    while (i < 3) ++i;
  }
  do atomicAdd(x, 1.0f);
  while (x[0] < 1.0f);
  QUERN_UNROLL(2) for (int i = 0; i < n; ++i) __syncthreads();
  assert(n > 0);
  printf("helper(%d)\n", n);  // helper(n)
})

QUERN_TEMPLATE_KERNEL(right_template, (typename T), (T a, T* x), { x[0] = T(a) + twice(T(2)); })

QUERN_KERNEL(fragments, (float* c), {
  using namespace nvcuda::wmma;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 1.0f);
  store_matrix_sync(c, sum, 16, mem_row_major);
})

#if CASE == 1
QUERN_KERNEL(wrong, (float* x), { x[0] = 2.0f * helper(x[0]) + square(x[1]); })
#elif CASE == 2
QUERN_KERNEL(wrong, (float* x), {
  if (x[0] > 1.0f) return;
  x[0] = CALL_HELPER(x[0]);
})
#elif CASE == 3
QUERN_TEMPLATE_KERNEL(wrong, (typename T), (T * x), { x[0] = T(helper(x[0])); })
#elif CASE == 4
QUERN_KERNEL(wrong, (float* x), { x[0] = HostType(x[0]).x; })
#endif

}  // namespace app

void use(const quern::Device& device, quern::Buffer<float>& x) {
  (void)helper(HostType(1).x);
  device.launch(app::right, quern::grid(1, 1), 1, x);
  device.launch(app::right_template<float>, quern::grid(1, 1), 1, x);
  device.launch(app::fragments, quern::grid(1, 32), x);
}
