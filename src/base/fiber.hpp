// A function on a stack of its own, which can be left in the middle and gone on with. Belongs to the
// thread that made it.
#pragma once

#include <memory>

namespace quern::base {

class Fiber {
 public:
  using Entry = void (*)(void* argument);

  static std::unique_ptr<Fiber> create();  // null: there is no memory for its stack
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
  Fiber();
  void enter_switch(bool inwards);

  std::unique_ptr<State> state_;
};

}  // namespace quern::base
