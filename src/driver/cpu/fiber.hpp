// A function with a stack of its own, that can be left in the middle and entered again. Belongs to the thread
// that made it.
#pragma once

#include <cstddef>
#include <memory>

namespace quern::cpu {

class Fiber {
 public:
  // Null: there is no memory for its stack.
  static std::unique_ptr<Fiber> create();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next resume() runs function(argument), which must not return: it ends in suspend().
  void start(void (*function)(void*), void* argument);
  void resume();   // until it suspends
  void suspend();  // called on the fiber

 private:
  Fiber() = default;
  std::byte* stack_ = nullptr;
  void* here_ = nullptr;    // its stack pointer while it is suspended
  void* caller_ = nullptr;  // the resumer's, while it runs
};

}  // namespace quern::cpu
