// Arithmetic on two 16-bit or four 8-bit numbers in a word.

// Both halves or all bytes in turn, through an operation on int. The result keeps its lowest bits.
template <class Op>
__device__ constexpr unsigned __lib_map_s2(unsigned a, unsigned b) {
  int lo = Op::apply(int(short(a)), int(short(b)));
  int hi = Op::apply(int(a) >> 16, int(b) >> 16);
  return (unsigned(lo) & 0xffffu) | (unsigned(hi) << 16);
}
template <class Op>
__device__ constexpr unsigned __lib_map_u2(unsigned a, unsigned b) {
  int lo = Op::apply(int(a & 0xffffu), int(b & 0xffffu));
  int hi = Op::apply(int(a >> 16), int(b >> 16));
  return (unsigned(lo) & 0xffffu) | (unsigned(hi) << 16);
}
template <class Op>
__device__ constexpr unsigned __lib_map_s4(unsigned a, unsigned b) {
  unsigned result = 0;
  for (int i = 0; i < 32; i += 8) {
    int lane = Op::apply(int((signed char)(a >> i)), int((signed char)(b >> i)));
    result |= (unsigned(lane) & 0xffu) << i;
  }
  return result;
}
template <class Op>
__device__ constexpr unsigned __lib_map_u4(unsigned a, unsigned b) {
  unsigned result = 0;
  for (int i = 0; i < 32; i += 8) {
    int lane = Op::apply(int(a >> i & 0xffu), int(b >> i & 0xffu));
    result |= (unsigned(lane) & 0xffu) << i;
  }
  return result;
}

struct __lib_op_min {
  __device__ static constexpr int apply(int x, int y) { return x < y ? x : y; }
};
struct __lib_op_max {
  __device__ static constexpr int apply(int x, int y) { return x < y ? y : x; }
};
struct __lib_op_absdiff {
  __device__ static constexpr int apply(int x, int y) { return x < y ? y - x : x - y; }
};
struct __lib_op_avg {  // ties round away from zero
  __device__ static constexpr int apply(int x, int y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; }
};
struct __lib_op_eq {
  __device__ static constexpr int apply(int x, int y) { return x == y ? -1 : 0; }
};
struct __lib_op_ne {
  __device__ static constexpr int apply(int x, int y) { return x != y ? -1 : 0; }
};
struct __lib_op_lt {
  __device__ static constexpr int apply(int x, int y) { return x < y ? -1 : 0; }
};
struct __lib_op_le {
  __device__ static constexpr int apply(int x, int y) { return x <= y ? -1 : 0; }
};
struct __lib_op_gt {
  __device__ static constexpr int apply(int x, int y) { return x > y ? -1 : 0; }
};
struct __lib_op_ge {
  __device__ static constexpr int apply(int x, int y) { return x >= y ? -1 : 0; }
};
struct __lib_op_seteq {
  __device__ static constexpr int apply(int x, int y) { return x == y ? 1 : 0; }
};
struct __lib_op_setne {
  __device__ static constexpr int apply(int x, int y) { return x != y ? 1 : 0; }
};
struct __lib_op_setlt {
  __device__ static constexpr int apply(int x, int y) { return x < y ? 1 : 0; }
};
struct __lib_op_setle {
  __device__ static constexpr int apply(int x, int y) { return x <= y ? 1 : 0; }
};
struct __lib_op_setgt {
  __device__ static constexpr int apply(int x, int y) { return x > y ? 1 : 0; }
};
struct __lib_op_setge {
  __device__ static constexpr int apply(int x, int y) { return x >= y ? 1 : 0; }
};
template <int Least, int Most>
struct __lib_op_add {
  __device__ static constexpr int apply(int x, int y) {
    return x + y < Least ? Least : x + y > Most ? Most : x + y;
  }
};
template <int Least, int Most>
struct __lib_op_sub {
  __device__ static constexpr int apply(int x, int y) {
    return x - y < Least ? Least : x - y > Most ? Most : x - y;
  }
};

