#include "driver/opengl/context.hpp"

#include "base/text.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

Result<std::unique_ptr<Context>> Context::create(const Api& api, bool is_es) {
  std::unique_ptr<Context> context(new Context(api, is_es));
  context->thread_ = std::thread([raw = context.get()] { raw->work(); });
  QUERN_TRY(context->run<void>([raw = context.get()] { return raw->start(); }));
  return context;
}

Context::~Context() {
  post([this] {
    (void)api_.eglMakeCurrent(api_.display, nullptr, nullptr, nullptr);
    if (context_ != nullptr) (void)api_.eglDestroyContext(api_.display, context_);
    (void)api_.eglReleaseThread();
  });
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  more_.notify_one();
  thread_.join();
}

Result<> Context::start() {
  const std::string wanted = is_es_ ? "OpenGL ES 3.1" : "OpenGL 4.3";
  if (api_.eglBindAPI(is_es_ ? kEglApiEs : kEglApiGl) == 0)
    return Error(ErrorKind::kNotFound, "EGL knows no " + wanted);
  // Some drivers give exactly the version that is asked for, so the newest is asked for first.
  for (int32_t minor = is_es_ ? 2 : 6; context_ == nullptr && minor >= (is_es_ ? 1 : 3); --minor) {
    const int32_t es[] = {kEglMajor, 3, kEglMinor, minor, kEglNone};
    const int32_t gl[] = {kEglMajor, 4, kEglMinor, minor, kEglProfile, kEglCoreProfile, kEglNone};
    context_ = api_.eglCreateContext(api_.display, nullptr, nullptr, is_es_ ? es : gl);
  }
  if (context_ == nullptr) {
    return Error(ErrorKind::kNotFound,
                 "EGL makes no context of " + wanted + base::format(" (error 0x%x)", api_.eglGetError()));
  }
  if (api_.eglMakeCurrent(api_.display, nullptr, nullptr, context_) == 0) {
    return Error(ErrorKind::kUnsupported, "EGL cannot use a context without a surface" +
                                              base::format(" (error 0x%x)", api_.eglGetError()));
  }
  return api_.load_gl(is_es_);
}

void Context::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  more_.notify_one();
}

void Context::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::function<void()> next = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    next();
    lock.lock();
  }
}

Result<> Context::check(std::string_view call) const {
  const uint32_t code = api_.glGetError();
  if (code == 0) return {};
  while (code != kContextLost && api_.glGetError() != 0) {
  }
  return failed(call, code);
}

}  // namespace quern::opengl
