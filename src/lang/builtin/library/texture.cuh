// Textures and surfaces. An object is a value with a pointer to the texels; kernels compute addresses,
// filters and conversions themselves, so that every device returns the same bits.
// include/quern/types/texture.hpp declares the same layout for the host.

enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2
};

struct __quern_texture {
  const unsigned* data;
  unsigned width, height, depth;  // in texels; 1 if there are fewer dimensions. depth: layers, too
  unsigned pitch;                 // bytes from row to row
  unsigned format;  // bits 0-2 channels, 4-5 kind, 8-15 bits of a channel, 16 normalized, 20-22 shape
  unsigned modes;   // bits 0-1, 2-3, 4-5 address modes, 8 linear filter, 9 normalized coordinates
  float border[4];
};
struct __quern_surface {
  unsigned* data;
  unsigned width, height, depth, pitch, format, modes;
  float border[4];
};
using cudaTextureObject_t = __quern_texture;
using cudaSurfaceObject_t = __quern_surface;
using CUtexObject = __quern_texture;
using CUsurfObject = __quern_surface;

// ---- Elements: a number, or a vector of 1, 2 or 4 of them.

template <class T> __device__ constexpr int __texel_lanes() {
  if constexpr (requires(T t) { t.w; }) {
    return 4;
  } else if constexpr (requires(T t) { t.y; }) {
    static_assert(
        !requires(T t) { t.z; }, "textures and surfaces have no elements of 3 channels: use 4");
    return 2;
  } else {
    return 1;
  }
}
template <class T> __device__ constexpr auto __texel_lane() {
  if constexpr (requires(T t) { t.x; }) {
    return decltype(T().x)();
  } else {
    return T();
  }
}
template <class L> struct __texel_lanes_of { L x, y, z, w; };
template <class T, class L> __device__ T __texel_from(const __texel_lanes_of<L>& t) {
  if constexpr (__texel_lanes<T>() == 4) {
    return T{t.x, t.y, t.z, t.w};
  } else if constexpr (__texel_lanes<T>() == 2) {
    return T{t.x, t.y};
  } else if constexpr (requires(T u) { u.x; }) {
    return T{t.x};
  } else {
    return t.x;
  }
}

// The kind of a channel: 0 signed, 1 unsigned, 2 floating point.
template <class L> __device__ constexpr unsigned __texel_kind() {
  if constexpr (std::is_same_v<L, float> || std::is_same_v<L, __half>) {
    return 2;
  } else {
    return std::is_unsigned_v<L> ? 1 : 0;
  }
}

// Whether the texels can be read as T. The simulator reports if not; other devices return 0.
template <class T> __device__ bool __texture_fits(unsigned format) {
  using L = decltype(__texel_lane<T>());
  const unsigned kind = format >> 4 & 3, bits = format >> 8 & 255;
  const bool is_normalized = (format >> 16 & 1) != 0;
  constexpr unsigned wanted = __texel_kind<L>();
  bool fits;
  if constexpr (wanted == 2) {
    fits = kind == 2 || is_normalized;
  } else {
    fits = kind == wanted && bits == sizeof(L) * 8 && !is_normalized;
  }
  if (__quern_check_form() == 1u) {
    if (format == 0) {
      __quern_check_error(0u, 0u, 0u);
    } else if (!fits) {
      __quern_check_error(1u, wanted << 8 | unsigned(sizeof(L) * 8),
                            (is_normalized ? 2u : kind) << 8 | bits);
    } else if ((format & 7) < __texel_lanes<T>()) {
      __quern_check_error(2u, unsigned(__texel_lanes<T>()), format & 7);
    }
  }
  return fits;
}
// Shape: 1, 2, 3 dimensions; 5: one dimension with layers, 6: two dimensions with layers.
__device__ void __texture_check_shape(unsigned format, unsigned shape) {
  if (__quern_check_form() == 1u && format != 0 && (format >> 20 & 7) != shape)
    __quern_check_error(3u, shape, format >> 20 & 7);
}

