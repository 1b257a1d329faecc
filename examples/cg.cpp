// Conjugate gradients in double precision for the Poisson equation on a square, with the matrix in CSR form.
// All scalars stay on the device: the host only reads the residual, every 16 iterations. Opening a device
// without double precision fails.
//
//   cg [DEVICE] [SIZE]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <quern/inline.hpp>

QUERN_CODE(constexpr int kThreads = 128;

           // The sum over the block, in every thread.
           __device__ inline double block_sum(double value, double* scratch) {
             scratch[threadIdx.x] = value;
             __syncthreads();
             for (unsigned half = kThreads / 2; half > 0; half /= 2) {
               if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
               __syncthreads();
             }
             double sum = scratch[0];
             __syncthreads();
             return sum;
           })

QUERN_KERNEL(multiply,
             (int n, const int* row_start, const int* column, const double* value, const double* x,
              double* y),
             {
               int row = blockIdx.x * blockDim.x + threadIdx.x;
               if (row >= n) return;
               double sum = 0.0;
               for (int k = row_start[row]; k < row_start[row + 1]; ++k) sum += value[k] * x[column[k]];
               y[row] = sum;
             })

// partial[b]: the sum of a[i] * b[i] over the elements of block b.
QUERN_KERNEL(dot_blocks, (int n, const double* a, const double* b, double* partial), {
  __shared__ double scratch[kThreads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = block_sum(i < n ? a[i] * b[i] : 0.0, scratch);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
})

// One block adds up the partial sums, always in the same order.
QUERN_KERNEL(finish_dot, (int blocks, const double* partial, double* result), {
  __shared__ double scratch[kThreads];
  double mine = 0.0;
  for (int i = threadIdx.x; i < blocks; i += kThreads) mine += partial[i];
  double sum = block_sum(mine, scratch);
  if (threadIdx.x == 0) *result = sum;
})

// x += alpha p, r -= alpha q, with alpha = rr / pq
QUERN_KERNEL(advance,
             (int n, const double* rr, const double* pq, const double* p, const double* q, double* x,
              double* r),
             {
               int i = blockIdx.x * blockDim.x + threadIdx.x;
               if (i >= n) return;
               double alpha = *pq != 0.0 ? *rr / *pq : 0.0;
               x[i] += alpha * p[i];
               r[i] -= alpha * q[i];
             })

// p = r + beta p, with beta = rr / previous rr
QUERN_KERNEL(redirect, (int n, const double* rr, const double* previous, const double* r, double* p), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double beta = *previous != 0.0 ? *rr / *previous : 0.0;
  p[i] = r[i] + beta * p[i];
})

namespace {

struct Matrix {
  std::vector<int> row_start{0}, column;
  std::vector<double> value;
};

// The 5-point Laplacian on a size x size grid.
Matrix laplacian(int size) {
  Matrix m;
  const auto add = [&](int x, int y, double v) {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    m.column.push_back(y * size + x);
    m.value.push_back(v);
  };
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      add(x, y - 1, -1.0), add(x - 1, y, -1.0), add(x, y, 4.0), add(x + 1, y, -1.0), add(x, y + 1, -1.0);
      m.row_start.push_back(static_cast<int>(m.column.size()));
    }
  }
  return m;
}

int run(std::string device, int size) {
  device += ",has=fp64";
  const quern::Device gpu = quern::open(device);
  const int n = size * size, blocks = (n + kThreads - 1) / kThreads;
  const Matrix matrix = laplacian(size);
  const std::vector<double> right_side(static_cast<std::size_t>(n), 1.0);

  auto row_start = gpu.upload(matrix.row_start);
  auto column = gpu.upload(matrix.column);
  auto value = gpu.upload(matrix.value);
  auto x = gpu.upload(std::vector<double>(right_side.size(), 0.0));
  auto r = gpu.upload(right_side), p = gpu.upload(right_side);
  auto q = gpu.allocate<double>(right_side.size());
  auto partial = gpu.allocate<double>(static_cast<std::size_t>(blocks));
  auto scalars = gpu.upload(std::vector<double>(3, 0.0));
  auto rr = scalars.slice(0, 1), previous = scalars.slice(1, 1);
  const auto pq = scalars.slice(2, 1);

  const quern::LaunchConfig rows = quern::grid(blocks, kThreads), one_block = quern::grid(1, kThreads);
  const auto dot = [&](const auto& a, const auto& b, const auto& result) {
    gpu.launch(dot_blocks, rows, n, a, b, partial);
    gpu.launch(finish_dot, one_block, blocks, partial, result);
  };
  dot(r, r, rr);
  const double first = std::sqrt(rr.download()[0]);
  double residual = first;
  int iteration = 0;
  for (; residual > 1e-10 * first && iteration < 10 * size; ++iteration) {
    gpu.launch(multiply, rows, n, row_start, column, value, p, q);
    dot(p, q, pq);
    gpu.launch(advance, rows, n, rr, pq, p, q, x, r);
    std::swap(rr, previous);
    dot(r, r, rr);
    gpu.launch(redirect, rows, n, rr, previous, r, p);
    if (iteration % 16 == 15) residual = std::sqrt(rr.download()[0]);
  }

  // The true residual, on the host.
  const std::vector<double> solution = x.download();
  double error = 0;
  for (std::size_t row = 0; row < solution.size(); ++row) {
    double sum = 0;
    for (int k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      sum += matrix.value[at] * solution[static_cast<std::size_t>(matrix.column[at])];
    }
    error = std::max(error, std::abs(right_side[row] - sum));
  }
  std::printf("%s (%s): %d unknowns, %d iterations, largest residual on the host %.2g\n", gpu.name().c_str(),
              gpu.driver().c_str(), n, iteration, error);
  return error < 1e-7 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int size = argc > 2 ? std::atoi(argv[2]) : 64;
  if (size < 2 || size > 4096) {
    std::fprintf(stderr, "usage: cg [DEVICE] [SIZE]     SIZE is from 2 to 4096\n");
    return 2;
  }
  try {
    return run(argc > 1 ? argv[1] : "", size);
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "cg: %s\n", error.what());
    return 3;
  }
}
