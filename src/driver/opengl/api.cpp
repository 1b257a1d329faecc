#include "driver/opengl/api.hpp"

#include "base/shared_library.hpp"
#include "driver/opengl/messages.hpp"
#include "driver/support/native_code.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

namespace {

template <typename Function>
void find(const Api& api, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(api.eglGetProcAddress(name));
}

// The devices that EGL lists.
std::vector<void*> listed_devices(const Api& api) {
  constexpr int32_t kMost = 64;
  const char* extensions = api.eglQueryString(nullptr, kEglExtensions);
  if (extensions == nullptr ||
      std::string_view(extensions).find("EGL_EXT_platform_device") == std::string_view::npos)
    return {};
  uint32_t (*query)(int32_t, void**, int32_t*) = nullptr;
  find(api, "eglQueryDevicesEXT", query);
  std::vector<void*> devices(kMost);
  int32_t count = 0;
  if (query == nullptr || query(kMost, devices.data(), &count) == 0) return {};
  devices.resize(static_cast<size_t>(count));
  return devices;
}

}  // namespace

Result<std::vector<Api>> Api::load() {
  constexpr std::string_view kNames[] = {"libEGL.so.1", "libEGL.so"};
  QUERN_TRY_ASSIGN(const base::SharedLibrary library, base::SharedLibrary::open(kNames, message::kInstall));
  Api api;
#define X(result, name, parameters) QUERN_TRY(library.load(#name, api.name));
  QUERN_EGL_SYMBOLS(X)
#undef X
  Display (*platform_display)(uint32_t, void*, const intptr_t*) = nullptr;
  find(api, "eglGetPlatformDisplay", platform_display);
  if (platform_display == nullptr) return Error(ErrorKind::unsupported, message::kOldEgl(library.name()));
  std::vector<Api> out;
  const auto add = [&](uint32_t platform, void* device) {
    api.display = platform_display(platform, device, nullptr);
    int32_t major = 0, minor = 0;
    if (api.display == nullptr || api.eglInitialize(api.display, &major, &minor) == 0) return;
    const char* says = api.eglQueryString(api.display, kEglVersion);
    api.version = says != nullptr ? says : std::to_string(major) + "." + std::to_string(minor);
    out.push_back(api);
  };
  for (void* device : listed_devices(api)) add(kEglDevice, device);
  add(kEglSurfaceless, nullptr);
  if (out.empty()) return Error(ErrorKind::not_found, message::kNoDisplay());
  return out;
}

Result<> Api::load_gl(bool is_es) {
#define X(result, name, parameters) \
  find(*this, #name, name);         \
  if (name == nullptr) return Error(ErrorKind::unsupported, message::kNoFunction(#name));
  QUERN_GL_SYMBOLS(X)
#undef X
#define X(result, name, parameters) find(*this, is_es ? #name "EXT" : #name, name);
  QUERN_GL_TIMER_SYMBOLS(X)
#undef X
  for (const char* name : {"glGetGraphicsResetStatus", "glGetGraphicsResetStatusKHR"}) {
    if (get_reset_status == nullptr) find(*this, name, get_reset_status);
  }
  find(*this, "glGetUnsignedBytei_vEXT", get_bytes);
  find(*this, "glGetBufferParameteri64v", get_buffer);
  return {};
}

namespace {

constexpr auto kOurs = ErrorKind::internal;

// All of OpenGL 4.6 and OpenGL ES 3.2, and of EGL 1.5.
constexpr driver::NativeCode kCodes[] = {
    {kInvalidEnum, "GL_INVALID_ENUM", kOurs},
    {kInvalidValue, "GL_INVALID_VALUE", kOurs},
    {kInvalidOperation, "GL_INVALID_OPERATION", kOurs},
    {0x503, "GL_STACK_OVERFLOW", kOurs},
    {0x504, "GL_STACK_UNDERFLOW", kOurs},
    {kOutOfMemory, "GL_OUT_OF_MEMORY", ErrorKind::out_of_memory},
    {0x506, "GL_INVALID_FRAMEBUFFER_OPERATION", kOurs},
    {kContextLost, "GL_CONTEXT_LOST", ErrorKind::device_lost},
    {0x3001, "EGL_NOT_INITIALIZED", ErrorKind::unsupported},
    {0x3002, "EGL_BAD_ACCESS", ErrorKind::unsupported},
    {0x3003, "EGL_BAD_ALLOC", ErrorKind::out_of_memory},
    {0x3004, "EGL_BAD_ATTRIBUTE", ErrorKind::unsupported},
    {0x3005, "EGL_BAD_CONFIG", ErrorKind::unsupported},
    {0x3006, "EGL_BAD_CONTEXT", kOurs},
    {0x3007, "EGL_BAD_CURRENT_SURFACE", kOurs},
    {0x3008, "EGL_BAD_DISPLAY", kOurs},
    {0x3009, "EGL_BAD_MATCH", ErrorKind::unsupported},
    {0x300a, "EGL_BAD_NATIVE_PIXMAP", kOurs},
    {0x300b, "EGL_BAD_NATIVE_WINDOW", kOurs},
    {0x300c, "EGL_BAD_PARAMETER", kOurs},
    {0x300d, "EGL_BAD_SURFACE", kOurs},
    {0x300e, "EGL_CONTEXT_LOST", ErrorKind::device_lost},
};

}  // namespace

Error failed(std::string_view call, uint32_t code) { return driver::failed(kCodes, call, code); }
bool is_known(uint32_t code) { return driver::is_known(kCodes, code); }
std::string name_of(uint32_t code) { return driver::name_of(kCodes, code); }

}  // namespace quern::opengl