__device__ float __texel_half(unsigned h) {
  const unsigned sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 0) {
    const float small = float(fraction) * 0x1p-24f;
    return sign != 0 ? -small : small;
  }
  return __uint_as_float(sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13);
}
// A channel of `bits` bits, of which `word` has the low ones.
__device__ float __texel_decode(unsigned word, unsigned kind, unsigned bits) {
  if (kind == 2) return bits == 32 ? __uint_as_float(word) : __texel_half(word);
  const unsigned shift = 32 - bits;
  if (kind == 1) return float(word) / float((1u << bits) - 1);
  const float value = float(int(word << shift) >> shift) / float((1u << (bits - 1)) - 1);
  return value < -1.0f ? -1.0f : value;
}
// The channels of the texel at byte `at`, of which the first N are used.
template <int N>
__device__ __texel_lanes_of<float> __texel_floats(const unsigned* data, unsigned at, unsigned format) {
  const unsigned channels = format & 7, kind = format >> 4 & 3, bits = format >> 8 & 255;
  float value[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  __quern_unroll__() for (unsigned c = 0; c < N; ++c) {
    if (c >= channels) break;
    unsigned word;
    if (bits == 32) {
      word = data[at / 4 + c];
    } else if (bits == 16) {
      word = ((const unsigned short*)data)[at / 2 + c];
    } else {
      word = ((const unsigned char*)data)[at + c];
    }
    value[c] = __texel_decode(word, kind, bits);
  }
  return {value[0], value[1], value[2], value[3]};
}
template <class L, int N>
__device__ __texel_lanes_of<L> __texel_integers(const unsigned* data, unsigned at, unsigned channels) {
  const L* from = (const L*)data + at / sizeof(L);
  __texel_lanes_of<L> out{from[0], L(0), L(0), L(0)};
  if constexpr (N > 1) {
    if (channels > 1) out.y = from[1];
  }
  if constexpr (N > 2) {
    if (channels > 2) {
      out.z = from[2];
      out.w = from[3];
    }
  }
  return out;
}

template <class T>
__device__ auto __texture_load(const cudaTextureObject_t& t, int x, int y, int z, bool is_inside) {
  using L = decltype(__texel_lane<T>());
  if (!is_inside) return __texel_lanes_of<L>{L(t.border[0]), L(t.border[1]), L(t.border[2]), L(t.border[3])};
  const unsigned texel = (t.format & 7) * (t.format >> 8 & 255) / 8;
  const unsigned at = (unsigned(z) * t.height + unsigned(y)) * t.pitch + unsigned(x) * texel;
  if constexpr (__texel_kind<L>() == 2) {
    return __texel_floats<__texel_lanes<T>()>(t.data, at, t.format);
  } else {
    return __texel_integers<L, __texel_lanes<T>()>(t.data, at, t.format & 7);
  }
}

// ---- Coordinates, as in the CUDA C++ Programming Guide, "Texture Fetching".

struct __texture_axis {
  int index;     // of the texel, or of the left one of two
  float weight;  // of the right one, in steps of 1/256
};
__device__ unsigned __texture_mode(unsigned modes, unsigned axis) {
  const unsigned mode = modes >> 2 * axis & 3;
  return (modes & 512) == 0 && mode != 3 ? 1 : mode;  // wrap and mirror need normalized coordinates
}
__device__ __texture_axis __texture_locate(float x, unsigned size, unsigned modes, unsigned axis,
                                           bool is_linear) {
  const unsigned mode = __texture_mode(modes, axis);
  if ((modes & 512) != 0) {
    if (mode == 0) x -= floorf(x);
    if (mode == 2) x -= 2.0f * floorf(x * 0.5f);
    x *= float(size);
  }
  if (is_linear) x -= 0.5f;
  const float limit = float(size) * 2.0f + 2.0f;
  if (!(x >= -2.0f)) x = x < -2.0f ? -2.0f : 0.0f;  // NaN reads texel 0
  if (x > limit) x = limit;
  const float left = floorf(x);
  return {int(left), is_linear ? floorf((x - left) * 256.0f + 0.5f) * 0x1p-8f : 0.0f};
}
// The index of an existing texel; false: outside, so that the border is read.
__device__ bool __texture_resolve(int& i, unsigned size, unsigned modes, unsigned axis) {
  const unsigned mode = __texture_mode(modes, axis);
  const int n = int(size);
  if (mode == 3) {
    if (i < 0 || i >= n) return false;
  } else if (mode == 0) {
    i = i < 0 ? i + n : i >= n ? i - n : i;
  } else if (mode == 2) {
    i = i < 0 ? -1 - i : i >= 2 * n ? i - 2 * n : i;
    if (i >= n) i = 2 * n - 1 - i;
  }
  i = i < 0 ? 0 : i >= n ? n - 1 : i;
  return true;
}

// A texel, or the weighted sum of 2, 4 or 8. `z` is the layer if Dimensions < 3.
template <class T, int Dimensions>
__device__ T __texture_sample(const cudaTextureObject_t& t, float x, float y, float z, int layer) {
  using L = decltype(__texel_lane<T>());
  if (!__texture_fits<T>(t.format)) return T();
  const bool is_linear = __texel_kind<L>() == 2 && (t.modes & 256) != 0;
  const __texture_axis u = __texture_locate(x, t.width, t.modes, 0, is_linear);
  __texture_axis v{0, 0.0f}, w{layer, 0.0f};
  if constexpr (Dimensions > 1) v = __texture_locate(y, t.height, t.modes, 1, is_linear);
  if constexpr (Dimensions > 2) {
    w = __texture_locate(z, t.depth, t.modes, 2, is_linear);
  } else {
    w.index = layer < 0 ? 0 : layer >= int(t.depth) ? int(t.depth) - 1 : layer;
  }
  if constexpr (__texel_kind<L>() == 2) {
    const int corners = is_linear ? 1 << Dimensions : 1;
    __texel_lanes_of<L> sum{0.0f, 0.0f, 0.0f, 0.0f};
    for (int c = 0; c < corners; ++c) {
      int i = u.index + (c & 1), j = v.index + (c >> 1 & 1), k = w.index + (c >> 2 & 1);
      bool is_inside = __texture_resolve(i, t.width, t.modes, 0);
      float weight = (c & 1) != 0 ? u.weight : 1.0f - u.weight;
      if constexpr (Dimensions > 1) {
        is_inside = __texture_resolve(j, t.height, t.modes, 1) && is_inside;
        weight *= (c & 2) != 0 ? v.weight : 1.0f - v.weight;
      }
      if constexpr (Dimensions > 2) {
        is_inside = __texture_resolve(k, t.depth, t.modes, 2) && is_inside;
        weight *= (c & 4) != 0 ? w.weight : 1.0f - w.weight;
      }
      const __texel_lanes_of<L> texel = __texture_load<T>(t, i, j, k, is_inside);
      if (c == 0) {
        sum = {texel.x * weight, texel.y * weight, texel.z * weight, texel.w * weight};
      } else {
        sum = {sum.x + texel.x * weight, sum.y + texel.y * weight, sum.z + texel.z * weight,
               sum.w + texel.w * weight};
      }
    }
    return __texel_from<T>(sum);
  } else {
    int i = u.index, j = v.index, k = w.index;
    bool is_inside = __texture_resolve(i, t.width, t.modes, 0);
    if constexpr (Dimensions > 1) is_inside = __texture_resolve(j, t.height, t.modes, 1) && is_inside;
    if constexpr (Dimensions > 2) is_inside = __texture_resolve(k, t.depth, t.modes, 2) && is_inside;
    return __texel_from<T>(__texture_load<T>(t, i, j, k, is_inside));
  }
}

// ---- Texture objects.

template <class T> __device__ T tex1Dfetch(cudaTextureObject_t t, int x) {
  __texture_check_shape(t.format, 1);
  if (!__texture_fits<T>(t.format) || x < 0 || unsigned(x) >= t.width) return T();
  return __texel_from<T>(__texture_load<T>(t, x, 0, 0, true));
}
template <class T> __device__ T tex1D(cudaTextureObject_t t, float x) {
  __texture_check_shape(t.format, 1);
  return __texture_sample<T, 1>(t, x, 0.0f, 0.0f, 0);
}
template <class T> __device__ T tex2D(cudaTextureObject_t t, float x, float y) {
  __texture_check_shape(t.format, 2);
  return __texture_sample<T, 2>(t, x, y, 0.0f, 0);
}
template <class T> __device__ T tex3D(cudaTextureObject_t t, float x, float y, float z) {
  __texture_check_shape(t.format, 3);
  return __texture_sample<T, 3>(t, x, y, z, 0);
}
template <class T> __device__ T tex1DLayered(cudaTextureObject_t t, float x, int layer) {
  __texture_check_shape(t.format, 5);
  return __texture_sample<T, 1>(t, x, 0.0f, 0.0f, layer);
}
template <class T> __device__ T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) {
  __texture_check_shape(t.format, 6);
  return __texture_sample<T, 2>(t, x, y, 0.0f, layer);
}
// A level of detail or gradients select level 0: textures have one level.
template <class T> __device__ T tex1DLod(cudaTextureObject_t t, float x, float) { return tex1D<T>(t, x); }
template <class T> __device__ T tex1DGrad(cudaTextureObject_t t, float x, float, float) {
  return tex1D<T>(t, x);
}
template <class T> __device__ T tex2DLod(cudaTextureObject_t t, float x, float y, float) {
  return tex2D<T>(t, x, y);
}
template <class T> __device__ T tex2DGrad(cudaTextureObject_t t, float x, float y, float2, float2) {
  return tex2D<T>(t, x, y);
}
template <class T> __device__ T tex3DLod(cudaTextureObject_t t, float x, float y, float z, float) {
  return tex3D<T>(t, x, y, z);
}
template <class T> __device__ T tex3DGrad(cudaTextureObject_t t, float x, float y, float z, float4, float4) {
  return tex3D<T>(t, x, y, z);
}
template <class T> __device__ T tex1DLayeredLod(cudaTextureObject_t t, float x, int layer, float) {
  return tex1DLayered<T>(t, x, layer);
}
template <class T> __device__ T tex1DLayeredGrad(cudaTextureObject_t t, float x, int layer, float, float) {
  return tex1DLayered<T>(t, x, layer);
}
template <class T> __device__ T tex2DLayeredLod(cudaTextureObject_t t, float x, float y, int layer, float) {
  return tex2DLayered<T>(t, x, y, layer);
}
template <class T>
__device__ T tex2DLayeredGrad(cudaTextureObject_t t, float x, float y, int layer, float2, float2) {
  return tex2DLayered<T>(t, x, y, layer);
}

