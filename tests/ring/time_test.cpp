// Timers of handlers and of the host, expired messages, urgent messages; the handler's view, in its order.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include <unistd.h>

#include "ring/engines.hpp"

namespace quern::ring {
namespace {

// Logs messages; `what`: 1 sets a timer by messages, 2 one by time, 3 two of each.
constexpr const char* kTimeNotes = R"(
struct State { int count, refused; int seen[61]; };
struct Message { int value, what, after; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    if (s.count < 61) s.seen[s.count] = m.value;
    s.count += 1;
    if (m.what == 1 && !c.after_messages((unsigned)m.after, Message{-m.value, 0, 0})) s.refused += 1;
    if (m.what == 2 && !c.after((unsigned long long)m.after * 1000000ull, Message{-m.value, 0, 0}))
      s.refused += 1;
    if (m.what == 3) {
      c.after(0, Message{-m.value, 0, 0});
      c.after_messages(0, Message{-m.value - 1, 0, 0});
      c.after_messages(1, Message{-m.value - 2, 0, 0});
      c.after_messages(0, Message{-m.value - 3, 1, 2});
    }
  }
  c.sync();
  return s.count;
}
)";
struct Notes {
  int count, refused;
  int seen[61];
};
struct Note {
  int value, what, after;
};
using Book = Handle<Notes, Note, int>;

std::vector<int> seen(const Book& book) {
  const Notes notes = book.state();
  return {notes.seen, notes.seen + notes.count};
}

