#include "driver/opengl/context.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "base/thread.hpp"
#include "driver/opengl/messages.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint64_t kSlice = 1'000'000;        // ns for which a wait blocks the context
constexpr uint64_t kLongSlice = 100'000'000;  // if the work itself waits
constexpr int kGrace = 10;                    // checks of a thread whose device is lost
constexpr size_t kManyLaunches = 256;         // from here on, completed launches are removed

// Newest version first: some drivers create exactly the requested version. Requests reset notification if
// available.
EglContext create_context(const Api& api, bool is_es, EglContext share, bool tells_resets) {
  const int32_t lowest = is_es ? 1 : 3;
  for (int32_t minor = is_es ? 2 : 6; minor >= lowest; --minor) {
    std::array<int32_t, 9> wanted{kEglMajor, is_es ? 3 : 4, kEglMinor, minor, kEglNone};
    size_t at = 4;
    const auto add = [&](int32_t key, int32_t value) {
      wanted[at++] = key;
      wanted[at++] = value;
      wanted[at] = kEglNone;
    };
    if (!is_es) add(kEglProfile, kEglCoreProfile);
    if (tells_resets) add(kEglResetStrategy, kEglLoseOnReset);
    const EglContext made = api.eglCreateContext(api.display, nullptr, share, wanted.data());
    if (made != nullptr) return made;
  }
  return nullptr;
}

}  // namespace

Result<> Gl::start(EglContext share) {
  const std::string wanted = is_es ? "OpenGL ES 3.1" : "OpenGL 4.3";
  if (api.eglBindAPI(is_es ? kEglApiEs : kEglApiGl) == 0)
    return Error(ErrorKind::not_found, message::kUnsupportedApi(wanted));
  context_ = create_context(api, is_es, share, true);
  tells_resets_ = loses_on_reset_ = context_ != nullptr;
  if (context_ == nullptr) context_ = create_context(api, is_es, share, false);
  if (context_ == nullptr) {
    return Error(ErrorKind::not_found,
                 message::kNoContext(wanted, name_of(static_cast<uint32_t>(api.eglGetError()))));
  }
  if (api.eglMakeCurrent(api.display, nullptr, nullptr, context_) == 0) {
    return Error(ErrorKind::unsupported,
                 message::kNoSurfaceless(name_of(static_cast<uint32_t>(api.eglGetError()))));
  }
  QUERN_TRY(api.load_gl(is_es));
  tells_resets_ = tells_resets_ && api.get_reset_status != nullptr;
  return {};
}

void Gl::end() {
  for (Sync sync : launches_) api.glDeleteSync(sync);
  (void)api.eglMakeCurrent(api.display, nullptr, nullptr, nullptr);
  if (context_ != nullptr) (void)api.eglDestroyContext(api.display, context_);
  (void)api.eglReleaseThread();
}

Result<> Gl::check_reset() {
  const uint32_t status = tells_resets_ ? api.get_reset_status() : 0;
  if (status == 0) return {};
  return loss->lose(status == kGuiltyReset     ? "a kernel of this program caused a reset"
                    : status == kInnocentReset ? "another program caused a reset"
                                               : "the driver reset it");
}

Result<> Gl::check(std::string_view call) {
  const uint32_t code = api.glGetError();
  if (code == 0) return {};
  QUERN_TRY(check_reset());
  if (code == kContextLost) return loss->lose(std::string(call) + " says GL_CONTEXT_LOST");
  while (api.glGetError() != 0) {
  }
  return failed(call, code);
}

Result<> Gl::copy(void* to, const void* from, uint64_t bytes) const {
  constexpr uint64_t kPiece = 1 << 20;  // so that others can check whether the device is alive
  for (uint64_t done = 0; done < bytes; done += kPiece) {
    QUERN_TRY(loss->unless_lost([&] {
      std::memcpy(static_cast<std::byte*>(to) + done, static_cast<const std::byte*>(from) + done,
                  std::min(kPiece, bytes - done));
    }));
  }
  return {};
}

bool Gl::is_stuck(Time since) const { return Clock::now() - std::max(since, progress_.load()) > patience; }

Error Gl::stuck() {
  return loss->lose("no work has finished for " + base::format("%g", patience.count()) + " seconds");
}

