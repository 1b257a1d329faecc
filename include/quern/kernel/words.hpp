// The words of the kernel language that are no names of C++, for the host's compiler. Those it reserves for
// implementations only; nothing a program may use for itself.
#pragma once

#ifndef __CUDACC__
#ifndef __device__
#define __device__
#define __global__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
// One for all threads of a block: a block runs on one thread of the host.
#define __shared__ thread_local
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#endif
#endif
