#include "base/sealed.hpp"

#include "base/hash.hpp"

namespace quern::base {

namespace {

constexpr std::size_t kSumBytes = 32;

std::string sum(std::string_view salt, std::string_view contents) {
  return Hasher().add_field(salt).add_field(contents).finish().to_string();
}

}  // namespace

std::string sealed(std::string_view magic, std::string_view contents, std::string_view salt) {
  std::string file(magic);
  file += sum(salt, contents);
  file += contents;
  return file;
}

std::optional<std::string_view> unsealed(std::string_view magic, std::string_view file,
                                         std::string_view salt) {
  if (!file.starts_with(magic) || file.size() < magic.size() + kSumBytes) return std::nullopt;
  const std::string_view contents = file.substr(magic.size() + kSumBytes);
  if (sum(salt, contents) != file.substr(magic.size(), kSumBytes)) return std::nullopt;
  return contents;
}

}  // namespace quern::base