// Two 16-bit numbers.
__device__ constexpr unsigned __vadd2(unsigned a, unsigned b) {
  return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u);
}
__device__ constexpr unsigned __vsub2(unsigned a, unsigned b) {
  return ((a | 0x80008000u) - (b & 0x7fff7fffu)) ^ ((a ^ ~b) & 0x80008000u);
}
__device__ constexpr unsigned __vneg2(unsigned a) { return __vsub2(0, a); }
__device__ constexpr unsigned __vaddss2(unsigned a, unsigned b) {
  return __lib_map_s2<__lib_op_add<-32768, 32767>>(a, b);
}
__device__ constexpr unsigned __vaddus2(unsigned a, unsigned b) {
  return __lib_map_u2<__lib_op_add<0, 65535>>(a, b);
}
__device__ constexpr unsigned __vsubss2(unsigned a, unsigned b) {
  return __lib_map_s2<__lib_op_sub<-32768, 32767>>(a, b);
}
__device__ constexpr unsigned __vsubus2(unsigned a, unsigned b) {
  return __lib_map_u2<__lib_op_sub<0, 65535>>(a, b);
}
__device__ constexpr unsigned __vnegss2(unsigned a) { return __vsubss2(0, a); }
__device__ constexpr unsigned __vabs2(unsigned a) {
  unsigned negative = (a & 0x80008000u) >> 15;
  unsigned flip = negative * 0xffffu;
  return __vadd2(a ^ flip, negative);
}
__device__ constexpr unsigned __vabsss2(unsigned a) {
  return __lib_map_s2<__lib_op_max>(a, __vnegss2(a));
}
__device__ constexpr unsigned __vhaddu2(unsigned a, unsigned b) {
  return (a & b) + (((a ^ b) >> 1) & 0x7fff7fffu);
}
__device__ constexpr unsigned __vavgs2(unsigned a, unsigned b) { return __lib_map_s2<__lib_op_avg>(a, b); }
__device__ constexpr unsigned __vavgu2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_avg>(a, b); }
__device__ constexpr unsigned __vmins2(unsigned a, unsigned b) { return __lib_map_s2<__lib_op_min>(a, b); }
__device__ constexpr unsigned __vminu2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_min>(a, b); }
__device__ constexpr unsigned __vmaxs2(unsigned a, unsigned b) { return __lib_map_s2<__lib_op_max>(a, b); }
__device__ constexpr unsigned __vmaxu2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_max>(a, b); }
__device__ constexpr unsigned __vabsdiffs2(unsigned a, unsigned b) {
  return __lib_map_s2<__lib_op_absdiff>(a, b);
}
__device__ constexpr unsigned __vabsdiffu2(unsigned a, unsigned b) {
  return __lib_map_u2<__lib_op_absdiff>(a, b);
}
__device__ constexpr unsigned __vcmpeq2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_eq>(a, b); }
__device__ constexpr unsigned __vcmpne2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_ne>(a, b); }
__device__ constexpr unsigned __vcmplts2(unsigned a, unsigned b) { return __lib_map_s2<__lib_op_lt>(a, b); }
__device__ constexpr unsigned __vcmpltu2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_lt>(a, b); }
__device__ constexpr unsigned __vcmples2(unsigned a, unsigned b) { return __lib_map_s2<__lib_op_le>(a, b); }
__device__ constexpr unsigned __vcmpleu2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_le>(a, b); }
__device__ constexpr unsigned __vcmpgts2(unsigned a, unsigned b) { return __lib_map_s2<__lib_op_gt>(a, b); }
__device__ constexpr unsigned __vcmpgtu2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_gt>(a, b); }
__device__ constexpr unsigned __vcmpges2(unsigned a, unsigned b) { return __lib_map_s2<__lib_op_ge>(a, b); }
__device__ constexpr unsigned __vcmpgeu2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_ge>(a, b); }
__device__ constexpr unsigned __vseteq2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_seteq>(a, b); }
__device__ constexpr unsigned __vsetne2(unsigned a, unsigned b) { return __lib_map_u2<__lib_op_setne>(a, b); }
__device__ constexpr unsigned __vsetlts2(unsigned a, unsigned b) {
  return __lib_map_s2<__lib_op_setlt>(a, b);
}
__device__ constexpr unsigned __vsetltu2(unsigned a, unsigned b) {
  return __lib_map_u2<__lib_op_setlt>(a, b);
}
__device__ constexpr unsigned __vsetles2(unsigned a, unsigned b) {
  return __lib_map_s2<__lib_op_setle>(a, b);
}
__device__ constexpr unsigned __vsetleu2(unsigned a, unsigned b) {
  return __lib_map_u2<__lib_op_setle>(a, b);
}
__device__ constexpr unsigned __vsetgts2(unsigned a, unsigned b) {
  return __lib_map_s2<__lib_op_setgt>(a, b);
}
__device__ constexpr unsigned __vsetgtu2(unsigned a, unsigned b) {
  return __lib_map_u2<__lib_op_setgt>(a, b);
}
__device__ constexpr unsigned __vsetges2(unsigned a, unsigned b) {
  return __lib_map_s2<__lib_op_setge>(a, b);
}
__device__ constexpr unsigned __vsetgeu2(unsigned a, unsigned b) {
  return __lib_map_u2<__lib_op_setge>(a, b);
}
__device__ constexpr unsigned __vsads2(unsigned a, unsigned b) {
  unsigned d = __vabsdiffs2(a, b);
  return (d & 0xffffu) + (d >> 16);
}
__device__ constexpr unsigned __vsadu2(unsigned a, unsigned b) {
  unsigned d = __vabsdiffu2(a, b);
  return (d & 0xffffu) + (d >> 16);
}

