//--- integers of both signs
//! run main(i32[128])
//! a = -498 -500 -399 -398 -400 -299 -298 -300 -199 -198 -200 -99 -98 -100 1 2 0 1 2 100 101 102 200 201 202 300 301 302 400 401 402 500 -8 -8 -7 -7 -6 -6 -5 -5 -4 -4 -3 -3 -2 -2 -1 -1 0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 1431655760 1431655760 1431655760 1431655761 1431655761 1431655761 1431655762 1431655762 1431655762 1431655763 1431655763 1431655763 1431655764 1431655764 1431655764 1431655765 0 0 0 1 1 1 2 2 2 3 3 3 4 4 4 5 2147483640 2147483640 2147483641 2147483641 2147483642 2147483642 2147483643 2147483643 2147483644 2147483644 2147483645 2147483645 2147483646 2147483646 2147483647 2147483647 0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int s[64]; uint u[64]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int x = int(i) - 16;
  uint y = i - 16u;
  a.s[i] = x / 3 * 100 + x % 3;
  a.s[i + 32u] = x >> 1;
  a.u[i] = y / 3u;
  a.u[i + 32u] = y >> 1;
}

//--- modulo of every kind
//! run main(f32[16])
//! a = 1 2 0 1 2 0 1 2 -2 -1 -0 -2 -1 -0 -2 -1
#version 450
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer B0 { float f[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  float x = float(i) - 5.0;
  a.f[i] = mod(x, 3.0);
  a.f[i + 8u] = mod(x, -3.0);
}

//--- bit fields and bit counts
//! run main(i32[14])
//! a = 1110 -1 15 305422328 -2147483648 13 4 28 7 -1 -1 31 305419896 0
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  int x = 0x12345678;
  a.v[0] = bitfieldExtract(x, 8, 12);
  a.v[1] = bitfieldExtract(int(0xF0000000), 28, 4);
  a.v[2] = int(bitfieldExtract(0xF0000000u, 28, 4));
  a.v[3] = bitfieldInsert(x, -1, 4, 8);
  a.v[4] = bitfieldReverse(1);
  a.v[5] = bitCount(x);
  a.v[6] = findLSB(x & ~15);
  a.v[7] = findMSB(x);
  a.v[8] = findMSB(-256);
  a.v[9] = findMSB(0);
  a.v[10] = findLSB(0);
  a.v[11] = findMSB(0x80000000u);
  a.v[12] = bitfieldExtract(x, 0, 32);
  a.v[13] = bitfieldExtract(x, 5, 0);
}

//--- carries and long products
//! run main(u32[8])
//! a = 16 1 4294967294 1 4294967293 2 4294967295 1294967296
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;

void main() {
  uint carry, borrow, high, low;
  a.v[0] = uaddCarry(0xFFFFFFF0u, 0x20u, carry);
  a.v[1] = carry;
  a.v[2] = usubBorrow(3u, 5u, borrow);
  a.v[3] = borrow;
  umulExtended(0xFFFFFFFFu, 0xFFFFFFFEu, high, low);
  a.v[4] = high;
  a.v[5] = low;
  int ih, il;
  imulExtended(-3, 1000000000, ih, il);
  a.v[6] = uint(ih);
  a.v[7] = uint(il);
}

//--- 64-bit integers
//! run main(i64[32])
//! a = 34 -37321428554 -74642857125 -111964285696 -149285714268 -186607142839 -223928571411 -261249999982 -298571428554 -335892857125 -373214285696 -410535714268 -447857142839 -485178571411 -522499999982 -559821428554 -597142857125 -634464285696 -671785714268 -709107142839 -746428571411 -783749999982 -821071428554 -858392857125 -895714285696 -933035714268 -970357142839 -1007678571411 -1044999999982 -1082321428554 -1119642857125 -1156964285696
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int64_t v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int64_t x = int64_t(i) * 10000000000L - 5L;
  a.v[i] = x / 7L + (x >> 3) - (x << 2) + int64_t(uint64_t(x) >> 60);
}

