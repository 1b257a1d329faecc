// Indices of tensors with strides, and predefined functions of two values.

namespace quern_ops {

// Extents and strides of N tensors that are traversed together.
template <int R, int N>
struct Index {
  long long extent[R > 0 ? R : 1];
  long long stride[N][R > 0 ? R : 1];
  long long first[N];

  // The offsets of element i in every tensor.
  __device__ void offsets(long long i, long long (&at)[N]) const {
    for (int t = 0; t < N; ++t) at[t] = first[t];
#pragma unroll
    for (int axis = R - 1; axis >= 0; --axis) {
      const long long rest = axis == 0 ? 0 : i / extent[axis];
      const long long here = i - rest * extent[axis];
      for (int t = 0; t < N; ++t) at[t] += here * stride[t][axis];
      i = rest;
    }
  }
};

// One axis.
struct Line {
  long long first, stride;
  __device__ long long operator[](long long i) const { return first + i * stride; }
};

struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const { return a + b; }
};
struct Product {
  template <class T>
  __device__ T operator()(T a, T b) const { return a * b; }
};
// As fmin and fmax: NaN is ignored if the other value is a number.
struct Min {
  template <class T>
  __device__ T operator()(T a, T b) const { return b < a || a != a ? b : a; }
};
struct Max {
  template <class T>
  __device__ T operator()(T a, T b) const { return b > a || a != a ? b : a; }
};

}  // namespace quern_ops
