#include "driver/opengl/self_check.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

namespace {

// Division by a constant and the upper half of a product: what has been seen to crash.
constexpr std::string_view kText =
    "layout(local_size_x = 4) in;\n"
    "layout(std430, binding = 0) buffer words { uint a[]; };\n"
    "void main() {\n"
    "  uint i = gl_LocalInvocationID.x;\n"
    "  uint high;\n"
    "  uint low;\n"
    "  umulExtended(a[i], 2654435769u, high, low);\n"
    "  a[i] = high ^ (a[i] % 3u);\n"
    "}\n";

}  // namespace

Result<> self_check(const Context& context, bool is_es) {
  const Api& gl = context.gl();
  const std::string text = (is_es ? "#version 310 es\n" : "#version 430 core\n") + std::string(kText);
  const char* begin = text.c_str();
  const auto length = static_cast<int32_t>(text.size());
  const uint32_t shader = gl.glCreateShader(kComputeShader), program = gl.glCreateProgram();
  gl.glShaderSource(shader, 1, &begin, &length);
  gl.glCompileShader(shader);
  gl.glAttachShader(program, shader);
  gl.glLinkProgram(program);
  gl.glDeleteShader(shader);
  uint32_t words[4] = {10, 11, 12, 13};
  uint32_t buffer = 0;
  gl.glGenBuffers(1, &buffer);
  gl.glBindBuffer(kStorageBuffer, buffer);
  gl.glBufferData(kStorageBuffer, sizeof words, words, kDynamicCopy);
  gl.glBindBufferBase(kStorageBuffer, 0, buffer);
  gl.glUseProgram(program);
  gl.glDispatchCompute(1, 1, 1);
  gl.glMemoryBarrier(kAllBarriers);
  const void* mapped = gl.glMapBufferRange(kStorageBuffer, 0, sizeof words, kMapRead);
  const bool right = mapped != nullptr && static_cast<const uint32_t*>(mapped)[3] == (8 ^ 1);
  if (mapped != nullptr) (void)gl.glUnmapBuffer(kStorageBuffer);
  gl.glDeleteBuffers(1, &buffer);
  gl.glDeleteProgram(program);
  QUERN_TRY(context.check("a first kernel"));
  if (!right) return Error(ErrorKind::kUnsupported, "a first kernel computes something wrong");
  return {};
}

}  // namespace quern::opengl