// Until this many were handled.
void await_count(const Book& book, int count) {
  for (int i = 0; i < 5000 && book.state().count < count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class Time : public OnQuickDevices {};

TEST_P(Time, TimersByMessagesComeAtTheSamePlace) {
  on_each([&](Options options) {
    options.timers = 4;
    const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
    book.pause();
    book.send(Note{1, 1, 2});
    book.send(Note{2, 1, 0});
    for (int i = 3; i <= 8; ++i) book.send(Note{i, 0, 0});
    book.resume();
    book.drain();
    // The timer of 2 fires immediately; with it and 3, two messages came after 1.
    EXPECT_EQ(seen(book), (std::vector<int>{1, 2, -2, -1, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(book.telemetry().fired, 2u);
    EXPECT_EQ(book.telemetry().handled, 10u);
  });
}

TEST_P(Time, TimersOfEveryKindTogether) {
  on_each([&](Options options) {
    options.timers = 4;
    const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
    book.pause();
    book.send(Note{10, 3, 0});
    book.send(Note{20, 1, 0});
    book.resume();
    await_count(book, 8);
    // Timers by messages first, in the order of being due; 13 was set by a timer's message and waits for 20.
    EXPECT_EQ(seen(book), (std::vector<int>{10, -11, -13, -12, -10, 20, 13, -20}));
    EXPECT_EQ(book.telemetry().fired, 6u);
    EXPECT_EQ(book.state().refused, 0);
  });
}

TEST_P(Time, TimersByTimeFireAutomatically) {
  on_each([&](Options options) {
    options.timers = 2;
    (void)spawn(device_, kTimeNotes, options)
        .as<Notes, Note, int>()
        .call(Note{1, 0, 0})
        .get();  // compiles it
    const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(book.call(Note{1, 2, 500}).get(), 1);
    EXPECT_EQ(book.call(Note{2, 2, 150}).get(), 2);
    EXPECT_EQ(book.call(Note{3, 2, 1}).get(), 3);  // no timer is left
    await_count(book, 5);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(500));
    EXPECT_EQ(seen(book), (std::vector<int>{1, 2, 3, -2, -1}));
    EXPECT_EQ(book.state().refused, 1);
  });
}

TEST_P(Time, TimersThatWaitWhenItStopsAreDeadLetters) {
  on_each([&](Options options) {
    options.timers = 2;
    std::vector<int> dead;
    options.on_dead_letter = [&](const DeadLetter& letter) {
      EXPECT_EQ(letter.reason, DeadLetter::Reason::stopped);
      int value = 0;
      std::memcpy(&value, letter.message.data(), sizeof(value));
      dead.push_back(value);
    };
    const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
    EXPECT_EQ(book.call(Note{5, 2, 1'000'000}).get(), 1);
    EXPECT_TRUE(book.stop());
    EXPECT_EQ(dead, std::vector<int>{-5});
  });
}

// Calls `work` with an actor of each engine that is restored from `book`.
void restore_on_each(const Device& device, const Book& book, Options options,
                     const std::function<void(const Book&)>& work) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("quern_timers_" + std::to_string(::getpid()))).string();
  book.checkpoint(path);
  book.kill();
  for (const Engine engine : {Engine::driven, Engine::persistent}) {
    if (engine == Engine::persistent && !device.info().has(Feature::persistent)) continue;
    SCOPED_TRACE(std::string("restored ") + to_string(engine));
    options.engine = engine;
    options.timers = 2;
    options.idle_timeout = std::chrono::milliseconds(1);
    const Book again = spawn(device, kTimeNotes, options).as<Notes, Note, int>();
    again.restore(path);
    work(again);
  }
  options.timers = 1;
  const Book small = spawn(device, kTimeNotes, options).as<Notes, Note, int>();
  EXPECT_EQ(message_of([&] { small.restore(path); }),
            "restore failed: the checkpoint '" + path + "' has 2 timers, but this actor has room for 1");
  std::filesystem::remove(path);
}

TEST_P(Time, TimersByMessagesAreInCheckpoints) {
  on_each([&](Options options) {
    options.timers = 4;
    const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
    EXPECT_EQ(book.call(Note{1, 1, 3}).get(), 1);  // three messages after it
    EXPECT_EQ(book.call(Note{2, 1, 4}).get(), 2);
    book.pause();
    book.send(Note{3, 0, 0});
    restore_on_each(device_, book, options, [&](const Book& again) {
      again.drain();
      EXPECT_EQ(seen(again), (std::vector<int>{1, 2, 3}));
      for (int i = 4; i < 7; ++i) again.send(Note{i, 0, 0});
      again.drain();
      // The timer of 1 counts for that of 2.
      EXPECT_EQ(seen(again), (std::vector<int>{1, 2, 3, 4, -1, 5, -2, 6}));
      EXPECT_EQ(again.telemetry().fired, 2u);
    });
  });
}

TEST_P(Time, TimersByTimeAreInCheckpoints) {
  on_each([&](Options options) {
    options.timers = 4;
    const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
    EXPECT_EQ(book.call(Note{1, 2, 60'000}).get(), 1);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(book.call(Note{2, 2, 400}).get(), 2);
    restore_on_each(device_, book, options, [&](const Book& again) {
      await_count(again, 3);
      EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(390));
      EXPECT_EQ(seen(again), (std::vector<int>{1, 2, -2}));
      EXPECT_EQ(again.telemetry().fired, 1u);
    });
  });
}

TEST_P(Time, UrgentOnesComeFirst) {
  on_each([&](Options options) {
    options.urgent = 8;
    options.timers = 1;
    const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
    book.pause();
    for (int i = 1; i <= 5; ++i) book.send(Note{i, 0, 0});
    for (int i = 11; i <= 14; ++i) book.send(Note{i, 0, 0}, Delivery{.urgent = true});
    auto normal = book.call(Note{6, 0, 0});
    auto urgent = book.call(Note{15, 0, 0}, Delivery{.urgent = true});
    book.resume();
    EXPECT_EQ(urgent.get(), 5);
    EXPECT_EQ(normal.get(), 11);
    EXPECT_EQ(seen(book), (std::vector<int>{11, 12, 13, 14, 15, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(book.telemetry().sent, 11u);
    book.drain();
    EXPECT_TRUE(book.stop());
  });
}

TEST_P(Time, MessagesExpire) {
  on_each([&](Options options) {
    options.deadlines = true;
    options.timers = 1;
    options.urgent = 8;
    options.slots = 8;
    std::vector<int> dead;
    options.on_dead_letter = [&](const DeadLetter& letter) {
      EXPECT_EQ(letter.reason, DeadLetter::Reason::expired);
      int value = 0;
      std::memcpy(&value, letter.message.data(), sizeof(value));
      dead.push_back(value);
    };
    const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
    const Delivery soon{.within = std::chrono::milliseconds(5)}, late{.within = std::chrono::minutes(5)};
    EXPECT_EQ(book.call(Note{1, 0, 0}, late).get(), 1);
    book.pause();
    book.send(Note{2, 0, 0}, soon);
    book.send(Note{3, 0, 0});
    auto lost = book.call(Note{4, 0, 0}, soon);
    auto kept = book.call(Note{5, 0, 0}, late);
    book.send(Note{6, 0, 0}, Delivery{.within = std::chrono::milliseconds(5), .urgent = true});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    book.resume();
    EXPECT_EQ(kept.get(), 3);
    EXPECT_EQ(message_of([&] { (void)lost.get(); }),
              "call failed: the message was not handled before its deadline");
    for (int i = 10; i < 60; ++i) book.send(Note{i, 0, 0}, late);  // the ring wraps around
    book.drain();
    std::sort(dead.begin(), dead.end());
    EXPECT_EQ(dead, (std::vector<int>{2, 4, 6}));
    EXPECT_EQ(book.telemetry().expired, 3u);
    EXPECT_EQ(book.state().count, 53);
    EXPECT_EQ(book.telemetry().dropped, 0u);
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, Time, ::testing::ValuesIn(ring_drivers()), device_name);

class HostTimers : public OnDevices {};

TEST_P(HostTimers, SendLaterAndAgain) {
  const Book book = spawn(device_, kTimeNotes, Options{.timers = 1}).as<Notes, Note, int>();
  const auto begin = std::chrono::steady_clock::now();
  (void)book.send_after(std::chrono::milliseconds(300), Note{2, 0, 0});
  (void)book.send_after(std::chrono::milliseconds(100), Note{1, 0, 0});
  const Timer never = book.send_after(std::chrono::milliseconds(40), Note{9, 0, 0});
  never.cancel();
  await_count(book, 2);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
  EXPECT_EQ(seen(book), (std::vector<int>{1, 2}));
  const Timer often = book.send_every(std::chrono::milliseconds(5), Note{3, 0, 0});
  await_count(book, 6);
  often.cancel();
  book.drain();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // one may have been in flight
  const int count = book.state().count;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(book.state().count, count);
}

TEST_P(HostTimers, WhatWaitsWhenItStopsIsADeadLetter) {
  std::atomic<int> dead{0};
  Options options;
  options.timers = 1;
  options.on_dead_letter = [&](const DeadLetter& letter) {
    if (letter.reason == DeadLetter::Reason::stopped) ++dead;
  };
  const Book book = spawn(device_, kTimeNotes, options).as<Notes, Note, int>();
  (void)book.send_after(std::chrono::milliseconds(30), Note{1, 0, 0});
  EXPECT_TRUE(book.stop());
  for (int i = 0; i < 1000 && dead == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(dead, 1);
}

// Mesa's software driver compiles these kernels for longer than stop() waits.
INSTANTIATE_TEST_SUITE_P(Devices, HostTimers, ::testing::ValuesIn(ring_drivers({"vulkan"})), device_name);

TEST(Delivery, NeedsItsOptions) {
  const Device device = open("cpu");
  const Book book = spawn(device, kTimeNotes, Options{.timers = 1}).as<Notes, Note, int>();
  EXPECT_EQ(message_of([&] { book.send(Note{}, Delivery{.urgent = true}); }),
            "send failed: the actor does not support urgent messages");
  EXPECT_EQ(message_of([&] { book.send(Note{}, Delivery{.within = std::chrono::seconds(1)}); }),
            "send failed: the actor does not support deadlines");
  EXPECT_EQ(message_of([&] { (void)book.send_every({}, Note{}); }),
            "send failed: the period of a repeated message is 0");
  Options parallel;
  parallel.shape = Shape::parallel;
  parallel.timers = 1;
  EXPECT_EQ(
      message_of([&] { (void)spawn(device, kTimeNotes, parallel); }),
      "spawn failed: a group of shape 'parallel' does not support timers: its messages are not ordered");
  const std::string without = message_of([&] { (void)spawn(device, kTimeNotes, Options{}); });
  EXPECT_NE(without.find("timers require Options::timers, which is 0"), std::string::npos) << without;
}

TEST(Delivery, UrgentRingsAreFullToo) {
  Options options;
  options.urgent = 4;
  options.timers = 1;
  options.when_full = WhenFull::fail;
  const Book book = spawn(open("cpu"), kTimeNotes, options).as<Notes, Note, int>();
  book.pause();
  const Delivery urgent{.urgent = true};
  for (int i = 0; i < 4; ++i) book.send(Note{i, 0, 0}, urgent);
  EXPECT_FALSE(book.try_send(Note{}, urgent));
  EXPECT_EQ(message_of([&] { book.send(Note{}, urgent); }),
            "send failed: the actor's ring is full: 4 urgent messages wait in it");
  book.resume();
  book.drain();
  EXPECT_EQ(book.state().count, 4);
}

}  // namespace
}  // namespace quern::ring
