// Kernels in a program whose headers declare every name of the kernel language (names.hpp, which run.sh
// writes), as functions and as variables, before or after Quern's.
#ifdef BEFORE
#include "names.hpp"
#endif
#include <quern/inline.hpp>
#ifndef BEFORE
#include "names.hpp"
#endif

namespace app {

QUERN_CODE(
    struct Body { float x, y; }; __device__ inline float3 make_float3(float v) {
      return float3{v, v, v};
    } __device__ inline float norm(Body b) { return sqrtf(b.x * b.x + b.y * b.y) + sinpif(b.x); })

QUERN_KERNEL(calls, (const float* in, float* out), {
  float x = in[threadIdx.x];
  out[0] = sinpif(x) + cospi(x) + __saturatef(x) + saturate(x);
  out[1] = static_cast<float>(rsqrt(static_cast<double>(x)) + fmax(x, 1.0f) + max(1, 2));
  out[2] = norm(Body{x, x}) + make_float3(x).x + make_float3(x, x, x).y;
  out[3] = static_cast<float>(llmax(1, 2) + __popc(3u) + __float_as_int(x));
  float4 v = make_float4(x, x, x, x);
  out[4] = __half2float(hsqrt(__float2half(v.x)));
  atomicAdd(&out[5], v.w);
  __syncthreads();
})

// Each name separately: an ambiguous unqualified name stops the compilation, also in a template.
QUERN_KERNEL(all_names, (), {QUERN_ALL_NAMES})

void launch(const quern::Device& device, const quern::Buffer<float>& in, quern::Buffer<float>& out) {
  device.launch(calls, quern::grid(1, 1), in, out);
  device.launch(all_names, quern::grid(1, 1));
}

}  // namespace app

QUERN_KERNEL(outside, (float* out), { out[0] = sinpif(out[1]) + __expf(out[2]); })
