#include "lang/text/path.hpp"

#include <algorithm>
#include <vector>

namespace quern::lang {

namespace {

// "/…" or "C:/…".
bool is_absolute(std::string_view path) {
  return path.starts_with('/') || path.starts_with('\\') || (path.size() > 2 && path[1] == ':');
}

}  // namespace

std::string normalise_path(std::string_view path) {
  std::string slashed(path);
  std::ranges::replace(slashed, '\\', '/');
  const bool rooted = slashed.starts_with('/');
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= slashed.size();) {
    const size_t end = std::min(slashed.find('/', begin), slashed.size());
    const std::string_view part = std::string_view(slashed).substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!rooted) {
      parts.push_back(part);
    }
  }
  std::string result = rooted ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) result += '/';
    result += parts[i];
  }
  return result;
}

std::string_view parent_path(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return {};
  return path.substr(0, std::max<size_t>(slash, 1));
}

std::string join_path(std::string_view directory, std::string_view path) {
  if (directory.empty() || is_absolute(path)) return normalise_path(path);
  return normalise_path(std::string(directory) + "/" + std::string(path));
}

}  // namespace quern::lang
