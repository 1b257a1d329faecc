// OpenGL: a buffer name of a context that shares its objects with Quern's.
#include "api/api_case.hpp"
#include "quern/interop.hpp"

#if __has_include(<EGL/egl.h>)
#include <thread>

#include <dlfcn.h>
#include <EGL/egl.h>

namespace quern::test {
namespace {

QUERN_KERNEL(add_to, (int n, int value, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
})

constexpr unsigned kCopyWrite = 0x8F37, kDynamicCopy = 0x88EA;
constexpr int kCount = 256;

class OpenglInterop : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      device = open(GetParam());
    } catch (const Error& e) {
      GTEST_SKIP() << e.message();
    }
    library = ::dlopen("libEGL.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr);
    native = interop::get<interop::opengl::Device>(device);
    ASSERT_NE(native.context, nullptr);
  }
  template <typename Function>
  Function* load(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(library, name));
  }
  template <typename Function>
  Function* load_gl(const char* name) const {
    return reinterpret_cast<Function*>(load<decltype(eglGetProcAddress)>("eglGetProcAddress")(name));
  }
  // A context of this thread that shares objects with `other`.
  EGLContext make_current(EGLContext other) const {
    load<decltype(eglBindAPI)>("eglBindAPI")(native.is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    const bool loses = other != nullptr && native.loses_context_on_reset;
    constexpr EGLint kStrategy = 0x31BD, kLose = 0x31BF;
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                             native.is_es ? 3 : 4,
                             EGL_CONTEXT_MINOR_VERSION,
                             native.is_es ? 1 : 3,
                             loses ? kStrategy : EGL_NONE,
                             kLose,
                             EGL_NONE};
    const EGLContext context =
        load<decltype(eglCreateContext)>("eglCreateContext")(native.display, nullptr, other, wanted);
    EXPECT_NE(context, EGL_NO_CONTEXT);
    EXPECT_TRUE(load<decltype(eglMakeCurrent)>("eglMakeCurrent")(native.display, nullptr, nullptr, context));
    return context;
  }
  unsigned make_buffer() const {
    unsigned name = 0;
    const std::vector<int> values(kCount, 5);
    load_gl<void(int, unsigned*)>("glGenBuffers")(1, &name);
    load_gl<void(unsigned, unsigned)>("glBindBuffer")(kCopyWrite, name);
    load_gl<void(unsigned, intptr_t, const void*, unsigned)>("glBufferData")(kCopyWrite, kCount * 4,
                                                                             values.data(), kDynamicCopy);
    load_gl<void()>("glFinish")();
    return name;
  }
  void drop(EGLContext context) const {
    load<decltype(eglMakeCurrent)>("eglMakeCurrent")(native.display, nullptr, nullptr, nullptr);
    load<decltype(eglDestroyContext)>("eglDestroyContext")(native.display, context);
  }

  Device device;
  interop::opengl::Device native;
  void* library = nullptr;
};

TEST_P(OpenglInterop, RunsAKernelOnABufferName) {
  const EGLContext context = make_current(native.context);
  const unsigned name = make_buffer();
  {
    auto data = interop::adopt<int>(device, interop::opengl::Buffer{name}, kCount);
    device.launch(add_to, threads(kCount), kCount, 2, data);
    device.launch(add_to, threads(8), 8, 1, data.slice(kCount - 8));
    auto expected = std::vector<int>(kCount, 7);
    std::fill(expected.end() - 8, expected.end(), 8);
    EXPECT_EQ(data.download(), expected);
    EXPECT_EQ(interop::get<interop::opengl::Buffer>(data).name, name);
  }
  EXPECT_EQ(
      error_of([&] { (void)interop::adopt<int>(device, interop::opengl::Buffer{name}, kCount + 1); }).kind(),
      ErrorKind::invalid_use);
  EXPECT_EQ(error_of([&] { (void)interop::adopt<int>(device, interop::opengl::Buffer{4711}, 1); }).kind(),
            ErrorKind::invalid_use);
  drop(context);
}

TEST_P(OpenglInterop, OpensADeviceThatSharesWithAContext) {
  const EGLContext context = make_current(nullptr);
  const unsigned name = make_buffer();
  {
    const Device gpu = interop::open(interop::opengl::Device{native.display, context, native.is_es});
    auto data = interop::adopt<int>(gpu, interop::opengl::Buffer{name}, kCount);
    gpu.launch(add_to, threads(kCount), kCount, 2, data);
    EXPECT_EQ(data.download(), std::vector<int>(kCount, 7));
  }
  drop(context);
}

INSTANTIATE_TEST_SUITE_P(All, OpenglInterop, testing::ValuesIn(drivers_of("opengl")), device_name);

}  // namespace
}  // namespace quern::test
#else
TEST(OpenglInterop, NeedsHeaders) { GTEST_SKIP() << "built without EGL/egl.h"; }
#endif
