// Convolution and pooling of images.

namespace quern_ops {

struct ImageLine {  // strides
  long long first, image, channel, y, x;
  __device__ long long at(long long n, long long c, long long row, long long column) const {
    return first + n * image + c * channel + row * y + column * x;
  }
};

// Channels and filters of one group; extents of input, filter and result.
struct ConvShape {
  long long images, groups;
  int channels, filters, height, width, filter_height, filter_width, out_height, out_width;
  int stride_y, stride_x, padding_y, padding_x, dilation_y, dilation_x;
};

// A pixel of the result, and the position in the input where its window begins.
struct Pixel {
  long long image;
  int row, column, y, x;
  __device__ Pixel(const ConvShape& s, long long pixel) {
    const long long line = divided(pixel, s.out_width);
    image = divided(line, s.out_height);
    row = static_cast<int>(line - image * s.out_height);
    column = static_cast<int>(pixel - line * s.out_width);
    y = row * s.stride_y - s.padding_y;
    x = column * s.stride_x - s.padding_x;
  }
};

// An element of a filter: channel, row, column.
struct Tap {
  int channel, row, column;
  __device__ Tap(const ConvShape& s, int tap) {
    const int line = static_cast<int>(static_cast<unsigned>(tap) / static_cast<unsigned>(s.filter_width));
    channel = static_cast<int>(static_cast<unsigned>(line) / static_cast<unsigned>(s.filter_height));
    row = line - channel * s.filter_height;
    column = tap - line * s.filter_width;
  }
};

template <class A, class T>
__device__ A input_at(const ConvShape& s, const ImageLine& line, const T* in, const Pixel& pixel, const Tap& tap,
                      long long first_channel) {
  const int y = pixel.y + tap.row * s.dilation_y, x = pixel.x + tap.column * s.dilation_x;
  if (y < 0 || y >= s.height || x < 0 || x >= s.width) return A(0);
  return static_cast<A>(in[line.at(pixel.image, first_channel + tap.channel, y, x)]);
}

template <class T, class A, int kKind>
__device__ T conv_result(A sum, const T* bias, const Line& bias_line, long long filter) {
  if (bias != nullptr) sum += static_cast<A>(bias[bias_line[filter]]);
  return static_cast<T>(activation_of<A, kKind>(sum));
}

// A block computes 64 filters at 64 pixels, a thread 4 × 4 of them: the product of the filters with the windows, which are
// copied to shared memory in steps of kDepth taps.
template <class T, class A, int kKind, int kDepth>
__global__ void __launch_bounds__(256) conv2d(ConvShape s, ImageLine in_line, ImageLine weight_line, ImageLine out_line,
                                              Line bias_line, const T* in, const T* weight, T* out, const T* bias) {
  constexpr int kTile = 64, kThreads = 256, kEach = 4, kWidth = 16;
  __shared__ A filters[kDepth * kTile];
  __shared__ A windows[kDepth * kTile];
  const int thread = static_cast<int>(threadIdx.x), x = thread % kWidth, y = thread / kWidth;
  const int taps = s.channels * s.filter_height * s.filter_width, filter_tiles = (s.filters + kTile - 1) / kTile;
  const long long pixels = s.images * s.out_height * s.out_width, pixel_tiles = (pixels + kTile - 1) / kTile;
  for (long long w = blockIdx.x; w < s.groups * filter_tiles * pixel_tiles; w += gridDim.x) {
    const long long unit = divided(w, filter_tiles), first_pixel = unit % pixel_tiles * kTile, group = unit / pixel_tiles;
    const int first_filter = static_cast<int>(w - unit * filter_tiles) * kTile;
    const Pixel pixel(s, min(first_pixel + thread % kTile, pixels - 1));  // that this thread copies
    A sum[kEach][kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int j = 0; j < kEach; ++j) sum[i][j] = A(0);
    }
    for (int step = 0; step < taps; step += kDepth) {
#pragma unroll
      for (int i = 0; i < kDepth * kTile / kThreads; ++i) {
        const int depth = thread / kTile + i * (kThreads / kTile);
        A value = A(0);
        if (step + depth < taps)
          value = input_at<A>(s, in_line, in, pixel, Tap(s, step + depth), group * s.channels);
        windows[depth * kTile + thread % kTile] = value;
        const int e = thread + i * kThreads, filter = e / kDepth, filter_depth = e % kDepth;
        value = A(0);
        if (first_filter + filter < s.filters && step + filter_depth < taps) {
          const Tap tap(s, step + filter_depth);
          value = static_cast<A>(
              weight[weight_line.at(group * s.filters + first_filter + filter, tap.channel, tap.row, tap.column)]);
        }
        filters[filter_depth * kTile + filter] = value;
      }
      __syncthreads();
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
        A left[kEach], right[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
          left[i] = filters[d * kTile + y + i * kWidth];
          right[i] = windows[d * kTile + x + i * kWidth];
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
#pragma unroll
          for (int j = 0; j < kEach; ++j) sum[i][j] += left[i] * right[j];
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const long long number = first_pixel + x + j * kWidth;
      const Pixel to(s, min(number, pixels - 1));
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        const int filter = first_filter + y + i * kWidth;
        if (number < pixels && filter < s.filters) {
          const long long of_all = group * s.filters + filter;
          out[out_line.at(to.image, of_all, to.row, to.column)] =
              conv_result<T, A, kKind>(sum[i][j], bias, bias_line, of_all);
        }
      }
    }
  }
}

