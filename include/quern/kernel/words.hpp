// Keywords of the kernel language that are not C++ keywords, for the host compiler. All of them are
// identifiers that C++ reserves for implementations, so programs cannot use them for anything else.
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
// One object for all threads of a block: a block runs on a single host thread.
#define __shared__ thread_local
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#endif
#endif
