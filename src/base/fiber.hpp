// A function with its own stack that can be suspended and resumed. Must be used by the thread that created
// it.
#pragma once

#include <memory>

namespace quern::base {

class Fiber {
 public:
  using Entry = void (*)(void* argument);

  static std::unique_ptr<Fiber> create();  // null: no memory for the stack
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Starts again with a new entry, which must not throw; the previous run is discarded.
  void start(Entry entry, void* argument);
  void resume();   // runs until it suspends or ends
  void suspend();  // from inside: returns to the caller of resume()

  void run();  // internal: the first function on the new stack
  struct State;

 private:
  Fiber();
  void enter_switch(bool inwards);

  std::unique_ptr<State> state_;
};

}  // namespace quern::base
