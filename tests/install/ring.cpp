// An actor, in a program that links an installation.
#include <cstdio>

#include <quern/quern.hpp>
#include <quern/ring.hpp>

QUERN_ACTOR(Counter, (long total), (int add), long, {
  total += add;
  return total;
})

int main() {
  const auto counter = quern::open("sim").spawn(Counter{});
  counter.send(2);
  std::printf("%s: %ld\n", quern::ring::to_string(counter.engine()), counter.call(5).get());
}
