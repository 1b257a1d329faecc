// Checkpoints in folders that other users can write, and files that are not regular files.
#include "ring/checkpoint_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary_folder.hpp"
#include "quern/error.hpp"

namespace quern::ring {
namespace {

using base::TemporaryFolder;

Sizes sizes_of(std::uint32_t state) {
  Sizes sizes;
  sizes.state = state;
  return sizes;
}

Checkpoint four_bytes() {
  Checkpoint checkpoint;
  checkpoint.state.resize(4);
  return checkpoint;
}

// Regression: the temporary file had a predictable name, and was written through existing links.
TEST(CheckpointFile, WritesThroughNoLink) {
  const TemporaryFolder folder;
  const std::string victim = folder.write("victim", "precious"), path = folder / "actor.ring";
  std::filesystem::create_symlink(victim, path + ".new");
  std::filesystem::create_symlink(victim, path);
  write_checkpoint(path, four_bytes(), sizes_of(4));
  std::string text;
  std::getline(std::ifstream(victim), text);
  EXPECT_EQ(text, "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(path));  // replaced
  EXPECT_EQ(read_checkpoint(path, sizes_of(4)).state.size(), 4u);
}

TEST(CheckpointFile, LeavesNoOtherFile) {
  const TemporaryFolder folder;
  for (int i = 0; i < 3; ++i) write_checkpoint(folder / "actor.ring", four_bytes(), sizes_of(4));
  std::filesystem::create_directory(folder / "taken");
  std::ofstream(folder / "taken/file").put('x');
  EXPECT_THROW(write_checkpoint(folder / "taken", four_bytes(), sizes_of(4)), Error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(CheckpointFile, APipeHangsNobody) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  ::alarm(20);
  for (const std::string& path : {folder / "pipe", std::string("/dev/zero")}) {
    try {
      (void)read_checkpoint(path, sizes_of(4));
      ADD_FAILURE() << path;
    } catch (const Error& e) {
      EXPECT_EQ(e.message(), "the checkpoint '" + path + "' cannot be read: it is not a regular file");
    }
  }
  ::alarm(0);
}

}  // namespace
}  // namespace quern::ring
