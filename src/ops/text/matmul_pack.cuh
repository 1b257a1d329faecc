// Copies lines of bytes to addresses that tensor maps take: multiples of 16. Lines of both operands of a product in one
// launch.

namespace quern_ops {

struct PackedLines {
  long long batches, lines, bytes;     // of a line
  long long first, batch, line;        // distances in bytes
  long long pitch;                     // of the copy, whose lines are contiguous otherwise
  __device__ long long pieces_of_line() const { return (bytes + 15) / 16; }
  __device__ long long pieces() const { return batches * lines * pieces_of_line(); }

  // A piece of 16 bytes, which the copy has at a multiple of 16. In memory, it may start at any byte.
  __device__ void copy(long long index, const unsigned char* from, unsigned char* to) const {
    const unsigned of_line = static_cast<unsigned>(pieces_of_line());
    const long long line_index = divided(index, of_line), at = (index - line_index * of_line) * 16;
    const long long batch_index = divided(line_index, lines);
    const unsigned char* const source = from + (first + batch_index * batch + (line_index - batch_index * lines) * line + at);
    unsigned words[5];
    unsigned shift = 0;
    if (at + 20 <= bytes) {
      const unsigned odd = static_cast<unsigned>(reinterpret_cast<unsigned long long>(source) & 3);
      const unsigned* const aligned = reinterpret_cast<const unsigned*>(source - odd);
      shift = odd * 8;
#pragma unroll
      for (int w = 0; w < 5; ++w) words[w] = aligned[w];
    } else {
#pragma unroll
      for (int w = 0; w < 5; ++w) {
        words[w] = 0;
#pragma unroll
        for (int b = 0; b < 4; ++b) {
          const int byte = w * 4 + b;
          if (at + byte < bytes) words[w] |= static_cast<unsigned>(source[byte]) << (8 * b);
        }
      }
    }
    *reinterpret_cast<uint4*>(to + line_index * pitch + at) =
        make_uint4(__funnelshift_r(words[0], words[1], shift), __funnelshift_r(words[1], words[2], shift),
                   __funnelshift_r(words[2], words[3], shift), __funnelshift_r(words[3], words[4], shift));
  }
};

__global__ void __launch_bounds__(256) pack_lines(PackedLines a, PackedLines b, const unsigned char* a_from, const unsigned char* b_from,
                                                  unsigned char* a_to, unsigned char* b_to) {
  const long long of_a = a.pieces(), all = of_a + b.pieces();
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < all; i += gridDim.x * 256ll) {
    if (i < of_a) {
      a.copy(i, a_from, a_to);
    } else {
      b.copy(i - of_a, b_from, b_to);
    }
  }
}

}  // namespace quern_ops