// One channel of the four texels that a linear filter would read: (i, j+1), (i+1, j+1), (i+1, j), (i, j).
template <class T> __device__ T tex2Dgather(cudaTextureObject_t t, float x, float y, int channel = 0) {
  static_assert(__texel_lanes<T>() == 4, "tex2Dgather returns four texels: use a vector of 4");
  using L = decltype(__texel_lane<T>());
  __texture_check_shape(t.format, 2);
  if (!__texture_fits<decltype(T().x)>(t.format)) return T();
  const __texture_axis u = __texture_locate(x, t.width, t.modes, 0, true);
  const __texture_axis v = __texture_locate(y, t.height, t.modes, 1, true);
  L out[4] = {L(0), L(0), L(0), L(0)};
  __quern_unroll__() for (int c = 0; c < 4; ++c) {
    int i = u.index + (c == 1 || c == 2 ? 1 : 0), j = v.index + (c < 2 ? 1 : 0);
    bool is_inside = __texture_resolve(i, t.width, t.modes, 0);
    is_inside = __texture_resolve(j, t.height, t.modes, 1) && is_inside;
    const __texel_lanes_of<L> texel = __texture_load<T>(t, i, j, 0, is_inside);
    out[c] = channel == 0 ? texel.x : channel == 1 ? texel.y : channel == 2 ? texel.z : texel.w;
  }
  return T{out[0], out[1], out[2], out[3]};
}

