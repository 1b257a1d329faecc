// The wave field: an actor whose whole grid computes each step together, and the same arithmetic on the host.
#pragma once

#include <vector>

#include "quern/inline.hpp"
#include "quern/ring.hpp"

namespace wave {

struct Size {
  int width = 128, height = 96;
  int cells() const { return width * height; }
};

// Types shared by the program and the actor's text.
enum class Kind : int { kImpulse, kSteps, kDamping, kSpeed, kValue, kClear };
struct Message {
  Kind kind;
  int x, y;
  int steps;
  float value;
};
struct State {
  int width, height;
  float damping, speed;  // speed: (cells per step)², at most 0.5
  unsigned steps;
};
struct Reply {
  unsigned steps;
  float value;
};

class Field {
 public:
  Field(const quern::Device& device, Size size);

  void send(const Message& message) const { actor_.send(message); }
  Reply call(const Message& message) const { return actor_.call(message).get(); }
  std::vector<float> read() const;  // after all messages sent so far
  Size size() const { return size_; }
  const quern::ring::Handle<State, Message, Reply>& actor() const { return actor_; }

 private:
  Size size_;
  quern::Buffer<float> first_, second_;
  quern::ring::Handle<State, Message, Reply> actor_;
};

// The same on the host, for --check.
class HostField {
 public:
  explicit HostField(Size size);
  float handle(const Message& message);  // the value, for Kind::kValue
  const std::vector<float>& read() const { return now_; }

 private:
  void step();
  float& at(int x, int y) {
    return now_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
                static_cast<std::size_t>(x)];
  }
  Size size_;
  State state_;
  std::vector<float> now_, before_;
};

}  // namespace wave
