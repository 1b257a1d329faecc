// The examples of ring kernels, as users start them, on the cpu.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "examples/png.hpp"
#include "support/command.hpp"

namespace quern::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Skips if the examples are not built.
#define NEEDS_EXAMPLE(name)                                           \
  if (!base::file_exists(std::string(QUERN_EXAMPLES) + "/" + (name))) \
  GTEST_SKIP() << "QUERN_EXAMPLES is "                                \
                  "OFF"

CommandAnswer run_example(const std::string& words) {
  return run_command("timeout 120 " + std::string(QUERN_EXAMPLES) + "/" + words);
}

TEST(Wave, ScriptAgreesWithTheHost) {
  NEEDS_EXAMPLE("example_wave");
  const CommandAnswer r = run_example(
      "example_wave --on cpu --size 64x48 --check --script 'impulse 20 20 3; steps 25; value 20 20; damping "
      "0.98; "
      "speed 0.4; impulse 40 30 -2; steps 16; value 33 25; picture'");
  EXPECT_EQ(r.code, 0) << r.text;
  EXPECT_TRUE(has(r.text, "value 20 20: ")) << r.text;
  EXPECT_TRUE(has(r.text, " after 41 steps")) << r.text;
  EXPECT_TRUE(has(r.text, "the host's loop agrees: largest difference ")) << r.text;
}

// Driven: the host launches each batch.
TEST(Wave, TheSimulatorAgreesToo) {
  NEEDS_EXAMPLE("example_wave");
  const CommandAnswer r = run_example(
      "example_wave --on sim --size 24x16 --check --script 'impulse 12 8 3; steps 3; value 12 8'");
  EXPECT_EQ(r.code, 0) << r.text;
  EXPECT_TRUE(has(r.text, "driven engine")) << r.text;
  EXPECT_TRUE(has(r.text, "the host's loop agrees")) << r.text;
}

TEST(Wave, FramesAreWholePictures) {
  NEEDS_EXAMPLE("example_wave");
  const base::TemporaryFolder folder;
  const CommandAnswer r = run_example("example_wave --on cpu --size 200x150 --frames " + folder.path() +
                                      "/out --script 'frame; impulse 100 75 5; frame; clear; frame'");
  EXPECT_EQ(r.code, 0) << r.text;
  std::vector<Png> frames;
  for (const char* name : {"out/frame_0000.png", "out/frame_0001.png", "out/frame_0002.png"}) {
    const auto bytes = base::read_file(folder / name);
    ASSERT_TRUE(bytes.ok()) << r.text;
    frames.push_back(read_png(*bytes));
    EXPECT_EQ(frames.back().wrong, "");
    EXPECT_EQ(frames.back().width, 200u);
    EXPECT_EQ(frames.back().height, 150u);
  }
  EXPECT_NE(frames[0].rgb, frames[1].rgb);
  EXPECT_EQ(frames[0].rgb, frames[2].rgb);
  EXPECT_GT(frames[1].rgb[(75 * 200 + 100) * 3], 200) << "a crest in the middle is bright";
  EXPECT_EQ(frames[1].rgb[0], frames[0].rgb[0]);
}

TEST(Wave, ReaderOfPicturesSeesDamage) {
  NEEDS_EXAMPLE("example_wave");
  const base::TemporaryFolder folder;
  (void)run_example("example_wave --on cpu --size 16x16 --frames " + folder.path() + " --script frame");
  auto bytes = base::read_file(folder / "frame_0000.png");
  ASSERT_TRUE(bytes.ok());
  (*bytes)[60] = static_cast<char>((*bytes)[60] ^ 1);
  EXPECT_EQ(read_png(*bytes).wrong, "the checksum of IDAT");
}

// Keys in a terminal: strike, pause, change speed and damping, write a frame, end, and restore the screen.
TEST(Wave, IsSteeredByKeys) {
  NEEDS_EXAMPLE("example_wave");
  if (run_command("command -v script").code != 0)
    GTEST_SKIP() << "there is no program `script` to have a terminal from";
  const base::TemporaryFolder folder;
  const CommandAnswer r = run_command(
      "(sleep 0.5; printf 'll \\033[A b]+'; sleep 0.5; printf 'pf'; sleep 0.3; printf 'q') | timeout 60 "
      "script -qec '" +
      std::string(QUERN_EXAMPLES) + "/example_wave --on cpu --size 40x20 --frames " + folder.path() +
      "' /dev/null");
  EXPECT_EQ(r.code, 0) << r.text;
  EXPECT_TRUE(has(r.text, " paused  damping 1.000  speed 0.27  here ")) << r.text;
  EXPECT_TRUE(has(r.text, "▀")) << r.text;
  EXPECT_TRUE(has(r.text, "\033[?25h\033[?1049l")) << "the screen is given back";
  const auto frame = base::read_file(folder / "frame_0000.png");
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(read_png(*frame).wrong, "");
}

TEST(Wave, WrongScriptsAreRefused) {
  NEEDS_EXAMPLE("example_wave");
  for (const auto& [script, part] : std::vector<std::pair<std::string, std::string>>{
           {"impulse 20", "requires a number"},
           {"impulse 9000 1 1", "requires a number from 0 to 127"},
           {"speed 0.9", "requires a number from 0 to 0.5"},
           {"dance", "is not one of impulse"},
           {"steps 3 4", "has too many arguments"},
       }) {
    const CommandAnswer r = run_example("example_wave --on cpu --script '" + script + "'");
    EXPECT_NE(r.code, 0) << script;
    EXPECT_TRUE(has(r.text, "example_wave: invalid script command '" + script + "': it " + part)) << r.text;
  }
  EXPECT_TRUE(has(run_example("example_wave --size 3x3").text, "for --size; use WIDTHxHEIGHT")) << "size";
  EXPECT_TRUE(
      has(run_example("example_wave --on abacus --script clear").text, "there is no device 'abacus'"));
}

TEST(Store, EveryAnswerIsThatOfTheMap) {
  NEEDS_EXAMPLE("example_store");
  const CommandAnswer r = run_example("example_store cpu 4000");
  EXPECT_EQ(r.code, 0) << r.text;
  EXPECT_TRUE(has(r.text, "4000 operations of 4 threads")) << r.text;
  EXPECT_TRUE(has(r.text, "all replies match std::unordered_map")) << r.text;
}

TEST(Pipeline, ResultsComeInOrder) {
  NEEDS_EXAMPLE("example_pipeline");
  const CommandAnswer r = run_example("example_pipeline cpu 2000");
  EXPECT_EQ(r.code, 0) << r.text;
  EXPECT_TRUE(has(r.text, "2000 of 2000 numbers passed three actors")) << r.text;
  EXPECT_TRUE(has(r.text, "all in order and correct; 1161 takes longest: 181 steps")) << r.text;
}

TEST(Driven, StoreAndPipelineAnswerAlike) {
  NEEDS_EXAMPLE("example_store");
  const CommandAnswer store = run_example("example_store sim 400");
  EXPECT_EQ(store.code, 0) << store.text;
  EXPECT_TRUE(has(store.text, "driven engine: 400 operations")) << store.text;
  const CommandAnswer pipeline = run_example("example_pipeline sim 200");
  EXPECT_EQ(pipeline.code, 0) << pipeline.text;
  EXPECT_TRUE(has(pipeline.text, "all in order and correct; 171 takes longest: 124 steps")) << pipeline.text;
}

}  // namespace
}  // namespace quern::test