// The same with the result in a variable.
template <class T> __device__ void tex1Dfetch(T* to, cudaTextureObject_t t, int x) {
  *to = tex1Dfetch<T>(t, x);
}
template <class T> __device__ void tex1D(T* to, cudaTextureObject_t t, float x) { *to = tex1D<T>(t, x); }
template <class T> __device__ void tex1DLod(T* to, cudaTextureObject_t t, float x, float) {
  *to = tex1D<T>(t, x);
}
template <class T> __device__ void tex1DGrad(T* to, cudaTextureObject_t t, float x, float, float) {
  *to = tex1D<T>(t, x);
}
template <class T> __device__ void tex2D(T* to, cudaTextureObject_t t, float x, float y) {
  *to = tex2D<T>(t, x, y);
}
template <class T> __device__ void tex2DLod(T* to, cudaTextureObject_t t, float x, float y, float) {
  *to = tex2D<T>(t, x, y);
}
template <class T> __device__ void tex2DGrad(T* to, cudaTextureObject_t t, float x, float y, float2, float2) {
  *to = tex2D<T>(t, x, y);
}
template <class T> __device__ void tex3D(T* to, cudaTextureObject_t t, float x, float y, float z) {
  *to = tex3D<T>(t, x, y, z);
}
template <class T> __device__ void tex3DLod(T* to, cudaTextureObject_t t, float x, float y, float z, float) {
  *to = tex3D<T>(t, x, y, z);
}
template <class T>
__device__ void tex3DGrad(T* to, cudaTextureObject_t t, float x, float y, float z, float4, float4) {
  *to = tex3D<T>(t, x, y, z);
}
template <class T> __device__ void tex1DLayered(T* to, cudaTextureObject_t t, float x, int layer) {
  *to = tex1DLayered<T>(t, x, layer);
}
template <class T> __device__ void tex1DLayeredLod(T* to, cudaTextureObject_t t, float x, int layer, float) {
  *to = tex1DLayered<T>(t, x, layer);
}
template <class T>
__device__ void tex1DLayeredGrad(T* to, cudaTextureObject_t t, float x, int layer, float, float) {
  *to = tex1DLayered<T>(t, x, layer);
}
template <class T> __device__ void tex2DLayered(T* to, cudaTextureObject_t t, float x, float y, int layer) {
  *to = tex2DLayered<T>(t, x, y, layer);
}
template <class T>
__device__ void tex2DLayeredLod(T* to, cudaTextureObject_t t, float x, float y, int layer, float) {
  *to = tex2DLayered<T>(t, x, y, layer);
}
template <class T>
__device__ void tex2DLayeredGrad(T* to, cudaTextureObject_t t, float x, float y, int layer, float2, float2) {
  *to = tex2DLayered<T>(t, x, y, layer);
}
template <class T>
__device__ void tex2Dgather(T* to, cudaTextureObject_t t, float x, float y, int channel = 0) {
  *to = tex2Dgather<T>(t, x, y, channel);
}

