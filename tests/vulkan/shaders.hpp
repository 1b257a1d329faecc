// Compute shaders in the form of the SPIR-V emitter: specialized block sizes, arguments as one block of push
// constants with addresses, or its address. And some of a user's own, with bindings.
#pragma once

namespace quern::vulkan {

inline const char* const kHead = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Ints { int v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float v[]; };
)";

inline const char* const kSaxpy = R"(
layout(push_constant) uniform Block { int n; float a; Floats x; Floats y; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < n) y.v[i] = a * x.v[i] + y.v[i];
})";

inline const char* const kStep = R"(
layout(push_constant) uniform Block { Ints x; int n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < n) x.v[i] = x.v[i] * 3 + 1;
})";

inline const char* const kSpin = R"(
layout(push_constant) uniform Block { Ints x; int n; };
void main() {
  int a = x.v[gl_GlobalInvocationID.x];
  for (int i = 0; i < n; ++i) a = a * 1664525 + 1013904223 + (a >> 3);
  x.v[gl_GlobalInvocationID.x] = a;
})";

inline const char* const kLong = R"(
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Arguments { int v[40]; Ints to; };
layout(push_constant) uniform Block { Arguments arguments; };
void main() {
  int sum = 0;
  for (int i = 0; i < 40; ++i) sum += arguments.v[i] * (i + 1);
  arguments.to.v[gl_LocalInvocationIndex] = sum;
})";

inline const char* const kDynamic = R"(
layout(constant_id = 3) const uint bytes = 4;
shared int part[bytes / 4];
layout(push_constant) uniform Block { Ints x; };
void main() {
  uint t = gl_LocalInvocationIndex, n = bytes / 4;
  part[t] = x.v[t];
  barrier();
  x.v[t] = part[n - 1 - t] + int(n) * 1000;
})";

inline const char* const kHidden = R"(
layout(push_constant) uniform Block { Ints x; int n; Ints variable; Ints report; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  atomicAdd(variable.v[0], n);
  int at = atomicAdd(report.v[1], 3);
  report.v[at] = 0;
  report.v[at + 1] = x.v[i];
  report.v[at + 2] = 0;
  if (x.v[i] == 13 && atomicCompSwap(report.v[0], 0, 2) == 0) {
    report.v[4] = int(gl_LocalInvocationID.x);
    report.v[7] = int(gl_WorkGroupID.x);
  }
})";

inline const char* const kRaw = R"(#version 450
layout(local_size_x = 32, local_size_y_id = 5) in;
layout(constant_id = 5) const uint height = 1;
layout(constant_id = 7) const float factor = 2.0;
layout(set = 0, binding = 1) readonly buffer In { float from[]; };
layout(set = 1, binding = 0) buffer Out { float v[]; } target;
layout(set = 0, binding = 9) buffer Unused { float never[]; };
layout(push_constant) uniform Push { uint n; float add; };
void main() {
  uint i = gl_WorkGroupID.x * 32 * height + gl_LocalInvocationIndex;
  if (i < n) target.v[i] = from[i] * factor + add;
})";

}  // namespace quern::vulkan
