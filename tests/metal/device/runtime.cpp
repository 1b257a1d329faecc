// The entry points of the Objective-C runtime.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "base/text.hpp"
#include "metal/device/objects.hpp"

namespace quern::test_metal {

namespace {

std::vector<std::string> odd_words() {
  const char* const list = std::getenv("QUERN_ODD_METAL");
  std::vector<std::string> words;
  if (list == nullptr || *list == '\0') return words;
  const std::string all(list);
  for (const std::string_view word : base::split(all, ',')) words.emplace_back(word);
  return words;
}

std::set<std::string>& selectors() {
  static auto* const all = new std::set<std::string>;  // never destroyed: threads may still send messages
  return *all;
}
std::mutex& selectors_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// Objects of the pools of a thread; null: where a pool begins.
thread_local std::vector<Object*> autoreleased;

}  // namespace

bool is_odd(std::string_view word) {
  for (const std::string& w : odd_words()) {
    if (w == word) return true;
  }
  return false;
}

int64_t odd_number(std::string_view word) {
  for (const std::string& w : odd_words()) {
    if (w.size() > word.size() && w.starts_with(word) && w[word.size()] == '=')
      return std::strtoll(w.c_str() + word.size() + 1, nullptr, 0);
  }
  return 0;
}

bool fails(std::string_view selector) {
  static std::atomic<uint64_t> calls = 0;
  static std::mutex mutex;
  static std::string before;
  for (const std::string& w : odd_words()) {
    if (w == selector) return true;
    if (!w.starts_with("call ")) continue;
    const std::lock_guard lock(mutex);
    if (before != w) calls = 0;
    before = w;
    if (++calls == std::strtoull(w.c_str() + 5, nullptr, 10)) return true;
  }
  return false;
}

void broken_rule(const std::string& what) {
  std::fprintf(stderr, "metal test device: %s\n", what.c_str());
  std::abort();
}

std::atomic<int>& Object::live() {
  static std::atomic<int> count = 0;
  return count;
}

Object* retain(Object* object) {
  if (object == nullptr || object->is_constant) return object;
  if (object->kind == Kind::kGone || object->references++ <= 0)
    broken_rule("an object is retained after its last release");
  return object;
}

void release(Object* object) {
  if (object == nullptr || object->is_constant) return;
  const int left = --object->references;
  if (object->kind == Kind::kGone || left < 0) broken_rule("an object is released too often");
  if (left == 0) delete object;
}

Object* autorelease(Object* object) {
  if (autoreleased.empty()) broken_rule("an object is autoreleased on a thread without a pool");
  autoreleased.push_back(object);
  return object;
}

uint64_t clock_now() {
  constexpr uint64_t kSleep =
      uint64_t{3600} * 1'000'000'000;  // the host's clock counts sleep, this one does not
  return static_cast<uint64_t>(
             std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count()) +
         kSleep;
}

}  // namespace quern::test_metal

using quern::test_metal::Object;

#define EXPORT extern "C" [[gnu::visibility("default")]]

EXPORT void* objc_getClass(const char* name) {
  using quern::test_metal::Kind;
  static auto* const classes = new std::map<std::string, Object*>{
      {"NSString", new Object(Kind::kStringClass, true)},
      {"MTLCompileOptions", new Object(Kind::kOptionsClass, true)},
      {"NSProcessInfo", new Object(Kind::kProcessInfoClass, true)},
      {"NSURL", new Object(Kind::kUrlClass, true)},
      {"NSArray", new Object(Kind::kArrayClass, true)},
      {"MTLBinaryArchiveDescriptor", new Object(Kind::kArchiveOptionsClass, true)},
      {"MTLComputePipelineDescriptor", new Object(Kind::kPipelineOptionsClass, true)}};
  const auto found = classes->find(name);
  return found != classes->end() ? found->second : nullptr;
}

EXPORT const void* sel_registerName(const char* name) {
  const std::lock_guard lock(quern::test_metal::selectors_mutex());
  return &*quern::test_metal::selectors().insert(name).first;
}

EXPORT void* objc_retain(void* object) { return quern::test_metal::retain(static_cast<Object*>(object)); }
EXPORT void objc_release(void* object) { quern::test_metal::release(static_cast<Object*>(object)); }

EXPORT void* objc_autoreleasePoolPush() {
  auto& all = quern::test_metal::autoreleased;
  all.push_back(nullptr);
  return reinterpret_cast<void*>(all.size());
}

