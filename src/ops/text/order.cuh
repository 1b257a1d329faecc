// The order of keys as unsigned integers of the same size.

namespace quern_ops {

// `infinity`: the bits of infinity for floating-point keys, 0 for integers. `sign`: the bit of the sign, 0 for unsigned
// integers. `flip`: all bits for descending order, 0 for ascending.
template <class K>
struct Order {
  K infinity, sign, flip;

  // A number that is less for a key that precedes another one. -0 and +0 are equal, and so are all NaN.
  __device__ K rank(K bits) const {
    if (infinity != 0) {
      const K magnitude = static_cast<K>(bits & static_cast<K>(~sign));
      if (magnitude > infinity) {
        bits = static_cast<K>(~static_cast<K>(0));  // NaN
      } else if (magnitude == 0) {
        bits = sign;  // -0 and +0
      } else {
        bits = static_cast<K>((bits & sign) != 0 ? ~bits : bits | sign);
      }
    } else {
      bits = static_cast<K>(bits ^ sign);
    }
    return static_cast<K>(bits ^ flip);
  }
  __device__ unsigned digit(K bits, int shift) const { return static_cast<unsigned>(rank(bits) >> shift) & 15u; }
};

}  // namespace quern_ops
