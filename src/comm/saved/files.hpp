// Files of checkpoints. All functions throw Error with kind `io`; `operation` is its name in the error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace quern::comm::saved {

// A file that is written or read in sequence.
class File {
 public:
  static File create(const char* operation, const std::string& path);
  static File open(const char* operation, const std::string& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(std::span<const std::byte> bytes) const;
  void read(std::span<std::byte> bytes, std::uint64_t offset) const;
  void make_durable() const;

 private:
  File(const char* operation, std::string path, int flags);
  [[noreturn]] void fail_with(const char* what, int why) const;
  const char* const operation_;
  const std::string path_;
  int number_ = -1;
};

void make_folder(const char* operation, const std::string& path);  // an existing one is a success
void make_folder_durable(const char* operation, const std::string& path);
// Replaces the file at once: readers see the old contents or the new ones, also after a crash.
void replace_file(const char* operation, const std::string& folder, const std::string& name,
                  const std::string& text);
std::optional<std::string> read_text(const char* operation,
                                     const std::string& path);  // nothing: no such file
// Removes the folders of data except one. Errors are ignored.
void remove_other_data(const std::string& folder, const std::string& kept);

}  // namespace quern::comm::saved
