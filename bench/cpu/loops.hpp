// The same work as the kernels, written by hand: loops that the compiler vectorizes, on all threads.
#pragma once

#include <cstdint>

namespace quern::bench {

struct Body {
  float x, y, z, w;
};

void copy_loop(int n, const float* a, float* c);
// memcpy, each thread its part.
void copy_by_library(int n, const float* a, float* c);
void saxpy_loop(int n, float a, const float* x, float* y);
void triad_loop(int n, float s, const float* b, const float* c, float* a);
void stencil2d_loop(int nx, int ny, const float* in, float* out);
void stencil3d_loop(int nx, int ny, int nz, const float* in, float* out);
void nbody_loop(int n, const Body* bodies, Body* forces);
void mandelbrot_loop(int n, int most, int* out);
void black_scholes_loop(int n, float rate, float volatility, const float* price, const float* strike,
                        const float* years, float* call, float* put);
void matmul_loop(int n, const float* a, const float* b, float* c);
// Sums of `pieces` parts.
void reduce_loop(int n, int pieces, const float* in, float* out);
// The same in the order of kernels with grid-stride loops: `blocks` blocks of `size` threads, distributed
// over the machine's threads.
void saxpy_in_turns(int n, int blocks, int size, float a, const float* x, float* y);
void reduce_in_turns(int n, int blocks, int size, const float* in, float* out);
void scan_loop(int blocks, int size, const int* in, int* out);
void histogram_loop(int n, const uint32_t* data, uint32_t* bins);
void spmv_loop(int rows, const int* starts, const int* columns, const float* values, const float* x,
               float* y);
void softmax_loop(int rows, int n, const float* in, float* out);
void sort_step_loop(int n, int j, int k, int* data);
int loop_threads();
// Otherwise the threads spin for milliseconds.
void end_loop_threads();

}  // namespace quern::bench
