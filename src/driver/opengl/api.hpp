// The part of EGL and OpenGL that is used, declared here: no headers are needed. The EGL library is loaded
// when the driver starts; GL's functions are loaded through EGL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::opengl {

template <typename T = void>
using Result = base::Result<T>;

using Display = void*;
using EglContext = void*;
using Sync = struct SyncTag*;

// clang-format off
enum : int32_t {  // EGL
  kEglNone = 0x3038, kEglVersion = 0x3054, kEglMajor = 0x3098, kEglMinor = 0x30FB, kEglProfile = 0x30FD,
  kEglCoreProfile = 1, kEglResetStrategy = 0x31BD, kEglLoseOnReset = 0x31BF, kEglExtensions = 0x3055,
};
enum : uint32_t {  // EGL
  kEglApiEs = 0x30A0, kEglApiGl = 0x30A2, kEglSurfaceless = 0x31DD, kEglDevice = 0x313F,
};
enum : uint32_t {  // GL
  kInvalidEnum = 0x0500, kInvalidValue = 0x0501, kInvalidOperation = 0x0502, kOutOfMemory = 0x0505,
  kContextLost = 0x0507, kGuiltyReset = 0x8253, kInnocentReset = 0x8254, kVendor = 0x1F00, kRenderer = 0x1F01,
  kVersion = 0x1F02, kExtensions = 0x1F03, kNumExtensions = 0x821D, kMajorVersion = 0x821B, kMinorVersion = 0x821C,
  kMaxSharedBytes = 0x8262, kNvidiaMemory = 0x9047, kMaxUniformBlock = 0x8A30, kMaxStorageBlocks = 0x90DB,
  kMaxStorageBindings = 0x90DD, kMaxStorageBytes = 0x90DE, kMaxInvocations = 0x90EB, kMaxGroupCount = 0x91BE,
  kMaxGroupSize = 0x91BF, kCopyRead = 0x8F36, kCopyWrite = 0x8F37, kUniformBuffer = 0x8A11, kStorageBuffer = 0x90D2,
  kDynamicCopy = 0x88EA, kStreamDraw = 0x88E0, kMapRead = 1, kComputeShader = 0x91B9, kCompileStatus = 0x8B81,
  kLinkStatus = 0x8B82, kLogLength = 0x8B84, kSyncComplete = 0x9117,
  kTimeoutExpired = 0x911B, kWaitFailed = 0x911D, kFlushCommands = 1, kTimestamp = 0x8E28, kQueryResult = 0x8866,
  kAllBarriers = 0xFFFFFFFF, kBufferSize = 0x8764, kDeviceUuid = 0x9597,
};

#define QUERN_EGL_SYMBOLS(X)                                                               \
  X(int32_t, eglGetError, ())                                                              \
  X(void*, eglGetProcAddress, (const char*))                                               \
  X(const char*, eglQueryString, (Display, int32_t))                                       \
  X(uint32_t, eglInitialize, (Display, int32_t*, int32_t*))                                \
  X(uint32_t, eglBindAPI, (uint32_t))                                                      \
  X(EglContext, eglCreateContext, (Display, void*, EglContext, const int32_t*))            \
  X(uint32_t, eglMakeCurrent, (Display, void*, void*, EglContext))                         \
  X(uint32_t, eglDestroyContext, (Display, EglContext))                                    \
  X(uint32_t, eglReleaseThread, ())