// For few filters in a group: one element of the result for each thread.
template <class T, class A, int kKind>
__global__ void conv2d_direct(ConvShape s, ImageLine in_line, ImageLine weight_line, ImageLine out_line, Line bias_line,
                              const T* in, const T* weight, T* out, const T* bias) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long area = static_cast<long long>(s.out_height) * s.out_width, all = s.groups * s.filters;
  for (long long w = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; w < s.images * all * area; w += step) {
    const long long plane = divided(w, area), image = divided(plane, all), filter = plane - image * all;
    const long long group = divided(filter, s.filters);
    const Pixel pixel(s, image * area + (w - plane * area));
    A sum = A(0);
    for (int tap = 0; tap < s.channels * s.filter_height * s.filter_width; ++tap) {
      const Tap t(s, tap);
      sum += input_at<A>(s, in_line, in, pixel, t, group * s.channels) *
             static_cast<A>(weight[weight_line.at(filter, t.channel, t.row, t.column)]);
    }
    out[out_line.at(image, filter, pixel.row, pixel.column)] = conv_result<T, A, kKind>(sum, bias, bias_line, filter);
  }
}

// The filter's extents are those of the window; `groups` is the number of channels.
template <class T, class A, bool kIsMax>
__global__ void pool2d(ConvShape s, ImageLine in_line, ImageLine out_line, int counts_padding, const T* in, T* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long area = static_cast<long long>(s.out_height) * s.out_width;
  for (long long w = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; w < s.images * s.groups * area;
       w += step) {
    const long long plane = divided(w, area), image = divided(plane, s.groups), channel = plane - image * s.groups;
    const Pixel pixel(s, image * area + (w - plane * area));
    const int y_end = min(pixel.y + s.filter_height, s.height), x_end = min(pixel.x + s.filter_width, s.width);
    const int y_begin = max(pixel.y, 0), x_begin = max(pixel.x, 0);
    A total = kIsMax ? -infinity<A>() : A(0);
    for (int y = y_begin; y < y_end; ++y) {
      for (int x = x_begin; x < x_end; ++x) {
        const A value = static_cast<A>(in[in_line.at(image, channel, y, x)]);
        if constexpr (kIsMax) {
          total = value > total || value != value ? value : total;
        } else {
          total += value;
        }
      }
    }
    if constexpr (!kIsMax) {
      const int counted = max(y_end - y_begin, 0) * max(x_end - x_begin, 0);
      total /= static_cast<A>(counts_padding != 0 ? s.filter_height * s.filter_width : max(counted, 1));
    }
    out[out_line.at(image, channel, pixel.row, pixel.column)] = static_cast<T>(total);
  }
}

}  // namespace quern_ops
