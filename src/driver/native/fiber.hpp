// A function on a stack of its own, which can be left in the middle and gone on with.
#pragma once

#include <cstddef>

namespace quern::native {

class Fiber {
 public:
  using Entry = void (*)(void* argument);

  Fiber();  // throws std::bad_alloc when there is no memory for the stack
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Begins anew; what ran before is forgotten. The entry must not throw.
  void start(Entry entry, void* argument);
  void resume();   // runs it until it suspends or ends
  void suspend();  // from inside: back to whoever resumed

  void run();  // the first on the new stack; not for others
  struct State;

 private:
  void enter_switch(bool inwards);

  State* state_;
};

}  // namespace quern::native