#define QUERN_GL_SYMBOLS(X)                                                                \
  X(uint32_t, glGetError, ())                                                              \
  X(const uint8_t*, glGetString, (uint32_t))                                               \
  X(const uint8_t*, glGetStringi, (uint32_t, uint32_t))                                    \
  X(void, glGetInteger64v, (uint32_t, int64_t*))                                           \
  X(void, glGetIntegeri_v, (uint32_t, uint32_t, int32_t*))                                 \
  X(void, glGenBuffers, (int32_t, uint32_t*))                                              \
  X(void, glDeleteBuffers, (int32_t, const uint32_t*))                                     \
  X(void, glBindBuffer, (uint32_t, uint32_t))                                              \
  X(void, glBufferData, (uint32_t, intptr_t, const void*, uint32_t))                       \
  X(void, glBufferSubData, (uint32_t, intptr_t, intptr_t, const void*))                    \
  X(void, glCopyBufferSubData, (uint32_t, uint32_t, intptr_t, intptr_t, intptr_t))         \
  X(void*, glMapBufferRange, (uint32_t, intptr_t, intptr_t, uint32_t))                     \
  X(uint8_t, glUnmapBuffer, (uint32_t))                                                    \
  X(void, glBindBufferBase, (uint32_t, uint32_t, uint32_t))                                \
  X(uint32_t, glCreateShader, (uint32_t))                                                  \
  X(void, glDeleteShader, (uint32_t))                                                      \
  X(void, glShaderSource, (uint32_t, int32_t, const char* const*, const int32_t*))         \
  X(void, glCompileShader, (uint32_t))                                                     \
  X(void, glGetShaderiv, (uint32_t, uint32_t, int32_t*))                                   \
  X(void, glGetShaderInfoLog, (uint32_t, int32_t, int32_t*, char*))                        \
  X(uint32_t, glCreateProgram, ())                                                         \
  X(void, glDeleteProgram, (uint32_t))                                                     \
  X(void, glAttachShader, (uint32_t, uint32_t))                                            \
  X(void, glLinkProgram, (uint32_t))                                                       \
  X(void, glGetProgramiv, (uint32_t, uint32_t, int32_t*))                                  \
  X(void, glGetProgramInfoLog, (uint32_t, int32_t, int32_t*, char*))                       \
  X(void, glUseProgram, (uint32_t))                                                        \
  X(void, glDispatchCompute, (uint32_t, uint32_t, uint32_t))                               \
  X(void, glMemoryBarrier, (uint32_t))                                                     \
  X(Sync, glFenceSync, (uint32_t, uint32_t))                                               \
  X(void, glDeleteSync, (Sync))                                                            \
  X(uint32_t, glClientWaitSync, (Sync, uint32_t, uint64_t))                                \
  X(void, glFlush, ())

// Timer queries; an extension in ES.
#define QUERN_GL_TIMER_SYMBOLS(X)                                                          \
  X(void, glGenQueries, (int32_t, uint32_t*))                                              \
  X(void, glDeleteQueries, (int32_t, const uint32_t*))                                     \
  X(void, glQueryCounter, (uint32_t, uint32_t))                                            \
  X(void, glGetQueryObjectui64v, (uint32_t, uint32_t, uint64_t*))
// clang-format on

struct Api {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  QUERN_EGL_SYMBOLS(X)
  QUERN_GL_SYMBOLS(X)
  QUERN_GL_TIMER_SYMBOLS(X)
#undef X
  void (*get_bytes)(uint32_t, uint32_t, uint8_t*) = nullptr;   // glGetUnsignedBytei_vEXT, or null
  uint32_t (*get_reset_status)() = nullptr;                    // glGetGraphicsResetStatus, or null
  void (*get_buffer)(uint32_t, uint32_t, int64_t*) = nullptr;  // glGetBufferParameteri64v, or null
  Display display = nullptr;
  std::string version;  // of EGL

  // Loads the library with its surfaceless displays: one per device that EGL lists, and the default display
  // last.
  static Result<std::vector<Api>> load();
  // Loads GL's functions; a context is current.
  Result<> load_gl(bool is_es);
  bool has_timer() const { return glQueryCounter != nullptr && glGetQueryObjectui64v != nullptr; }
};

base::Error failed(std::string_view call, uint32_t code);
bool is_known(uint32_t code);  // in the table that failed() uses
std::string name_of(uint32_t code);

}  // namespace quern::opengl
