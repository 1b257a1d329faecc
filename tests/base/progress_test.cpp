#include "base/progress.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace quern::base {
namespace {

// Collects the output of a Progress, with a clock that the test controls.
class Recorder {
 public:
  Recorder() : stream_(std::tmpfile()) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { std::fclose(stream_); }

  ProgressOptions options(bool terminal) {
    ProgressOptions options;
    options.stream = stream_;
    options.terminal = terminal;
    options.clock = [this] { return seconds_; };
    return options;
  }

  void wait(double seconds) { seconds_ += seconds; }

  std::string text() {
    std::string contents;
    std::rewind(stream_);
    for (int c = std::fgetc(stream_); c != EOF; c = std::fgetc(stream_)) contents += static_cast<char>(c);
    return contents;
  }

 private:
  std::FILE* stream_;
  double seconds_ = 100;
};

TEST(Progress, RendersABarWithRateAndTimeLeft) {
  const ProgressState state{"check", "files", 512, 1024, 4.0, "nbody.cu"};
  EXPECT_EQ(render_bar(state, 200),
            "check  [████████████░░░░░░░░░░░░]  512/1,024 files  128 files/s  4.0 s left  nbody.cu");
  EXPECT_EQ(display_width(render_bar(state, 40)), 40u);
  EXPECT_EQ(render_plain(state), "check: 512 of 1,024 files (50 %), 128 files/s, 4.0 s left, nbody.cu");
}

TEST(Progress, RendersWithoutATotalAndAtTheEdges) {
  EXPECT_EQ(render_plain({"scan", "files", 30, 0, 10.0, ""}), "scan: 30 files, 3.0 files/s");
  EXPECT_EQ(render_plain({"scan", "files", 0, 10, 0.0, ""}), "scan: 0 of 10 files (0 %)");
  EXPECT_EQ(render_plain({"scan", "files", 999, 1000, 1.0, ""}),
            "scan: 999 of 1,000 files (99 %), 999 files/s, 1.0 ms left");
  EXPECT_EQ(render_plain({"scan", "files", 12, 10, 1.0, ""}), "scan: 12 of 10 files (100 %), 12 files/s");
}

TEST(Progress, ALogGetsALineNowAndThenAndALastOne) {
  Recorder recorder;
  {
    Progress progress("check", 100, "files", recorder.options(false));
    for (int i = 0; i < 100; ++i) {
      recorder.wait(0.25);
      progress.advance();
    }
    progress.finish();
  }
  EXPECT_EQ(recorder.text(),
            "check: 40 of 100 files (40 %), 4.0 files/s, 15 s left\n"
            "check: 80 of 100 files (80 %), 4.0 files/s, 5.0 s left\n"
            "check: 100 of 100 files (100 %), 4.0 files/s\n");
}

TEST(Progress, ShortWorkShowsNothing) {
  for (const bool terminal : {false, true}) {
    Recorder recorder;
    {
      Progress progress("check", 10, "files", recorder.options(terminal));
      for (int i = 0; i < 10; ++i) {
        recorder.wait(0.01);
        progress.advance();
      }
      progress.finish();
      progress.finish();
    }
    EXPECT_EQ(recorder.text(), "");
  }
}

TEST(Progress, ATerminalIsRedrawnAndLeftClean) {
  Recorder recorder;
  Progress progress("check", 4, "files", recorder.options(true));
  recorder.wait(1);
  progress.set_detail("a.cu");
  progress.advance();
  progress.advance();
  progress.hide();
  progress.hide();
  recorder.wait(1);
  progress.advance();
  progress.finish();
  recorder.wait(1);
  progress.advance();
  EXPECT_EQ(recorder.text(),
            "\r\x1b[Kcheck  [██████░░░░░░░░░░░░░░░░░░]  1/4 files  1.0 files/s  3.0 s left  a.cu"
            "\r\x1b[K"
            "\r\x1b[Kcheck  [██████████████████░░░░░░]  3/4 files  1.5 files/s  667 ms left  a.cu"
            "\r\x1b[K");
}

TEST(Progress, CountsFromManyThreads) {
  Recorder recorder;
  ProgressOptions options = recorder.options(false);
  options.clock = nullptr;
  options.line_every = 0;
  {
    Progress progress("check", 4000, "files", options);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) progress.advance();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const std::string text = recorder.text();
  EXPECT_NE(text.find("4,000 of 4,000 files (100 %)"), std::string::npos) << text.substr(0, 200);
}

}  // namespace
}  // namespace quern::base