Result<bool> Gl::pass(Sync sync, uint64_t nanoseconds) {
  if (sync == nullptr) return Error(ErrorKind::internal, message::kFenceFailed());
  const uint32_t state = api.glClientWaitSync(sync, kFlushCommands, nanoseconds);
  if (state == kWaitFailed) QUERN_TRY(check("glClientWaitSync"));
  if (state != kTimeoutExpired) return true;
  QUERN_TRY(check_reset());
  return false;
}

Result<bool> Gl::pass_oldest(uint64_t nanoseconds) {
  QUERN_TRY_ASSIGN(const bool passed, pass(launches_.front(), nanoseconds));
  if (!passed) return false;
  api.glDeleteSync(launches_.front());
  launches_.pop_front();
  progress_ = Clock::now();
  return true;
}

Result<> Gl::settle() {
  const Time begun = Clock::now();
  while (!launches_.empty()) {
    QUERN_TRY_ASSIGN(const bool passed, pass_oldest(kLongSlice));
    if (!passed && is_stuck(begun)) return stuck();
  }
  return {};
}

Result<bool> Gl::poll(Mark& mark, uint64_t nanoseconds) {
  if (mark.is_reached) return true;
  for (bool passed = true; passed && !launches_.empty();) {
    QUERN_TRY_ASSIGN(passed, pass_oldest(0));
  }
  QUERN_TRY_ASSIGN(const bool reached, pass(mark.sync, nanoseconds));
  mark.is_reached = reached;
  return reached;
}

void Gl::note_launch() {
  launches_.push_back(api.glFenceSync(kSyncComplete, 0));
  if (launches_.size() > kManyLaunches) (void)pass_oldest(0);
}

Result<std::shared_ptr<Context>> Context::create(const Api& api, bool is_es, Seconds patience,
                                                 EglContext share) {
  std::shared_ptr<Context> context(new Context());
  context->shared_ = std::make_shared<Shared>(api, is_es, patience);
  std::packaged_task<void()> task([shared = context->shared_] { shared->work(); });
  context->ended_ = task.get_future();
  context->thread_ = base::try_thread(std::move(task));
  if (!context->thread_.joinable()) return Error(ErrorKind::out_of_memory, message::kNoContextThread());
  QUERN_TRY(context->run<void>([share](Gl& gl) { return gl.start(share); }));
  return context;
}

Context::~Context() {
  if (!thread_.joinable()) return;  // it never started
  post([](Gl& gl) { gl.end(); });
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ends = true;
  }
  shared_->more.notify_one();
  const bool is_own_thread = thread_.get_id() == std::this_thread::get_id();
  const auto has_ended = [&] {
    return !is_own_thread && ended_.wait_for(Clock::kLook) == std::future_status::ready;
  };
  bool is_over = has_ended();
  while (!is_over && !is_own_thread && loss()->alive().ok() && !shared_->gl.is_stuck(shared_->begun))
    is_over = has_ended();
  for (int i = 0; i < kGrace && !is_over; ++i) is_over = has_ended();
  if (is_over) {
    thread_.join();
  } else {
    thread_.detach();  // ends when its driver call returns, if ever
  }
}

Result<> Context::wait_for(const std::shared_ptr<Mark>& mark) {
  const Time begun = Clock::now();
  while (!mark->is_reached) {
    QUERN_TRY_ASSIGN(const bool reached, run<bool>([mark](Gl& gl) { return gl.poll(*mark, kSlice); }));
    if (!reached && shared_->gl.is_stuck(begun)) return shared_->gl.stuck();
  }
  return {};
}

void Context::post(std::function<void(Gl&)> work) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stream.push_back(std::move(work));
  }
  shared_->more.notify_one();
}

void Context::Shared::work() {
  std::unique_lock lock(mutex);
  while (true) {
    more.wait(lock, [this] { return ends || !stream.empty(); });
    if (stream.empty()) return;
    std::function<void(Gl&)> next = std::move(stream.front());
    stream.pop_front();
    lock.unlock();
    begun = Clock::now();
    next(gl);
    next = nullptr;  // its destructor may submit more work
    lock.lock();
  }
}

Mark::~Mark() {
  context->post([s = sync, q = query](Gl& gl) {
    if (s != nullptr) gl->glDeleteSync(s);
    if (q != 0) gl->glDeleteQueries(1, &q);
  });
}

}  // namespace quern::opengl