// Four 8-bit numbers.
__device__ constexpr unsigned __vadd4(unsigned a, unsigned b) {
  return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}
__device__ constexpr unsigned __vsub4(unsigned a, unsigned b) {
  return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u);
}
__device__ constexpr unsigned __vneg4(unsigned a) { return __vsub4(0, a); }
__device__ constexpr unsigned __vaddss4(unsigned a, unsigned b) {
  return __lib_map_s4<__lib_op_add<-128, 127>>(a, b);
}
__device__ constexpr unsigned __vaddus4(unsigned a, unsigned b) {
  return __lib_map_u4<__lib_op_add<0, 255>>(a, b);
}
__device__ constexpr unsigned __vsubss4(unsigned a, unsigned b) {
  return __lib_map_s4<__lib_op_sub<-128, 127>>(a, b);
}
__device__ constexpr unsigned __vsubus4(unsigned a, unsigned b) {
  return __lib_map_u4<__lib_op_sub<0, 255>>(a, b);
}
__device__ constexpr unsigned __vnegss4(unsigned a) { return __vsubss4(0, a); }
__device__ constexpr unsigned __vabs4(unsigned a) {
  unsigned negative = (a & 0x80808080u) >> 7;
  unsigned flip = negative * 0xffu;
  return __vadd4(a ^ flip, negative);
}
__device__ constexpr unsigned __vabsss4(unsigned a) {
  return __lib_map_s4<__lib_op_max>(a, __vnegss4(a));
}
__device__ constexpr unsigned __vhaddu4(unsigned a, unsigned b) {
  return (a & b) + (((a ^ b) >> 1) & 0x7f7f7f7fu);
}
__device__ constexpr unsigned __vavgs4(unsigned a, unsigned b) { return __lib_map_s4<__lib_op_avg>(a, b); }
__device__ constexpr unsigned __vavgu4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_avg>(a, b); }
__device__ constexpr unsigned __vmins4(unsigned a, unsigned b) { return __lib_map_s4<__lib_op_min>(a, b); }
__device__ constexpr unsigned __vminu4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_min>(a, b); }
__device__ constexpr unsigned __vmaxs4(unsigned a, unsigned b) { return __lib_map_s4<__lib_op_max>(a, b); }
__device__ constexpr unsigned __vmaxu4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_max>(a, b); }
__device__ constexpr unsigned __vabsdiffs4(unsigned a, unsigned b) {
  return __lib_map_s4<__lib_op_absdiff>(a, b);
}
__device__ constexpr unsigned __vabsdiffu4(unsigned a, unsigned b) {
  return __lib_map_u4<__lib_op_absdiff>(a, b);
}
__device__ constexpr unsigned __vcmpeq4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_eq>(a, b); }
__device__ constexpr unsigned __vcmpne4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_ne>(a, b); }
__device__ constexpr unsigned __vcmplts4(unsigned a, unsigned b) { return __lib_map_s4<__lib_op_lt>(a, b); }
__device__ constexpr unsigned __vcmpltu4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_lt>(a, b); }
__device__ constexpr unsigned __vcmples4(unsigned a, unsigned b) { return __lib_map_s4<__lib_op_le>(a, b); }
__device__ constexpr unsigned __vcmpleu4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_le>(a, b); }
__device__ constexpr unsigned __vcmpgts4(unsigned a, unsigned b) { return __lib_map_s4<__lib_op_gt>(a, b); }
__device__ constexpr unsigned __vcmpgtu4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_gt>(a, b); }
__device__ constexpr unsigned __vcmpges4(unsigned a, unsigned b) { return __lib_map_s4<__lib_op_ge>(a, b); }
__device__ constexpr unsigned __vcmpgeu4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_ge>(a, b); }
__device__ constexpr unsigned __vseteq4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_seteq>(a, b); }
__device__ constexpr unsigned __vsetne4(unsigned a, unsigned b) { return __lib_map_u4<__lib_op_setne>(a, b); }
__device__ constexpr unsigned __vsetlts4(unsigned a, unsigned b) {
  return __lib_map_s4<__lib_op_setlt>(a, b);
}
__device__ constexpr unsigned __vsetltu4(unsigned a, unsigned b) {
  return __lib_map_u4<__lib_op_setlt>(a, b);
}
__device__ constexpr unsigned __vsetles4(unsigned a, unsigned b) {
  return __lib_map_s4<__lib_op_setle>(a, b);
}
__device__ constexpr unsigned __vsetleu4(unsigned a, unsigned b) {
  return __lib_map_u4<__lib_op_setle>(a, b);
}
__device__ constexpr unsigned __vsetgts4(unsigned a, unsigned b) {
  return __lib_map_s4<__lib_op_setgt>(a, b);
}
__device__ constexpr unsigned __vsetgtu4(unsigned a, unsigned b) {
  return __lib_map_u4<__lib_op_setgt>(a, b);
}
__device__ constexpr unsigned __vsetges4(unsigned a, unsigned b) {
  return __lib_map_s4<__lib_op_setge>(a, b);
}
__device__ constexpr unsigned __vsetgeu4(unsigned a, unsigned b) {
  return __lib_map_u4<__lib_op_setge>(a, b);
}
__device__ constexpr unsigned __lib_sum4(unsigned d) {
  return (d & 0xffu) + (d >> 8 & 0xffu) + (d >> 16 & 0xffu) + (d >> 24);
}
__device__ constexpr unsigned __vsads4(unsigned a, unsigned b) { return __lib_sum4(__vabsdiffs4(a, b)); }
__device__ constexpr unsigned __vsadu4(unsigned a, unsigned b) { return __lib_sum4(__vabsdiffu4(a, b)); }