//--- 8 and 16 bit integers and halves in memory
//! run main(i8[32], u16[32], f16[32]=1)
//! a = 0 9 18 27 36 45 54 63 72 81 90 99 108 117 126 -121 -112 -103 -94 -85 -76 -67 -58 -49 -40 -31 -22 -13 -4 5 14 23
//! b = 0 3000 6000 9000 12000 15000 18000 21000 24000 27000 30000 33000 36000 39000 42000 45000 48000 51000 54000 57000 60000 63000 464 3464 6464 9464 12464 15464 18464 21464 24464 27464
//! h = 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5 10.5 11.5 12.5 13.5 14.5 15.5 16.5 17.5 18.5 19.5 20.5 21.5 22.5 23.5 24.5 25.5 26.5 27.5 28.5 29.5 30.5 31.5
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer A { int8_t v[]; } a;
layout(std430, binding = 1) buffer C { uint16_t v[]; } b;
layout(std430, binding = 2) buffer D { float16_t v[]; } h;

void main() {
  uint i = gl_GlobalInvocationID.x;
  a.v[i] = int8_t(int(i) * 9);
  b.v[i] = uint16_t(i) * uint16_t(3000us);
  h.v[i] = h.v[i] * 0.5hf + float16_t(i);
}

//--- doubles
//! run main(f64[8])
//! a ~1e-14 = 0.25 2.25 4.25 5.25 7.25 9.25 10.25 12.25
#version 450
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer B0 { double v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  double x = double(i) / 3.0LF;
  a.v[i] = sqrt(x * x) * 3.0LF + fma(x, 3.0LF, 0.25LF) - floor(x) ;
}

//--- floats that are not numbers
//! run main(i32[5], {0})
//! a = 11 14 5 -2147483648 3141
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

layout(push_constant) uniform P { float zero; } p;
void main() {
  float nan = p.zero / p.zero, inf = 1.0 / p.zero;
  a.v[0] = int(isnan(nan)) + 2 * int(isinf(inf)) + 4 * int(nan == nan) + 8 * int(nan != nan);
  a.v[1] = int(nan < 1.0) + 2 * int(!(nan < 1.0)) + 4 * int(inf > 1e38) + 8 * int(-inf < inf);
  a.v[2] = int(max(nan, 3.0)) + int(min(2.0, nan));
  a.v[3] = floatBitsToInt(-0.0);
  a.v[4] = int(uintBitsToFloat(0x40490fdbu) * 1000.0);
}

//--- conversions between all kinds of numbers
//! run main(i32[8], {-7.75, -3, 4000000000, 2.375})
//! a = -7 7 3906250 -3 23 9 1 2147483647
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

layout(push_constant) uniform P { float f; int i; uint u; double d; } p;
void main() {
  a.v[0] = int(p.f);
  a.v[1] = int(uint(-p.f));
  a.v[2] = int(float(p.u) / 1024.0);
  a.v[3] = int(float(p.i));
  a.v[4] = int(p.d * 10.0LF);
  a.v[5] = int(float(p.d) * 4.0);
  a.v[6] = int(bool(p.i)) + int(bool(p.f - p.f)) * 2;
  a.v[7] = int(double(p.u) - double(p.i));
}

//--- GLSL functions of one number
//! run main(f32[24])
//! a ~2e-6 = 0.6816387600233341 0.7316888688738209 0.9315964599440725 0.848062078981481 0.7227342478134157 0.6435011087932844 0.82231673193583 1.2946832846768448 0.6351489523872873 0.6931471805599453 1.158810360429947 0.9729550745276566 2.117000016612675 -0.2876820724517809 1.681792830507429 -0.4150374992788438 0.8660254037844386 1.1547005383792515 1.5707963267948966 57.29577951308232 2.782821983319221 0.421875 0.25 2.0
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { float v[]; } a;

