#include "lang/text/find_include.hpp"

#include "lang/text/path.hpp"

namespace quern::lang {

namespace {

constexpr int kLevels = 6;  // of parent folders
constexpr std::string_view kSubfolders[] = {
    "", "include", "inc", "includes", "src", "common", "common/inc", "common/include", "util", "utils", "lib",
};

}  // namespace

std::optional<std::string> find_include_directory(const MissingInclude& header, const FileReader& read_file) {
  if (!read_file) return std::nullopt;
  std::string folder(header.folder);
  for (int level = 0; level < kLevels; ++level) {
    for (const std::string_view sub : kSubfolders) {
      const std::string directory = join_path(folder, sub);
      if (read_file(join_path(directory, header.name)).ok()) return directory.empty() ? "." : directory;
    }
    std::string parent = join_path(folder, "..");
    if (parent == folder) break;
    folder = std::move(parent);
  }
  return std::nullopt;
}

}  // namespace quern::lang