// ---- Surfaces. x counts bytes, and the bytes are copied as they are.

// The byte of the element; false: outside, and the access reads zero or writes nothing.
template <class T> __device__ bool __surface_locate(const cudaSurfaceObject_t& s, unsigned shape, int x,
                                                    int y, int z, cudaSurfaceBoundaryMode mode,
                                                    unsigned& at) {
  __texture_check_shape(s.format, shape);
  const int row = int(s.width * (s.format & 7) * (s.format >> 8 & 255) / 8), size = int(sizeof(T));
  const bool is_inside =
      x >= 0 && x <= row - size && y >= 0 && y < int(s.height) && z >= 0 && z < int(s.depth);
  if (!is_inside) {
    if (s.format == 0 || mode == cudaBoundaryModeTrap) {
      if (__quern_check_form() == 1u) {
        if (s.format == 0) {
          __quern_check_error(0u, 0u, 0u);
        } else if (x < 0 || x > row - size) {
          __quern_check_error(4u, unsigned(x), unsigned(row));
        } else if (y < 0 || y >= int(s.height)) {
          __quern_check_error(5u, unsigned(y), s.height);
        } else {
          __quern_check_error(6u, unsigned(z), s.depth);
        }
      } else {
        __trap();
      }
      return false;
    }
    if (mode == cudaBoundaryModeZero) return false;
    x = x < 0 ? 0 : x > row - size ? row - size : x;
    y = y < 0 ? 0 : y >= int(s.height) ? int(s.height) - 1 : y;
    z = z < 0 ? 0 : z >= int(s.depth) ? int(s.depth) - 1 : z;
  }
  at = (unsigned(z) * s.height + unsigned(y)) * s.pitch + unsigned(x);
  return true;
}
template <class T> __device__ T __surface_read(const cudaSurfaceObject_t& s, unsigned shape, int x, int y,
                                               int z, cudaSurfaceBoundaryMode mode) {
  unsigned at = 0;
  if (!__surface_locate<T>(s, shape, x, y, z, mode, at)) return T();
  return *(const T*)((const char*)s.data + at);
}
template <class T> __device__ void __surface_write(T value, const cudaSurfaceObject_t& s, unsigned shape,
                                                   int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  unsigned at = 0;
  if (__surface_locate<T>(s, shape, x, y, z, mode, at)) *(T*)((char*)s.data + at) = value;
}