void main() {
  float x = 0.75;
  float t[24] = float[](sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), sinh(x), cosh(x), tanh(x), asinh(x),
    acosh(x + 1.0), atanh(x), exp(x), log(x), exp2(x), log2(x), sqrt(x), inversesqrt(x), radians(90.0),
    degrees(1.0), atan(x, -2.0), pow(x, 3.0), fract(-x), roundEven(2.5));
  for (int k = 0; k < 24; ++k) a.v[k] = t[k];
}

//--- GLSL functions of several numbers
//! run main(f32[16])
//! a = 2 3 10 0.15625 99 7 -182 2 0.25 3 0.625 6 40 -2 10 2
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { float v[]; } a;

void main() {
  a.v[0] = clamp(5.0, 0.0, 2.0);
  a.v[1] = mix(2.0, 6.0, 0.25);
  a.v[2] = step(1.0, 0.5) + step(1.0, 1.0) * 10.0;
  a.v[3] = smoothstep(0.0, 4.0, 1.0);
  a.v[4] = sign(-3.0) + sign(0.0) * 10.0 + sign(9.0) * 100.0;
  a.v[5] = float(sign(-7) + abs(-8));
  a.v[6] = floor(-1.5) + ceil(1.25) * 10.0 + trunc(-2.75) * 100.0;
  a.v[7] = round(1.6) ;
  float whole; a.v[8] = modf(3.25, whole); a.v[9] = whole;
  int e; a.v[10] = frexp(40.0, e); a.v[11] = float(e);
  a.v[12] = ldexp(0.625, 6);
  a.v[13] = float(clamp(-5, -2, 2)) + float(min(3u, 4u)) + float(max(-3, -4));
  a.v[14] = fma(2.0, 3.0, 4.0);
  a.v[15] = mix(1.0, 2.0, true);
}

//--- vectors: geometry
//! run main(f32[12])
//! a ~1e-6 = 3 2.449489742783178 2 -2 0 1 0.6666666666666666 1 1 -1 0 -1
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { float v[]; } a;

void main() {
  vec3 x = vec3(1, 2, 2), y = vec3(0, 1, 0);
  a.v[0] = length(x);
  a.v[1] = distance(x, y);
  a.v[2] = dot(x, y);
  vec3 c = cross(x, y); a.v[3] = c.x; a.v[4] = c.y; a.v[5] = c.z;
  vec3 n = normalize(x); a.v[6] = n.y;
  vec3 r = reflect(vec3(1, -1, 0), y); a.v[7] = r.x; a.v[8] = r.y;
  vec3 f = faceforward(y, vec3(0, 1, 0), y); a.v[9] = f.y;
  vec2 b = refract(vec2(0, -1), vec2(0, 1), 0.5); a.v[10] = b.x; a.v[11] = b.y;
}

//--- packing
//! run main(u32[5], f32[8])
//! a = 4286643968 2164293505 65535 1073774593 3221241344
//! f ~1e-6 = 0.2 0.5019607843137255 1 -1 1 -1 1.5 -2
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;
layout(std430, set = 0, binding = 1) buffer B1 { float v[]; } f;

void main() {
  a.v[0] = packUnorm4x8(vec4(0, 1, 0.5, 2));
  a.v[1] = packSnorm4x8(vec4(-1, 1, 0, -5));
  a.v[2] = packUnorm2x16(vec2(1, 0));
  a.v[3] = packSnorm2x16(vec2(-1, 0.5));
  a.v[4] = packHalf2x16(vec2(1.5, -2));
  vec4 u = unpackUnorm4x8(0xFF008033u); f.v[0] = u.x; f.v[1] = u.y; f.v[2] = u.w;
  vec4 s = unpackSnorm4x8(0x80007F81u); f.v[3] = s.x; f.v[4] = s.y; f.v[5] = s.w;
  vec2 h = unpackHalf2x16(0xC0003E00u); f.v[6] = h.x; f.v[7] = h.y;
}