// Minimum and maximum of several operands, after an addition, clamped at zero (relu), and with a flag for
// which it was.
__device__ constexpr int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
__device__ constexpr int __viaddmin_s32(int a, int b, int c) { return min(a + b, c); }
__device__ constexpr unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return min(min(a, b), c); }
__device__ constexpr unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min(a + b, c); }
__device__ constexpr int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
__device__ constexpr int __vimin3_s32_relu(int a, int b, int c) { return max(min(min(a, b), c), 0); }
__device__ constexpr int __viaddmin_s32_relu(int a, int b, int c) { return max(min(a + b, c), 0); }
__device__ constexpr unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) {
  return __vmins2(__vmins2(a, b), c);
}
__device__ constexpr unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) {
  return __vmins2(__vadd2(a, b), c);
}
__device__ constexpr unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vminu2(__vminu2(a, b), c);
}
__device__ constexpr unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vminu2(__vadd2(a, b), c);
}
__device__ constexpr unsigned __vimin_s16x2_relu(unsigned a, unsigned b) {
  return __vmaxs2(__vmins2(a, b), 0);
}
__device__ constexpr unsigned __vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vmins2(__vmins2(a, b), c), 0);
}
__device__ constexpr unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vmins2(__vadd2(a, b), c), 0);
}
__device__ constexpr int __vibmin_s32(int a, int b, bool* first) {
  *first = a <= b;
  return min(a, b);
}
__device__ constexpr unsigned __vibmin_u32(unsigned a, unsigned b, bool* first) {
  *first = a <= b;
  return min(a, b);
}
__device__ constexpr unsigned __vibmin_s16x2(unsigned a, unsigned b, bool* hi, bool* lo) {
  *hi = short(a >> 16) <= short(b >> 16);
  *lo = short(a) <= short(b);
  return __vmins2(a, b);
}
__device__ constexpr unsigned __vibmin_u16x2(unsigned a, unsigned b, bool* hi, bool* lo) {
  *hi = (a >> 16) <= (b >> 16);
  *lo = (a & 0xffffu) <= (b & 0xffffu);
  return __vminu2(a, b);
}
__device__ constexpr int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
__device__ constexpr int __viaddmax_s32(int a, int b, int c) { return max(a + b, c); }
__device__ constexpr unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return max(max(a, b), c); }
__device__ constexpr unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return max(a + b, c); }
__device__ constexpr int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
__device__ constexpr int __vimax3_s32_relu(int a, int b, int c) { return max(max(max(a, b), c), 0); }
__device__ constexpr int __viaddmax_s32_relu(int a, int b, int c) { return max(max(a + b, c), 0); }
__device__ constexpr unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vmaxs2(a, b), c);
}
__device__ constexpr unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vadd2(a, b), c);
}
__device__ constexpr unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxu2(__vmaxu2(a, b), c);
}
__device__ constexpr unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxu2(__vadd2(a, b), c);
}
__device__ constexpr unsigned __vimax_s16x2_relu(unsigned a, unsigned b) {
  return __vmaxs2(__vmaxs2(a, b), 0);
}
__device__ constexpr unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vmaxs2(__vmaxs2(a, b), c), 0);
}
__device__ constexpr unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vmaxs2(__vadd2(a, b), c), 0);
}
__device__ constexpr int __vibmax_s32(int a, int b, bool* first) {
  *first = a >= b;
  return max(a, b);
}
__device__ constexpr unsigned __vibmax_u32(unsigned a, unsigned b, bool* first) {
  *first = a >= b;
  return max(a, b);
}
__device__ constexpr unsigned __vibmax_s16x2(unsigned a, unsigned b, bool* hi, bool* lo) {
  *hi = short(a >> 16) >= short(b >> 16);
  *lo = short(a) >= short(b);
  return __vmaxs2(a, b);
}
__device__ constexpr unsigned __vibmax_u16x2(unsigned a, unsigned b, bool* hi, bool* lo) {
  *hi = (a >> 16) >= (b >> 16);
  *lo = (a & 0xffffu) >= (b & 0xffffu);
  return __vmaxu2(a, b);
}