template <class T>
__device__ T surf1Dread(cudaSurfaceObject_t s, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return __surface_read<T>(s, 1, x, 0, 0, mode);
}
template <class T> __device__ void surf1Dread(T* to, cudaSurfaceObject_t s, int x,
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = __surface_read<T>(s, 1, x, 0, 0, mode);
}
template <class T> __device__ void surf1Dwrite(T value, cudaSurfaceObject_t s, int x,
                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  __surface_write<T>(value, s, 1, x, 0, 0, mode);
}
template <class T> __device__ T surf2Dread(cudaSurfaceObject_t s, int x, int y,
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return __surface_read<T>(s, 2, x, y, 0, mode);
}
template <class T> __device__ void surf2Dread(T* to, cudaSurfaceObject_t s, int x, int y,
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = __surface_read<T>(s, 2, x, y, 0, mode);
}
template <class T> __device__ void surf2Dwrite(T value, cudaSurfaceObject_t s, int x, int y,
                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  __surface_write<T>(value, s, 2, x, y, 0, mode);
}
template <class T> __device__ T surf3Dread(cudaSurfaceObject_t s, int x, int y, int z,
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return __surface_read<T>(s, 3, x, y, z, mode);
}
template <class T> __device__ void surf3Dread(T* to, cudaSurfaceObject_t s, int x, int y, int z,
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = __surface_read<T>(s, 3, x, y, z, mode);
}
template <class T> __device__ void surf3Dwrite(T value, cudaSurfaceObject_t s, int x, int y, int z,
                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  __surface_write<T>(value, s, 3, x, y, z, mode);
}
template <class T> __device__ T surf1DLayeredread(cudaSurfaceObject_t s, int x, int layer,
                                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return __surface_read<T>(s, 5, x, 0, layer, mode);
}
template <class T> __device__ void surf1DLayeredread(T* to, cudaSurfaceObject_t s, int x, int layer,
                                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = __surface_read<T>(s, 5, x, 0, layer, mode);
}
template <class T> __device__ void surf1DLayeredwrite(T value, cudaSurfaceObject_t s, int x, int layer,
                                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  __surface_write<T>(value, s, 5, x, 0, layer, mode);
}
template <class T> __device__ T surf2DLayeredread(cudaSurfaceObject_t s, int x, int y, int layer,
                                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return __surface_read<T>(s, 6, x, y, layer, mode);
}
template <class T> __device__ void surf2DLayeredread(T* to, cudaSurfaceObject_t s, int x, int y, int layer,
                                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = __surface_read<T>(s, 6, x, y, layer, mode);
}
template <class T> __device__ void surf2DLayeredwrite(T value, cudaSurfaceObject_t s, int x, int y, int layer,
                                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  __surface_write<T>(value, s, 6, x, y, layer, mode);
}

