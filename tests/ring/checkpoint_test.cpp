// The content of a checkpoint besides the state: messages with deadlines and urgency, buffers; and invalid
// files.
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include "ring/engines.hpp"

namespace quern::ring {
namespace {

constexpr const char* kCheckpointNotes = R"(
struct State { int count; int seen[15]; };
struct Message { int value; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    if (s.count < 15) s.seen[s.count] = m.value;
    s.count += 1;
    float* const cells = c.buffer<float>(0);
    if (cells != nullptr) cells[m.value & 7] += 0.5f;
  }
  c.sync();
  return s.count;
}
)";
struct Notes {
  int count;
  int seen[15];
};
using Book = Handle<Notes, int, int>;

std::vector<int> seen(const Book& book) {
  const Notes notes = book.state();
  return {notes.seen, notes.seen + notes.count};
}

class Saved : public OnQuickDevices {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "saved_" + std::to_string(::getpid());
};

TEST_P(Saved, MessagesKeepTheirUrgencyAndDeadlines) {
  on_each([&](Options options) {
    options.urgent = 8;
    options.deadlines = true;
    Delivery urgent, soon, late;
    urgent.urgent = true;
    soon.within = std::chrono::milliseconds(1);
    late.within = std::chrono::hours(1);
    {
      const Book book(spawn(device_, kCheckpointNotes, options));
      book.pause();
      book.send(1, late);
      book.send(2, soon);
      book.send(3);
      book.send(4, urgent);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      book.checkpoint(path_);
      book.kill();
    }
    const Book book(spawn(device_, kCheckpointNotes, options));
    book.pause();
    book.restore(path_);
    book.send(5);
    book.resume();
    book.drain();
    EXPECT_EQ(seen(book), (std::vector<int>{4, 1, 3, 5}));
    EXPECT_EQ(book.telemetry().expired, 1u);
    options.deadlines = false;
    EXPECT_EQ(message_of([&] { Book(spawn(device_, kCheckpointNotes, options)).restore(path_); }),
              "restore failed: the checkpoint '" + path_ +
                  "' has messages with deadlines, which this actor does not support");
  });
}

TEST_P(Saved, BuffersAreALoneActorsOwn) {
  on_each([&](Options options) {
    std::vector<float> before(8, 1), zeros(8, 0);
    Buffer<float> cells = device_.upload(before);
    options.buffers = {cells};
    {
      const Book book(spawn(device_, kCheckpointNotes, options));
      for (int i = 0; i < 4; ++i) (void)book.call(i).get();
      book.checkpoint(path_);
      (void)book.call(0).get();
    }
    Buffer<float> others = device_.upload(zeros);
    options.buffers = {others};
    const Book book(spawn(device_, kCheckpointNotes, options));
    book.restore(path_);
    EXPECT_EQ(book.call(7).get(), 5);
    book.stop();
    EXPECT_EQ(others.download(), (std::vector<float>{1.5f, 1.5f, 1.5f, 1.5f, 1, 1, 1, 1.5f}));
    EXPECT_EQ(cells.download()[0], 2.0f);
    Buffer<float> small = device_.upload(std::vector<float>(4));
    options.buffers = {small};
    EXPECT_EQ(message_of([&] { Book(spawn(device_, kCheckpointNotes, options)).restore(path_); }),
              "the checkpoint '" + path_ + "' has 32 bytes for buffer 0, which has 16 here");
    options.buffers = {};
    EXPECT_EQ(message_of([&] { Book(spawn(device_, kCheckpointNotes, options)).restore(path_); }),
              "the checkpoint '" + path_ + "' has 1 buffer, but this actor has 0");
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, Saved, ::testing::ValuesIn(ring_drivers()), device_name);

// Files of previous versions, and files with counts that are too large.
class Files : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& magic, const std::vector<std::uint64_t>& words, const std::string& rest) {
    std::string bytes = magic;
    for (const std::uint64_t word : words) bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
    bytes += rest;
    std::uint64_t sum = 0xcbf29ce484222325;
    for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  std::string restored() {
    return message_of([&] { Book(spawn(open("cpu"), kCheckpointNotes)).restore(path_); });
  }
  const std::string path_ = testing::TempDir() + "file_" + std::to_string(::getpid());
};

TEST_F(Files, OfVersionsBefore) {
  for (const bool is_first : {true, false}) {
    std::string state(64, '\0'), message(4, '\0');
    state[0] = 1;
    state[4] = 9;
    message[0] = 7;
    std::vector<std::uint64_t> words{64, 4, 1};
    if (!is_first) words.push_back(0);
    write(is_first ? "QRNRING1" : "QRNRING2", words, state + message);
    const Book book(spawn(open("cpu"), kCheckpointNotes));
    book.restore(path_);
    book.drain();
    EXPECT_EQ(seen(book), (std::vector<int>{9, 7}));
  }
}

TEST_F(Files, ThatAreNone) {
  const std::string state(64, '\0');
  const std::uint64_t huge = ~std::uint64_t{0} / 4;
  const std::string none = "'" + path_ + "' is not a complete checkpoint of an actor";
  write("QRNRING3", {64, 4, huge, 0, 0}, state);
  EXPECT_EQ(restored(), none);
  write("QRNRING3", {64, 4, 0, huge, 0}, state);
  EXPECT_EQ(restored(), none);
  write("QRNRING3", {64, 4, 0, 0, 1}, state + std::string(8, '\x7f'));
  EXPECT_EQ(restored(), none);
  write("QRNRING3", {64, 4, 0, 0, 0}, state + "x");
  EXPECT_EQ(restored(), none);
  write("QRNRING3", {64, 4}, "");
  EXPECT_EQ(restored(), none);
  write("QRNRING4", {64, 4, 0, 0, 0}, state);
  EXPECT_EQ(restored(), "the checkpoint '" + path_ + "' was written by a newer version");
  write("QRNRINGS", {64, 4, 0, 0, 0}, state);
  EXPECT_NE(restored(), "nothing is thrown");
}

}  // namespace
}  // namespace quern::ring