EXPORT void objc_autoreleasePoolPop(void* pool) {
  auto& all = quern::test_metal::autoreleased;
  const auto size = reinterpret_cast<size_t>(pool);
  if (size > all.size() || all[size - 1] != nullptr)
    quern::test_metal::broken_rule("autorelease pools are popped in a wrong order");
  while (all.size() >= size) {
    Object* const last = all.back();
    all.pop_back();
    quern::test_metal::release(last);
  }
}

EXPORT int quern_metal_live_objects() { return Object::live(); }

// Called by the trampolines.
extern "C" [[gnu::visibility("hidden"), gnu::used]] void* metal_device_method(Object* to,
                                                                              const std::string* selector) {
  if (to->kind >= quern::test_metal::Kind::kGone)
    quern::test_metal::broken_rule("'" + *selector + "' is sent to a released object");
  const auto method = quern::test_metal::find_method(to->kind, *selector);
  if (method == nullptr)
    quern::test_metal::broken_rule("an object of kind " + std::to_string(static_cast<int>(to->kind)) +
                                   " does not recognize '" + *selector + "'");
  return reinterpret_cast<void*>(method);
}

// objc_msgSend finds the method and jumps to it with all arguments as they were passed: in registers, on the
// stack, or in memory. A message to nil returns zero.
#if defined(__aarch64__)
asm(R"(
.text
.balign 16
.globl objc_msgSend
.type objc_msgSend, %function
objc_msgSend:
  cbz x0, 1f
  stp x29, x30, [sp, #-224]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  bl metal_device_method
  mov x16, x0
  ldp q6, q7, [sp, #192]
  ldp q4, q5, [sp, #160]
  ldp q2, q3, [sp, #128]
  ldp q0, q1, [sp, #96]
  ldr x8, [sp, #80]
  ldp x6, x7, [sp, #64]
  ldp x4, x5, [sp, #48]
  ldp x2, x3, [sp, #32]
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #224
  br x16
1:
  mov x1, #0
  movi v0.2d, #0
  ret
.size objc_msgSend, .-objc_msgSend
)");
#elif defined(__x86_64__)
#define QUERN_TRAMPOLINE(name, nil, first, second, nothing)                                    \
  asm(".text\n.balign 16\n.globl " name "\n.type " name ", @function\n" name                   \
      ":\n"                                                                                    \
      "  test " nil ", " nil                                                                   \
      "\n  jz 1f\n"                                                                            \
      "  push %rbp\n  mov %rsp, %rbp\n  sub $192, %rsp\n"                                      \
      "  mov %rdi, (%rsp)\n  mov %rsi, 8(%rsp)\n  mov %rdx, 16(%rsp)\n  mov %rcx, 24(%rsp)\n"  \
      "  mov %r8, 32(%rsp)\n  mov %r9, 40(%rsp)\n  mov %rax, 48(%rsp)\n"                       \
      "  movaps %xmm0, 64(%rsp)\n  movaps %xmm1, 80(%rsp)\n  movaps %xmm2, 96(%rsp)\n"         \
      "  movaps %xmm3, 112(%rsp)\n  movaps %xmm4, 128(%rsp)\n  movaps %xmm5, 144(%rsp)\n"      \
      "  movaps %xmm6, 160(%rsp)\n  movaps %xmm7, 176(%rsp)\n"                                 \
      "  mov " second ", %rax\n  mov " first                                                   \
      ", %rdi\n  mov %rax, %rsi\n"                                                             \
      "  call metal_device_method\n  mov %rax, %r11\n"                                         \
      "  movaps 176(%rsp), %xmm7\n  movaps 160(%rsp), %xmm6\n  movaps 144(%rsp), %xmm5\n"      \
      "  movaps 128(%rsp), %xmm4\n  movaps 112(%rsp), %xmm3\n  movaps 96(%rsp), %xmm2\n"       \
      "  movaps 80(%rsp), %xmm1\n  movaps 64(%rsp), %xmm0\n"                                   \
      "  mov 48(%rsp), %rax\n  mov 40(%rsp), %r9\n  mov 32(%rsp), %r8\n  mov 24(%rsp), %rcx\n" \
      "  mov 16(%rsp), %rdx\n  mov 8(%rsp), %rsi\n  mov (%rsp), %rdi\n"                        \
      "  leave\n  jmp *%r11\n1:\n" nothing "  ret\n.size " name ", .-" name "\n")
QUERN_TRAMPOLINE("objc_msgSend", "%rdi", "%rdi", "%rsi",
                 "  xor %eax, %eax\n  xor %edx, %edx\n  pxor %xmm0, %xmm0\n");
QUERN_TRAMPOLINE("objc_msgSend_stret", "%rsi", "%rsi", "%rdx", "  mov %rdi, %rax\n");
#else
#error "no objc_msgSend for this processor"
#endif