// ---- Texture references, which the host binds by name (pass/texture_references.hpp).

constexpr int cudaTextureType1D = 1;
constexpr int cudaTextureType2D = 2;
constexpr int cudaTextureType3D = 3;
constexpr int cudaTextureType1DLayered = 0xF1;
constexpr int cudaTextureType2DLayered = 0xF2;
template <class T, int Type = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType>
struct texture {
  __quern_texture object;
};
template <class T, int Mode> __device__ constexpr auto __texture_result() {
  if constexpr (Mode == 0) {
    return T();
  } else if constexpr (__texel_lanes<T>() == 4) {
    return float4();
  } else if constexpr (__texel_lanes<T>() == 2) {
    return float2();
  } else {
    return float();
  }
}
template <class T, int N, cudaTextureReadMode M> __device__ auto tex1Dfetch(texture<T, N, M> t, int x) {
  return tex1Dfetch<decltype(__texture_result<T, M>())>(t.object, x);
}
template <class T, int N, cudaTextureReadMode M> __device__ auto tex1D(texture<T, N, M> t, float x) {
  return tex1D<decltype(__texture_result<T, M>())>(t.object, x);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex1DLod(texture<T, N, M> t, float x, float) {
  return tex1D(t, x);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex1DGrad(texture<T, N, M> t, float x, float, float) {
  return tex1D(t, x);
}
template <class T, int N, cudaTextureReadMode M> __device__ auto tex2D(texture<T, N, M> t, float x, float y) {
  return tex2D<decltype(__texture_result<T, M>())>(t.object, x, y);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex2DLod(texture<T, N, M> t, float x, float y, float) {
  return tex2D(t, x, y);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex2DGrad(texture<T, N, M> t, float x, float y, float2, float2) {
  return tex2D(t, x, y);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex3D(texture<T, N, M> t, float x, float y, float z) {
  return tex3D<decltype(__texture_result<T, M>())>(t.object, x, y, z);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex3DLod(texture<T, N, M> t, float x, float y, float z, float) {
  return tex3D(t, x, y, z);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex3DGrad(texture<T, N, M> t, float x, float y, float z, float4, float4) {
  return tex3D(t, x, y, z);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex1DLayered(texture<T, N, M> t, float x, int layer) {
  return tex1DLayered<decltype(__texture_result<T, M>())>(t.object, x, layer);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex1DLayeredLod(texture<T, N, M> t, float x, int layer, float) {
  return tex1DLayered(t, x, layer);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex1DLayeredGrad(texture<T, N, M> t, float x, int layer, float, float) {
  return tex1DLayered(t, x, layer);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex2DLayered(texture<T, N, M> t, float x, float y, int layer) {
  return tex2DLayered<decltype(__texture_result<T, M>())>(t.object, x, y, layer);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex2DLayeredLod(texture<T, N, M> t, float x, float y, int layer, float) {
  return tex2DLayered(t, x, y, layer);
}
template <class T, int N, cudaTextureReadMode M>
__device__ auto tex2DLayeredGrad(texture<T, N, M> t, float x, float y, int layer, float2, float2) {
  return tex2DLayered(t, x, y, layer);
}
